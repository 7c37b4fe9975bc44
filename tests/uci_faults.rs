//! Faults around an engine: a GUI that sends nonsense, dies, or does not read.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]
#![cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, unused_imports, reason = "only Linux tells the threads of a process")
)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::common::{Engine, count, spawn, wait};
use heddle::position::{Move, Position, Role, START_FEN as START, uci};

/// A running engine whose pipes belong to the test.
struct Bare {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Bare {
    fn start() -> Self {
        let mut process = spawn();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self { process, input, output }
    }

    fn send(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).unwrap();
    }
}

/// Asserts that `process` exits successfully and writes nothing to standard error.
fn ends_well(mut process: Child, what: &str) {
    let Some(status) = wait(&mut process) else {
        let _ = process.kill();
        panic!("{what}: the engine does not end");
    };
    let mut complaint = String::new();
    process.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    assert!(status.success() && complaint.is_empty(), "{what}: {status}: {complaint}");
}

#[test]
fn a_gui_that_died_is_noticed_in_every_state() {
    for state in [
        "uci\n",
        "go infinite\n",
        "setoption name Threads value 4\ngo infinite\n",
        "go depth 100\n",
        "go ponder wtime 1000 btime 1000\n",
        "go infinite depth 2\n",
        "position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\ngo infinite\nisready\n",
        "perft 5\nuci\n",
        "perft 13\n",
        "go infinite\nperft 13\n",
        "speedtest 1 1 1000\n",
        "bench 1 1 1000000000 default nodes\n",
    ] {
        // The GUI closes the pipe it reads from and keeps the other open.
        let Bare { process, mut input, output } = Bare::start();
        drop(output);
        // The engine may have noticed before the second line is sent.
        let _ = input.write_all(state.as_bytes());
        let _ = input.write_all(b"isready\n");
        ends_well(process, state);
        // The GUI dies and both pipes close, whichever the engine notices first.
        let mut bare = Bare::start();
        bare.send(state);
        drop(bare.output);
        drop(bare.input);
        ends_well(bare.process, state);
    }
}

#[test]
fn a_gui_that_dies_while_the_engine_writes_is_noticed() {
    let mut bare = Bare::start();
    // Far more than a pipe holds: the engine is stuck in the middle of the write.
    bare.send(&"uci\n".repeat(2000));
    let mut begun = [0; 100];
    bare.output.read_exact(&mut begun).unwrap();
    drop(bare.output);
    ends_well(bare.process, "in the middle of a write");
}

#[test]
fn a_full_output_loses_nothing() {
    const TIMES: usize = 2000;
    let mut bare = Bare::start();
    bare.send("setoption name Threads value 2\ngo infinite\n");
    bare.send(&"uci\nisready\n".repeat(TIMES));
    bare.send("stop\ngo depth 3\n");
    // Nothing has been read so far, and there is more than a pipe can hold.
    std::thread::sleep(Duration::from_millis(100));
    let Bare { process, input, output } = bare;
    let reader = std::thread::spawn(move || {
        BufReader::new(output).lines().map(Result::unwrap).collect::<Vec<String>>()
    });
    drop(input);
    ends_well(process, "full");
    let lines = reader.join().unwrap();
    assert_eq!(count(&lines, "readyok"), TIMES);
    assert_eq!(count(&lines, "uciok"), TIMES);
    assert_eq!(count(&lines, "bestmove "), 2);
}

