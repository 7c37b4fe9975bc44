//! What to make of the figures, in words.

use crate::machine::{Machine, counted};
use crate::summary::Row;

/// A step to more threads is worth it from this gain in time to depth on: less is within what a
/// machine's moods bring.
const WORTH: f64 = 1.05;
/// Processors of others from which on a machine is busy.
const BUSY: f64 = 0.1;

/// The advice for each named engine on its rows, which begin with one thread, and on the machine,
/// of which others used this many processors meanwhile.
pub fn advice<'a>(
    machine: &Machine,
    others: Option<f64>,
    engines: impl IntoIterator<Item = (&'a str, &'a [Row])>,
) -> Vec<String> {
    let engines: Vec<_> = engines.into_iter().collect();
    let most = engines.iter().flat_map(|(_, rows)| rows.iter().map(|row| row.threads)).max();
    let Some(most) = most else { return Vec::new() };
    let advice = engines.iter().filter_map(|(name, rows)| threads(name, rows, machine.available));
    let mut advice: Vec<String> = advice.collect();
    advice.push(processors(machine));
    if most < machine.available {
        advice.push(format!(
            "Measured up to {most} of {} threads that can run at the same time: --threads measures more.",
            machine.available
        ));
    }
    advice.extend(others.map(|others| busy(others, machine)));
    advice
}

/// The most useful number of threads of an engine, and what the steps to it and beyond it brought;
/// `None` if it was measured on one thread alone.
fn threads(name: &str, rows: &[Row], available: usize) -> Option<String> {
    // More threads than processors take turns.
    let fitting: Vec<&Row> = rows.iter().filter(|row| row.threads <= available.max(1)).collect();
    let gain = |step: &[&Row]| step[1].speed_up.value / step[0].speed_up.value;
    let steps = || fitting.windows(2);
    if steps().next().is_none() {
        return (rows.len() > 1).then(|| {
            format!("{name}: use one thread, since no more can run at the same time here.")
        });
    }
    let useful = steps().take_while(|step| gain(step) >= WORTH).count();
    let best = fitting[useful];
    let one = if best.threads == 1 { "thread" } else { "threads" };
    let mut text = format!("{name}: use {} {one}.", best.threads);
    if let Some(step) = useful.checked_sub(1).and_then(|last| steps().nth(last)) {
        text += &format!(" {}", brought(step));
    }
    if let Some(step) = steps().nth(useful) {
        text += &format!(" {}", not_worth(step));
    }
    Some(text)
}

/// Why a step to more threads is not advised.
fn not_worth(step: &[&Row]) -> String {
    let [from, to] = [step[0], step[1]];
    let gain = to.speed_up.value / from.speed_up.value;
    let speed = to.nps_ratio.value / from.nps_ratio.value;
    let sure = if to.speed_up.high / from.speed_up.value < WORTH {
        ""
    } else {
        "; the positions are too few to be sure"
    };
    format!(
        "{} threads reach a depth {gain:.2} × as fast as {}, with {speed:.2} × the nodes per \
         second{sure}.",
        to.threads, from.threads
    )
}

/// What a step to more threads brought.
fn brought(step: &[&Row]) -> String {
    let [from, to] = [step[0], step[1]];
    let kind = if to.threads == 2 * from.threads { "doubling" } else { "step" };
    let speed = to.nps_ratio.value / from.nps_ratio.value;
    let faster = to.speed_up.value / from.speed_up.value;
    format!(
        "The last {kind}, from {} to {}, brought {faster:.2} × the speed to depth and \
         {speed:.2} × the nodes per second.",
        from.threads, to.threads
    )
}

/// Which of the machine's processors there are for this process, and why.
fn processors(machine: &Machine) -> String {
    let Machine { logical, available, usable_cores, quota, affinity, .. } = machine;
    let mut text =
        format!("This process may run {} at the same time", counted(*available, "thread"));
    if available < logical {
        text += &format!(" on a machine of {}", counted(*logical, "processor"));
    }
    if let Some(quota) = quota.filter(|&quota| quota < *logical as f64) {
        text += &format!("; its control group has a quota of {quota:.1} processors");
    }
    if let Some(list) = affinity.as_ref().filter(|_| available < logical && quota.is_none()) {
        text += &format!("; its affinity is {list}");
    }
    match usable_cores {
        Some(cores) if cores < available => {
            text += &format!(
                "; they share {}, and two threads of one core bring less than two cores",
                counted(*cores, "core")
            );
        }
        Some(_) => text += ", each with a core of its own as far as the system tells",
        None => {}
    }
    text + "."
}

