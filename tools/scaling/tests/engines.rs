//! Measurements of UCI engines through the built program: of scripted ones with every fault, and of
//! a real one if it is installed.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::{folder, read};
use serde_json::Value;

/// Where Debian puts Stockfish.
const STOCKFISH: &str = "/usr/games/stockfish";

/// Measures `engines` in `folder`, as JSON, CSV and a page.
fn measured(folder: &Path, engines: &[String], args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-scaling"));
    for engine in engines {
        command.args(["--engine", engine]);
    }
    command.args("--epd two.epd --json out.json --csv out.csv --html out.html".split(' '));
    command.current_dir(folder).args(args.split_whitespace()).output().unwrap()
}

/// The scripted engine with a fault, or without one.
fn fake(name: &str, fault: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_engine.sh");
    format!("name={name},cmd=sh,args='{script}' {name} {fault} log.txt")
}

fn json(folder: &Path) -> Value {
    serde_json::from_str(&read(folder, "out.json")).unwrap()
}

/// Threads and number of searches in each row of an engine.
fn rows(engine: &Value) -> Vec<(u64, u64)> {
    let number = |row: &Value, field: &str| row[field].as_u64().unwrap();
    let rows = engine["rows"].as_array().unwrap().iter();
    rows.map(|row| (number(row, "threads"), number(row, "runs"))).collect()
}

