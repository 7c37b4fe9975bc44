//! The built program with engines that a shell plays: from the games to the tuned values, and what
//! goes wrong on the way.
//!
//! With `HEDDLE_SPSA` naming a build of heddle with `--features spsa`, a few pairs are also played
//! by the real engine.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// White mates in one, or does not.
const OPENING: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - id \"back rank\";\n";
/// Announces a mate and gives it, if it has more of A than 10; otherwise it gives up.
const GAME: &str = "if [ $a -gt 10 ]; then echo 'info depth 1 score mate 1'; echo 'bestmove a1a8'
                    else echo 'info depth 1 score mate -1'; echo 'bestmove g1f1'; fi";

/// A folder for one test, with openings and an engine whose answer to `go` is the script `go`.
fn folder(test: &str, go: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tuning").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("openings.epd"), OPENING).unwrap();
    let script = format!(
        "#!/bin/sh
        if [ \"$1\" = spsa ]; then
            echo 'A, int, 10, 0, 100, 5, 0.002'; echo 'B, int, -20, -40, 0, 2, 0.002'; exit
        fi
        a=10
        while read -r line; do
            case $line in
            uci) echo 'option name A type spin default 10 min 0 max 100'
                 echo 'option name B type spin default -20 min -40 max 0'; echo uciok ;;
            isready) echo readyok ;;
            *'name A value '*) a=${{line##* }} ;;
            'go depth'*) echo 'info depth 12 nodes 42 score cp 3'; echo 'bestmove e2e4' ;;
            go*) {go} ;;
            esac
        done\n"
    );
    let source = folder.join("engine.sh");
    fs::write(&source, script).unwrap();
    // In a process of its own: a program that this one writes is "busy" for as long as a child that
    // another test has just started holds the descriptor.
    let mut install = Command::new("install");
    install.args(["-m", "755"]).args([source, folder.join("engine")]);
    assert!(install.status().unwrap().success());
    folder
}

