//! What the program says of itself.

use super::{command, options};
use crate::text::build::NAME;

/// The lines that begin the answer to `uci`.
pub fn identity() -> [String; 2] {
    [format!("id name {NAME}"), "id author the Heddle authors".into()]
}

/// The commands and the options, for people.
pub fn help() -> Vec<String> {
    [format!("{NAME} speaks UCI. Commands:")]
        .into_iter()
        .chain(command::help())
        .chain(["Options:".to_owned()])
        .chain(options::help(false))
        .collect()
}
