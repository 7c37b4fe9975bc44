//! Several evaluations as one: their mean.
//!
//! What they know is largely the same, and their errors are partly independent, so the mean knows
//! more than each. It is too slow to play with, but it judges, and it teaches. Source: L. Hansen
//! and P. Salamon, "Neural Network Ensembles", 1990; as teachers G. Hinton, O. Vinyals and J. Dean,
//! "Distilling the Knowledge in a Neural Network", 2015.

use std::collections::BTreeMap;

use heddle::eval;
use heddle::eval::nnue::eval_file::{EvalFile, EvalFileError};
use heddle::eval::nnue::network::Network;
use heddle::position::Position;
use heddle::score::Score;
use heddle::sync::Arc;

/// Stands between the names of a committee.
const AND: char = '+';

/// Evaluations whose mean counts: networks, or the classical one.
#[derive(Clone, Debug, Default)]
pub struct Committee(Vec<Member>);

/// One of them, `None` for the classical evaluation.
#[derive(Clone, Debug)]
struct Member {
    network: Option<Arc<Network>>,
    weight: i32,
}

impl Committee {
    /// The evaluations of these names: a file, `default` or `classical`. One named twice weighs
    /// twice.
    ///
    /// # Errors
    /// [`EvalFileError`] if a network cannot be loaded.
    pub fn load<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, EvalFileError> {
        let mut weights = BTreeMap::new();
        for name in names {
            *weights.entry(name).or_insert(0) += 1;
        }
        let member = |(name, weight)| Ok(Member { network: EvalFile::from(name).load()?, weight });
        weights.into_iter().map(member).collect::<Result<_, _>>().map(Self)
    }

    /// The committee that a user names, as `one.nnue+other.nnue`; one name is a committee of one.
    ///
    /// # Errors
    /// [`EvalFileError`] if a network cannot be loaded.
    pub fn named(text: &str) -> Result<Self, EvalFileError> {
        Self::load(text.split(AND))
    }

    /// The mean of their raw evaluations of a position that is not in check, for the side to move;
    /// 0 if there are none.
    #[must_use]
    pub fn evaluate(&self, position: &Position) -> Score {
        let (mut sum, mut weights) = (0, 0);
        for Member { network, weight } in &self.0 {
            sum += weight * eval::raw(network.as_deref(), position).get();
            weights += weight;
        }
        Score::new(sum / weights.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_committee_says_the_mean_and_one_named_twice_weighs_twice() {
        let position = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        let says = |text: &str| Committee::named(text).unwrap().evaluate(&position).get();
        let [network, classical] = ["default", "classical"].map(says);
        assert_ne!(network, classical);
        assert_eq!(says("default+classical+default"), (2 * network + classical) / 3);
        assert_ne!(says("default+classical"), says("default+classical+default"));
        assert_eq!(Committee::default().evaluate(&position).get(), 0);
    }

    #[test]
    fn a_committee_lacks_no_member() {
        assert!(Committee::named("default+no such file").is_err());
    }
}
