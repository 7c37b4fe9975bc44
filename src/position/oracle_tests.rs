//! Compares positions with the rules library, in random games of standard chess and Chess960.

use fastrand::Rng;
use shakmaty::{EnPassantMode, Piece};

use super::*;

/// Starts of games in which castling, en passant, promotions, pins and checks come soon.
const STARTS: [&str; 10] = [
    START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b GBgb - 0 1",
    "8/1k1q4/2p1p1p1/8/1P1P1P1P/8/3Q1K2/8 w - - 0 1",
    "qr1k1r1q/8/8/8/8/8/8/QR1K1R1Q w FBfb - 0 1",
];

/// The length of a random game, in plies.
const PLIES: usize = 150;

/// One of the listed starts, or one of Chess960 where each side's pieces are drawn separately.
fn random_start(rng: &mut Rng) -> Position {
    if rng.bool() {
        return Position::from_fen(rng.choice(STARTS).unwrap()).unwrap();
    }
    let [white, black] = [(); 2].map(|()| rng.u32(..CHESS960_STARTS));
    Position::double_chess960(white, black)
}

/// Calls `check` on the positions of random games, at least `count` of them.
fn on_random_positions(seed: u64, count: usize, mut check: impl FnMut(&Position, &Chess)) {
    let mut rng = Rng::with_seed(seed);
    let mut seen = 0;
    while seen < count {
        let mut position = random_start(&mut rng);
        let mut library = position.to_library();
        for _ in 0..PLIES {
            check(&position, &library);
            seen += 1;
            let Some(m) = rng.choice(library.legal_moves()) else { break };
            position = position.play(m.into());
            library.play_unchecked(m);
        }
    }
}

/// The legal moves that the library finds.
fn legal(library: &Chess) -> MoveList {
    library.legal_moves().into_iter().map(Into::into).collect()
}

fn collect(generate: impl FnOnce(&mut dyn FnMut(Move))) -> Vec<Move> {
    let mut moves = Vec::new();
    generate(&mut |m| moves.push(m));
    moves
}

/// The state, the moves in order, and what is known of each move.
fn check_position(position: &Position, library: &Chess) {
    let fen = Fen::from_position(library, EnPassantMode::Legal).to_string();
    assert_eq!(position.fen(), fen);
    assert_eq!(position.checkers(), library.checkers(), "{fen}");
    assert_eq!(position.is_insufficient_material(), library.is_insufficient_material(), "{fen}");

    let legal = legal(library);
    assert_eq!(position.legal_moves(), legal, "{fen}");
    let (tactical, quiet): (Vec<_>, Vec<_>) = legal.iter().partition(|&&m| is_tactical(m));
    assert_eq!(collect(|on| position.for_each_tactical(on)), tactical, "{fen}");
    assert_eq!(collect(|on| position.for_each_quiet(on)), quiet, "{fen}");

    for (m, theirs) in legal.iter().zip(library.legal_moves()) {
        assert_eq!(<shakmaty::Move as From<Move>>::from(*m), theirs, "{fen}");
        assert_eq!((m.role(), m.capture()), (theirs.role(), theirs.capture()), "{fen} {m:?}");
        assert_eq!(m.promotion(), theirs.promotion(), "{fen} {m:?}");
        assert_eq!(m.is_zeroing(), theirs.is_zeroing(), "{fen} {m:?}");
    }

    let checks = position.check_squares();
    for m in legal {
        let next = position.play(m);
        let mut expected = library.clone();
        expected.play_unchecked(m.into());
        assert!(position.is_legal(m), "{fen} {m:?}");
        assert_eq!(PackedMove::pack(m).unpack(position), Some(m), "{fen}");
        assert_eq!(checks.gives_check(position, m), expected.is_check(), "{fen} {m:?}");
        assert_eq!(
            position.key_after(m) ^ play::en_passant_key(next.en_passant),
            next.key(),
            "{fen} {m:?}"
        );
    }
}

fn check_keys(position: &Position, library: &Chess) {
    let fresh = Position::new(library);
    assert_eq!(position.key(), fresh.key(), "{position:?}");
    assert_eq!(position.pawn_key(), fresh.pawn_key(), "{position:?}");
    assert_eq!(position.minor_key(), fresh.minor_key(), "{position:?}");
    for color in Color::ALL {
        assert_eq!(position.non_pawn_key(color), fresh.non_pawn_key(color), "{position:?}");
    }
    assert_eq!(position.blockers, fresh.blockers, "{position:?}");
}

fn check_null_move(position: &Position, library: &Chess) {
    let passed = position.null_move();
    assert_eq!(passed.is_none(), library.is_check(), "{position:?}");
    let Some(passed) = passed else { return };
    let mut setup = library.to_setup(EnPassantMode::Legal);
    setup.swap_turn();
    setup.halfmoves = 0;
    let expected = lenient(setup, library.castles().mode()).unwrap();
    assert_eq!(passed.fen(), Fen::from_position(&expected, EnPassantMode::Legal).to_string());
    assert_eq!(passed.checkers(), expected.checkers(), "{position:?}");
    check_keys(&passed, &expected);
}

fn check_threats(position: &Position, library: &Chess) {
    let board = library.board();
    for color in Color::ALL {
        let attacked = |roles: &[Role]| {
            let pieces = roles.iter().map(|&role| board.by_piece(Piece { color, role }));
            let squares = pieces.flatten().map(|square| board.attacks_from(square));
            squares.fold(Bitboard::EMPTY, |all, attacks| all | attacks)
        };
        let threats = position.threats(color);
        let lesser = |role, attackers: &[Role]| {
            assert_eq!(threats.by_lesser(role), attacked(attackers), "{position:?}");
        };
        let [pawn, knight, bishop, rook, queen, king] = Role::ALL;
        lesser(knight, &[pawn]);
        lesser(bishop, &[pawn]);
        lesser(rook, &[pawn, knight, bishop]);
        lesser(queen, &[pawn, knight, bishop, rook]);
        lesser(king, &Role::ALL);
        assert_eq!(threats.all, attacked(&Role::ALL), "{position:?}");
    }
}

