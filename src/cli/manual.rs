//! Manual pages and shell completions, made of a command line's own description.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Arg, Command, ValueEnum};
use clap_complete::Shell;

/// The variable that names the folder for the pages and completions of a program; it then does nothing else.
pub const FOLDER: &str = "HEDDLE_MANUAL";

/// Writes to `folder`, which is made if need be, a manual page for `command` and each of its
/// subcommands, and completions for every shell that is known.
pub fn write(command: Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let name = command.get_name().to_owned();
    for &shell in Shell::value_variants() {
        clap_complete::generate_to(shell, &mut command.clone(), &name, folder)?;
    }
    // The page of `help` would repeat the others.
    let command = portable(command.disable_help_subcommand(true)).mut_subcommands(portable);
    clap_mangen::generate_to(command, folder)
}

/// The command without the defaults that depend on this machine.
fn portable(command: Command) -> Command {
    let is_local = |arg: &Arg| ["threads", "concurrency"].contains(&arg.get_id().as_str());
    command.mut_args(|arg| if is_local(&arg) { arg.hide_default_value(true) } else { arg })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_nothing_of_this_machine() {
        let threads = || Arg::new("threads").long("threads").default_value("47");
        let hash = Arg::new("hash").long("hash").default_value("16");
        let sub = Command::new("play").arg(threads());
        let command = Command::new("heddle-test").arg(threads()).arg(hash).subcommand(sub);
        let folder = std::env::temp_dir().join(format!("heddle-manual-{}", std::process::id()));
        write(command, &folder).unwrap();
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let pages = [read("heddle-test.1"), read("heddle-test-play.1")];
        let completions = read("heddle-test.bash");
        fs::remove_dir_all(&folder).unwrap();
        assert!(
            pages.iter().all(|page| page.contains("threads") && !page.contains("47")),
            "{pages:?}"
        );
        assert!(pages[0].contains("16") && completions.contains("--hash"));
    }
}
