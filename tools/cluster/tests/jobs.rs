//! Work that ranks on this machine share, through `mpirun`, with processes killed on the way.
//! Skipped with a line where there is no `mpirun`. The tools lie beside this program:
//! `make cluster-check` builds them.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::mpirun::{FLAGS, PATIENCE, PROGRAM, has_mpirun};

/// Tells the processes of one test from those of the others.
const MARK: &str = "HEDDLE_TEST_JOB";

/// A folder for one test.
struct Place {
    name: &'static str,
    folder: PathBuf,
}

impl Place {
    fn new(name: &'static str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jobs").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self { name, folder }
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.folder.join(file), text).unwrap();
    }

    /// The content of a file, nothing if there is none.
    fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.folder.join(file)).unwrap_or_default()
    }

    fn text(&self, file: &str) -> String {
        String::from_utf8(self.read(file)).unwrap()
    }

    fn command(&self, program: impl AsRef<Path>, arguments: &str) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(&self.folder).args(arguments.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a tool in one process.
    fn alone(&self, arguments: &str) -> Output {
        let heddle = Path::new(PROGRAM).with_file_name("heddle");
        assert!(heddle.exists(), "{} is not built; try make cluster-check", heddle.display());
        self.command(heddle, arguments).output().unwrap()
    }

    /// Starts a tool on several ranks.
    fn start(&self, flags: &str, ranks: usize, arguments: &str) -> Child {
        let mut command = self.command("mpirun", flags);
        command.args(FLAGS).args(["-n", &ranks.to_string(), PROGRAM]);
        command.args(arguments.split_whitespace()).env(MARK, self.name).spawn().unwrap()
    }

    fn shared(&self, ranks: usize, arguments: &str) -> Output {
        end(self.start("", ranks, arguments))
    }

    /// Waits until something is there.
    fn until<T>(&self, mut found: impl FnMut() -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = found() {
                return found;
            }
            assert!(Instant::now() < deadline, "{}: it does not come", self.name);
            sleep(Duration::from_millis(2));
        }
    }

    /// The processes of a rank: those that work if `is_hand`, otherwise the one that speaks MPI.
    fn processes(&self, rank: usize, is_hand: bool) -> Vec<String> {
        let ours = format!("{MARK}={}", self.name);
        let rank = format!("OMPI_COMM_WORLD_RANK={rank}");
        let role = is_hand.then_some(&b"HEDDLE_HANDS=hand"[..]);
        let is_it = |pid: &String| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let mut words = environment.split(|&byte| byte == 0);
            let has = |word: &str| words.clone().any(|w| w == word.as_bytes());
            has(&ours) && has(&rank) && words.find(|w| w.starts_with(b"HEDDLE_HANDS=")) == role
        };
        let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        all.filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
            .filter(is_it)
            .collect()
    }

    /// Kills the process of a rank that works, or the one that speaks MPI, once `file` has grown.
    fn kill(&self, rank: usize, is_hand: bool, file: &str) {
        let before = self.read(file).len();
        self.until(|| (self.read(file).len() > before).then_some(()));
        let pid = self.until(|| self.processes(rank, is_hand).pop());
        let kill = format!("kill -KILL {pid}");
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Waits until no hand of a rank is left.
    fn until_gone(&self, rank: usize) {
        self.until(|| self.processes(rank, true).is_empty().then_some(()));
    }
}

/// Waits for the end.
fn end(mut process: Child) -> Output {
    let deadline = Instant::now() + PATIENCE;
    while process.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            let _ = process.kill();
            panic!("it does not end: {:?}", process.wait_with_output());
        }
        sleep(Duration::from_millis(5));
    }
    process.wait_with_output().unwrap()
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Games, some much longer than others, so that they are done in another order.
fn games(count: usize) -> String {
    let short = "[White \"Short\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n";
    let long =
        "[White \"Long\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 *\n\n";
    (0..count).map(|number| if number % 3 == 0 { long } else { short }).collect()
}

