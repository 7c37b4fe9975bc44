//! Playing with tablebases: through the engine and through the protocol.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use heddle::engine::{Engine, Settings};
use heddle::position::{Game, Move, Position};
use heddle::syzygy::{Tablebases, TbResult};
use heddle::time::limits::Limits;
use heddle::uci;

/// Nodes per move: few, because the tables should win the game.
const NODES: u64 = 2_000;

/// The three-piece tables, which come with the source.
fn three() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy")
}

/// The four-piece tables, if this machine has them.
fn four() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/syzygy");
    if !path.is_dir() {
        println!("skipped: {} is absent", path.display());
        return None;
    }
    Some(path)
}

fn engine(tables: &Path) -> Engine {
    let mut engine = Engine::new(1, 1).unwrap();
    engine.set_tablebases(tables.to_str().unwrap()).unwrap();
    engine
}

fn best_move(engine: &mut Engine, game: &Game) -> Move {
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    engine.start(game, &limits, &Settings::default(), |_| {});
    engine.result().best().unwrap().moves[0]
}

/// The move that holds out longest, according to the tables.
fn best_defence(tables: &Tablebases, game: &Game) -> Move {
    let distance = |&m: &Move| tables.probe_dtz(&game.position().play(m)).unwrap();
    game.position().legal_moves().into_iter().max_by_key(distance).unwrap()
}

/// Plays a won position to its end against the best defence.
fn win(fen: &str, path: &Path) {
    let tables = Tablebases::open(path.to_str().unwrap()).unwrap();
    let mut engine = engine(path);
    let mut game = Game::new(Position::from_fen(fen).unwrap());
    loop {
        game.play(best_move(&mut engine, &game));
        assert!(!game.is_draw(), "{fen}: drawn at {:?}", game.position());
        assert_eq!(
            tables.probe_wdl(game.position()),
            Some(TbResult::Loss),
            "{fen}: {:?}",
            game.position()
        );
        if game.position().is_checkmate() {
            return;
        }
        let defence = best_defence(&tables, &game);
        game.play(defence);
        assert!(!game.is_draw(), "{fen}: drawn at {:?}", game.position());
    }
}

#[test]
fn won_endings_of_three_pieces_are_won() {
    for fen in [
        "8/8/8/8/8/3k4/8/3K3Q w - - 0 1",
        "8/8/8/8/4k3/8/8/R3K3 w - - 0 1",
        "8/8/8/8/4k3/8/8/R3K3 w - - 70 60",
        "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1",
        "8/8/8/8/4p3/3k4/8/4K3 b - - 0 1",
    ] {
        win(fen, &three());
    }
}

#[test]
fn won_endings_of_four_pieces_are_won() {
    let Some(tables) = four() else { return };
    for fen in [
        "8/8/8/3k4/8/8/8/KBN5 w - - 0 1",
        "6k1/8/8/8/8/8/8/KBN5 w - - 40 60",
        "8/8/3kr3/8/8/8/8/K6Q w - - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ6 w - - 30 50",
        "8/8/4k3/3b4/8/8/1K1Q4/8 w - - 0 1",
    ] {
        win(fen, &tables);
    }
}

#[test]
fn known_positions_of_four_pieces_have_their_known_values() {
    let Some(path) = four() else { return };
    let tables = Tablebases::open(path.to_str().unwrap()).unwrap();
    assert_eq!(tables.max_pieces(), 4);
    for (fen, wdl, dtz) in [
        ("6k1/8/8/8/8/8/8/KBN5 w - - 0 1", TbResult::Win, 56),
        ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", TbResult::Win, 58),
        ("8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1", TbResult::Win, 55),
        ("8/8/3kr3/8/8/8/8/K6Q w - - 0 1", TbResult::Win, 51),
        ("8/8/8/8/3n4/8/1k6/3K2R1 w - - 0 1", TbResult::Draw, 0),
        ("8/8/3k4/8/8/4K3/4P2r/8 w - - 0 1", TbResult::Loss, -12),
        ("8/8/1k6/8/8/1K6/4P3/4r3 w - - 0 1", TbResult::Loss, -2),
        ("3K4/1P6/8/8/3k4/8/8/1r6 w - - 0 1", TbResult::Draw, 0),
        ("8/8/8/2k5/8/4K1p1/8/7R w - - 0 1", TbResult::Win, 3),
        ("8/P7/8/8/8/2k5/p7/K7 w - - 0 1", TbResult::Win, 1),
        ("8/8/8/2k5/3pP3/8/8/3K4 b - e3 0 1", TbResult::Draw, 0),
        ("8/8/8/K2pP2k/8/8/8/8 w - d6 0 1", TbResult::Win, 1),
        ("3q4/8/8/8/8/1k6/4n3/1K6 b - - 0 1", TbResult::Win, 1),
        ("8/8/4k3/8/2n5/8/1K1Q4/8 w - - 0 1", TbResult::Draw, 0),
        ("8/8/4k3/3b4/8/8/1K1Q4/8 w - - 0 1", TbResult::Win, 17),
        ("K7/1r6/8/8/8/8/1B6/2k5 b - - 0 1", TbResult::Win, 1),
        ("8/8/8/8/5N2/4N3/8/k1K5 w - - 0 1", TbResult::Draw, 0),
        ("4k3/8/8/8/8/8/4B3/4KB2 w - - 0 1", TbResult::Draw, 0),
        ("8/2k5/8/8/3R4/8/1p6/1K6 b - - 0 1", TbResult::Loss, -2),
    ] {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(tables.probe_wdl(&position), Some(wdl), "{fen}");
        assert_eq!(tables.probe_dtz(&position), Some(dtz), "{fen}");
    }
}

