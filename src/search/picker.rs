//! Staged move picking: the transposition table's move, good captures, killers and the counter
//! move, quiet moves by history, bad captures. A stage is generated only when the one before it is
//! used up, and a move that is known beforehand is tested for legality without generating any.
//!
//! Source: the order is that of the Chess Programming Wiki's "move ordering"; captures are ordered
//! by the most valuable victim and capture history, as in Stockfish.

use std::ops::Range;

use arrayvec::ArrayVec;

use crate::position::{Key, MAX_MOVES, Move, is_tactical};

use super::history::History;
use super::node::Node;
use super::order::QuietOrder;
use super::shared::Shared;
use super::{params, see};

/// A capture's material gain weighs this much against its history.
const GAIN_WEIGHT: i32 = 16;

/// A move and what its place in the order depends on.
#[derive(Copy, Clone, Debug)]
pub struct Picked {
    /// The move.
    pub m: Move,
    /// [`key_after`](crate::position::Position::key_after) of the move; the entry of the
    /// transposition table is on its way.
    pub key: Key,
    /// It is a capture or queen promotion.
    pub is_tactical: bool,
    /// It is a killer or the counter move.
    pub is_refutation: bool,
    /// It has passed the SEE test: it wins what the caller wants, or loses no more than its history
    /// allows.
    pub is_good: bool,
    /// Its history; 0 for the TT move, which is searched first and needs no rank.
    pub history: i32,
}

impl Picked {
    /// The transposition table's move.
    pub fn first(m: Move, key: Key) -> Self {
        Self { is_tactical: is_tactical(m), ..Self::quiet(m, key, 0) }
    }

    /// A quiet move that is no refutation.
    fn quiet(m: Move, key: Key, history: i32) -> Self {
        Self { m, key, is_tactical: false, is_refutation: false, is_good: false, history }
    }
}

/// A move's rank, and in the lowest bits its index in the list. Keys compare as the ranks do, and a
/// scan for the greatest, which names its own place, is a few vector instructions. Of equal ranks
/// the move generated last comes first.
type SortKey = i32;

const INDEX_BITS: u32 = 8;
const INDEX_MASK: SortKey = (1 << INDEX_BITS) - 1;
const _: () = assert!(MAX_MOVES <= 1 << INDEX_BITS);

/// The key of a move that has been picked.
const TAKEN: SortKey = SortKey::MIN;
/// Subtracted from the key of a bad capture. The sums of histories and gains stay within half of
/// it.
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
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// All of them. Captures are good if they lose no more than their history allows.
    All,
    /// Captures and queen promotions that win at least this in exchanges, in centipawns.
    Tactical(i32),
}

/// The number of refutations: two killers and the counter move.
pub const REFUTATIONS: usize = 3;

/// The moves of one node, best first.
pub struct Picker {
    wanted: Wanted,
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

impl Picker {
    /// A picker that begins with `tt_move`, which must be legal and is not tested against `wanted`.
    /// `refutations` are quiet moves, legal or not.
    pub fn new(
        wanted: Wanted,
        tt_move: Option<Move>,
        refutations: [Option<Move>; REFUTATIONS],
    ) -> Self {
        Self {
            wanted,
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

    /// The next move of `node`, which must be the same at every call.
    pub fn next(&mut self, node: &Node<'_>, shared: &Shared<'_>) -> Option<Picked> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::GenerateTactical;
                    if let Some(m) = self.tt_move {
                        return Some(Picked::first(m, announce(node, shared, m)));
                    }
                }
                Stage::GenerateTactical => {
                    self.generate_tactical(node, shared);
                    self.stage = Stage::GoodTactical;
                }
                Stage::GoodTactical => match self.best(0..self.tactical, GOOD) {
                    Some(index) if Some(self.moves[index]) == self.tt_move => {
                        self.take(index);
                    }
                    Some(index) => {
                        let key = announce(node, shared, self.moves[index]);
                        if self.is_good(node, index) {
                            return Some(Picked {
                                is_good: true,
                                ..self.take_tactical(index, key)
                            });
                        }
                        self.keys[index] -= BAD;
                    }
                    None if self.wanted == Wanted::All => self.stage = Stage::Refutation(0),
                    None => return None,
                },
                Stage::Refutation(REFUTATIONS) => self.stage = Stage::GenerateQuiets,
                Stage::Refutation(index) => {
                    self.stage = Stage::Refutation(index + 1);
                    if let Some(m) = self.refutation(node, index) {
                        let history = QuietOrder::observed(shared, node).history(m);
                        let key = announce(node, shared, m);
                        let quiet = Picked::quiet(m, key, history);
                        return Some(Picked { is_refutation: true, ..quiet });
                    }
                }
                Stage::GenerateQuiets => {
                    if !self.skip_quiets {
                        self.generate_quiets(node, shared);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.best(self.tactical..self.keys.len(), GOOD) {
                    Some(index) if !self.skip_quiets => {
                        let m = self.take(index);
                        if !self.was_picked(m, REFUTATIONS) {
                            let history = self.histories[index];
                            return Some(Picked::quiet(m, announce(node, shared, m), history));
                        }
                    }
                    _ => self.stage = Stage::BadTactical,
                },
                Stage::BadTactical => {
                    let index = self.best(0..self.tactical, TAKEN + 1)?;
                    let key = announce(node, shared, self.moves[index]);
                    return Some(self.take_tactical(index, key));
                }
            }
        }
    }

