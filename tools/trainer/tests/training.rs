//! Complete trainings on a few games.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{folder, games};
use heddle::eval::nnue;
use heddle::eval::nnue::head::SECOND;
use heddle::eval::nnue::network::{Network, Output, PAIRED, PAIRS, SEEING, first_factor};
use heddle::position::Position;
use heddle::smp::stop::StopFlag;
use heddle_trainer::adam::Adam;
use heddle_trainer::aim::Aim;
use heddle_trainer::committee::Committee;
use heddle_trainer::loader::{self, LoadError, Source};
use heddle_trainer::logistic::SCALE;
use heddle_trainer::model::Model;
use heddle_trainer::packed::PackedSample;
use heddle_trainer::params::Params;
use heddle_trainer::plan::{Learn, Plan};
use heddle_trainer::quantise::{quantise, rounded};
use heddle_trainer::sample::Sample;
use heddle_trainer::schedule::Shape;
use heddle_trainer::train::{self, Control, Outputs, TrainError};
use rand::RngExt;
use rand_pcg::Pcg64;

/// The score of the search of the position itself.
fn aim() -> Aim {
    let teachers = Committee::default();
    Aim { lambda: 0.0, anchor: 0.0, teachers, trace: 0.0, logistic: SCALE }
}

fn plan(files: Vec<PathBuf>) -> Plan {
    Plan {
        held_out: vec![],
        positions: 60 * 256,
        batch: 256,
        buffer: 2_000,
        schedule: Shape::Cosine,
        rate: 1e-3,
        last_rate: 1e-5,
        average: 0.8,
        lambda: 0.3,
        anchor: 0.2,
        teacher: vec!["classical".into()],
        trace: 0.5,
        logistic: Some(SCALE),
        seed: 7,
        from: None,
        learn: Learn::All,
        files,
    }
}

fn outputs(folder: &Path, name: &str) -> Outputs {
    Outputs {
        output: folder.join(format!("{name}.nnue")),
        curve: Some(folder.join(format!("{name}.svg"))),
        checkpoint: None,
        stop_after: None,
    }
}

fn begin(plan: &Plan, outputs: &Outputs) -> Result<Network, TrainError> {
    train::begin(plan, outputs, Control { stop: &StopFlag::default(), say: &|_| {} })
}

fn resume(checkpoint: &Path, outputs: &Outputs) -> Result<Network, TrainError> {
    train::resume(checkpoint, outputs, Control { stop: &StopFlag::default(), say: &|_| {} })
}

#[test]
fn a_network_learns_to_count_material() {
    let folder = folder("material");
    let file = folder.join("games.vf");
    fs::write(&file, games(200)).unwrap();
    let samples = loader::read(&[file], usize::MAX, &aim()).unwrap();
    let mut model = Model::new(Params::random(&mut Pcg64::new(1, 1)), Adam::default());
    let before = model.loss(&samples);
    for _ in 0..8 {
        for batch in samples.chunks(512) {
            model.learn(batch, 1e-3);
        }
    }
    let after = model.loss(&samples);
    assert!(after < before / 10.0, "{before} to {after}");
}

#[test]
fn a_resumed_training_equals_an_unbroken_one() {
    let folder = folder("resume");
    let file = folder.join("games.vf");
    fs::write(&file, games(100)).unwrap();
    let plan = plan(vec![file]);
    let whole = begin(&plan, &outputs(&folder, "whole")).unwrap();
    let checkpoint = folder.join("part.checkpoint");
    let part = Outputs {
        checkpoint: Some(checkpoint.clone()),
        stop_after: Some(23),
        ..outputs(&folder, "part")
    };
    let early = begin(&plan, &part).unwrap();
    assert_ne!(early, whole);
    let rest = resume(&checkpoint, &outputs(&folder, "rest")).unwrap();
    assert_eq!(rest, whole);
    let ended = Outputs { checkpoint: Some(checkpoint.clone()), ..outputs(&folder, "rest") };
    assert_eq!(resume(&checkpoint, &ended).unwrap(), whole);
    assert_eq!(resume(&checkpoint, &outputs(&folder, "ended")).unwrap(), whole, "nothing is left");
    let written = fs::read(folder.join("rest.nnue")).unwrap();
    assert_eq!(Network::from_bytes(&written).unwrap(), whole);
    assert!(fs::read_to_string(folder.join("whole.svg")).unwrap().starts_with("<svg"));
}

