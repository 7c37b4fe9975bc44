//! Reports as data for other programs.

use std::io::{self, Write};

use serde::Serialize;

/// Writes `rows` as comma-separated values, with a header.
///
/// # Errors
/// Those of `output`.
pub fn csv<R: Serialize>(rows: &[R], output: impl Write) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(output);
    for row in rows {
        writer.serialize(row).map_err(io::Error::other)?;
    }
    writer.flush()
}

/// Writes a report as indented JSON.
///
/// # Errors
/// Those of `output`.
pub fn json<R: Serialize>(report: &R, mut output: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut output, report)?;
    writeln!(output)
}