/// A flood of lines for an engine whose output nobody reads: it stops reading too, and nothing is
/// lost once the output is read.
#[test]
fn a_flood_is_not_kept_in_memory() {
    const FLOOD: usize = 8 << 20;
    const LINE: &[u8] = b"isready\n";
    /// If no byte is accepted for this long, the engine counts as having stopped reading.
    const STANDSTILL: Duration = Duration::from_millis(300);
    let Bare { process, mut input, output } = Bare::start();
    let taken = Arc::new(AtomicUsize::new(0));
    let writer = std::thread::spawn({
        let taken = Arc::clone(&taken);
        move || {
            let block = LINE.repeat(512);
            while taken.load(Relaxed) < FLOOD {
                input.write_all(&block).unwrap();
                taken.fetch_add(block.len(), Relaxed);
            }
            input.write_all(b"quit\n").unwrap();
            taken.load(Relaxed) / LINE.len()
        }
    });
    let mut before = usize::MAX;
    while before != taken.load(Relaxed) && !writer.is_finished() {
        before = taken.load(Relaxed);
        std::thread::sleep(STANDSTILL);
    }
    let swallowed = taken.load(Relaxed);
    // Once its output is read, the engine goes on reading until the flood and the `quit` are
    // through.
    let reader = std::thread::spawn(move || BufReader::new(output).lines().count());
    let sent = writer.join().unwrap();
    ends_well(process, "a flood");
    assert_eq!(reader.join().unwrap(), sent, "readyok");
    assert!(swallowed < FLOOD, "{swallowed} bytes");
}

/// An input that provides a few lines and then waits, like a GUI's pipe.
struct Waiting {
    lines: Receiver<u8>,
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Ok(byte) = self.lines.recv() else { return Ok(0) };
        buffer[0] = byte;
        Ok(1)
    }
}

/// An output that is closed after this many lines.
struct Closing(usize);

impl heddle::uci::AnswerStream for Closing {}

impl Write for Closing {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The names of this process's threads.
#[cfg(target_os = "linux")]
fn threads() -> Vec<String> {
    std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .collect()
}

/// The reading thread cannot be joined: it waits for a line that may never come.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_output_leaves_no_thread_behind_but_the_one_that_reads() {
    for script in [
        "setoption name Threads value 4\nisready\ngo infinite\n",
        "setoption name Threads value 4\nisready\ngo ponder depth 2\nisready\n",
        "setoption name Threads value 4\nisready\nperft 12\nisready\n",
        "setoption name Threads value 4\nisready\nbench 100 2 1\nisready\n",
    ] {
        let (sender, lines) = channel();
        script.bytes().for_each(|byte| sender.send(byte).unwrap());
        let input = BufReader::new(Waiting { lines });
        heddle::uci::run(input, Closing(1)).unwrap();
        let left = threads();
        let is_ours = |name: &&String| name.starts_with("worker-") || name.starts_with("job");
        assert_eq!(left.iter().find(is_ours), None, "{script}: {left:?}");
        drop(sender);
    }
}

#[test]
fn options_set_during_a_search_take_effect_after_it() {
    let mut engine = Engine::with_threads(2);
    for (option, value) in [("Threads", 4), ("Hash", 3), ("Threads", 1), ("MultiPV", 3)] {
        engine.send(&format!(
            "go infinite\nsetoption name {option} value {value}\nisready\nisready\n"
        ));
        let lines = [engine.until("readyok"), engine.until("readyok")].concat();
        assert_eq!(count(&lines, "bestmove"), 0, "{option}: {lines:?}");
        engine.send("stop\n");
        engine.best_move(START);
        engine.send("go depth 2\n");
        engine.best_move(START);
    }
    engine.quit();
}

#[test]
fn a_position_sent_during_a_search_is_the_next_one() {
    let mut engine = Engine::with_threads(4);
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    for _ in 0..20 {
        engine.send("position startpos\ngo infinite\nposition startpos moves e2e4\nisready\n");
        let lines = engine.until("readyok");
        assert_eq!(count(&lines, "bestmove"), 0, "{lines:?}");
        engine.send("stop\ngo depth 1\n");
        engine.best_move(START);
        engine.best_move(after);
    }
    engine.quit();
}

