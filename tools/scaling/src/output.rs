//! The requested output files.

use std::path::PathBuf;

use heddle::commands::output::{OutputError, OutputFile};

use crate::args::Args;
use crate::html::page;
use crate::plot;
use crate::report::Report;

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system refused.
    #[error(transparent)]
    File(#[from] OutputError),
    /// The report could not be written in this format.
    #[error("cannot write the report as {form}: {reason}")]
    Form {
        /// The format.
        form: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// A function that serialises a report.
type Form = fn(&Report) -> Result<Vec<u8>, String>;

/// Open output files, each with the name of its format.
pub struct Files(Vec<(OutputFile, &'static str, Form)>);

impl Files {
    /// Opens the files that `args` ask for.
    ///
    /// # Errors
    /// [`OutputError`] when one of them cannot be written.
    pub fn open(args: &Args) -> Result<Self, OutputError> {
        let forms: [(&Option<PathBuf>, &'static str, Form); 4] = [
            (&args.json, "JSON", json),
            (&args.csv, "CSV", csv),
            (&args.html, "HTML", |report| page(report).map(String::into_bytes)),
            (&args.svg, "SVG", svg),
        ];
        let asked =
            forms.into_iter().filter_map(|(path, name, form)| Some((path.as_ref()?, name, form)));
        let open = |(path, name, form): (&PathBuf, _, _)| Ok((OutputFile::open(path)?, name, form));
        asked.map(open).collect::<Result<_, _>>().map(Self)
    }

    /// Writes the report to every file, even if some of them fail.
    ///
    /// # Errors
    /// The first [`WriteError`].
    pub fn write(self, report: &Report) -> Result<(), WriteError> {
        let write = |(file, name, form): (OutputFile, &'static str, Form)| {
            let content = form(report).map_err(|reason| WriteError::Form { form: name, reason })?;
            Ok(file.write(&content)?)
        };
        self.0.into_iter().map(write).fold(Ok(()), Result::and)
    }
}

fn json(report: &Report) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    report.json(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn csv(report: &Report) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    report.csv(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

/// The first figure; an error if there is none, and no interrupt is to blame.
fn svg(report: &Report) -> Result<Vec<u8>, String> {
    match plot::figures(report)?.into_iter().next() {
        Some(figure) => Ok(figure.svg.into_bytes()),
        None if report.partial => Ok(Vec::new()),
        None => Err("there is nothing to draw".into()),
    }
}