/// All weights of each product, in an order that does not depend on that of the products.
fn products(network: &Network) -> Vec<Vec<i16>> {
    let weights = |product: usize| {
        let factors = [first_factor(product), first_factor(product) + PAIRED];
        let rows = network.features.iter().chain([&network.bias]);
        let mut weights: Vec<i16> = rows.flat_map(|row| factors.map(|i| row.0[i])).collect();
        if factors[0] < SEEING {
            let further = network.further.iter();
            weights.extend(further.flat_map(|row| factors.map(|i| i16::from(row.0[i]))));
        }
        for Output { weights: direct, head, .. } in &network.outputs {
            weights.extend(direct.each_ref().map(|pairs| pairs.0[product]));
            for input in [product, PAIRS + product] {
                weights.extend((0..SECOND).map(|neuron| i16::from(head.weight(input, neuron))));
            }
        }
        weights
    };
    let mut products: Vec<_> = (0..PAIRS).map(weights).collect();
    products.sort_unstable();
    products
}

#[test]
fn a_training_begins_with_the_weights_of_a_network() {
    let folder = folder("from");
    let file = folder.join("games.vf");
    fs::write(&file, games(100)).unwrap();
    let plan = plan(vec![file]);
    let first = begin(&plan, &outputs(&folder, "first")).unwrap();
    let from = |name: &str| {
        // A rate so low that no weight moves to the next integer.
        let (rate, last_rate) = (1e-9, 1e-9);
        let plan = Plan { from: Some(name.into()), rate, last_rate, ..plan.clone() };
        begin(&plan, &outputs(&folder, "second"))
    };
    let second = from(folder.join("first.nnue").to_str().unwrap()).unwrap();
    // Its products may be in another order.
    assert_eq!(products(&second), products(&first));
    for (second, first) in second.outputs.iter().zip(&first.outputs) {
        assert_eq!(second.bias, first.bias);
        // Floats are not rounded, so that they follow the rate.
        let mut small = second.head.small().zip(first.head.small());
        assert!(small.all(|(second, first)| (second - first).abs() < 1e-6));
    }
    assert_eq!(second.scale, first.scale);
    assert!(from("no such file").unwrap_err().to_string().contains("no such file"));
    assert!(from("classical").unwrap_err().to_string().contains("no weights"));
}

#[test]
fn the_quantised_network_says_what_the_rounded_one_says() {
    let folder = folder("quantised");
    let file = folder.join("games.vf");
    fs::write(&file, games(100)).unwrap();
    let samples = loader::read(&[file], 4_000, &aim()).unwrap();
    let mut model = Model::new(Params::random(&mut Pcg64::new(2, 2)), Adam::default());
    for _ in 0..20 {
        for batch in samples.chunks(512) {
            model.learn(batch, 1e-3);
        }
    }
    let network = quantise(&model.params, SCALE as i32).unwrap();
    let mut model = Model::new(rounded(&model.params), Adam::default());
    let mut position = Position::default();
    let mut rng = Pcg64::new(3, 3);
    let mut worst = 0.0_f32;
    for _ in 0..60 {
        let moves = position.legal_moves();
        position = position.play(moves[rng.random_range(0..moves.len())]);
        let sample = PackedSample::new(&position, 0.5).unpack();
        let float = model.outputs(&[sample])[0] * SCALE;
        let integer = nnue::evaluate(&network, &position).get();
        worst = worst.max((float - integer as f32).abs());
    }
    assert!(worst < 2.0, "{worst} centipawns apart");
}

