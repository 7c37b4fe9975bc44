//! The semi-PV.
//!
//! Text: F. Letouzey, "calculating the PV using MTD", Computer Chess Club, 11 September 2002.
//!
//! A semi-PV is the line that leads to the value of a search, even if that value is only a bound. A
//! fail-soft search maintains it at no cost: the line changes whenever the best value does. For the
//! first player, every position on the line of a fail-high is worth at least the returned value,
//! and every position on the line of a fail-low at most.

/// A sequence of moves from a node on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemiPv<M>(Vec<M>);

impl<M> Default for SemiPv<M> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<M: Copy + PartialEq> SemiPv<M> {
    /// The line with `m` played first. Moves are stored in reverse, so this is a push.
    #[must_use]
    pub fn after(mut self, m: M) -> Self {
        self.0.push(m);
        self
    }

    /// The first move.
    pub fn first(&self) -> Option<M> {
        self.0.last().copied()
    }

    /// The moves in playing order.
    pub fn moves(&self) -> impl Iterator<Item = M> + '_ {
        self.0.iter().rev().copied()
    }

    /// The number of moves.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the line has no moves.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The PV of a node whose value was bounded from below by a search that failed high along `high`,
/// and from above by one that failed low along `low`.
///
/// As far as the lines agree, every position is worth at least and at most the value, hence exactly
/// that. One move more is proved: if the first player is to move, the fail-high's, because each of
/// that player's moves on it keeps the value; otherwise the fail-low's. There the PV ends, because
/// nothing is known about the reply. A line can be short where a cutoff from the transposition
/// table or a draw ended it.
pub fn compose<M: Copy + PartialEq>(high: &SemiPv<M>, low: &SemiPv<M>) -> SemiPv<M> {
    let agreed = high.moves().zip(low.moves()).take_while(|(h, l)| h == l).count();
    let prover = if agreed.is_multiple_of(2) { high } else { low };
    let mut moves: Vec<M> = prover.moves().take(agreed + 1).collect();
    moves.reverse();
    SemiPv(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line<'a>(text: &'a str) -> SemiPv<&'a str> {
        text.split_whitespace().rev().fold(SemiPv::default(), |l: SemiPv<&'a str>, m| l.after(m))
    }

    #[test]
    fn letouzeys_example() {
        let pv = compose(&line("e4 e5 Nf3 Nc6"), &line("e4 e5 Bc4 Nf6"));
        assert_eq!(pv, line("e4 e5 Nf3"));
    }

    #[test]
    fn the_opponents_move_comes_from_the_fail_low() {
        assert_eq!(compose(&line("e4 e5 Nf3"), &line("e4 c5 Nc3")), line("e4 c5"));
        assert_eq!(compose(&line("e4"), &line("d4 d5")), line("e4"));
    }

    #[test]
    fn a_line_that_ends_early_proves_nothing_beyond() {
        assert_eq!(compose(&line("e4 e5"), &line("e4 e5 Nf3")), line("e4 e5"));
        assert_eq!(compose(&line("e4 e5 Nf3"), &line("e4 e5")), line("e4 e5 Nf3"));
        assert_eq!(compose(&line("e4 e5"), &line("e4 e5")), line("e4 e5"));
    }
}