#[test]
fn the_lucena_position_is_converted() {
    const MOVES: usize = 80;
    let Some(path) = four() else { return };
    let (mut white, mut black) = (engine(&path), engine(&path));
    let mut game = Game::new(Position::from_fen("1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1").unwrap());
    let tables = Tablebases::open(path.to_str().unwrap()).unwrap();
    for _ in 0..MOVES {
        let m = best_move(&mut white, &game);
        game.play(m);
        let position = game.position();
        if position.is_checkmate() || tables.probe_wdl(position) == Some(TbResult::Loss) {
            return;
        }
        let m = best_move(&mut black, &game);
        game.play(m);
        assert!(!game.is_draw(), "drawn at {:?}", game.position());
    }
    panic!("not won within {MOVES} moves: {:?}", game.position());
}

#[test]
fn inner_nodes_are_probed_as_far_as_the_options_allow() {
    let mut engine = engine(&three());
    let game = Game::new(Position::from_fen("4k3/8/3K4/3nP3/8/8/8/8 w - - 0 1").unwrap());
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let mut hits = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        engine.clear();
        engine.start(&game, &limits, &settings, |_| {});
        let _ = engine.result();
        engine.totals().tb_hits
    };
    assert!(hits(|_| {}) > 0);
    assert_eq!(hits(|settings| settings.probing.depth = 100), 0);
    assert_eq!(hits(|settings| settings.probing.limit = 2), 0);
    assert_eq!(hits(|settings| settings.plain = true), 0, "the textbook search knows no tables");
}

#[test]
fn several_workers_agree_with_the_tables() {
    let mut engine = engine(&three());
    engine.set_threads(4).unwrap();
    let game = Game::new(Position::from_fen("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1").unwrap());
    for _ in 0..5 {
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        engine.start(&game, &limits, &Settings::default(), |_| {});
        let result = engine.result();
        let best = result.best().unwrap();
        assert_eq!(game.position().san(best.moves[0]), "Ke6");
        assert!(best.score.is_win(), "{:?}", best.score);
    }
}

