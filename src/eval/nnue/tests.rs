//! Properties of the network's evaluation, and that incremental sums change nothing.

use proptest::prelude::*;

use super::accumulator::{Accumulators, Sums};
use super::eval_file::{EvalFile, EvalFileError};
use super::head::{self, Head};
use super::network::{NetworkError, bucket};
use super::row::BLOCK;
use super::*;
use crate::eval::tests::random_positions;
use crate::position::START_FEN;

/// Roots whose games soon contain rare moves: castling of all kinds, en passant, promotions, kings
/// that cross the middle.
const ROOTS: [&str; 6] = [
    START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EAea - 0 1",
    "4k3/pppp4/8/8/8/8/4PPPP/3K4 w - - 0 1",
];

/// One step of a walk through a tree.
#[derive(Clone, Debug)]
enum Step {
    /// An index into the legal moves, modulo their number.
    Play(usize),
    Pass,
    Back(usize),
    Evaluate,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => any::<usize>().prop_map(Step::Play),
        1 => Just(Step::Pass),
        1 => (1..5usize).prop_map(Step::Back),
        4 => Just(Step::Evaluate),
    ];
    proptest::collection::vec(step, 0..150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    #[test]
    fn kept_sums_are_those_formed_anew(seed: u64, root in 0..ROOTS.len(), steps in steps()) {
        let network = Network::random(seed);
        let mut sums = Sums::default();
        let mut accumulators = Accumulators::new(&network, &mut sums);
        let mut line = vec![Position::from_fen(ROOTS[root]).unwrap()];
        for step in steps {
            let (ply, position) = (line.len() - 1, line.last().unwrap().clone());
            match step {
                Step::Play(number) => {
                    let moves = position.legal_moves();
                    if !moves.is_empty() {
                        let m = moves[number % moves.len()];
                        accumulators.push(ply, position.turn(), Some(m));
                        line.push(position.play(m));
                    }
                }
                Step::Pass => if let Some(passed) = position.null_move() {
                    accumulators.push(ply, position.turn(), None);
                    line.push(passed);
                },
                Step::Back(plies) => line.truncate(line.len().saturating_sub(plies).max(1)),
                Step::Evaluate => {
                    let score = accumulators.evaluate(&position, ply);
                    prop_assert_eq!(score, evaluate(&network, &position), "{:?}", position);
                }
            }
        }
    }
}

#[test]
fn every_kind_of_move_is_followed() {
    let network = Network::random(7);
    for (fen, moves) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1 e8g8 c1d2 g8f7 d2e3 f7e7 e3d3 e7d7"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8 e1g1 c8c7 g1g2"),
        ("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e5d6"),
        ("1n2k3/P7/8/8/8/8/7p/4K1N1 w - - 0 1", "a7b8q e8f7 e1d2 h2g1n"),
        ("1n2k3/P7/8/8/8/8/7p/4K1N1 w - - 0 1", "a7a8r h2h1b a8a1"),
        // The king stays; king and rook swap squares; only the rook moves far.
        ("1rk5/8/8/8/8/8/8/1RK5 w Bb - 0 1", "c1b1 c8b8"),
        ("7k/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1 h8h7"),
        ("1k6/8/8/8/8/8/8/1K5R w H - 0 1", "b1h1 b8b7"),
    ] {
        for skipped in [0, 1, 2, 7] {
            let mut position = Position::from_fen(fen).unwrap();
            let mut sums = Sums::default();
            let mut accumulators = Accumulators::new(&network, &mut sums);
            for (ply, text) in moves.split(' ').enumerate() {
                if ply >= skipped {
                    let score = accumulators.evaluate(&position, ply);
                    assert_eq!(score, evaluate(&network, &position), "{position:?}");
                }
                let m = position.parse_move(text).unwrap();
                accumulators.push(ply, position.turn(), Some(m));
                position = position.play(m);
            }
            let score = accumulators.evaluate(&position, moves.split(' ').count());
            assert_eq!(score, evaluate(&network, &position), "{position:?}");
        }
    }
}

