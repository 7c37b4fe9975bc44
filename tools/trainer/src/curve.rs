//! Plots the loss over the number of positions trained on.

use plotters::prelude::*;

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

const SIZE: (u32, u32) = (800, 480);
/// Space above and below the curves, as a share of their height.
const MARGIN: f64 = 0.1;

/// The curve as SVG; `None` without points.
///
/// # Errors
/// The error from the drawing library, as text.
pub fn svg(points: &[Point]) -> Result<Option<String>, String> {
    let losses = || points.iter().flat_map(|p| [Some(p.training), p.held_out]).flatten();
    let (low, high) = losses().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
    let Some(last) = points.last() else { return Ok(None) };
    let margin = (high - low).max(f64::EPSILON) * MARGIN;
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    let draw = || -> Result<(), Box<dyn std::error::Error + '_>> {
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(16)
            .x_label_area_size(40)
            .y_label_area_size(70)
            .caption("Loss", ("sans-serif", 20))
            .build_cartesian_2d(0.0..last.positions, low - margin..high + margin)?;
        chart.configure_mesh().x_desc("million positions").y_desc("squared error").draw()?;
        let training = points.iter().map(|p| (p.positions, p.training));
        chart
            .draw_series(LineSeries::new(training, &BLUE))?
            .label("training")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], BLUE));
        let held_out = points.iter().filter_map(|p| Some((p.positions, p.held_out?)));
        chart
            .draw_series(LineSeries::new(held_out, &RED))?
            .label("held out")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], RED));
        chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
        area.present()?;
        Ok(())
    };
    draw().map_err(|error| error.to_string())?;
    drop(area);
    Ok(Some(text))
}
