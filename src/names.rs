//! Settings that are chosen by name.

/// Implements `Display` and `FromStr`, in any case, for a type that has `ALL` its values and the `name`
/// of each; a text that is no name gives the error `$error`.
macro_rules! named {
    ($type:ty, $error:ident) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $error;

            /// Parses a name; case does not matter.
            fn from_str(text: &str) -> Result<Self, $error> {
                let is_named = |value: &Self| value.name().eq_ignore_ascii_case(text);
                Self::ALL.into_iter().find(is_named).ok_or($error)
            }
        }
    };
}

pub(crate) use named;
