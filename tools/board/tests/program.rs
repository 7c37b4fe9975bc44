//! The program: it prints its address and serves until it is asked to end.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use heddle_browser::Page;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Starts a program and waits for its address.
fn start(program: &Path, words: &[&str]) -> (Child, String) {
    let mut board = Command::new(program);
    board.arg("--no-open").args(words).stdout(Stdio::piped());
    let mut board = board.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(board.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("Heddle's board: ").unwrap().to_owned();
    (board, address)
}

fn end(mut board: Child, signal: Signal) -> Option<i32> {
    kill(Pid::from_raw(board.id().try_into().unwrap()), signal).unwrap();
    board.wait().unwrap().code()
}

#[test]
fn an_interrupt_ends_it_cleanly() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let program = Path::new(env!("CARGO_BIN_EXE_heddle-board"));
        let (board, address) = start(program, &["--threads", "1", "--hash", "1"]);
        assert!(address.starts_with("http://127.0.0.1:"), "{address}");
        assert_eq!(end(board, signal), Some(0), "{signal}");
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
    let program = Path::new(env!("CARGO_BIN_EXE_heddle-board"));
    let (board, address) = start(program, &["--threads", "2", "--hash", "16"]);
    let page = Page::open(&address);
    let before = ticks(&board);
    heddle::sync::thread::sleep(std::time::Duration::from_secs(2));
    let used = ticks(&board) - before;
    let status = std::fs::read_to_string(format!("/proc/{}/status", board.id())).unwrap();
    let memory = status.lines().find(|line| line.starts_with("VmRSS")).unwrap().to_owned();
    drop(page);
    end(board, Signal::SIGINT);
    println!("idle: {used} ticks of 10 ms in two seconds, {memory}");
    assert!(used <= 2, "{used} ticks");
}

/// The position of the pictures: D. Byrne – Fischer, New York 1956, before 17... Be6.
const POSITION: &str = "r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 3 17";

/// Not a test: `make pictures` makes the pictures of the documents with it.
#[test]
#[ignore = "writes docs/board/*.png"]
fn pictures() {
    let built = env::var_os("HEDDLE_BOARD").map(PathBuf::from);
    let program = built.unwrap_or_else(|| env!("CARGO_BIN_EXE_heddle-board").into());
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/board");
    std::fs::create_dir_all(&docs).unwrap();
    let (board, address) = start(&program, &["--threads", "2", "--hash", "64"]);
    let open = |name: &str| {
        let mut page = Page::open(&format!("{address}#{name}")).expect("pictures need a browser");
        page.wait_for("document.querySelector('cg-board piece')");
        page
    };

    let mut page = open("analyse");
    page.evaluate(&format!("document.querySelector('#text').value = '{POSITION}'"));
    page.click("#read");
    page.wait_for("document.querySelector('cg-board piece.black.queen')");
    page.evaluate("document.querySelector('#load').open = false; scrollTo(0, 0)");
    page.click("#go");
    page.wait_for("/depth 1[4-9]|depth [2-9]\\d/.test(document.querySelector('#work').textContent)");
    page.screenshot(&docs.join("analyse.png"));
    page.click("[data-view=threads]");
    page.wait_for("!document.querySelector('#threads').hidden");
    page.evaluate("document.querySelector('#threads-number').value = 6");
    page.evaluate("document.querySelector('#threads-number').dispatchEvent(new Event('input'))");
    page.click("#start-threads");
    page.wait_for("document.querySelectorAll('#workers tbody tr').length === 6");
    page.wait_for(
        "[...document.querySelectorAll('#workers tbody tr')].every((row) => row.cells[5].textContent >= '10')",
    );
    page.screenshot(&docs.join("threads.png"));
    drop(page);

    let mut page = open("play");
    page.click("#new-game .main");
    page.wait_for("document.querySelector('#outcome').textContent === 'Your move.'");
    for (count, word) in ["e4", "Nf3", "Bc4", "O-O"].into_iter().enumerate() {
        page.click("#word");
        page.type_text(word);
        page.key("Enter");
        page.wait_for(&format!(
            "document.querySelectorAll('#play-moves > button').length === {} \
             && document.querySelector('#outcome').textContent === 'Your move.'",
            2 * count + 2
        ));
    }
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
    page.screenshot(&docs.join("play.png"));
    drop(page);
    assert_eq!(end(board, Signal::SIGINT), Some(0));
}