/// Whether the machine was busy.
fn busy(others: f64, machine: &Machine) -> String {
    if others < BUSY {
        return "The machine was idle otherwise.".into();
    }
    format!(
        "The machine was busy: others used {others:.1} of {} meanwhile. Measure again when it is idle.",
        counted(machine.logical, "processor")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{ALL_RUNS, report};
    use crate::stats::Estimate;

    fn machine() -> Machine {
        let (quota, affinity, usable_cores) = (None, None, Some(8));
        Machine { logical: 8, available: 8, quota, affinity, usable_cores, ..Machine::here() }
    }

    /// Rows of these threads, ratios of nodes per second and speed-ups.
    fn rows(figures: &[(usize, f64, f64)]) -> Vec<Row> {
        let row = report(ALL_RUNS).rows[0].clone();
        let near = |value: f64| Estimate { value, low: value - 0.1, high: value + 0.1 };
        let row = |&(threads, nps, speed_up): &(usize, f64, f64)| Row {
            threads,
            nps_ratio: near(nps),
            speed_up: near(speed_up),
            ..row.clone()
        };
        figures.iter().map(row).collect()
    }

    fn advised(figures: &[(usize, f64, f64)], machine: &Machine) -> String {
        advice(machine, None, [("E", &rows(figures)[..])]).join("\n")
    }

    #[test]
    fn the_most_useful_number_is_the_last_that_is_worth_its_step() {
        let whole = [(1, 1.0, 1.0), (2, 1.9, 1.5), (4, 3.6, 1.8), (8, 3.7, 1.85)];
        let said = advised(&whole, &machine());
        assert!(
            said.starts_with(
                "E: use 4 threads. The last doubling, from 2 to 4, brought 1.20 × the speed to \
                 depth and 1.89 × the nodes per second. 8 threads reach a depth 1.03 × as fast \
                 as 4, with 1.03 × the nodes per second; the positions are too few to be sure.\n"
            ),
            "{said}"
        );
        let said = advised(&whole[..3], &machine());
        assert!(
            said.starts_with("E: use 4 threads. The last doubling") && !said.contains("as fast")
        );
        assert!(said.contains("Measured up to 4 of 8 threads"), "{said}");
    }

    #[test]
    fn nodes_without_a_gain_in_time_are_not_advised() {
        let said = advised(&[(1, 1.0, 1.0), (2, 1.9, 0.79)], &machine());
        let expected = "E: use 1 thread. 2 threads reach a depth 0.79 × as fast as 1, with \
                        1.90 × the nodes per second.";
        assert!(said.starts_with(expected), "{said}");
        let said = advised(&[(1, 1.0, 1.0), (3, 2.0, 1.06)], &machine());
        let step = "The last step, from 1 to 3, brought 1.06 × the speed to depth and 2.00 ×";
        assert!(said.starts_with("E: use 3 threads.") && said.contains(step), "{said}");
    }

    #[test]
    fn more_threads_than_can_run_are_not_advised() {
        let few = Machine { available: 2, quota: Some(2.5), ..machine() };
        let said = advised(&[(1, 1.0, 1.0), (2, 1.9, 1.5), (4, 2.5, 1.6)], &few);
        assert!(said.starts_with("E: use 2 threads.") && !said.contains("4 threads"), "{said}");
        assert!(said.contains("2 threads at the same time on a machine of 8 processors; its control group has a quota of 2.5"), "{said}");
        let one = Machine { available: 1, affinity: Some("3".into()), ..machine() };
        let said = advised(&[(1, 1.0, 1.0), (2, 1.0, 0.9)], &one);
        assert!(said.starts_with("E: use one thread, since no more can run"), "{said}");
        assert!(
            said.contains("1 thread at the same time") && said.contains("affinity is 3"),
            "{said}"
        );
        assert!(!advised(&[(1, 1.0, 1.0)], &one).contains("use"));
        assert_eq!(advised(&[], &one), "");
    }

    #[test]
    fn cores_that_are_shared_are_told() {
        let halves = Machine { usable_cores: Some(4), ..machine() };
        let said = advised(&[(1, 1.0, 1.0)], &halves);
        assert!(said.contains("they share 4 cores"), "{said}");
    }

    #[test]
    fn a_busy_machine_is_told() {
        let rows = rows(&[(1, 1.0, 1.0)]);
        let said = |others| advice(&machine(), others, [("E", &rows[..])]).pop().unwrap();
        assert_eq!(said(Some(0.01)), "The machine was idle otherwise.");
        assert!(
            said(Some(0.84)).starts_with("The machine was busy: others used 0.8 of 8 processors")
        );
        assert!(!said(None).contains("The machine was"));
    }
}
