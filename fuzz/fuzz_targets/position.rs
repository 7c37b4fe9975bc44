//! Any text is a position or an error. After any moves, a position keeps its invariants: its keys
//! equal those of the same position parsed from FEN, its moves fit in a list, and a packed move is
//! a legal move or none.

#![no_main]

use heddle::eval::classical::evaluate;
use heddle::position::{Color, Game, MAX_MOVES, PackedMove, Position};
use libfuzzer_sys::fuzz_target;

// The first line is the FEN (empty for the initial position), the second the moves; the rest is
// read as packed moves.
fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(3, |&byte| byte == b'\n');
    let mut text = || String::from_utf8_lossy(parts.next().unwrap_or_default());
    let (fen, moves) = (text(), text());
    let position = if fen.is_empty() { Ok(Position::default()) } else { Position::from_fen(&fen) };
    let Ok(position) = position else { return };
    let mut game = Game::new(position);
    check(game.position());
    for text in moves.split_whitespace() {
        match game.position().parse_move(text) {
            Ok(m) => game.play(m),
            Err(error) => {
                let _ = error.to_string();
            }
        }
        check(game.position());
    }
    let _ = (game.is_draw(), game.is_threefold());
    if let Some(passed) = game.position().null_move() {
        check(&passed);
    }
    for bits in parts.next().unwrap_or_default().chunks_exact(2) {
        let packed = PackedMove::from_bits(u16::from_le_bytes([bits[0], bits[1]]));
        if let Some(m) = packed.unpack(game.position()) {
            assert!(game.position().legal_moves().contains(&m));
            assert_eq!(PackedMove::pack(m), packed);
        }
    }
});

fn check(position: &Position) {
    let fen = position.fen();
    let read = Position::from_fen(&fen).expect("a printed FEN can be parsed");
    assert_eq!(read.fen(), fen);
    assert_eq!(read.key(), position.key(), "{fen}");
    assert_eq!(read.pawn_key(), position.pawn_key(), "{fen}");
    for color in Color::ALL {
        assert_eq!(read.non_pawn_key(color), position.non_pawn_key(color), "{fen}");
    }
    assert_eq!(read.is_check(), position.is_check(), "{fen}");
    let moves = position.legal_moves();
    assert!(moves.len() <= MAX_MOVES, "{fen}");
    for m in moves {
        assert_eq!(PackedMove::pack(m).unpack(position), Some(m), "{fen}");
    }
    if !position.is_check() {
        let _ = evaluate(position);
    }
}
