//! Full disks, closed outputs, foreign files: nothing is lost and nothing aborts.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]
#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const DATAGEN: &str = env!("CARGO_BIN_EXE_heddle-datagen");
const DATA: &str = env!("CARGO_BIN_EXE_heddle-data");
/// The arguments of `datagen`, except for the file and how much to play.
const HOW: &str = "--threads 2 --nodes 50 --hash 1 --seed 5 --eval classical";
/// How long to wait for a program to make progress.
const PATIENCE: Duration = Duration::from_mins(2);

/// An empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("selfplay-faults").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a script in `folder`; `$DATAGEN` and `$DATA` are the programs and `$HOW` the arguments.
fn sh(folder: &Path, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-c", script]).stdin(Stdio::null());
    command.env("DATAGEN", DATAGEN).env("DATA", DATA).env("HOW", HOW);
    command.output().unwrap()
}

/// A file of games with which all others can be compared.
fn play(folder: &Path, file: &str, games: usize) -> Vec<u8> {
    let run = sh(folder, &format!("$DATAGEN --output {file} --games {games} $HOW"));
    assert!(run.status.success(), "{run:?}");
    fs::read(folder.join(file)).unwrap()
}

/// The names of the files in `folder`, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Ways for outputs to be unusable: closed, full, or a pipe that nobody reads.
const OUTPUTS: [&str; 9] = [
    ">&-",
    "2>&-",
    ">&- 2>&-",
    ">/dev/full",
    "2>/dev/full",
    ">/dev/full 2>/dev/full",
    "| true",
    "2>&1 >/dev/null | true",
    "2>&1 | true",
];

