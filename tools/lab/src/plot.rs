//! The comparison as a bar chart.

use heddle_figures::{FONT, INK};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::measure::Row;
use crate::methods::BASELINE;
use heddle::score::Depth;

/// A width at which the labels can still be read on a phone.
const WIDTH: u32 = 480;
const BAR: i32 = 14;
const STEP: i32 = 21;
const TOP: i32 = 48;
const LEFT: i32 = 190;
const RIGHT: i32 = 62;
const MARGIN: i32 = 8;
/// The bar of the fewest nodes.
const SHORTEST: i32 = 6;
const TITLE: i32 = 15;
const LABEL: i32 = 14;
const FILL: RGBColor = RGBColor(86, 130, 177);
const BASE_FILL: RGBColor = RGBColor(201, 122, 64);

/// The chart in SVG: one bar per row, the longest first, the baseline marked. The scale is
/// logarithmic: minimax takes a hundred times the nodes of the others.
///
/// # Errors
/// The error from the drawing library.
pub fn svg(depth: Depth, rows: &[Row]) -> Result<String, String> {
    let height = TOP + STEP * rows.len() as i32 + STEP;
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (WIDTH, height as u32)).into_drawing_area();
    draw(&area, depth, rows).map_err(|error| error.to_string())?;
    drop(area);
    Ok(svg)
}

fn draw(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    depth: Depth,
    rows: &[Row],
) -> Result<(), Box<dyn std::error::Error>> {
    area.fill(&WHITE)?;
    let positions = rows.first().map_or(0, |row| row.values.len());
    let positions =
        if positions == 1 { "1 position".into() } else { format!("{positions} positions") };
    let title = format!("Nodes over {BASELINE}'s (log scale), depth {depth}, {positions}");
    let ink = |size, h| (FONT, size).into_font().color(&INK).pos(Pos::new(h, VPos::Center));
    area.draw(&Text::new(title, (MARGIN, TOP / 2), ink(TITLE, HPos::Left)))?;
    // A row of no nodes would have no place on the scale.
    let place = |row: &Row| row.nodes_to_baseline.max(f64::MIN_POSITIVE).ln();
    let most = rows.iter().map(place).fold(0.0, f64::max);
    let least = rows.iter().map(place).fold(0.0, f64::min);
    let room = f64::from(WIDTH as i32 - LEFT - RIGHT - SHORTEST);
    let length = |row: &Row| match most - least {
        width if width > 0.0 => (place(row) - least) / width * room,
        _ => room,
    };
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by(|a, b| b.nodes_to_baseline.total_cmp(&a.nodes_to_baseline));
    for (i, row) in rows.into_iter().enumerate() {
        let middle = TOP + STEP * i as i32 + STEP / 2;
        let end = LEFT + SHORTEST + length(row).round() as i32;
        let fill = if row.algorithm == BASELINE { BASE_FILL } else { FILL };
        let bar = [(LEFT, middle - BAR / 2), (end, middle + BAR / 2)];
        area.draw(&Rectangle::new(bar, fill.filled()))?;
        area.draw(&Text::new(row.algorithm, (LEFT - 8, middle), ink(LABEL, HPos::Right)))?;
        let figure = format!("{:.3}", row.nodes_to_baseline);
        area.draw(&Text::new(figure, (end + 8, middle), ink(LABEL, HPos::Left)))?;
    }
    area.present()?;
    Ok(())
}