#[test]
fn a_second_go_waits_while_searching_pondering_and_held() {
    let mut engine = Engine::with_threads(4);
    for first in ["go infinite", "go ponder wtime 1000 btime 1000", "go infinite depth 1"] {
        engine.send(&format!("{first}\ngo depth 1\ngo infinite\nisready\n"));
        assert_eq!(count(&engine.until("readyok"), "bestmove "), 0, "{first}");
        engine.send("stop\n");
        engine.best_move(START);
        engine.best_move(START);
        assert!(engine.keeps_waiting(), "{first}");
        engine.send("stop\n");
        engine.best_move(START);
    }
    engine.quit();
}

#[test]
fn positions_that_contradict_themselves_are_read_or_refused_with_a_line() {
    let refused = [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no king at all"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "no white king"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "no black king"),
        ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "two kings of a side"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "a king that can be taken"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn on the last rank"),
        ("4k3/8/8/8/8/8/8/p3K3 b - - 0 1", "a pawn on the last rank"),
        ("p3k3/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn on its own first rank"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "nobody to move"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", "no such square"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1", "no such clock"),
    ];
    let read = [
        ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "castling without rooks"),
        ("r3k2r/8/8/8/8/8/8/R2K3R w KQkq - 0 1", "castling with a king elsewhere"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1", "en passant of nothing"),
        ("4k3/8/8/8/8/8/8/4K3 w - e3 0 1", "en passant of the wrong side"),
        ("QQQQQ3/QQQQQ3/7k/8/8/8/8/K7 w - - 0 1", "ten queens"),
        ("4k3/QQQQQ3/QQQQQ3/8/8/8/8/4K3 b - - 0 1", "ten queens that mate"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 500 900", "clocks of another world"),
        ("4k3/8/8/8/8/8/8/4K3 b", "no clocks"),
    ];
    let mut engine = Engine::with_threads(4);
    for (fen, what) in refused {
        engine.send(&format!("position startpos\nposition fen {fen}\ngo depth 2\n"));
        let lines = engine.until("bestmove ");
        assert_eq!(count(&lines, "info string position unchanged: "), 1, "{what}: {lines:?}");
        assert_eq!(lines.last().unwrap(), "bestmove 0000", "{what}");
    }
    for (fen, what) in read {
        engine.send(&format!("position fen {fen}\nisready\n"));
        assert_eq!(engine.until("readyok").len(), 1, "{what}");
        engine.send("go depth 3\n");
        let lines = engine.until("bestmove ");
        let best = lines.last().unwrap().split_whitespace().nth(1).unwrap().to_owned();
        let position = Position::from_fen(fen).unwrap();
        if position.legal_moves().is_empty() {
            assert_eq!(best, "(none)", "{what}");
        } else {
            position.parse_move(&best).unwrap();
        }
    }
    engine.quit();
}

#[test]
fn a_game_of_three_hundred_moves_is_played_on() {
    // A walk of legal moves, the same on every machine, that preserves the pieces.
    let mut position = Position::default();
    let (mut text, mut number) = (String::from("position startpos moves"), 1_usize);
    for _ in 0..600 {
        let legal = position.legal_moves();
        number =
            number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let from = (number >> 33) % legal.len();
        let goes_on = |&m: &Move| !position.play(m).legal_moves().is_empty();
        let mut moves = legal.iter().copied().cycle().skip(from).take(legal.len()).filter(goes_on);
        let is_quiet = |m: &Move| !m.is_capture() && m.role() != Role::Pawn;
        let next = moves.clone().find(is_quiet).or_else(|| moves.next());
        let m = next.expect("a move does not end the game");
        text += " ";
        text += &uci(m, false);
        position = position.play(m);
    }
    let mut engine = Engine::with_threads(4);
    for _ in 0..3 {
        engine.send(&format!("{text}\ngo depth 4\n"));
        engine.best_move(&position.fen());
    }
    engine.quit();
}

/// Whoever shares a pipe with the engine may have made it non-blocking.
#[test]
#[cfg(unix)]
fn streams_that_do_not_block_are_waited_for() {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    const TIMES: usize = 3000;
    let pair = || {
        let (own, other) = UnixStream::pair().unwrap();
        other.set_nonblocking(true).unwrap();
        (own, OwnedFd::from(other))
    };
    let ((mut input, stdin), (output, stdout)) = (pair(), pair());
    let process = crate::common::command().stdin(stdin).stdout(stdout).spawn().unwrap();
    let mut lines = BufReader::new(output).lines().map(Result::unwrap);
    // The engine has nothing to read for a while.
    input.write_all(b"isready\n").unwrap();
    assert!(lines.any(|line| line == "readyok"));
    // Nobody reads its output for a while.
    input.write_all(&b"help\n".repeat(TIMES)).unwrap();
    input.write_all(b"quit\n").unwrap();
    let helped = lines.filter(|line| line.contains(" speaks UCI. ")).count();
    assert_eq!(helped, TIMES);
    ends_well(process, "non-blocking streams");
}

/// A folder whose name is not UTF-8, with the tablebases and a file of positions in it.
#[cfg(target_os = "linux")]
fn foreign_folder() -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt;
    let name = format!("heddle-uci-{} ", std::process::id());
    let name = [name.as_bytes(), b"\xc9checs"].concat();
    let folder = std::env::temp_dir().join(std::ffi::OsStr::from_bytes(&name));
    std::fs::create_dir_all(&folder).unwrap();
    let tables = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
    for entry in std::fs::read_dir(tables).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    std::fs::write(folder.join("x.epd"), "4k3/8/8/8/8/8/4P3/4K3 w - -\n").unwrap();
    folder
}

