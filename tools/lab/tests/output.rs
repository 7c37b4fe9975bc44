//! What happens to results that cannot be written, through the built program.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lab").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A short comparison with a chart, its output redirected by a shell.
fn redirected(folder: &Path, arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_heddle-lab");
    let command = format!("'{program}' --depth 2 --algorithms pvs {arguments}");
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", &command]).output().expect("a shell")
}

fn chart(folder: &Path) -> String {
    fs::read_to_string(folder.join("out.svg")).expect("a chart")
}

#[test]
fn the_chart_is_written_when_the_rows_cannot_be_printed() {
    let folder = folder("unprintable");
    for json in ["", "--json"] {
        for (redirections, code) in [
            (">/dev/full", 2),
            (">/dev/full 2>/dev/full", 2),
            (">/dev/full 2>&-", 2),
            ("2>/dev/full", 0),
            (">&- 2>&-", 0), // the standard library opens /dev/null in their place
        ] {
            let _ = fs::remove_file(folder.join("out.svg"));
            let output = redirected(&folder, &format!("{json} --plot out.svg {redirections}"));
            assert_eq!(output.status.code(), Some(code), "{redirections}: {output:?}");
            assert!(chart(&folder).trim_end().ends_with("</svg>"), "{redirections}");
        }
    }
}

#[test]
fn the_page_can_be_read_in_a_browser() {
    let folder = folder("page");
    let output = redirected(&folder, "--html out.html");
    assert!(output.status.success(), "{output:?}");
    let page = fs::read_to_string(folder.join("out.html")).expect("a page");
    heddle_browser::assert_readable(&page, 3);
}

#[test]
fn a_reader_that_goes_away_is_no_error_and_costs_no_chart() {
    let folder = folder("unread");
    let mut child = Command::new(env!("CARGO_BIN_EXE_heddle-lab"))
        .current_dir(&folder)
        .args(["--depth", "2", "--algorithms", "pvs", "--json", "--plot", "out.svg"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), error.lines().count()), (Some(0), 0), "{error}");
    assert!(chart(&folder).contains("pvs"));
}

#[test]
fn the_rows_are_printed_when_the_chart_cannot_be_written() {
    let output = redirected(&folder("full"), "--plot /dev/full");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("alpha-beta"), "{output:?}");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("cannot write /dev/full: ") && error.lines().count() == 1, "{error}");
}

#[test]
fn a_chart_that_cannot_be_written_is_reported_before_the_first_search() {
    let output = redirected(&folder("missing"), "--plot no/such/folder.svg");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write no/such/folder.svg: "));
}
