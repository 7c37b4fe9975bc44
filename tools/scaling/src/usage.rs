//! Processor time that others use meanwhile.

use std::fs;

/// Fields of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. The guests after
/// them are counted as users already. Source: proc_stat(5).
const FIELDS: usize = 8;
/// Idle and iowait among them.
const IDLE: [usize; 2] = [3, 4];
/// Fields of `/proc/self/stat` after the name: utime, stime, and the same of children that have
/// ended. Source: proc_pid_stat(5).
const OWN: std::ops::Range<usize> = 11..15;

/// Processor time since the start of the machine and of this process, in ticks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Of all processors, idle or not.
    all: u64,
    /// Of all processors that were not idle, or that the machine's host gave to others.
    busy: u64,
    /// Of this process and of its children that have ended.
    own: u64,
}

impl Usage {
    /// The time so far, if the system tells.
    pub fn now() -> Option<Self> {
        let read = |path| fs::read_to_string(path).ok();
        Self::read(&read("/proc/stat")?, &read("/proc/self/stat")?)
    }

    fn read(machine: &str, process: &str) -> Option<Self> {
        let numbers = |text: &str| -> Option<Vec<u64>> {
            text.split_whitespace().map(|word| word.parse().ok()).collect()
        };
        let spent = numbers(machine.lines().next()?.strip_prefix("cpu ")?)?;
        let spent = spent.get(..FIELDS)?;
        let idle: u64 = IDLE.iter().map(|&field| spent[field]).sum();
        let all: u64 = spent.iter().sum();
        // The name, in brackets, may hold anything.
        let (_, fields) = process.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let own = numbers(&fields.get(OWN)?.join(" "))?.iter().sum();
        Some(Self { all, busy: all - idle, own })
    }

    /// How many of `processors` others have used on average since `self`.
    pub fn of_others(self, now: Self, processors: usize) -> Option<f64> {
        let all = now.all.checked_sub(self.all).filter(|&ticks| ticks > 0)?;
        let others =
            (now.busy - self.busy.min(now.busy)).saturating_sub(now.own - self.own.min(now.own));
        Some(processors as f64 * others as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_use_what_is_neither_idle_nor_ours() {
        let at = |machine: &str, own: u64| {
            let process = format!("7 (a) b (c)) S 1 1 1 0 -1 0 0 0 0 0 {own} 2 3 4 20 0 1 0 5");
            Usage::read(machine, &process).unwrap()
        };
        let before = at("cpu  100 0 0 100 0 0 0 0 0 0\ncpu0 1\n", 10);
        // 400 ticks: 100 of them idle, 200 ours, 60 of other users, 40 stolen.
        let after = at("cpu  300 60 0 180 20 0 0 40 9 9\ncpu0 1\n", 210);
        assert_eq!(before.own, 19);
        assert_eq!(before.of_others(after, 4), Some(1.0));
        assert_eq!(before.of_others(before, 4), None);
        assert_eq!(Usage::read("cpu 1 2", "1 (a) S"), None);
        assert_eq!(Usage::read("", ""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells() {
        let now = Usage::now().unwrap();
        assert!(now.all >= now.busy);
    }
}
