//! Static exchange evaluation: the material that a sequence of captures on one square wins.
//!
//! Source: the swap algorithm as the Chess Programming Wiki gives it, in the form of a threshold
//! test that ends as soon as the answer is known (F. Letouzey's, as used by Stockfish).

use crate::position::{Bitboard, Color, Move, Position, Role, Square, attacks};

/// Centipawns of a piece in an exchange.
pub const fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 310,
        Role::Bishop => 325,
        Role::Rook => 500,
        Role::Queen => 950,
        Role::King => 0,
    }
}

/// The material that `m` wins at once, in centipawns: the captured piece and a promotion's gain.
pub fn gain(m: Move) -> i32 {
    m.capture().map_or(0, value) + m.promotion().map_or(0, |role| value(role) - value(Role::Pawn))
}

/// The exchange that begins with `m` wins at least `threshold` centipawns for the side to move,
/// both sides capturing with their least valuable piece and stopping when it pays. Pins are
/// ignored; castling exchanges nothing.
pub fn wins(position: &Position, m: Move, threshold: i32) -> bool {
    if m.is_castle() {
        return threshold <= 0;
    }
    let (from, to) = (m.from(), m.to());
    let mut balance = gain(m) - threshold;
    if balance < 0 {
        return false;
    }
    balance -= value(m.promotion().unwrap_or(m.role()));
    if balance >= 0 {
        return true;
    }
    let mut occupied = position.occupied().without(from).with(to);
    if m.is_en_passant() {
        occupied.discard(m.captured_on());
    }
    exchange(position, to, occupied, balance)
}

/// Plays out the exchange on `to`. The opponent of the side to move captures next, with a `balance`
/// (negative) against it. True if the side to move wins the exchange.
fn exchange(position: &Position, to: Square, mut occupied: Bitboard, mut balance: i32) -> bool {
    let board = position.board();
    let diagonal = board.bishops_and_queens();
    let straight = board.rooks_and_queens();
    let mut attackers = attackers(position, to, occupied);
    let us = position.turn();
    let mut side = !us;
    loop {
        attackers &= occupied;
        let own = attackers & position.by_color(side);
        let Some((role, square)) = least_valuable(position, own) else { break };
        side = !side;
        balance = -balance - 1 - value(role);
        if balance >= 0 {
            // A king cannot capture what is still defended.
            let illegal = role == Role::King && (attackers & position.by_color(side)).any();
            return if illegal { side == us } else { side != us };
        }
        occupied.discard(square);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
    }
    side != us
}

/// Every piece of either side that attacks `square`.
fn attackers(position: &Position, square: Square, occupied: Bitboard) -> Bitboard {
    let board = position.board();
    attacks::pawn_attacks(Color::Black, square) & position.pieces(Color::White, Role::Pawn)
        | attacks::pawn_attacks(Color::White, square) & position.pieces(Color::Black, Role::Pawn)
        | attacks::knight_attacks(square) & board.knights()
        | attacks::king_attacks(square) & board.kings()
        | attacks::bishop_attacks(square, occupied) & board.bishops_and_queens()
        | attacks::rook_attacks(square, occupied) & board.rooks_and_queens()
}

/// The least valuable piece in `own`.
fn least_valuable(position: &Position, own: Bitboard) -> Option<(Role, Square)> {
    let board = position.board();
    Role::ALL.into_iter().find_map(|role| Some((role, (own & board.by_role(role)).first()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greatest threshold that an exchange meets, found by trial.
    fn exchange_value(fen: &str, m: &str) -> i32 {
        let position = Position::from_fen(fen).unwrap();
        let m = position.parse_move(m).unwrap();
        (-2000..2000).rev().find(|&threshold| wins(&position, m, threshold)).unwrap()
    }

    const P: i32 = value(Role::Pawn);
    const N: i32 = value(Role::Knight);
    const B: i32 = value(Role::Bishop);
    const R: i32 = value(Role::Rook);
    const Q: i32 = value(Role::Queen);

    #[test]
    fn known_exchanges() {
        for (fen, m, expected) in [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", P),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", P - N),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", P),
            ("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
            ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", P - R),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", 0),
            ("4k3/4r3/8/8/8/8/8/4RK2 w - - 0 1", "e1e7", 0),
            ("3k4/4r3/8/8/8/8/8/Q3R1K1 w - - 0 1", "e1e7", 0),
            ("3k4/4r3/8/8/8/4R3/8/4R1K1 w - - 0 1", "e3e7", R),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", Q - P),
            ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -P),
            ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", R + Q - P),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", P),
            ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
            ("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "e4d5", Q),
            ("3rk3/3r4/8/8/8/3b4/3R4/3RK3 w - - 0 1", "d2d3", B - R + R - R),
            ("4k3/8/2n5/8/3P4/8/8/4K3 b - - 0 1", "c6d4", P),
            ("4k3/8/2n5/8/3P4/4P3/8/4K3 b - - 0 1", "c6d4", P - N),
        ] {
            assert_eq!(exchange_value(fen, m), expected, "{fen} {m}");
        }
    }

    /// A piece of `side` that attacks `to` past the pieces `occupied`, the least valuable.
    fn attacker(
        position: &Position,
        side: Color,
        to: Square,
        occupied: Bitboard,
    ) -> Option<(Role, Square)> {
        let reaches = |&square: &Square| {
            let piece = position.board().piece_at(square).unwrap();
            attacks::attacks(square, piece, occupied).contains(to)
        };
        let pieces = |role| position.pieces(side, role) & occupied;
        Role::ALL.into_iter().find_map(|role| Some((role, pieces(role).into_iter().find(reaches)?)))
    }

    /// Centipawns that `side` wins by taking a piece of value `prize` on `to`, or not taking it:
    /// minimax over the whole exchange, each attack found anew.
    fn best_reply(
        position: &Position,
        side: Color,
        to: Square,
        occupied: Bitboard,
        prize: i32,
    ) -> i32 {
        let Some((role, from)) = attacker(position, side, to, occupied) else { return 0 };
        if role == Role::King && attacker(position, !side, to, occupied).is_some() {
            return 0;
        }
        let rest = occupied.without(from);
        (prize - best_reply(position, !side, to, rest, value(role))).max(0)
    }

    /// Centipawns that `m` wins.
    fn by_minimax(position: &Position, m: Move) -> i32 {
        if m.is_castle() {
            return 0;
        }
        let (from, to) = (m.from(), m.to());
        let mut occupied = position.occupied().without(from).with(to);
        if m.is_en_passant() {
            occupied.discard(m.captured_on());
        }
        let moved = value(m.promotion().unwrap_or(m.role()));
        gain(m) - best_reply(position, !position.turn(), to, occupied, moved)
    }

    #[test]
    fn an_exchange_is_worth_what_minimax_finds() {
        const GAMES: usize = 60;
        let mut rng = fastrand::Rng::with_seed(41);
        let mut unequal = 0;
        for _ in 0..GAMES {
            let mut position = Position::default();
            while let Some(&played) = rng.choice(&position.legal_moves())
                && position.fullmoves() < 80
            {
                for m in position.legal_moves() {
                    let worth = by_minimax(&position, m);
                    assert!(wins(&position, m, worth), "{position:?} {m:?} wins {worth}");
                    assert!(!wins(&position, m, worth + 1), "{position:?} {m:?} wins {worth}");
                    unequal += usize::from(worth != gain(m));
                }
                position = position.play(played);
            }
        }
        assert!(unequal > 10_000, "{unequal} exchanges with a reply");
    }
}
