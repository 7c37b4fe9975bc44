//! The tables of a report.

use heddle::smp::recorder::Structure;
use heddle::text::show::grouped;

use crate::forecast::{Forecast, Prediction};
use crate::measure::TimeUnit;
use crate::report::Report;
use crate::stats::Estimate;
use crate::summary::{Row, speed_is_measured};
use heddle_figures::listing::{Column, Listing};

/// The unit of ratios.
pub const TIMES: &str = "×";
/// What brackets hold.
pub const INTERVALS: &str = "Ratios are to one thread, geometric means over the positions; brackets hold 95 % intervals (bootstrap).";

/// A table for everything that has figures.
pub fn listings(report: &Report) -> Vec<Listing> {
    let mut listings = Vec::new();
    if !report.rows.is_empty() {
        listings.extend([speed(report), work(report)]);
        listings.extend(sharing(report));
        listings.extend(misses(report));
        listings.extend(policies(report));
    }
    if !report.forecasts.is_empty() {
        listings.extend([law(report), predictions(report)]);
    }
    listings
}

/// Whether the nodes per second deserve a figure.
pub fn shows_speed(report: &Report) -> bool {
    speed_is_measured(report.conditions.time_unit)
}

/// An estimate to two decimals, its interval in brackets.
pub fn interval(Estimate { value, low, high }: Estimate) -> String {
    format!("{value:.2} [{low:.2}, {high:.2}]")
}

/// An estimate in per cent, its interval in brackets.
pub fn percent(Estimate { value, low, high }: Estimate) -> String {
    let [value, low, high] = [value, low, high].map(|share| 100.0 * share);
    format!("{value:.0} [{low:.0}, {high:.0}]")
}

/// The first columns of every table: what was searched with.
fn configuration() -> Vec<Column> {
    let policy = "which depths helpers skip / which histories are shared";
    vec![threads(), Column::new("policy", "", policy)]
}

fn threads() -> Column {
    Column::new("threads", "", "")
}

/// The cells below [`configuration`]; one thread has no policy.
fn configured(row: &Row) -> Vec<String> {
    let policy = row.policy.filter(|_| row.threads > 1);
    vec![row.threads.to_string(), policy.map_or_else(|| "-".to_owned(), |p| p.to_string())]
}

fn speed(report: &Report) -> Listing {
    let unit = report.conditions.time_unit;
    let is_measured = shows_speed(report);
    let cells = |row: &Row| {
        let mut cells = configured(row);
        if is_measured {
            cells.extend([grouped(row.nps.round() as u64), interval(row.nps_ratio)]);
        }
        cells.extend([time(unit, row.time), interval(row.speed_up), percent(row.efficiency)]);
        cells
    };
    let mut columns = configuration();
    if is_measured {
        columns.extend([
            Column::new("nps", "nodes/s", "nodes per second, of all threads together"),
            Column::new("nps ratio", TIMES, "nps over that of one thread"),
        ]);
    }
    columns.extend([
        Column::new(
            "time to depth",
            unit.name(),
            "mean time until the main thread completes the depth",
        ),
        Column::new("speed-up", TIMES, "time to depth of one thread over that of these threads"),
        Column::new("efficiency", "%", "speed-up per thread"),
    ]);
    Listing {
        title: format!("Speed ({})", unit.word()),
        columns,
        rows: report.rows.iter().map(cells).collect(),
        legend: INTERVALS.into(),
    }
}

/// A time in its unit: seconds to the millisecond, or whole thousands of nodes.
fn time(unit: TimeUnit, time: f64) -> String {
    match unit {
        TimeUnit::Wall => format!("{time:.3}"),
        TimeUnit::Virtual => grouped(time.round() as u64),
    }
}

