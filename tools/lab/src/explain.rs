//! The drivers at work: every search of the root with its window and answer, and how the two
//! semi-PVs that prove the value compose to a PV.

use std::fmt::Write as _;

use heddle::score::{Depth, Score};
use heddle_reference::drivers::Driver;
use heddle_reference::search::Search;
use heddle_reference::{Bound, Found, Game, Window};

use crate::report::score;
use crate::rows::example;
use crate::worked::fail_high;

/// Every driver on one position: the text piece by piece, as the searches end.
///
/// # Errors
/// The first error of `print`.
pub fn explain<G: Game, E>(
    game: &G,
    depth: Depth,
    name: fn(&G, G::Move) -> String,
    mut print: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let guess = guess(game, depth);
    print(&format!(
        "Alpha-beta to depth {depth} under each driver, without a table. The guess is the value at \
         depth {}: {}\n",
        depth - 1,
        score(guess)
    ))?;
    for driver in Driver::ALL {
        print(&format!(
            "\n{}\n  {:<20} {:>8}  {:<10}  semi-PV\n",
            title(driver),
            "window",
            "value",
            "meaning"
        ))?;
        let mut proofs = Proofs { high: None, low: None };
        let mut search = Search::new(example());
        let mut printed = Ok(());
        let found = driver.run(guess, |window| {
            let found = search.root(game, depth, window);
            if printed.is_ok() {
                printed = print(&answer(game, window, &found, name));
            }
            proofs.note(window, &found);
            found
        });
        printed?;
        print(&proofs.conclusion(game, &found, name))?;
    }
    print("\n")?;
    print(&fail_high())
}

/// The value one ply shallower: what iterative deepening hands to a driver.
fn guess<G: Game>(game: &G, depth: Depth) -> Score {
    if depth > 1 {
        Search::new(example()).root(game, depth - 1, Window::FULL).value
    } else {
        Score::DRAW
    }
}

fn title(driver: Driver) -> &'static str {
    match driver {
        Driver::FullWindow => "Full window",
        Driver::Aspiration => {
            "Aspiration: half a pawn around the guess, a bound that fails is opened"
        }
        Driver::OffCentreAspiration => "Aspiration, off centre: the window lies higher",
        Driver::GradualAspiration => "Aspiration, gradual: a bound that fails moves on",
        Driver::Bisection => "Bisection",
        Driver::MtdF => "MTD(f), with bounds",
        Driver::MtdFShort => "MTD(f), the short form",
        Driver::MtdStep => "MTD in steps: jumps past the value returned",
        Driver::SssStar => "SSS*, as MTD(+inf)",
        Driver::DualStar => "DUAL*, as MTD(-inf)",
    }
}

/// One line of the table: the window, the value and what it means, the line behind it.
fn answer<G: Game>(
    game: &G,
    window: Window,
    found: &Found<G::Move>,
    name: fn(&G, G::Move) -> String,
) -> String {
    let value = score(found.value);
    let sign = match window.bound(found.value) {
        Bound::Exact => "=",
        Bound::Lower => ">=",
        Bound::Upper => "<=",
    };
    let asked = format!("[{}, {}]", score(window.alpha), score(window.beta));
    let meaning = format!("{sign:>2} {value}");
    let moves = written(game, found.line.moves(), name).join(" ");
    format!("  {asked:<20} {value:>8}  {meaning:<10}  {moves}\n")
}

/// The moves of a line as people write them.
fn written<G: Game>(
    game: &G,
    moves: impl Iterator<Item = G::Move>,
    name: fn(&G, G::Move) -> String,
) -> Vec<String> {
    let mut at = game.clone();
    moves
        .map(|m| {
            let written = name(&at, m);
            at = at.play(m);
            written
        })
        .collect()
}

/// The searches that bound the value from both sides.
struct Proofs<M> {
    high: Option<Found<M>>,
    low: Option<Found<M>>,
}

impl<M: Copy + PartialEq> Proofs<M> {
    fn note(&mut self, window: Window, found: &Found<M>) {
        match window.bound(found.value) {
            Bound::Lower => self.high = Some(found.clone()),
            Bound::Upper => self.low = Some(found.clone()),
            Bound::Exact => {}
        }
    }

    /// Which searches prove the value, and the PV that they give.
    fn conclusion<G: Game<Move = M>>(
        &self,
        game: &G,
        found: &Found<M>,
        name: fn(&G, M) -> String,
    ) -> String {
        let value = score(found.value);
        let pv = written(game, found.line.moves(), name).join(" ");
        let proves = |half: &&Found<M>| half.value == found.value;
        let halves = (self.high.as_ref().filter(proves), self.low.as_ref().filter(proves));
        let (Some(high), Some(low)) = halves else {
            return format!("  value {value}, PV {pv}\n");
        };
        let both = high.line.moves().zip(low.line.moves());
        let agreed = both.take_while(|(h, l)| h == l).count();
        let (side, prover) =
            if agreed.is_multiple_of(2) { ("fail-high", high) } else { ("fail-low", low) };
        let proved = written(game, prover.line.moves().take(agreed + 1), name);
        let mut text = format!("  value {value}: both halves are proved\n");
        let common = if agreed == 0 { "nothing".into() } else { proved[..agreed].join(" ") };
        let _ = write!(text, "    the semi-PVs agree on {common}");
        if let Some(next) = proved.get(agreed) {
            let _ = write!(text, ", and one move more is proved, the {side}'s {next}");
        }
        let _ = writeln!(text, "\n    PV {pv}");
        text
    }
}

#[cfg(test)]
mod tests {
    use heddle::position::{Game as History, Position, START_FEN};
    use heddle_reference::chess::{ChessGame, Rules};
    use heddle_reference::tree::{Shape, Tree, Values};

    use super::*;

    fn explained<G: Game>(game: &G, depth: Depth, name: fn(&G, G::Move) -> String) -> String {
        let mut text = String::new();
        let printed: Result<(), ()> = explain(game, depth, name, |piece| {
            text += piece;
            Ok(())
        });
        printed.expect("strings take everything");
        text
    }

    #[test]
    fn every_driver_shows_its_windows_and_reaches_the_same_value() {
        let history = History::new(Position::from_fen(START_FEN).unwrap());
        let game = ChessGame::new(&history, Rules::EXACT);
        let text = explained(&game, 3, |game, m| game.position().san(m));
        let values: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("  value ")).collect();
        assert_eq!(values.len(), Driver::ALL.len(), "{text}");
        let first = values[0].split([',', ':']).next();
        assert!(values.iter().all(|value| value.split([',', ':']).next() == first), "{text}");
        assert!(
            text.contains("[-inf, +inf]") && text.contains("one move more is proved"),
            "{text}"
        );
        assert!(text.ends_with("has to be searched\n"), "{text}");
    }

    #[test]
    fn the_first_error_ends_it() {
        let values = Values::Hashed { distinct: 9, positions: None };
        let tree = Tree::new(Shape { seed: 1, height: 3, width: (2, 2), values });
        let mut pieces = 0;
        let ended = explain(
            &tree,
            3,
            |_, m| m.to_string(),
            |_| {
                pieces += 1;
                if pieces < 3 { Ok(()) } else { Err("closed") }
            },
        );
        assert_eq!((ended, pieces), (Err("closed"), 3));
    }
}
