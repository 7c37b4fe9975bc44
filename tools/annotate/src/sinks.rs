//! Where the results go: the annotated PGN to a file or the standard output, the page to a file.

use std::io::{self, Write};
use std::path::PathBuf;

use heddle::streams;
use heddle_figures::output::{OutputError, OutputFile, is_same};

use crate::args::Args;
use crate::game::Game;
use crate::page;
use crate::report::Report;
use crate::resume::Earlier;
use crate::write::pgn;

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The system refused.
    #[error(transparent)]
    File(#[from] OutputError),
    /// The standard output cannot be written.
    #[error("cannot print the games: {0}")]
    Print(#[source] io::Error),
    /// A file would be overwritten while it is read.
    #[error("{} is one of the files of games and stays as it is", .0.display())]
    Input(PathBuf),
    /// Both results would be written to one file.
    #[error("{}: the games and the page need files of their own", .0.display())]
    Overlap(PathBuf),
}

/// Open outputs. Each game is written to all of them as soon as it is done.
pub struct Sinks {
    prints: bool,
    pgn: Option<OutputFile>,
    html: Option<OutputFile>,
    games: usize,
}

impl Sinks {
    /// Opens what `args` ask for, before the work begins; the PGN may go on after that of an
    /// `earlier` run.
    ///
    /// # Errors
    /// [`SinkError`] when a file cannot be written, is one that is read, or is named twice.
    pub fn open(args: &Args, earlier: &Earlier) -> Result<Self, SinkError> {
        let open = |path: &PathBuf| {
            if args.files.iter().any(|file| is_same(file, path)) {
                return Err(SinkError::Input(path.clone()));
            }
            Ok(OutputFile::open(path)?)
        };
        if let Some((pgn, html)) = args.pgn.as_ref().zip(args.html.as_ref())
            && is_same(pgn, html)
        {
            return Err(SinkError::Overlap(pgn.clone()));
        }
        Ok(Self {
            prints: args.pgn.is_none() && args.html.is_none(),
            pgn: args.pgn.as_ref().map(open).transpose()?.map(|file| file.resume(earlier.length)),
            html: args.html.as_ref().map(open).transpose()?,
            games: 0,
        })
    }

    /// Writes a game that has its annotations. A sink that fails keeps no other from its share.
    ///
    /// # Errors
    /// [`SinkError`], the first one.
    pub fn add(&mut self, game: &Game, report: &Report) -> Result<(), SinkError> {
        let text = pgn(game);
        let printed = if self.prints { print(&text) } else { Ok(()) };
        let saved = self.pgn.as_mut().map_or(Ok(()), |file| file.add(text.as_bytes()));
        let first = if self.games == 0 { page::head(game) } else { String::new() };
        self.games += 1;
        let section = || first + &page::section(game, report, self.games);
        let shown = self.html.as_mut().map_or(Ok(()), |file| file.add(section().as_bytes()));
        printed.and(saved.map_err(SinkError::File)).and(shown.map_err(SinkError::File))
    }

    /// Completes the page.
    ///
    /// # Errors
    /// [`SinkError`] when it cannot be written.
    pub fn finish(mut self) -> Result<(), SinkError> {
        match &mut self.html {
            Some(file) if self.games > 0 => Ok(file.add(page::FOOT.as_bytes())?),
            _ => Ok(()),
        }
    }
}

fn print(text: &str) -> Result<(), SinkError> {
    let mut output = streams::output();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(SinkError::Print)
}
