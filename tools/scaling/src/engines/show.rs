//! The table and the figures of several engines.

use std::io;

use heddle::text::show::grouped;
use heddle_figures::COLORS;

use crate::document::Document;
use crate::plot::{Figure, Scale, Series, apart, draw};
use crate::serial;
use crate::stats::Estimate;
use crate::summary::Row;
use crate::tables::{INTERVALS, TIMES, interval};
use crate::text;
use heddle_figures::listing::{Column, Listing};

use super::comparison::{Comparison, Engine};

/// Nodes per second are drawn in millions.
const MILLION: f64 = 1e6;

/// The one table; `None` without figures.
fn listing(engines: &[Engine]) -> Option<Listing> {
    let columns = vec![
        Column::new("engine", "", ""),
        Column::new("threads", "", ""),
        Column::new("nps", "nodes/s", "nodes per second, of all threads together"),
        Column::new("nps ratio", TIMES, "nps over that of one thread"),
        Column::new("time to depth", "s", "mean time until the engine last reports the depth"),
        Column::new("speed-up", TIMES, "time to depth of one thread over that of these threads"),
        Column::new("node overhead", TIMES, "nodes to complete the depth over those of one thread"),
        Column::new("same move", "%", "searches that chose the move of one thread"),
        Column::new("positions", "", "positions compared with one thread"),
    ];
    let cells = |name: &str, row: &Row| {
        vec![
            name.to_owned(),
            row.threads.to_string(),
            grouped(row.nps.round() as u64),
            interval(row.nps_ratio),
            format!("{:.3}", row.time),
            interval(row.speed_up),
            interval(row.node_overhead),
            format!("{:.0}", 100.0 * row.agreement),
            row.positions.to_string(),
        ]
    };
    let rows: Vec<_> = engines
        .iter()
        .flat_map(|engine| engine.rows.iter().map(move |row| cells(&engine.name, row)))
        .collect();
    (!rows.is_empty()).then(|| Listing {
        title: "Engines (measured)".into(),
        columns,
        rows,
        legend: format!(
            "{INTERVALS} Speed-up = nps ratio / node overhead. Engines count nodes and depths each in \
             their own way: compare ratios, not nps or times."
        ),
    })
}

/// The figures; none if no engine was measured on several threads.
fn figures(engines: &[Engine]) -> Result<Vec<Figure>, String> {
    let mut rows = engines.iter().flat_map(|engine| &engine.rows);
    if rows.all(|row| row.threads == 1) {
        return Ok(Vec::new());
    }
    let figure = |caption: &str, axis, scale, value: fn(&Row) -> Estimate| {
        let svg = draw(axis, scale, &series(engines, value))?;
        Ok(Figure { caption: caption.to_owned(), svg })
    };
    [
        figure(
            "Speed-up in time to depth, with 95 % intervals; grey is the ideal.",
            "speed-up (×)",
            Scale::Ratio,
            |row| row.speed_up,
        ),
        figure(
            "Nodes per second of all threads together.",
            "million nodes/s",
            Scale::Amount,
            |row| Estimate::exact(row.nps / MILLION),
        ),
    ]
    .into_iter()
    .collect()
}

/// One series per engine that was measured, named and colored.
fn series(engines: &[Engine], value: fn(&Row) -> Estimate) -> Vec<Series> {
    let measured = engines.iter().filter(|engine| !engine.rows.is_empty()).enumerate();
    let series = measured.map(|(place, engine)| Series {
        name: engine.name.clone(),
        color: COLORS[place % COLORS.len()],
        points: engine.rows.iter().map(|row| (apart(row.threads, place), value(row))).collect(),
        joined: true,
        ..Series::default()
    });
    series.collect()
}

impl Document for Comparison {
    fn title(&self) -> String {
        let names: Vec<&str> = self.engines.iter().map(|engine| engine.name.as_str()).collect();
        format!("Scaling of {} over {}", names.join(", "), self.conditions.suite)
    }

    fn conditions(&self) -> Vec<(&'static str, String)> {
        let engines = self.engines.iter().map(|engine| {
            let options = engine.options.iter().map(|(name, value)| format!(", {name} {value}"));
            let Engine { name, command, .. } = engine;
            ("Engine", format!("{name}: {command}{}", options.collect::<String>()))
        });
        engines.chain(text::conditions(&self.conditions, &self.extent)).collect()
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn advice(&self) -> &[String] {
        &self.advice
    }

    fn listings(&self) -> Vec<Listing> {
        listing(&self.engines).into_iter().collect()
    }

    fn figures(&self) -> Result<Vec<Figure>, String> {
        figures(&self.engines)
    }

    fn json(&self, output: &mut Vec<u8>) -> io::Result<()> {
        serial::json(self, output)
    }

    fn csv(&self, output: &mut Vec<u8>) -> io::Result<()> {
        serial::csv(&self.samples, output)
    }

    fn is_partial(&self) -> bool {
        self.extent.partial
    }
}
