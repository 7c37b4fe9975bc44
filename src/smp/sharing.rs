//! How much of what they learn the workers share.

use std::fmt;
use std::str::FromStr;

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

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Sharing {
    type Err = SharingError;

    /// Parses a name; case does not matter.
    fn from_str(text: &str) -> Result<Self, SharingError> {
        Self::ALL.into_iter().find(|way| way.name().eq_ignore_ascii_case(text)).ok_or(SharingError)
    }
}

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
