use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Castling, en passant, promotions, pins and Chess960, to start random games from.
const STARTS: [&str; 10] = [
    START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EAea - 0 1",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b GBgb - 0 1",
    "r1bn1k1r/1p1ppppp/8/8/8/8/PPPPPP1P/R1BK1N1R w HAha - 0 1",
];

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(position(fen));
    for m in moves.split_whitespace() {
        game.play(game.position().parse_move(m).unwrap());
    }
    game
}

/// Every position of a game that takes the move number `choices[i]`, modulo the number of moves.
fn random_game(start: &str, choices: &[usize]) -> Vec<Position> {
    let mut positions = vec![position(start)];
    for choice in choices {
        let current = &positions[positions.len() - 1];
        let moves = current.legal_moves();
        if moves.is_empty() {
            break;
        }
        positions.push(current.play(moves[choice % moves.len()]));
    }
    positions
}

fn random_games(plies: usize) -> impl Strategy<Value = Vec<Position>> {
    (proptest::sample::select(STARTS.to_vec()), vec(any::<usize>(), 0..plies))
        .prop_map(|(start, choices)| random_game(start, &choices))
}

fn keys_of(position: &Position) -> [Key; 5] {
    let [white, black] = Color::ALL.map(|color| position.non_pawn_key(color));
    [position.key(), position.pawn_key(), white, black, position.minor_key()]
}

fn sorted_moves(position: &Position) -> Vec<String> {
    let mut moves: Vec<_> = position.legal_moves().iter().map(|m| uci(*m, true)).collect();
    moves.sort();
    moves
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn incremental_keys_equal_fresh_ones(positions in random_games(200)) {
        for position in positions {
            let fresh = Position::from_fen(&position.fen()).unwrap();
            prop_assert_eq!(keys_of(&position), keys_of(&fresh), "{:?}", position);
            prop_assert_eq!(position.checkers(), fresh.checkers());
            prop_assert_eq!(sorted_moves(&position), sorted_moves(&fresh));
        }
    }

    #[test]
    fn a_null_move_only_passes_the_turn(positions in random_games(80)) {
        for position in positions {
            let Some(null) = position.null_move() else {
                prop_assert!(position.is_check());
                continue;
            };
            prop_assert!(!position.is_check());
            prop_assert_eq!(null.board(), position.board());
            prop_assert_eq!(null.turn(), !position.turn());
            prop_assert_eq!(null.halfmove_clock(), 0);
            let fresh = Position::from_fen(&null.fen()).unwrap();
            prop_assert_eq!(keys_of(&null), keys_of(&fresh));
            prop_assert_eq!(null.checkers(), fresh.checkers());
            prop_assert_ne!(null.key(), position.key());
        }
    }

    #[test]
    fn every_legal_move_survives_packing_and_notation(positions in random_games(120)) {
        for position in positions {
            for m in position.legal_moves() {
                let packed = PackedMove::pack(m);
                prop_assert_ne!(packed, PackedMove::NONE);
                prop_assert_eq!(packed.unpack(&position), Some(m));
                prop_assert_eq!(PackedMove::from_bits(packed.to_bits()), packed);
                prop_assert_eq!(position.parse_move(&uci(m, true)), Ok(m));
                if !position.is_chess960() {
                    prop_assert_eq!(position.parse_move(&uci(m, false)), Ok(m));
                }
            }
        }
    }

    #[test]
    fn any_text_is_a_position_or_an_error(text in any::<String>()) {
        let _ = Position::from_fen(&text);
        let _ = Position::default().parse_move(&text);
    }

    #[test]
    fn a_damaged_fen_is_playable_or_an_error(
        start in proptest::sample::select(STARTS.to_vec()),
        damage in vec((any::<prop::sample::Index>(), "[prnbqkPRNBQKwb0-9/ a-h-]"), 1..6),
        choices in vec(any::<usize>(), 0..20),
    ) {
        let mut text: Vec<char> = start.chars().collect();
        for (index, with) in damage {
            let at = index.index(text.len());
            text.splice(at..=at, with.chars());
        }
        let text: String = text.into_iter().collect();
        if Position::from_fen(&text).is_ok() {
            for position in random_game(&text, &choices) {
                prop_assert!(Position::from_fen(&position.fen()).is_ok(), "{:?}", position);
            }
        }
    }
}