fn error(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn engines_are_measured_in_turn_and_shown_together() {
    let folder = folder("engines", "together");
    let engines = [fake("A", "none"), fake("B", "noisy") + ",option.Hash=32,option.skill level=3"];
    let output = measured(&folder, &engines, "--threads 1,2 --depth 3 --repeats 2 --hash 8");
    assert!(output.status.success(), "{output:?}");
    let json = json(&folder);
    assert_eq!((&json["partial"], &json["runs"]), (&false.into(), &16.into()));
    for engine in json["engines"].as_array().unwrap() {
        assert_eq!(rows(engine), [(1, 4), (2, 4)]);
        assert_eq!(engine["rows"][1]["node_overhead"]["value"], 2.0);
        assert_eq!(engine["rows"][1]["agreement"], 1.0);
        assert_eq!(engine["rows"][1].get("stagger"), None);
    }
    let sample = &json["samples"][0];
    assert_eq!((&sample["nodes"], &sample["depth"]), (&3000.into(), &3.into()));
    assert_eq!(sample["best_move"], "Qd1+");
    assert_eq!(read(&folder, "out.csv").lines().count(), 1 + 16);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["Engines (measured)", "Engine: B: sh ", ", Hash 32, skill level 3", "16 of 16"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let html = read(&folder, "out.html");
    assert_eq!((html.matches("<svg").count(), html.matches("<table").count()), (2, 1));
    assert!(html.contains("Scaling of A, B over two.epd"));
    heddle_browser::assert_readable(&html, 2);

    let log = read(&folder, "log.txt");
    let run = |name, threads, hash, fen| {
        [
            "setoption name Threads value ",
            "setoption name Hash value ",
            "ucinewgame",
            "position fen ",
            "isready",
            "go depth 3",
        ]
        .map(|line| match line {
            "setoption name Threads value " => format!("{name}: {line}{threads}\n"),
            "setoption name Hash value " => format!("{name}: {line}{hash}\n"),
            "position fen " => format!("{name}: {line}{fen}\n"),
            _ => format!("{name}: {line}\n"),
        })
        .concat()
    };
    let black = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1";
    let expected = [("A", 1, 8), ("B", 1, 32), ("A", 2, 8), ("B", 2, 32)];
    let expected = expected.map(|(name, threads, hash)| run(name, threads, hash, black)).concat();
    let start = log.find("A: setoption name Threads").unwrap();
    assert!(log[start..].starts_with(&expected), "{log}");
    assert!(log.contains("B: setoption name Skill Level value 3\n"), "{log}");
    let backwards = [("B", 2, 32), ("A", 2, 8), ("B", 1, 32), ("A", 1, 8)];
    let backwards = backwards.map(|(name, threads, hash)| run(name, threads, hash, black)).concat();
    assert!(log.contains(&backwards), "{log}");
}

#[test]
fn depths_follow_a_time_for_each_engine() {
    let folder = folder("engines", "times");
    let output = measured(&folder, &[fake("A", "none")], "--threads 1 --movetime 7 --repeats 1");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(json(&folder)["depths"], serde_json::json!([4, 4]));
    let log = read(&folder, "log.txt");
    assert_eq!(
        (log.matches("go movetime 7\n").count(), log.matches("go depth 4\n").count()),
        (2, 2)
    );
}

/// With a fault on two threads, an engine is left out from then on, and the other goes on.
#[test]
fn a_fault_is_one_line_and_costs_no_other_engine() {
    for (fault, said) in [
        ("crash", "the engine ended (exit status: 3), last said: assertion failed: thread 2"),
        ("hang", "no answer to `go depth 3` within 1 s"),
        ("rubbish", "no answer to `go depth 3` within 1 s"),
        ("endless", "no answer to `go depth 3` within 1 s"),
        ("mute", "the engine ended (it closed its input or output)"),
        ("illegal", "its move in 1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1 is `e2e5`"),
    ] {
        let folder = folder("engines", fault);
        let engines = [fake("Bad", fault), fake("Good", "none")];
        let args = "--threads 1,2 --depth 3 --repeats 1 --timeout 1";
        let output = measured(&folder, &engines, args);
        assert_eq!(output.status.code(), Some(2), "{fault}: {output:?}");
        let error = error(&output);
        let lines: Vec<&str> = error.lines().collect();
        let [remark, _, last] = lines[..] else { panic!("{fault}: {error}") };
        assert!(remark.starts_with("Bad: left out from BK.01 on: "), "{fault}: {remark}");
        assert!(remark.contains(said), "{fault}: {remark}");
        assert_eq!(last, "heddle: left out: Bad, of 2 engines", "{fault}");
        let json = json(&folder);
        assert_eq!(rows(&json["engines"][0]), [(1, 1)], "{fault}");
        assert_eq!(rows(&json["engines"][1]), [(1, 2), (2, 2)], "{fault}");
        assert_eq!(json["engines"][0]["remarks"][0], remark, "{fault}");
        assert_eq!(json["engines"][0]["is_out"], true, "{fault}");
        assert_eq!(read(&folder, "out.csv").lines().count(), 1 + 5, "{fault}");
        assert!(read(&folder, "out.html").contains("Bad: left out"), "{fault}");
    }
}

#[test]
fn an_engine_that_counts_nothing_is_left_out() {
    let folder = folder("engines", "uncounted");
    let engines = [fake("Bad", "uncounted"), fake("Good", "none")];
    let output = measured(&folder, &engines, "--threads 1 --depth 3 --repeats 1");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(error(&output).contains("Bad: left out from BK.01 on: it reports no nodes\n"));
    assert_eq!(rows(&json(&folder)["engines"][1]), [(1, 2)]);
}

/// What an engine cannot do is no fault: the rest is measured.
#[test]
fn limits_of_an_engine_are_told_and_the_rest_is_measured() {
    for (fault, said, found) in [
        ("threadless", "it has no option for more threads: measured on one", &[(1, 2)][..]),
        ("few", "measured on up to 2 threads, which is its limit", &[(1, 2), (2, 2)]),
        ("hashless", "its table is as large as it chooses", &[(1, 2), (2, 2), (4, 2)]),
        ("early", "line 4 is left out: it ends at depth 1 of 3", &[(1, 1), (2, 1), (4, 1)]),
    ] {
        let folder = folder("engines", fault);
        let engines = [fake("Limited", fault), fake("Good", "none")];
        let output = measured(&folder, &engines, "--threads 1,2,4 --depth 3 --repeats 1");
        assert!(output.status.success(), "{fault}: {output:?}");
        let error = error(&output);
        assert!(error.starts_with("Limited: ") && error.contains(said), "{fault}: {error}");
        assert_eq!(error.lines().count(), 2, "{fault}: {error}");
        let json = json(&folder);
        assert_eq!(rows(&json["engines"][0]), found, "{fault}");
        assert_eq!(rows(&json["engines"][1]), [(1, 2), (2, 2), (4, 2)], "{fault}");
        assert!(json["notes"].to_string().contains(said), "{fault}");
    }
}

#[test]
fn an_engine_that_does_not_start_costs_no_other() {
    for (engine, said) in [
        ("name=Bad,cmd=no/such/engine".to_owned(), "cannot run no/such/engine: "),
        (fake("Bad", "dies"), "the engine ended (exit status: 1)"),
        (fake("Bad", "deaf"), "no answer to `uci` within 1 s"),
        (
            fake("Bad", "none") + ",option.Skil Level=3",
            "no option Skil Level: did you mean Skill Level?",
        ),
        (
            fake("Bad", "none") + ",option.Skill Level=21",
            "Skill Level is a number from 0 to 20, not 21",
        ),
        (fake("Bad", "none") + ",option.Hash=256", "Hash is a number from 1 to 128, not 256"),
    ] {
        let folder = folder("engines", "unstarted");
        let args = "--threads 1 --depth 3 --repeats 1 --timeout 1";
        let output = measured(&folder, &[engine.clone(), fake("Good", "none")], args);
        assert_eq!(output.status.code(), Some(2), "{engine}: {output:?}");
        let remarks = error(&output);
        assert!(remarks.starts_with("Bad: left out: ") && remarks.contains(said), "{remarks}");
        assert_eq!(rows(&json(&folder)["engines"][1]), [(1, 2)], "{engine}");

        // Alone, it leaves older results as they were.
        fs::write(folder.join("out.json"), "an older result").unwrap();
        let output = measured(&folder, &[engine], args);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]));
        assert!(error(&output).ends_with("heddle: left out: Bad, of 1 engine\n"));
        assert_eq!(read(&folder, "out.json"), "an older result");
    }
}

