//! The protocol from outside: drives the built binary through pipes, as a GUI would.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{Engine, count, spawn, wait};
use heddle::eval::nnue::network::Network;

const START: &str = heddle::position::START_FEN;
const MATED: &str = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
const STALEMATED: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
#[cfg(target_os = "linux")]
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1";

#[test]
fn the_handshake() {
    let mut engine = Engine::start();
    engine.send("uci\nisready\n");
    let lines = engine.until("uciok");
    assert!(lines[0].starts_with("id name Heddle "));
    assert!(lines.iter().any(|line| line.starts_with("option name Hash type spin default 16 ")));
    assert_eq!(engine.next(), "readyok");
    engine.send("quit\n");
    let (rest, status) = engine.finish();
    assert!(rest.is_empty() && status.success());
}

#[test]
fn a_search_to_a_depth_reports_every_depth() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4 e7e5\ngo depth 5\n");
    let lines = engine.until("bestmove ");
    for depth in 1..=5 {
        assert!(count(&lines, &format!("info depth {depth} ")) > 0, "{lines:?}");
    }
    let last = lines.iter().rfind(|line| line.starts_with("info depth ")).unwrap();
    let best = lines.last().unwrap().split_whitespace().nth(1).unwrap();
    assert_eq!(count(&lines, "info depth 5 "), 1, "the last line must not be repeated: {lines:?}");
    assert!(last.contains(" nodes ") && last.contains(" nps ") && last.contains(" time "));
    assert!(last.contains(&format!(" pv {best}")), "{last} then {best}");
    assert!(!last.contains("bound"), "{last}");
}

#[test]
fn a_search_of_so_many_nodes_ends() {
    let mut engine = Engine::start();
    engine.send("go nodes 2000\n");
    engine.best_move(START);
}

#[test]
fn a_search_takes_the_time_that_it_is_given() {
    const LONG: Duration = Duration::from_millis(2000);
    let mut engine = Engine::with_threads(2);
    let mut search = |limits: &str| {
        let start = Instant::now();
        engine.send(&format!("ucinewgame\ngo {limits}\n"));
        engine.best_move(START);
        start.elapsed()
    };
    let long = search(&format!("movetime {}", LONG.as_millis()));
    assert!(long >= LONG * 9 / 10, "{long:?} of {LONG:?}");
    for short in [
        "movetime 50",
        "movetime 0",
        "wtime 300 btime 300 winc 10 binc 10",
        "wtime 0 btime 0",
        "wtime -100 btime 100 movestogo 1",
    ] {
        // The fastest of several, so that other load on the machine does not matter.
        let shortest = (0..5).map(|_| search(short)).min().unwrap();
        assert!(shortest < LONG / 2, "{short}: {shortest:?}");
    }
}

#[test]
fn go_and_stop_in_one_write() {
    for threads in [1, 4] {
        let mut engine = Engine::with_threads(threads);
        for _ in 0..200 {
            engine.send("go infinite\nstop\n");
            engine.best_move(START);
        }
        engine.quit();
    }
}

#[test]
fn the_move_of_a_search_without_time_has_been_searched() {
    let mut engine = Engine::with_threads(2);
    for limits in ["infinite\nstop", "movetime 0", "wtime 1 btime 1", "ponder wtime 1\nponderhit"] {
        engine.send(&format!("ucinewgame\ngo {limits}\n"));
        let lines = engine.until("bestmove ");
        let last = lines.iter().rfind(|line| line.starts_with("info depth ")).unwrap();
        // If the stop comes late, the move may be one that has just failed high, in a later
        // iteration.
        let is_later = last.contains(" lowerbound ") && !last.starts_with("info depth 1 ");
        assert!(!last.contains("bound") || is_later, "{limits}: {lines:?}");
    }
}

#[test]
fn an_infinite_search_is_not_answered_before_stop() {
    let mut engine = Engine::start();
    engine.send(&format!("position fen {MATED}\ngo infinite\n"));
    assert!(engine.keeps_waiting());
    engine.send("stop\n");
    assert_eq!(engine.until("bestmove").pop().unwrap(), "bestmove (none)");
}

#[test]
fn ponderhit_turns_pondering_into_a_timed_search() {
    let mut engine = Engine::with_threads(4);
    for round in 0..100 {
        engine.send("go ponder movetime 1\n");
        if round % 2 == 0 {
            engine.send("isready\n");
            let lines = engine.until("readyok");
            assert_eq!(count(&lines, "bestmove"), 0, "answered while pondering");
        }
        engine.send("ponderhit\n");
        engine.best_move(START);
    }
    engine.quit();
}

