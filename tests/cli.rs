//! The commands for people, run as users run them.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::process::{Command, Output};

use heddle::eval::nnue::network::Network;
use heddle::eval::nnue::simd::Simd;

/// Runs the program to its end.
pub fn heddle(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heddle")).args(args).output().unwrap()
}

/// What the program, which succeeds, prints.
pub fn stdout(args: &[&str]) -> String {
    let output = heddle(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_command_explains_itself() {
    for (args, word) in [
        (&["--help"][..], "analyse"),
        (&["--help"], "Move Overhead     milliseconds"),
        (&["--help"], "[default: 10]"),
        (&["analyse", "--help"], "Limits:"),
        (&["bench", "--help"], "nodes per second"),
        (&["analyse", "--help"], "--multipv"),
        (&["uci", "--help"], "heddle uci"),
        (&["perft", "--help"], "--divide"),
        (&["--help"], "heddle-tools:\n  annotate "),
    ] {
        assert!(stdout(args).contains(word), "{args:?}");
    }
    assert!(stdout(&["--version"]).starts_with("heddle "));
}

#[test]
fn a_misspelt_command_is_answered_with_the_right_one() {
    for (word, hint) in [
        ("analyze", "did you mean analyse?"),
        ("scalling", "did you mean scaling?"),
        ("castle", "see heddle --help"),
    ] {
        let output = heddle(&[word]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said, format!("heddle: no such command: {word}; {hint}\n"));
    }
}

#[test]
fn a_pipe_gets_no_greeting() {
    assert_eq!(stdout(&["uci", "isready"]), "readyok\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_a_greeting_that_says_how_to_go_on() {
    use std::io::{Read, Write};

    let (mut terminal, program_end) = crate::common::terminal(80, 24);
    let mut program = Command::new(env!("CARGO_BIN_EXE_heddle"));
    program.stdin(program_end.try_clone().unwrap()).stdout(program_end);
    let mut running = program.spawn().unwrap();
    drop(program); // and with it the terminal's side that belongs to this process
    let mut shown = Vec::new();
    terminal.write_all(b"quit\n").unwrap();
    // It ends with an error when the program has closed its side.
    let _ = terminal.read_to_end(&mut shown);
    let shown = String::from_utf8(shown).unwrap();
    let greeting = shown.lines().find(|line| line.starts_with("Heddle "));
    assert!(greeting.is_some_and(|line| line.contains("help")), "{shown}");
    assert!(running.wait().unwrap().success());
}

#[test]
fn bench_closes_with_its_signature() {
    let signature = || {
        let text = stdout(&["bench", "1", "1", "2"]);
        let last = text.lines().last().unwrap().to_owned();
        let words: Vec<&str> = last.split_whitespace().collect();
        assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{last}");
        words[0].parse::<u64>().unwrap()
    };
    let nodes = signature();
    assert!(nodes > 0);
    assert_eq!(signature(), nodes);
}

#[test]
fn bench_counts_the_same_nodes_with_all_vector_instructions() {
    let nodes = |simd: &str| {
        let text = stdout(&["bench", "1", "1", "4", "--simd", simd]);
        text.lines().last().unwrap().split(' ').next().unwrap().to_owned()
    };
    let expected = nodes("scalar");
    for simd in Simd::available() {
        assert_eq!(nodes(simd.name()), expected, "{}", simd.name());
    }
    let refused = heddle(&["bench", "--simd", "mmx"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("scalar"), "{refused:?}");
}

#[test]
fn the_build_and_the_chosen_instructions_are_told() {
    let text = stdout(&["compiler"]);
    assert!(text.starts_with("Heddle "), "{text}");
    assert!(text.trim_end().ends_with(&format!("network: {}", Simd::best().name())), "{text}");
}

#[test]
fn bench_in_lockstep_has_a_signature_on_several_threads() {
    let nodes = |threads| {
        let text = stdout(&["bench", "1", threads, "2", "--lockstep"]);
        text.lines().last().unwrap().split(' ').next().unwrap().to_owned()
    };
    assert_eq!(nodes("3"), nodes("3"));
    assert_ne!(nodes("3"), nodes("1"));
}

#[test]
fn bench_with_a_network_counts_the_same_nodes_each_time() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench network.nnue");
    std::fs::write(&file, Network::random(1).to_bytes()).unwrap();
    let nodes = |eval: &str| {
        let text = stdout(&["bench", "1", "1", "3", "--eval", eval]);
        text.lines().last().unwrap().split(' ').next().unwrap().to_owned()
    };
    let file = file.to_str().unwrap();
    assert_eq!(nodes(file), nodes(file));
    assert_ne!(nodes(file), nodes("classical"));
}

#[test]
fn bench_takes_its_arguments_in_the_order_of_stockfish() {
    let text = stdout(&["bench", "1", "2", "3", "current", "perft"]);
    assert!(text.lines().last().unwrap().starts_with("8902 nodes "), "{text}");
    let text = stdout(&["speedtest", "2", "1", "1"]);
    assert!(text.starts_with("threads 2 hash 1 MiB time 1 s\n"), "{text}");
    assert!(text.trim_end().ends_with(" nps"), "{text}");
}

#[test]
fn analyse_shows_the_board_and_the_best_move() {
    let text = stdout(&["analyse", "--depth", "3", "--threads", "1", "--hash", "1"]);
    assert!(text.contains("FEN: rnbqkbnr/pppppppp/"), "{text}");
    assert!(text.contains("\nBest move: "), "{text}");
}

#[test]
fn a_fen_needs_no_quotes() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let quoted = ["perft", fen, "--depth", "2"];
    let mut unquoted = vec!["perft", "--depth", "2"];
    unquoted.extend(fen.split(' '));
    for args in [&quoted[..], &unquoted[..]] {
        assert!(stdout(args).starts_with("depth 2 nodes 30 "), "{args:?}");
    }
}

#[test]
fn perft_counts_and_divides() {
    assert!(stdout(&["perft", "--depth", "0"]).starts_with("depth 0 nodes 1 "));
    let text = stdout(&["perft", "--depth", "3", "--divide", "--threads", "2"]);
    assert_eq!(text.lines().count(), 21);
    assert!(text.contains("e2e4: 600\n") && text.contains("depth 3 nodes 8902 "), "{text}");
}

#[test]
fn bad_arguments_are_one_complaint_and_exit_code_2() {
    for args in [
        &["analyse", "nonsense"][..],
        &["analyse", "--depth", "0"],
        &["analyse", "--threads", "0"],
        &["perft", "8/8/8/8/8/8/8/8 w - - 0 1", "--depth", "1"],
        &["perft", "--depth", "99"],
        &["bench", "x"],
        &["bench", "0"],
        &["bench", "1", "1", "1", "default", "plies"],
        &["bench", "1", "1", "1", "no such file"],
        &["bench", "2", "--eval", "no such file"],
        &["speedtest", "0"],
        &["analyse", "--depth", "1", "--eval", "Cargo.toml"],
        &["dance"],
    ] {
        let output = heddle(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{args:?}: {output:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    for command in ["perft --depth 1", "bench 1 1 1", "analyse --depth 2", "--help"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_heddle"))
            .args(command.split(' '))
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{command}: {output:?}");
    }
}

#[test]
fn analyse_takes_moves_after_a_position_and_games() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("analysed game.pgn");
    std::fs::write(&file, "[White \"A\"]\n\n1. f3 e5 {good} 2. g4 Qh4# 0-1\n\n1. e4 *\n").unwrap();
    let file = file.to_str().unwrap();
    let analyse = |words: &[&str]| {
        let limits = ["analyse", "--depth", "2", "--threads", "1", "--hash", "1"];
        stdout(&[&limits, words].concat())
    };
    let best = "Best move: Qh4#";
    assert!(analyse(&["f3", "e5", "g4"]).contains(best));
    assert!(analyse(&["startpos", "moves", "f2f3", "e7e5", "g2g4"]).contains(best));
    assert!(analyse(&[file, "--ply", "3"]).contains(best));
    assert!(analyse(&[file]).contains("Checkmate: there is no legal move."));
    assert!(analyse(&[file, "--game", "2"]).contains("Black to move"));
    for (words, message) in [
        (&["analyse", file, "--game", "3"][..], "analysed game.pgn: no game 3\n"),
        (&["analyse", file, "--ply", "5"], "heddle: the game has only 4 plies\n"),
        (&["analyse", "e4", "Ke4"], "heddle: illegal move: Ke4, before 1...\n"),
        (&["analyse", "missing.pgn"], "heddle: missing.pgn: "),
    ] {
        let output = heddle(words);
        let found = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), found.lines().count()), (Some(2), 1), "{found}");
        assert!(found.contains(message), "{found}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_analysis_ends_with_the_best_line_so_far() {
    use std::io::{BufRead, BufReader, Read};

    use rustix::process::{Pid, Signal, kill_process};

    let mut child = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["analyse", "--infinite", "--threads", "2", "--hash", "1"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("    3 ") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "it ended too early");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("\nBest move: ") && rest.contains("\nLine:   "), "{rest}");
    assert!(!rest.contains('\x1b'), "no terminal, no escapes: {rest}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn uci_may_be_named_and_may_stand_on_the_command_line() {
    let words = ["uci", "position startpos moves f2f3 e7e5 g2g4", "go depth 2"];
    assert!(stdout(&words).contains("\nbestmove d8h4\n"), "{}", stdout(&words));
    let mut named = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let output = named.arg("uci").stdin(std::process::Stdio::null()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn openings_are_generated_as_openbench_asks_for_them() {
    let fens = |words: &str| {
        let text = stdout(&[words, "quit"]);
        let fens = text.lines().filter_map(|line| line.strip_prefix("info string genfens "));
        fens.map(str::to_owned).collect::<Vec<_>>()
    };
    let found = fens("genfens 4 seed 42 book None");
    assert_eq!(found.len(), 4, "{found:?}");
    for fen in &found {
        assert!(heddle::position::Position::from_fen(fen).is_ok(), "{fen}");
    }
    assert_eq!(found, fens("genfens 4 seed 42 book None extra"));
    assert_ne!(found, fens("genfens 4 seed 43 book None"));
}

/// An empty folder for one test.
#[cfg(unix)]
fn folder(test: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Copies a program in a process of its own. One that this process writes is "busy" for as long as
/// a child that another test has just started holds the descriptor.
#[cfg(unix)]
fn install(from: &std::path::Path, to: &std::path::Path) {
    assert!(
        Command::new("install").args(["-m", "755"]).args([from, to]).status().unwrap().success()
    );
}

#[cfg(unix)]
#[test]
fn a_tool_is_run_by_the_program_beside_or_on_the_path() {
    let [beside, path] = ["beside", "path"].map(folder);
    for (folder, status) in [(&beside, 7), (&path, 8)] {
        let script = folder.join("script");
        std::fs::write(&script, format!("#!/bin/sh\necho \"$@\"\nexit {status}\n")).unwrap();
        install(&script, &folder.join("heddle-tools"));
    }
    let alone = beside.join("heddle");
    install(env!("CARGO_BIN_EXE_heddle").as_ref(), &alone);
    let run = |words: [&str; 2]| {
        let output = Command::new(&alone).args(words).env("PATH", &path).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(run(["match", "--flag"]), (Some(7), "match --flag\n".into()));
    assert_eq!(run(["help", "lab"]), (Some(7), "help lab\n".into()));
    std::fs::remove_file(beside.join("heddle-tools")).unwrap();
    assert_eq!(run(["data", "stats"]), (Some(8), "data stats\n".into()));
}

#[cfg(unix)]
#[test]
fn tools_that_are_not_built_are_one_line_that_says_how() {
    let alone = folder("alone").join("heddle");
    install(env!("CARGO_BIN_EXE_heddle").as_ref(), &alone);
    for (tool, _) in heddle::commands::tools::TOOLS {
        let mut run = Command::new(&alone);
        // An empty PATH would mean the current folder, where `make tools` puts them.
        run.args([tool, "--help"]).env("PATH", alone.parent().unwrap());
        let output = run.output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("heddle: cannot run heddle-tools"), "{message}");
        assert!(message.contains("make tools") && message.lines().count() == 1, "{message}");
    }
}

/// Room for the program and for some threads' stacks, but not for all of them.
#[cfg(target_os = "linux")]
#[test]
fn perft_without_the_threads_says_what_it_lacks() {
    let command = format!(
        "ulimit -v 200000; exec '{}' perft --depth 2 --threads 20",
        env!("CARGO_BIN_EXE_heddle")
    );
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("heddle: perft: cannot start 20 threads: "), "{message}");
    assert_eq!(output.status.code(), Some(2), "{message}");
}

#[test]
fn the_errors_of_a_bench_name_their_command() {
    for (args, message) in [
        (&["bench", "0"][..], "heddle: bench: hash must be a number from 1 to "),
        (&["speedtest", "0"], "heddle: speedtest: threads must be a number from 1 to "),
    ] {
        let output = heddle(args);
        let found = String::from_utf8(output.stderr).unwrap();
        assert!(found.starts_with(message), "{found}");
    }
}

/// Whatever happens to its outputs, a command terminates by itself: successfully, or with status 2
/// if it could not write its results.
#[cfg(unix)]
#[test]
fn lost_outputs_end_no_command_in_a_crash() {
    const OUTPUTS: [&str; 8] = [
        ">&-",
        "2>&-",
        ">&- 2>&-",
        ">/dev/full",
        "2>/dev/full",
        ">/dev/full 2>&1",
        "| true",
        "2>&1 | true",
    ];
    const COMMANDS: [&str; 8] = [
        "bench 1 1 1",
        "bench 1 1 no-number",
        "speedtest 1 1 1",
        "perft --depth 2 --divide",
        "analyse --depth 3 --threads 2 --hash 1",
        "--help",
        "no-such-command",
        "</dev/null",
    ];
    let program = env!("CARGO_BIN_EXE_heddle");
    for command in COMMANDS {
        for output in OUTPUTS {
            // The exit status of the program itself, not of the last command in the pipe.
            let line = match output.split_once('|') {
                None => format!("\"{program}\" {command} {output}; exit $?"),
                Some((redirect, reader)) => format!(
                    "status=$( {{ {{ \"{program}\" {command} {redirect}; echo $? >&3; }} | {reader} >/dev/null; }} 3>&1 ); exit $status"
                ),
            };
            let status = Command::new("sh").args(["-c", &line]).output().unwrap().status;
            assert!(matches!(status.code(), Some(0 | 2)), "heddle {command} {output}: {status}");
        }
    }
}

#[test]
fn a_file_may_come_from_the_standard_input() {
    use std::io::Write;
    use std::process::Stdio;
    for (args, text, wanted) in [
        (&["analyse", "-", "--depth", "1", "--hash", "1"][..], "1. e4 e5 *\n", "White to move"),
        (&["analyse", "-", "--depth", "1"], "4k3/8/8/8/8/8/4P3/4K3 w - - 3 9;\n", " w - - 3 9"),
        (&["bench", "1", "1", "1", "-"], "4k3/8/8/8/8/8/4P3/4K3 w - -\n", " nodes "),
        (
            &["suite", "-", "--depth", "1"],
            "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8;\n",
            "solved 1 of 1",
        ),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let found = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && found.contains(wanted), "{args:?}: {found}");
    }
}