#[test]
#[cfg(target_os = "linux")]
fn games_are_played_whoever_listens() {
    let folder = folder("listeners");
    let wanted = play(&folder, "wanted.vf", 4);
    for output in OUTPUTS {
        let _ = fs::remove_file(folder.join("games.vf"));
        let script =
            format!("{{ $DATAGEN --output games.vf --games 4 $HOW; echo $? > status; }} {output}");
        sh(&folder, &script);
        assert_eq!(fs::read_to_string(folder.join("status")).unwrap(), "0\n", "{output}");
        assert_eq!(fs::read(folder.join("games.vf")).unwrap(), wanted, "{output}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_tools_write_whole_files_whoever_listens() {
    let folder = folder("tools");
    play(&folder, "games.vf", 4);
    let shuffled = sh(&folder, "$DATA shuffle games.vf -o wanted.vf");
    assert!(shuffled.status.success());
    for output in OUTPUTS {
        for (tool, files) in [
            ("stats games.vf", vec![]),
            ("fit-wdl games.vf", vec![]),
            ("shuffle games.vf -o mixed.vf", vec!["mixed.vf"]),
            ("split games.vf --fraction 0.5 -o train.vf held.vf", vec!["train.vf", "held.vf"]),
        ] {
            sh(&folder, &format!("{{ $DATA {tool}; echo $? > status; }} {output}"));
            let status = fs::read_to_string(folder.join("status")).unwrap();
            assert!(["0\n", "2\n"].contains(&status.as_str()), "{tool} {output}: {status}");
            let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
            let written: usize = files.iter().map(|name| bytes(name).len()).sum();
            assert!(files.is_empty() || written == bytes("games.vf").len(), "{tool} {output}");
            if tool.starts_with("shuffle") {
                assert_eq!(bytes("mixed.vf"), bytes("wanted.vf"), "{output}");
            }
            files.iter().for_each(|name| fs::remove_file(folder.join(name)).unwrap());
        }
    }
}

#[test]
fn short_files_of_other_kinds_are_kept() {
    let folder = folder("short");
    for text in ["x", "a note of mine", "exactly thirty-one bytes of mine"] {
        fs::write(folder.join("note.vf"), text).unwrap();
        let run = sh(&folder, "$DATAGEN --output note.vf --games 1 $HOW");
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        let error = String::from_utf8(run.stderr).unwrap();
        assert!(error.lines().count() == 1 && error.contains("note.vf"), "{error}");
        assert_eq!(fs::read_to_string(folder.join("note.vf")).unwrap(), text);
    }
}

#[test]
fn games_go_into_regular_files_alone() {
    let folder = folder("irregular");
    for make in ["mkfifo to", "rm to; mkdir to"] {
        let run = sh(&folder, &format!("{make}; $DATAGEN --output to --games 1 $HOW"));
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        let error = String::from_utf8(run.stderr).unwrap();
        assert_eq!(error, "heddle: to: not a regular file\n");
    }
}

#[test]
fn a_full_disk_leaves_nothing_in_the_way() {
    let folder = folder("full");
    let games = play(&folder, "games.vf", 30);
    assert!(games.len() > 5 << 10);
    for tool in ["shuffle games.vf -o new.vf", "split games.vf --fraction 0.01 -o new.vf newer.vf"]
    {
        // The limit counts blocks of 512 or 1024 bytes; a program that ignores the signal gets an
        // error as from a full disk.
        let run = sh(&folder, &format!("trap '' XFSZ; ulimit -f 4; exec $DATA {tool}"));
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        assert_eq!(String::from_utf8(run.stderr).unwrap().lines().count(), 1);
        assert_eq!(names(&folder), ["games.vf"], "{tool}");
        let again = sh(&folder, &format!("exec $DATA {tool}"));
        assert!(again.status.success(), "{again:?}");
        assert!(fs::metadata(folder.join("new.vf")).unwrap().len() > 4 << 10);
        let _ = [fs::remove_file(folder.join("new.vf")), fs::remove_file(folder.join("newer.vf"))];
    }
    let run =
        sh(&folder, "trap '' XFSZ; ulimit -f 4; exec $DATAGEN --output cut.vf --games 30 $HOW");
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    assert_eq!(play(&folder, "cut.vf", 30), games, "the same command completes the file");
}

#[test]
fn rescoring_on_a_full_disk_can_be_continued() {
    let folder = folder("full rescoring");
    play(&folder, "games.vf", 20);
    let rescore =
        "$DATA rescore games.vf -o new.vf --nodes 20 --one-in 4 --hash 1 --eval classical";
    let run = sh(&folder, &format!("trap '' XFSZ; ulimit -f 4; exec {rescore}"));
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    let cut = fs::read(folder.join("new.vf")).unwrap();
    assert!(!cut.is_empty() && cut.len() <= 4 << 10);
    assert!(sh(&folder, rescore).status.success());
    let whole = fs::read(folder.join("new.vf")).unwrap();
    assert!(whole.starts_with(&cut) && whole.len() > cut.len());
    let again = sh(&folder, &rescore.replace("new.vf", "again.vf"));
    assert!(again.status.success(), "{again:?}");
    assert_eq!(fs::read(folder.join("again.vf")).unwrap(), whole);
}

#[test]
fn a_split_gives_both_files_or_none() {
    let folder = folder("both");
    play(&folder, "games.vf", 4);
    let run = sh(&folder, "$DATA split games.vf --fraction 0.5 -o new.vf new.vf");
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    assert_eq!(names(&folder), ["games.vf"]);
}

#[test]
fn a_second_run_on_the_same_file_is_refused() {
    let folder = folder("locked");
    let first = Endless::start(&folder);
    let second = sh(&folder, "$DATAGEN --output games.vf --games 1000000 $HOW");
    drop(first);
    assert_eq!(second.status.code(), Some(2), "{second:?}");
    let error = String::from_utf8(second.stderr).unwrap();
    assert_eq!(error, "heddle: games.vf: another run is writing to this file\n");
    let games = heddle_selfplay::open(&folder.join("games.vf")).unwrap();
    let games: Vec<_> = games.map(|game| game.unwrap()).collect();
    assert!(games.windows(2).all(|pair| pair[0] != pair[1]), "no game is written twice");
    play(&folder, "games.vf", games.len() + 2); // the lock ended with its run
}

#[test]
fn an_interrupted_run_reports_the_signal_and_can_be_continued() {
    // A shell shows the first status as 130.
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let folder = folder(&format!("interrupted by {signal}"));
        if is_ignored(&folder, signal) {
            println!("skipped: whoever started the test ignores SIG{signal}, and so would the run");
            continue;
        }
        let run = Endless::start(&folder);
        assert!(sh(&folder, &format!("kill -{signal} {}", run.0.id())).status.success());
        assert_eq!(run.end().signal(), Some(number));
        let found = fs::read(folder.join("games.vf")).unwrap();
        let games = heddle_selfplay::open(&folder.join("games.vf")).unwrap().count();
        let continued = play(&folder, "games.vf", games + 2);
        let wanted = play(&folder, "wanted.vf", games + 2);
        assert_eq!(continued, wanted);
        assert!(wanted.starts_with(&found), "what was there is kept");
    }
}

/// Whether the programs that this one starts ignore a signal: they inherit that, as a shell does.
fn is_ignored(folder: &Path, signal: &str) -> bool {
    sh(folder, &format!("kill -{signal} $$; echo alive")).stdout == b"alive\n"
}

/// A run that would take days; dropping it kills the process.
struct Endless(Child);

impl Endless {
    /// Starts a run and waits until it has written some bytes of `games.vf`.
    fn start(folder: &Path) -> Self {
        let mut run = Command::new(DATAGEN);
        run.current_dir(folder).args(HOW.split(' ')).stderr(Stdio::null());
        run.args(["--output", "games.vf", "--games", "1000000"]);
        let run = Self(run.spawn().unwrap());
        let file = folder.join("games.vf");
        wait(|| fs::metadata(&file).is_ok_and(|metadata| metadata.len() >= 1000));
        run
    }

    /// Waits until it has ended by itself.
    fn end(mut self) -> ExitStatus {
        wait(|| self.0.try_wait().unwrap().is_some());
        self.0.wait().unwrap()
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for something that happens soon.
#[track_caller]
fn wait(mut has_happened: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !has_happened() {
        assert!(Instant::now() < end, "waited in vain");
        thread::sleep(Duration::from_millis(10));
    }
}
