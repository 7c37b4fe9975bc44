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

/// The folder to write to, if that is what the program is to do.
pub fn folder() -> Option<OsString> {
    env::var_os(FOLDER)
}

/// Writes to `folder`, which is made if need be, a manual page for `command` and each of its
/// subcommands, and completions for every shell that is known. The `tools` are commands that
/// another program runs.
pub fn write(
    command: Command,
    tools: &[(&'static str, &'static str)],
    folder: &Path,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let name = command.get_name().to_owned();
    let others = tools.iter().map(|(tool, _)| format!("{name}-{tool}")).collect();
    let external =
        tools.iter().map(|&(name, about)| Command::new(name).about(about).disable_help_flag(true));
    let completed = command.clone().subcommands(external);
    for &shell in Shell::value_variants() {
        clap_complete::generate_to(shell, &mut completed.clone(), &name, folder)?;
    }
    let mut command = portable(command);
    command.build();
    let Some(main) = command.get_display_name() else {
        return pages(&command, others, folder);
    };
    // They are commands of that program, whose page names them.
    command.get_subcommands().try_for_each(|sub| pages(sub, vec![main.to_owned()], folder))
}

/// Writes the pages of a command and of all below it. Its own ends with the names of `others` and
/// of its subcommands.
fn pages(command: &Command, mut others: Vec<String>, folder: &Path) -> io::Result<()> {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        others.push(page_of(sub));
        pages(sub, vec![page_of(command)], folder)?;
    }
    page(command, &others, folder)
}

/// The name of a command's page.
fn page_of(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
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

/// The command without the defaults that depend on this machine, and without `help`, whose page
/// would repeat the others.
fn portable(command: Command) -> Command {
    let is_local = |arg: &Arg| ["threads", "concurrency"].contains(&arg.get_id().as_str());
    command
        .disable_help_subcommand(true)
        .mut_args(|arg| if is_local(&arg) { arg.hide_default_value(true) } else { arg })
        .mut_subcommands(portable)
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
        assert!(pages[0].contains(".SH SEE ALSO\n\\fBheddle\\-test\\-knit"), "{}", pages[0]);
        assert!(pages[1].contains(".SH SEE ALSO\n\\fBheddle\\-test\\fR(1)"), "{}", pages[1]);
        assert!(!pages.concat().contains("EXTRA"), "{pages:?}");
    }

    #[test]
    fn the_commands_of_another_program_have_pages_and_no_page_in_common() {
        let knit = Command::new("knit").about("Knit").subcommand(Command::new("socks"));
        let command = Command::new("heddle-more").display_name("heddle-test").subcommand(knit);
        let folder = std::env::temp_dir().join(format!("heddle-tools-{}", std::process::id()));
        write(command, &[], &folder).unwrap();
        let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name());
        let mut files: Vec<_> = files.filter_map(|name| name.into_string().ok()).collect();
        files.retain(|name| name.ends_with(".1") || name.starts_with('_'));
        files.sort();
        let page = fs::read_to_string(folder.join("heddle-test-knit.1")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let completions = ["_heddle-more", "_heddle-more.ps1"];
        let pages = ["heddle-test-knit-socks.1", "heddle-test-knit.1"];
        assert_eq!(files, [completions, pages].concat());
        assert!(page.contains(".SH SEE ALSO\n\\fBheddle\\-test\\fR(1), "), "{page}");
        assert!(!page.contains("knit\\-help"), "{page}");
    }
}
