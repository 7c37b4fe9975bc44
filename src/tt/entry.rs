//! An entry of the table, packed into 64 bits.
//!
//! | bits | field | zero means |
//! |---|---|---|
//! | 0..16 | best move | none |
//! | 16..32 | score, relative to the node | |
//! | 32..48 | static evaluation, less [`NO_EVAL`] | none |
//! | 48..56 | depth | |
//! | 56..58 | bound | no score |
//! | 58 | was on a principal variation | no |
//! | 59..64 | age | |
//!
//! The word 0 is an entry that knows nothing, and marks an empty slot. Decoding is total: two
//! racing writes can forge a word that nobody stored, so every word decodes to an [`Entry`] or to
//! none.

use crate::position::PackedMove;
use crate::score::{Depth, Score};

/// The relation of a score to the true value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true value is at most the score: the search failed low.
    Upper,
    /// The true value is at least the score: the search failed high.
    Lower,
    /// The score is the true value.
    Exact,
}

impl Bound {
    /// A `score` with this bound says more of the true value than the estimate `eval` does.
    #[inline]
    pub fn refines(self, eval: Score, score: Score) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => score > eval,
            Self::Upper => score < eval,
        }
    }
}

/// The outcome of one node's search. Scores are as the search sees them, from the root.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move, or the one that refuted the node, or [`PackedMove::NONE`].
    pub best: PackedMove,
    /// The score and what it says, if the node was searched and not merely evaluated.
    pub score: Option<(Score, Bound)>,
    /// The static evaluation, uncorrected; `None` in check.
    pub eval: Option<Score>,
    /// The depth of the search in plies, stored as the nearest number from 0 to 255.
    pub depth: Depth,
    /// The node has been on a principal variation.
    pub was_pv: bool,
}

impl Entry {
    /// The entry that 64 bits decode to, its score relative to a root `ply` plies above.
    pub fn decode(bits: u64, ply: usize) -> Option<Self> {
        Word(bits).unpack(ply)
    }
}

/// Stands for no evaluation.
const NO_EVAL: i16 = i16::MIN;

/// Searches are counted modulo this number.
pub(super) const AGES: u64 = 32;

const SCORE_SHIFT: u32 = 16;
const EVAL_SHIFT: u32 = 32;
const DEPTH_SHIFT: u32 = 48;
const BOUND_SHIFT: u32 = 56;
const BOUND_MASK: u64 = 3;
const PV_SHIFT: u32 = 58;
const AGE_SHIFT: u32 = 59;

/// An [`Entry`] and its age, packed; possibly forged, so any 64 bits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Word(pub u64);

impl Word {
    /// The word of an empty slot.
    pub const EMPTY: Self = Self(0);

    /// Packs an entry whose score is relative to a root `ply` plies above.
    pub fn pack(entry: &Entry, ply: usize, age: u64) -> Self {
        let (score, bound) = match entry.score {
            None => (Score::DRAW, 0),
            Some((score, Bound::Upper)) => (score, 1),
            Some((score, Bound::Lower)) => (score, 2),
            Some((score, Bound::Exact)) => (score, 3),
        };
        let score = score.to_table(ply).get().clamp(-Score::MATE.get(), Score::MATE.get());
        let eval = entry.eval.map_or(NO_EVAL, |eval| Score::eval(eval.get()).get() as i16);
        let depth = entry.depth.clamp(0, Depth::from(u8::MAX));
        Self(
            u64::from(entry.best.to_bits())
                | u64::from(score as i16 as u16) << SCORE_SHIFT
                | u64::from(eval.wrapping_sub(NO_EVAL) as u16) << EVAL_SHIFT
                | (depth as u64) << DEPTH_SHIFT
                | bound << BOUND_SHIFT
                | u64::from(entry.was_pv) << PV_SHIFT
                | (age % AGES) << AGE_SHIFT,
        )
    }

    /// The entry, its score relative to a root `ply` plies above. `None` for an empty word and for
    /// one with a number that is off the scale of scores, which only a forged word can hold.
    pub fn unpack(self, ply: usize) -> Option<Entry> {
        let score = Score::new(i32::from((self.0 >> SCORE_SHIFT) as u16 as i16));
        let eval = ((self.0 >> EVAL_SHIFT) as u16 as i16).wrapping_add(NO_EVAL);
        let eval = (eval != NO_EVAL).then(|| Score::new(i32::from(eval)));
        if self == Self::EMPTY
            || !(-Score::MATE..=Score::MATE).contains(&score)
            || eval.is_some_and(|eval| !(-Score::MAX_EVAL..=Score::MAX_EVAL).contains(&eval))
        {
            return None;
        }
        let score = score.from_table(ply);
        Some(Entry {
            best: self.best(),
            score: self.bound().map(|bound| (score, bound)),
            eval,
            depth: self.depth(),
            was_pv: self.was_pv(),
        })
    }

    /// The same word with another move.
    pub fn with_best(self, best: PackedMove) -> Self {
        Self(self.0 & !u64::from(u16::MAX) | u64::from(best.to_bits()))
    }

