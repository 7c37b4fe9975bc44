use super::super::screen::tests::without_escapes;
use super::*;
use crate::time::clock::Support;
use crate::tt::Bound;

const USUAL: fn() -> Size = || Size { columns: 80, rows: 24 };
const LARGE: fn() -> Size = || Size { columns: 120, rows: 50 };

/// A line of the given length.
fn line(position: &Position, depth: i32, multipv: usize, plies: usize) -> Line {
    let mut game = position.clone();
    let mut moves = Vec::new();
    for _ in 0..plies {
        moves.push(game.legal_moves()[0]);
        game = game.play(moves[moves.len() - 1]);
    }
    let (score, bound) = (Score::new(20), Bound::Exact);
    Line { depth, seldepth: 9, multipv, score, bound, moves, support: Support::default() }
}

/// The screen after `text` on a terminal that knows what the drawing uses.
fn screen(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut at: usize = 0;
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("\x1b[") {
            let end = after.find(|c: char| c.is_ascii_alphabetic()).unwrap();
            match &after[..=end] {
                "2K" => lines[at].clear(),
                "J" => lines.truncate(at + 1),
                "1G" => {}
                up => {
                    at = at.checked_sub(up.strip_suffix('A').unwrap().parse().unwrap()).unwrap();
                }
            }
            rest = &after[end + 1..];
            continue;
        }
        let c = rest.chars().next().unwrap();
        if c == '\n' {
            at += 1;
            lines.resize(lines.len().max(at + 1), String::new());
        } else {
            lines[at].push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    lines
}

/// The screen after these lines (depth, rank, plies), and how many it has left for the verdict.
fn shown(
    multipv: usize,
    lines: &[(i32, usize, usize)],
    size: fn() -> Size,
) -> (Vec<String>, usize) {
    let position = Position::default();
    let mut table = LiveTable::new(&position, multipv, None, Paint::Plain, size);
    let mut output = Vec::new();
    table.position(&mut output).unwrap();
    table.begin(&mut output).unwrap();
    for (second, &(depth, rank, plies)) in (1..).zip(lines) {
        let time = Duration::from_secs(second);
        let line = line(&position, depth, rank, plies);
        table.found(&mut output, &line, 1_234_567, time).unwrap();
    }
    (screen(&String::from_utf8(output).unwrap()), table.rows_left().unwrap())
}

#[test]
fn board_and_table_stand_side_by_side_in_a_usual_terminal() {
    let lines: Vec<_> = (1..=15).map(|depth| (depth, 1, 30)).collect();
    let (screen, left) = shown(1, &lines, USUAL);
    assert!(screen.len() + 2 + left <= 24 && left >= 4, "{left}: {screen:#?}");
    assert_eq!(screen.iter().filter(|line| line.contains("  ♜  ♞  ♝  ♛")).count(), 1);
    let table: Vec<_> =
        screen.iter().map(|line| line.chars().skip(29).collect::<String>()).collect();
    let last = table.iter().find(|line| line.starts_with(" 15   +0.")).expect("the last iteration");
    assert!(last.contains("15.0s   1.2M  1. "), "{last}");
    assert!(table.iter().any(|line| line.starts_with("  8   +0.")), "{table:#?}");
    assert!(
        screen.iter().any(|line| line.starts_with("15.0 s, 1 234 567 nodes, 82 304 nodes per"))
    );
    assert!(screen.iter().all(|line| line.chars().count() < 80), "{screen:#?}");
}

#[test]
fn a_large_terminal_shows_more_iterations() {
    let lines: Vec<_> = (1..=30).map(|depth| (depth, 1, 9)).collect();
    let (screen, _) = shown(1, &lines, LARGE);
    let shown = screen.iter().filter(|line| line.contains("1.2M")).count();
    assert_eq!(shown, MAX_ITERATIONS, "{screen:#?}");
}

#[test]
fn several_lines_take_the_room_that_there_is() {
    let lines: Vec<_> = (1..=2).flat_map(|depth| (1..=3).map(move |n| (depth, n, 40))).collect();
    let (screen, left) = shown(3, &lines, USUAL);
    assert_eq!(screen.iter().filter(|line| line.contains("1.2M")).count(), 3, "{screen:#?}");
    assert_eq!(screen.iter().filter(|line| line.contains('…')).count(), 3, "{screen:#?}");
    // With a verdict of one row for each line the board stays in sight.
    assert!(left >= 3 && screen.len() + 2 + 3 <= 24, "{left}: {screen:#?}");
}

#[test]
fn what_does_not_fit_is_left_out() {
    let lines: Vec<_> = (1..=18).map(|rank| (1, rank, 1)).collect();
    for (columns, rows) in [(100, 12), (100, 24), (40, 12), (20, 24)] {
        let sizes: fn() -> Size = match (columns, rows) {
            (100, 12) => || Size { columns: 100, rows: 12 },
            (100, 24) => || Size { columns: 100, rows: 24 },
            (40, 12) => || Size { columns: 40, rows: 12 },
            _ => || Size { columns: 20, rows: 24 },
        };
        let position = Position::default();
        let mut table = LiveTable::new(&position, 18, None, Paint::Plain, sizes);
        let mut output = Vec::new();
        table.begin(&mut output).unwrap();
        for (depth, rank, plies) in &lines {
            let line = line(&position, *depth, *rank, *plies);
            table.found(&mut output, &line, 1, Duration::from_secs(*rank as u64)).unwrap();
        }
        let screen = screen(&String::from_utf8(output).unwrap());
        assert!(screen.len() <= rows, "{columns} {rows}: {screen:#?}");
        assert!(screen.iter().all(|line| line.chars().count() < columns), "{screen:#?}");
    }
}

#[test]
fn a_narrow_terminal_keeps_its_board_above_the_table() {
    let (screen, _) = shown(1, &[(7, 1, 9)], || Size { columns: 50, rows: 40 });
    let board = screen.iter().position(|line| line.contains("  a  b  c")).unwrap();
    let row = screen.iter().position(|line| line.starts_with("  7   +0.")).unwrap();
    assert!(board < row, "{screen:#?}");
}

#[test]
fn the_time_to_come_is_shown_until_the_end() {
    let position = Position::default();
    let limit = Some(Duration::from_secs(10));
    let mut table = LiveTable::new(&position, 1, limit, Paint::Plain, USUAL);
    let mut output = Vec::new();
    table.begin(&mut output).unwrap();
    let begun = String::from_utf8(output.clone()).unwrap();
    assert!(begun.contains("0.0 of 10 s, 0 nodes"), "{begun}");
    output.clear();
    table.end(&mut output, 5, Duration::from_secs(10)).unwrap();
    let ended = String::from_utf8(output).unwrap();
    assert!(ended.contains("10.0 s, 5 nodes"), "{ended}");
}

#[test]
fn colors_change_nothing_but_the_colors() {
    let position = Position::default();
    let drawn = |paint| {
        let table = LiveTable::new(&position, 1, None, paint, USUAL);
        table.board_and_table(79, 20)
    };
    let colored: Vec<_> = drawn(Paint::Color).iter().map(|line| without_escapes(line)).collect();
    let letters = |lines: &[String]| lines.last().cloned();
    assert_eq!(letters(&colored), letters(&drawn(Paint::Plain)));
}
