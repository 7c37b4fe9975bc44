//! Manual pages and shell completions, made of the command line's own description.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, ValueEnum};
use clap_complete::Shell;

/// Writes to `folder`, which is made if need be, a manual page for `command` and each of its
/// subcommands, and completions for every shell that is known.
///
/// # Errors
/// When a file cannot be written.
pub fn write(mut command: Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let name = command.get_name().to_owned();
    for &shell in Shell::value_variants() {
        clap_complete::generate_to(shell, &mut command, &name, folder)?;
    }
    clap_mangen::generate_to(command, folder)
}
