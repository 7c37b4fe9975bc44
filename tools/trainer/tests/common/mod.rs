//! Shared by the tests.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::PathBuf;

use heddle::position::Position;
use heddle_selfplay::{GameResult, Record};
use rand::RngExt;
use rand_pcg::Pcg64;

/// An empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trainer").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Random games whose scores count material, a pawn as 100 centipawns.
pub fn games(count: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for seed in 0..count {
        let mut rng = Pcg64::new(seed.into(), 0);
        let mut position = Position::default();
        let mut record = Record::new(&position);
        for _ in 0..150 {
            let moves = position.legal_moves();
            if moves.is_empty() || position.is_insufficient_material() {
                break;
            }
            let m = moves[rng.random_range(0..moves.len())];
            record.push(m, material(&position));
            position = position.play(m);
        }
        record.set_result(if material(&position) > 0 {
            GameResult::WhiteWin
        } else {
            GameResult::BlackWin
        });
        bytes.extend(record.bytes());
    }
    bytes
}

/// White's material minus Black's, in centipawns.
fn material(position: &Position) -> i16 {
    const VALUES: [i16; 6] = [100, 300, 300, 500, 900, 0];
    let board = position.board();
    board
        .iter()
        .map(|(_, piece)| {
            let value = VALUES[piece.role as usize - 1];
            piece.color.fold_wb(value, -value)
        })
        .sum()
}
