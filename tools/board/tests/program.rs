//! The program: it prints its address and serves until it is asked to end.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use heddle_browser::Page;
use rustix::process::{Pid, Signal, kill_process};

/// Starts the program and waits for its address.
fn start(words: &[&str]) -> (Child, String) {
    let mut board = Command::new(env!("CARGO_BIN_EXE_heddle-board"));
    board.arg("--no-open").args(words).stdout(Stdio::piped());
    let mut board = board.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(board.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("Heddle's board: ").unwrap().to_owned();
    (board, address)
}

fn end(mut board: Child, signal: Signal) -> Option<i32> {
    kill_process(Pid::from_child(&board), signal).unwrap();
    board.wait().unwrap().code()
}

#[test]
fn an_interrupt_ends_it_cleanly() {
    for signal in [Signal::INT, Signal::TERM] {
        let (board, address) = start(&["--threads", "1", "--hash", "1"]);
        assert!(address.starts_with("http://127.0.0.1:"), "{address}");
        assert_eq!(end(board, signal), Some(0), "{signal:?}");
    }
}

/// The processor time of a process so far, in clock ticks.
#[cfg(target_os = "linux")]
fn ticks(board: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", board.id())).unwrap();
    let fields: Vec<_> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    [11, 12].map(|at: usize| fields[at].parse::<u64>().unwrap()).iter().sum()
}

#[cfg(target_os = "linux")]
#[test]
fn an_idle_board_does_nothing() {
    let (board, address) = start(&["--threads", "2", "--hash", "16"]);
    let page = Page::open(&address);
    let before = ticks(&board);
    heddle::sync::thread::sleep(std::time::Duration::from_secs(2));
    let used = ticks(&board) - before;
    let status = std::fs::read_to_string(format!("/proc/{}/status", board.id())).unwrap();
    let memory = status.lines().find(|line| line.starts_with("VmRSS")).unwrap().to_owned();
    drop(page);
    end(board, Signal::INT);
    println!("idle: {used} ticks of 10 ms in two seconds, {memory}");
    assert!(used <= 2, "{used} ticks");
}

/// D. Byrne – Fischer, New York 1956, before 17... Be6.
const SHARP: &str = "r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 3 17";
/// A middlegame with several good moves.
const QUIET: &str = "r1bq1rk1/pp2ppbp/2np1np1/8/2PNP3/2N1B3/PP2BPPP/R2QK2R w KQ - 5 9";
/// Rows of the table of threads whose last finished iteration is deep enough for a picture.
const DEEP: &str = "[...document.querySelectorAll('#workers tbody tr')] \
    .filter((row) => Number(row.cells[5].textContent) >= 11).length";
/// Height of the pictures in CSS pixels.
const HEIGHT: u32 = 720;

/// Shows a position on the page for analysis.
fn show(page: &mut Page, fen: &str) {
    page.click("[data-view=analyse]");
    page.evaluate("document.querySelector('#load').open = true");
    page.evaluate(&format!("document.querySelector('#text').value = '{fen}'"));
    page.click("#read");
    let pieces = fen.split(' ').next().unwrap().chars().filter(|c| c.is_alphabetic()).count();
    page.wait_for(&format!(
        "document.querySelectorAll('cg-board piece:not(.ghost)').length === {pieces}"
    ));
    page.evaluate("document.querySelector('#load').open = false; scrollTo(0, 0)");
}

/// Not a test: `make pictures` makes the pictures of the documents with it.
#[test]
#[ignore = "writes docs/board/*.png"]
fn pictures() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/board");
    std::fs::create_dir_all(&docs).unwrap();
    let (board, address) = start(&["--threads", "2", "--hash", "64"]);
    let mut page = Page::open(&format!("{address}#play")).expect("pictures need a browser");
    page.resize(1280, HEIGHT);
    page.wait_for("document.querySelector('cg-board piece')");
    page.click("#new-game .main");
    for (count, word) in ["e4", "Nf3", "Bc4", "O-O"].into_iter().enumerate() {
        page.wait_for(&format!(
            "document.querySelectorAll('#play-moves > button').length === {} \
             && document.querySelector('#outcome').textContent === 'Your move.'",
            2 * count
        ));
        page.click("#word");
        page.type_text(word);
        page.key("Enter");
    }
    page.wait_for(
        "document.querySelectorAll('#play-moves > button').length === 8 \
         && !document.querySelector('piece.anim')",
    );
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
    page.screenshot(&docs.join("play.png"));

    show(&mut page, SHARP);
    page.click("#go");
    page.wait_for("parseInt(document.querySelector('#work').textContent.slice(6)) >= 14");
    page.screenshot(&docs.join("analyse.png"));

    page.click("#go");
    show(&mut page, QUIET);
    page.click("[data-view=threads]");
    page.evaluate("document.querySelector('#threads-number').value = 6");
    page.evaluate("document.querySelector('#threads-number').dispatchEvent(new Event('input'))");
    page.click("#start-threads");
    page.wait_for(&format!("{DEEP} === 6"));
    page.screenshot(&docs.join("threads.png"));
    drop(page);
    assert_eq!(end(board, Signal::INT), Some(0));
}