#[test]
fn a_search_keeps_no_sums_of_another_network() {
    let mut sums = Sums::default();
    let position = Position::default();
    for seed in [1, 2] {
        let network = Network::random(seed);
        let score = Accumulators::new(&network, &mut sums).evaluate(&position, 0);
        assert_eq!(score, evaluate(&network, &position), "{seed}");
    }
}

/// The FEN with left and right exchanged; it must have no castling rights and no en passant square.
fn reversed(fen: &str) -> String {
    let (board, rest) = fen.split_once(' ').unwrap();
    let ranks: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
    format!("{} {rest}", ranks.join("/"))
}

#[test]
fn colors_and_wings_are_equal() {
    let network = Network::random(1);
    let mut distinct = std::collections::HashSet::new();
    for position in random_positions(500) {
        let fields: Vec<String> = position.fen().split(' ').map(str::to_owned).collect();
        let fen = format!("{} {} - - {} 1", fields[0], fields[1], fields[4]);
        let eval = |fen: &str| evaluate(&network, &Position::from_fen(fen).unwrap());
        let score = eval(&fen);
        let mirrored = Position::from_fen(&fen).unwrap().mirrored().fen();
        assert_eq!(eval(&mirrored), score, "{fen}");
        assert_eq!(eval(&reversed(&fen)), score, "{fen}");
        distinct.insert(score.get());
    }
    assert!(distinct.len() > 100, "a random network must tell positions apart");
}

/// The output of the small layers, given all products.
fn small_layers(head: &Head, products: &[f64]) -> f64 {
    let second = (0..head::SECOND).map(|neuron| {
        let weighted = |(input, product): (usize, &f64)| {
            product * f64::from(head.weight(input, neuron)) / f64::from(head::QC)
        };
        let sum: f64 = products.iter().enumerate().map(weighted).sum();
        (sum + f64::from(head.second_bias[neuron])).clamp(0.0, 1.0)
    });
    let second: Vec<f64> = second.collect();
    let inputs: Vec<f64> = second.iter().copied().chain(second.iter().map(|x| x * x)).collect();
    let third = (0..head::THIRD).map(|neuron| {
        let weighted = |(input, row): (&f64, &[f32; head::THIRD])| input * f64::from(row[neuron]);
        let sum: f64 = inputs.iter().zip(&head.third).map(weighted).sum();
        (sum + f64::from(head.third_bias[neuron])).clamp(0.0, 1.0).powi(2)
    });
    third.zip(head.last).map(|(x, weight)| x * f64::from(weight)).sum()
}

#[test]
fn the_output_is_what_the_formula_says() {
    let mut network = Network::random(3);
    let fen = "r1bqk2r/p1p2ppp/2p2n2/2bpp3/4P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 8";
    let position = Position::from_fen(fen).unwrap();
    let (board, views) = (position.board(), views(&position));
    let rows = views.map(|view| network.sums(view, board));
    let mut whole = rows.clone();
    for inputs in [further::attacks(board, views), further::pawns(board, views)].concat() {
        for (sums, input) in whole.iter_mut().zip(inputs) {
            let weights = &network.further[usize::from(input)].0;
            sums.0.iter_mut().zip(weights).for_each(|(sum, &weight)| *sum += i16::from(weight));
        }
    }
    let output = &mut network.outputs[bucket(board.occupied().count())];
    output.bias = network::QB * network::QA;
    let clipped = |v: i16| f64::from(v).clamp(0.0, 255.0) / 255.0;
    let factors = |block: &[i16; BLOCK]| {
        let (one, two) = block.split_at(BLOCK / 2);
        one.iter().zip(two).map(|(&one, &two)| clipped(one) * clipped(two)).collect::<Vec<_>>()
    };
    let blocks = whole.iter().flat_map(|row| row.0.as_chunks().0);
    let products: Vec<f64> = blocks.flat_map(factors).collect();
    let weights = output.weights.iter().flat_map(|pairs| pairs.0);
    let weighted = |(product, w): (&f64, i16)| product * f64::from(w) / f64::from(network::QB);
    let direct: f64 = products.iter().zip(weights).map(weighted).sum();
    let expected = (direct + 1.0 + small_layers(&output.head, &products)) * 400.0;
    assert_eq!(network.scale, 400);
    let [own, their] = [&rows[0], &rows[1]];
    let score = judge(&network, &position, [own, their], &pawn_sums::sums(&network, &position));
    let found = f64::from(score.get());
    assert!((expected - found).abs() < 2.0, "{expected} {found}");
}

