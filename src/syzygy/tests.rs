use std::fs;
use std::path::PathBuf;

use super::*;
use crate::position::Game;
use crate::score::Score;

/// The tables of three pieces, which come with the source.
fn three() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", "syzygy"].iter().collect()
}

fn tables() -> Tablebases {
    Tablebases::open(three().to_str().unwrap()).unwrap()
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

/// A directory of its own for a test, which is removed with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("heddle {name} {}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// A table of the source, changed.
    fn put(&self, name: &str, change: impl Fn(&mut Vec<u8>)) {
        let mut bytes = fs::read(three().join(name)).unwrap();
        change(&mut bytes);
        fs::write(self.0.join(name), bytes).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn known_positions_have_their_known_values() {
    let tables = tables();
    assert_eq!(tables.max_pieces(), 3);
    assert_eq!(tables.to_string(), "10 tablebase files, up to 3 pieces");
    for (fen, wdl, dtz) in [
        ("8/8/8/8/8/3k4/8/3K3Q w - - 0 1", TbResult::Win, 11),
        ("8/8/8/8/8/3k4/8/3K3Q b - - 0 1", TbResult::Loss, -16),
        ("8/8/8/8/4k3/8/8/R3K3 w - - 0 1", TbResult::Win, 25),
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", TbResult::Win, 3),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", TbResult::Loss, -4),
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", TbResult::Draw, 0),
        ("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1", TbResult::Loss, -8),
        ("k7/8/8/8/8/8/p7/K7 w - - 0 1", TbResult::Draw, 0),
        ("8/8/8/3k4/8/8/8/K1N5 w - - 0 1", TbResult::Draw, 0),
    ] {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(tables.probe_wdl(&position), Some(wdl), "{fen}");
        assert_eq!(tables.probe_dtz(&position), Some(dtz), "{fen}");
    }
    assert!(tables.take_faults().is_empty());
}

#[test]
fn what_the_tables_do_not_have_is_unknown() {
    let tables = tables();
    for fen in ["8/8/8/3k4/8/8/8/KQR5 w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"] {
        assert_eq!(tables.probe_wdl(&Position::from_fen(fen).unwrap()), None, "{fen}");
        assert_eq!(tables.rank(&game(fen), Probing::default()), None, "{fen}");
    }
    let limited = Probing { limit: 2, ..Probing::default() };
    assert_eq!(tables.rank(&game("8/8/8/8/8/3k4/8/3K3Q w - - 0 1"), limited), None);
    assert!(tables.take_faults().is_empty());
}

#[test]
fn an_empty_path_means_no_tables() {
    let none = Tablebases::open("").unwrap();
    assert_eq!((none.max_pieces(), none.to_string().as_str()), (0, "no tablebases"));
}

#[test]
fn a_path_may_name_several_directories_with_spaces_in_them() {
    let (first, second) = (Scratch::new("first"), Scratch::new("second"));
    first.put("KQvK.rtbw", |_| {});
    second.put("KRvK.rtbw", |_| {});
    second.put("KRvK.rtbz", |_| {});
    let path = env::join_paths([&first.0, &second.0]).unwrap();
    let tables = Tablebases::open(path.to_str().unwrap()).unwrap();
    assert_eq!(tables.to_string(), "3 tablebase files, up to 3 pieces");
    for fen in ["8/8/8/8/8/3k4/8/3K3Q w - - 0 1", "8/8/8/8/4k3/8/8/R3K3 w - - 0 1"] {
        assert_eq!(tables.probe_wdl(&Position::from_fen(fen).unwrap()), Some(TbResult::Win));
    }
}

#[test]
fn a_directory_that_is_missing_or_has_no_tables_is_named() {
    let empty = Scratch::new("empty");
    let error = |path: &str| Tablebases::open(path).err().unwrap().to_string();
    assert_eq!(error(empty.path()), format!("no tablebases: {}: no table in it", empty.path()));
    let missing = empty.0.join("missing");
    assert!(error(missing.to_str().unwrap()).contains("missing: "));

    let path = env::join_paths([missing, three()]).unwrap();
    let found = Tablebases::open(path.to_str().unwrap()).unwrap();
    assert_eq!(found.max_pieces(), 3);
    assert!(found.to_string().contains("; left out: "), "{found}");
    assert!(found.to_string().contains("missing: "), "{found}");
}

#[test]
fn a_truncated_file_is_left_out_and_the_others_serve() {
    let some = Scratch::new("truncated");
    some.put("KQvK.rtbw", |bytes| bytes.truncate(100));
    some.put("KRvK.rtbw", |_| {});
    let tables = Tablebases::open(some.path()).unwrap();
    assert!(tables.to_string().contains("KQvK.rtbw: unexpected file size"), "{tables}");
    assert!(
        tables.probe_wdl(&Position::from_fen("8/8/8/8/4k3/8/8/R3K3 w - - 0 1").unwrap()).is_some()
    );
    assert!(
        tables.probe_wdl(&Position::from_fen("8/8/8/8/4k3/8/8/Q3K3 w - - 0 1").unwrap()).is_none()
    );
}

#[test]
fn a_corrupt_file_is_told_of_once_when_it_is_probed() {
    // Both have the size of a table: only reading them tells.
    let some = Scratch::new("corrupt");
    some.put("KQvK.rtbw", |bytes| bytes.truncate(80));
    some.put("KRvK.rtbw", |bytes| bytes[0] ^= 1);
    let tables = Tablebases::open(some.path()).unwrap();
    for piece in ["Q", "R", "Q", "R"] {
        let fen = format!("8/8/8/8/4k3/8/8/{piece}3K3 w - - 0 1");
        assert_eq!(tables.probe_wdl(&Position::from_fen(&fen).unwrap()), None);
    }
    assert_eq!(
        tables.take_faults(),
        ["tablebase KQvK.rtbw: corrupt", "tablebase KRvK.rtbw: not a tablebase"]
    );
    assert!(tables.take_faults().is_empty());
}

/// The best moves, and what they are said to be worth.
fn best(ranking: &Ranking, position: &Position) -> (Vec<String>, Score) {
    let first = ranking.moves[0];
    let equals = ranking.moves.iter().take_while(|ranked| ranked.rank == first.rank);
    (equals.map(|ranked| position.san(ranked.m)).collect(), first.score)
}

fn ranked(fen: &str, probing: Probing) -> (Vec<String>, Score) {
    let game = game(fen);
    best(&tables().rank(&game, probing).unwrap(), game.position())
}

#[test]
fn only_moves_that_keep_the_result_rank_first() {
    let (moves, score) = ranked("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", Probing::default());
    assert_eq!(score, Score::DRAW);
    assert!(moves.len() > 1);
    // The only move that wins, and the only one that draws.
    let (moves, score) = ranked("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1", Probing::default());
    assert_eq!((moves, score), (vec!["Ke6".to_owned()], Score::TABLEBASE_WIN));
    let (moves, score) = ranked("3k4/8/3PK3/8/8/8/8/8 b - - 0 1", Probing::default());
    assert_eq!((moves, score), (vec!["Ke8".to_owned()], Score::DRAW));
}

#[test]
fn certain_wins_rank_equal_until_fifty_moves_come_near() {
    let win = |clock: u32| {
        let fen = format!("8/8/8/8/4k3/8/8/R3K3 w - - {clock} 60");
        ranked(&fen, Probing::default())
    };
    let (moves, score) = win(0);
    assert!(moves.len() > 5, "{moves:?}");
    assert_eq!(score, Score::TABLEBASE_WIN);
    // 25 half moves to mate: then only the quickest do, and then none does.
    let (quickest, score) = win(75);
    assert!(quickest.len() < moves.len(), "{quickest:?}");
    assert_eq!(score, Score::TABLEBASE_WIN);
    let (_, late) = win(80);
    assert!(late > Score::DRAW && !late.is_decisive(), "{late:?}");
    let ignoring = Probing { fifty_moves: false, ..Probing::default() };
    let (_, score) = ranked("8/8/8/8/4k3/8/8/R3K3 w - - 80 60", ignoring);
    assert_eq!(score, Score::TABLEBASE_WIN);
}

#[test]
fn after_a_repetition_only_the_nearest_win_ranks_first() {
    let mut game = game("8/8/8/8/4k3/8/8/R3K3 w - - 0 1");
    let all = best(&tables().rank(&game, Probing::default()).unwrap(), game.position()).0;
    for text in ["e1e2", "e4e5", "e2e1", "e5e4"] {
        let m = game.position().parse_move(text).unwrap();
        game.play(m);
    }
    assert!(game.has_repeated());
    let ranking = tables().rank(&game, Probing::default()).unwrap();
    let (nearest, score) = best(&ranking, game.position());
    assert!(nearest.len() < all.len(), "{nearest:?}");
    assert_eq!(score, Score::TABLEBASE_WIN);
}

#[test]
fn without_distances_moves_rank_by_their_result() {
    let results = Scratch::new("results");
    for name in ["KPvK", "KQvK", "KRvK", "KBvK", "KNvK"] {
        results.put(&format!("{name}.rtbw"), |_| {});
    }
    let tables = Tablebases::open(results.path()).unwrap();
    let game = game("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1");
    let ranking = tables.rank(&game, Probing::default()).unwrap();
    assert!(!ranking.by_distance && !ranking.suffices());
    assert_eq!(best(&ranking, game.position()), (vec!["Ke6".to_owned()], Score::TABLEBASE_WIN));
}

#[test]
fn a_mate_ranks_first_even_after_a_repetition() {
    let mut game = game("1k6/8/1K6/8/8/8/8/3Q4 w - - 0 1");
    for text in ["b6c6", "b8a8", "c6b6", "a8b8"] {
        let m = game.position().parse_move(text).unwrap();
        game.play(m);
    }
    let ranking = tables().rank(&game, Probing::default()).unwrap();
    assert_eq!(best(&ranking, game.position()).0, ["Qd8#"]);
}

#[test]
fn no_damage_to_a_file_does_more_than_spoil_its_answers() {
    const COPIES: u64 = 40;
    let positions: Vec<_> = ["w", "b"]
        .iter()
        .flat_map(|turn| (8..56).map(move |square| (turn, square)))
        .filter_map(|(turn, square)| {
            let mut board = ["1"; 64];
            board[4] = "k";
            board[36] = "K";
            board[square] = "P";
            let ranks: Vec<String> = board.chunks(8).map(<[&str]>::concat).collect();
            Position::from_fen(&format!("{} {turn} - - 0 1", ranks.join("/"))).ok()
        })
        .collect();
    assert!(positions.len() > 60);
    let mut random = fastrand::Rng::with_seed(1);
    for copy in 0..COPIES {
        let damaged = Scratch::new("damaged");
        for name in ["KPvK.rtbw", "KPvK.rtbz", "KQvK.rtbw", "KRvK.rtbw"] {
            let mut damage = |bytes: &mut Vec<u8>| {
                for _ in 0..=copy % 4 {
                    // The header is short and decides most.
                    let end = if random.bool() { 200 } else { bytes.len() };
                    let at = random.usize(..end.min(bytes.len()));
                    bytes[at] = random.u8(..);
                }
            };
            let mut bytes = fs::read(three().join(name)).unwrap();
            damage(&mut bytes);
            fs::write(damaged.0.join(name), bytes).unwrap();
        }
        let tables = Tablebases::open(damaged.path()).unwrap();
        for position in &positions {
            let _ = (tables.probe_wdl(position), tables.probe_dtz(position));
        }
    }
}
