//! Properties that the evaluation must have, whatever its weights.

use super::{evaluate, params};
use crate::position::{Position, START_FEN};
use crate::score::Score;

/// A position's evaluation in centipawns.
fn eval(fen: &str) -> i32 {
    evaluate(&Position::from_fen(fen).unwrap()).get()
}

/// Positions from games of random moves, with a fixed seed.
pub(crate) fn random_positions(count: usize) -> Vec<Position> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut positions = Vec::with_capacity(count);
    let mut position = Position::default();
    while positions.len() < count {
        let moves = position.legal_moves();
        if moves.is_empty() || position.is_insufficient_material() || position.fullmoves() > 150 {
            position = Position::default();
            continue;
        }
        position = position.play(moves[random.usize(..moves.len())]);
        if !position.is_check() {
            positions.push(position.clone());
        }
    }
    positions
}

#[test]
fn the_initial_position_is_worth_its_tempo() {
    let tempo = params::WEIGHTS.tempo.middlegame();
    assert_eq!(eval(START_FEN), tempo);
}

#[test]
fn colours_are_equal() {
    for position in random_positions(3000) {
        assert_eq!(evaluate(&position), evaluate(&position.mirrored()), "{position:?}");
    }
}

#[test]
fn every_position_stays_in_bounds() {
    for position in random_positions(3000) {
        assert!(evaluate(&position).abs() < Score::MAX_EVAL, "{position:?}");
    }
    let queens = "QQQQQQQQ/QQQQQQQ1/8/8/8/5nnn/5pbp/K4nrk w - - 0 1";
    assert!(eval(queens).abs() <= Score::MAX_EVAL.get());
}

#[test]
fn a_pair_of_bishops_is_worth_more_than_bishop_and_knight() {
    let pair = eval("4k3/pppppppp/8/8/8/8/PPPPPPPP/2B1KB2 w - - 0 1");
    let mixed = eval("4k3/pppppppp/8/8/8/8/PPPPPPPP/2B1K1N1 w - - 0 1");
    assert!(pair > mixed, "{pair} {mixed}");
}

#[test]
fn a_passed_pawn_grows_as_it_advances() {
    let scores = (2..=7)
        .map(|rank| {
            let mut ranks = ["8"; 8].map(str::to_owned);
            ranks[0] = "6k1".into();
            ranks[7] = "6K1".into();
            ranks[8 - rank] = "P7".into();
            ranks[6] = if rank == 2 { "P4P2".into() } else { "5P2".into() };
            ranks[1] = if rank == 7 { "P4p2".into() } else { "5p2".into() };
            eval(&format!("{} w - - 0 1", ranks.join("/")))
        })
        .collect::<Vec<_>>();
    assert!(scores.is_sorted(), "{scores:?}");
    assert!(scores[5] - scores[0] > 100, "{scores:?}");
}

#[test]
fn a_pawn_that_outruns_the_king_is_nearly_a_queen() {
    let caught = eval("8/8/2k5/P7/8/8/5p2/6K1 w - - 0 1");
    let free = eval("8/8/7k/P7/8/8/5p2/6K1 w - - 0 1");
    assert!(free > caught + 150, "{free} {caught}");
}

#[test]
fn a_bare_king_in_the_middlegame_is_in_danger() {
    let safe = eval("r1bq1rk1/ppp2ppp/2n2n2/3p4/3P4/2N2N2/PPP2PPP/R1BQ1RK1 w - - 0 1");
    let open = eval("r1bq1rk1/ppp2ppp/2n2n2/3p4/PPPP4/2N2N2/8/R1BQ1RK1 w - - 0 1");
    assert!(safe > open + 40, "{safe} {open}");
    let attacked = eval("6k1/5p1p/5Q2/7R/4N3/8/PPP5/1K6 b - - 0 1");
    let distant = eval("6k1/5p1p/8/8/Q3N3/8/PPP5/1K5R b - - 0 1");
    assert!(attacked < distant, "{attacked} {distant}");
}

#[test]
fn material_that_cannot_mate_is_drawn() {
    for fen in [
        "4k3/8/8/8/8/8/8/1N2K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/2B1K3 b - - 0 1",
        // The bishop does not control the pawn's promotion corner.
        "k7/8/1K6/8/P7/8/8/2B5 w - - 0 1",
    ] {
        assert_eq!(eval(fen), 0, "{fen}");
    }
    let rook_against_bishop = eval("4k3/3b4/8/8/8/8/8/R3K3 w - - 0 1");
    assert!(rook_against_bishop.abs() < 60, "{rook_against_bishop}");
}

#[test]
fn opposite_bishops_are_drawish() {
    let same = eval("4k3/3b1p2/8/8/8/P7/1P3P2/3BK3 w - - 0 1");
    let opposite = eval("4k3/2b2p2/8/8/8/P7/1P3P2/3BK3 w - - 0 1");
    assert!(opposite < same * 2 / 3, "{opposite} {same}");
}

#[test]
fn a_lone_king_is_driven_to_its_corner() {
    for pieces in ["Q", "R"] {
        let centre = eval(&format!("8/8/8/3k4/8/8/8/{pieces}3K3 w - - 0 1"));
        let edge = eval(&format!("3k4/8/8/8/8/8/8/{pieces}3K3 w - - 0 1"));
        let near = eval(&format!("3k4/8/3K4/8/8/8/8/{pieces}7 w - - 0 1"));
        assert!(800 < centre && centre < edge && edge < near, "{centre} {edge} {near}");
    }
    let with_pawn = eval("8/8/8/3k4/8/8/4P3/R3K3 w - - 0 1");
    assert!(with_pawn > eval("8/8/8/3k4/8/8/8/R3K3 w - - 0 1"), "{with_pawn}");
    // A dark-squared bishop mates on a1 or h8.
    let right = eval("7k/8/5K2/5N2/8/8/8/2B5 w - - 0 1");
    let wrong = eval("k7/8/2K5/2N5/8/8/8/2B5 w - - 0 1");
    assert!(right > wrong + 100, "{right} {wrong}");
    assert_eq!(eval("7k/8/5K2/5N2/8/8/8/2B5 b - - 0 1"), -right);
}
