//! Move generation against published counts: every line of `data/*.epd` holds a position and its
//! number of leaves at each depth.

use heddle::commands::perft::perft;
use heddle::position::Position;
use heddle::smp::stop::StopFlag;
use heddle::text::suite;

/// Leaves that are counted at most for one position; the deepest count within them is compared.
const LEAVES: u64 = 2_000_000;
/// The same for the search's way through the tree, which makes each leaf.
const STAGED_LEAVES: u64 = 100_000;

/// The leaves at `depth`, generated in the stages of the search and all of them made.
fn staged_perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    position.for_each_tactical(|m| leaves += staged_perft(&position.play(m), depth - 1));
    position.for_each_quiet(|m| leaves += staged_perft(&position.play(m), depth - 1));
    leaves
}

/// Checks every line of a suite and returns the number of positions.
fn check(text: &str) -> usize {
    let suite = suite::parse(text).expect("every line begins with a position");
    for (line, named) in text.lines().zip(&suite) {
        let mut fields = line.split(';').map(str::trim);
        let fen = fields.next().expect("a line begins with its FEN");
        let position = &named.position;
        let counts: Vec<(u32, u64)> = fields
            .map(|field| {
                let (depth, leaves) = field[1..].split_once(' ').expect("D<depth> <leaves>");
                (depth.parse().expect("a depth"), leaves.parse().expect("a count"))
            })
            .collect();
        let deepest = |most| {
            let found = counts.iter().rfind(|&&(_, leaves)| leaves <= most);
            *found.unwrap_or_else(|| panic!("{fen}: no count within {most}"))
        };
        let (depth, leaves) = deepest(LEAVES);
        let counted = perft(position, depth, &StopFlag::default());
        assert_eq!(counted, Some(leaves), "{fen} at depth {depth}");
        let (depth, leaves) = deepest(STAGED_LEAVES);
        assert_eq!(staged_perft(position, depth), leaves, "{fen} in stages at depth {depth}");
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
