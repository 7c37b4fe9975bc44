//! Seeded random trees, on which the algorithms can be checked exhaustively.
//!
//! Nothing is stored: a position's width and value are hashes of its name, so a tree of any size
//! takes no memory. There are two kinds of values. *Hashed* values are random; few distinct ones
//! produce ties. *Planted* values are chosen from the root down: one child of a node has exactly
//! the node's value and the others are no better, so the minimax value is known and the best move
//! can come first (after T. A. Marsland's and A. Reinefeld's strongly ordered trees). Hashed trees
//! can have transpositions: each ply then has a fixed number of positions, which several moves lead
//! to. In *recurring* trees the same positions are met again at any ply, and only the depth of the
//! search ends a line.

use super::Game;
use heddle::position::mix;
use heddle::score::Score;

/// The greatest number of moves of a position.
const MAX_WIDTH: usize = 256;
/// Planted values of worse children are worse by less than this, in centipawns.
const PLANTED_STEP: u64 = 9;

/// The parameters of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The seed of the hashes.
    pub seed: u64,
    /// The length in plies of every line that does not end early.
    pub height: usize,
    /// Least and greatest number of moves; a least of 0 lets lines end early.
    pub width: (u8, u8),
    /// The kind of values.
    pub values: Values,
}

/// How the values of a tree are chosen.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// At random.
    Hashed {
        /// The number of different values; few produce ties.
        distinct: u32,
        /// The number of positions per ply; `None` for a tree without transpositions.
        positions: Option<u32>,
    },
    /// At random, the same positions at every ply. The least width has to be 1, and lines have no
    /// end.
    Recurring {
        /// The number of different values.
        distinct: u32,
        /// The number of positions.
        positions: u32,
    },
    /// From a known value at the root down.
    Planted {
        /// The minimax value.
        root: Score,
        /// Whether the first move is a best one; otherwise a random move is.
        ordered: bool,
    },
}

/// A position of a random tree.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    shape: Shape,
    ply: usize,
    name: u64,
    planted: Score,
}

impl Tree {
    /// The root of the tree with this shape.
    pub fn new(shape: Shape) -> Self {
        let planted = match shape.values {
            Values::Planted { root, .. } => root,
            Values::Hashed { .. } | Values::Recurring { .. } => Score::DRAW,
        };
        Self { shape, ply: 0, name: 0, planted }
    }

    /// Random bits for this position, different for every purpose.
    fn bits(&self, purpose: u64) -> u64 {
        let place = mix(self.shape.seed ^ mix(self.level()));
        mix(place ^ mix(self.name).wrapping_add(purpose))
    }

    /// What tells positions of the same name apart.
    fn level(&self) -> u64 {
        if self.recurs() { 0 } else { self.ply as u64 }
    }

    fn recurs(&self) -> bool {
        matches!(self.shape.values, Values::Recurring { .. })
    }

    fn width(&self) -> u8 {
        let (least, greatest) = self.shape.width;
        let width = least + (self.bits(0) % (u64::from(greatest - least) + 1)) as u8;
        if self.ply == 0 { width.max(1) } else { width }
    }

    fn is_over(&self) -> bool {
        self.ply >= self.shape.height && !self.recurs() || self.width() == 0
    }
}

impl Game for Tree {
    /// The index among the position's moves.
    type Move = u8;

    const MOVE_INDICES: usize = MAX_WIDTH;

    fn successors(&self) -> Vec<u8> {
        (0..self.width()).collect()
    }

    fn play(&self, m: u8) -> Self {
        let child = self.bits(u64::from(m) + 3);
        let (name, planted) = match self.shape.values {
            Values::Hashed { positions, .. } => {
                (positions.map_or(child, |n| child % u64::from(n)), self.planted)
            }
            Values::Recurring { positions, .. } => (child % u64::from(positions), self.planted),
            Values::Planted { ordered, .. } => {
                let best = if ordered { 0 } else { self.bits(1) % u64::from(self.width()) };
                let worse = if u64::from(m) == best { 0 } else { child % PLANTED_STEP };
                (child, -self.planted + worse as i32)
            }
        };
        Self { shape: self.shape, ply: self.ply + 1, name, planted }
    }

    fn terminal(&self, _: usize) -> Option<Score> {
        self.is_over().then(|| self.evaluate())
    }

    fn evaluate(&self) -> Score {
        match self.shape.values {
            Values::Planted { .. } => self.planted,
            Values::Hashed { distinct, .. } | Values::Recurring { distinct, .. } => {
                let value = (self.bits(2) % u64::from(distinct)) as i32;
                Score::new(value - distinct as i32 / 2)
            }
        }
    }

    fn key(&self) -> u64 {
        mix(self.name ^ mix(self.level() + 1))
    }

    fn move_index(m: u8) -> usize {
        usize::from(m)
    }
}