/// Every 16-bit value is one of the library's legal moves or none.
fn check_packed(position: &Position, library: &Chess) {
    let mut unpacked: Vec<_> = (0..=u16::MAX)
        .filter_map(|bits| PackedMove::from_bits(bits).unpack(position))
        .map(|m| PackedMove::pack(m).to_bits())
        .collect();
    let mut legal: Vec<_> =
        legal(library).into_iter().map(|m| PackedMove::pack(m).to_bits()).collect();
    unpacked.sort_unstable();
    legal.sort_unstable();
    assert_eq!(unpacked, legal, "{position:?}");
}

/// A move of another position is legal if and only if the library generates it.
fn check_foreign(position: &Position, library: &Chess, foreign: &[Move]) {
    let legal = legal(library);
    for &m in foreign {
        assert_eq!(position.is_legal(m), legal.contains(&m), "{position:?} {m:?}");
        let unpacked = PackedMove::pack(m).unpack(position);
        assert!(unpacked.is_none_or(|m| legal.contains(&m)), "{position:?} {m:?}");
    }
}

/// Every check but [`check_packed`], which costs hundreds of times as much.
fn check_all(seed: u64, count: usize) {
    let mut foreign = Vec::new();
    on_random_positions(seed, count, |position, library| {
        check_position(position, library);
        check_keys(position, library);
        check_null_move(position, library);
        check_threats(position, library);
        check_foreign(position, library, &foreign);
        foreign.extend(legal(library));
        // The moves of the last few positions, with either side to move.
        foreign.drain(..foreign.len().saturating_sub(200));
    });
}

#[test]
fn random_positions_agree_with_the_rules_library() {
    check_all(1, 20_000);
}

#[test]
fn every_16_bit_value_agrees_with_the_rules_library() {
    on_random_positions(2, 300, check_packed);
}

/// Two million positions, two minutes.
#[test]
#[ignore = "takes minutes"]
fn millions_of_random_positions_agree_with_the_rules_library() {
    check_all(3, 2_000_000);
    on_random_positions(4, 20_000, check_packed);
}

#[test]
fn checks_are_foreseen() {
    for (fen, m, gives_check) in [
        // Discovered by a knight, a king, and a pawn that leaves the line or stays on it.
        ("4k3/8/8/8/8/8/4N3/4R1K1 w - - 0 1", "e2c3", true),
        ("4k3/8/8/8/8/8/4K3/4R3 w - - 0 1", "e2d2", true),
        ("4k3/8/8/8/8/3p4/4P3/4R1K1 w - - 0 1", "e2e4", false),
        ("4k3/8/8/8/8/3p4/4P3/4R1K1 w - - 0 1", "e2d3", true),
        // Castling: the rook checks from its new square, in Chess960 too.
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", true),
        ("3k4/8/8/8/8/8/8/1R2K3 w B - 0 1", "e1b1", true),
        // En passant: discovered by either pawn, or given by the capturing one.
        ("7k/8/8/3pP3/8/2B5/8/K7 w - d6 0 1", "e5d6", true),
        ("8/8/8/K2pP2k/8/8/8/8 w - d6 0 1", "e5d6", false),
        ("8/4k3/8/3pP3/8/8/8/K7 w - d6 0 1", "e5d6", true),
        ("8/8/8/R2pP2k/8/8/8/K7 w - d6 0 1", "e5d6", true),
        // A promoted piece checks through the square that the pawn has left.
        ("8/4P3/8/8/4k3/8/8/K7 w - - 0 1", "e7e8r", true),
        ("8/4P3/8/8/4k3/8/8/K7 w - - 0 1", "e7e8b", false),
        ("8/4P3/3k4/8/8/8/8/K7 w - - 0 1", "e7e8n", true),
    ] {
        let position = Position::from_fen(fen).unwrap();
        let m = position.parse_move(m).unwrap();
        assert_eq!(position.check_squares().gives_check(&position, m), gives_check, "{fen} {m:?}");
        assert_eq!(position.play(m).is_check(), gives_check, "{fen} {m:?}");
    }
}

#[test]
fn a_chess960_king_may_not_castle_into_an_uncovered_check() {
    // The castling rook is all that covers the first rank.
    let pinned = Position::from_fen("4k3/8/8/8/8/8/8/qR1K4 w B - 0 1").unwrap();
    assert!(pinned.parse_move("d1b1").is_err());
    let free = Position::from_fen("q3k3/8/8/8/8/8/8/1R1K4 w B - 0 1").unwrap();
    assert!(free.parse_move("d1b1").is_ok());
}

#[test]
fn threats_are_told_apart_by_the_value_of_the_attacker() {
    let position = Position::from_fen("4k3/8/8/3p4/8/1n6/8/4K2r w - - 0 1").unwrap();
    let threats = position.threats(Color::Black);
    assert_eq!(threats.by_lesser(Role::Pawn), Bitboard::EMPTY);
    assert!(threats.by_lesser(Role::Knight).contains(Square::C4));
    assert!(!threats.by_lesser(Role::Bishop).contains(Square::A1));
    assert!(threats.by_lesser(Role::Rook).contains(Square::A1));
    assert!(!threats.by_lesser(Role::Rook).contains(Square::H8));
    assert!(threats.by_lesser(Role::Queen).contains(Square::H8));
    assert!(threats.by_lesser(Role::King).contains(Square::E7));
}
