//! Outputs that are closed, full, in the way or redirected, and Ctrl-C: the network is never lost.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::games;
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::eval::nnue::network::{HIDDEN, Network, SEEING};
use heddle_trainer::checkpoint::Checkpoint;

const TRAIN: &str = env!("CARGO_BIN_EXE_heddle-train");
/// A training of a few steps.
const HOW: &str = "games.vf --positions 2000 --batch 500";

/// A folder with games in it.
fn folder(test: &str) -> PathBuf {
    let folder = crate::common::folder(&format!("faults/{test}"));
    fs::write(folder.join("games.vf"), games(40)).unwrap();
    folder
}

/// Runs a script in `folder`, where `$TRAIN` is the trainer and `$HOW` a short training.
fn sh(folder: &Path, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-c", script]).stdin(Stdio::null());
    command.env("TRAIN", TRAIN).env("HOW", HOW).output().unwrap()
}

/// Runs a script that must fail and returns its only line of standard error.
#[track_caller]
fn fail(folder: &Path, script: &str) -> String {
    let run = sh(folder, script);
    assert_eq!(run.status.code(), Some(2), "{script}: {run:?}");
    let error = String::from_utf8(run.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{script}: {error}");
    error
}

/// The network of the short training.
fn wanted(folder: &Path) -> Vec<u8> {
    let run = sh(folder, "exec $TRAIN $HOW -o wanted.nnue");
    assert!(run.status.success(), "{run:?}");
    let bytes = fs::read(folder.join("wanted.nnue")).unwrap();
    assert!(Network::from_bytes(&bytes).is_ok());
    fs::remove_file(folder.join("wanted.nnue")).unwrap();
    bytes
}

/// The names of the files in `folder`, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
#[cfg(target_os = "linux")]
fn a_training_ends_with_its_network_whoever_listens() {
    let folder = folder("listeners");
    let wanted = wanted(&folder);
    for output in [
        ">&-",
        "2>&-",
        ">&- 2>&-",
        ">/dev/full",
        "2>/dev/full",
        ">/dev/full 2>/dev/full",
        "| true",
        "2>&1 >/dev/null | true",
        "2>&1 | true",
    ] {
        let train =
            "$TRAIN $HOW -o my.nnue --held-out games.vf --curve my.svg --checkpoint my.state";
        sh(&folder, &format!("{{ {train}; echo $? > status; }} {output}"));
        assert_eq!(fs::read_to_string(folder.join("status")).unwrap(), "0\n", "{output}");
        assert_eq!(fs::read(folder.join("my.nnue")).unwrap(), wanted, "{output}");
        fs::remove_file(folder.join("my.nnue")).unwrap();
    }
    // An error that cannot be printed does not abort, either.
    let run = sh(&folder, "exec $TRAIN missing.vf -o my.nnue >/dev/full 2>&1");
    assert_eq!(run.status.code(), Some(2));
}

#[test]
fn an_output_that_cannot_be_written_is_found_before_the_training() {
    let folder = folder("unwritable");
    fs::create_dir(folder.join("taken")).unwrap();
    for outputs in [
        "-o nowhere/my.nnue",
        "-o taken",
        "-o my.nnue --curve nowhere/my.svg",
        "-o my.nnue --checkpoint nowhere/my.state",
    ] {
        let run = sh(&folder, &format!("exec $TRAIN $HOW {outputs}"));
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        assert!(run.stdout.is_empty(), "nothing should be trained: {run:?}");
        let error = String::from_utf8(run.stderr).unwrap();
        assert!(error.lines().count() == 1 && !error.contains(".part"), "{error}");
        assert_eq!(names(&folder), ["games.vf", "taken"], "{outputs}");
    }
}

#[test]
fn links_and_pipes_are_written_through() {
    let folder = folder("through");
    let wanted = wanted(&folder);
    let is_link = |name: &str| fs::symlink_metadata(folder.join(name)).unwrap().is_symlink();
    sh(
        &folder,
        "mkdir there; echo old > there/old; ln -s there/old link; ln -s there/new dangling",
    );
    for link in ["link", "dangling"] {
        assert!(sh(&folder, &format!("$TRAIN $HOW -o {link}")).status.success());
        assert!(is_link(link));
        assert_eq!(fs::read(folder.join(link)).unwrap(), wanted);
    }
    assert_eq!(names(&folder.join("there")), ["new", "old"]);
    let run = sh(&folder, "mkfifo pipe; cat pipe > read & $TRAIN $HOW -o pipe; wait");
    assert!(run.status.success());
    assert_eq!(fs::read(folder.join("read")).unwrap(), wanted);
    assert!(fs::symlink_metadata(folder.join("pipe")).unwrap().file_type().is_fifo());
}

#[test]
#[cfg(target_os = "linux")]
fn a_device_stays_a_device() {
    let folder = folder("device");
    // A device node of the test's own, if it may create one: a copy of /dev/null.
    if !sh(&folder, "mknod null c 1 3 && echo > null").status.success() {
        return;
    }
    assert!(sh(&folder, "$TRAIN $HOW -o null").status.success());
    assert!(fs::symlink_metadata(folder.join("null")).unwrap().file_type().is_char_device());
}

#[test]
fn a_network_that_nobody_takes_is_kept() {
    let folder = folder("rescued");
    let wanted = wanted(&folder);
    // The reader opens the pipe, which lets the training begin, and then closes it.
    let error = fail(&folder, "mkfifo pipe; : < pipe & exec $TRAIN $HOW -o pipe");
    let names = names(&folder);
    let rescued = names.iter().find(|name| name.starts_with("rescued-")).unwrap();
    assert!(error.contains("pipe: ") && error.trim_end().ends_with(rescued), "{error}");
    assert_eq!(fs::read(folder.join(rescued)).unwrap(), wanted);
}

#[test]
fn a_checkpoint_that_fails_costs_no_training() {
    let folder = folder("checkpoint");
    let wanted = wanted(&folder);
    // Twelve megabytes, or 24 where blocks are longer: enough for a network, not for a checkpoint.
    let train = "exec $TRAIN $HOW -o my.nnue --checkpoint my.state";
    let run = sh(&folder, &format!("trap '' XFSZ; ulimit -f 24000; {train}"));
    assert!(run.status.success(), "{run:?}");
    assert!(String::from_utf8(run.stdout).unwrap().contains("no checkpoint: my.state: "));
    assert_eq!(fs::read(folder.join("my.nnue")).unwrap(), wanted);
    assert_eq!(names(&folder), ["games.vf", "my.nnue"]);
}

#[test]
fn an_older_network_outlives_a_full_disk() {
    let folder = folder("older");
    fs::write(folder.join("my.nnue"), "older").unwrap();
    let error = fail(&folder, "trap '' XFSZ; ulimit -f 100; TMPDIR=. exec $TRAIN $HOW -o my.nnue");
    assert!(error.contains("my.nnue: "), "{error}");
    assert_eq!(fs::read(folder.join("my.nnue")).unwrap(), b"older");
    assert_eq!(names(&folder), ["games.vf", "my.nnue"]);
}

#[test]
fn results_replace_neither_games_nor_each_other() {
    let folder = folder("overlap");
    let before = fs::read(folder.join("games.vf")).unwrap();
    for outputs in ["-o games.vf", "-o ./games.vf", "-o x --checkpoint x", "-o x --curve games.vf"]
    {
        let error = fail(&folder, &format!("exec $TRAIN $HOW {outputs}"));
        assert!(error.contains("named twice"), "{error}");
        assert_eq!(fs::read(folder.join("games.vf")).unwrap(), before);
        assert_eq!(names(&folder), ["games.vf"]);
    }
}

#[test]
fn a_checkpoint_is_refused_whichever_byte_is_wrong() {
    let folder = folder("damaged");
    let run = sh(&folder, "exec $TRAIN $HOW -o my.nnue --checkpoint my.state");
    assert!(run.status.success());
    let path = folder.join("my.state");
    let whole = fs::read(&path).unwrap();
    assert!(Checkpoint::parse(&whole).is_ok());
    let header = whole.iter().position(|&byte| byte == b'\n').unwrap();
    let flips = (0..=header).step_by(5).chain([whole.len() / 2, whole.len() - 1]);
    let flipped = flips.map(|index| {
        let mut bytes = whole.clone();
        bytes[index] ^= 1;
        bytes
    });
    let longer = (1..=4).map(|more| [&whole[..], &b"more"[..more]].concat());
    let shorter = [1, 3, 4].map(|less| whole[..whole.len() - less].to_vec());
    for (index, bytes) in flipped.chain(longer).chain(shorter).enumerate() {
        assert!(Checkpoint::parse(&bytes).is_err(), "damage {index}");
    }
    fs::write(&path, &whole[1..]).unwrap();
    let error = Checkpoint::load(&path).err().unwrap().to_string();
    assert!(error.contains("not a checkpoint of this trainer: "), "{error}");
}

#[test]
fn an_interrupted_training_keeps_its_checkpoint() {
    const BATCH: u64 = 500;
    let folder = folder("interrupted");
    let mut train = Command::new(TRAIN);
    train.current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Forty reports, one every hundred steps: the interrupt comes after the first.
    let flags = "games.vf --positions 2000000 --batch 500 -o my.nnue --checkpoint my.state";
    let mut train = train.args(flags.split(' ')).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(train.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("loss"), "{line}");
    assert!(sh(&folder, &format!("kill -INT {}", train.id())).status.success());
    let run = train.wait_with_output().unwrap();
    assert_eq!(run.status.code(), Some(130), "{run:?}");
    let steps = Checkpoint::load(&folder.join("my.state")).unwrap().adam.steps;
    assert!(steps >= 100, "{steps}");
    let error = String::from_utf8(run.stderr).unwrap();
    let positions = steps * BATCH;
    assert_eq!(
        error,
        format!(
            "heddle: interrupted after {positions} positions; \
             --resume my.state continues from there\n"
        )
    );
    let resumed = sh(&folder, "exec $TRAIN --resume my.state -o my.nnue --stop-after 1");
    assert!(resumed.status.success(), "{resumed:?}");
}

#[test]
fn pruning_nothing_changes_nothing_and_no_positions_are_an_error() {
    let folder = folder("prune");
    let prune = |flags: &str| {
        let all = format!("--neurons {HIDDEN} --seeing {SEEING} games.vf");
        sh(&folder, &format!("exec $TRAIN prune default {all} {flags}"))
    };
    assert!(prune("-o same.nnue").status.success());
    let network = EvalFile::Default.load().unwrap().unwrap();
    assert!(fs::read(folder.join("same.nnue")).unwrap() == network.to_bytes());
    let empty = prune("--positions 0 -o none.nnue");
    assert_eq!(empty.status.code(), Some(2), "{empty:?}");
    let error = String::from_utf8(empty.stderr).unwrap();
    assert_eq!(error, "heddle: 0 positions to train on: less than a batch of 1\n");
    assert!(!folder.join("none.nnue").exists());
}
