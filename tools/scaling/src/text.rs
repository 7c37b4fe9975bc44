//! The figures as text in columns, for the terminal and for the page.

use crate::equal::Equality;
use crate::forecast::Forecast;
use crate::measure::TimeUnit;
use crate::report::Report;
use crate::stats::Estimate;
use crate::summary::{Row, speed_is_measured};

/// Shown for a parameter that the measurements do not determine.
const UNKNOWN: &str = "cannot be determined";

/// Figures in columns, with a heading and a legend.
pub struct Listing {
    /// The heading.
    pub title: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
    /// What the columns mean.
    pub legend: String,
}

/// The conditions, each with its name.
#[must_use]
pub fn conditions(report: &Report) -> Vec<(&'static str, String)> {
    let conditions = &report.conditions;
    let state = if report.partial { "PARTIAL" } else { "complete" };
    vec![
        ("Suite", format!("{}, {} positions", conditions.suite, report.positions)),
        (
            "Searches",
            format!(
                "{} of {} ({state}); depth {}, {} per configuration and position, {} MiB, an empty table each",
                report.runs, report.planned, report.depth, report.repeats, conditions.hash
            ),
        ),
        ("Evaluation", conditions.evaluation.clone()),
        ("Machine", conditions.machine.describe()),
        ("Build", conditions.build.clone()),
    ]
}

/// A listing for everything that has figures.
#[must_use]
pub fn listings(report: &Report) -> Vec<Listing> {
    let mut listings = Vec::new();
    if !report.rows.is_empty() {
        listings.extend([speed(report), work(report)]);
        listings.extend(sharing(report));
        listings.extend(policies(report));
    }
    listings.extend(equal_strength(report));
    if !report.forecasts.is_empty() {
        listings.extend([law(report), predictions(report)]);
    }
    listings
}

/// The whole report as text.
#[must_use]
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    for (name, value) in conditions(report) {
        text += &format!("{name}: {value}\n");
    }
    for note in &report.notes {
        text += &format!("Note: {note}\n");
    }
    for listing in listings(report) {
        text += &format!("\n{}\n{}{}\n", listing.title, aligned(&listing), listing.legend);
    }
    text
}

/// The rows as lines, columns aligned on the right.
fn aligned(listing: &Listing) -> String {
    let lines = || std::iter::once(&listing.header).chain(&listing.rows);
    let width = |column: usize| lines().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..listing.header.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        cells.join("  ") + "\n"
    };
    lines().map(line).collect()
}

fn header<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

/// An estimate to two decimals, its interval in brackets.
fn interval(estimate: Estimate) -> String {
    let Estimate { value, low, high } = estimate;
    format!("{value:.2} [{low:.2}, {high:.2}]")
}

/// The policy's name; with one thread there is none.
fn policy(row: &Row) -> String {
    if row.threads == 1 { "-".to_owned() } else { row.policy.to_string() }
}

fn speed(report: &Report) -> Listing {
    let (unit, word) = (report.conditions.time_unit.name(), report.conditions.time_unit.word());
    let cells = |row: &Row| {
        vec![
            row.threads.to_string(),
            policy(row),
            format!("{:.0}", row.nps),
            interval(row.nps_ratio),
            format!("{:.4}", row.time),
            interval(row.speed_up),
            interval(row.efficiency),
        ]
    };
    let rate = if shows_speed(report) { "nodes/s" } else { "nodes/time" };
    let names = ["threads", "policy", rate, "nps ratio", "time", "speed-up", "efficiency"];
    Listing {
        title: format!("Speed ({word})"),
        header: header(names),
        rows: report.rows.iter().map(cells).collect(),
        legend: format!(
            "time: to depth, in {unit}, a mean; ratios: to one thread, geometric means over the \
             positions, with bootstrapped 95 % intervals; efficiency: speed-up per thread."
        ),
    }
}

