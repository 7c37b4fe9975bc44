//! How much of what they learn the workers share.

use crate::names::named;

/// What all workers have in common; each step includes those before it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharing {
    /// Each worker learns alone.
    Private,
    /// The correction history.
    Correction,
    /// The pawn history.
    Pawns,
    /// All histories of moves as well.
    #[default]
    All,
}

/// The text names no extent of sharing.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the workers share one of private, correction, pawns and all")]
pub struct SharingError;

impl Sharing {
    /// Every extent, from the least.
    pub const ALL: [Self; 4] = [Self::Private, Self::Correction, Self::Pawns, Self::All];

    /// The name, as used by the UCI option.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Correction => "correction",
            Self::Pawns => "pawns",
            Self::All => "all",
        }
    }
}

named!(Sharing, SharingError);

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_in_any_case() {
        for way in Sharing::ALL {
            assert_eq!(way.to_string().parse(), Ok(way));
            assert_eq!(way.to_string().to_uppercase().parse(), Ok(way));
        }
        assert_eq!("both".parse::<Sharing>(), Err(SharingError));
    }
}