#[test]
fn the_greatest_weights_do_not_overflow() {
    let mut network = Network::random(3);
    network.scale = network::MAX_SCALE;
    let count = (network::MAX_SECOND_SUM / i32::from(network::MAX_SECOND)) as usize;
    for output in &mut network.outputs {
        output.bias = network::MAX_BIAS;
        output.weights = Default::default();
        let weights = output.weights.iter_mut().flat_map(|row| &mut row.0);
        weights.take(count).for_each(|weight| *weight = network::MAX_SECOND);
    }
    assert!(network.is_in_range());
    network.features.iter_mut().for_each(|row| row.0.fill(network::MAX_FIRST));
    network.further.iter_mut().for_each(|row| row.0.fill(network::MAX_FURTHER_WEIGHT));
    let queens = Position::from_fen("QQQQQQQQ/QQQQQQQ1/8/8/8/8/5nnn/K4nbk w - - 0 1").unwrap();
    assert_eq!(evaluate(&network, &queens), Score::MAX_EVAL);
}

#[test]
fn a_lone_king_is_known_and_the_clock_is_not() {
    let network = Network::random(5);
    let eval = |fen: &str| evaluate(&network, &Position::from_fen(fen).unwrap());
    let rook = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1";
    assert_eq!(eval(rook), crate::eval::classical::evaluate(&Position::from_fen(rook).unwrap()));
    let at = |clock| eval(&format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - {clock} 99"));
    assert_eq!(at(100), at(0));
}

#[test]
fn random_networks_are_networks_and_differ() {
    let network = Network::random(0);
    assert!(network.is_in_range());
    assert_eq!(network, Network::random(0));
    assert_ne!(network, Network::random(1));
}

#[test]
fn the_network_of_the_repository_is_embedded() {
    assert_eq!(EvalFile::default(), EvalFile::from(EvalFile::DEFAULT));
    let shipped = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/nets/default.nnue"));
    match (shipped, option_env!("HEDDLE_EVALFILE")) {
        (Ok(shipped), None | Some("")) => {
            let network = EvalFile::Default.load().unwrap().expect("it is embedded");
            assert!(network.to_bytes() == shipped);
        }
        // Another network was asked for, or none ships.
        _ => println!("skipped: no network of the repository to compare with"),
    }
}

#[test]
fn a_file_is_read_or_refused() {
    let folder = std::env::temp_dir().join(format!("heddle nets {}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let network = Network::random(9);
    let path = folder.join("a network");
    std::fs::write(&path, network.to_bytes()).unwrap();
    let load = |name: &str| EvalFile::from(folder.join(name).to_str().unwrap()).load();
    assert_eq!(load("a network").unwrap().as_deref(), Some(&network));
    std::fs::write(&path, [network.to_bytes(), vec![0; 100]].concat()).unwrap();
    let error = load("a network").unwrap_err();
    let is_size = |source: &NetworkError| matches!(source, NetworkError::Size { .. });
    assert!(matches!(&error, EvalFileError::Refused { source, .. } if is_size(source)), "{error}");
    assert!(matches!(load("none").unwrap_err(), EvalFileError::Unreadable { .. }));
    assert!(load("").unwrap_err().to_string().ends_with("not a file"));
    assert!(EvalFile::from("<classical>").load().unwrap().is_none());
    std::fs::remove_dir_all(&folder).unwrap();
}
