//! Plays networks against one another, through the built program.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use heddle::eval::nnue::network::Network;

/// An empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trainer").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs `duel` with few nodes.
fn duel(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-train"));
    let line = format!("duel --nodes 20 --hash 1 {args}");
    command.current_dir(folder).args(line.split(' ')).output().unwrap()
}

/// The result of a duel that must succeed.
fn result(folder: &Path, args: &str) -> String {
    let run = duel(folder, args);
    assert!(run.status.success(), "{args}: {run:?}");
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn a_network_is_exactly_as_strong_as_itself() {
    let folder = folder("duel with itself");
    let one = result(&folder, "classical classical --games 19 --threads 1");
    assert!(one.starts_with("games 20, "), "{one}");
    // All pairs are alike, which gives no interval.
    let counts: Vec<_> = one.split(['+', '=', '-']).map(str::trim).collect();
    assert!(counts[1] == counts[3] && !one.contains("Elo"), "{one}");
    assert_eq!(one, result(&folder, "classical classical --games 20 --threads 2"));
    assert_ne!(one, result(&folder, "classical classical --games 20 --seed 2"));
}

#[test]
fn a_random_network_loses_to_the_hand_written_evaluation() {
    let folder = folder("duel");
    fs::write(folder.join("random.nnue"), Network::random(1).to_bytes()).unwrap();
    let text = result(&folder, "random.nnue classical --games 20 --openings varied");
    let number = |after: char| {
        let rest = text.split(after).nth(1).unwrap();
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse::<u32>().unwrap()
    };
    assert!(number('+') <= 2 && number('-') >= 15, "{text}");
}

#[test]
fn what_cannot_play_is_one_line() {
    let folder = folder("no duel");
    for (args, wanted) in [
        ("missing.nnue classical", "missing.nnue"),
        ("classical missing.nnue", "missing.nnue"),
        ("classical classical --syzygy nowhere", "nowhere"),
    ] {
        let run = duel(&folder, args);
        assert_eq!(run.status.code(), Some(2), "{args}: {run:?}");
        let error = String::from_utf8(run.stderr).unwrap();
        assert!(error.lines().count() == 1 && error.contains(wanted), "{args}: {error}");
    }
}
