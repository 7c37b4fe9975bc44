//! The vote over the workers' results.
//!
//! Independent searches of different depths may disagree on the move. Every worker votes for its
//! move with the depth of its last completed iteration, so a move counts for more the more workers
//! chose it and the deeper they searched. This is the vote of Stockfish (`get_best_thread`, since
//! version 10) without its other factor, the score: of two moves from different searches, the one
//! with the higher score is not the better one (measured, see `docs/scaling.md`). Proved results
//! override the formula:
//!
//! 1. Ballots without a completed iteration count only if there are no others.
//! 2. If a win is proved, the highest score wins: the shortest mate, or the nearest tablebase win.
//! 3. Proved losses vote only if all ballots are losses; then, too, the highest score wins, which
//!    is the longest resistance.
//!
//! Ties go to the deeper ballot, then to the lower index.

use std::cmp::Reverse;

use crate::score::{Depth, Score};

/// The vote of one worker. `choice` is its move, in any comparable form.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ballot<M> {
    /// The best move.
    pub choice: M,
    /// Its score.
    pub score: Score,
    /// The last completed iteration, in plies; 0 if there is none.
    pub depth: Depth,
}

/// The outcome of a vote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vote {
    /// The index of the winning ballot; 0 if there is none.
    pub winner: usize,
    /// The total weight in plies behind each ballot's choice; `None` for a ballot that does not
    /// vote, and for all ballots when a proved result decides.
    pub weights: Vec<Option<i64>>,
}

