//! How a match went: the estimate of the difference, and the test's likelihood ratio, over the
//! games.

use std::ops::Range;

use heddle_figures::{COLORS, FONT, GRID, INK};
use heddle_selfplay::Score;
use plotters::prelude::*;

use crate::plot::{AXIS_HEIGHT, AXIS_WIDTH, Figure, LABEL, LINE, MARGIN, SIZE};

use super::sprt::Sprt;

/// The most points of a curve: more are not seen.
const MAX_POINTS: usize = 400;
/// Pairs before the first estimate that is drawn: earlier ones would stretch the axis.
const FIRST_PAIR: usize = 10;
/// Part of the whole height that is left free above and below.
const FREE: f64 = 0.08;
/// How strongly the interval is colored.
const BAND: f64 = 0.2;

/// The state of a match after some games.
struct Point {
    games: f64,
    /// The difference in Elo with its interval: low, value, high.
    elo: Option<[f64; 3]>,
    /// The logarithm of the likelihood ratio.
    ratio: Option<f64>,
}

/// The figures of a match: `pairs` are the points of the first side in both games of each.
///
/// # Errors
/// The error from the drawing library.
pub fn figures(pairs: &[[f64; 2]], sprt: Option<Sprt>) -> Result<Vec<Figure>, String> {
    let points = points(pairs, sprt);
    let mut figures = Vec::new();
    let elo: Vec<_> = points.iter().filter_map(|point| Some((point.games, point.elo?))).collect();
    if elo.len() > 1 {
        let figure = "Difference in Elo over the games, with its 95 % interval.";
        figures.push(Figure { caption: figure.into(), svg: drawn("Elo", &elo, &[0.0])? });
    }
    let ratio = points.iter().filter_map(|point| Some((point.games, [point.ratio?; 3])));
    let ratio: Vec<_> = ratio.collect();
    if ratio.len() > 1 {
        let limit = Sprt::limit();
        let figure =
            "The test's log-likelihood ratio over the games; it is decided at a grey line.";
        figures
            .push(Figure { caption: figure.into(), svg: drawn("LLR", &ratio, &[-limit, limit])? });
    }
    Ok(figures)
}

fn points(pairs: &[[f64; 2]], sprt: Option<Sprt>) -> Vec<Point> {
    let step = pairs.len().div_ceil(MAX_POINTS).max(1);
    let mut score = Score::default();
    let mut points = Vec::new();
    for (number, halves) in (1..).zip(pairs) {
        score.add_halves(halves.map(|points| (2.0 * points).round() as usize));
        if number % step != 0 && number != pairs.len() {
            continue;
        }
        let elo = score.elo().filter(|_| number >= FIRST_PAIR.min(pairs.len()));
        points.push(Point {
            games: 2.0 * number as f64,
            elo: elo.map(|(value, half)| [value - half, value, value + half]),
            ratio: sprt.map(|sprt| sprt.ratio(&score)),
        });
    }
    points
}

/// Draws a curve with its band and grey lines at these heights.
fn drawn(axis: &str, points: &[(f64, [f64; 3])], lines: &[f64]) -> Result<String, String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    paint(&area, axis, points, lines).map_err(|error| error.to_string())?;
    drop(area);
    Ok(svg)
}

fn paint(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    axis: &str,
    points: &[(f64, [f64; 3])],
    lines: &[f64],
) -> Result<(), Box<dyn std::error::Error>> {
    area.fill(&WHITE)?;
    let games = 0.0..points.last().map_or(1.0, |&(games, _)| games);
    let mut chart = ChartBuilder::on(area)
        .margin(MARGIN)
        .x_label_area_size(AXIS_HEIGHT)
        .y_label_area_size(AXIS_WIDTH)
        .build_cartesian_2d(games.clone(), heights(points, lines))?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style((FONT, LABEL).into_font().color(&INK))
        .x_labels(5)
        .y_labels(6)
        .x_desc("games")
        .y_desc(axis)
        .x_label_formatter(&|games| format!("{games:.0}"))
        .y_label_formatter(&|value| format!("{value:.0}"))
        .draw()?;
    for &line in lines {
        let ends = vec![(games.start, line), (games.end, line)];
        chart.draw_series([PathElement::new(ends, INK.mix(0.5).stroke_width(LINE - 1))])?;
    }
    let color = COLORS[0];
    let low = points.iter().map(|&(games, [low, ..])| (games, low));
    let high = points.iter().rev().map(|&(games, [.., high])| (games, high));
    chart.draw_series([Polygon::new(low.chain(high).collect::<Vec<_>>(), color.mix(BAND))])?;
    let middle: Vec<_> = points.iter().map(|&(games, [_, value, _])| (games, value)).collect();
    chart.draw_series([PathElement::new(middle, color.stroke_width(LINE))])?;
    area.present()?;
    Ok(())
}

/// The heights that hold everything.
fn heights(points: &[(f64, [f64; 3])], lines: &[f64]) -> Range<f64> {
    let all = || points.iter().flat_map(|(_, ends)| ends).chain(lines).copied();
    let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max));
    let free = FREE * (high - low).max(1.0);
    low - free..high + free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_has_its_course_drawn() {
        let pairs: Vec<[f64; 2]> = (0..60).map(|n| [[1.0, 0.5, 0.0][n % 3], 0.5]).collect();
        let sprt = Sprt { elo0: 0.0, elo1: 10.0 };
        let both = figures(&pairs, Some(sprt)).unwrap();
        assert_eq!(both.len(), 2);
        for figure in &both {
            assert!(
                figure.svg.contains("\ngames\n") && !figure.svg.contains("NaN"),
                "{}",
                figure.svg
            );
        }
        assert!(both[0].svg.contains("\nElo\n") && both[1].svg.contains("\nLLR\n"));
        assert_eq!(figures(&pairs, None).unwrap().len(), 1, "without a test no ratio");
        assert!(figures(&[], Some(sprt)).unwrap().is_empty());
        assert!(figures(&[[0.5, 0.5]; 30], None).unwrap().is_empty(), "no interval, no curve");
    }

    #[test]
    fn the_curve_ends_at_the_result_and_has_few_points() {
        let pairs: Vec<[f64; 2]> = (0..5001).map(|n| [[1.0, 0.5, 0.0, 1.0][n % 4], 0.5]).collect();
        let points = points(&pairs, None);
        assert!(points.len() <= MAX_POINTS + 1, "{}", points.len());
        let last = points.last().unwrap();
        assert_eq!(last.games, 2.0 * pairs.len() as f64);
        let mut score = Score::default();
        pairs.iter().for_each(|pair| score.add_halves(pair.map(|points| (2.0 * points) as usize)));
        assert_eq!(last.elo.unwrap()[1], score.elo().unwrap().0);
    }
}
