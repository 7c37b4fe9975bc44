//! The endgame tables as the inner nodes of a search probe them.

use super::{Probing, Ranking, Tablebases, TbResult};
use crate::position::Position;
use crate::score::Depth;

/// The tables and how one search probes them.
#[derive(Copy, Clone)]
pub struct Prober<'a> {
    tablebases: &'a Tablebases,
    probing: Probing,
    /// The most pieces that a position may have to be probed.
    max_pieces: usize,
}

impl<'a> Prober<'a> {
    /// `None` if there is nothing to probe, or if the ranking of the root's moves suffices.
    pub fn new(
        tablebases: &'a Tablebases,
        probing: Probing,
        ranking: Option<&Ranking>,
    ) -> Option<Self> {
        let max_pieces = tablebases.max_pieces().min(probing.limit);
        let is_wanted = max_pieces > 0 && !ranking.is_some_and(Ranking::suffices);
        is_wanted.then_some(Self { tablebases, probing, max_pieces })
    }

    /// How the tables are probed.
    pub fn probing(&self) -> Probing {
        self.probing
    }

    /// The result of `position`, at a node of `depth`, if the tables have it. Only after a capture
    /// or a pawn move: later, the fifty-move rule could change the result.
    pub fn probe(&self, position: &Position, depth: Depth) -> Option<TbResult> {
        let pieces = position.occupied().count();
        let is_probed = (pieces < self.max_pieces
            || pieces == self.max_pieces && depth >= self.probing.depth)
            && position.halfmove_clock() == 0
            && !position.has_castling_rights();
        if is_probed { self.tablebases.probe_wdl(position) } else { None }
    }
}
