//! Manual pages and shell completions, made of a command line's own description.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use clap::{Arg, Command, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

/// The variable that names the folder for the pages and completions of a program, which then does
/// nothing else.
const FOLDER: &str = "HEDDLE_MANUAL";
/// The program whose page all others name.
const MAIN: &str = "heddle";

/// The folder to write to, if that is what the program is to do.
pub fn folder() -> Option<OsString> {
    env::var_os(FOLDER)
}

/// Writes to `folder`, which is made if need be, a manual page for `command` and each of its
/// subcommands, and completions for every shell that is known. `programs` are run as commands, too.
pub fn write(
    command: Command,
    programs: &[(&'static str, &'static str)],
    folder: &Path,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let name = command.get_name().to_owned();
    let external = programs
        .iter()
        .map(|&(name, about)| Command::new(name).about(about).disable_help_flag(true));
    let completed = command.clone().subcommands(external);
    for &shell in Shell::value_variants() {
        clap_complete::generate_to(shell, &mut completed.clone(), &name, folder)?;
    }
    // The page of `help` would repeat the others.
    let mut command = portable(command.disable_help_subcommand(true)).mut_subcommands(portable);
    command.build();
    let mut names: Vec<_> = programs.iter().map(|(name, _)| format!("{MAIN}-{name}")).collect();
    names.extend([MAIN.to_owned()].into_iter().filter(|_| programs.is_empty()));
    names.extend(command.get_subcommands().filter_map(page_of));
    names.retain(|page| *page != name);
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        page(sub, std::slice::from_ref(&name), folder)?;
    }
    page(&command, &names, folder)
}

/// The name of a subcommand's page, if it has one.
fn page_of(sub: &Command) -> Option<String> {
    Some(sub.get_display_name()?.to_owned()).filter(|_| !sub.is_hide_set())
}

/// Writes the page of one command, which ends with the names of others.
fn page(command: &Command, others: &[String], folder: &Path) -> io::Result<()> {
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    let after = after.map(ToString::to_string).unwrap_or_default();
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.get_subcommands().any(|sub| !sub.is_hide_set()) {
        writeln!(text, ".SH COMMANDS")?;
        man.render_subcommands_section(&mut text)?;
    }
    if !after.is_empty() {
        // Its lines are set already: examples and lists.
        writeln!(text, ".SH NOTES\n.nf\n{}\n.fi", escaped(&after))?;
    }
    if !others.is_empty() {
        let others: Vec<_> =
            others.iter().map(|name| format!("\\fB{}\\fR(1)", escaped(name))).collect();
        writeln!(text, ".SH SEE ALSO\n{}", others.join(", "))?;
    }
    fs::write(folder.join(man.get_filename()), text)
}

/// Text that the formatter of manual pages takes for text.
fn escaped(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
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
    fn a_page_has_nothing_of_this_machine_and_completions_know_the_programs() {
        let threads = || Arg::new("threads").long("threads").default_value("47");
        let hash = Arg::new("hash").long("hash").default_value("16");
        let sub = Command::new("play").arg(threads()).about("Play");
        let command = Command::new("heddle-test").arg(threads()).arg(hash).subcommand(sub);
        let command = command.after_help("Example: a\n.b - c");
        let folder = std::env::temp_dir().join(format!("heddle-manual-{}", std::process::id()));
        write(command, &[("knit", "Knit")], &folder).unwrap();
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let pages = [read("heddle-test.1"), read("heddle-test-play.1")];
        let completions =
            [read("heddle-test.bash"), read("_heddle-test"), read("heddle-test.fish")];
        fs::remove_dir_all(&folder).unwrap();
        assert!(
            pages.iter().all(|page| page.contains("threads") && !page.contains("47")),
            "{pages:?}"
        );
        assert!(pages[0].contains("16") && completions[0].contains("--hash"));
        assert!(completions.iter().all(|shell| shell.contains("knit")), "{completions:?}");
        assert!(pages[0].contains(".nf\nExample: a\n\\&.b \\- c\n.fi\n"), "{}", pages[0]);
        assert!(pages[0].contains(".SH SEE ALSO\n\\fBheddle\\-knit"), "{}", pages[0]);
        assert!(pages[1].contains(".SH SEE ALSO\n\\fBheddle\\-test\\fR(1)"), "{}", pages[1]);
        assert!(!pages.concat().contains("EXTRA"), "{pages:?}");
    }
}
