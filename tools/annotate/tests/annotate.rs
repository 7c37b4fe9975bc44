//! The built program on games as they come: many, broken, from a stream, interrupted.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};

/// A game with everything that has to be kept. White blunders mate with the third move.
const GAME: &str = "[Event \"Test\"]\n[White \"<script>alert(1)</script>\"]\n[Black \"O'Neil & \\\"Co\\\"\"]\n\
    [Result \"0-1\"]\n\n{ before } 1. f3 { [%clk 0:01:00] why } e5 $1 (1... d5 2. d4 (2. e4 { no }))\n\
    2. g4 { [%eval 0.5] } Qh4# 0-1\n\n";

/// An empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("annotate").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-annotate"));
    command.current_dir(folder).args(["--threads", "1", "--hash", "1"]);
    command.args(arguments.split_whitespace());
    command
}

fn annotate(folder: &Path, arguments: &str) -> Output {
    command(folder, &format!("--nodes 2000 {arguments}")).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn what_the_game_said_is_kept_and_the_blunder_marked() {
    let folder = folder("kept");
    fs::write(folder.join("game.pgn"), GAME).unwrap();
    // With 2000 nodes the best reply can lose centipawns to the difference between two searches.
    let output = command(&folder, "--nodes 10000 game.pgn").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let found = text(&output.stdout).replace('\n', " ");
    for kept in [
        "{ before } 1. f3",
        "{ [%clk 0:01:00] why }",
        "1... e5 $1",
        "(1... d5 2. d4 (2. e4 { no }))",
    ] {
        assert!(found.contains(kept), "{kept}: {found}");
    }
    assert_eq!(found.matches("[%eval 0.5]").count(), 1, "{found}");
    assert!(found.contains("2. g4 $4 { Blunder: "), "{found}");
    assert!(found.contains(" (2. ") && found.contains(" was better. }"), "{found}");
    // The fool's mate is in the list of openings, of which only blunders are judged.
    assert!(found.contains("[WhiteAccuracy ") && !found.contains("[BlackAccuracy "), "{found}");
    assert!(found.trim_end().ends_with("2... Qh4# 0-1"), "mate has no evaluation: {found}");
}

#[test]
fn annotating_twice_adds_nothing() {
    let folder = folder("twice");
    fs::write(folder.join("game.pgn"), GAME).unwrap();
    annotate(&folder, "game.pgn --pgn once.pgn");
    let once = fs::read_to_string(folder.join("once.pgn")).unwrap();
    let twice = text(&annotate(&folder, "once.pgn").stdout);
    for mark in ["%eval", "$4", "(2. ", "[Annotator", "Blunder: ", "Leaves the "] {
        assert_eq!(once.matches(mark).count(), twice.matches(mark).count(), "{mark}: {twice}");
    }
}

/// The verdict is wrapped at each of its words in turn.
#[test]
fn a_verdict_is_known_again_wherever_its_lines_end() {
    let folder = folder("wrapped");
    for length in (10..80).step_by(5) {
        let comment = "x".repeat(length);
        let game = format!("1. f3 {{ {comment} }} e5 2. g4 {{ {comment} }} Qh4# 0-1\n");
        fs::write(folder.join("game.pgn"), game).unwrap();
        annotate(&folder, "game.pgn --pgn once.pgn");
        let once = fs::read_to_string(folder.join("once.pgn")).unwrap();
        assert_eq!(once.matches("Blunder:").count(), 1, "{once}");
        assert_eq!(text(&annotate(&folder, "once.pgn").stdout), once);
    }
}

#[test]
fn a_game_that_goes_on_after_a_draw_has_no_empty_lines() {
    let folder = folder("drawn");
    let shuffled = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. g4 *\n";
    fs::write(folder.join("game.pgn"), shuffled).unwrap();
    let found = text(&annotate(&folder, "game.pgn").stdout);
    assert!(found.contains("5. g4") && !found.contains("()"), "{found}");
}

#[test]
fn a_broken_game_is_one_line_and_the_rest_goes_on() {
    let folder = folder("broken");
    let illegal = "[White \"Broken\"]\n\n1. e4 e5\n2. Ke4 *\n\n";
    let broken = "[White \"Broken\"]\n\n1. e4 e5\n2. Nf3 { never closed\n\n";
    fs::write(folder.join("games.pgn"), format!("{illegal}{broken}{GAME}{GAME}")).unwrap();
    let output = annotate(&folder, "games.pgn --html page.html");
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(complaint.contains("games.pgn: game 1: move 2: illegal move: Ke4\n"), "{complaint}");
    assert!(complaint.contains("games.pgn: game 2: unterminated comment\n"), "{complaint}");
    assert!(complaint.contains("2 of 4 games could not be read"), "{complaint}");
    assert_eq!(complaint.lines().count(), 4, "{complaint}");
    let summary = complaint.lines().find(|line| line.starts_with("2 games; "));
    assert!(summary.is_some_and(|line| line.ends_with("; wrote page.html")), "{complaint}");
    assert!(output.stdout.is_empty(), "the page was asked for, not the games");
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert_eq!(page.matches("<section").count(), 2);
}

#[test]
fn games_come_from_a_stream() {
    let mut child = command(&folder("stream"), "--nodes 500")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(format!("{GAME}{GAME}1. e4 *").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(text(&output.stdout).matches("[Event \"Test\"]").count(), 2);
    assert!(text(&output.stdout).contains("\n1. e4 { [%eval "));
}

#[test]
fn a_page_is_whole_refers_to_nothing_outside_and_takes_no_name_for_markup() {
    let folder = folder("page");
    fs::write(folder.join("game.pgn"), GAME).unwrap();
    assert!(annotate(&folder, "game.pgn --html page.html").status.success());
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for outside in ["http:", "https:", "src=", "url(", "@import", "<link", "<iframe"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(!page.contains("<script>alert"), "a name became a script");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("O'Neil &amp; &quot;Co&quot;"));
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    for tag in ["section", "div", "figure", "table", "button", "svg", "span", "p"] {
        let count = |text: String| page.matches(&text).count();
        let opened = count(format!("<{tag}>")) + count(format!("<{tag} "));
        assert_eq!(opened, count(format!("</{tag}>")), "{tag}");
    }
    for part in ["class=\"curve\"", "class=\"moments\"", "prefers-color-scheme", "ArrowLeft"] {
        assert!(page.contains(part), "{part}");
    }
    heddle_browser::assert_readable(&page, 3);
}

#[test]
fn a_file_without_a_game_is_an_error() {
    let folder = folder("empty");
    fs::write(folder.join("empty.pgn"), "\n").unwrap();
    let output = annotate(&folder, "empty.pgn --html page.html");
    assert_eq!(output.status.code(), Some(2));
    let said = "heddle: no game in empty.pgn; nothing was written\n";
    assert_eq!(text(&output.stderr), said);
}

#[test]
fn a_file_that_is_read_is_never_written() {
    let folder = folder("same");
    fs::write(folder.join("game.pgn"), GAME).unwrap();
    let output = annotate(&folder, "game.pgn --pgn ./game.pgn");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("stays as it is"), "{output:?}");
    assert_eq!(fs::read_to_string(folder.join("game.pgn")).unwrap(), GAME);
    let output = annotate(&folder, "missing.pgn --pgn out.pgn");
    assert!(text(&output.stderr).contains("cannot read missing.pgn: "), "{output:?}");
    let output = annotate(&folder, "game.pgn --html no/such/page.html");
    assert!(text(&output.stderr).contains("cannot write no/such/page.html: "), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = folder("unread");
    fs::write(folder.join("game.pgn"), GAME).unwrap();
    let mut child = command(&folder, "--nodes 100 game.pgn")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

/// The first game has one position; the second is interrupted at its first.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_is_done() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        interrupted_by(signal);
    }
}

#[cfg(unix)]
fn interrupted_by(signal: Signal) {
    let folder = folder(&format!("interrupted-{}", signal.as_raw()));
    // Minutes, so that it is not over before the interrupt comes, however busy the machine is.
    let long = format!("[White \"Long\"]\n\n{}*\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(30));
    fs::write(folder.join("games.pgn"), format!("[White \"Short\"]\n\n*\n\n{long}")).unwrap();
    let mut child = command(&folder, "--movetime 3000 games.pgn --pgn out.pgn --html page.html")
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let out = folder.join("out.pgn");
    let written = || fs::read_to_string(&out).is_ok_and(|text| text.contains("Short"));
    while !written() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    kill_process(Pid::from_child(&child), signal).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(fs::read_to_string(&out).unwrap().contains("[White \"Short\"]"));
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.ends_with("</html>\n") && page.contains("Short"));
}

#[test]
fn an_interrupted_run_goes_on_where_it_ended() {
    let folder = folder("resumed");
    let second = "[White \"B\"]\n\n1. d4 d5 2. c4 e6 1/2-1/2\n\n";
    let broken = "[White \"C\"]\n\n1. e5 *\n\n";
    fs::write(folder.join("games.pgn"), format!("{GAME}{broken}{second}")).unwrap();
    let resumed = "games.pgn --pgn out.pgn --resume";
    annotate(&folder, resumed);
    let read = || fs::read_to_string(folder.join("out.pgn")).unwrap();
    let whole = read();
    assert_eq!(whole.matches("[White ").count(), 2, "{whole}");
    let at = whole.find("[White \"B\"]").unwrap();
    // A mark that a second search would not make.
    let marked = whole[..at].replace("why", "who");
    let half = &whole[at..whole.rfind("[%eval").unwrap()];
    for left in ["", half, &whole[at..]] {
        fs::write(folder.join("out.pgn"), format!("{marked}{left}")).unwrap();
        let output = annotate(&folder, resumed);
        assert_eq!(output.status.code(), Some(2), "one game is broken: {output:?}");
        assert!(read() == format!("{marked}{}", &whole[at..]), "{}", read());
    }
    for (left, said) in [
        (second, "is another game"),
        ("notes\n\n1. e4 *\n\n1. d4 *\n\n", "is not as this program wrote it"),
    ] {
        fs::write(folder.join("out.pgn"), left.replace("1/2-1/2\n\n", "1/2-1/2\n\n1. e4 *\n\n"))
            .unwrap();
        let before = read();
        let output = annotate(&folder, resumed);
        let error = text(&output.stderr);
        assert!(error.contains(said) && read() == before, "{error}");
    }
    let output = annotate(&folder, "games.pgn --resume");
    assert!(text(&output.stderr).contains("--pgn"), "{output:?}");
}

#[test]
fn a_compressed_file_is_read() {
    let folder = folder("packed");
    for program in ["gzip", "zstd"] {
        fs::write(folder.join("game.pgn"), GAME).unwrap();
        let packed = Command::new(program).args(["-c", "game.pgn"]).current_dir(&folder).output();
        let Ok(packed) = packed else {
            println!("skipped: no {program}");
            continue;
        };
        fs::write(folder.join("packed"), packed.stdout).unwrap();
        let output = annotate(&folder, "packed");
        assert!(output.status.success(), "{output:?}");
        assert!(text(&output.stdout).contains("2... Qh4# 0-1"), "{output:?}");
    }
}

#[test]
fn a_file_that_is_no_pgn_is_told_in_few_lines() {
    let folder = folder("binary");
    let broken = "[White \"Broken\"]\n\n1. Ke9 *\n\n".repeat(30);
    fs::write(folder.join("games.pgn"), broken).unwrap();
    let output = annotate(&folder, "games.pgn");
    let said = text(&output.stderr);
    assert_eq!(said.lines().count(), 12, "{said}");
    assert!(said.contains("are only counted") && said.contains("30 of 30 games"), "{said}");
}

#[test]
fn a_glyph_of_the_author_is_kept_and_not_contradicted() {
    let folder = folder("author");
    fs::write(folder.join("game.pgn"), "1. f3 e5 2. g4 $6 Qh4# 0-1\n").unwrap();
    let output = command(&folder, "--nodes 10000 game.pgn").output().unwrap();
    let found = text(&output.stdout).replace('\n', " ");
    let (_, judged) = found.split_once("2. g4 $6 {").unwrap();
    assert!(judged.contains(" % of the winning chances lost. "), "{found}");
    assert!(!judged.contains("Blunder: "), "{found}");
}

#[test]
fn a_page_says_what_is_known_of_dates_and_clocks_and_has_lines_to_play() {
    let folder = folder("lines");
    let game = "[Date \"1858.??.??\"]\n\n1. f3 {[%clk 1:30:00]} e5 {[%clk 1:29:00]}\n\
                2. g4 {[%clk 1:20:00]} Qh4# {[%clk 1:28:00]} 0-1\n\n";
    fs::write(folder.join("game.pgn"), format!("{game}{game}")).unwrap();
    assert!(annotate(&folder, "game.pgn --html page.html").status.success());
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains("1858") && !page.contains("??.??"), "{page}");
    // The reply that mates: its squares, its name, and the board after it.
    let mate = "[\"d8h4\",\"2... Qh4#\",\"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR\"]";
    assert!(page.contains(mate), "{page}");
    assert!(page.contains("<nav class=\"index\""), "{page}");
    assert_eq!(page.matches("class=\"curve clocks\"").count(), 2, "{page}");
    heddle_browser::assert_readable(&page, 8);
}
