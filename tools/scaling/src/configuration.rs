//! How many workers search, and how they work together.

use std::fmt;

use heddle::names::Named;
use heddle::smp::teamwork::{Sharing, Stagger};
use serde::Serializer;

/// A number of workers with a policy.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// Number of workers.
    pub threads: usize,
    /// The depths that helpers skip; without helpers it has no effect.
    pub stagger: Stagger,
    /// Which histories they share.
    pub sharing: Sharing,
}

impl Configuration {
    /// The part shared with other configurations of the same policy.
    pub const fn policy(self) -> Policy {
        Policy { stagger: self.stagger, sharing: self.sharing }
    }
}

/// How workers work together.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Policy {
    /// The stagger policy.
    #[serde(serialize_with = "by_name")]
    pub stagger: Stagger,
    /// Which histories they share.
    #[serde(serialize_with = "by_name")]
    pub sharing: Sharing,
}

fn by_name<S: Serializer>(value: &impl Named, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.stagger.name(), self.sharing.name())
    }
}

/// One thread, then every other number of `threads` with each policy: each way to stagger with each
/// extent of sharing. For one thread the policy makes no difference.
pub fn configurations(
    threads: &[usize],
    staggers: &[Stagger],
    sharings: &[Sharing],
) -> Vec<Configuration> {
    let mut threads: Vec<usize> = threads.iter().copied().filter(|&n| n > 1).collect();
    threads.sort_unstable();
    threads.dedup();
    let mut configurations: Vec<Configuration> = Vec::new();
    for &stagger in staggers {
        for &sharing in sharings {
            let alone = Configuration { threads: 1, stagger, sharing };
            if !configurations.contains(&alone) {
                configurations.push(alone);
            }
        }
    }
    let policies = configurations.clone();
    configurations.truncate(1);
    for threads in threads {
        configurations.extend(policies.iter().map(|&policy| Configuration { threads, ..policy }));
    }
    configurations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_measured_once_and_always() {
        let policies = [Stagger::Alternate, Stagger::Skip, Stagger::Alternate];
        let found: Vec<_> = configurations(&[4, 2, 4], &policies, &[Sharing::Private])
            .into_iter()
            .map(|configuration| (configuration.threads, configuration.stagger.name()))
            .collect();
        let expected =
            [(1, "alternate"), (2, "alternate"), (2, "skip"), (4, "alternate"), (4, "skip")];
        assert_eq!(found, expected);
        let found: Vec<_> = configurations(&[1, 2], &policies, &[Sharing::Private, Sharing::All])
            .into_iter()
            .map(|configuration| configuration.policy().to_string())
            .collect();
        let expected = ["alternate/private", "alternate/all", "skip/private", "skip/all"];
        assert_eq!((&found[0][..], &found[1..]), (expected[0], &expected.map(str::to_owned)[..]));
    }
}
