//! The program as seen by python-chess: runs `tests/python_client.py` if there is a `python3` with
//! the module `chess`. `HEDDLE_PYTHON` selects another Python.

use std::process::{Command, Stdio};

/// Whether `python` runs and has the module.
fn has_chess(python: &str) -> bool {
    Command::new(python)
        .args(["-c", "import chess.engine"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn python_chess_has_no_complaint() {
    let python = std::env::var("HEDDLE_PYTHON").unwrap_or_else(|_| "python3".into());
    if !has_chess(&python) {
        println!("skipped: needs {python} with the module chess (pip install chess)");
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python_client.py");
    let output = Command::new(&python)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_heddle"))
        .output()
        .expect("it has just run");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {complaint}", output.status);
}
