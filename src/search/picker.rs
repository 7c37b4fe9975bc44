//! Staged move picking: the transposition table's move, good captures, killers and the counter move,
//! quiet moves by history, bad captures. A stage is generated only when the one before it is used up,
//! and a move that is known beforehand is tested for legality without generating any.
//!
//! Source: the order is that of the Chess Programming Wiki's "move ordering"; captures are ordered
//! by the most valuable victim and capture history, as in Stockfish.

use std::ops::Range;

use arrayvec::ArrayVec;

use crate::position::{Key, MAX_MOVES, Move, Position, is_tactical};
use crate::tt::Table;

use super::context::Context;
use super::history::History;
use super::{params, see};

/// A capture's material gain weighs this much against its history.
const GAIN_WEIGHT: i32 = 16;

/// A move and what its place in the order depends on.
#[derive(Copy, Clone, Debug)]
pub struct Picked {
    /// The move.
    pub m: Move,
    /// [`Position::key_after`] of the move; the entry of the transposition table is on its way.
    pub key: Key,
    /// It is a capture or queen promotion.
    pub is_tactical: bool,
    /// It is a killer or the counter move.
    pub is_refutation: bool,
    /// SEE has found it to win what is wanted: of all moves, a capture that loses no more than its
    /// history allows.
    pub is_good: bool,
    /// Its history; 0 for the transposition table's move, which comes before any that depend on it.
    pub history: i32,
    /// How many moves of the node have been searched, this one included; 0 before that.
    pub move_count: usize,
    /// It gives check. Asked just before the search, and not of the first move, which is neither pruned
    /// nor reduced.
    pub gives_check: bool,
}

impl Picked {
    /// The transposition table's move.
    pub fn first(m: Move, key: Key) -> Self {
        Self { is_tactical: is_tactical(m), ..Self::quiet(m, key, 0) }
    }

    /// A quiet move that is no refutation.
    fn quiet(m: Move, key: Key, history: i32) -> Self {
        Self {
            m,
            key,
            is_tactical: false,
            is_refutation: false,
            is_good: false,
            history,
            move_count: 0,
            gives_check: false,
        }
    }
}

/// A move's rank, and in the lowest bits its index in the list. Keys compare as the ranks do, and a
/// scan for the greatest, which names its own place, is a few vector instructions. Of equal ranks the
/// move generated last comes first.
type SortKey = i32;

const INDEX_BITS: u32 = 8;
const INDEX_MASK: SortKey = (1 << INDEX_BITS) - 1;
const _: () = assert!(MAX_MOVES <= 1 << INDEX_BITS);

/// The key of a move that has been picked.
const TAKEN: SortKey = SortKey::MIN;
/// Subtracted from the key of a bad capture. The sums of histories and gains stay within half of it.
const BAD: SortKey = 1 << 28;
/// The keys of bad captures lie below.
const GOOD: SortKey = -BAD / 2;

#[derive(Copy, Clone, PartialEq, Eq)]
enum Stage {
    TtMove,
    GenerateTactical,
    GoodTactical,
    Refutation(usize),
    GenerateQuiets,
    Quiet,
    BadTactical,
}

/// The moves that a node asks for.
#[derive(Copy, Clone)]
pub enum Wanted<'a> {
    /// All of them, quiet moves as they stand in this context. Captures are good if they lose no more
    /// than their history allows.
    All(&'a Context<'a>),
    /// Captures and queen promotions of the position that win at least this in exchanges, in centipawns.
    Tactical(&'a Position, i32),
}

impl<'a> Wanted<'a> {
    fn position(self) -> &'a Position {
        match self {
            Self::All(context) => context.position(),
            Self::Tactical(position, _) => position,
        }
    }

    /// The context of the quiet moves, if they are wanted.
    fn context(self) -> Option<&'a Context<'a>> {
        match self {
            Self::All(context) => Some(context),
            Self::Tactical(..) => None,
        }
    }
}

/// The number of refutations: two killers and the counter move.
pub const REFUTATIONS: usize = 3;

/// The moves of one node, best first.
pub struct Picker<'a> {
    wanted: Wanted<'a>,
    table: &'a Table,
    stage: Stage,
    tt_move: Option<Move>,
    refutations: [Option<Move>; REFUTATIONS],
    skip_quiets: bool,
    /// The number of tactical moves, which come first in the list.
    tactical: usize,
    /// The list: tactical moves, then quiet ones.
    moves: ArrayVec<Move, MAX_MOVES>,
    /// The key of each move in the list.
    keys: ArrayVec<SortKey, MAX_MOVES>,
    /// The history of each move in the list.
    histories: ArrayVec<i32, MAX_MOVES>,
}

