//! Whether workers are bound to nodes.

use crate::names::named;

/// Whether workers are bound to nodes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum NumaPolicy {
    /// They are if the machine has several nodes and there are enough of them to need more than one.
    #[default]
    Auto,
    /// They never are: the system moves them as it likes.
    None,
    /// They are, even if there is one node or few workers.
    Bind,
}

/// The text names no policy.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a NUMA policy is one of auto, none and bind")]
pub struct NumaPolicyError;

impl NumaPolicy {
    /// Every policy.
    pub const ALL: [Self; 3] = [Self::Auto, Self::None, Self::Bind];

    /// The name, as used by the UCI option.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::None => "none",
            Self::Bind => "bind",
        }
    }
}

named!(NumaPolicy, NumaPolicyError);

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_in_any_case() {
        for policy in NumaPolicy::ALL {
            assert_eq!(policy.to_string().parse(), Ok(policy));
            assert_eq!(policy.to_string().to_uppercase().parse(), Ok(policy));
        }
        assert_eq!("hardware".parse::<NumaPolicy>(), Err(NumaPolicyError));
    }
}
