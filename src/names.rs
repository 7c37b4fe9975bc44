//! Settings that are chosen by name.

use clap::ValueEnum;

/// The name of a value, as options and command lines have it.
pub fn name(value: &impl ValueEnum) -> String {
    let named = value.to_possible_value().expect("no value is skipped");
    named.get_name().to_owned()
}