#[test]
fn ponderhit_keeps_what_pondering_has_found() {
    let mut engine = Engine::start();
    engine.send("go ponder wtime 1000 btime 1000\n");
    engine.until("info depth 7 ");
    engine.send("ponderhit\n");
    let lines = engine.until("bestmove ");
    let depth = |line: &String| line.split(' ').nth(2).and_then(|depth| depth.parse().ok());
    let depths: Vec<u32> = lines.iter().filter_map(depth).collect();
    assert!(depths.iter().all(|&depth| depth >= 7), "{lines:?}");
}

#[test]
fn several_lines_are_sorted_and_begin_differently_on_any_number_of_threads() {
    for threads in [1, 4] {
        let mut engine = Engine::with_threads(threads);
        engine.send("setoption name MultiPV value 4\ngo nodes 40000\n");
        let lines = engine.until("bestmove ");
        let best = lines.last().unwrap().split(' ').nth(1).unwrap();
        let word_after = |line: &String, word: &str| {
            line.split(' ').skip_while(|&w| w != word).nth(1).unwrap().to_owned()
        };
        let is_line = |line: &&String| line.contains(" multipv ");
        let ranks: Vec<_> =
            lines.iter().filter(is_line).map(|line| word_after(line, "multipv")).collect();
        let all = ["1", "2", "3", "4"];
        assert!(ranks.windows(4).any(|ranks| ranks == all), "{lines:?}");
        assert!(threads > 1 || ranks.ends_with(&all.map(String::from)), "{lines:?}");
        // A line that stays as it was shown is not shown again when another worker is believed.
        let shown_last = |rank: u32| {
            let is_of = |line: &&String| line.contains(&format!(" multipv {rank} "));
            lines.iter().rfind(is_of).unwrap()
        };
        let last: Vec<_> = (1..=4).map(shown_last).collect();
        let depths: HashSet<_> = last.iter().map(|line| word_after(line, "depth")).collect();
        assert_eq!(depths.len(), 1, "all lines must come from one iteration: {last:?}");
        let scores = last.iter().map(|line| word_after(line, "cp").parse::<i32>().unwrap());
        assert!(scores.rev().is_sorted(), "{last:?}");
        let firsts: HashSet<_> = last.iter().map(|line| word_after(line, "pv")).collect();
        assert!(firsts.len() == 4 && word_after(last[0], "pv") == best, "{last:?}");
    }
}

#[test]
fn a_limited_strength_plays_the_same_each_time() {
    let play = || {
        let mut engine = Engine::start();
        engine.send("setoption name UCI_LimitStrength value true\n");
        engine.send("setoption name UCI_Elo value 1400\ngo wtime 60000 btime 60000\n");
        engine.best_move(START)
    };
    assert_eq!(play(), play());
}

#[test]
fn a_bench_of_the_current_position() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4\nbench 1 1 3 current perft\n");
    assert!(engine.until("13160 nodes ").len() == 2);
    for refused in ["bench 1 1 3 current leaves", "speedtest none"] {
        engine.send(&format!("{refused}\n"));
        let name = refused.split(' ').next().unwrap();
        assert_eq!(engine.until(&format!("info string {name}: ")).len(), 1, "{refused}");
    }
}

#[test]
fn isready_is_answered_during_a_search() {
    let mut engine = Engine::start();
    engine.send("go infinite\nisready\n");
    let lines = engine.until("readyok");
    assert_eq!(count(&lines, "bestmove"), 0);
    engine.send("stop\n");
    engine.best_move(START);
}

