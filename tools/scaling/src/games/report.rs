//! The result of a match, as data and as a document.

use std::io;

use heddle::text::show::grouped;
use heddle_figures::COLORS;
use heddle_selfplay::Score;
use serde::Serialize;

use crate::document::Document;
use crate::machine::Machine;
use crate::origin::Origin;
use crate::plot::{Figure, Scale, Series, draw};
use crate::serial;
use crate::stats::Estimate;
use crate::tables::{TIMES, interval, percent};
use heddle_figures::listing::{Column, Listing};

use super::contest::Played;
use super::course;
use super::equal::Equality;
use super::factorial::{Effect, Factor};
use super::sprt::{Sprt, Verdict};

/// Shown for a parameter that the games do not determine.
const UNKNOWN: &str = "cannot be determined";

/// One side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Its name.
    pub name: String,
    /// Its command, as a shell takes it.
    pub command: String,
    /// Its UCI options with their values.
    pub options: Vec<(String, String)>,
}

/// The conditions of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conditions {
    /// Both sides.
    pub sides: [Side; 2],
    /// What both may spend.
    pub limit: String,
    /// Where the openings are from.
    pub openings: String,
    /// Size of the tables in MiB, unless an engine's options say otherwise.
    pub hash: usize,
    /// The commit, the command and the date.
    pub origin: Origin,
    /// The machine.
    pub machine: Machine,
    /// Games at the same time.
    pub concurrency: usize,
    /// Seed of the openings and the bootstrap.
    pub seed: u64,
}

/// The score of the first side against the second, both given the same.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Level {
    /// Games won, drawn and lost.
    pub games: [u64; 3],
    /// Pairs that brought 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
    /// The share of the points, 0 to 1; `None` without games.
    pub points: Option<f64>,
    /// The difference in Elo, with its 95 % interval, if the games determine it.
    pub elo: Option<Estimate>,
    /// The likelihood of superiority, 0 to 1, if the games determine it.
    pub los: Option<f64>,
    /// The test of two hypotheses.
    pub sprt: Option<Tested>,
}

/// The outcome of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tested {
    /// The hypotheses.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// The logarithm of the likelihood ratio.
    pub ratio: f64,
    /// What the games say.
    pub verdict: Verdict,
}

impl Level {
    /// What a score says. A test goes by the score that decided it, which more games may have
    /// followed.
    pub fn new(score: &Score, sprt: Option<(Sprt, Score)>) -> Self {
        let elo = score.elo().map(|(value, half)| Estimate {
            value,
            low: value - half,
            high: value + half,
        });
        let tested = |(sprt, score): (Sprt, Score)| Tested {
            sprt,
            ratio: sprt.ratio(&score),
            verdict: sprt.verdict(&score),
        };
        Self {
            games: score.games,
            pairs: score.pairs,
            points: (score.played() > 0).then(|| score.mean().0),
            elo,
            los: score.superiority(),
            sprt: sprt.map(tested),
        }
    }
}

/// A pair of games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// Number of threads of the first side.
    threads: usize,
    /// Nodes of each per move; 0 under a clock.
    nodes: u64,
    /// What the second side got relative to each.
    multiple: f64,
    /// The opening's number.
    opening: u64,
    /// Points of the first side with White.
    white: f64,
    /// Points of the first side with Black.
    black: f64,
}

impl From<&Played> for Record {
    fn from(played: &Played) -> Self {
        let [white, black] = played.games;
        let (odds, opening) = (played.pair.odds, played.pair.opening);
        let (threads, nodes, multiple) = (odds.threads, odds.nodes, odds.multiple);
        Self { threads, nodes, multiple, opening, white, black }
    }
}

/// A match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The conditions.
    pub conditions: Conditions,
    /// Games planned; a test may need fewer.
    pub planned: usize,
    /// Whether it was interrupted.
    pub partial: bool,
    /// Caveats a reader must know before trusting the figures.
    pub notes: Vec<String>,
    /// What the test says, as a sentence.
    pub verdict: Vec<String>,
    /// The score, unless multiples were played.
    pub level: Option<Level>,
    /// What the options that were varied are worth.
    pub effects: Vec<Effect>,
    /// The multiples at which both sides are equally strong, if these were played.
    pub equalities: Vec<Equality>,
    /// The pairs of games.
    pub pairs: Vec<Record>,
}

