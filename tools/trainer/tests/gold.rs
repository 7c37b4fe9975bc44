//! Compares networks on games, through the built program.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::{folder, games};
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
    assert_eq!(lines[1], "target: 0.25 result, 0.75 search, trace 0");
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
        ("--gold gold.vf classical", "classical"),
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
