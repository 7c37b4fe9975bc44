//! The whole cycle in miniature: games, a network trained on them, a search with it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use clap::Parser;
use heddle::engine::{Engine, Settings};
use heddle::position::Game;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::time::limits::Limits;
use heddle_selfplay::{GenerateArgs, generate};
use heddle_trainer::train::{self, Args, Control};

#[derive(Parser)]
struct Generate {
    #[command(flatten)]
    args: GenerateArgs,
}

#[derive(Parser)]
struct Train {
    #[command(flatten)]
    args: Args,
}

#[test]
fn from_nothing_to_a_network_that_plays() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trainer").join("loop");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let [games, network] = ["games.vf", "my.nnue"].map(|name| folder.join(name));
    let text = |path: &PathBuf| path.to_str().unwrap().to_owned();

    let flags = "datagen --games 24 --nodes 100 --hash 1 --threads 2 --seed 5 --eval classical";
    let arguments = flags.split(' ').map(Into::into).chain(["--output".into(), text(&games)]);
    generate(&Generate::parse_from(arguments).args).unwrap();

    let flags = "--positions 20000 --batch 128 --rate 0.002";
    let files = ["trainer".into(), text(&games), "--output".into(), text(&network)];
    let arguments = files.into_iter().chain(flags.split(' ').map(String::from));
    let control = Control { stop: &StopFlag::default(), say: &|_| {} };
    let trained = train::run(&Train::parse_from(arguments).args, control).unwrap();

    let mut engine = Engine::new(1, 1).unwrap();
    engine.set_network(Some(Arc::new(trained)));
    let limits = Limits { depth: Some(5), ..Limits::default() };
    let game = Game::default();
    let settings = Settings::default();
    let outcome = engine.search(&game, &limits, &settings, &Arc::default(), |_, _, _| {});
    let line = &outcome.lines[0];
    assert!(game.position().if_legal(line.moves[0]).is_some());
    assert!(line.score.abs().get() < 400, "{:?} in the initial position", line.score);
}

#[test]
fn the_command_line_says_in_one_line_what_is_wrong() {
    let run =
        Command::new(env!("CARGO_BIN_EXE_heddle-train")).arg("no such file.vf").output().unwrap();
    let message = String::from_utf8(run.stderr).unwrap();
    assert!(!run.status.success());
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains("no such file.vf"), "{message}");
}
