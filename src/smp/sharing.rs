//! Whether the workers share what they learn.

use std::fmt;
use std::str::FromStr;

/// Who uses a memory.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// Each worker has its own.
    #[default]
    Private,
    /// All workers share one.
    Shared,
}

/// The text names no kind of sharing.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a memory is either private or shared")]
pub struct SharingError;

impl Sharing {
    /// Every variant.
    pub const ALL: [Self; 2] = [Self::Private, Self::Shared];

    /// The name, as used by the UCI option.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Shared => "shared",
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
