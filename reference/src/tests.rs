//! The techniques that change the tree, on games whose values are written down.

use super::extension::Extensions;
use super::memory::{DepthRule, TableOptions};
use super::search::{Options, Search};
use super::{Game, Window};
use heddle::score::{Depth, Score};

/// The moves since the root; `None` is a pass.
type Path = [Option<u8>];

/// A game in which everything follows from the path.
#[derive(Clone)]
struct PathGame {
    path: Vec<Option<u8>>,
    /// The number of moves at the root; there is one move everywhere else.
    width: u8,
    /// The value for the first player, in centipawns.
    value: fn(&Path) -> i32,
    can_pass: fn(&Path) -> bool,
    /// Every move gives check.
    in_check: bool,
    /// Every move is a recapture.
    recaptures: bool,
}

impl PathGame {
    fn new(width: u8, value: fn(&Path) -> i32) -> Self {
        Self {
            path: Vec::new(),
            width,
            value,
            can_pass: |_| false,
            in_check: false,
            recaptures: false,
        }
    }

    fn after(&self, step: Option<u8>) -> Self {
        let mut game = self.clone();
        game.path.push(step);
        game
    }
}

impl Game for PathGame {
    type Move = u8;

    const MOVE_INDICES: usize = 2;

    fn successors(&self) -> Vec<u8> {
        (0..if self.path.is_empty() { self.width } else { 1 }).collect()
    }

    fn play(&self, m: u8) -> Self {
        self.after(Some(m))
    }

    fn terminal(&self, _: usize) -> Option<Score> {
        None
    }

    fn evaluate(&self) -> Score {
        let value = Score::new((self.value)(&self.path));
        if self.path.len().is_multiple_of(2) { value } else { -value }
    }

    fn key(&self) -> u64 {
        self.path.iter().fold(1, |key, step| 4 * key + step.map_or(2, u64::from))
    }

    fn move_index(m: u8) -> usize {
        usize::from(m)
    }

    fn in_check(&self) -> bool {
        self.in_check
    }

    fn pass(&self) -> Option<Self> {
        (self.can_pass)(&self.path).then(|| self.after(None))
    }

    fn is_recapture(&self, _: u8, _: u8) -> bool {
        self.recaptures
    }
}

fn passes(path: &Path) -> usize {
    path.iter().filter(|step| step.is_none()).count()
}

/// The value of a search to `depth` that can tell 0 from 10. The opponent's beta after the root's
/// move is 0, so the opponent's pass cuts off if it is worth no more than 0 to the first player.
fn with_null_move(game: &PathGame, depth: Depth) -> i32 {
    let options = Options { null_move: true, ..Options::default() };
    Search::new(options).root(game, depth, Window::new(Score::DRAW, Score::new(10))).value.get()
}

#[test]
fn a_pass_that_reaches_beta_cuts_off() {
    let reaches: fn(&Path) -> i32 = |path| if passes(path) > 0 { 0 } else { 5 };
    let falls_short: fn(&Path) -> i32 = |path| if passes(path) > 0 { 1 } else { 5 };
    let game = |value| PathGame { can_pass: |path| path.len() == 1, ..PathGame::new(1, value) };
    assert_eq!(with_null_move(&game(reaches), 4), 0);
    assert_eq!(with_null_move(&game(falls_short), 4), 5);
    assert_eq!(with_null_move(&game(reaches), 3), 5, "too shallow");
    let mut without = Search::new(Options::default());
    assert_eq!(without.root(&game(reaches), 4, Window::FULL).value.get(), 5);
}

#[test]
fn the_reply_to_a_pass_is_searched_two_plies_shallower() {
    let at_four: fn(&Path) -> i32 = |path| match (passes(path), path.len()) {
        (0, _) => 5,
        (_, 4) => 0,
        _ => 1,
    };
    let game = PathGame { can_pass: |path| path.len() == 1, ..PathGame::new(1, at_four) };
    assert_eq!(with_null_move(&game, 6), 0, "the line with the pass ends at ply 6 - 2");
    assert_eq!(with_null_move(&game, 7), 5);
}

