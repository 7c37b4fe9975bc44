//! Plots the loss over the number of positions trained on.

use heddle_figures::{COLORS, FONT, GRID, INK};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A point of the curve.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Point {
    /// Positions trained on, in millions.
    pub positions: f64,
    /// Mean loss of the batches since the previous point.
    pub training: f64,
    /// Loss on held-out games, if there are any.
    pub held_out: Option<f64>,
}

const SIZE: (u32, u32) = (720, 400);
/// Space around everything; to the right, for the names of the curves.
const EDGE: u32 = 16;
const NAMES: u32 = 84;
const LABEL: u32 = 16;
/// Space above and below the curves, as a share of their height.
const MARGIN: f64 = 0.06;
/// The least height of the drawing, in loss, so that a flat curve is drawn flat.
const LEAST: f64 = 1e-6;

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// The curve as SVG; `None` without points.
///
/// # Errors
/// The error from the drawing library, as text.
pub fn svg(points: &[Point]) -> Result<Option<String>, String> {
    if points.is_empty() {
        return Ok(None);
    }
    let mut text = String::new();
    draw(&mut text, points).map_err(|error| error.to_string())?;
    Ok(Some(text))
}

fn draw(text: &mut String, points: &[Point]) -> Drawn {
    let training: Vec<_> = points.iter().map(|p| (p.positions, p.training)).collect();
    let held_out: Vec<_> = points.iter().filter_map(|p| Some((p.positions, p.held_out?))).collect();
    let losses = || training.iter().chain(&held_out).map(|&(_, loss)| loss);
    let (low, high) = losses().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
    let margin = (high - low) * MARGIN + (LEAST - (high - low)).max(0.0) / 2.0;
    let last = training.last().map_or(0.0, |&(positions, _)| positions);

    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(EDGE)
        .margin_right(EDGE + NAMES)
        .x_label_area_size(44)
        .y_label_area_size(76)
        .build_cartesian_2d(0.0..last, low - margin..high + margin)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style((FONT, LABEL).into_font().color(&INK))
        .x_labels(8)
        .y_labels(6)
        .x_label_formatter(&|positions| number(*positions))
        .y_label_formatter(&|loss| number(*loss))
        .x_desc("positions learnt from (millions)")
        .y_desc("loss (squared error)")
        .draw()?;
    let curves = [("training", training), ("held out", held_out)];
    for ((name, curve), color) in curves.into_iter().zip(COLORS) {
        let Some(&end) = curve.last() else { continue };
        chart.draw_series(LineSeries::new(curve, color.stroke_width(2)))?;
        let (x, y) = chart.backend_coord(&end);
        let style = (FONT, LABEL).into_font().color(&color).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(name, (x + 8, y), style))?;
    }
    area.present()?;
    Ok(())
}

/// A number to seven decimals, without trailing zeros.
fn number(value: f64) -> String {
    let text = format!("{value:.7}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(positions: f64, training: f64, held_out: Option<f64>) -> Point {
        Point { positions, training, held_out }
    }

    #[test]
    fn both_curves_are_drawn_and_named() {
        let points = [point(10.0, 0.01, Some(0.009)), point(20.0, 0.007, Some(0.008))];
        let drawing = svg(&points).unwrap().unwrap();
        for part in ["training", "held out", "#0072B2", "#D55E00", "millions"] {
            assert!(drawing.contains(part), "{part}: {drawing}");
        }
        let alone = svg(&[point(10.0, 0.01, None)]).unwrap().unwrap();
        assert!(alone.contains("training") && !alone.contains("held out"), "{alone}");
        assert!(!alone.contains("NaN") && !alone.contains("inf"), "{alone}");
        assert_eq!(svg(&[]), Ok(None));
    }

    #[test]
    fn labels_have_no_more_digits_than_they_need() {
        assert_eq!([0.0, 0.0075, 100.0, 0.1 + 0.2].map(number), ["0", "0.0075", "100", "0.3"]);
    }
}
