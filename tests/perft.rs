//! Move generation against published counts: every line of `data/*.epd` is a position and the
//! number of leaves at each depth.

use heddle::commands::perft::perft;
use heddle::commands::suite;
use heddle::smp::stop::StopFlag;

/// Leaves that are counted for one position; the deepest count within is the one compared.
const LEAVES: u64 = 2_000_000;

/// Checks every line of a suite and returns the number of positions.
fn check(text: &str) -> usize {
    let suite = suite::parse(text).expect("every line begins with a position");
    for (line, named) in text.lines().zip(&suite) {
        let mut fields = line.split(';').map(str::trim);
        let fen = fields.next().expect("a line begins with its FEN");
        let (depth, leaves) = fields
            .map(|field| {
                let (depth, leaves) = field[1..].split_once(' ').expect("D<depth> <leaves>");
                (depth.parse::<u32>().expect("a depth"), leaves.parse::<u64>().expect("a count"))
            })
            .rfind(|&(_, leaves)| leaves <= LEAVES)
            .unwrap_or_else(|| panic!("{fen}: no count within {LEAVES}"));
        let counted = perft(&named.position, depth, &StopFlag::default());
        assert_eq!(counted, Some(leaves), "{fen} at depth {depth}");
    }
    suite.len()
}

#[test]
fn standard_positions() {
    assert!(check(include_str!("data/perft-standard.epd")) >= 100);
}

#[test]
fn chess960_positions() {
    assert!(check(include_str!("data/perft-chess960.epd")) >= 100);
}