#[test]
fn there_is_no_pass_at_the_root_or_after_a_pass() {
    let root = PathGame {
        can_pass: |path| path.is_empty(),
        ..PathGame::new(1, |path| if passes(path) > 0 { 20 } else { 5 })
    };
    assert_eq!(with_null_move(&root, 6), 5);
    // The first player's pass in return would refute the opponent's.
    let twice = PathGame {
        can_pass: |path| path.len() == 1 || path.len() == 2 && path[1].is_none(),
        ..PathGame::new(1, |path| [5, 0, 9][passes(path)])
    };
    assert_eq!(with_null_move(&twice, 8), 0);
}

/// The length of the only line of a game in which every move gives check, searched to 3 plies.
fn plies(extensions: Extensions, recaptures: bool) -> u64 {
    let game = PathGame { in_check: true, recaptures, ..PathGame::new(1, |_| 0) };
    let mut search = Search::new(Options { extensions, ..Options::default() });
    let _ = search.root(&game, 3, Window::FULL);
    search.counts.nodes - 1
}

#[test]
fn extensions_stop_at_twice_the_depth_of_the_search() {
    let check = Extensions { check: true, ..Extensions::default() };
    assert_eq!(plies(Extensions::default(), false), 3);
    assert_eq!(plies(check, false), 6 + 3, "whole plies up to ply 6, and the depth of 3 is left");
    let fractional = Extensions { fractional: true, ..check };
    assert_eq!(plies(fractional, false), 6 + 1, "each costs a quarter: 3 - 6/4 plies are left");
}

#[test]
fn a_move_is_extended_by_a_ply_at_most() {
    let both = Extensions { check: true, recapture: true, ..Extensions::default() };
    let fractional = Extensions { fractional: true, ..both };
    assert_eq!(plies(both, true), 6 + 3);
    // The root's move has nothing to recapture: three quarters of a ply. Then 3/4 + 1/2 make one.
    assert_eq!(plies(fractional, true), 6 + 2);
}

/// The line that a search to `depth` follows behind the best move, after one to `stored` plies for
/// `window` has filled the table: the leaf's ply.
fn singular(value: fn(&Path) -> i32, stored: Depth, window: Window, depth: Depth) -> i32 {
    let table =
        TableOptions { capacity: 64, depth_rule: DepthRule::Equal, ..TableOptions::default() };
    let extensions = Extensions { singular: true, ..Extensions::default() };
    let options = Options { table: Some(table), extensions, ..Options::default() };
    let mut search = Search::new(options);
    let game = PathGame::new(2, value);
    let _ = search.root(&game, stored, window);
    search.root(&game, depth, Window::FULL).value.get()
}

/// The best move's value is the ply of the leaf, the other is worse by a fixed number.
fn other_is_51_worse(path: &Path) -> i32 {
    if path[0] == Some(0) { path.len() as i32 } else { 2 - 51 }
}

fn other_is_50_worse(path: &Path) -> i32 {
    if path[0] == Some(0) { path.len() as i32 } else { 2 - 50 }
}

#[test]
fn a_singular_move_is_searched_a_ply_deeper() {
    let full = Window::FULL;
    assert_eq!(singular(other_is_51_worse, 2, full, 4), 5);
    assert_eq!(singular(other_is_50_worse, 2, full, 4), 4, "another move comes near");
    assert_eq!(singular(other_is_51_worse, 2, full, 3), 3, "too shallow");
    assert_eq!(singular(other_is_51_worse, 1, full, 4), 4, "the stored search is too shallow");
    let fails_low = Window::new(Score::new(100), Score::new(200));
    assert_eq!(singular(other_is_51_worse, 2, fails_low, 4), 4, "an upper bound proves nothing");
}
