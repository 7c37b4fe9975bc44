//! The pages in headless Chromium, used with mouse and keyboard.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use heddle_browser::Page;

use super::common::Board;

/// The page `name` of a new board, once it is connected; `None` without a browser.
fn page(board: &Board, name: &str) -> Option<Page> {
    let mut page = Page::open(&format!("{}#{name}", board.address))?;
    page.wait_for("document.querySelector('cg-board piece')");
    // The greeting sets what the machine has.
    page.wait_for("document.querySelector('#status').textContent.startsWith('Heddle')");
    Some(page)
}

/// The number of moves that are shown.
fn moves(page: &mut Page, of: &str) -> u64 {
    let count = format!("document.querySelectorAll('#{of}-moves > button').length");
    page.evaluate(&count).as_u64().unwrap()
}

fn wait_for_moves(page: &mut Page, of: &str, count: usize) {
    page.wait_for(&format!("document.querySelectorAll('#{of}-moves > button').length === {count}"));
}

/// The middle of a square, White below, in fractions of the board.
fn square(name: &str) -> [f64; 2] {
    let [file, rank] = [name.as_bytes()[0] - b'a', b'8' - name.as_bytes()[1]];
    [file, rank].map(|at| (f64::from(at) + 0.5) / 8.0)
}

fn type_move(page: &mut Page, word: &str) {
    page.click("#word");
    page.type_text(word);
    page.key("Enter");
}

fn assert_faultless(page: &mut Page) {
    for width in [390, 1280] {
        for scheme in ["light", "dark"] {
            page.view(width, scheme);
            let faults = page.take_faults();
            assert!(faults.is_empty(), "{width} {scheme}: {faults:#?}");
        }
    }
}

#[test]
fn ten_moves_are_played_by_mouse_and_keyboard() {
    let board = Board::new();
    let Some(mut page) = page(&board, "play") else { return };
    page.click("#new-game .main");
    page.wait_for("document.querySelector('#outcome').textContent === 'Your move.'");
    page.drag("#board", square("e2"), square("e4"));
    wait_for_moves(&mut page, "play", 2);
    page.wait_for("document.querySelector('#outcome').textContent === 'Your move.'");
    for turn in 1..10 {
        // Any legal move: one that the board shows as a destination of some piece.
        let word = next_move(&mut page);
        if word.is_empty() {
            break; // the game is over
        }
        type_move(&mut page, &word);
        page.wait_for(&format!(
            "document.querySelectorAll('#play-moves > button').length >= {} \
             && document.querySelector('#outcome').textContent !== 'Heddle is thinking…'",
            2 * turn + 1
        ));
    }
    assert!(moves(&mut page, "play") >= 10, "ten moves of both sides at least");
    assert_faultless(&mut page);
    page.view(1280, "light");
    page.click("#take-back");
    page.click("#resign");
    page.wait_for("document.querySelector('#outcome').textContent.includes('resigned')");
    page.click("#to-analysis");
    page.wait_for("!document.querySelector('#analyse').hidden");
    assert!(moves(&mut page, "analyse") >= 8);
}

#[test]
fn a_move_in_advance_is_played_in_its_turn_or_taken_back() {
    let board = Board::new();
    let Some(mut page) = page(&board, "play") else { return };
    let is_chosen = "document.querySelectorAll('cg-board .current-premove').length === 2";
    // At full strength it thinks for seconds.
    page.click("#limited");
    page.click("#new-game .main");
    page.wait_for("document.querySelector('#outcome').textContent === 'Your move.'");
    page.drag("#board", square("e2"), square("e4"));
    page.wait_for("document.querySelector('#outcome').textContent === 'Heddle is thinking…'");
    page.drag("#board", square("d2"), square("d4"));
    page.wait_for(is_chosen);
    page.wait_for("document.querySelectorAll('#play-moves > button').length >= 3");
    page.wait_for("document.querySelector('#outcome').textContent === 'Heddle is thinking…'");
    page.drag("#board", square("e4"), square("e5"));
    page.wait_for(is_chosen);
    page.click("#take-back");
    page.wait_for("document.querySelector('#outcome').textContent === 'Your move.'");
    wait_for_moves(&mut page, "play", 2);
    page.wait_for("document.querySelectorAll('cg-board .current-premove').length === 0");
    assert_faultless(&mut page);
}