impl<'a> Picker<'a> {
    /// A picker that begins with `tt_move`, which must be legal and is not tested against `wanted`.
    /// `refutations` are quiet moves, legal or not.
    pub fn new(
        wanted: Wanted<'a>,
        table: &'a Table,
        tt_move: Option<Move>,
        refutations: [Option<Move>; REFUTATIONS],
    ) -> Self {
        Self {
            wanted,
            table,
            stage: Stage::TtMove,
            tt_move,
            refutations,
            skip_quiets: false,
            tactical: 0,
            moves: ArrayVec::new(),
            keys: ArrayVec::new(),
            histories: ArrayVec::new(),
        }
    }

    /// Skips the quiet moves still to come.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub fn next(&mut self, history: &History<'_>) -> Option<Picked> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::GenerateTactical;
                    if let Some(m) = self.tt_move {
                        return Some(Picked::first(m, self.announce(m)));
                    }
                }
                Stage::GenerateTactical => {
                    self.generate_tactical(history);
                    self.stage = Stage::GoodTactical;
                }
                Stage::GoodTactical => match self.best(0..self.tactical, GOOD) {
                    Some(index) if Some(self.moves[index]) == self.tt_move => {
                        self.take(index);
                    }
                    Some(index) => {
                        let key = self.announce(self.moves[index]);
                        if self.is_good(index) {
                            return Some(Picked {
                                is_good: true,
                                ..self.take_tactical(index, key)
                            });
                        }
                        self.keys[index] -= BAD;
                    }
                    None => {
                        self.wanted.context()?;
                        self.stage = Stage::Refutation(0);
                    }
                },
                Stage::Refutation(REFUTATIONS) => self.stage = Stage::GenerateQuiets,
                Stage::Refutation(index) => {
                    self.stage = Stage::Refutation(index + 1);
                    if let Some(m) = self.refutation(index) {
                        let history = history.quiets(self.wanted.context()?)(m);
                        let key = self.announce(m);
                        return Some(Picked {
                            is_refutation: true,
                            ..Picked::quiet(m, key, history)
                        });
                    }
                }
                Stage::GenerateQuiets => {
                    if !self.skip_quiets {
                        self.generate_quiets(history);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.best(self.tactical..self.keys.len(), GOOD) {
                    Some(index) if !self.skip_quiets => {
                        let m = self.take(index);
                        if !self.was_picked(m, REFUTATIONS) {
                            let history = self.histories[index];
                            return Some(Picked::quiet(m, self.announce(m), history));
                        }
                    }
                    _ => self.stage = Stage::BadTactical,
                },
                Stage::BadTactical => {
                    let index = self.best(0..self.tactical, TAKEN + 1)?;
                    let key = self.announce(self.moves[index]);
                    return Some(self.take_tactical(index, key));
                }
            }
        }
    }

    fn generate_tactical(&mut self, history: &History<'_>) {
        let position = self.wanted.position();
        let us = position.turn();
        position.for_each_tactical(|m| self.moves.push(m));
        self.rank_new(|m| history.tactical(us, m), |m| GAIN_WEIGHT * see::gain(m));
        self.tactical = self.moves.len();
    }

    fn generate_quiets(&mut self, history: &History<'_>) {
        let Some(context) = self.wanted.context() else { return };
        context.position().for_each_quiet(|m| self.moves.push(m));
        self.rank_new(history.quiets(context), context.bonuses());
    }

    /// Ranks the moves just generated by their history and what is added to it: all at once, for then
    /// the misses of the cache overlap.
    fn rank_new(&mut self, history: impl Fn(Move) -> i32, bonus: impl Fn(Move) -> i32) {
        let ranked = self.keys.len();
        self.histories.extend(self.moves[ranked..].iter().map(|&m| history(m)));
        let new = self.moves.iter().zip(&self.histories).enumerate().skip(ranked);
        self.keys.extend(
            new.map(|(index, (&m, &history))| {
                (history + bonus(m)) << INDEX_BITS | index as SortKey
            }),
        );
    }

    /// The killer or counter move, if it is legal here and has not been picked yet.
    fn refutation(&self, index: usize) -> Option<Move> {
        let m = self.refutations[index].filter(|_| !self.skip_quiets)?;
        (!self.was_picked(m, index) && self.wanted.position().is_legal(m)).then_some(m)
    }

    /// `m` is the transposition table's move or one of the first `refutations`.
    fn was_picked(&self, m: Move, refutations: usize) -> bool {
        Some(m) == self.tt_move || self.refutations[..refutations].contains(&Some(m))
    }

    /// The index of the highest-ranked move in `range`, if its key is at least `least`.
    fn best(&self, range: Range<usize>, least: SortKey) -> Option<usize> {
        let key = self.keys[range].iter().fold(TAKEN, |best, &key| best.max(key));
        (key >= least).then_some((key & INDEX_MASK) as usize)
    }

    /// The tactical move does not lose material, or wins as much as is wanted. One that has done well
    /// before may lose some.
    fn is_good(&self, index: usize) -> bool {
        let threshold = match self.wanted {
            Wanted::All(_) => -tolerable_loss(self.keys[index] >> INDEX_BITS),
            Wanted::Tactical(_, threshold) => threshold,
        };
        see::wins(self.wanted.position(), self.moves[index], threshold)
    }

    fn take_tactical(&mut self, index: usize, key: Key) -> Picked {
        let m = self.take(index);
        Picked { is_tactical: true, ..Picked::quiet(m, key, self.histories[index]) }
    }

    /// Asks for the transposition table's entry of the position after `m`, so that it is on its way while the
    /// move is judged and made, and returns that position's key.
    #[inline]
    fn announce(&self, m: Move) -> Key {
        let key = self.wanted.position().key_after(m);
        self.table.prefetch(key);
        key
    }

    /// Marks a move as picked and returns it.
    fn take(&mut self, index: usize) -> Move {
        self.keys[index] = TAKEN;
        self.moves[index]
    }
}