fn work(report: &Report) -> Listing {
    let word = report.conditions.time_unit.word();
    let cells = |row: &Row| {
        vec![
            row.threads.to_string(),
            policy(row),
            interval(row.node_overhead),
            format!("{:.2}", row.nps_ratio.value),
            format!("{:.1}", row.hashfull),
            format!("{:.0} %", 100.0 * row.agreement),
            row.positions.to_string(),
        ]
    };
    let names =
        ["threads", "policy", "node overhead", "nps ratio", "hashfull", "same move", "positions"];
    Listing {
        title: format!("Work ({word})"),
        header: header(names),
        rows: report.rows.iter().map(cells).collect(),
        legend: "node overhead: nodes over those on one thread; hashfull: per mille; same move: searches \
                 that chose the move of one thread."
            .into(),
    }
}

/// How often workers hit each other's entries in the transposition table, if counted.
fn sharing(report: &Report) -> Option<Listing> {
    let cells = |row: &Row| {
        let hits = row.hits?;
        let percent = |share: f64| format!("{share:.2} %");
        let of_hits = percent(100.0 * hits.foreign / hits.all.max(f64::MIN_POSITIVE));
        let (all, foreign) = (percent(hits.all), percent(hits.foreign));
        Some(vec![row.threads.to_string(), policy(row), all, foreign, of_hits])
    };
    let rows: Vec<_> = report.rows.iter().filter_map(cells).collect();
    let names = ["threads", "policy", "hits", "another worker's", "of the hits"];
    (!rows.is_empty()).then(|| Listing {
        title: format!("Probes of the table ({})", report.conditions.time_unit.word()),
        header: header(names),
        rows,
        legend: format!(
            "hits: probes that found an entry; another worker's: one that another worker had written \
             last; of the hits: the one over the other{}.",
            match report.conditions.time_unit {
                TimeUnit::Wall => "; counted in a second search of each run, which is not timed",
                TimeUnit::Virtual => "",
            }
        ),
    })
}

/// The speed-ups with one column per policy, if there are several.
fn policies(report: &Report) -> Option<Listing> {
    let together = || report.rows.iter().filter(|row| row.threads > 1);
    let policies = report.policies();
    let mut threads: Vec<usize> = together().map(|row| row.threads).collect();
    threads.dedup();
    if policies.len() < 2 {
        return None;
    }
    let cell = |threads, policy| {
        let row = together().find(|row| row.threads == threads && row.policy == policy);
        row.map_or_else(|| "-".to_owned(), |row| interval(row.speed_up))
    };
    let cells = |&threads: &usize| {
        let number = std::iter::once(threads.to_string());
        number.chain(policies.iter().map(|&policy| cell(threads, policy))).collect()
    };
    let first = std::iter::once("threads".to_owned());
    Some(Listing {
        title: format!("Policies ({})", report.conditions.time_unit.word()),
        header: first.chain(policies.iter().map(ToString::to_string)).collect(),
        rows: threads.iter().map(cells).collect(),
        legend:
            "speed-up in time to depth over one thread, of each stagger policy with a private or a \
                 shared correction history."
                .into(),
    })
}

/// The strength of several threads in games, if any were played.
fn equal_strength(report: &Report) -> Option<Listing> {
    let first = report.equalities.first()?;
    let estimate = |found: Option<Estimate>| found.map_or_else(|| UNKNOWN.to_owned(), interval);
    let cells = |equality: &Equality| {
        let scores = equality
            .trials
            .iter()
            .map(|trial| format!("{:.1}x: {:.1} %", trial.multiple, 100.0 * trial.score()));
        vec![
            equality.threads.to_string(),
            equality.games().to_string(),
            estimate(equality.multiple),
            estimate(equality.efficiency),
            scores.collect::<Vec<_>>().join(", "),
        ]
    };
    Some(Listing {
        title: "Equal strength (simulated)".into(),
        header: header([
            "threads",
            "games",
            "nodes of one",
            "efficiency",
            "points by nodes of one",
        ]),
        rows: report.equalities.iter().map(cells).collect(),
        legend: format!(
            "nodes of one: the multiple of {} nodes a move with which one thread is as strong as these \
             threads of {} nodes each, with bootstrapped 95 % intervals; efficiency: that per thread; \
             points: of the threads against one with so many times the nodes.",
            first.nodes, first.nodes
        ),
    })
}