/// Counts the votes.
pub fn vote<M: Eq + Copy>(ballots: &[Ballot<M>]) -> Vote {
    let mut voters: Vec<usize> = (0..ballots.len()).filter(|&i| ballots[i].depth > 0).collect();
    if voters.is_empty() {
        voters.extend(0..ballots.len());
    }
    let mut weights = vec![None; ballots.len()];
    // `min_by_key` takes the first of equal keys, and the voters stay in the order of their
    // indices.
    let best = voters.iter().map(|&i| ballots[i].score).max().unwrap_or_default();
    if best.is_decisive() {
        let key = |&i: &usize| Reverse((ballots[i].score, ballots[i].depth));
        return Vote { winner: voters.into_iter().min_by_key(key).unwrap_or(0), weights };
    }
    voters.retain(|&i| !ballots[i].score.is_loss());
    let weight = |choice: M| -> i64 {
        let supporters = voters.iter().map(|&i| &ballots[i]).filter(|b| b.choice == choice);
        supporters.map(|b| i64::from(b.depth)).sum()
    };
    for &i in &voters {
        weights[i] = Some(weight(ballots[i].choice));
    }
    let key = |&i: &usize| Reverse((weights[i], ballots[i].depth));
    Vote { winner: voters.into_iter().min_by_key(key).unwrap_or(0), weights }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ballot(choice: u8, centipawns: i32, depth: Depth) -> Ballot<u8> {
        Ballot { choice, score: Score::new(centipawns), depth }
    }

    /// Only the winner.
    fn winner<M: Eq + Copy>(ballots: &[Ballot<M>]) -> usize {
        vote(ballots).winner
    }

    fn mate(choice: u8, score: Score, depth: Depth) -> Ballot<u8> {
        Ballot { choice, score, depth }
    }

    #[test]
    fn a_single_ballot_wins() {
        assert_eq!(winner(&[ballot(1, -50, 3)]), 0);
        assert_eq!(winner(&[ballot(1, 0, 0)]), 0);
        assert_eq!(winner::<u8>(&[]), 0);
    }

    #[test]
    fn the_majority_beats_one_worker_of_equal_depth() {
        let ballots = [ballot(1, 30, 10), ballot(2, 25, 10), ballot(2, 28, 10)];
        assert_eq!(winner(&ballots), 1);
    }

    #[test]
    fn the_weights_are_as_documented() {
        let ballots = [ballot(1, 30, 10), ballot(2, 10, 4), ballot(2, 10, 5)];
        assert_eq!(winner(&ballots), 0);
        // Two more plies, and the deeper of the two ballots wins.
        let ballots = [ballot(1, 30, 10), ballot(2, 10, 4), ballot(2, 10, 7)];
        assert_eq!(winner(&ballots), 2);
        assert_eq!(vote(&ballots).weights, [Some(10), Some(11), Some(11)]);
    }

    #[test]
    fn a_higher_score_is_no_argument() {
        assert_eq!(winner(&[ballot(1, 0, 8), ballot(2, 300, 8)]), 0);
        assert_eq!(winner(&[ballot(1, 300, 7), ballot(2, 0, 8)]), 1);
    }

    #[test]
    fn who_does_not_vote_has_no_weight() {
        let ballots = [ballot(1, 20, 0), mate(1, Score::mated_in(4), 9), ballot(2, 0, 5)];
        assert_eq!(vote(&ballots).weights, [None, None, Some(5)]);
        assert_eq!(vote(&[mate(1, Score::mate_in(3), 5), ballot(2, 0, 5)]).weights, [None, None]);
    }

    #[test]
    fn the_shortest_mate_wins_against_any_majority() {
        let ballots = [
            ballot(1, 900, 30),
            mate(2, Score::mate_in(9), 20),
            mate(3, Score::mate_in(5), 8),
            mate(2, Score::mate_in(9), 22),
        ];
        assert_eq!(winner(&ballots), 2);
    }

    #[test]
    fn a_mate_beats_a_tablebase_win() {
        let ballots = [mate(1, Score::TABLEBASE_WIN, 30), mate(2, Score::mate_in(31), 12)];
        assert_eq!(winner(&ballots), 1);
    }

    #[test]
    fn a_proved_loss_is_avoided_while_there_is_hope() {
        let ballots =
            [mate(1, Score::mated_in(4), 30), mate(1, Score::mated_in(6), 30), ballot(2, -900, 5)];
        assert_eq!(winner(&ballots), 2);
    }

    #[test]
    fn a_lost_game_is_lost_as_late_as_possible() {
        let ballots = [mate(1, Score::mated_in(4), 30), mate(2, Score::mated_in(8), 10)];
        assert_eq!(winner(&ballots), 1);
    }

    #[test]
    fn a_worker_without_an_iteration_has_no_say() {
        let ballots = [mate(1, Score::mate_in(1), 0), ballot(2, -300, 1)];
        assert_eq!(winner(&ballots), 1);
    }

    #[test]
    fn ties_go_to_the_deeper_and_then_to_the_lower_index() {
        assert_eq!(winner(&[ballot(1, 0, 7), ballot(2, 0, 7)]), 0);
        assert_eq!(winner(&[ballot(1, 0, 7), ballot(1, 0, 9)]), 1);
        let (shallow, deep) = (mate(1, Score::mate_in(3), 7), mate(2, Score::mate_in(3), 9));
        assert_eq!(winner(&[shallow, deep, deep]), 1);
    }

    prop_compose! {
        fn any_ballot()(
            choice in 0_u8..4,
            score in prop_oneof![
                6 => -300..=300,
                1 => Score::MAX_EVAL.get() + 1..=Score::MATE.get(),
                1 => -Score::MATE.get()..=-Score::MAX_EVAL.get() - 1,
            ],
            depth in 0..30,
        ) -> Ballot<u8> {
            ballot(choice, score, depth)
        }
    }

    /// Ballots, and the same ballots in another order.
    fn shuffled() -> impl Strategy<Value = (Vec<Ballot<u8>>, Vec<Ballot<u8>>)> {
        prop::collection::vec(any_ballot(), 1..9)
            .prop_flat_map(|ballots| (Just(ballots.clone()), Just(ballots).prop_shuffle()))
    }

    /// The total weight of a choice, computed from the documentation.
    fn weight_of(ballots: &[Ballot<u8>], choice: u8) -> i64 {
        let voters = || ballots.iter().filter(|b| b.depth > 0 && !b.score.is_loss());
        voters().filter(|b| b.choice == choice).map(|b| i64::from(b.depth)).sum()
    }

    proptest! {
        #[test]
        fn the_order_of_the_ballots_decides_nothing_but_ties((a, b) in shuffled()) {
            let (a_wins, b_wins) = (a[winner(&a)], b[winner(&b)]);
            prop_assert_eq!(a_wins.depth, b_wins.depth);
            prop_assert_eq!(weight_of(&a, a_wins.choice), weight_of(&b, b_wins.choice));
        }

        #[test]
        fn the_rules_hold_for_any_ballots(ballots in prop::collection::vec(any_ballot(), 1..9)) {
            let counted_vote = vote(&ballots);
            let winner = ballots[counted_vote.winner];
            let counted: Vec<_> = ballots.iter().filter(|b| b.depth > 0).collect();
            prop_assert_eq!(winner.depth == 0, counted.is_empty());
            let best = counted.iter().map(|b| b.score).max();
            if best.is_some_and(|best| best.is_win() || best.is_loss()) {
                prop_assert_eq!(Some(winner.score), best);
            } else if best.is_some() {
                prop_assert!(!winner.score.is_loss());
                let heaviest = (0..4).map(|choice| weight_of(&ballots, choice)).max();
                prop_assert_eq!(Some(weight_of(&ballots, winner.choice)), heaviest);
                prop_assert_eq!(counted_vote.weights[counted_vote.winner], heaviest);
            }
        }
    }
}