impl Report {
    fn names(&self) -> [&str; 2] {
        self.conditions.sides.each_ref().map(|side| side.name.as_str())
    }

    /// The score as a table.
    fn score(&self) -> Option<Listing> {
        let level = self.level.as_ref().filter(|_| !self.pairs.is_empty())?;
        let unknown = || UNKNOWN.to_owned();
        let mut cells = vec![self.names()[0].to_owned()];
        cells.push(level.elo.map_or_else(unknown, elo));
        for share in [level.los, level.points] {
            cells.push(share.map_or_else(unknown, |share| format!("{:.1}", 100.0 * share)));
        }
        cells.push((2 * self.pairs.len()).to_string());
        cells.extend(level.games.map(|games| games.to_string()));
        cells.push(format!("{:.0}", 100.0 * level.games[1] as f64 / (2 * self.pairs.len()) as f64));
        cells.push(level.pairs.map(|pairs| pairs.to_string()).join(" "));
        Some(Listing {
            title: format!("Score against {}", self.names()[1]),
            columns: vec![
                Column::new("engine", "", ""),
                Column::new("Elo", "", "difference, with its 95 % interval over pairs of games"),
                Column::new("LOS", "%", "likelihood that the engine is the stronger one"),
                Column::new("points", "%", ""),
                Column::new("games", "", ""),
                Column::new("won", "", ""),
                Column::new("drawn", "", ""),
                Column::new("lost", "", ""),
                Column::new("draws", "%", "share of the games that were drawn"),
                Column::new("pairs", "", "that brought 0, ½, 1, 1½ and 2 points"),
            ],
            rows: vec![cells],
            legend: String::new(),
        })
    }

    /// What the options are worth as a table.
    fn worth(&self) -> Option<Listing> {
        let cells = |effect: &Effect| {
            let Factor { option, values: [first, second] } = &effect.factor;
            let worth = effect.elo.map_or_else(|| UNKNOWN.to_owned(), elo);
            vec![option.clone(), first.clone(), second.clone(), worth]
        };
        let rows: Vec<_> = self.effects.iter().map(cells).collect();
        (!rows.is_empty()).then(|| Listing {
            title: "Options".into(),
            columns: vec![
                Column::new("option", "", ""),
                Column::new("first", "", ""),
                Column::new("second", "", ""),
                Column::new("worth", "Elo", "of the second value against the first"),
            ],
            rows,
            legend: format!(
                "For every pair a coin gave either value to one side. Least squares over {} pairs, with 95 % \
                 intervals.",
                self.pairs.len()
            ),
        })
    }

    /// The multiples of equal strength as a table.
    fn strength(&self) -> Option<Listing> {
        let first = self.equalities.first()?;
        let [one, other] = self.names();
        let has_threads = self.has_threads();
        let cells = |equality: &Equality| {
            let scores = equality
                .trials
                .iter()
                .map(|trial| format!("{:.1}×: {:.1}", trial.multiple, 100.0 * trial.score()));
            let unknown = || UNKNOWN.to_owned();
            let mut cells = if has_threads { vec![equality.threads.to_string()] } else { vec![] };
            cells.push(grouped(equality.games() as u64));
            cells.push(equality.multiple.map_or_else(unknown, interval));
            if has_threads {
                cells.push(equality.efficiency.map_or_else(unknown, percent));
            }
            cells.push(scores.collect::<Vec<_>>().join(", "));
            cells
        };
        let spent = if first.nodes > 0 {
            format!("{} nodes per move", grouped(first.nodes))
        } else {
            "the time".to_owned()
        };
        let each = if has_threads && first.nodes > 0 { ", on each of these threads" } else { "" };
        let mut columns = vec![
            Column::new("games", "", ""),
            Column::new(
                "multiple",
                TIMES,
                format!(
                    "k at which {other} with k × {spent} is as strong as {one} with {spent}{each}"
                ),
            ),
            Column::new("points", "%", format!("of {one}, against {other} with each multiple")),
        ];
        if has_threads {
            columns.insert(0, Column::new("threads", "", ""));
            columns.insert(3, Column::new("efficiency", "%", "multiple per thread"));
        }
        Some(Listing {
            title: "Equal strength".into(),
            columns,
            rows: self.equalities.iter().map(cells).collect(),
            legend: "Assumes the same Elo per doubling in every row. Brackets hold 95 % intervals \
                     (bootstrap over pairs of games)."
                .into(),
        })
    }

