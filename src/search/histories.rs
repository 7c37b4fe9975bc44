//! Everything that a worker learns, in one structure.

#[cfg(not(loom))]
use zerocopy::FromZeros;

use super::correction::Errors;
use super::history::{Butterfly, Capture, ContinuationHistory, History, Pawn};

/// A table of entries at zero, whose memory is taken up when it is written.
#[cfg(not(loom))]
fn table<T: FromZeros>() -> Box<T> {
    crate::memory::zeroed()
}

/// Sets all entries of a table that nobody else uses to zero, faster than one by one.
#[cfg(not(loom))]
fn zero<T: FromZeros>(table: &mut T) {
    table.zero();
}

/// No model searches, and loom's atomics are more than zeros.
#[cfg(loom)]
fn table<T>() -> Box<T> {
    unreachable!("no model searches")
}

/// There is no such table, see [`table`].
#[cfg(loom)]
fn zero<T>(_: &mut T) {}

macro_rules! histories {
    ($($field:ident: $table:ty,)*) => {
        /// Everything that one worker learns, or that the workers of its group share.
        pub struct Histories {
            $(pub(super) $field: Box<$table>,)*
        }

        impl Histories {
            /// Empty histories.
            pub(super) fn new() -> Self {
                Self { $($field: table(),)* }
            }

            /// Forgets everything; nobody else uses this memory.
            pub fn zero(&mut self) {
                $(zero(&mut *self.$field);)*
            }

            /// Forgets everything. Called while no worker searches.
            pub fn clear(&self) {
                $(self.$field.clear();)*
            }
        }
    };
}

histories! {
    butterfly: Butterfly,
    capture: Capture,
    continuation: ContinuationHistory,
    pawn: Pawn,
    errors: Errors,
}