fn tune(folder: &Path, args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-tune"));
    command.current_dir(folder).args(args.split_whitespace()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, args: &str) -> Output {
    tune(folder, args).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The one line with which the run fails.
#[track_caller]
fn fail(folder: &Path, args: &str) -> String {
    let output = run(folder, args);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let last = text(&output.stderr).lines().last().unwrap();
    last.strip_prefix("heddle: ").unwrap().to_owned()
}

const PLAY: &str = "--engine ./engine --openings openings.epd --state state.json --pairs 60";

#[test]
fn a_tuning_follows_the_results_and_shows_them() {
    let folder = folder("whole", GAME);
    let output = run(&folder, &format!("{PLAY} --plot paths.svg --apply --concurrency 2"));
    assert!(output.status.success(), "{output:?}");
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    let [a, b] = lines[..] else { panic!("{lines:?}") };
    let value: i32 =
        a.strip_prefix("A: 0..=100 = ").unwrap().trim_end_matches(';').parse().unwrap();
    assert!(value > 10, "{a}");
    assert!(b.starts_with("B: -40..=0 = -"), "{b}");
    assert!(fs::read_to_string(folder.join("paths.svg")).unwrap().contains("60 of 60 pairs"));
    assert!(text(&output.stderr).contains("pairs 60 of 60"), "{output:?}");
    // Nothing is left to play, and nothing has to be played to show what there is.
    let again = run(&folder, &format!("{PLAY} --apply"));
    assert_eq!(again.stdout, output.stdout);
    fs::remove_file(folder.join("engine")).unwrap();
    let shown = run(&folder, "--state state.json --print");
    let line = format!("A, int, {value}, 0, 100, 5, 0.002");
    assert_eq!(text(&shown.stdout).lines().next(), Some(&*line));
}

#[test]
fn a_subset_is_tuned_and_belongs_to_its_state() {
    let folder = folder("subset", GAME);
    let output = run(&folder, &format!("{PLAY} --only B --apply"));
    assert_eq!(text(&output.stdout), "B: -40..=0 = -20;\n");
    let before = fs::read(folder.join("state.json")).unwrap();
    assert_eq!(fail(&folder, PLAY), "state.json: another tuning: it tunes other parameters");
    assert_eq!(fail(&folder, &format!("{PLAY} --only C")), "the engine has no parameter C");
    assert_eq!(fs::read(folder.join("state.json")).unwrap(), before);
}

#[test]
fn a_dead_engine_or_an_illegal_move_is_one_line_and_the_state_is_kept() {
    let go = format!("[ -f break ] && . ./break; {GAME}");
    for (test, fault, said) in [
        ("dead", "exit 3", "./engine loses: the engine ended (exit status: 3)"),
        ("illegal", "echo 'info score cp 1'; echo 'bestmove a1b8'; return", "its move in 6k1/"),
    ] {
        let folder = folder(test, &go);
        let mut child = tune(&folder, &PLAY.replace("60", "1000000")).spawn().unwrap();
        wait_for_pairs(&folder, &mut child);
        let before = pairs(&folder);
        fs::write(folder.join("break"), fault).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(text(&output.stderr).lines().last().unwrap().contains(said), "{output:?}");
        assert!(pairs(&folder) >= before, "the state is kept");
    }
}

/// The pairs in the state, as the number of the next one.
fn pairs(folder: &Path) -> u64 {
    let state = fs::read_to_string(folder.join("state.json")).unwrap_or_default();
    let next = state.split("\"next\":").nth(1).and_then(|rest| rest.split(',').next());
    next.map_or(0, |next| next.parse().unwrap())
}

fn wait_for_pairs(folder: &Path, child: &mut std::process::Child) {
    while pairs(folder) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_interrupt_keeps_the_state_and_the_same_command_continues() {
    let folder = folder("interrupt", GAME);
    let args = format!("{} --plot paths.svg", PLAY.replace("60", "1000000"));
    let mut before = 0;
    for _ in 0..2 {
        let mut child = tune(&folder, &args).spawn().unwrap();
        while pairs(&folder) <= before + 1 {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            thread::sleep(Duration::from_millis(10));
        }
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert!(text(&output.stderr).contains("the same command continues"), "{output:?}");
        assert!(pairs(&folder) > before + 1);
        before = pairs(&folder);
        let plot = fs::read_to_string(folder.join("paths.svg")).unwrap();
        assert!(plot.contains(&format!("{before} of 1000000 pairs")), "a finished pair is missing");
    }
}

#[test]
fn bad_input_is_one_line_and_no_game() {
    let folder = folder("bad", "exit 1");
    fs::write(folder.join("over.epd"), "7k/6Q1/6K1/8/8/8/8/8 b - -\n").unwrap();
    fs::write(folder.join("broken.json"), "{}").unwrap();
    for (args, said) in [
        ("--engine ./none --state s", "cannot run ./none: No such file"),
        ("--engine /bin/true --state s", "/bin/true: not a build of heddle with --features spsa"),
        ("--engine ./engine --state s --openings no.epd", "cannot read no.epd: "),
        ("--engine ./engine --state s --openings over.epd", "over.epd line 1: the game is over"),
        ("--engine ./engine --state broken.json", "broken.json: not a state of this tuner: "),
        ("--engine ./engine --state no/s --openings openings.epd", "no/s: No such file"),
        ("--state none.json --apply", "none.json: No such file"),
    ] {
        let found = fail(&folder, args);
        assert!(found.starts_with(said), "{args}: {found}");
        assert!(!folder.join("s").exists());
    }
    for args in
        ["--state s", "--engine ./engine", "--state s --apply --print", "--state s --pairs 0"]
    {
        assert_eq!(run(&folder, args).status.code(), Some(2), "{args}");
    }
}

#[test]
fn the_real_engine_plays() {
    let Some(engine) = std::env::var_os("HEDDLE_SPSA") else {
        eprintln!("skipped: HEDDLE_SPSA names no build with --features spsa");
        return;
    };
    let folder = folder("real", GAME);
    let mut command = tune(&folder, "--state state.json --pairs 3 --nodes 200 --apply");
    let output = command.arg("--engine").arg(engine).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).lines().count() > 50, "{output:?}");
    assert_eq!(pairs(&folder), 3);
}