fn law(report: &Report) -> Listing {
    let list = |threads: &[usize]| {
        let words: Vec<String> = threads.iter().map(ToString::to_string).collect();
        if words.is_empty() { "-".to_owned() } else { words.join(" ") }
    };
    let precise = |Estimate { value, low, high }| format!("{value:.4} [{low:.4}, {high:.4}]");
    let cells = |forecast: &Forecast| {
        vec![
            forecast.policy.to_string(),
            list(&forecast.fitted),
            list(&forecast.left_out),
            precise(forecast.sigma),
            forecast.kappa.map_or_else(|| UNKNOWN.to_owned(), precise),
            forecast.peak.map_or_else(
                || if forecast.kappa.is_some() { "none" } else { UNKNOWN }.to_owned(),
                |peak| format!("{:.1}x at {:.0}", peak.nps_ratio, peak.threads),
            ),
            forecast
                .peak
                .map_or_else(|| "-".to_owned(), |peak| format!("{:.0} %", 100.0 * peak.support)),
        ]
    };
    let names = ["policy", "fitted to", "left out", "sigma", "kappa", "peak", "support"];
    Listing {
        title: "Universal Scalability Law (fitted to the measured nps ratios)".into(),
        header: header(names),
        rows: report.forecasts.iter().map(cells).collect(),
        legend:
            "C(N) = N / (1 + sigma (N - 1) + kappa N (N - 1)), 95 % intervals from refits to the \
                 resamples; fitted to, left out: threads; support: resamples whose law has a peak."
                .into(),
    }
}

fn predictions(report: &Report) -> Listing {
    let cells = |forecast: &Forecast| {
        let cell = |p: &super::forecast::Prediction| interval(p.nps_ratio);
        let name = std::iter::once(forecast.policy.to_string());
        name.chain(forecast.predictions.iter().map(cell)).collect()
    };
    // Which numbers are beyond the measured ones is the same for all policies, unless interrupted.
    let column = |index: usize| {
        let all: Vec<_> = report.forecasts.iter().map(|f| f.predictions[index]).collect();
        let beyond = all.iter().any(|prediction| prediction.extrapolated);
        format!("{} {}", all[0].threads, if beyond { "extrapolated" } else { "within" })
    };
    let count = report.forecasts[0].predictions.len();
    Listing {
        title: "Predicted nps ratio".into(),
        header: std::iter::once("policy".to_owned()).chain((0..count).map(column)).collect(),
        rows: report.forecasts.iter().map(cells).collect(),
        legend: format!(
            "by the fitted law, with 95 % intervals; measured up to {} threads, everything beyond is \
             extrapolated from nodes per second alone and is no time to depth.",
            report.forecasts.iter().map(Forecast::reach).max().unwrap_or(1)
        ),
    }
}

/// Whether the nodes per second deserve a figure.
#[must_use]
pub fn shows_speed(report: &Report) -> bool {
    speed_is_measured(report.conditions.time_unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{ALL_RUNS, report};

    #[test]
    fn the_text_says_what_is_measured_and_what_is_not() {
        let text = text(&report(ALL_RUNS));
        for part in [
            "three & more, 3 positions",
            "30 of 30 (complete)",
            "Speed (measured)",
            "Probes of the table (measured)",
            "25.00 %            3.75 %      15.00 %",
            "Policies (measured)",
            "1.41 [1.41, 1.41]",
            "256 extrapolated",
            "measured up to 4 threads",
            "2.0x: 75.0 %, 4.0x: 25.0 %",
            "2.83 [2.83, 2.83]",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn rows_of_a_table_have_the_cells_of_its_header() {
        for runs in [0, 1, 2, 5, ALL_RUNS] {
            for listing in listings(&report(runs)) {
                let columns = listing.header.len();
                assert!(listing.rows.iter().all(|row| row.len() == columns), "{}", listing.title);
            }
        }
        assert!(text(&report(3)).contains("PARTIAL"));
    }

    #[test]
    fn columns_are_in_line() {
        let cells = |row: [&str; 2]| row.map(str::to_owned).to_vec();
        let rows = vec![cells(["1", "longer"])];
        let listing =
            Listing { title: "".into(), header: header(["threads", "x"]), rows, legend: "".into() };
        assert_eq!(aligned(&listing), "threads       x\n      1  longer\n");
    }
}
