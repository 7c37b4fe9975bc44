//! Several ranks on this machine, through `mpirun`. Skipped with a line where there is none.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};
use std::{fs, thread};

use crate::mpirun::{FLAGS, PATIENCE, PROGRAM, has_mpirun};
use heddle::position::{Game, Position};

/// A running cluster; dropping it kills it.
struct Cluster {
    process: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    complaint: Option<JoinHandle<String>>,
}

impl Cluster {
    fn with_ranks(ranks: usize) -> Self {
        Self::start(&["-n", &ranks.to_string(), PROGRAM])
    }

    fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new("mpirun")
            .args(FLAGS)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let (sender, output) = channel();
        thread::spawn(move || {
            stdout.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        let mut stderr = process.stderr.take().unwrap();
        let complaint = thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Self { input: process.stdin.take(), process, output, complaint: Some(complaint) }
    }

    fn send(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Everything up to and including the first line that begins with `prefix`.
    fn until(&mut self, prefix: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.output.recv_timeout(PATIENCE).expect("the cluster hangs or is gone"));
            if lines.last().is_some_and(|line: &String| line.starts_with(prefix)) {
                return lines;
            }
        }
    }

    /// Searches until `workers` workers vote on the move, and returns the last answer: on a busy
    /// machine a rank may answer too late once.
    fn search(&mut self, go: &str, workers: usize) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.send(&format!("{go}\n"));
            let answer = self.until("bestmove ");
            if voters(&answer) == workers {
                return answer;
            }
            assert!(Instant::now() < deadline, "not {workers} workers: {answer:?}");
        }
    }

    /// The process of rank `rank`: a child of `mpirun` that is told its rank.
    fn process_of(&self, rank: usize) -> u32 {
        let children = format!("/proc/{0}/task/{0}/children", self.process.id());
        let told = format!("OMPI_COMM_WORLD_RANK={rank}");
        let is_it = |pid: &u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|word| word == told.as_bytes())
        };
        let text = fs::read_to_string(children).unwrap();
        text.split_whitespace().map(|pid| pid.parse().unwrap()).find(is_it).unwrap()
    }

    fn signal(&self, rank: usize, signal: &str) {
        let pid = self.process_of(rank).to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// Waits for the end: the status, the rest of the output, and standard error.
    fn end(mut self) -> (ExitStatus, Vec<String>, String) {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            sleep(Duration::from_millis(5));
        };
        let complaint = self.complaint.take().unwrap().join().unwrap();
        (status, self.output.iter().collect(), complaint)
    }

    /// Quits; nothing may be left to say.
    fn quit(mut self) {
        self.send("quit\n");
        let (status, rest, complaint) = self.end();
        assert!(
            status.success() && rest.is_empty() && complaint.is_empty(),
            "{rest:?} {complaint}"
        );
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn count(lines: &[String], part: &str) -> usize {
    lines.iter().filter(|line| line.contains(part)).count()
}

/// The workers that have voted, as `debug on` tells.
fn voters(answer: &[String]) -> usize {
    answer.iter().filter(|line| line.starts_with("info string worker ")).count()
}

#[test]
fn one_rank_searches_what_the_engine_does() {
    if !has_mpirun() {
        return;
    }
    let signature = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench.signature");
    let signature = fs::read_to_string(signature).unwrap();
    let mut cluster = Cluster::with_ranks(1);
    cluster.send("bench\n");
    cluster.until(&format!("{} nodes ", signature.trim()));
    cluster.quit();
}

#[test]
fn all_ranks_search_vote_and_follow_the_options() {
    if !has_mpirun() {
        return;
    }
    for ranks in [2, 4] {
        let mut cluster = Cluster::with_ranks(ranks);
        cluster.send("debug on\nposition startpos moves e2e4 e7e5\n");
        cluster.search("go nodes 40000", ranks);
        cluster.send("setoption name Threads value 2\n");
        let answer = cluster.search("go depth 6 searchmoves g1f3", 2 * ranks);
        assert!(answer.last().unwrap().starts_with("bestmove g1f3"), "{answer:?}");
        cluster.quit();
    }
}

#[test]
fn a_game_is_played_to_its_end() {
    if !has_mpirun() {
        return;
    }
    let mut cluster = Cluster::with_ranks(2);
    cluster.send("setoption name Hash value 2\nucinewgame\n");
    let mut game = Game::new(Position::from_fen("8/8/8/4k3/8/8/4P3/R3K3 w Q - 0 1").unwrap());
    let start = game.position().fen();
    let mut moves = String::new();
    for _ in 0..200 {
        if game.position().legal_moves().is_empty() || game.is_draw() {
            break;
        }
        cluster.send(&format!("position fen {start} moves{moves}\ngo nodes 3000\n"));
        let answer = cluster.until("bestmove ").pop().unwrap();
        let best = answer.split_whitespace().nth(1).unwrap();
        game.play(game.position().parse_move(best).unwrap());
        moves += &format!(" {best}");
    }
    assert!(game.position().is_checkmate(), "{moves}");
    cluster.quit();
}

#[test]
fn commands_during_a_search_do_what_they_do_on_one_machine() {
    if !has_mpirun() {
        return;
    }
    let mut cluster = Cluster::with_ranks(2);
    cluster.send("go infinite\nisready\n");
    cluster.until("readyok");
    cluster.send("setoption name Threads value 2\nsetoption name Hash value 1\nstop\nisready\n");
    assert_eq!(count(&cluster.until("readyok"), "bestmove"), 1);
    cluster.send("go infinite\nstop\ngo depth 3\n");
    cluster.until("bestmove ");
    cluster.until("bestmove ");
    cluster.send("go infinite\nquit\n");
    let (status, _, complaint) = cluster.end();
    assert!(status.success() && complaint.is_empty(), "{status} {complaint}");
    // At the end of input what has an end is finished.
    let mut cluster = Cluster::with_ranks(2);
    cluster.send("go depth 5\n");
    cluster.input = None;
    cluster.until("bestmove ");
    let (status, rest, complaint) = cluster.end();
    assert!(status.success() && rest.is_empty() && complaint.is_empty(), "{status} {complaint}");
}

#[test]
fn a_rank_that_dies_ends_them_all() {
    if !has_mpirun() {
        return;
    }
    for rank in [0, 1] {
        let mut cluster = Cluster::with_ranks(2);
        cluster.send("go infinite\nisready\n");
        cluster.until("readyok");
        cluster.signal(rank, "-KILL");
        let (status, ..) = cluster.end();
        assert!(!status.success());
    }
}

#[test]
fn a_rank_that_hangs_is_left_out_until_it_answers() {
    if !has_mpirun() {
        return;
    }
    let mut cluster = Cluster::with_ranks(2);
    cluster.send("debug on\ngo infinite\nisready\n");
    cluster.until("readyok");
    cluster.signal(1, "-STOP");
    cluster.send("stop\n");
    let answer = cluster.until("bestmove ");
    assert_eq!((count(&answer, "rank 1 does not answer"), voters(&answer)), (1, 1), "{answer:?}");
    cluster.send("go depth 4\n");
    let answer = cluster.until("bestmove ");
    assert_eq!((count(&answer, "does not answer"), voters(&answer)), (0, 1), "{answer:?}");
    // Half a minute each, if they waited for it.
    for mebibytes in 1..=8 {
        cluster.send(&format!("setoption name Hash value {mebibytes}\n"));
    }
    cluster.send("isready\n");
    cluster.until("readyok");
    cluster.signal(1, "-CONT");
    cluster.search("go nodes 2000", 2);
    cluster.signal(1, "-STOP");
    cluster.send("quit\n");
    let (status, _, complaint) = cluster.end();
    assert!(!status.success());
    assert!(complaint.contains("a rank does not answer; all are ended"), "{complaint}");
}

#[test]
fn a_rank_with_other_options_is_refused() {
    if !has_mpirun() {
        return;
    }
    let cluster = Cluster::start(&["-n", "1", PROGRAM, ":", "-n", "1", PROGRAM, "--batch", "5"]);
    let (status, output, complaint) = cluster.end();
    assert!(!status.success() && output.is_empty());
    let line = "heddle-cluster: another version, network or options on rank 1";
    assert_eq!(complaint.matches(line).count(), 1, "{complaint}");
}

#[test]
fn a_rank_without_the_network_takes_no_part() {
    if !has_mpirun() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let network = fs::read_dir(root.join("nets")).unwrap().filter_map(Result::ok);
    let network = network.map(|entry| entry.path()).find(|path| {
        path.extension().is_some_and(|extension| extension == "net" || extension == "nnue")
    });
    let folders = ["with", "without"].map(|name| Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
    folders.iter().for_each(|folder| fs::create_dir_all(folder).unwrap());
    fs::copy(network.expect("there is a network"), folders[0].join("own.net")).unwrap();
    let [with, without] = folders.each_ref().map(|folder| folder.to_str().unwrap());
    let arguments = ["-n", "1", "-wdir", with, PROGRAM, ":", "-n", "1", "-wdir", without, PROGRAM];
    let mut cluster = Cluster::start(&arguments);
    cluster.send("debug on\nsetoption name EvalFile value <classical>\n");
    cluster.send("setoption name EvalFile value own.net\ngo depth 3\n");
    let answer = cluster.until("bestmove ");
    assert_eq!(count(&answer, "it takes no part until it agrees"), 1, "{answer:?}");
    assert_eq!(voters(&answer), 1, "{answer:?}");
    cluster.send("setoption name EvalFile value <classical>\n");
    cluster.search("go depth 3", 2);
    cluster.quit();
}
