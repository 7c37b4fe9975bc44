//! Matches through the built program: of scripted engines with every fault, and of Heddle against
//! itself.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::read;
use serde_json::{Value, json};

/// A position in which the scripted engine goes back and forth, and one in which it mates.
const OPENINGS: &str = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1\n7k/5Q2/6K1/8/8/8/8/8 w - - 0 1\n";

/// A start of Chess960.
const CHESS960: &str = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\n";

/// An empty folder for one test, with the openings in it.
fn folder(test: &str) -> PathBuf {
    let folder = crate::common::folder("games", test);
    let (draw, _) = OPENINGS.split_once('\n').unwrap();
    fs::write(folder.join("both.epd"), OPENINGS).unwrap();
    fs::write(folder.join("draw.epd"), draw).unwrap();
    folder
}

/// The scripted engine with a fault from its second thread on, or without one.
fn fake(name: &str, fault: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_engine.sh");
    format!("name={name},cmd=sh,args='{script}' {name} {fault} log.txt,option.Threads=2")
}

fn command(folder: &Path, engines: &[String], args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-match"));
    for engine in engines {
        command.args(["--engine", engine]);
    }
    command.args(["--json", "out.json"]);
    if !args.contains("--concurrency") {
        command.args(["--concurrency", "1"]);
    }
    command.current_dir(folder).args(args.split_whitespace());
    command
}

fn play(folder: &Path, engines: &[String], args: &str) -> Output {
    command(folder, engines, args).output().unwrap()
}

/// What a match that succeeds reports.
fn played(folder: &Path, engines: &[String], args: &str) -> Value {
    let output = play(folder, engines, args);
    assert!(output.status.success(), "{args}: {output:?}");
    json(folder)
}

fn json(folder: &Path) -> Value {
    serde_json::from_str(&read(folder, "out.json")).unwrap()
}

