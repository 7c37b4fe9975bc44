//! Settings that are chosen by name.

/// A setting whose values have names, in options and on command lines.
pub trait Named: Copy + PartialEq + Sized + 'static {
    /// Every value with its name and, for help, its meaning.
    const VALUES: &'static [(Self, &'static str, &'static str)];

    /// Every value.
    fn all() -> impl Iterator<Item = Self> {
        Self::VALUES.iter().map(|&(value, ..)| value)
    }

    /// The name of the value.
    fn name(self) -> &'static str {
        let named = Self::VALUES.iter().find(|(value, ..)| *value == self);
        named.map(|(_, name, _)| *name).expect("every value is listed")
    }

    /// The value with this name, in whatever case.
    fn by_name(name: &str) -> Option<Self> {
        let is_meant = |known: &str| known.eq_ignore_ascii_case(name);
        Self::VALUES.iter().find(|(_, known, _)| is_meant(known)).map(|&(value, ..)| value)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::commands::bench::LimitType;
    use crate::numa::NumaPolicy;
    use crate::smp::teamwork::{Sharing, Stagger};

    fn every_value_is_found_by_its_name<T: Named + std::fmt::Debug>() {
        for value in T::all() {
            assert_eq!(T::by_name(value.name()), Some(value));
            assert_eq!(T::by_name(&value.name().to_uppercase()), Some(value));
        }
        assert_eq!(T::by_name("nobody"), None);
    }

    #[test]
    fn values_have_names() {
        every_value_is_found_by_its_name::<Stagger>();
        every_value_is_found_by_its_name::<Sharing>();
        every_value_is_found_by_its_name::<NumaPolicy>();
        every_value_is_found_by_its_name::<LimitType>();
    }
}
