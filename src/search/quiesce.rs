//! Quiescence: captures and queen promotions are searched until the position is quiet enough to be
//! evaluated; in check, every evasion is.
//!
//! Source: P. Verhelst, "Chess Tree Search", 1997; stand pat, delta and SEE pruning as in the Chess
//! Programming Wiki.

use crate::eval;
use crate::position::{Move, PackedMove, Position};
use crate::score::Score;
use crate::tt::{Bound, Entry};

use super::history::Continuation;
use super::mode::Mode;
use super::node::{answers, better_bound, no_moves};
use super::picker::{Picker, SPECIALS, Wanted};
use super::window::Window;
use super::worker::Search;
use super::{Searched, params, see};

impl<M: Mode> Search<'_, M> {
    /// The static evaluation of the position at `ply`.
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        match &mut self.accumulators {
            Some(accumulators) => accumulators.evaluate(position, ply),
            None => eval::classical::evaluate(position),
        }
    }

    /// The value of `position` once it is quiet.
    pub fn quiesce<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut window: Window,
    ) -> Searched {
        self.enter(ply)?;
        self.stack.at_mut(ply).pv.clear();
        if self.drawn(position) {
            return Ok(Score::DRAW);
        }
        if Self::too_deep(ply) {
            return Ok(self.evaluate(position, ply));
        }
        let alpha = window.alpha;
        let entry = self.probe(position, ply);
        if !PV
            && let Some((score, bound)) = entry.and_then(|entry| entry.score)
            && answers(score, bound, window)
        {
            return Ok(score);
        }
        let in_check = position.is_check();
        let raw = (!in_check)
            .then(|| entry.and_then(|e| e.eval).unwrap_or_else(|| self.evaluate(position, ply)));
        let mut best =
            raw.map_or(-Score::INFINITE, |raw| self.stand_pat(position, ply, raw, entry));
        if best >= window.beta {
            if entry.is_none() {
                self.remember(position, ply, raw, None, (best, Bound::Lower), PV);
            }
            return Ok(best);
        }
        window.alpha = window.alpha.max(best);
        let futility = best + params::DELTA_MARGIN.get();
        let wanted = if in_check { Wanted::All } else { Wanted::GoodTactical };
        let table = entry
            .and_then(|entry| self.table_move(position, entry))
            .filter(|m| in_check || crate::position::is_tactical(*m));
        let continuation = Continuation::at(&self.stack, ply);
        let mut picker = Picker::new(wanted, table, [None; SPECIALS], continuation);
        let mut best_move = None;
        let mut number = 0;
        while let Some(picked) = picker.next(position, self.history) {
            let m = picked.m;
            number += 1;
            if !in_check && let Some(score) = delta(position, m, futility, window) {
                best = best.max(score);
                continue;
            }
            if in_check && !best.is_loss() && !m.is_capture() {
                // Once one evasion holds, only captures are worth a look.
                continue;
            }
            let child = position.play(m);
            self.shared.table.prefetch(child.key());
            self.push(position, ply, Some(m));
            let searched = self.quiesce::<PV>(&child, ply + 1, -window);
            self.pop();
            let score = -searched?;
            if score > best {
                best = score;
                if score > window.alpha {
                    best_move = Some(m);
                    if PV {
                        self.stack.raise_pv(ply, m);
                    }
                    if score >= window.beta {
                        break;
                    }
                    window.alpha = score;
                }
            }
        }
        if in_check && number == 0 {
            return Ok(no_moves(position, ply));
        }
        let bound = if best >= window.beta {
            Bound::Lower
        } else if PV && best > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let was_pv = PV || entry.is_some_and(|entry| entry.was_pv);
        self.remember(position, ply, raw, best_move, (best, bound), was_pv);
        Ok(best)
    }

    /// What not capturing at all is worth: the corrected evaluation, or the table's better bound.
    fn stand_pat(
        &self,
        position: &Position,
        ply: usize,
        raw: Score,
        entry: Option<Entry>,
    ) -> Score {
        let eval = self.correction.apply(self.correction_keys(position, ply), raw);
        match entry.and_then(|entry| entry.score) {
            Some((score, bound)) if better_bound(eval, score, bound) && !score.is_decisive() => {
                score
            }
            _ => eval,
        }
    }

    fn remember(
        &self,
        position: &Position,
        ply: usize,
        eval: Option<Score>,
        best: Option<Move>,
        score: (Score, Bound),
        was_pv: bool,
    ) {
        let best = best.map_or(PackedMove::NONE, PackedMove::pack);
        let entry = Entry { best, score: Some(score), eval, depth: 0, was_pv };
        self.record(position, ply, entry);
    }
}

/// Delta pruning: a capture that cannot lift the evaluation to alpha is left out, at the score it
/// could reach.
fn delta(position: &Position, m: Move, futility: Score, window: Window) -> Option<Score> {
    if m.is_promotion() || window.alpha.is_loss() {
        return None;
    }
    let hoped = futility + see::gain(m);
    if hoped <= window.alpha {
        return Some(hoped);
    }
    (futility <= window.alpha && !see::wins(position, m, 1)).then_some(futility)
}