    /// Whether several threads were played.
    fn has_threads(&self) -> bool {
        self.equalities.iter().any(|equality| equality.threads > 1)
    }

    /// The multiples of several threads, if games have determined any.
    fn multiples(&self) -> Option<Series> {
        let first = self.equalities.first().filter(|_| self.has_threads())?;
        let found = self.equalities.iter().filter(|equality| equality.threads > 1);
        let found = found.filter_map(|e| Some((e.threads as f64, e.multiple?)));
        let mut found = found.peekable();
        found.peek()?;
        // One thread is as strong as itself.
        let points = std::iter::once((1.0, Estimate::exact(1.0))).chain(found).collect();
        let name = match first.nodes {
            0 => self.conditions.limit.clone(),
            nodes => format!("{} nodes per move", grouped(nodes)),
        };
        Some(Series { name, color: COLORS[0], points, joined: true, ..Series::default() })
    }
}

/// A difference in Elo, its interval in brackets.
fn elo(Estimate { value, low, high }: Estimate) -> String {
    format!("{value:+.1} [{low:+.1}, {high:+.1}]")
}

impl Document for Report {
    fn title(&self) -> String {
        self.names().join(" against ")
    }

    fn conditions(&self) -> Vec<(&'static str, String)> {
        let Conditions { sides, limit, openings, hash, origin, machine, concurrency, .. } =
            &self.conditions;
        let played = 2 * self.pairs.len();
        let state = if self.partial { "PARTIAL" } else { "complete" };
        let mut told: Vec<_> = sides
            .iter()
            .map(|Side { name, command, options }| {
                let options = options.iter().map(|(name, value)| format!(", {name} {value}"));
                ("Engine", format!("{name}: {command}{}", options.collect::<String>()))
            })
            .collect();
        told.extend([
            ("Games", format!("{} ({state}), {concurrency} at a time", grouped(played as u64))),
            ("Limit", format!("{limit}, {hash} MiB of table")),
            ("Openings", openings.clone()),
            ("Machine", machine.describe()),
            ("Commit", origin.commit.clone()),
            ("Command", origin.command.clone()),
            ("Date", origin.date.clone()),
        ]);
        told
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn advice_title(&self) -> &'static str {
        "Verdict"
    }

    fn advice(&self) -> &[String] {
        &self.verdict
    }

    fn listings(&self) -> Vec<Listing> {
        [self.score(), self.worth(), self.strength()].into_iter().flatten().collect()
    }

    fn figures(&self) -> Result<Vec<Figure>, String> {
        let Some(strength) = self.multiples() else {
            let Some(level) = &self.level else { return Ok(Vec::new()) };
            let pairs: Vec<_> = self.pairs.iter().map(|pair| [pair.white, pair.black]).collect();
            return course::figures(&pairs, level.sprt.as_ref().map(|tested| tested.sprt));
        };
        let svg = draw("nodes of one thread (×)", Scale::Ratio, &[strength])?;
        let caption = "Strength in games: what one thread that is equally strong gets, over what each thread \
                       gets, with 95 % intervals; grey is the ideal.";
        Ok(vec![Figure { caption: caption.into(), svg }])
    }

    fn json(&self, output: &mut Vec<u8>) -> io::Result<()> {
        serial::json(self, output)
    }

    fn csv(&self, output: &mut Vec<u8>) -> io::Result<()> {
        serial::csv(&self.pairs, output)
    }

    fn is_partial(&self) -> bool {
        self.partial
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_the_elo_stands_how_likely_superiority_is() {
        let score = Score { games: [40, 0, 20], pairs: [10, 0, 0, 0, 20] };
        let json = serde_json::to_value(Level::new(&score, None)).unwrap();
        let (elo, los) = (&json["elo"]["value"], &json["los"]);
        assert!((elo.as_f64().unwrap() - 120.4).abs() < 0.1, "{json}");
        assert!((los.as_f64().unwrap() - 0.9715).abs() < 1e-4, "{json}");
    }
}