/// Centipawns that a good capture of this rank may lose; a negative number, where it has done badly,
/// is what it must win. Source: Stockfish.
fn tolerable_loss(rank: i32) -> i32 {
    rank / params::good_capture_history()
}

#[cfg(test)]
mod tests {
    use super::super::context::{CONTINUATION_PLIES, Continuation, PIECE_TO, PieceTo};
    use super::super::history::{CounterMoves, Histories};
    use super::*;
    use crate::smp::recorder::Observer;

    /// The memory behind a [`History`].
    struct Tables(Histories, CounterMoves);

    impl Tables {
        fn new() -> Self {
            Self(Histories::new(), [None; PIECE_TO + 1])
        }

        fn history(&mut self) -> History<'_> {
            History::new(&self.0, &mut self.1, Observer::default())
        }
    }

    /// No moves lead to the node.
    const CONTINUATION: Continuation = [PieceTo::NONE; CONTINUATION_PLIES.len()];

    fn pick(history: &History<'_>, picker: &mut Picker) -> Vec<Picked> {
        std::iter::from_fn(|| picker.next(history)).collect()
    }

    fn table() -> Table {
        Table::with_clusters(1).unwrap()
    }

    fn context(position: &Position) -> Context<'_> {
        Context::new(position, CONTINUATION)
    }

    /// A game of random moves: its positions.
    fn random_game(rng: &mut fastrand::Rng) -> Vec<Position> {
        const PLIES: usize = 100;
        let mut positions = vec![Position::default()];
        while let Some(&m) = rng.choice(&positions[positions.len() - 1].legal_moves())
            && positions.len() < PLIES
        {
            positions.push(positions[positions.len() - 1].play(m));
        }
        positions
    }

    /// Rewards a random quiet move of each position.
    fn teach(history: &mut History<'_>, rng: &mut fastrand::Rng, positions: &[Position]) {
        for position in positions {
            let moves = position.legal_moves();
            let quiets: Vec<Move> = moves.into_iter().filter(|m| !is_tactical(*m)).collect();
            if let Some(&m) = rng.choice(&quiets) {
                history.reward_quiet(&context(position), rng.i32(1..9), m, quiets);
            }
        }
    }

    #[test]
    fn every_legal_move_comes_once_and_stage_by_stage() {
        let mut rng = fastrand::Rng::with_seed(15);
        let table = table();
        for _ in 0..20 {
            let positions = random_game(&mut rng);
            let mut tables = Tables::new();
            let mut history = tables.history();
            teach(&mut history, &mut rng, &positions);
            // Killers and counter moves come from other positions of the game.
            let mut killers: Vec<Move> = positions.iter().flat_map(Position::legal_moves).collect();
            killers.retain(|&m| !is_tactical(m));
            for position in &positions {
                let legal = position.legal_moves();
                let tt_move = rng.choice(&legal).copied().filter(|_| rng.bool());
                let refutations = [(); REFUTATIONS].map(|()| rng.choice(&killers).copied());
                let context = context(position);
                let mut picker = Picker::new(Wanted::All(&context), &table, tt_move, refutations);
                let picked = pick(&history, &mut picker);

                let mut moves: Vec<String> = picked.iter().map(|p| format!("{:?}", p.m)).collect();
                let mut expected: Vec<String> = legal.iter().map(|m| format!("{m:?}")).collect();
                moves.sort_unstable();
                expected.sort_unstable();
                assert_eq!(moves, expected, "{position:?}");

                let stage = |p: &Picked| match p {
                    _ if Some(p.m) == tt_move => 0,
                    Picked { is_tactical: true, is_good: true, .. } => 1,
                    Picked { is_refutation: true, .. } => 2,
                    Picked { is_tactical: false, .. } => 3,
                    _ => 4,
                };
                assert!(picked.is_sorted_by_key(stage), "{position:?}");
                assert!(picked.iter().all(|p| p.key == position.key_after(p.m)));
                let quiets = picked.iter().filter(|p| stage(p) == 3);
                let bonus = context.bonuses();
                let order = |p: &Picked| -p.history - bonus(p.m);
                assert!(quiets.is_sorted_by_key(order), "{position:?}");
                for p in picked.iter().filter(|p| p.is_tactical && Some(p.m) != tt_move) {
                    let loss = tolerable_loss(GAIN_WEIGHT * see::gain(p.m) + p.history);
                    assert_eq!(p.is_good, see::wins(position, p.m, -loss));
                    assert_eq!(p.history, history.tactical(position.turn(), p.m));
                }
                let refutation = |p: &Picked| refutations.contains(&Some(p.m));
                let of_list = picked.iter().filter(|p| Some(p.m) != tt_move);
                assert!(of_list.clone().all(|p| p.is_refutation == refutation(p)));
            }
        }
    }

    #[test]
    fn quiet_moves_are_skipped_from_any_moment_on() {
        let table = table();
        let position = Position::from_fen(KIWIPETE).unwrap();
        let mut tables = Tables::new();
        let history = tables.history();
        let quiet = position.legal_moves().into_iter().find(|m| !is_tactical(*m));
        let context = context(&position);
        for moment in 0..48 {
            let mut picker = Picker::new(Wanted::All(&context), &table, None, [quiet, None, None]);
            for _ in 0..moment {
                picker.next(&history).unwrap();
            }
            picker.skip_quiets();
            let rest = pick(&history, &mut picker);
            assert!(rest.iter().all(|picked| picked.is_tactical));
        }
    }

    #[test]
    fn tactical_moves_win_what_is_wanted() {
        let table = table();
        let position = Position::from_fen(KIWIPETE).unwrap();
        let mut tables = Tables::new();
        let history = tables.history();
        for threshold in [0, 1, 100, 300, 1000] {
            let wanted = Wanted::Tactical(&position, threshold);
            let mut picker = Picker::new(wanted, &table, None, [None; REFUTATIONS]);
            let picked = pick(&history, &mut picker);
            let wins = |m: &Move| is_tactical(*m) && see::wins(&position, *m, threshold);
            assert_eq!(picked.len(), position.legal_moves().iter().filter(|m| wins(m)).count());
            assert!(picked.iter().all(|picked| picked.is_good && wins(&picked.m)));
        }
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    #[test]
    fn bad_captures_come_last_or_not_at_all() {
        let table = table();
        let position = Position::from_fen("4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1").unwrap();
        let mut tables = Tables::new();
        let history = tables.history();
        let context = context(&position);
        let mut all = Picker::new(Wanted::All(&context), &table, None, [None; REFUTATIONS]);
        let last = *pick(&history, &mut all).last().unwrap();
        assert_eq!(crate::position::uci(last.m, false), "d1d5");
        assert!(!last.is_good);
        let mut tactical =
            Picker::new(Wanted::Tactical(&position, 0), &table, None, [None; REFUTATIONS]);
        assert!(pick(&history, &mut tactical).is_empty());
    }
}
