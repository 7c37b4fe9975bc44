//! The program of all tools, as `heddle` runs it.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::process::{Command, Output, Stdio};

use heddle::commands::tools::TOOLS;

fn tools(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heddle-tools")).args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_owned()).unwrap()
}

#[test]
fn it_has_the_tools_that_heddle_lists() {
    let help = text(&tools(&["--help"]).stdout);
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    // Long summaries go on in further lines.
    let lines = commands.lines().filter(|line| !line.starts_with("   "));
    let names: Vec<_> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    let listed = TOOLS.iter().map(|(name, _)| *name).chain(["help"]);
    assert_eq!(names, listed.collect::<Vec<_>>(), "{help}");
}

#[test]
fn every_tool_explains_itself_as_a_command_of_heddle() {
    for (tool, _) in TOOLS {
        for words in [[tool, "--help"], ["help", tool]] {
            let help = text(&tools(&words).stdout);
            assert!(help.contains(&format!("Usage: heddle {tool} ")), "{help}");
        }
    }
}

#[test]
fn all_errors_begin_alike() {
    for words in [&["annotate", "none.pgn"][..], &["datagen", "--games"], &["board", "--port", "x"]]
    {
        let output = tools(words);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.starts_with("heddle: "), "{said}");
    }
}

#[test]
fn every_tool_has_a_page_and_they_share_the_completions() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-tools"));
    assert!(command.env("HEDDLE_MANUAL", folder.path()).status().unwrap().success());
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    for (tool, _) in TOOLS {
        let page = read(&format!("heddle-{tool}.1"));
        assert!(page.contains(&format!(".SH SYNOPSIS\n\\fBheddle {tool}\\fR")), "{page}");
        assert!(read("heddle-tools.bash").contains(tool), "{tool}");
    }
    assert!(read("heddle-data-stats.1").contains("\\fBheddle\\-data\\fR(1)"));
}

#[test]
fn a_side_without_a_command_is_this_program() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("match.json");
    let words = ["match", "--engine", "option.Hash=1", "--nodes", "10", "--games", "2", "--json"];
    let output = tools(&[&words[..], &[json.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{output:?}");
    let report = fs::read_to_string(json).unwrap();
    for words in ["\"this version of heddle\"", "\"heddle match --engine "] {
        assert!(report.contains(words), "{report}");
    }
    let mut engine = Command::new(env!("CARGO_BIN_EXE_heddle-tools"));
    let output = engine.arg("--uci").stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