    fn generate_tactical(&mut self, node: &Node<'_>, shared: &Shared<'_>) {
        let us = node.position.turn();
        node.position.for_each_tactical(|m| self.moves.push(m));
        let history = |m| shared.histories.capture.get((us, m), shared.observer);
        self.rank_new(|m| (history(m), GAIN_WEIGHT * see::gain(m)));
        self.tactical = self.moves.len();
    }

    fn generate_quiets(&mut self, node: &Node<'_>, shared: &Shared<'_>) {
        node.position.for_each_quiet(|m| self.moves.push(m));
        if shared.observer.is_on() {
            return self.rank_observed(node, shared);
        }
        let order = QuietOrder::new(shared, node);
        self.rank_new(|m| (order.history(m), order.bonus(m)));
    }

    #[cold]
    fn rank_observed(&mut self, node: &Node<'_>, shared: &Shared<'_>) {
        let order = QuietOrder::observed(shared, node);
        self.rank_new(|m| (order.history(m), order.bonus(m)));
    }

    /// Ranks the moves just generated by their history and what is added to it: all at once, for
    /// then the misses of the cache overlap.
    fn rank_new(&mut self, rank: impl Fn(Move) -> (i32, i32)) {
        for index in self.keys.len()..self.moves.len() {
            let (history, bonus) = rank(self.moves[index]);
            self.histories.push(history);
            self.keys.push((history + bonus) << INDEX_BITS | index as SortKey);
        }
    }

    /// The killer or counter move, if it is legal here and has not been picked yet.
    fn refutation(&self, node: &Node<'_>, index: usize) -> Option<Move> {
        let m = self.refutations[index].filter(|_| !self.skip_quiets)?;
        (!self.was_picked(m, index) && node.position.is_legal(m)).then_some(m)
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

    /// The tactical move does not lose material, or wins as much as is wanted. One that has done
    /// well before may lose some.
    fn is_good(&self, node: &Node<'_>, index: usize) -> bool {
        let threshold = match self.wanted {
            Wanted::All => -tolerable_loss(self.keys[index] >> INDEX_BITS),
            Wanted::Tactical(threshold) => threshold,
        };
        see::wins(node.position, self.moves[index], threshold)
    }

    fn take_tactical(&mut self, index: usize, key: Key) -> Picked {
        let m = self.take(index);
        Picked { is_tactical: true, ..Picked::quiet(m, key, self.histories[index]) }
    }

    /// Marks a move as picked and returns it.
    fn take(&mut self, index: usize) -> Move {
        self.keys[index] = TAKEN;
        self.moves[index]
    }
}

/// Asks for the transposition table's entry of the position after `m`, so that it is on its way
/// while the move is judged and made, and returns that position's key.
#[inline]
fn announce(node: &Node<'_>, shared: &Shared<'_>, m: Move) -> Key {
    let key = node.position.key_after(m);
    shared.table.prefetch(key);
    key
}

/// Centipawns that a capture of this rank may lose by SEE and still count as good. After a bad
/// history the number is negative: the capture must win that much. Source: Stockfish.
fn tolerable_loss(rank: i32) -> i32 {
    rank / params::good_capture_history()
}

#[cfg(test)]
mod tests {
    use super::super::Common;
    use super::super::history::PieceTo;
    use super::super::node::{Window, fixture};
    use super::*;
    use crate::position::Position;
    use crate::sync::Arc;
    use crate::tt::{Table, fetched};

    fn node(position: &Position) -> Node<'_> {
        Node::root(position, Window::FULL, 1)
    }

