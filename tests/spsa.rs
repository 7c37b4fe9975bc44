//! A build with tunable margins: each margin is an option, and setting one has an effect.

#![cfg(any(feature = "spsa", debug_assertions))]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::io::Write;
use std::process::{Command, Stdio};

/// The engine's output for `script`, followed by the end of input.
fn answers(script: &str) -> String {
    let mut process = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    process.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    String::from_utf8(process.wait_with_output().unwrap().stdout).unwrap()
}

/// Nodes of a fixed-depth search after `script`.
fn nodes(script: &str) -> u64 {
    let text = answers(&format!("{script}go depth 7\n"));
    let info = text.lines().rfind(|line| line.starts_with("info depth 7 ")).unwrap();
    let mut words = info.split(' ').skip_while(|&word| word != "nodes");
    words.nth(1).unwrap().parse().unwrap()
}

#[test]
fn every_margin_is_an_option_with_its_bounds() {
    let output = Command::new(env!("CARGO_BIN_EXE_heddle")).arg("spsa").output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let options = answers("uci\n");
    assert!(lines.lines().count() > 50, "{lines}");
    for line in lines.lines() {
        let fields: Vec<&str> = line.split(", ").collect();
        let [name, "int", default, least, greatest, ..] = fields[..] else { panic!("{line}") };
        let option =
            format!("option name {name} type spin default {default} min {least} max {greatest}\n");
        assert!(options.contains(&option), "{option}");
    }
}

#[test]
fn setting_a_margin_changes_the_search_and_setting_it_back_restores_it() {
    let default = nodes("");
    let set = |value: i32| format!("setoption name reverse_futility_margin value {value}\n");
    assert_ne!(nodes(&set(150)), default);
    assert_eq!(nodes(&(set(150) + &set(75))), default);
    // The table of reductions is recomputed.
    assert_ne!(nodes("setoption name reduction_quiet_base value 1600\n"), default);
}

#[test]
fn a_value_out_of_bounds_is_refused() {
    let text = answers("setoption name history_pruning_margin value -1\n");
    let complaint = "option history_pruning_margin takes -8000 to -1000, not -1";
    assert_eq!(text.trim_end(), format!("info string {complaint}"));
}