#[test]
fn position_and_options_wait_for_the_answer() {
    let mut engine = Engine::start();
    engine.send(
        "go infinite\nposition startpos moves e2e4\nsetoption name Threads value 2\n\
         setoption name Hash value 2\nucinewgame\ngo depth 1\nisready\n",
    );
    assert_eq!(engine.until("readyok").last().unwrap(), "readyok");
    engine.send("stop\n");
    engine.best_move(START);
    engine.best_move("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
}

#[test]
fn every_go_of_a_script_is_answered() {
    let mut engine = Engine::start();
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    engine.send("position startpos\ngo depth 6\nposition startpos moves e2e4\ngo depth 6\n");
    engine.send("go wtime 60000.0 btime 60000.0\n");
    engine.end_input();
    engine.best_move(START);
    engine.best_move(after);
    let lines = engine.until("bestmove ");
    assert_eq!(count(&lines, "info string go: wtime needs a number, not 60000.0; btime "), 1);
    let (rest, status) = engine.finish();
    assert!(rest.is_empty() && status.success());
}

#[test]
fn a_go_after_the_last_line_of_a_bench_is_answered() {
    let mut engine = Engine::start();
    for round in 0..100 {
        engine.send("bench 1 1 1 current\n");
        engine.until_last_word("nps");
        engine.send("go depth 1\nisready\n");
        let lines = engine.until("bestmove ");
        assert_eq!(count(&lines, "info string"), 0, "round {round}: {lines:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_bench_of_a_pipe_is_refused() {
    let mut engine = Engine::start();
    let pipe = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a-pipe");
    let _ = std::fs::remove_file(&pipe);
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    engine.send(&format!("bench 1 1 1 {}\n", pipe.display()));
    let lines = engine.until("info string bench: ");
    assert!(lines[0].ends_with("not a regular file"), "{lines:?}");
    engine.quit();
}

#[test]
fn mate_and_stalemate_have_no_move() {
    let mut engine = Engine::start();
    for fen in [MATED, STALEMATED] {
        for limits in ["depth 3", "movetime 10", "nodes 5", "wtime 100 btime 100"] {
            engine.send(&format!("position fen {fen}\ngo {limits}\n"));
            assert_eq!(engine.until("bestmove").pop().unwrap(), "bestmove (none)");
        }
    }
}

#[test]
fn nonsense_is_one_line_and_keeps_the_state() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4\n");
    let refused = |engine: &mut Engine, bad: &str| {
        engine.send(&format!("{bad}\nisready\n"));
        let lines = engine.until("readyok");
        assert_eq!(lines.len(), 2, "{bad}: {lines:?}");
        assert!(lines[0].starts_with("info string "), "{bad}: {lines:?}");
    };
    for bad in [
        "setoption name Hash value abc",
        "setoption name Hash value 0",
        "setoption name Hash value 999999999999",
        "setoption name Threads value -1",
        "make me a sandwich",
    ] {
        refused(&mut engine, bad);
    }
    engine.send("go depth 1\n");
    engine.best_move("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    // A move of another position would be worse than none.
    for bad in [
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen Pnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "position startpos moves e2e5",
    ] {
        refused(&mut engine, bad);
        engine.send("go depth 1\n");
        assert_eq!(engine.until("bestmove ").last().unwrap(), "bestmove 0000", "{bad}");
    }
}

#[test]
fn a_network_is_loaded_or_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("my networks");
    std::fs::create_dir_all(&folder).unwrap();
    let (good, spoilt) = (folder.join("a good  one.nnue"), folder.join("a spoilt one.nnue"));
    let mut bytes = Network::random(1).to_bytes();
    std::fs::write(&good, &bytes).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&spoilt, &bytes).unwrap();

    let mut engine = Engine::start();
    let mut set = |path: &str| {
        engine.send(&format!("setoption name EvalFile value {path}\neval\nisready\n"));
        engine.until("readyok")
    };
    let classical = set("<classical>");
    assert_eq!(classical.len(), 2, "{classical:?}");
    for (path, why) in [
        (spoilt.to_str().unwrap(), "the checksum is wrong"),
        (folder.to_str().unwrap(), "not a file"),
        ("/no/such/file", "cannot read the network /no/such/file"),
        ("Cargo.toml", "not a Heddle network"),
        ("", "EvalFile takes"),
    ] {
        let lines = set(path);
        assert!(lines[0].starts_with("info string ") && lines[0].contains(why), "{lines:?}");
        assert_eq!(lines[1..], classical, "{path}");
    }
    let network = set(good.to_str().unwrap());
    assert!(network[0].starts_with("Evaluation: ") && network[0].contains("bucket 7"));
    assert_eq!(network[1].replace("Classical: ", "Evaluation:"), classical[0]);
    assert_eq!(set(spoilt.to_str().unwrap())[1..], network);
    assert_eq!(set("<classical>"), classical);
}

#[test]
fn long_lines_and_odd_bytes_are_survived() {
    let mut engine = Engine::start();
    let long = "x".repeat(100_000);
    engine.send(&format!("{long}\n"));
    engine.send(&format!("position startpos moves {long}\n"));
    engine.send_bytes(&vec![b'y'; 3 << 20]);
    engine.send_bytes(b"\n\xff\xfe\x00\n\r\n");
    engine.send("isready\n");
    let lines = engine.until("readyok");
    assert_eq!(count(&lines, "info string "), 4, "{lines:?}");
    assert!(lines.iter().all(|line| line.len() < 300));
}

#[test]
fn a_long_game_is_played_on() {
    let mut engine = Engine::start();
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(75);
    engine.send(&format!("position startpos moves {moves}\ngo depth 3\n"));
    engine.best_move(START);
}

#[test]
fn the_end_of_input_ends_every_state() {
    for (script, answers) in [
        ("", 0),
        ("uci\n", 0),
        ("go depth 4\n", 1),
        ("go infinite\n", 1),
        ("go\n", 1),
        ("go ponder wtime 1000 btime 1000\n", 1),
        ("go infinite\nsetoption name Hash value 1\nperft 2\n", 1),
        ("go movetime 20", 1),
    ] {
        let mut engine = Engine::with_threads(2);
        engine.send(script);
        engine.end_input();
        let (lines, status) = engine.finish();
        assert!(status.success(), "{script}");
        assert_eq!(count(&lines, "bestmove "), answers, "{script}: {lines:?}");
    }
}

#[test]
fn quit_ends_every_state() {
    for script in ["go infinite\n", "go ponder\n", "perft 10\n", "bench 100\n", "go depth 100\n"] {
        let mut engine = Engine::with_threads(2);
        engine.send(script);
        engine.send("quit\n");
        let (_, status) = engine.finish();
        assert!(status.success(), "{script}");
    }
}

#[test]
fn a_closed_output_ends_the_program() {
    for script in ["uci\n", "go depth 3\n", "go infinite\nstop\n"] {
        let mut process = spawn();
        drop(process.stdout.take());
        let mut input = process.stdin.take().unwrap();
        input.write_all(script.as_bytes()).unwrap();
        let status = wait(&mut process).expect("the engine ends");
        assert!(status.success(), "{script}: {status}");
        let mut complaint = String::new();
        std::io::Read::read_to_string(&mut process.stderr.take().unwrap(), &mut complaint).unwrap();
        assert_eq!(complaint, "", "{script}");
        drop(input);
    }
}

#[test]
fn perft_lists_the_moves() {
    let mut engine = Engine::start();
    engine.send("go perft 3\n");
    let lines = engine.until("Nodes searched: ");
    assert_eq!(lines.last().unwrap(), "Nodes searched: 8902");
    assert!(lines.contains(&"e2e4: 600".to_owned()));
    let fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    for (option, castling) in [("true", "e1h1: 1"), ("false", "e1g1: 1")] {
        engine.send(&format!("setoption name UCI_Chess960 value {option}\n"));
        engine.send(&format!("position fen {fen}\ngo perft 1\n"));
        assert!(engine.until("Nodes searched: ").contains(&castling.to_owned()), "{option}");
    }
    engine.send("position startpos\nperft 12\nisready\nstop\nisready\n");
    let lines = engine.until("info string perft stopped");
    assert_eq!(count(&lines, "readyok"), 2, "isready does not wait for perft");
}

#[test]
fn chess960_castling_is_written_as_asked() {
    let fen = "1k6/8/8/8/8/8/8/5KR1 w G - 0 1";
    let mut engine = Engine::start();
    for option in ["true", "false"] {
        engine.send(&format!(
            "setoption name UCI_Chess960 value {option}\nposition fen {fen}\n\
             go depth 2 searchmoves f1g1\n"
        ));
        assert_eq!(engine.best_move(fen), "f1g1");
    }
}

/// Process CPU time, user and system, in clock ticks.
#[cfg(target_os = "linux")]
fn cpu_ticks(process: &std::process::Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// Searches that are finished but may not be answered yet: nothing runs until `stop` or
/// `ponderhit`.
#[cfg(target_os = "linux")]
#[test]
fn waiting_for_stop_costs_no_time() {
    for (fen, go, end) in [
        (MATED, "go infinite", "stop"),
        (STALEMATED, "go infinite", "stop"),
        (MATED, "go ponder wtime 1000 btime 1000", "ponderhit"),
        (MATE_IN_ONE, "go infinite mate 1", "stop"),
        (START, "go infinite depth 3", "stop"),
        (START, "go ponder depth 3 wtime 1000 btime 1000", "ponderhit"),
        (START, "go ponder nodes 2000", "stop"),
    ] {
        let mut engine = Engine::with_threads(4);
        engine.send(&format!("position fen {fen}\n{go}\nisready\n"));
        engine.until("readyok");
        let spent = quiet_ticks(&mut engine);
        assert_eq!(spent, 0, "{go}: clock ticks (10 ms) used while waiting");
        engine.send(&format!("{end}\n"));
        engine.until("bestmove");
        engine.quit();
    }
}

/// Clock ticks that the engine uses in a tenth of a second once it is at rest.
#[cfg(target_os = "linux")]
fn quiet_ticks(engine: &mut Engine) -> u64 {
    // On a busy machine the little that remains to be done may take long: only the end counts.
    const ROUNDS: usize = 20;
    let mut round = || {
        assert!(engine.keeps_waiting());
        let before = cpu_ticks(&engine.process);
        std::thread::sleep(Duration::from_millis(100));
        cpu_ticks(&engine.process) - before
    };
    (0..ROUNDS).map(|_| round()).find(|&spent| spent == 0).unwrap_or_else(round)
}
