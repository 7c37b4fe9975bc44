//! The path of every parameter as a drawing in SVG: small multiples, each as high as its range.

use heddle_figures::{COLORS, FONT, GRID, INK};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::parameter::Parameter;
use crate::session::Session;

const COLUMNS: usize = 5;
/// Size of a small drawing, and the space between two.
const WIDTH: i32 = 216;
const HEIGHT: i32 = 72;
const GAP: i32 = 20;
/// Height of the two lines of text above it.
const HEAD: i32 = 34;
/// Height of the title, and the margin around everything.
const TITLE: i32 = 40;
const EDGE: i32 = 16;
const TITLE_SIZE: i32 = 20;
const NAME_SIZE: i32 = 14;
const FAINT: RGBColor = RGBColor(120, 120, 120);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// The paths of a tuning.
///
/// # Errors
/// The error from the drawing library, as text.
pub fn svg(session: &Session) -> Result<String, String> {
    let rows = session.plan.parameters.len().div_ceil(COLUMNS) as i32;
    let width = 2 * EDGE + COLUMNS as i32 * (WIDTH + GAP) - GAP;
    let height = 2 * EDGE + TITLE + rows * (HEAD + HEIGHT + GAP) - GAP;
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (width as u32, height as u32)).into_drawing_area();
    draw(&area, session).map_err(|error| error.to_string())?;
    drop(area);
    Ok(svg)
}

fn draw(area: &Area<'_>, session: &Session) -> Drawn {
    area.fill(&WHITE)?;
    let title = format!(
        "{} of {} pairs at {} nodes per move; each box is as high as the parameter's range, \
         grey is the default",
        session.played(),
        session.plan.pairs,
        session.plan.nodes
    );
    write(area, &title, (EDGE, EDGE + TITLE / 2), TITLE_SIZE, INK)?;
    for (index, parameter) in session.plan.parameters.iter().enumerate() {
        let (column, row) = ((index % COLUMNS) as i32, (index / COLUMNS) as i32);
        let corner = (EDGE + column * (WIDTH + GAP), EDGE + TITLE + row * (HEAD + HEIGHT + GAP));
        draw_one(area, session, index, parameter, corner)?;
    }
    area.present()?;
    Ok(())
}

/// Draws the path of parameter `index`, with its text, below and right of `corner`.
fn draw_one(
    area: &Area<'_>,
    session: &Session,
    index: usize,
    parameter: &Parameter,
    corner: (i32, i32),
) -> Drawn {
    let (left, top) = (corner.0, corner.1 + HEAD);
    let Parameter { name, default, least, greatest, .. } = parameter;
    let value = session.values[index];
    write(area, name, (left, corner.1 + HEAD / 4), NAME_SIZE, INK)?;
    let values = format!("{default} → {value:.1}   ({least} to {greatest})");
    write(area, &values, (left, corner.1 + HEAD * 3 / 4 - 2), NAME_SIZE, FAINT)?;
    let place = |pairs: u64, value: f64| {
        let x = pairs as f64 / session.plan.pairs as f64 * f64::from(WIDTH);
        let y = (1.0 - parameter.share(value)) * f64::from(HEIGHT);
        (left + x.round() as i32, top + y.round() as i32)
    };
    let start = f64::from(*default);
    area.draw(&PathElement::new([place(0, start), place(session.plan.pairs, start)], GRID))?;
    area.draw(&Rectangle::new([(left, top), (left + WIDTH, top + HEIGHT)], GRID))?;
    let path = session.path.iter().map(|point| place(point.pairs, point.values[index]));
    let path: Vec<_> = path.chain([place(session.played(), value)]).collect();
    area.draw(&PathElement::new(path, COLORS[0].stroke_width(2)))?;
    Ok(())
}

fn write(area: &Area<'_>, text: &str, at: (i32, i32), size: i32, color: RGBColor) -> Drawn {
    let style = (FONT, size).into_font().color(&color).pos(Pos::new(HPos::Left, VPos::Center));
    area.draw(&Text::new(text, at, style))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Plan;

    #[test]
    fn every_parameter_has_its_name_its_values_and_its_path() {
        let lines = (0..7).map(|i| format!("MARGIN_{i}, int, {}, 0, 100, 5, 0.002", 10 * i));
        let parameters = lines.map(|line| line.parse().unwrap()).collect();
        let plan =
            Plan { signature: 1, parameters, nodes: 5000, pairs: 9, seed: 1, openings: None };
        let mut session = Session::new(plan);
        for result in [1, 0, 2] {
            let trial = session.take().unwrap();
            session.finish(&trial, result);
        }
        let svg = svg(&session).unwrap();
        assert!(svg.contains("3 of 9 pairs at 5000 nodes"));
        for i in 0..7 {
            assert!(svg.contains(&format!("MARGIN_{i}\n")), "{svg}");
            let value = session.values[i];
            let values = format!("{} → {value:.1}   (0 to 100)", 10 * i);
            assert!(svg.contains(&values), "{values}");
        }
        // A path and a line at the default each.
        assert_eq!(svg.matches("<polyline").count(), 14);
    }
}