fn work(report: &Report) -> Listing {
    let cells = |row: &Row| {
        let mut cells = configured(row);
        cells.extend([
            interval(row.node_overhead),
            format!("{:.1}", row.hashfull),
            format!("{:.0}", 100.0 * row.agreement),
            row.positions.to_string(),
        ]);
        cells
    };
    let mut columns = configuration();
    columns.extend([
        Column::new("node overhead", TIMES, "nodes to complete the depth over those of one thread"),
        Column::new("hashfull", "‰", "how full the table was at the end"),
        Column::new("same move", "%", "searches that chose the move of one thread"),
        Column::new("positions", "", "positions compared with one thread"),
    ]);
    Listing {
        title: format!("Work ({})", report.conditions.time_unit.word()),
        columns,
        rows: report.rows.iter().map(cells).collect(),
        legend: if shows_speed(report) { "Speed-up = nps ratio / node overhead." } else { "" }
            .into(),
    }
}

/// How often workers hit each other's entries in the transposition table, if counted.
fn sharing(report: &Report) -> Option<Listing> {
    let cells = |row: &Row| {
        let hits = row.hits?;
        let of_hits = 100.0 * hits.foreign / hits.all.max(f64::MIN_POSITIVE);
        let mut cells = configured(row);
        cells.extend([hits.all, hits.foreign, of_hits].map(|share| format!("{share:.1}")));
        Some(cells)
    };
    let rows: Vec<_> = report.rows.iter().filter_map(cells).collect();
    let mut columns = configuration();
    columns.extend([
        Column::new("hits", "% of probes", "probes of the table that found an entry"),
        Column::new(
            "of others",
            "% of probes",
            "hits on entries that another worker had written last",
        ),
        Column::new("share of others", "% of hits", "their share of all hits"),
    ]);
    (!rows.is_empty()).then(|| Listing {
        title: format!("Probes of the table ({})", report.conditions.time_unit.word()),
        columns,
        rows,
        legend: match report.conditions.time_unit {
            TimeUnit::Wall => "Counted in a second search of each run, which is not timed.".into(),
            TimeUnit::Virtual => String::new(),
        },
    })
}

/// The misses of simulated caches by structure, if counted.
fn misses(report: &Report) -> Option<Listing> {
    const UNIT: &str = "a node";
    let column = |structure: Structure| Column::new(structure.name(), UNIT, structure.meaning());
    let cells = |row: &Row| {
        let rates = row.misses.as_ref()?.columns().map(|rate| format!("{rate:.2}"));
        Some(configured(row).into_iter().chain(rates).collect())
    };
    let rows: Vec<_> = report.rows.iter().filter_map(cells).collect();
    let mut columns = configuration();
    columns.extend(Structure::ALL.map(column));
    columns.push(Column::new("all", UNIT, ""));
    (!rows.is_empty()).then(|| Listing {
        title: "Misses of simulated caches".into(),
        columns,
        rows,
        legend: "Reads, per node, of lines that another worker has written since this worker last had them. Every worker \
                 has a cache of its own, without limit."
            .into(),
    })
}

/// The speed-ups with one column per policy, if there are several.
fn policies(report: &Report) -> Option<Listing> {
    let together = || report.rows.iter().filter(|row| row.threads > 1);
    let policies = report.policies();
    let mut counts: Vec<usize> = together().map(|row| row.threads).collect();
    counts.dedup();
    if policies.len() < 2 {
        return None;
    }
    let cell = |threads, policy| {
        let row = together().find(|row| row.threads == threads && row.policy == Some(policy));
        row.map_or_else(|| "-".to_owned(), |row| interval(row.speed_up))
    };
    let cells = |&threads: &usize| {
        let number = std::iter::once(threads.to_string());
        number.chain(policies.iter().map(|&policy| cell(threads, policy))).collect()
    };
    let columns = policies.iter().map(|policy| Column::new(policy.to_string(), TIMES, ""));
    Some(Listing {
        title: format!("Policies ({})", report.conditions.time_unit.word()),
        columns: std::iter::once(threads()).chain(columns).collect(),
        rows: counts.iter().map(cells).collect(),
        legend: "Speed-up in time to depth, of each policy: stagger / shared histories.".into(),
    })
}

