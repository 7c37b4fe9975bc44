//! The report as text.

use crate::document::{Document, terms};
use crate::measure::{Goal, TimeUnit};
use crate::report::{Conditions, Extent};
use heddle::text::show::grouped;
use heddle_figures::listing::Listing;

/// The conditions, each with its name.
pub fn conditions(conditions: &Conditions, extent: &Extent) -> Vec<(&'static str, String)> {
    let origin = &conditions.origin;
    let state = if extent.partial { "PARTIAL" } else { "complete" };
    let told = vec![
        ("Positions", format!("{}, {} positions", conditions.suite, extent.positions)),
        (
            "Searches",
            format!(
                "{} of {} ({state}), {} of each position per configuration, each from an empty table of {} MiB",
                extent.runs, extent.planned, extent.repeats, conditions.hash
            ),
        ),
        ("Depth", depth(extent, conditions.time_unit)),
        ("Machine", conditions.machine.describe()),
        ("Build", format!("{}, commit {}", conditions.build, origin.commit)),
        ("Command", origin.command.clone()),
        ("Date", origin.date.clone()),
    ];
    let evaluation = conditions.evaluation.clone().map(|evaluation| ("Evaluation", evaluation));
    told.into_iter().chain(evaluation).collect()
}

/// How deep the positions were searched.
fn depth(extent: &Extent, unit: TimeUnit) -> String {
    let time = match extent.goal {
        Goal::Depth(depth) => return format!("{depth} plies"),
        Goal::Time(time) => time,
    };
    let time = match unit {
        TimeUnit::Wall => format!("{} ms", grouped(time)),
        TimeUnit::Virtual => format!("{} thousand nodes", grouped(time)),
    };
    let range = match extent.depths {
        None => String::new(),
        Some((least, most)) if least == most => format!("{least} plies, "),
        Some((least, most)) => format!("{least} to {most} plies, "),
    };
    format!("{range}for each position what one thread completes in {time}")
}

/// The whole report as text.
pub fn text(report: &impl Document) -> String {
    let mut text = String::new();
    for (name, value) in report.conditions() {
        text += &format!("{name}: {value}\n");
    }
    for note in report.notes() {
        text += &format!("Note: {note}\n");
    }
    let listings = report.listings();
    text += &listings.iter().map(Listing::text).collect::<String>();
    let terms = terms(&listings);
    if !terms.is_empty() {
        text += "\nTerms\n";
    }
    for (name, meaning) in terms {
        text += &format!("  {name}: {meaning}\n");
    }
    if !report.advice().is_empty() {
        text += &format!("\n{}\n", report.advice_title());
    }
    for advice in report.advice() {
        text += &format!("  {advice}\n");
    }
    text
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
            "Depth: 5 plies",
            "commit 0123abc",
            "Command: heddle scaling --epd 'three & more'",
            "Date: 2026-01-02 03:04 UTC",
            "Speed (measured)",
            "Probes of the table (measured)",
            "25.0          3.8             15.0",
            "Policies (measured)",
            "1.41 [1.41, 1.41]",
            "256 threads",
            "×, extrapolated",
            "measured up to 4 threads",
            "1 000  1.00 [1.00, 1.00]",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn an_interrupted_measurement_says_so() {
        assert!(text(&report(3)).contains("PARTIAL"));
    }

    #[test]
    fn depths_that_were_found_are_shown_with_the_time_that_they_took() {
        let by_time = |depths, time_unit| {
            let mut report = report(ALL_RUNS);
            (report.extent.goal, report.extent.depths) = (Goal::Time(2000), depths);
            depth(&report.extent, time_unit)
        };
        let end = "for each position what one thread completes in 2 000";
        assert_eq!(by_time(Some((9, 14)), TimeUnit::Wall), format!("9 to 14 plies, {end} ms"));
        assert_eq!(by_time(Some((9, 9)), TimeUnit::Wall), format!("9 plies, {end} ms"));
        assert_eq!(by_time(None, TimeUnit::Virtual), format!("{end} thousand nodes"));
    }
}
