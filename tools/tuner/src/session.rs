//! The state of a tuning: what is tuned and how, the values reached, and the path to them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::parameter::Parameter;
use crate::spsa::Trial;

/// The name and version of the format.
const FORMAT: &str = "heddle-tune 1";
/// Points of the path that are kept, beside the first.
const POINTS: u64 = 400;

/// What is tuned, and how. Beside it, a result depends on the content of the openings and on the
/// number of pairs played at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The nodes of a fixed search by the engine, which tell it from another build.
    pub signature: u64,
    /// What is tuned.
    pub parameters: Vec<Parameter>,
    /// Nodes per move.
    pub nodes: u64,
    /// Pairs of games to play in all.
    pub pairs: u64,
    /// Determines perturbations and openings.
    pub seed: u64,
    /// The file of openings, if they are not random.
    pub openings: Option<PathBuf>,
}

impl Plan {
    /// The first difference from the plan of a state, `found`, in words.
    pub fn difference(&self, found: &Self) -> Option<String> {
        let names = |plan: &Self| plan.parameters.iter().map(|p| p.name.clone()).collect();
        let (ours, theirs): (Vec<_>, Vec<_>) = (names(self), names(found));
        let differ = |what: &str, found: String, wanted: String| {
            (found != wanted).then(|| format!("{what} {found}, not {wanted}"))
        };
        let shown = |openings: &Option<PathBuf>| {
            openings.as_ref().map_or("random".to_owned(), |path| path.display().to_string())
        };
        let number =
            |what, found: u64, wanted: u64| differ(what, found.to_string(), wanted.to_string());
        number("it belongs to an engine of signature", found.signature, self.signature)
            .or_else(|| (ours != theirs).then(|| "it tunes other parameters".to_owned()))
            .or_else(|| {
                let mut pairs = self.parameters.iter().zip(&found.parameters);
                let (changed, _) = pairs.find(|(ours, theirs)| ours != theirs)?;
                Some(format!("{} has another default, bound, step or rate", changed.name))
            })
            .or_else(|| number("its nodes are", found.nodes, self.nodes))
            .or_else(|| number("its pairs are", found.pairs, self.pairs))
            .or_else(|| number("its seed is", found.seed, self.seed))
            .or_else(|| differ("its openings are", shown(&found.openings), shown(&self.openings)))
    }
}

/// The values after some pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Pairs played.
    pub pairs: u64,
    /// The value of each parameter.
    pub values: Vec<f64>,
}

/// A tuning that can be resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    format: String,
    /// What is tuned, and how.
    pub plan: Plan,
    /// The value of each parameter.
    pub values: Vec<f64>,
    /// The first pair that has never been handed out.
    next: u64,
    /// The pairs that have been handed out and have no result.
    open: BTreeSet<u64>,
    /// The values on the way, oldest first.
    pub path: Vec<Point>,
    /// Open pairs of an earlier run, which are handed out again.
    #[serde(skip)]
    again: BTreeSet<u64>,
}

impl Session {
    /// A tuning that has yet to begin.
    pub fn new(plan: Plan) -> Self {
        let values: Vec<f64> = plan.parameters.iter().map(|p| p.default.into()).collect();
        let path = vec![Point { pairs: 0, values: values.clone() }];
        let (open, again) = (BTreeSet::new(), BTreeSet::new());
        Self { format: FORMAT.into(), plan, values, next: 0, open, path, again }
    }

    /// Parses a state.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut session: Self = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        session.check()?;
        session.again.clone_from(&session.open);
        Ok(session)
    }

    fn check(&self) -> Result<(), &'static str> {
        let parameters = &self.plan.parameters;
        let is_vector = |values: &Vec<f64>| {
            values.len() == parameters.len()
                && values.iter().zip(parameters).all(|(v, p)| p.clamp(*v) == *v)
        };
        if self.format != FORMAT {
            Err("another format")
        } else if parameters.iter().any(|parameter| !parameter.is_valid()) {
            Err("a parameter makes no sense")
        } else if !is_vector(&self.values) || !self.path.iter().all(|p| is_vector(&p.values)) {
            Err("a value is missing or out of bounds")
        } else if self.next > self.plan.pairs || self.open.iter().any(|open| *open >= self.next) {
            Err("its pairs are miscounted")
        } else {
            Ok(())
        }
    }

    /// Pairs with a result.
    pub fn played(&self) -> u64 {
        self.next - self.open.len() as u64
    }

    /// Whether all pairs have a result.
    pub fn is_complete(&self) -> bool {
        self.played() == self.plan.pairs
    }

    /// The next pair to play, from the current values; `None` when all have been handed out.
    pub fn take(&mut self) -> Option<Trial> {
        let Plan { parameters, pairs, seed, .. } = &self.plan;
        let number = self.again.pop_first().or_else(|| {
            let number = Some(self.next).filter(|next| next < pairs)?;
            self.next += 1;
            Some(number)
        })?;
        self.open.insert(number);
        Some(Trial::new(parameters, &self.values, number, *pairs, *seed))
    }

    /// Moves the values by the result of a pair, whatever other pairs have done to them since it
    /// was handed out.
    pub fn finish(&mut self, trial: &Trial, result: i32) {
        trial.update(&self.plan.parameters, &mut self.values, result);
        self.open.remove(&trial.number);
        let pairs = self.played();
        if pairs.is_multiple_of((self.plan.pairs / POINTS).max(1)) || self.is_complete() {
            self.path.push(Point { pairs, values: self.values.clone() });
        }
    }

    /// Each parameter with its value, rounded to what the engine takes.
    pub fn tuned(&self) -> impl Iterator<Item = (&Parameter, i32)> {
        self.plan.parameters.iter().zip(self.values.iter().map(|value| value.round() as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_thinned() {
        let parameters = vec!["A, int, 30, 0, 100, 5, 0.002".parse().unwrap()];
        let plan =
            Plan { signature: 1, parameters, nodes: 5, pairs: 4000, seed: 1, openings: None };
        let mut session = Session::new(plan);
        while let Some(trial) = session.take() {
            session.finish(&trial, 0);
        }
        assert!(session.is_complete());
        assert_eq!(session.path.len() as u64, POINTS + 1);
        assert_eq!(session.path.last().unwrap().pairs, 4000);
    }
}