    pub fn best(self) -> PackedMove {
        PackedMove::from_bits(self.0 as u16)
    }

    pub fn depth(self) -> Depth {
        Depth::from((self.0 >> DEPTH_SHIFT) as u8)
    }

    pub fn bound(self) -> Option<Bound> {
        match self.0 >> BOUND_SHIFT & BOUND_MASK {
            1 => Some(Bound::Upper),
            2 => Some(Bound::Lower),
            3 => Some(Bound::Exact),
            _ => None,
        }
    }

    pub fn was_pv(self) -> bool {
        self.0 >> PV_SHIFT & 1 == 1
    }

    pub fn age(self) -> u64 {
        self.0 >> AGE_SHIFT
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::score::MAX_PLY;

    const KNOWS_NOTHING: Entry =
        Entry { best: PackedMove::NONE, score: None, eval: None, depth: 0, was_pv: false };

    #[test]
    fn an_empty_word_is_no_entry() {
        assert_eq!(Word::EMPTY.unpack(0), None);
        assert_eq!(Word::pack(&KNOWS_NOTHING, 0, 0), Word::EMPTY);
    }

    #[test]
    fn an_evaluation_of_zero_is_told_from_none() {
        let level = Entry { eval: Some(Score::DRAW), ..KNOWS_NOTHING };
        assert_eq!(Word::pack(&level, 0, 0).unpack(0), Some(level));
    }

    #[test]
    fn what_does_not_fit_is_stored_as_the_nearest() {
        let depth = |depth| Word::pack(&Entry { depth, ..KNOWS_NOTHING }, 0, 1).depth();
        assert_eq!([-3, 0, 255, 256].map(depth), [0, 0, 255, 255]);
        let eval = |eval| {
            let entry = Entry { eval: Some(Score::new(eval)), ..KNOWS_NOTHING };
            Word::pack(&entry, 0, 1).unpack(0).unwrap().eval.unwrap().get()
        };
        assert_eq!([-40_000, 40_000].map(eval), [-Score::MAX_EVAL.get(), Score::MAX_EVAL.get()]);
    }

    #[test]
    fn a_mate_keeps_its_distance_from_the_node() {
        let found = Entry { score: Some((Score::mate_in(9), Bound::Exact)), ..KNOWS_NOTHING };
        let again = Word::pack(&found, 4, 0).unpack(6).unwrap();
        assert_eq!(again.score, Some((Score::mate_in(11), Bound::Exact)));
    }

    #[test]
    fn a_score_off_the_scale_is_no_entry() {
        let off = Word(u64::from(i16::MAX as u16) << SCORE_SHIFT | BOUND_MASK << BOUND_SHIFT);
        assert_eq!(off.unpack(0), None);
    }

    fn any_entry() -> impl Strategy<Value = Entry> {
        let bound = prop_oneof![Just(Bound::Upper), Just(Bound::Lower), Just(Bound::Exact)];
        let score = (-Score::MATE.get()..=Score::MATE.get()).prop_map(Score::new);
        let eval = (-Score::MAX_EVAL.get()..=Score::MAX_EVAL.get()).prop_map(Score::new);
        (
            any::<u16>().prop_map(PackedMove::from_bits),
            prop::option::of((score, bound)),
            prop::option::of(eval),
            0..=255,
            any::<bool>(),
        )
            .prop_map(|(best, score, eval, depth, was_pv)| Entry {
                best,
                score,
                eval,
                depth,
                was_pv,
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn any_word_is_an_entry_or_none(word: u64, ply in 0..=MAX_PLY) {
            if let Some(entry) = Word(word).unpack(ply) {
                if let Some((score, _)) = entry.score {
                    prop_assert!(score.abs() <= Score::MATE);
                }
                if let Some(eval) = entry.eval {
                    prop_assert!(eval.abs() <= Score::MAX_EVAL);
                }
                prop_assert!((0..=255).contains(&entry.depth));
                let packed = Word::pack(&entry, 0, Word(word).age());
                let unpacked = packed.unpack(0);
                prop_assert!(unpacked == Some(entry) || packed == Word::EMPTY);
            }
        }

        #[test]
        fn what_is_packed_is_unpacked(entry in any_entry(), age in 1..AGES) {
            let word = Word::pack(&entry, 0, age);
            prop_assert_eq!(word.unpack(0), Some(entry));
            prop_assert_eq!(word.age(), age);
            prop_assert_eq!(word.best(), entry.best);
            prop_assert_eq!(word.bound(), entry.score.map(|(_, bound)| bound));
        }

        #[test]
        fn a_new_move_changes_nothing_else(entry in any_entry(), best: u16, age in 1..AGES) {
            let best = PackedMove::from_bits(best);
            let word = Word::pack(&entry, 0, age).with_best(best);
            prop_assert_eq!(word.unpack(0), Some(Entry { best, ..entry }));
            prop_assert_eq!(word.age(), age);
        }
    }
}
