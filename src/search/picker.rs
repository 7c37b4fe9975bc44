//! Staged move picking: the table's move, good captures, killers and the counter move, quiet
//! moves by history, bad captures. A stage is prepared only when the one before it is used up.
//!
//! Source: the order is that of the Chess Programming Wiki's "move ordering"; captures are ordered
//! by the most valuable victim and capture history, as in Stockfish.

use arrayvec::ArrayVec;

use crate::position::{MAX_MOVES, Move, Position, is_tactical};

use super::history::{Continuation, History};
use super::see;

/// A capture's material gain weighs this much against its history.
const GAIN_WEIGHT: i32 = 16;

/// A move with what the order knows of it.
#[derive(Copy, Clone, Debug)]
pub struct Picked {
    /// The move.
    pub m: Move,
    /// It is a capture or queen promotion.
    pub tactical: bool,
    /// It is a killer or the counter move.
    pub special: bool,
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
    Table,
    Generate,
    GoodTactical,
    Special(usize),
    Quiet,
    BadTactical,
}

/// What a node wants of its moves.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// All of them.
    All,
    /// Captures and queen promotions that do not lose material.
    GoodTactical,
}

/// Killers and the counter move.
pub const SPECIALS: usize = 3;

/// The moves of one node, best first.
pub struct Picker {
    wanted: Wanted,
    stage: Stage,
    table: Option<Move>,
    specials: [Option<Move>; SPECIALS],
    continuation: Continuation,
    /// Captures (the bad ones first, as they are found), then quiet moves.
    list: List,
    /// The next move of the stage.
    next: usize,
    /// Captures found to be bad.
    bad: usize,
    /// Captures in all.
    tactical: usize,
    skip_quiets: bool,
}

impl Picker {
    /// A picker that begins with `table`, which must be legal.
    #[must_use]
    pub fn new(
        wanted: Wanted,
        table: Option<Move>,
        specials: [Option<Move>; SPECIALS],
        continuation: Continuation,
    ) -> Self {
        Self {
            wanted,
            stage: Stage::Table,
            table,
            specials,
            continuation,
            list: List::new(),
            next: 0,
            bad: 0,
            tactical: 0,
            skip_quiets: false,
        }
    }

    /// Leaves out the quiet moves still to come.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub fn next(&mut self, position: &Position, history: &History) -> Option<Picked> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::Generate;
                    if let Some(m) = self.table {
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
                    None => self.stage = Stage::Special(0),
                },
                Stage::Special(SPECIALS) => {
                    self.score_quiets(position, history);
                    self.stage = Stage::Quiet;
                }
                Stage::Special(index) => {
                    self.stage = Stage::Special(index + 1);
                    if let Some(m) = self.take_special(index) {
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

    /// What is known of a move that comes out of order.
    fn describe(&self, position: &Position, history: &History, m: Move) -> Picked {
        let tactical = is_tactical(m);
        let history = if tactical {
            history.tactical(position.turn(), m)
        } else {
            history.quiet(position, self.continuation, m)
        };
        Picked { m, tactical, special: self.specials.contains(&Some(m)), history }
    }

    /// Generates all moves but the table's and ranks the captures.
    fn generate(&mut self, position: &Position, history: &History) {
        let us = position.turn();
        let moves = position.legal_moves();
        for &m in moves.iter().filter(|&&m| is_tactical(m) && Some(m) != self.table) {
            let history = history.tactical(us, m);
            let rank = GAIN_WEIGHT * see::gain(m) + history;
            self.list.push(Scored { m, rank, history });
        }
        self.tactical = self.list.len();
        if self.wanted == Wanted::All {
            for &m in moves.iter().filter(|&&m| !is_tactical(m) && Some(m) != self.table) {
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
    fn take_special(&mut self, index: usize) -> Option<Move> {
        let special = self.specials[index].filter(|_| !self.skip_quiets)?;
        let found = self.list[self.next..].iter().position(|scored| scored.m == special)?;
        self.list.swap(self.next, self.next + found);
        self.next += 1;
        Some(special)
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
    fn picked(self, tactical: bool) -> Picked {
        Picked { m: self.m, tactical, special: false, history: self.history }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stack::Stack;
    use super::*;

    fn all(fen: &str, wanted: Wanted, table: Option<&str>) -> Vec<String> {
        let position = Position::from_fen(fen).unwrap();
        let table = table.map(|m| position.parse_move(m).unwrap());
        let quiet = position.legal_moves().into_iter().find(|m| !is_tactical(*m));
        let continuation = Continuation::at(&Stack::default(), 0);
        let mut picker = Picker::new(wanted, table, [quiet, quiet, None], continuation);
        let history = History::default();
        std::iter::from_fn(|| picker.next(&position, &history))
            .map(|picked| crate::position::uci(picked.m, false))
            .collect()
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    #[test]
    fn every_move_comes_once() {
        for table in [None, Some("e1g1"), Some("f3f6")] {
            let mut moves = all(KIWIPETE, Wanted::All, table);
            assert!(table.is_none_or(|table| moves[0] == table));
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
