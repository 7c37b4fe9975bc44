//! Compares networks on games, through the built program.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::{folder, games};
use heddle::eval::nnue::network::Network;

fn run(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-train"));
    command.current_dir(folder).args(args.split(' ')).output().unwrap()
}

fn eval(folder: &Path, args: &str) -> Output {
    run(folder, &format!("eval {args}"))
}

#[test]
fn networks_are_ranked_by_their_loss() {
    let folder = folder("gold");
    fs::write(folder.join("gold.vf"), games(40)).unwrap();
    let train = "gold.vf --positions 20000 --batch 200 -o one.nnue";
    let trained = run(&folder, train);
    assert!(trained.status.success(), "{trained:?}");
    let one = Network::from_bytes(&fs::read(folder.join("one.nnue")).unwrap()).unwrap();
    let scaled = Network { scale: 2 * one.scale, ..one };
    fs::write(folder.join("scaled.nnue"), scaled.to_bytes()).unwrap();
    fs::write(folder.join("random.nnue"), Network::random(1).to_bytes()).unwrap();

    let judged = eval(&folder, "--gold gold.vf one.nnue one.nnue scaled.nnue random.nnue");
    assert!(judged.status.success(), "{judged:?}");
    let text = String::from_utf8(judged.stdout).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 6, "{text}");
    assert!(lines[0].ends_with(" of 40 games"), "{text}");
    assert!(lines[1].starts_with("target: 0.25 result, 0.75 search, trace 0, logistic "), "{text}");
    assert_eq!(lines[3], format!("{}, +0.00 % (95 %: +0.00 to +0.00)", lines[2]));
    let loss = |line: &str| {
        let number = line.split("loss ").nth(1).unwrap().split(' ').next().unwrap();
        number.parse::<f64>().unwrap()
    };
    assert!((loss(lines[2]) - loss(lines[4])).abs() < 1e-4, "the scale is fitted: {text}");
    let low = lines[5].split("(95 %: ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(low.parse::<f64>().unwrap() > 0.0, "a random network is worse: {text}");
}

#[test]
fn what_cannot_be_judged_is_one_line() {
    let folder = folder("no gold");
    fs::write(folder.join("empty.vf"), "").unwrap();
    fs::write(folder.join("gold.vf"), games(2)).unwrap();
    fs::write(folder.join("one.nnue"), Network::random(1).to_bytes()).unwrap();
    for (args, wanted) in [
        ("--gold gold.vf missing.nnue", "missing.nnue"),
        ("--gold gold.vf gold.vf", "gold.vf"),
        ("--gold gold.vf one.nnue+missing.nnue", "missing.nnue"),
        ("--gold missing.vf one.nnue", "missing.vf"),
        ("--gold one.nnue one.nnue", "one.nnue"),
        ("--gold empty.vf one.nnue", "no quiet position"),
        ("--gold gold.vf one.nnue --lambda 2", "lambda"),
    ] {
        let run = eval(&folder, args);
        assert_eq!(run.status.code(), Some(2), "{args}: {run:?}");
        let error = String::from_utf8(run.stderr).unwrap();
        assert!(error.lines().count() == 1 && error.contains(wanted), "{args}: {error}");
    }
}

#[test]
fn networks_are_judged_by_positions_with_scores() {
    let folder = folder("judge");
    let line =
        |rook: &str, score: i32| format!("4k3/pp6/8/8/8/8/6{rook}/4K3 w - - 0 1;{score};20\n");
    let set: String = [("PP", 20), ("RP", 500), ("rP", -500), ("1P", -100), ("QP", 900)]
        .map(|(piece, score)| line(piece, score))
        .concat();
    fs::write(folder.join("set.epd"), set).unwrap();
    let judged = run(&folder, "judge classical default --set set.epd");
    assert!(judged.status.success(), "{judged:?}");
    let text = String::from_utf8(judged.stdout).unwrap();
    assert!(text.starts_with("set.epd: 5 positions"), "{text}");
    let row = text.lines().find(|line| line.starts_with("classical")).unwrap();
    let correlation: f64 = row.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(correlation > 0.8, "{text}");

    fs::write(folder.join("bad.epd"), "4k3/8 w - -;much;1\n").unwrap();
    for (args, wanted) in [
        ("judge default --set missing.epd", "missing.epd"),
        ("judge default --set bad.epd", "bad.epd, line 1"),
        ("judge missing.nnue --set set.epd", "missing.nnue"),
    ] {
        let run = run(&folder, args);
        assert_eq!(run.status.code(), Some(2), "{args}: {run:?}");
        let error = String::from_utf8(run.stderr).unwrap();
        assert!(error.lines().count() == 1 && error.contains(wanted), "{args}: {error}");
    }
}
