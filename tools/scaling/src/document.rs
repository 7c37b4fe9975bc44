//! What every report has, whatever it reports on.

use std::io;

use crate::plot::Figure;
use heddle_figures::listing::{Column, Listing};

/// The names in the tables' heads that are explained, each once, with their explanations.
pub fn terms(listings: &[Listing]) -> Vec<(&str, &str)> {
    let mut terms = Vec::new();
    for Column { name, meaning, .. } in listings.iter().flat_map(|listing| &listing.columns) {
        let term = (name.as_str(), meaning.as_str());
        if !meaning.is_empty() && !terms.contains(&term) {
            terms.push(term);
        }
    }
    terms
}

/// A report that can be written in every format.
pub trait Document {
    /// The heading.
    fn title(&self) -> String;
    /// The conditions, each with its name.
    fn conditions(&self) -> Vec<(&'static str, String)>;
    /// Caveats a reader must know before trusting the figures.
    fn notes(&self) -> &[String];
    /// The heading of what to make of the figures.
    fn advice_title(&self) -> &'static str {
        "Advice"
    }
    /// What to make of the figures, in whole sentences.
    fn advice(&self) -> &[String];
    /// The tables.
    fn listings(&self) -> Vec<Listing>;
    /// The figures.
    ///
    /// # Errors
    /// The error from the drawing library.
    fn figures(&self) -> Result<Vec<Figure>, String>;
    /// Everything as JSON.
    ///
    /// # Errors
    /// Those of `output`.
    fn json(&self, output: &mut Vec<u8>) -> io::Result<()>;
    /// The searches as comma-separated values, with a header.
    ///
    /// # Errors
    /// Those of `output`.
    fn csv(&self, output: &mut Vec<u8>) -> io::Result<()>;
    /// Whether an interrupt left something out.
    fn is_partial(&self) -> bool;
}