const ANNOTATE: &str = "annotate games.pgn --threads 1 --hash 1 --nodes 3000 --pgn";

#[test]
fn games_are_annotated_as_in_one_process() {
    if !has_mpirun() {
        return;
    }
    let place = Place::new("annotate");
    place.write("games.pgn", &(games(20) + "1. e4 Ke4 *\n"));
    let alone = place.alone(&format!("{ANNOTATE} alone.pgn"));
    for (ranks, hands) in [(1, ""), (3, ""), (2, "--hands 2")] {
        let shared = place.shared(ranks, &format!("{hands} {ANNOTATE} shared.pgn"));
        assert!(place.text("alone.pgn") == place.text("shared.pgn"), "{}", complaint(&shared));
        assert_eq!(shared.status.code(), alone.status.code(), "a game cannot be read");
        let told = complaint(&shared).matches("game 21: move 1: illegal move: Ke4").count();
        assert_eq!(told, 1, "{}", complaint(&shared));
    }
}

#[test]
fn a_suite_is_solved_as_in_one_process() {
    if !has_mpirun() {
        return;
    }
    let place = Place::new("suite");
    let mate = "6k1/5ppp/8/8/8/8/8/R3K2R w - - bm Ra8#; id \"mate";
    let lines = (0..9).map(|number| format!("{mate} {number}\";\n")).collect::<String>();
    place.write("suite.epd", &(lines + "4k3/8/8/8/8/8/8/4K3 w - - id \"no task\";\n"));
    let suite = "suite suite.epd --threads 1 --hash 1 --nodes 2000 --epd";
    let alone = place.alone(&format!("{suite} alone.epd"));
    let shared = place.shared(3, &format!("{suite} shared.epd"));
    assert_eq!(shared.status.code(), alone.status.code());
    let without_times = |file: &str| {
        let text = place.text(file);
        assert_eq!(text.lines().count(), 9, "{text}");
        let line = |line: &str| line.split(" acs ").next().unwrap().to_owned();
        text.lines().map(line).collect::<Vec<_>>()
    };
    assert_eq!(without_times("shared.epd"), without_times("alone.epd"));
    let rows = String::from_utf8(shared.stdout).unwrap();
    assert!(rows.contains(" 10/10 left out  no task: "), "{rows}");
    assert!(rows.lines().last().unwrap().starts_with("solved 9 of 9 "), "{rows}");
}

const DATAGEN: &str = "datagen --seed 3 --nodes 300 --threads 1 --games 30 --output";

/// A place where `alone.vf` has the games of [`DATAGEN`].
fn datagen(name: &'static str) -> Place {
    let place = Place::new(name);
    assert!(place.alone(&format!("{DATAGEN} alone.vf")).status.success());
    place
}

#[test]
fn games_are_generated_as_in_one_process() {
    if !has_mpirun() {
        return;
    }
    let place = datagen("datagen");
    let shared = place.shared(3, &format!("{DATAGEN} shared.vf"));
    assert!(shared.status.success(), "{}", complaint(&shared));
    assert!(place.read("shared.vf") == place.read("alone.vf"));
    // The seed is drawn once, not by every process.
    let drawn = "datagen --nodes 300 --games 6 --output";
    assert!(place.shared(2, &format!("{drawn} drawn.vf")).status.success());
}