fn law(report: &Report) -> Listing {
    let list = |threads: &[usize]| {
        let words: Vec<String> = threads.iter().map(ToString::to_string).collect();
        if words.is_empty() { "-".to_owned() } else { words.join(" ") }
    };
    let precise = |Estimate { value, low, high }| format!("{value:.4} [{low:.4}, {high:.4}]");
    let cells = |forecast: &Forecast| {
        let peak = forecast.peak;
        vec![
            forecast.policy.to_string(),
            list(&forecast.fitted),
            list(&forecast.left_out),
            precise(forecast.sigma),
            precise(forecast.kappa),
            peak.map_or_else(
                || "none".into(),
                |p| format!("{:.1} at {:.0}", p.nps_ratio, p.threads),
            ),
            peak.map_or_else(|| "-".into(), |p| format!("{:.0}", 100.0 * p.support)),
        ]
    };
    Listing {
        title: "Universal Scalability Law (fitted to the measured nps ratios)".into(),
        columns: vec![
            Column::new("policy", "", ""),
            Column::new("fitted to", "threads", ""),
            Column::new("left out", "threads", "more than there are processors"),
            Column::new("sigma", "", "contention: the share of the work that has to wait its turn"),
            Column::new("kappa", "", "crosstalk: the cost of keeping each pair of threads in step"),
            Column::new("peak", "× at threads", "where more threads no longer help"),
            Column::new("support", "%", "resamples of the bootstrap whose law has a peak"),
        ],
        rows: report.forecasts.iter().map(cells).collect(),
        legend: "C(N) = N / (1 + sigma (N - 1) + kappa N (N - 1)), N. J. Gunther, 2007; 95 % intervals from \
                 refits to the resamples."
            .into(),
    }
}

fn predictions(report: &Report) -> Listing {
    let cells = |forecast: &Forecast| {
        let cell = |prediction: &Prediction| interval(prediction.nps_ratio);
        let name = std::iter::once(forecast.policy.to_string());
        name.chain(forecast.predictions.iter().map(cell)).collect()
    };
    // Which numbers are beyond the measured ones is the same for all policies, unless interrupted.
    let column = |index: usize| {
        let all: Vec<_> = report.forecasts.iter().map(|f| f.predictions[index]).collect();
        let beyond = all.iter().any(|prediction| prediction.extrapolated);
        let unit = if beyond { "×, extrapolated" } else { TIMES };
        Column::new(format!("{} threads", all[0].threads), unit, "")
    };
    let count = report.forecasts[0].predictions.len();
    Listing {
        title: "Predicted nps ratio".into(),
        columns: std::iter::once(Column::new("policy", "", ""))
            .chain((0..count).map(column))
            .collect(),
        rows: report.forecasts.iter().map(cells).collect(),
        legend: format!(
            "By the fitted law, with 95 % intervals; measured up to {} threads, everything beyond is \
             extrapolated from nodes per second alone and is no time to depth.",
            report.forecasts.iter().map(Forecast::reach).max().unwrap_or(1)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{ALL_RUNS, report};

    #[test]
    fn rows_of_a_table_have_the_cells_of_its_header() {
        for runs in [0, 1, 2, 5, ALL_RUNS] {
            for listing in listings(&report(runs)) {
                let columns = listing.columns.len();
                assert!(listing.rows.iter().all(|row| row.len() == columns), "{}", listing.title);
            }
        }
    }

    #[test]
    fn whatever_is_no_name_and_no_count_has_a_unit() {
        let without = ["threads", "policy", "positions", "sigma", "kappa"];
        for Column { name, unit, .. } in listings(&report(ALL_RUNS)).iter().flat_map(|l| &l.columns)
        {
            assert_eq!(unit.is_empty(), without.contains(&name.as_str()), "{name}");
        }
    }
}
