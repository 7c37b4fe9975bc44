//! What python-chess reads in an annotated game. Skipped if there is no `python3` with the module
//! `chess`; `HEDDLE_PYTHON` selects another Python.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Reads the file and prints, for each main-line move, its SAN, NAGs, clock, evaluation and
/// variations.
const SCRIPT: &str = "
import sys, chess.pgn
game = chess.pgn.read_game(open(sys.argv[1], encoding='utf-8'))
assert not game.errors, game.errors
for node in game.mainline():
    score = node.eval()
    print(node.san(), sorted(node.nags), node.clock(), score and score.white(), len(node.parent.variations))
print(game.headers['White'], game.headers['Annotator'].split()[0], game.headers['WhiteAccuracy'])
";

#[test]
fn python_chess_reads_the_annotated_game_back() {
    let python = std::env::var("HEDDLE_PYTHON").unwrap_or_else(|_| "python3".into());
    let module = Command::new(&python)
        .args(["-c", "import chess.pgn"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !module.is_ok_and(|status| status.success()) {
        println!("skipped: needs {python} with the module chess (pip install chess)");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("annotate").join("python");
    fs::create_dir_all(&folder).expect("a folder");
    let game =
        "[White \"Müller\"]\n\n1. f3 {[%clk 0:01:00]} e5 {good} (1... d5 2. d4) 2. g4 Qh4# 0-1\n";
    fs::write(folder.join("game.pgn"), game).expect("a file");
    let annotated = Command::new(env!("CARGO_BIN_EXE_heddle-annotate"))
        .current_dir(&folder)
        .args(["game.pgn", "--pgn", "out.pgn", "--nodes", "3000", "--threads", "1", "--hash", "1"])
        .status();
    assert!(annotated.is_ok_and(|status| status.success()));
    let output = Command::new(&python)
        .current_dir(&folder)
        .args(["-c", SCRIPT, "out.pgn"])
        .env("PYTHONIOENCODING", "utf-8")
        .output()
        .expect("it has just run");
    let read = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = read.lines().collect();
    assert!(lines[0].starts_with("f3 [") && lines[0].contains("] 60.0 -"), "{read}");
    assert!(lines[1].starts_with("e5 [] None -") && lines[1].ends_with(" 2"), "{read}");
    assert!(lines[2].starts_with("g4 [4] None #-1 2"), "{read}");
    assert_eq!(lines[3], "Qh4# [] None None 1");
    assert!(lines[4].starts_with("Müller Heddle "), "{read}");
}
