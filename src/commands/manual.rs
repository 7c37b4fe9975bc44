//! Manual pages and shell completions, made of the command line's own description.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Arg, Command, ValueEnum};
use clap_complete::Shell;

/// Writes to `folder`, which is made if need be, a manual page for `command` and each of its
/// subcommands, and completions for every shell that is known.
///
/// # Errors
/// When a file cannot be written.
pub fn write(command: Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let name = command.get_name().to_owned();
    for &shell in Shell::value_variants() {
        clap_complete::generate_to(shell, &mut command.clone(), &name, folder)?;
    }
    // The page of `help` would repeat the others; the number of threads is this machine's.
    let is_local = |arg: &Arg| arg.get_id() == "threads";
    let command = command.disable_help_subcommand(true).mut_subcommands(|sub| {
        sub.mut_args(|arg| if is_local(&arg) { arg.hide_default_value(true) } else { arg })
    });
    clap_mangen::generate_to(command, folder)
}