    fn pick(picker: &mut Picker, node: &Node<'_>, shared: &Shared<'_>) -> Vec<Picked> {
        std::iter::from_fn(|| picker.next(node, shared)).collect()
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

    /// Rewards some random quiet moves of each position.
    fn teach(shared: &Shared<'_>, rng: &mut fastrand::Rng, positions: &[Position]) {
        let Shared { histories, observer, .. } = *shared;
        for position in positions {
            let node = node(position);
            for m in position.legal_moves().into_iter().filter(|m| !is_tactical(*m)) {
                let to = PieceTo::new(position.turn(), m);
                let step = rng.i32(-2000..2000);
                histories.butterfly.update(node.butterfly(m), step, observer);
                histories.pawn.update((position.pawn_key(), to), step, observer);
            }
        }
    }

    #[test]
    fn every_legal_move_comes_once_and_stage_by_stage() {
        let mut rng = fastrand::Rng::with_seed(15);
        for _ in 0..20 {
            let positions = random_game(&mut rng);
            let (common, run) = fixture::search(&Position::default());
            let shared = Shared::new(&common, &run, 0);
            teach(&shared, &mut rng, &positions);
            // Killers and counter moves come from other positions of the game.
            let mut killers: Vec<Move> = positions.iter().flat_map(Position::legal_moves).collect();
            killers.retain(|&m| !is_tactical(m));
            for position in &positions {
                let legal = position.legal_moves();
                let tt_move = rng.choice(&legal).copied().filter(|_| rng.bool());
                let refutations = [(); REFUTATIONS].map(|()| rng.choice(&killers).copied());
                let node = node(position);
                let mut picker = Picker::new(Wanted::All, tt_move, refutations);
                let picked = pick(&mut picker, &node, &shared);

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
                let quiet = QuietOrder::new(&shared, &node);
                let order = |p: &Picked| -p.history - quiet.bonus(p.m);
                assert!(quiets.is_sorted_by_key(order), "{position:?}");
                for p in picked.iter().filter(|p| p.is_tactical && Some(p.m) != tt_move) {
                    let loss = tolerable_loss(GAIN_WEIGHT * see::gain(p.m) + p.history);
                    assert_eq!(p.is_good, see::wins(position, p.m, -loss));
                    let index = (position.turn(), p.m);
                    assert_eq!(p.history, common.histories.capture.get(index, shared.observer));
                }
                let refutation = |p: &Picked| refutations.contains(&Some(p.m));
                let of_list = picked.iter().filter(|p| Some(p.m) != tt_move);
                assert!(of_list.clone().all(|p| p.is_refutation == refutation(p)));
            }
        }
    }

    #[test]
    fn the_entry_after_each_move_is_fetched() {
        let position = Position::from_fen(KIWIPETE).unwrap();
        let (common, run) = fixture::search(&position);
        let table = Arc::new(Table::with_clusters(1000).unwrap());
        let common = Common { table: Arc::clone(&table), ..common };
        let (shared, node) = (Shared::new(&common, &run, 0), node(&position));
        let mut picked = Vec::new();
        let fetched: Vec<_> = fetched(|| {
            let mut picker = Picker::new(Wanted::All, None, [None; REFUTATIONS]);
            picked = pick(&mut picker, &node, &shared);
        });
        let cluster = |p: &Picked| std::ptr::from_ref(table.cluster(p.key)).cast::<()>().addr();
        assert!(picked.iter().all(|p| fetched.iter().any(|(address, _)| *address == cluster(p))));
    }

    #[test]
    fn quiet_moves_are_skipped_from_any_moment_on() {
        let position = Position::from_fen(KIWIPETE).unwrap();
        let (common, run) = fixture::search(&position);
        let (shared, node) = (Shared::new(&common, &run, 0), node(&position));
        let quiet = position.legal_moves().into_iter().find(|m| !is_tactical(*m));
        for moment in 0..48 {
            let mut picker = Picker::new(Wanted::All, None, [quiet, None, None]);
            for _ in 0..moment {
                picker.next(&node, &shared).unwrap();
            }
            picker.skip_quiets();
            let rest = pick(&mut picker, &node, &shared);
            assert!(rest.iter().all(|picked| picked.is_tactical));
        }
    }

    #[test]
    fn tactical_moves_win_what_is_wanted() {
        let position = Position::from_fen(KIWIPETE).unwrap();
        let (common, run) = fixture::search(&position);
        let (shared, node) = (Shared::new(&common, &run, 0), node(&position));
        for threshold in [0, 1, 100, 300, 1000] {
            let mut picker = Picker::new(Wanted::Tactical(threshold), None, [None; REFUTATIONS]);
            let picked = pick(&mut picker, &node, &shared);
            let wins = |m: &Move| is_tactical(*m) && see::wins(&position, *m, threshold);
            assert_eq!(picked.len(), position.legal_moves().iter().filter(|m| wins(m)).count());
            assert!(picked.iter().all(|picked| picked.is_good && wins(&picked.m)));
        }
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    #[test]
    fn bad_captures_come_last_or_not_at_all() {
        let position = Position::from_fen("4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1").unwrap();
        let (common, run) = fixture::search(&position);
        let (shared, node) = (Shared::new(&common, &run, 0), node(&position));
        let mut all = Picker::new(Wanted::All, None, [None; REFUTATIONS]);
        let last = *pick(&mut all, &node, &shared).last().unwrap();
        assert_eq!(crate::position::uci(last.m, false), "d1d5");
        assert!(!last.is_good);
        let mut tactical = Picker::new(Wanted::Tactical(0), None, [None; REFUTATIONS]);
        assert!(pick(&mut tactical, &node, &shared).is_empty());
    }
}
