//! The requested output files.

use std::io;
use std::path::PathBuf;

use heddle_figures::output::{OutputError, OutputFile};

use crate::args::Args;
use crate::document::Document;
use crate::html::page;
use crate::listing::Listing;
use crate::plot::{self, Figure};
use crate::report::Report;
use crate::{tables, text};

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

/// A format of a report.
#[derive(Copy, Clone, Debug)]
enum Form {
    Json,
    Csv,
    Html,
    Svg,
}

impl Form {
    const fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Csv => "CSV",
            Self::Html => "HTML",
            Self::Svg => "SVG",
        }
    }

    fn content(self, report: &impl Document) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let written = match self {
            Self::Json => report.json(&mut bytes),
            Self::Csv => report.csv(&mut bytes),
            Self::Html => return page(report).map(String::into_bytes),
            Self::Svg => return svg(report),
        };
        written.map(|()| bytes).map_err(|error| error.to_string())
    }
}

/// Open output files, each with its format.
pub struct Files(Vec<(OutputFile, Form)>);

impl Files {
    /// Opens the files that `args` ask for.
    ///
    /// # Errors
    /// [`OutputError`] when one of them cannot be written.
    pub fn open(args: &Args) -> Result<Self, OutputError> {
        let forms: [(&Option<PathBuf>, Form); 4] = [
            (&args.json, Form::Json),
            (&args.csv, Form::Csv),
            (&args.html, Form::Html),
            (&args.svg, Form::Svg),
        ];
        let asked = forms.into_iter().filter_map(|(path, form)| Some((path.as_ref()?, form)));
        let open = |(path, form): (&PathBuf, _)| Ok((OutputFile::open(path)?, form));
        asked.map(open).collect::<Result<_, _>>().map(Self)
    }

    /// Writes the report to every file, even if some of them fail.
    ///
    /// # Errors
    /// The first [`WriteError`].
    pub fn write(self, report: &impl Document) -> Result<(), WriteError> {
        let write = |(file, form): (OutputFile, Form)| {
            let failed = |reason| WriteError::Form { form: form.name(), reason };
            Ok(file.write(&form.content(report).map_err(failed)?)?)
        };
        self.0.into_iter().map(write).fold(Ok(()), Result::and)
    }
}

/// The first figure; an error if there is none, and no interrupt is to blame.
fn svg(report: &impl Document) -> Result<Vec<u8>, String> {
    match report.figures()?.into_iter().next() {
        Some(figure) => Ok(figure.svg.into_bytes()),
        None if report.is_partial() => Ok(Vec::new()),
        None => Err("there is nothing to draw".into()),
    }
}

impl Document for Report {
    fn title(&self) -> String {
        format!("Heddle: scaling over {}", self.conditions.suite)
    }

    fn conditions(&self) -> Vec<(&'static str, String)> {
        text::conditions(&self.conditions, &self.extent)
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn advice(&self) -> &[String] {
        &self.advice
    }

    fn listings(&self) -> Vec<Listing> {
        tables::listings(self)
    }

    fn figures(&self) -> Result<Vec<Figure>, String> {
        plot::figures(self)
    }

    fn json(&self, output: &mut Vec<u8>) -> io::Result<()> {
        Self::json(self, output)
    }

    fn csv(&self, output: &mut Vec<u8>) -> io::Result<()> {
        Self::csv(self, output)
    }

    fn is_partial(&self) -> bool {
        self.extent.partial
    }
}