/// A legal move of the side to move, asked of the server by a connection of its own.
fn next_move(page: &mut Page) -> String {
    let word = page.evaluate(
        "new Promise((resolve) => { \
         const socket = new WebSocket(new URL('socket', location.href.replace(/^http/, 'ws'))); \
         const buttons = [...document.querySelectorAll('#play-moves > button')]; \
         const words = buttons.map((button) => button.textContent); \
         socket.onmessage = ({ data }) => { \
           const reply = JSON.parse(data); \
           const moves = words; \
           const question = { id: 1, type: 'position', game: { moves } }; \
           if (reply.type === 'hello') socket.send(JSON.stringify(question)); \
           else { socket.close(); resolve(reply.over ? '' : Object.values(reply.legal)[0]); } \
         }; })",
    );
    word.as_str().unwrap().to_owned()
}

#[test]
fn a_pasted_game_is_analysed_and_judged() {
    let board = Board::new();
    let Some(mut page) = page(&board, "analyse") else { return };
    page.click("#text");
    page.type_text(
        "[White \"A\"]\n\n1. f3 e5 (1... d5 {solid} 2. d4) 2. g4 Qh4# 0-1\n\n1. d4 d5 *\n",
    );
    page.click("#read");
    wait_for_moves(&mut page, "analyse", 4);
    page.wait_for("document.querySelector('#games').length === 2");
    page.evaluate("document.activeElement.blur()");
    page.key("ArrowRight");
    page.key("ArrowRight");
    page.wait_for("document.querySelector('#analyse-moves .current').textContent.startsWith('e5')");
    page.key(" ");
    page.wait_for("document.querySelectorAll('#found li').length === 3");
    page.wait_for("document.querySelector('.cg-shapes g *')");
    page.wait_for("document.querySelector('#bar .draw').style.height !== '0%'");
    page.key("f");
    page.wait_for("document.querySelector('.cg-wrap.orientation-black')");
    page.key("f");
    page.drag("#board", square("d2"), square("d4"));
    page.wait_for("document.querySelectorAll('#analyse-moves .side').length === 2");
    page.click("#judge");
    page.wait_for("!document.querySelector('#sides').hidden");
    // A search that is short of time may find fault with others, too.
    page.wait_for("document.querySelector('#analyse-moves').textContent.includes('g4??')");
    page.wait_for("document.querySelector('#graph .area')");
    assert_faultless(&mut page);
}

#[test]
fn a_game_with_null_moves_is_shown_to_its_end_and_judged() {
    let board = Board::new();
    let Some(mut page) = page(&board, "analyse") else { return };
    page.click("#text");
    page.type_text("1. e4 -- 2. d4 Z0 3. Nc3 *\n");
    page.click("#read");
    wait_for_moves(&mut page, "analyse", 5);
    page.evaluate("document.activeElement.blur()");
    let current = |page: &mut Page, san: &str| {
        page.wait_for(&format!(
            "document.querySelector('#analyse-moves .current').textContent === '{san}'"
        ));
    };
    page.key("ArrowRight");
    page.wait_for("document.querySelectorAll('cg-board .last-move').length === 2");
    page.key("ArrowRight");
    current(&mut page, "--");
    page.wait_for("document.querySelectorAll('cg-board .last-move').length === 0");
    page.key("ArrowRight");
    current(&mut page, "d4");
    page.click("#judge");
    page.wait_for("!document.querySelector('#sides').hidden");
    assert_faultless(&mut page);
}

#[test]
fn four_threads_are_watched_in_lockstep() {
    let board = Board::new();
    let Some(mut page) = page(&board, "threads") else { return };
    page.evaluate("document.querySelector('#threads-number').value = 4");
    page.click("#lockstep");
    page.evaluate("document.querySelector('#threads-depth').value = 6");
    page.click("#misses");
    page.click("#step");
    page.wait_for("document.querySelectorAll('#workers tbody tr').length === 4");
    page.evaluate("document.activeElement.blur()");
    page.key(" ");
    page.wait_for("document.querySelectorAll('#workers .next').length === 1");
    page.evaluate(
        "document.querySelector('#pace').value = ''; \
         document.querySelector('#pace').dispatchEvent(new Event('change'))",
    );
    page.wait_for("document.querySelector('#start-threads').textContent === 'Start'");
    let counts = "[...document.querySelectorAll('#workers tbody tr')] \
                  .map((row) => row.cells[6].textContent)";
    let first = page.evaluate(counts);
    page.wait_for("document.querySelector('#vote').textContent.includes('The vote fell for')");
    page.wait_for("!document.querySelector('#miss-table').hidden");
    assert_faultless(&mut page);
    page.view(1280, "light");
    page.click("#start-threads");
    page.wait_for("document.querySelector('#start-threads').textContent === 'Start'");
    assert_eq!(page.evaluate(counts), first, "the same every time");
}
