//! The fail-high that the TalkChess thread works through: four moves, beta at 30, and the third
//! returns 40.

use std::fmt::Write as _;

use heddle::score::Score;
use heddle_reference::search::Options;
use heddle_reference::{Bound, Game, Window};

use crate::trace::Tracer;

/// What the moves are worth; the thread gives 40 and 100, and says that the first two are less than
/// 30.
const MOVES: [i32; 4] = [10, 20, 40, 100];
const BETA: i32 = 30;

/// A position with one move for each worth, or the position after one.
#[derive(Clone, Copy, Debug)]
struct Worked(Option<usize>);

impl Game for Worked {
    type Move = usize;

    const MOVE_INDICES: usize = MOVES.len();

    fn successors(&self) -> Vec<usize> {
        (0..MOVES.len()).collect()
    }

    fn play(&self, m: usize) -> Self {
        Self(Some(m))
    }

    fn terminal(&self, _: usize) -> Option<Score> {
        self.0.map(|m| -Score::new(MOVES[m]))
    }

    fn evaluate(&self) -> Score {
        Score::DRAW
    }

    fn key(&self) -> u64 {
        self.0.map_or(0, |m| m as u64 + 1)
    }

    fn move_index(m: usize) -> usize {
        m
    }
}

/// The example, step by step, as the reference's alpha-beta searches it.
pub fn fail_high() -> String {
    let window = Window::new(-Score::INFINITE, Score::new(BETA));
    let mut tracer = Tracer::new(Options::default());
    let found = tracer.root(&Worked(None), 1, window);
    let mut text =
        format!("A fail-high (TalkChess, 2024): moves worth {MOVES:?}, alpha -inf, beta {BETA}\n");
    let mut tried = 0;
    for visit in tracer.visits.iter().filter(|visit| visit.path.len() == 1) {
        let (alpha, value) = (-visit.window.beta, -visit.value);
        let alpha = if alpha == -Score::INFINITE { "-inf".into() } else { alpha.get().to_string() };
        let verdict = match window.bound(value) {
            Bound::Lower => "reaches beta: cutoff",
            _ => "raises alpha",
        };
        tried += 1;
        let value = value.get();
        let _ =
            writeln!(text, "  move {tried}: window ({alpha}, {BETA}), value {value}: {verdict}");
    }
    let value = found.value.get();
    let best = MOVES.into_iter().max().unwrap_or_default();
    let _ = writeln!(
        text,
        "  {} of {} moves searched: the value is at least {value}, a lower bound; the true one is {best}",
        tried,
        MOVES.len()
    );
    for beta in [value, value + 1] {
        let settles = if value >= beta { "fails high at once" } else { "has to be searched" };
        let _ =
            writeln!(text, "  stored as a lower bound of {value}: with beta {beta}, it {settles}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_the_threads() {
        let text = fail_high();
        assert!(text.contains("move 3: window (20, 30), value 40: reaches beta: cutoff"), "{text}");
        assert!(!text.contains("move 4"), "{text}");
        assert!(text.contains("at least 40, a lower bound; the true one is 100"), "{text}");
    }
}
