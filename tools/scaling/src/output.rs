//! The requested output files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use heddle_figures::output::{OutputError, OutputFile};

use heddle_progress::tell;

use crate::document::Document;
use crate::html::page;
use crate::plot::{self, Figure};
use crate::report::Report;
use crate::{tables, text};
use heddle_figures::listing::Listing;

/// The group of these options in `--help`.
const OUTPUT: &str = "Output";

/// The files of a report.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Outputs {
    /// Write everything as JSON
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write every single result as comma-separated values
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write an HTML page with tables and figures; it works offline
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write only the first figure
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

impl Outputs {
    fn paths(&self) -> [(&Option<PathBuf>, Form); 4] {
        let Self { json, csv, html, svg } = self;
        [(json, Form::Json), (csv, Form::Csv), (html, Form::Html), (svg, Form::Svg)]
    }

    /// The files that were asked for.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.paths().into_iter().filter_map(|(path, _)| path.as_deref())
    }
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The standard output cannot be written.
    #[error("cannot print the report: {0}")]
    Print(#[source] io::Error),
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

/// Open output files, each with its format and its name.
pub struct Files(Vec<(OutputFile, Form, String)>);

impl Files {
    /// Opens the files that were asked for.
    ///
    /// # Errors
    /// [`OutputError`] when one of them cannot be written.
    pub fn open(outputs: &Outputs) -> Result<Self, OutputError> {
        let paths = outputs.paths().into_iter();
        let asked = paths.filter_map(|(path, form)| Some((path.as_ref()?, form)));
        let open = |(path, form): (&PathBuf, _)| {
            Ok((OutputFile::open(path)?, form, path.display().to_string()))
        };
        asked.map(open).collect::<Result<_, _>>().map(Self)
    }

    /// Writes the report to every file, even if some of them fail, and prints it.
    ///
    /// # Errors
    /// The first [`WriteError`].
    pub fn publish(self, report: &impl Document) -> Result<(), WriteError> {
        let (mut names, mut written) = (Vec::new(), Ok(()));
        for (file, form, name) in self.0 {
            let failed = |reason| WriteError::Form { form: form.name(), reason };
            let content = form.content(report).map_err(failed);
            written = written.and(content.and_then(|bytes| Ok(file.write(&bytes)?)));
            names.push(name);
        }
        let printed = write!(heddle::streams::output(), "{}", text::text(report));
        written?;
        printed.map_err(WriteError::Print)?;
        if !names.is_empty() {
            tell(format_args!("wrote {}", names.join(", ")));
        }
        Ok(())
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