#[test]
fn a_match_is_played_as_in_one_process() {
    if !has_mpirun() {
        return;
    }
    let place = Place::new("match");
    let games = "match --engine option.Hash=1 --engine option.Hash=2 --nodes 400 --games 8";
    let alone = place.alone(&format!("{games} --concurrency 1 --games-file alone.txt"));
    let shared = place.shared(3, &format!("{games} --games-file shared.txt --pgn shared.pgn"));
    assert!(alone.status.success() && shared.status.success(), "{}", complaint(&shared));
    let results = |file: &str| {
        let text = place.text(file);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(results("shared.txt"), results("alone.txt"));
    assert_eq!(place.text("shared.pgn").matches("[Result ").count(), 8);
}

#[test]
fn a_process_that_dies_costs_its_unit_alone() {
    if !has_mpirun() {
        return;
    }
    for rank in [0, 1] {
        let place = datagen(["hand of the first", "hand of another"][rank]);
        let process = place.start("", 2, &format!("{DATAGEN} shared.vf"));
        place.kill(rank, true, "shared.vf");
        let output = end(process);
        assert!(output.status.success(), "{}", complaint(&output));
        let line = format!("rank {rank}: a process has died; its work is done again");
        assert_eq!(complaint(&output).matches(&line).count(), 1, "{}", complaint(&output));
        assert!(place.read("shared.vf") == place.read("alone.vf"));
    }
}

#[test]
fn a_rank_that_dies_costs_its_unit_alone_if_mpi_goes_on() {
    if !has_mpirun() {
        return;
    }
    let place = datagen("rank");
    let process = place.start("--enable-recovery", 3, &format!("{DATAGEN} shared.vf"));
    place.kill(1, false, "shared.vf");
    let output = end(process);
    let said = complaint(&output);
    assert_eq!(said.matches("rank 1 is silent; others do its work").count(), 1, "{said}");
    assert!(output.status.success() && place.read("shared.vf") == place.read("alone.vf"), "{said}");
    place.until_gone(1);
}

#[test]
fn a_job_that_mpi_has_ended_goes_on_where_it_was() {
    if !has_mpirun() {
        return;
    }
    let place = datagen("aborted");
    for (flags, rank) in [("", 1), ("", 0), ("--enable-recovery", 0)] {
        let process = place.start(flags, 2, &format!("{DATAGEN} shared.vf"));
        place.kill(rank, false, "shared.vf");
        let _ = end(process);
        (0..2).for_each(|rank| place.until_gone(rank));
    }
    let begun = place.read("shared.vf").len();
    assert!(begun > 0);
    let output = place.shared(2, &format!("{DATAGEN} shared.vf"));
    assert!(output.status.success(), "{}", complaint(&output));
    assert!(place.read("shared.vf") == place.read("alone.vf"));
}

#[test]
fn a_tool_that_fails_ends_all_ranks() {
    if !has_mpirun() {
        return;
    }
    let place = Place::new("fails");
    for (arguments, line) in [
        ("annotate none.pgn", "heddle: cannot read none.pgn: "),
        ("datagen --games", "heddle: a value is required for '--games"),
    ] {
        let output = place.shared(2, arguments);
        assert_eq!(output.status.code(), Some(2), "{}", complaint(&output));
        assert_eq!(complaint(&output).matches(line).count(), 1, "{}", complaint(&output));
    }
    // The hands say why they do not start.
    place.write("games.pgn", &games(3));
    let output = place.shared(2, "annotate games.pgn --pgn a.pgn --eval none.nnue");
    assert_eq!(output.status.code(), Some(2), "{}", complaint(&output));
    let line = "heddle-cluster: no rank can start the tool";
    assert_eq!(complaint(&output).matches(line).count(), 1, "{}", complaint(&output));
}

#[test]
fn ranks_with_different_command_lines_are_refused() {
    if !has_mpirun() {
        return;
    }
    let place = Place::new("strangers");
    let ranks = format!("-n 1 {PROGRAM} suite a.epd : -n 1 {PROGRAM} suite b.epd");
    let output = place.command("mpirun", &format!("{} {ranks}", FLAGS.join(" "))).output().unwrap();
    let line = "heddle-cluster: another version or command line on rank 1";
    assert_eq!(complaint(&output).matches(line).count(), 1, "{}", complaint(&output));
}

#[test]
fn without_a_command_there_is_help() {
    let output = Command::new(PROGRAM).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(complaint(&output).contains("Usage: heddle-cluster [OPTIONS] <COMMAND>"), "{output:?}");
}
