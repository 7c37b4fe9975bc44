//! Any 64 bits in the table decode to an entry or to none, and its move is legal or none.

#![no_main]

use heddle::position::{PackedMove, Position};
use heddle::score::{MAX_PLY, Score};
use heddle::tt::Entry;
use libfuzzer_sys::fuzz_target;

/// Castling of both kinds, en passant, promotions, checks.
const FENS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "1rk2r2/8/8/8/8/8/8/1RK2R2 w FBfb - 0 1",
    "4k3/8/8/2pPp3/8/8/8/4K3 w - c6 0 2",
    "r1n3k1/1P1P4/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/7b/8/4PP2/4K2R w K - 0 1",
];

fuzz_target!(|input: (u64, u8, u8)| {
    let (bits, ply, index) = input;
    let position = Position::from_fen(FENS[usize::from(index) % FENS.len()]).expect("it is legal");
    let Some(entry) = Entry::decode(bits, usize::from(ply) % (MAX_PLY + 1)) else { return };
    assert_eq!(entry.best, PackedMove::from_bits(bits as u16));
    assert!(entry.score.is_none_or(|(score, _)| score.abs() <= Score::MATE), "{entry:?}");
    assert!(entry.eval.is_none_or(|eval| eval.abs() <= Score::MAX_EVAL), "{entry:?}");
    if let Some(m) = entry.best.unpack(&position) {
        assert!(position.legal_moves().contains(&m), "{entry:?}");
        assert_eq!(PackedMove::pack(m), entry.best);
        let _ = position.play(m).legal_moves();
    }
});