#[test]
fn batches_are_a_shuffle_of_the_data_and_start_anywhere() {
    let folder = folder("batches");
    let file = folder.join("games.vf");
    fs::write(&file, games(40)).unwrap();
    let all = loader::read(std::slice::from_ref(&file), usize::MAX, &aim()).unwrap();
    for buffer in [all.len() / 3, all.len() + 1] {
        let source = Source { files: vec![file.clone()], batch: 50, buffer, aim: aim(), seed: 1 };
        let take =
            |skip| source.clone().batches(skip).iter().take(30).map(Result::unwrap).collect();
        let batches: Vec<Vec<Sample>> = take(0);
        let later: Vec<Vec<Sample>> = take(13);
        assert_eq!(batches[13..], later[..17]);
        assert_ne!(batches[0], all[..50]);
        assert!(batches.iter().flatten().all(|sample| all.contains(sample)));
    }
}

#[test]
fn results_and_later_searches_are_for_the_side_to_move() {
    let folder = folder("trace");
    let file = folder.join("games.vf");
    fs::write(&file, games(20)).unwrap();
    let read = |aim| loader::read(std::slice::from_ref(&file), usize::MAX, &aim).unwrap();
    let results = read(Aim { lambda: 1.0, ..aim() });
    let won = results.iter().filter(|sample| sample.target == 1.0).count();
    let lost = results.iter().filter(|sample| sample.target == 0.0).count();
    assert_eq!(won + lost, results.len());
    assert!(won.abs_diff(lost) < results.len() / 10, "{won} won, {lost} lost");
    // The winner is ahead in the end, and the last search counts alone.
    let last = read(Aim { trace: 1.0, ..aim() });
    let agrees = |(last, result): (&Sample, &Sample)| (last.target > 0.5) == (result.target > 0.5);
    assert!(last.iter().zip(&results).all(agrees));
    let scores = read(aim());
    assert_ne!(scores, read(Aim { trace: 0.5, ..aim() }));
    assert!(scores.iter().any(|sample| sample.target != 0.0 && sample.target != 1.0));
}

#[test]
fn bad_data_is_an_error_and_a_truncated_tail_is_left_out() {
    let folder = folder("bad");
    let file = folder.join("games.vf");
    let mut bytes = games(40);
    bytes.truncate(bytes.len() - 7);
    fs::write(&file, &bytes).unwrap();
    let whole = loader::read(std::slice::from_ref(&file), usize::MAX, &aim()).unwrap();
    fs::write(&file, games(39)).unwrap();
    assert_eq!(whole, loader::read(std::slice::from_ref(&file), usize::MAX, &aim()).unwrap());

    let few = Plan { batch: 1_000_000, buffer: 1_000_000, ..plan(vec![file.clone()]) };
    let error = begin(&few, &outputs(&folder, "few")).unwrap_err();
    assert!(matches!(error, TrainError::Load(LoadError::Few { .. })), "{error}");

    let off = Plan { lambda: 0.6, anchor: 0.5, ..plan(vec![file.clone()]) };
    let error = begin(&off, &outputs(&folder, "off")).unwrap_err();
    assert!(error.to_string().contains("lambda, anchor and trace"), "{error}");

    let foreign = folder.join("foreign.vf");
    fs::write(&foreign, "this is no game, but a text that is longer than a packed position")
        .unwrap();
    let error = begin(&plan(vec![foreign.clone()]), &outputs(&folder, "x")).unwrap_err();
    assert!(error.to_string().contains("no game at byte 0"), "{error}");
    let error = resume(&foreign, &outputs(&folder, "x")).unwrap_err();
    assert!(error.to_string().contains("not a checkpoint"), "{error}");
    let absent = plan(vec![folder.join("absent.vf")]);
    let error = begin(&absent, &outputs(&folder, "x")).unwrap_err();
    assert!(error.to_string().contains("absent.vf"), "{error}");
}
