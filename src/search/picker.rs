//! Staged move picking: the transposition table's move, good captures, killers and the counter move,
//! quiet moves by history, bad captures. A stage is prepared only when the one before it is used up.
//!
//! Source: the order is that of the Chess Programming Wiki's "move ordering"; captures are ordered
//! by the most valuable victim and capture history, as in Stockfish.

use arrayvec::ArrayVec;

use crate::position::{MAX_MOVES, Move, Position, is_tactical};

use super::history::{Continuation, History};
use super::see;

/// A capture's material gain weighs this much against its history.
const GAIN_WEIGHT: i32 = 16;

/// A move and what its place in the order depends on.
#[derive(Copy, Clone, Debug)]
pub struct Picked {
    /// The move.
    pub m: Move,
    /// It is a capture or queen promotion.
    pub is_tactical: bool,
    /// It is a killer or the counter move.
    pub is_refutation: bool,
    /// Its history.
    pub history: i32,
}

#[derive(Copy, Clone)]
struct Scored {
    m: Move,
    rank: i32,
    history: i32,
}

type List = ArrayVec<Scored, MAX_MOVES>;

#[derive(Copy, Clone, PartialEq, Eq)]
enum Stage {
    TtMove,
    Generate,
    GoodTactical,
    Refutation(usize),
    Quiet,
    BadTactical,
}

/// The moves that a node asks for.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// All of them.
    All,
    /// Captures and queen promotions that do not lose material.
    GoodTactical,
}

/// The number of refutations: two killers and the counter move.
pub const REFUTATIONS: usize = 3;

/// The moves of one node, best first.
pub struct Picker {
    wanted: Wanted,
    stage: Stage,
    tt_move: Option<Move>,
    refutations: [Option<Move>; REFUTATIONS],
    continuation: Continuation,
    /// Captures (the bad ones collected at the front), then quiet moves.
    list: List,
    /// The next move of the stage.
    next: usize,
    /// The number of captures found to be bad.
    bad: usize,
    /// The number of captures.
    tactical: usize,
    skip_quiets: bool,
}

impl Picker {
    /// A picker that begins with `tt_move`, which must be legal.
    #[must_use]
    pub fn new(
        wanted: Wanted,
        tt_move: Option<Move>,
        refutations: [Option<Move>; REFUTATIONS],
        continuation: Continuation,
    ) -> Self {
        Self {
            wanted,
            stage: Stage::TtMove,
            tt_move,
            refutations,
            continuation,
            list: List::new(),
            next: 0,
            bad: 0,
            tactical: 0,
            skip_quiets: false,
        }
    }

