//! The positions of a search's tree, as its transposition table remembers them.
//!
//! A network is asked about these, not about the positions of games: with pieces hanging, after
//! sacrifices that refute nothing, in the middle of exchanges. One that learns from a teacher
//! learns most where it will be asked. Source: learning on the learner's own states, S. Ross, G.
//! Gordon and J. A. Bagnell, "A Reduction of Imitation Learning and Structured Prediction to
//! No-Regret Online Learning", 2011.

use std::collections::HashSet;

use heddle::position::Position;
use heddle::tt::Table;

/// The positions that a search from `root` has evaluated, each once: those that `table` has an
/// evaluation of and that moves lead to through positions it holds.
pub fn evaluated(table: &Table, root: &Position) -> Vec<Position> {
    let mut known = HashSet::from([root.key()]);
    let mut evaluated = Vec::new();
    let mut open = vec![(root.clone(), table.probe(root.key(), 0))];
    while let Some((position, entry)) = open.pop() {
        for m in position.legal_moves() {
            let key = position.key_after(m);
            if let Some(entry) = table.probe(key, 0)
                && known.insert(key)
            {
                open.push((position.play_with_key(m, key), Some(entry)));
            }
        }
        if entry.is_some_and(|entry| entry.eval.is_some()) {
            evaluated.push(position);
        }
    }
    evaluated
}

#[cfg(test)]
mod tests {
    use heddle::position::{Game, PackedMove};
    use heddle::score::Score;
    use heddle::smp::stop::StopFlag;
    use heddle::sync::Arc;
    use heddle::tt::Entry;

    use super::*;
    use crate::player::Player;

    fn entry(eval: Option<i32>) -> Entry {
        let eval = eval.map(Score::new);
        Entry { best: PackedMove::NONE, score: None, eval, depth: 1, was_pv: false }
    }

    #[test]
    fn evaluated_positions_are_found_through_others_and_each_once() {
        let table = Table::new(1).unwrap();
        let root = Position::default();
        let after = |moves: &str| {
            let play = |position: Position, m| position.play(position.parse_move(m).unwrap());
            moves.split(' ').fold(root.clone(), play)
        };
        let (through, twice) = (after("e2e4"), after("g1f3 g8f6"));
        table.store(root.key(), 0, entry(Some(10)));
        table.store(through.key(), 0, entry(None));
        for moves in ["e2e4 e7e5", "g1f3", "g1f3 g8f6", "e2e4 e7e5 g1f3", "d2d4 d7d5 c2c4"] {
            table.store(after(moves).key(), 0, entry(Some(0)));
        }
        let mut found: Vec<_> = evaluated(&table, &root).iter().map(Position::key).collect();
        found.sort_unstable();
        let wanted = ["e2e4 e7e5", "g1f3", "e2e4 e7e5 g1f3"].map(|moves| after(moves).key());
        let mut wanted = [&[root.key(), twice.key()][..], &wanted].concat();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "not what needs a position that the table lacks");
    }

    #[test]
    fn a_search_leaves_most_of_its_tree() {
        let stop = Arc::new(StopFlag::default());
        let mut player = Player::new(1, None, &stop).unwrap();
        let game = Game::new(Position::default());
        player.search(&game, 2000).unwrap();
        let found = evaluated(player.table(), game.position()).len();
        assert!((500..=16_000).contains(&found), "{found}");
    }
}