#[test]
#[cfg(target_os = "linux")]
fn a_path_may_have_spaces_and_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let folder = foreign_folder();
    let name = folder.as_os_str().as_bytes();
    let mut engine = Engine::start();
    let line = |before: &str, after: &str| [before.as_bytes(), name, after.as_bytes()].concat();
    engine.send_bytes(&line("setoption name SyzygyPath value ", "\n"));
    let found = engine.until("info string ").pop().unwrap();
    assert!(!found.contains("no tablebases"), "{found}");
    for line in [
        line("bench 1 1 1 ", "/x.epd depth\n"),
        line("bench 1 1 1 \"", "/x.epd\" depth\n"),
        line("bench 1 1 1 ", "/x.epd\n"),
        line("genfens 1 seed 1 book ", "/x.epd\nbench 1 1 1 current\n"),
        line("genfens 1 book \"", "/x.epd\" seed 1\nbench 1 1 1 current\n"),
    ] {
        engine.send_bytes(&line);
        let lines = engine.until_last_word("nps");
        assert!(!lines.iter().any(|line| line.contains("cannot")), "{lines:?}");
    }
    engine.send_bytes(&line("setoption name EvalFile value ", "/none.nnue\n"));
    let refused = engine.until("info string ").pop().unwrap();
    assert!(
        refused.contains("cannot read the network") && refused.contains('\u{fffd}'),
        "{refused}"
    );
    engine.quit();
    let pgn = folder.join(std::ffi::OsStr::from_bytes(b"m\xfc.pgn"));
    std::fs::write(&pgn, "1. e4 *\n").unwrap();
    let mut command = crate::common::command();
    command.arg("analyse").arg(pgn).args(["--depth", "1", "--hash", "1"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut command = crate::common::command();
    command.args(["bench", "1", "1", "1"]).arg(folder.join("x.epd")).arg("depth");
    assert!(command.output().unwrap().status.success());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_byte_order_mark_before_the_first_line_is_no_word() {
    let mut engine = Engine::start();
    engine.send("\u{feff}uci\nisready\n");
    assert!(engine.next().starts_with("id name Heddle "));
    engine.until("readyok");
    engine.quit();
    let mut engine = Engine::start();
    engine.send("\u{feff}position startpos moves e2e4\ngo depth 1\n");
    engine.best_move("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    engine.quit();
}