#[test]
fn all_16_bit_values_unpack_to_legal_moves_or_nothing() {
    for start in STARTS {
        let position = position(start);
        let mut unpacked: Vec<_> = (0..=u16::MAX)
            .filter_map(|bits| {
                let m = PackedMove::from_bits(bits).unpack(&position)?;
                assert_eq!(PackedMove::pack(m).to_bits(), bits, "{m:?} has two packings");
                Some(uci(m, true))
            })
            .collect();
        unpacked.sort();
        assert_eq!(unpacked, sorted_moves(&position), "{start}");
    }
}

#[test]
fn the_key_tells_side_castling_and_legal_en_passant_apart() {
    let key = |fen: &str| position(fen).key();
    assert_ne!(key("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), key("4k3/8/8/8/8/8/8/R3K2R b KQ - 0 1"));
    assert_ne!(key("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), key("4k3/8/8/8/8/8/8/R3K2R w K - 0 1"));
    assert_eq!(key("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), key("4k3/8/8/8/8/8/8/R3K2R w HA - 9 7"));
    // Nobody can capture; the pawn is pinned; the capture is legal.
    for (with, without, same) in [
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", true),
        ("8/8/8/K2pP2r/8/8/8/7k w - d6 0 2", "8/8/8/K2pP2r/8/8/8/7k w - - 0 2", true),
        ("8/8/8/K2pP3/8/8/8/7k w - d6 0 2", "8/8/8/K2pP3/8/8/8/7k w - - 0 2", false),
    ] {
        assert_eq!(key(with) == key(without), same, "{with}");
    }
}

#[test]
fn transpositions_share_a_key() {
    let one = game(START_FEN, "g1f3 g8f6 b1c3");
    let other = game(START_FEN, "b1c3 g8f6 g1f3");
    assert_eq!(keys_of(one.position()), keys_of(other.position()));
}

#[test]
fn one_repetition_since_the_root_counts_in_the_search() {
    let game = game(START_FEN, "g1f3 g8f6 f3g1 f6g8");
    assert!(is_repetition(game.keys(), 0, game.position()));
    assert!(!is_repetition(game.keys(), 1, game.position()), "the first lies before the root");
    assert!(!game.is_threefold());
    assert!(!game.is_draw());
}

#[test]
fn a_position_that_stands_for_the_third_time_is_a_draw() {
    let moves = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    let twice = game(START_FEN, &moves[..moves.len() - 5]);
    assert!(!twice.is_threefold());
    let thrice = game(START_FEN, moves);
    assert!(thrice.is_threefold());
    assert!(thrice.is_draw());
    assert!(is_repetition(thrice.keys(), thrice.keys().len(), thrice.position()));
}

#[test]
fn lost_castling_rights_make_another_position() {
    let fen = "4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1";
    let rook = game(fen, "h1g1 h8g8 g1h1 g8h8");
    assert!(!is_repetition(rook.keys(), 0, rook.position()), "the rights are gone");
    let again = game(fen, "h1g1 h8g8 g1h1 g8h8 h1g1 h8g8 g1h1 g8h8");
    assert!(is_repetition(again.keys(), 0, again.position()));
    assert!(!again.is_threefold());
}

#[test]
fn what_lies_before_a_pawn_move_is_not_looked_at() {
    let game = game(START_FEN, "g1f3 g8f6 f3g1 f6g8 e2e4 e7e5");
    let mut keys = game.keys().to_vec();
    for key in &mut keys {
        *key = game.position().key();
    }
    assert!(!is_repetition(&keys, 0, game.position()));
}

#[test]
fn a_null_move_ends_the_search_for_repetitions() {
    let mut position = position("4k3/8/8/8/8/8/8/R3K3 w - - 20 40");
    let mut keys = Vec::new();
    for m in ["a1a2", "e8d8", "a2a1"] {
        keys.push(position.key());
        position = position.play(position.parse_move(m).unwrap());
    }
    keys.push(position.key());
    position = position.null_move().unwrap();
    assert!(!is_repetition(&keys, 0, &position));
}

#[test]
fn fifty_moves_are_a_draw_unless_the_last_one_mates() {
    let fen = "7k/8/6K1/8/8/8/8/R7 w - - 98 120";
    assert!(!game(fen, "a1a2").is_draw());
    assert!(game(fen, "a1a2 h8g8").is_draw());
    let mate = game("7k/8/6K1/8/8/8/8/R7 w - - 99 120", "a1a8");
    assert_eq!(mate.position().halfmove_clock(), FIFTY_MOVES);
    assert!(!mate.is_draw());
    assert!(game("7k/8/6K1/8/8/8/8/R7 w - - 99 120", "a1a7").is_draw());
}

#[test]
fn insufficient_material_is_what_no_play_can_win() {
    for (fen, insufficient) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/4K3 b - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/2B1K3 b - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/4KB2 b - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4KNN1 w - - 0 1", false),
        ("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", false),
    ] {
        assert_eq!(position(fen).is_insufficient_material(), insufficient, "{fen}");
        assert_eq!(Game::new(position(fen)).is_draw(), insufficient, "{fen}");
    }
}

#[test]
fn what_is_no_position_is_one_line_of_error() {
    for text in [
        "",
        "  ",
        "startpos",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
        "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KXkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq z9 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 and more",
        "rnbqkbnr/pppppppp/8/8/8/8/ÄÖÜPPPPP/RNBQKBNR w KQkq - 0 1",
    ] {
        let error = Position::from_fen(text).unwrap_err();
        assert!(matches!(error, FenError::Syntax(_)), "{text}: {error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    for (text, why) in [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "king"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "pawns"),
        ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "pawns"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "check"),
        ("QQQQQQQQ/QQQQQQQQ/8/8/8/K7/6pp/6rk w - - 0 1", "pieces"),
        ("nnnnnnnn/nnnnnnnn/8/8/8/8/7K/k7 b - - 0 1", "pieces"),
    ] {
        let error = Position::from_fen(text).unwrap_err();
        assert!(matches!(error, FenError::Illegal(_)), "{text}: {error}");
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
}

#[test]
fn unusual_positions_are_taken_as_far_as_they_make_sense() {
    for (text, fen) in [
        // Rights and en passant squares that the board contradicts are dropped.
        ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R w KQkq e3 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        // Fields may be missing, move numbers may be nonsense.
        ("4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
        (" 4k3/8/8/8/8/8/8/4K3 b - -\n", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 b - - 7 0", "4k3/8/8/8/8/8/8/4K3 b - - 7 1"),
        // Three checkers; ten queens.
        ("4k3/8/8/8/1b2r3/5n2/8/4K3 w - - 0 1", "4k3/8/8/8/1b2r3/5n2/8/4K3 w - - 0 1"),
        ("6rk/6pp/8/8/8/8/1QQQQQ2/KQQQQQ2 w - - 0 1", "6rk/6pp/8/8/8/8/1QQQQQ2/KQQQQQ2 w - - 0 1"),
    ] {
        assert_eq!(position(text).fen(), fen, "{text}");
    }
}

#[test]
fn fifteen_queens_have_room_in_the_move_list() {
    // The most that hill climbing over placements of fifteen queens has found is about 245; the
    // list holds 256.
    let most = position("2QQ1Knk/Q4Qpp/2Q4Q/4Q3/1Q4Q1/3Q4/Q4Q2/2QQ3Q w - - 0 1");
    assert!(most.legal_moves().len() > 230);
}

#[test]
fn huge_clocks_neither_overflow_nor_hide_the_draw() {
    let fen = "4k3/8/8/8/8/8/8/R3K3 w - - 99999999999 99999999999";
    let game = game(fen, "a1a2 e8d8");
    assert!(game.is_draw());
    assert!(game.position().halfmove_clock() > FIFTY_MOVES);
    assert!(!is_repetition(game.keys(), 0, game.position()));
}

#[test]
fn castling_may_be_written_either_way() {
    let standard = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for (king_move, king_takes_rook, san) in [("e1g1", "e1h1", "O-O"), ("e1c1", "e1a1", "O-O-O")] {
        let m = standard.parse_move(king_move).unwrap();
        assert_eq!(standard.parse_move(king_takes_rook), Ok(m));
        assert_eq!(uci(m, false), king_move);
        assert_eq!(uci(m, true), king_takes_rook);
        assert_eq!(standard.san(m), san);
    }
    let chess960 = position("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1");
    assert!(chess960.is_chess960() && !standard.is_chess960());
    let m = chess960.parse_move("e1g1").unwrap();
    assert_eq!(m, Move::castle(Square::E1, Square::G1));
    assert_eq!(chess960.play(m).fen(), "4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1");
}

#[test]
fn what_is_no_legal_move_is_an_error() {
    let start = Position::default();
    for text in ["", "e2", "e2e4e5", "e2e9", "e7e8x", "é2e4", "e2e4é", "O-O", "castle"] {
        assert_eq!(start.parse_move(text), Err(MoveError::Syntax(text.to_owned())));
    }
    for text in ["e2e5", "e7e5", "e4e5", "e1g1", "0000", "P@e4", "e2e4q", "b1b1"] {
        assert_eq!(start.parse_move(text), Err(MoveError::Illegal(text.to_owned())));
    }
    let promotion = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
    assert!(promotion.parse_move("a7a8").is_err(), "the piece is missing");
    assert!(promotion.parse_move("a7a8k").is_err());
    assert!(promotion.parse_move("a7a8n").is_ok());
}

#[test]
fn tactical_moves_are_captures_and_queen_promotions() {
    let position = position("1n2k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 2");
    let mut tactical = Vec::new();
    position.for_each_tactical(|m| tactical.push(uci(m, false)));
    tactical.sort();
    let expected = ["a7a8q", "a7b8b", "a7b8n", "a7b8q", "a7b8r", "e5d6"];
    assert_eq!(tactical, expected);
}

#[test]
fn pieces_are_told_from_pawns() {
    let position = position("4k3/pp6/8/8/8/8/PP6/4KN2 w - - 0 1");
    assert!(position.has_pieces(Color::White));
    assert!(!position.has_pieces(Color::Black));
}

/// Long games of few choices, in which positions come again and again.
fn shuffling_games() -> impl Strategy<Value = Vec<Position>> {
    let starts = vec![
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1",
        "q3k3/8/2n5/8/8/5B2/8/4K1Q1 w - - 0 1",
        "8/8/4k3/2r5/5R2/3K4/8/1n4B1 b - - 7 40",
    ];
    (proptest::sample::select(starts), vec(0_usize..40, 0..60)).prop_map(|(start, choices)| {
        // Every other move of a side takes its last one back if that is possible.
        let mut game = vec![position(start)];
        for (ply, choice) in choices.into_iter().enumerate() {
            let position = &game[ply];
            let back = ply.checked_sub(3).map(|earlier| game[earlier].key());
            let back = back.and_then(|key| position.reversible_move_to(key));
            let moves = position.legal_moves();
            let Some(&any) = moves.get(choice % moves.len().max(1)) else { break };
            let m = back.filter(|_| choice % 4 != 0).unwrap_or(any);
            game.push(position.play(m));
        }
        game
    })
}

proptest! {
    #[test]
    fn an_upcoming_repetition_is_a_move_that_repeats(
        positions in shuffling_games(),
        root in 0_usize..30,
    ) {
        let keys: Vec<_> = positions.iter().map(Position::key).collect();
        for (ply, position) in positions.iter().enumerate().skip(root) {
            let after = &keys[..=ply];
            let repeats = position
                .legal_moves()
                .into_iter()
                .any(|m| is_repetition(after, root, &position.play(m)));
            prop_assert_eq!(is_upcoming_repetition(&keys[..ply], root, position), repeats);
        }
    }
}

#[test]
fn a_repetition_is_seen_coming() {
    let game = game(START_FEN, "g1f3 g8f6 f3g1");
    assert!(is_upcoming_repetition(game.keys(), 0, game.position()));
    assert!(!is_upcoming_repetition(game.keys(), 1, game.position()), "once before the root");
}