/// The program's answers to `lines`.
fn answer(lines: &[&str]) -> Vec<String> {
    let mut output = Vec::new();
    uci::run(Cursor::new(lines.join("\n")), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
}

/// The number after `word`.
fn number(line: &str, word: &str) -> i64 {
    let after = line.split_whitespace().skip_while(|&found| found != word).nth(1);
    after.unwrap_or_else(|| panic!("no {word} in {line}")).parse().unwrap()
}

fn infos(output: &[String]) -> impl Iterator<Item = &String> {
    output.iter().filter(|line| line.starts_with("info depth"))
}

fn set_path(path: &Path) -> String {
    format!("setoption name SyzygyPath value {}", path.display())
}

#[test]
fn without_tables_every_line_counts_no_hits() {
    let output = answer(&["position fen 8/8/8/8/4k3/8/8/R3K3 w - - 0 1", "go depth 5"]);
    assert!(infos(&output).count() >= 5);
    assert!(infos(&output).all(|line| number(line, "tbhits") == 0));
}

#[test]
fn a_path_that_leads_nowhere_leaves_the_tables_in_place() {
    let output = answer(&[
        &set_path(&three()),
        "setoption name SyzygyPath value /no/such place",
        "ucinewgame",
        "position fen 8/8/8/8/4k3/8/8/R3K3 w - - 0 1",
        "go depth 5",
    ]);
    assert_eq!(output[0], "info string 10 tablebase files, up to 3 pieces");
    assert!(output[1].starts_with("info string no tablebases: /no/such place: "), "{output:?}");
    assert!(infos(&output).all(|line| number(line, "tbhits") > 0), "{output:?}");
    assert!(output.last().unwrap().starts_with("bestmove "));

    let output = answer(&[&set_path(&three()), "setoption name SyzygyPath value <empty>"]);
    assert_eq!(output[1], "info string no tablebases");
}

#[test]
fn lines_and_root_moves_are_scored_by_the_tables() {
    let fen = "position fen 4k3/8/3K4/4P3/8/8/8/8 w - - 0 1";
    let path = set_path(&three());
    let output = answer(&[&path, "setoption name MultiPV value 3", fen, "go depth 6"]);
    let last = &output[output.len() - 4..];
    assert!(last[0].contains(" multipv 1 ") && last[0].contains(" pv d6e6"), "{last:?}");
    assert!(last[0].contains(" score cp 31000 ") || last[0].contains(" score mate "), "{last:?}");
    for line in &last[1..3] {
        assert!(line.contains(" score cp 0 "), "{line}");
    }
    assert!(last[3].starts_with("bestmove d6e6"));

    let output = answer(&[&path, fen, "go depth 6 searchmoves d6c6 d6d5"]);
    let [.., line, best] = output.as_slice() else { panic!("{output:?}") };
    assert!(line.contains(" score cp 0 "), "{line}");
    assert!(best.starts_with("bestmove d6c6") || best.starts_with("bestmove d6d5"), "{best}");
}

#[test]
fn the_fifty_move_rule_can_be_left_out_of_account() {
    let position = "position fen 8/8/8/8/4k3/8/8/R3K3 w - - 85 80";
    let path = set_path(&three());
    let score = |lines: &[&str]| {
        let output = answer(lines);
        number(infos(&output).last().unwrap(), "cp")
    };
    let spoilt = score(&[&path, position, "go depth 2"]);
    assert!((1..=50).contains(&spoilt), "{spoilt}");
    let rule = "setoption name Syzygy50MoveRule value false";
    assert_eq!(score(&[&path, rule, position, "go depth 2"]), 31_000);
}

#[test]
fn a_corrupt_table_is_told_of_and_survived() {
    let scratch = std::env::temp_dir().join(format!("heddle corrupt table {}", std::process::id()));
    fs::create_dir_all(&scratch).unwrap();
    let bytes = fs::read(three().join("KRvK.rtbw")).unwrap();
    fs::write(scratch.join("KRvK.rtbw"), &bytes[..80]).unwrap();
    let output = answer(&[
        &set_path(&scratch),
        "position fen 8/8/8/8/4k3/8/8/R3K3 w - - 0 1",
        "go depth 4",
        "go depth 5",
    ]);
    fs::remove_dir_all(&scratch).unwrap();
    let faults = output.iter().filter(|line| line.contains("tablebase KRvK.rtbw: corrupt"));
    assert_eq!(faults.count(), 1, "{output:?}");
    assert!(output.last().unwrap().starts_with("bestmove "), "{output:?}");
}

#[test]
fn a_search_for_a_mate_ends_when_it_is_found_or_cannot_be() {
    let mate = "position fen 3qr2k/pbpp2pp/1p5N/3Q2b1/2P1P3/P7/1PP2PPP/R4RK1 w - - 0 1";
    let output = answer(&[mate, "go mate 2"]);
    assert!(infos(&output).last().unwrap().contains(" score mate 2 "), "{output:?}");
    assert!(output.last().unwrap().starts_with("bestmove d5g8"), "{output:?}");

    let output = answer(&["position startpos", "go mate 1"]);
    assert!(infos(&output).all(|line| line.contains(" score cp ")), "{output:?}");
    assert!(output.last().unwrap().starts_with("bestmove "), "{output:?}");

    // The side to move is the one that gets mated.
    let output = answer(&["position fen 7k/8/5K2/8/8/8/8/6Q1 b - - 0 1", "go mate 100"]);
    assert!(infos(&output).last().unwrap().contains(" score mate -1 "), "{output:?}");
}
