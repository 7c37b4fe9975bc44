//! The machine that was measured.

use std::collections::HashSet;
use std::fs;

use heddle::machine::processors;
use heddle::numa::{self, Topology};
use serde::Serialize;

/// What the system reports about the machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Machine {
    /// The processor's model.
    pub cpu: String,
    /// Logical processors.
    pub logical: usize,
    /// Cores.
    pub cores: usize,
    /// Cores among the processors on which the process may run, if the system says.
    pub usable_cores: Option<usize>,
    /// Sockets that the process may use; 0 if the system does not say.
    pub sockets: usize,
    /// Memory nodes that the process may use; 0 if the system does not say.
    pub memory_nodes: usize,
    /// Processors available to this process at the same time, by affinity and quota.
    pub available: usize,
    /// The control group's limit on processor time, in processors, if there is one.
    pub quota: Option<f64>,
    /// The processors on which the process may run, as the system lists them.
    pub affinity: Option<String>,
    /// Load average over the minute before the first search.
    pub load: Option<f64>,
    /// Operating system.
    pub system: String,
}

impl Machine {
    /// The current state of this machine.
    pub fn here() -> Self {
        let read = |path: &str| fs::read_to_string(path).ok();
        let info = read("/proc/cpuinfo").unwrap_or_default();
        let model = field(&info, "model name").unwrap_or(std::env::consts::ARCH);
        let online = info.lines().filter(|line| line.starts_with("processor")).count();
        let available = processors();
        let topology = Topology::here();
        Self {
            cpu: model.to_owned(),
            logical: online.max(available),
            cores: num_cpus::get_physical(),
            usable_cores: usable_cores(&numa::allowed(), |processor| {
                let core =
                    format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
                read(&core)
            }),
            sockets: topology.sockets,
            memory_nodes: topology.nodes.len(),
            available,
            quota: read("/sys/fs/cgroup/cpu.max").and_then(|text| quota(&text)),
            affinity: read("/proc/self/status")
                .and_then(|text| field(&text, "Cpus_allowed_list").map(str::to_owned)),
            load: read("/proc/loadavg")
                .and_then(|text| text.split_whitespace().next()?.parse().ok()),
            system: match read("/proc/sys/kernel/osrelease") {
                Some(release) => format!("{} {}", std::env::consts::OS, release.trim()),
                None => std::env::consts::OS.to_owned(),
            },
        }
    }

    /// The machine in one line.
    pub fn describe(&self) -> String {
        let Self { cpu, logical, available, system, .. } = self;
        let parts =
            [(self.cores, "core"), (self.sockets, "socket"), (self.memory_nodes, "memory node")];
        let parts = parts.into_iter().filter(|&(count, _)| count > 0);
        let parts: Vec<_> = parts.map(|(count, noun)| counted(count, noun)).collect();
        let mut allowed = if available == logical {
            "all for this process".to_owned()
        } else {
            format!("{available} for this process")
        };
        if let Some(list) = self.affinity.as_ref().filter(|_| available != logical) {
            allowed += &format!(" (numbers {list})");
        }
        if let Some(quota) = self.quota {
            allowed += &format!(", a quota of {quota:.1}");
        }
        let processors = counted(*logical, "processor");
        format!("{cpu}; {processors} ({}), {allowed}; {system}", parts.join(", "))
    }
}

/// A number with its noun.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The value on the first line with the given name.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim())
}

/// How many cores these processors have; `siblings` tells the processors that share a core with
/// one.
fn usable_cores(processors: &[usize], siblings: impl Fn(usize) -> Option<String>) -> Option<usize> {
    let cores: Option<HashSet<String>> =
        processors.iter().map(|&number| siblings(number)).collect();
    cores.map(|cores| cores.len()).filter(|&cores| cores > 0)
}

/// The limit in `cpu.max`, which holds the allowed time per period and the period.
fn quota(text: &str) -> Option<f64> {
    let mut words = text.split_whitespace().map(|word| word.parse::<f64>().ok());
    let (granted, period) = (words.next()??, words.next()??);
    Some(granted / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_may_be_unlimited() {
        assert_eq!(quota("150000 100000\n"), Some(1.5));
        assert_eq!(quota("max 100000\n"), None);
        assert_eq!(quota(""), None);
    }

    #[test]
    fn fields_are_found_by_name() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n";
        assert_eq!(field(text, "model name"), Some("Some CPU @ 2 GHz"));
        assert_eq!(field(text, "flags"), None);
    }

    #[test]
    fn processors_of_one_core_count_once() {
        let siblings =
            |number: usize| (number < 4).then(|| format!("{},{}", number % 2, number % 2 + 2));
        assert_eq!(usable_cores(&[0, 1, 2, 3], siblings), Some(2));
        assert_eq!(usable_cores(&[0, 2], siblings), Some(1));
        assert_eq!(usable_cores(&[0, 9], siblings), None);
        assert_eq!(usable_cores(&[], siblings), None);
    }

    #[test]
    fn a_machine_is_described_in_words() {
        let machine = Machine {
            cpu: "CPU".into(),
            logical: 2,
            cores: 2,
            sockets: 1,
            memory_nodes: 1,
            available: 2,
            quota: None,
            affinity: Some("0-1".into()),
            system: "linux".into(),
            ..Machine::here()
        };
        let said =
            "CPU; 2 processors (2 cores, 1 socket, 1 memory node), all for this process; linux";
        assert_eq!(machine.describe(), said);
        let part = Machine { available: 1, quota: Some(1.5), ..machine };
        let said = part.describe();
        assert!(said.contains(", 1 for this process (numbers 0-1), a quota of 1.5; "), "{said}");
    }

    #[test]
    fn this_machine_can_run_something() {
        let machine = Machine::here();
        assert!(machine.available >= 1 && machine.logical >= machine.available);
        assert!(machine.describe().contains(" for this process"));
    }
}