    /// Skips the quiet moves still to come.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub fn next(&mut self, position: &Position, history: &History) -> Option<Picked> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::Generate;
                    if let Some(m) = self.tt_move {
                        return Some(self.describe(position, history, m));
                    }
                }
                Stage::Generate => {
                    self.generate(position, history);
                    self.stage = Stage::GoodTactical;
                }
                Stage::GoodTactical => match self.take_best(self.tactical) {
                    Some(scored) if see::wins(position, scored.m, 0) => {
                        return Some(scored.picked(true));
                    }
                    Some(scored) => {
                        self.list[self.bad] = scored;
                        self.bad += 1;
                    }
                    None if self.wanted == Wanted::GoodTactical => return None,
                    None => self.stage = Stage::Refutation(0),
                },
                Stage::Refutation(REFUTATIONS) => {
                    self.score_quiets(position, history);
                    self.stage = Stage::Quiet;
                }
                Stage::Refutation(index) => {
                    self.stage = Stage::Refutation(index + 1);
                    if let Some(m) = self.take_refutation(index) {
                        return Some(self.describe(position, history, m));
                    }
                }
                Stage::Quiet => {
                    if !self.skip_quiets
                        && let Some(scored) = self.take_best(self.list.len())
                    {
                        return Some(scored.picked(false));
                    }
                    self.next = 0;
                    self.stage = Stage::BadTactical;
                }
                Stage::BadTactical => {
                    let scored = self.list[..self.bad].get(self.next)?;
                    self.next += 1;
                    return Some(scored.picked(true));
                }
            }
        }
    }

    /// A move that is picked by itself, not by rank.
    fn describe(&self, position: &Position, history: &History, m: Move) -> Picked {
        let is_tactical = is_tactical(m);
        let history = if is_tactical {
            history.tactical(position.turn(), m)
        } else {
            history.quiet(position, self.continuation, m)
        };
        let is_refutation = self.refutations.contains(&Some(m));
        Picked { m, is_tactical, is_refutation, history }
    }

    /// Generates all moves but `tt_move` and ranks the captures.
    fn generate(&mut self, position: &Position, history: &History) {
        let us = position.turn();
        let moves = position.legal_moves();
        for &m in moves.iter().filter(|&&m| is_tactical(m) && Some(m) != self.tt_move) {
            let history = history.tactical(us, m);
            let rank = GAIN_WEIGHT * see::gain(m) + history;
            self.list.push(Scored { m, rank, history });
        }
        self.tactical = self.list.len();
        if self.wanted == Wanted::All {
            for &m in moves.iter().filter(|&&m| !is_tactical(m) && Some(m) != self.tt_move) {
                self.list.push(Scored { m, rank: 0, history: 0 });
            }
        }
    }

    fn score_quiets(&mut self, position: &Position, history: &History) {
        if !self.skip_quiets {
            for scored in &mut self.list[self.next..] {
                scored.history = history.quiet(position, self.continuation, scored.m);
                scored.rank = scored.history;
            }
        }
    }

    /// Takes a killer or counter move out of the quiet moves, if it is among them.
    fn take_refutation(&mut self, index: usize) -> Option<Move> {
        let refutation = self.refutations[index].filter(|_| !self.skip_quiets)?;
        let found = self.list[self.next..].iter().position(|scored| scored.m == refutation)?;
        self.list.swap(self.next, self.next + found);
        self.next += 1;
        Some(refutation)
    }

    /// Takes the highest-ranked move of `next..end`.
    fn take_best(&mut self, end: usize) -> Option<Scored> {
        let rest = &self.list[self.next..end];
        let (best, _) = rest.iter().enumerate().max_by_key(|(_, scored)| scored.rank)?;
        self.list.swap(self.next, self.next + best);
        self.next += 1;
        Some(self.list[self.next - 1])
    }
}

impl Scored {
    fn picked(self, is_tactical: bool) -> Picked {
        Picked { m: self.m, is_tactical, is_refutation: false, history: self.history }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stack::{Frames, Stack};
    use super::*;

    fn all(fen: &str, wanted: Wanted, tt_move: Option<&str>) -> Vec<String> {
        let position = Position::from_fen(fen).unwrap();
        let tt_move = tt_move.map(|m| position.parse_move(m).unwrap());
        let quiet = position.legal_moves().into_iter().find(|m| !is_tactical(*m));
        let mut frames = Frames::new().unwrap();
        let continuation = Stack::new(&mut frames).continuation(0);
        let mut picker = Picker::new(wanted, tt_move, [quiet, quiet, None], continuation);
        let history = History::new().unwrap();
        std::iter::from_fn(|| picker.next(&position, &history))
            .map(|picked| crate::position::uci(picked.m, false))
            .collect()
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    #[test]
    fn every_move_comes_once() {
        for tt_move in [None, Some("e1g1"), Some("f3f6")] {
            let mut moves = all(KIWIPETE, Wanted::All, tt_move);
            assert!(tt_move.is_none_or(|tt_move| moves[0] == tt_move));
            assert_eq!(moves.len(), 48);
            moves.sort();
            moves.dedup();
            assert_eq!(moves.len(), 48);
        }
    }

    #[test]
    fn bad_captures_come_last_or_not_at_all() {
        let fen = "4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1";
        assert_eq!(all(fen, Wanted::All, None).last().unwrap(), "d1d5");
        assert!(all(fen, Wanted::GoodTactical, None).is_empty());
    }
}
