//! The semi-PV.
//!
//! Text: F. Letouzey, "calculating the PV using MTD", Computer Chess Club, 11 September 2002.
//!
//! A semi-PV is the line that leads to the value of a search, even if that value is a bound. A
//! fail-soft search carries it for nothing: the line changes wherever the best value does. Every
//! position on the line of a fail-high has at least the returned value for the first player, every
//! position on the line of a fail-low at most.

/// The moves from a node on, the first one to be played next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<M>(Vec<M>);

impl<M> Default for Line<M> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<M: Copy + PartialEq> Line<M> {
    /// The line with `m` played before it. The moves are stored last first, so this is a push.
    #[must_use]
    pub fn after(mut self, m: M) -> Self {
        self.0.push(m);
        self
    }

    /// The first move.
    #[must_use]
    pub fn first(&self) -> Option<M> {
        self.0.last().copied()
    }

    /// The moves in the order they are played.
    pub fn moves(&self) -> impl Iterator<Item = M> + '_ {
        self.0.iter().rev().copied()
    }

    /// How many moves there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// There is no move.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The PV of a node whose value was proved from below by a search that failed high along `high`,
/// and from above by one that failed low along `low`.
///
/// As far as both agree, every position has at least and at most the value. After that, one move
/// more is proved: the fail-high's if the first player is to move, since all of that player's
/// moves on it are good enough, and else the fail-low's. There the PV is cut off, for nothing is
/// known of the reply. A line may be short, where a table or a rule ended it.
#[must_use]
pub fn compose<M: Copy + PartialEq>(high: &Line<M>, low: &Line<M>) -> Line<M> {
    let agreed = high.moves().zip(low.moves()).take_while(|(h, l)| h == l).count();
    let prover = if agreed.is_multiple_of(2) { high } else { low };
    let mut moves: Vec<M> = prover.moves().take(agreed + 1).collect();
    moves.reverse();
    Line(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line<'a>(text: &'a str) -> Line<&'a str> {
        text.split_whitespace().rev().fold(Line::default(), |l: Line<&'a str>, m| l.after(m))
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
