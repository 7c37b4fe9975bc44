//! The positions that are searched.

use std::path::Path;

use heddle::commands::bench;
use heddle::text::suite::{Named, SuiteError, built_in, read_unfinished};

/// Positions of the Bratko-Kopec test, with which the built-in suite begins.
const BRATKO_KOPEC: usize = 24;

/// A built-in suite.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Suite {
    /// The 24 positions of the Bratko-Kopec test
    #[default]
    BratkoKopec,
    /// The positions of `bench`
    Bench,
}

impl Suite {
    /// The name of the suite in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BratkoKopec => "Bratko-Kopec",
            Self::Bench => "bench",
        }
    }

    /// The positions.
    pub fn positions(self) -> Vec<Named> {
        match self {
            Self::BratkoKopec => built_in().into_iter().take(BRATKO_KOPEC).collect(),
            Self::Bench => {
                let numbered = bench::positions().into_iter().zip(1..);
                let name = |(position, number)| Named { name: format!("bench {number}"), position };
                numbered.map(name).collect()
            }
        }
    }
}

/// The positions of the file `epd`, or of `suite` if there is none.
///
/// # Errors
/// [`SuiteError`], when a file cannot be used or a position in it has no legal move.
pub fn positions(suite: Suite, epd: Option<&Path>) -> Result<Vec<Named>, SuiteError> {
    epd.map_or_else(|| Ok(suite.positions()), |path| read_unfinished(path, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suites_are_there() {
        let suite = Suite::BratkoKopec.positions();
        assert_eq!(suite.len(), 24);
        assert!(suite.iter().all(|position| position.name.starts_with("BK.")));
        assert!(Suite::Bench.positions().len() > 50);
    }
}
