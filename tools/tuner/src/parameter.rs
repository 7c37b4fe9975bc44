//! What is tuned: a margin of the search with its bounds and its step.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A margin, as a build with the feature `spsa` describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name, also of its UCI option.
    pub name: String,
    /// The value before the tuning.
    pub default: i32,
    /// The least value that makes sense.
    pub least: i32,
    /// The greatest value that makes sense.
    pub greatest: i32,
    /// The perturbation at the end of the tuning, in units of the parameter.
    pub step: f64,
    /// The learning rate at the end of the tuning.
    pub rate: f64,
}

/// A line does not describe a parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a parameter: {0}")]
pub struct ParameterError(String);

/// The command line names a parameter that the engine does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the engine has no parameter {0}")]
pub struct UnknownParameter(String);

impl Parameter {
    /// The line for `OpenBench`, with `value` as the value to start from.
    pub fn line(&self, value: i32) -> String {
        let Self { name, least, greatest, step, rate, .. } = self;
        format!("{name}, int, {value}, {least}, {greatest}, {step}, {rate}")
    }

    /// The line of `params.rs` that makes `value` the default.
    pub fn declaration(&self, value: i32) -> String {
        let Self { name, least, greatest, .. } = self;
        format!("{name}: {least}..={greatest} = {value};")
    }

    /// `value` kept within the bounds.
    pub fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.least.into(), self.greatest.into())
    }

    /// `value` as a share of the range, from 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        let [least, greatest] = [self.least, self.greatest].map(f64::from);
        (value - least) / (greatest - least).max(1.0)
    }

    /// Whether the default lies within the bounds, and step and rate are positive.
    pub fn is_valid(&self) -> bool {
        (self.least..=self.greatest).contains(&self.default)
            && self.step.is_finite()
            && self.step > 0.0
            && self.rate.is_finite()
            && self.rate > 0.0
    }
}

/// Reads a line of `heddle spsa`: name, type, value, bounds, step and rate, separated by commas.
impl FromStr for Parameter {
    type Err = ParameterError;

    fn from_str(line: &str) -> Result<Self, ParameterError> {
        let parse = || {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            let [name, "int", default, least, greatest, step, rate] = fields[..] else {
                return None;
            };
            let parameter = Self {
                name: Some(name).filter(|name| !name.is_empty())?.to_owned(),
                default: default.parse().ok()?,
                least: least.parse().ok()?,
                greatest: greatest.parse().ok()?,
                step: step.parse().ok()?,
                rate: rate.parse().ok()?,
            };
            Some(parameter).filter(Self::is_valid)
        };
        parse().ok_or_else(|| ParameterError(line.to_owned()))
    }
}

/// The parameters with these names, in the engine's order; all of them if there are no names.
///
/// # Errors
/// [`UnknownParameter`] when a name is not among `all`.
pub fn select(all: Vec<Parameter>, names: &[String]) -> Result<Vec<Parameter>, UnknownParameter> {
    let is_known = |name: &&String| all.iter().any(|parameter| parameter.name == **name);
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        return Err(UnknownParameter(unknown.clone()));
    }
    let is_selected = |p: &Parameter| names.is_empty() || names.contains(&p.name);
    Ok(all.into_iter().filter(is_selected).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "MARGIN, int, -24, -80, -5, 3.75, 0.002";

    #[test]
    fn a_line_is_read_and_written() {
        let parameter: Parameter = LINE.parse().unwrap();
        assert_eq!((parameter.default, parameter.least, parameter.greatest), (-24, -80, -5));
        assert_eq!((parameter.step, parameter.rate), (3.75, 0.002));
        assert_eq!(parameter.line(-24), LINE);
        assert_eq!(parameter.declaration(-30), "MARGIN: -80..=-5 = -30;");
        assert_eq!((parameter.share(-80.0), parameter.share(-5.0)), (0.0, 1.0));
    }

    #[test]
    fn what_is_no_parameter_is_refused() {
        for line in [
            "",
            "MARGIN, int, -24, -80, -5, 3.75",
            "MARGIN, float, -24, -80, -5, 3.75, 0.002",
            "MARGIN, int, -81, -80, -5, 3.75, 0.002",
            "MARGIN, int, -24, -80, -5, NaN, 0.002",
            "MARGIN, int, -24, -80, -5, 0, 0.002",
            ", int, -24, -80, -5, 3.75, 0.002",
        ] {
            assert_eq!(line.parse::<Parameter>(), Err(ParameterError(line.into())));
        }
    }

    #[test]
    fn parameters_are_selected_by_name() {
        let all: Vec<Parameter> =
            ["A", "B", "C"].map(|name| LINE.replace("MARGIN", name).parse().unwrap()).into();
        let names = |only: &[&str]| {
            let only: Vec<String> = only.iter().map(ToString::to_string).collect();
            select(all.clone(), &only).map(|p| p.into_iter().map(|p| p.name).collect::<String>())
        };
        assert_eq!(names(&[]), Ok("ABC".into()));
        assert_eq!(names(&["C", "A"]), Ok("AC".into()));
        assert_eq!(names(&["A", "D"]), Err(UnknownParameter("D".into())));
    }
}
