//! Judges a game by the code of the annotator.

use std::time::{Duration, Instant};

use heddle::position::uci;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::time::limits::Limits;
use heddle_annotate as annotator;
use heddle_annotate::{Evaluation, Glyph, News, Searches, evaluate, pgn, verdict};

use crate::desk::{Client, Desk, Interruption};
use crate::games;
use crate::protocol::{Done, Judge, Reason, Refusal, Reply, Report, Side, Verdict};
use crate::rules;

impl Desk {
    /// Serves `judge`.
    ///
    /// # Errors
    /// A refusal.
    pub fn judge(
        &mut self,
        client: &Client,
        id: u64,
        judge: &Judge,
        start: Instant,
    ) -> Result<(), Refusal> {
        let mut game = games::of_record(id, &judge.record)?;
        self.resize(id, judge.size)?;
        let time = Duration::from_millis(judge.movetime.max(1));
        let limits = Limits { move_time: Some(time), ..Limits::default() };
        let positions = game.positions();
        let cancel = StopFlag::default();
        let mut reason = Reason::Complete;
        let queue = &mut self.queue;
        let searches = Searches { engine: &mut self.engine, limits: &limits, cancel: &cancel };
        let evaluations = evaluate(searches, &game, |news| {
            if let News::Found(ply, Evaluation { score, depth, .. }) = news {
                let score = rules::scored(*score, *depth, &positions[ply]);
                client.answer(&Reply::Judged { id, ply, score });
            }
            let inbox = Arc::clone(&queue.inbox);
            while !cancel.is_raised()
                && let Some(message) = inbox.receive(Some(Instant::now()))
            {
                if let Interruption::End(why) = queue.sort(message, client) {
                    reason = why;
                    cancel.raise();
                }
            }
        });
        if !cancel.is_raised() {
            let report = annotator::Report::new(&game, evaluations, &self.openings);
            annotator::annotate(&mut game, &report);
            client.answer(&Reply::Report(summary(id, &report, pgn(&game))));
        }
        let time = start.elapsed().as_millis() as u64;
        client.answer(&Reply::Done(Done { id, reason, best: None, time }));
        Ok(())
    }
}

fn summary(id: u64, report: &annotator::Report, pgn: String) -> Report {
    let side = |side: &annotator::Summary| Side {
        accuracy: side.accuracy,
        loss: side.centipawns,
        glyphs: side.glyphs,
        moves: side.moves,
    };
    let said = |ply: usize| Verdict {
        glyph: report.glyph(ply).map(Glyph::symbol),
        text: verdict(report, ply),
        best: report.best(ply).first().map(|&m| uci(m, report.positions[ply].is_chess960())),
    };
    let name = |opening: &annotator::Opening| format!("{} {}", opening.code, opening.name);
    Report {
        id,
        opening: report.opening.as_ref().map(name),
        sides: [side(&report.sides[0]), side(&report.sides[1])],
        moves: (0..report.losses.len()).map(said).collect(),
        pgn,
    }
}
