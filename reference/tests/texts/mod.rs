//! The reference algorithms prove each other right, and do what the texts say.

mod drivers;
mod printed;
mod table;
mod values;

use heddle::score::{Depth, Score};
use heddle_reference::minimax::negamax;
use heddle_reference::search::Counts;
use heddle_reference::tree::{Shape, Tree, Values};

const INFINITE: i32 = Score::INFINITE.get();

/// What every algorithm must return.
fn value(tree: &Tree, depth: Depth) -> Score {
    negamax(tree, 0, depth, &mut Counts::default()).value
}

/// Trees with few distinct values and with many.
fn some_trees() -> impl Iterator<Item = (Tree, Depth)> {
    (0..2_000).map(|seed| {
        let values = Values::Hashed { distinct: 4 + seed as u32 % 40, positions: None };
        (Tree::new(Shape { seed, height: 3, width: (3, 3), values }), 3)
    })
}