#[test]
fn engines_of_one_name_are_told_apart() {
    let folder = folder("engines", "names");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_engine.sh");
    let engine = format!("sh '{script}' A none log.txt");
    let output = measured(&folder, &[engine.clone(), engine], "--threads 1 --depth 1 --repeats 1");
    assert!(output.status.success(), "{output:?}");
    let json = json(&folder);
    assert_eq!(
        (&json["engines"][0]["name"], &json["engines"][1]["name"]),
        (&"Fake".into(), &"Fake (2)".into())
    );
}

#[test]
fn a_mistake_on_the_command_line_is_told_at_once() {
    let folder = folder("engines", "mistakes");
    for (engine, args, said) in [
        ("name=X", "", "no command"),
        ("cmd=x,option.Threads=2", "", "Threads is set by --threads"),
        ("x", "--simulate 1,2", "cannot be used with"),
        ("x", "--counters", "cannot be used with"),
        ("x", "--timeout 0", "0 is not in 1..="),
    ] {
        let output = measured(&folder, &[engine.to_owned()], args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(error(&output).contains(said), "{said}: {}", error(&output));
    }
}

#[test]
fn an_interrupt_keeps_what_was_measured_and_ends_the_engines() {
    let folder = folder("engines", "interrupt");
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-scaling"));
    command.args(["--engine", &fake("A", "hang"), "--engine", &fake("B", "none")]);
    command.args("--epd two.epd --depth 3 --threads 1,2 --json out.json".split(' '));
    let log = || fs::read_to_string(folder.join("log.txt")).unwrap_or_default();
    let json = crate::common::interrupted(&folder, &mut command, || {
        log().matches("A: go depth 3").count() == 2
    });
    assert_eq!((&json["is_interrupted"], &json["runs"]), (&true.into(), &2.into()));
    assert_eq!(json["engines"][0]["remarks"], serde_json::json!([]));
}

#[test]
fn a_real_engine_is_measured() {
    if !Path::new(STOCKFISH).exists() {
        println!("skipped: {STOCKFISH} is not installed");
        return;
    }
    let folder = folder("engines", "real");
    let engines = [format!("name=SF,cmd={STOCKFISH}"), fake("Fake", "none")];
    let output = measured(&folder, &engines, "--threads 1,2 --depth 8 --repeats 2 --hash 4");
    assert!(output.status.success(), "{output:?}");
    let json = json(&folder);
    assert_eq!(rows(&json["engines"][0]), [(1, 4), (2, 4)]);
    assert!(json["engines"][0]["rows"][1]["nps"].as_f64().unwrap() > 1000.0);
    // From an empty table one thread searches the same nodes each time.
    let alone = |position: &str| -> Vec<u64> {
        let samples = json["samples"].as_array().unwrap().iter();
        let own = samples.filter(|s| s["engine"] == "SF" && s["threads"] == 1);
        own.filter(|s| s["position"] == position).map(|s| s["nodes"].as_u64().unwrap()).collect()
    };
    for position in ["BK.01", "line 4"] {
        assert!(matches!(alone(position)[..], [one, two] if one == two), "{:?}", alone(position));
    }
}