fn error(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn every_opening_is_played_twice() {
    let folder = folder("twice");
    let engines = [fake("A", "none"), fake("B", "noisy")];
    let args = "--openings both.epd --order sequential --nodes 5 --games 8 --pgn out.pgn \
        --csv out.csv --html out.html";
    let json = played(&folder, &engines, args);
    let level = &json["level"];
    assert_eq!(level["games"], json!([2, 4, 2]), "White mates in every second pair");
    assert_eq!(level["pairs"], json!([0, 0, 4, 0, 0]));
    assert_eq!((&level["points"], &json["partial"]), (&json!(0.5), &json!(false)));
    assert_eq!((&level["elo"], &level["los"]), (&json!(null), &json!(null)), "all pairs alike");
    assert_eq!(read(&folder, "out.csv").lines().nth(2), Some("1,5,1.0,1,1.0,0.0"));
    let html = read(&folder, "out.html");
    assert!(html.contains("<h2>Score against B</h2>") && html.contains("LOS"));
    heddle_browser::assert_readable(&html, 0);
    let pgn = read(&folder, "out.pgn");
    assert_eq!(pgn.matches("[Termination \"normal\"]").count(), 8);
    assert!(pgn.contains("\n1. Ra2 Ke7 2. Ra1 Ke8 3. Ra2 Ke7 4. Ra1 Ke8 1/2-1/2\n\n"), "{pgn}");
    let mate = "[Round \"2.2\"]\n[White \"B\"]\n[Black \"A\"]\n[Result \"1-0\"]";
    assert!(pgn.contains(mate) && pgn.contains("\n1. Qg7# 1-0\n"), "{pgn}");
    let log = read(&folder, "log.txt");
    assert_eq!(log.matches("A: ucinewgame\n").count(), 8);
    let told = "A: position fen 4k3/8/8/8/8/8/8/R3K3 w - - 0 1 moves a1a2 e8e7\nA: go nodes 5\n";
    assert!(log.contains(told), "{log}");
    assert_eq!(log.matches("A: uci\n").count(), 2, "once for its name, once for all games");
}

#[test]
fn an_engine_loses_by_its_faults_and_is_started_again() {
    for (fault, limit, said, termination) in [
        ("crash", "--nodes 5", "B loses: the engine ended (exit status: 3)", "abandoned"),
        ("mute", "--nodes 5", "B loses: the engine ended (it closed", "abandoned"),
        ("hang", "--nodes 5", "B loses: no answer to `go nodes 5` within 1 s", "abandoned"),
        ("rubbish", "--nodes 5", "B loses: no answer to `go nodes 5` within 1 s", "abandoned"),
        ("illegal", "--nodes 5", "B loses: its move in 4k3/8/8/8/8/8/R7/4K3 b", "illegal move"),
        ("hang", "--tc 1+0.2", "B loses on time", "time forfeit"),
        ("endless", "--tc 1+0.2", "B loses on time", "time forfeit"),
    ] {
        let folder = folder(fault);
        let engines = [fake("A", "none"), fake("B", fault)];
        let args = format!("--openings draw.epd --games 2 --timeout 1 --pgn out.pgn {limit}");
        let output = play(&folder, &engines, &args);
        assert!(output.status.success(), "{fault}: {output:?}");
        let error = error(&output);
        assert!(error.starts_with(said) && error.lines().count() == 3, "{fault}: {error}");
        let json = json(&folder);
        assert_eq!(json["level"]["games"], json!([2, 0, 0]), "{fault}");
        let note = json["notes"][0].as_str().unwrap();
        assert!(note.starts_with("Faults in this run: 2, the last: B loses"), "{note}");
        let pgn = read(&folder, "out.pgn");
        assert_eq!(pgn.matches(&format!("[Termination \"{termination}\"]")).count(), 2, "{pgn}");
        assert_eq!(read(&folder, "log.txt").matches("B: uci\n").count(), 3, "{fault}");
    }
}

#[test]
fn an_engine_that_dies_between_games_is_reported_and_started_again() {
    let folder = folder("between");
    let engines = [fake("A", "none"), fake("B", "leaves")];
    let output = play(&folder, &engines, "--openings draw.epd --games 2 --nodes 5");
    assert!(output.status.success(), "{output:?}");
    let said = "B is started again: the engine ended (exit status: 4)";
    assert!(error(&output).starts_with(said), "{output:?}");
    let json = json(&folder);
    assert_eq!(json["level"]["games"], json!([0, 2, 0]), "no game is lost by it");
    let note = json["notes"][0].as_str().unwrap();
    assert!(note.starts_with(&format!("Faults in this run: 1, the last: {said}")), "{note}");
}

#[test]
fn an_engine_that_fails_in_every_game_ends_the_match() {
    let folder = folder("failing");
    let engines = [fake("A", "crash"), fake("B", "none")];
    let args = "--openings draw.epd --games 100 --nodes 5 --games-file games.txt";
    let output = play(&folder, &engines, args);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let last = error(&output).lines().last().unwrap().to_owned();
    assert!(last.starts_with("heddle: A: 3 games in a row lost by a fault"), "{last}");
    assert_eq!(json(&folder)["level"]["games"], json!([0, 0, 2]));
    assert_eq!(read(&folder, "games.txt").lines().count(), 2);
}

#[test]
fn clocks_are_told_and_run() {
    let folder = folder("clocks");
    let engines = [fake("A", "none"), fake("B", "none")];
    played(&folder, &engines, "--openings draw.epd --games 2 --tc 100+10");
    let log = read(&folder, "log.txt");
    assert!(log.contains("A: go wtime 110000 btime 110000 winc 10000 binc 10000\n"), "{log}");
    assert!(log.contains("B: go wtime 11"), "{log}");
    let args = "--openings draw.epd --games 8 --tc 100 --equalise";
    let found = played(&folder, &engines, args);
    let log = read(&folder, "log.txt");
    assert!(log.contains("go wtime 100000 btime 70710 winc 0 binc 0\n"), "{log}");
    assert_eq!(found["equalities"][0]["trials"].as_array().unwrap().len(), 4);
}

#[test]
fn a_match_goes_on_where_it_stopped() {
    let folder = folder("resumed");
    let engines = [fake("A", "none"), fake("B", "none")];
    let args = "--openings both.epd --order sequential --nodes 5 --games-file games.txt \
        --pgn out.pgn --games";
    played(&folder, &engines, &format!("{args} 4"));
    let kept = read(&folder, "games.txt");
    assert_eq!(kept.lines().count(), 1 + 2, "{kept}");
    // As if stopped in the middle of a line.
    fs::write(folder.join("games.txt"), &kept[..kept.len() - 2]).unwrap();
    fs::remove_file(folder.join("log.txt")).unwrap();
    let json = played(&folder, &engines, &format!("{args} 8"));
    assert_eq!(json["level"]["games"], json!([2, 4, 2]));
    assert_eq!(read(&folder, "log.txt").matches("A: ucinewgame\n").count(), 6);
    assert_eq!(read(&folder, "out.pgn").matches("[Round ").count(), 4 + 6);

    for other in ["--hash 2", "--adjudicate", "--seed 5", "--max-moves 9", "--openings draw.epd"] {
        let args = format!("--nodes 5 --games-file games.txt --games 8 {other}");
        let args = if other.contains("epd") {
            args
        } else {
            args + " --openings both.epd --order sequential"
        };
        let output = play(&folder, &engines, &args);
        assert_eq!(output.status.code(), Some(2), "{other}: {output:?}");
        let error = error(&output);
        assert!(error.contains("it begins with") && error.lines().count() == 1, "{other}: {error}");
    }
}

#[test]
fn a_match_is_not_resumed_with_another_book_or_engine() {
    let folder = folder("changed");
    let script = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_engine.sh")).unwrap();
    fs::write(folder.join("engine.sh"), &script).unwrap();
    fs::write(folder.join("net.bin"), "one").unwrap();
    let engine = |name| format!("name={name},cmd=sh,args=engine.sh {name} none log.txt net.bin");
    let engines = [engine("A"), engine("B")];
    let args = "--openings both.epd --nodes 5 --games-file games.txt --games";
    played(&folder, &engines, &format!("{args} 2"));
    played(&folder, &engines, &format!("{args} 4"));
    let kept = read(&folder, "games.txt");
    for name in ["both.epd", "engine.sh", "net.bin"] {
        let before = fs::read(folder.join(name)).unwrap();
        let line: &[u8] =
            if name == "both.epd" { b"4k3/8/8/8/8/8/R7/4K3 w - -\n" } else { b"# new\n" };
        fs::write(folder.join(name), [&before, line].concat()).unwrap();
        let output = play(&folder, &engines, &format!("{args} 8"));
        let error = error(&output);
        assert!(
            output.status.code() == Some(2) && error.contains("it begins with"),
            "{name}: {error}"
        );
        assert_eq!(read(&folder, "games.txt"), kept);
        fs::write(folder.join(name), before).unwrap();
    }
    played(&folder, &engines, &format!("{args} 6"));
}

#[test]
fn a_book_may_be_games_and_begin_anywhere() {
    let folder = folder("book");
    let engines = [fake("A", "none"), fake("B", "none")];
    // The move number of the opening says nothing of the length of the game.
    let game = |rook| {
        format!("[FEN \"4k3/8/8/8/8/8/8/{rook} w - - 0 250\"]\n\n1. Ke2 Ke7 2. Ke1 Ke8 *\n\n")
    };
    fs::write(folder.join("book.pgn"), game("R3K3") + &game("4K2R")).unwrap();
    let args = "--openings book.pgn --order sequential --start 3 --nodes 5 --games 2 --pgn out.pgn";
    played(&folder, &engines, args);
    let pgn = read(&folder, "out.pgn");
    assert!(pgn.contains("[FEN \"4k3/8/8/8/8/8/8/R3K3 w - - 4 252\"]"), "{pgn}");
    assert!(pgn.contains("252. Ra2 Ke7 253. Ra1 Ke8 254."), "{pgn}");
    let args = args.replace("--start 3", "--plies 0 --max-moves 2").replace("out.pgn", "two.pgn");
    let json = played(&folder, &engines, &args);
    let pgn = read(&folder, "two.pgn");
    assert!(pgn.contains("250. Ra2 Ke7 251. Ra1 Ke8 1/2-1/2"), "{pgn}");
    assert!(pgn.contains("[Termination \"adjudication\"]"), "{pgn}");
    assert_eq!(json["notes"], json!([]));
}

#[test]
fn openings_that_come_again_are_told() {
    let folder = folder("again");
    let engines = [fake("A", "none"), fake("B", "none")];
    let json = played(&folder, &engines, "--openings draw.epd --nodes 5 --games 6");
    let notes = json["notes"].as_array().unwrap();
    assert!(
        notes[0].as_str().unwrap().starts_with("Only 1 different opening in 3 pairs"),
        "{notes:?}"
    );
    assert!(notes[1].as_str().unwrap().contains("tell no interval"), "{notes:?}");
    assert_eq!(json["level"]["elo"], json!(null));
}

#[test]
fn a_clock_may_be_for_some_moves() {
    let folder = folder("moves");
    let engines = [fake("A", "none"), fake("B", "none")];
    played(&folder, &engines, "--openings draw.epd --games 2 --tc 3/100");
    let log = read(&folder, "log.txt");
    assert!(log.contains("A: go wtime 100000 btime 100000 winc 0 binc 0 movestogo 3\n"), "{log}");
    assert!(log.contains(" movestogo 1\n"), "{log}");
}

#[test]
fn a_test_ends_when_it_is_decided() {
    let folder = folder("sprt");
    let engines = [fake("A", "none"), fake("B", "none")];
    let args = "--openings draw.epd --nodes 5 --games-file games.txt --games";
    played(&folder, &engines, &format!("{args} 2"));
    let (conditions, _) = read(&folder, "games.txt")
        .split_once('\n')
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let won: String =
        (0..200).map(|opening| format!("1 5 1 {opening} 1 {}\n", opening % 2)).collect();
    fs::write(folder.join("games.txt"), format!("{conditions}\n{won}")).unwrap();
    let json = played(&folder, &engines, &format!("{args} 1000 --sprt 0,50"));
    assert_eq!(
        (&json["level"]["sprt"]["verdict"], &json["partial"]),
        (&json!("h1"), &json!(false))
    );
    let pairs = json["pairs"].as_array().unwrap().len();
    assert!((5..100).contains(&pairs), "{pairs}");
    assert!(json["verdict"][0].as_str().unwrap().starts_with("SPRT of 0 against 50 Elo: 50 is"));
}

#[test]
fn an_interrupt_keeps_what_was_played_and_ends_the_engines() {
    let folder = folder("interrupt");
    let engines = [fake("A", "none"), fake("B", "hang")];
    let args = "--openings draw.epd --nodes 5 --games-file games.txt --games";
    let mut command = command(&folder, &engines, &format!("{args} 4"));
    let log = || fs::read_to_string(folder.join("log.txt")).unwrap_or_default();
    let json =
        crate::common::interrupted(&folder, &mut command, || log().contains("B: go nodes 5\n"));
    assert_eq!((&json["pairs"], &json["planned"]), (&json!([]), &json!(4)));
}

#[test]
fn heddle_plays_itself_in_lockstep_and_repeatably() {
    let folder = folder("itself");
    let engine = "option.Lockstep=true,option.LockstepQuantum=16".to_owned();
    let args = "--threads 2,3 --equalise --nodes 300 --games 8,16 --hash 1 --adjudicate --seed 4 --svg out.svg";
    let games = |args: &str| {
        let json = played(&folder, std::slice::from_ref(&engine), args);
        (json["pairs"].clone(), json["equalities"].clone())
    };
    let (pairs, equalities) = games(args);
    assert_eq!(pairs.as_array().unwrap().len(), 4 + 8);
    assert_eq!((&equalities[0]["planned"], &equalities[1]["planned"]), (&json!(8), &json!(16)));
    assert_eq!(games(&format!("{args} --concurrency 2")).0, pairs);
    let svg = read(&folder, "out.svg");
    assert!(svg.starts_with("<svg") || svg.is_empty(), "{svg}");
}

#[test]
fn options_are_varied_by_a_coin_for_every_pair() {
    let folder = folder("varied");
    let engines = [fake("A", "none")];
    let args = "--openings draw.epd --nodes 5 --games 16 --vary Hash=1,2 --vary Skill_Level=3,4";
    let args: Vec<String> = args.split(' ').map(|word| word.replace('_', " ")).collect();
    let mut command = command(&folder, &engines, "--pgn out.pgn");
    assert!(command.args(&args).output().unwrap().status.success());
    let json = json(&folder);
    assert_eq!(json["effects"][1]["option"], "Skill Level");
    assert_eq!(json["effects"][1]["elo"], json!({ "value": 0.0, "low": 0.0, "high": 0.0 }));
    let log = read(&folder, "log.txt");
    for setting in ["Hash value 1", "Hash value 2", "Skill Level value 3", "Skill Level value 4"] {
        assert!(log.contains(&format!("A: setoption name {setting}\n")), "{setting}: {log}");
    }
}

#[test]
fn heddle_plays_chess960() {
    let folder = folder("chess960");
    fs::write(folder.join("960.epd"), CHESS960).unwrap();
    let engines = ["option.Threads=1".to_owned()];
    let json =
        played(&folder, &engines, "--openings 960.epd --nodes 20 --games 2 --hash 1 --pgn out.pgn");
    assert_eq!(json["notes"], json!([]), "no fault");
    assert!(read(&folder, "out.pgn").contains("[Variant \"Chess960\"]"));
}

#[test]
fn an_engine_that_starts_again_is_told_of_chess960_again() {
    let folder = folder("again");
    fs::write(folder.join("960.epd"), CHESS960).unwrap();
    let engines = [fake("A", "frail"), "option.Threads=1".to_owned()];
    played(&folder, &engines, "--openings 960.epd --nodes 20 --games 2 --hash 1");
    let told = "A: setoption name UCI_Chess960 value true\n";
    assert_eq!(read(&folder, "log.txt").matches(told).count(), 2, "once a game");
}

#[test]
fn bad_input_is_one_line_and_no_game() {
    let folder = folder("bad");
    fs::write(folder.join("960.epd"), CHESS960).unwrap();
    fs::write(folder.join("broken.epd"), "no position\n").unwrap();
    fs::write(folder.join("games.txt"), "a shopping list\n").unwrap();
    let drawn = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\n";
    fs::write(folder.join("drawn.epd"), drawn).unwrap();
    let good = || fake("A", "none");
    for (engines, args, said) in [
        (vec![good(), good(), good()], "", "--engine may be given once or twice, not 3 times"),
        (vec!["cmd=no/such/engine".to_owned()], "", "cannot run no/such/engine: "),
        (vec![good(), fake("B", "dies")], "", "B: the engine ended (exit status: 1)"),
        (vec![good(), fake("B", "deaf")], "--timeout 1", "B: no answer to `uci` within 1 s"),
        (vec![good() + ",option.Skil Level=3"], "", "A: no option Skil Level: did you mean Skill"),
        (
            vec![good()],
            "--games 2 --openings draw.epd --vary Hsah=1,2",
            "no option Hsah: did you mean Hash?",
        ),
        (vec![good()], "--openings missing.epd", "cannot read missing.epd"),
        (vec![good()], "--openings broken.epd", "broken.epd line 1: "),
        (vec![good()], "--openings drawn.epd", "drawn.epd line 2: the game is over"),
        (vec![good()], "--openings 960.epd --games 2", "A: no option UCI_Chess960"),
        (vec![good()], "--syzygy no/such/folder", "cannot use the tablebases: "),
        (vec![good()], "--html no/such/page.html", "cannot write no/such/page.html"),
        (vec![good()], "--pgn no/such/games.pgn", "cannot write games to no/such/games.pgn"),
        (vec![good()], "--games-file games.txt", "it begins with \"a shopping list\""),
        (
            vec![good()],
            "--equalise --threads 2,4 --games 8,8,8",
            "--games has 3 numbers and --threads 2",
        ),
        (vec![good()], "--equalise --threads 2,2 --games 8", "--threads names 2 twice"),
        (vec![good()], "--csv out.json", "out.json: named twice"),
        (vec![good()], "--openings both.epd --pgn both.epd", "both.epd: named twice"),
        (vec![good()], "--games-file x.txt --html ./x.txt", "x.txt: named twice"),
    ] {
        let output = play(&folder, &engines, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {output:?}");
        let error = error(&output);
        let last = error.lines().last().unwrap();
        assert!(last.starts_with("heddle: ") && last.contains(said), "{args}: {error}");
    }
    for (args, said) in [
        ("--tc 0", "not [MOVES/]SECONDS[+INCREMENT]"),
        ("--games 3", "odd: games are played in pairs"),
        ("--start 2", "--openings"),
        ("--sprt 5,0", "not two numbers"),
        ("--tc 1 --nodes 5", "cannot be used with"),
        ("--sprt 0,5 --equalise", "cannot be used with"),
        ("--threads 2", "--equalise"),
        ("--vary Hash=1", "not OPTION=A,B"),
        ("--vary Hash=1,2 --sprt 0,5", "cannot be used with"),
        ("--games 1", "not a number from 2"),
        ("--openings both.epd --max-lead 50", "cannot be used with"),
    ] {
        let output = play(&folder, &[good()], args);
        assert!(
            output.status.code() == Some(2) && error(&output).contains(said),
            "{args}: {output:?}"
        );
    }
    let output = play(&folder, &[], "");
    assert!(error(&output).contains("--engine"), "{output:?}");
}

/// The command of docs/scaling.md plays no game: all are in the file beside the page, and give the
/// table at its top.
#[test]
fn the_recorded_games_give_the_pages_table() {
    let folder = folder("recorded");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = fs::read_to_string(docs.join("scaling.md")).unwrap();
    let (_, command) = page.split_once("./heddle match --engine cmd=./heddle,").unwrap();
    let (command, _) = command.split_once("\n```").unwrap();
    let args = format!("--engine cmd=./heddle,{}", command.replace("\\\n", " "));

    fs::create_dir_all(folder.join("docs/scaling")).unwrap();
    let file = "docs/scaling/games-4000.txt";
    fs::copy(docs.join("scaling/games-4000.txt"), folder.join(file)).unwrap();
    let before = read(&folder, file);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_heddle-match"), folder.join("match")).unwrap();
    let engine = folder.join("heddle");
    fs::write(&engine, "#!/bin/sh\nexec ./match --uci\n").unwrap();
    fs::set_permissions(&engine, Permissions::from_mode(0o755)).unwrap();

    let json = played(&folder, &[], &args);
    assert_eq!((&json["partial"], read(&folder, file)), (&json!(false), before));
    let rows = json["equalities"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let games: usize = row["trials"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| 2 * t["pairs"].as_array().unwrap().len())
            .sum();
        let figure = |key: &str| match row["multiple"][key].as_f64().unwrap() {
            large if large >= 10.0 => format!("{large:.1}"),
            small => format!("{small:.2}"),
        };
        let (value, low, high) = (figure("value"), figure("low"), figure("high"));
        let line = format!("| {} | {value} × | {low} – {high} | {games} |\n", row["threads"]);
        assert!(page.contains(&line), "docs/scaling.md has no {line}");
    }
}
