//! The figures as drawings in SVG.

use std::ops::Range;

use heddle_figures::{COLORS, FONT, GRID, INK};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::configuration::Policy;
use crate::report::Report;
use crate::stats::Estimate;
use crate::summary::Row;
use crate::tables;

/// Size of a drawing in its own units; a page scales it.
pub const SIZE: (u32, u32) = (480, 360);
pub const LABEL: u32 = 17;
pub const MARGIN: u32 = 10;
pub const AXIS_HEIGHT: u32 = 44;
pub const AXIS_WIDTH: u32 = 58;
const DOT: u32 = 5;
const SMALL_DOT: u32 = 3;
/// Width of lines, and of the intervals' bars.
pub const LINE: u32 = 3;
const BAR: u32 = 2;
/// A character of a label is about this wide, and labels are at least this far apart.
const LETTER: u32 = 9;
const APART_LABELS: i32 = LABEL as i32 + 1;
/// Between the end of a line and its label.
const LABEL_GAP: i32 = 8;
const IDEAL: RGBColor = RGBColor(150, 150, 150);
/// Horizontal distance between series, in doublings of the threads, so that their intervals do
/// not overlap.
const APART: f64 = 0.04;
/// Margin on each side of the points, in doublings.
const FREE: f64 = 0.15;
/// Points of a law's curve per doubling.
const STEPS: usize = 8;
/// Steps of the efficiency axis between 0 and 1.
const TENTHS: i32 = 10;

/// A drawing with its caption.
pub struct Figure {
    /// What it shows.
    pub caption: String,
    /// The drawing.
    pub svg: String,
}

/// Whatever is drawn in one color.
#[derive(Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// The color.
    pub color: RGBColor,
    /// Threads, and a value with its interval.
    pub points: Vec<(f64, Estimate)>,
    /// Threads and values of single positions.
    pub cloud: Vec<(f64, f64)>,
    /// A curve without points.
    pub curve: Vec<(f64, f64)>,
    /// Whether the points are joined.
    pub joined: bool,
}

/// The vertical axis.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Scale {
    /// Logarithmic; the ideal is the number of threads.
    Ratio,
    /// Logarithmic, without an ideal.
    Amount,
    /// Linear from 0, shown in per cent; the ideal is 1.
    Share,
}

impl Scale {
    fn place(self, value: f64) -> f64 {
        if self == Self::Share { value } else { value.log2() }
    }

    fn label(self, place: f64) -> String {
        if self == Self::Share { format!("{:.0}", 100.0 * place) } else { number(place.exp2()) }
    }

    fn ideal(self, threads: f64) -> Option<f64> {
        match self {
            Self::Ratio => Some(threads),
            Self::Share => Some(1.0),
            Self::Amount => None,
        }
    }
}

/// An axis with explicit marks.
struct Axis {
    places: RangedCoordf64,
    marks: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.places.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.marks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.places.range()
    }
}

/// The drawings of a report.
///
/// # Errors
/// The error from the drawing library.
pub fn figures(report: &Report) -> Result<Vec<Figure>, String> {
    let mut figures = Vec::new();
    let word = report.conditions.time_unit.word();
    let mut add = |caption: &str, axis: &str, scale, series: &[Series]| {
        draw(axis, scale, series)
            .map(|svg| figures.push(Figure { caption: format!("{caption} ({word})"), svg }))
    };
    if report.rows.iter().all(|row| row.threads == 1) {
        return Ok(figures);
    }
    add(
        "Speed-up in time to depth by policy, with 95 % intervals; grey is the ideal.",
        "speed-up (×)",
        Scale::Ratio,
        &by_policy(report, |row| row.speed_up),
    )?;
    add(
        "Efficiency: speed-up per thread, by policy.",
        "efficiency (%)",
        Scale::Share,
        &by_policy(report, |row| row.efficiency),
    )?;
    if tables::shows_speed(report) {
        add(
            if report.forecasts.is_empty() {
                "Nodes per second over those on one thread, with 95 % intervals; grey is the ideal."
            } else {
                "Nodes per second over those on one thread: dots are measured; curves are the fitted law, \
                 extrapolated beyond the last dot."
            },
            "nps ratio (×)",
            Scale::Ratio,
            &speeds(report),
        )?;
    }
    add(
        "Speed-up in every single position; the line is the geometric mean.",
        "speed-up (×)",
        Scale::Ratio,
        &clouds(report),
    )?;
    Ok(figures)
}

/// The rows of a policy, including one thread, each with its place on the axis of threads.
fn rows(report: &Report, policy: Policy, place: usize) -> impl Iterator<Item = (f64, &Row)> {
    let rows = report.rows.iter().filter(move |row| row.threads == 1 || row.policy == Some(policy));
    rows.map(move |row| (apart(row.threads, place), row))
}

/// Where a number of threads is drawn for the series at `place`: beside those of other series, but
/// for one thread.
pub fn apart(threads: usize, place: usize) -> f64 {
    let shift = if threads == 1 { 0.0 } else { place as f64 * APART };
    threads as f64 * shift.exp2()
}

fn by_policy(report: &Report, value: fn(&Row) -> Estimate) -> Vec<Series> {
    each_policy(report, |place, policy| Series {
        points: rows(report, policy, place).map(|(at, row)| (at, value(row))).collect(),
        joined: true,
        ..Series::default()
    })
}

fn speeds(report: &Report) -> Vec<Series> {
    each_policy(report, |place, policy| {
        let forecast = report.forecasts.iter().find(|forecast| forecast.policy == policy);
        let curve = forecast.map(|forecast| {
            let last = forecast.predictions.last().map_or(1, |prediction| prediction.threads);
            let steps = STEPS * last.ilog2() as usize;
            let threads = (0..=steps).map(|step| (step as f64 / STEPS as f64).exp2());
            threads.map(|threads| (threads, forecast.law().at(threads))).collect()
        });
        Series {
            points: rows(report, policy, place).map(|(at, row)| (at, row.nps_ratio)).collect(),
            joined: curve.is_none(),
            curve: curve.unwrap_or_default(),
            ..Series::default()
        }
    })
}

fn clouds(report: &Report) -> Vec<Series> {
    each_policy(report, |place, policy| Series {
        cloud: rows(report, policy, place)
            .filter(|(_, row)| row.threads > 1)
            .flat_map(|(at, row)| row.in_positions.iter().map(move |p| (at, p.speed_up)))
            .collect(),
        curve: rows(report, policy, place).map(|(at, row)| (at, row.speed_up.value)).collect(),
        ..Series::default()
    })
}

/// One series per policy, named and colored.
fn each_policy(report: &Report, series: impl Fn(usize, Policy) -> Series) -> Vec<Series> {
    let policies = report.policies().into_iter().enumerate();
    let named = policies.map(|(place, policy)| Series {
        name: policy.to_string(),
        color: COLORS[place % COLORS.len()],
        ..series(place, policy)
    });
    named.collect()
}

/// Draws series over the threads.
///
/// # Errors
/// The error from the drawing library.
pub fn draw(axis: &str, scale: Scale, series: &[Series]) -> Result<String, String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    paint(&area, axis, scale, series).map_err(|error| error.to_string())?;
    drop(area);
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn paint(area: &Area<'_>, axis: &str, scale: Scale, series: &[Series]) -> Drawn {
    area.fill(&WHITE)?;
    let values = |series: &Series| -> Vec<(f64, f64)> {
        let ends = series
            .points
            .iter()
            .flat_map(|&(at, e)| [e.low, e.value, e.high].map(|value| (at, value)));
        ends.chain(series.cloud.iter().copied()).chain(series.curve.iter().copied()).collect()
    };
    let all: Vec<(f64, f64)> = series.iter().flat_map(values).collect();
    let threads = all.iter().map(|&(at, _)| at).fold(2.0, f64::max);
    let ideal = [1.0, threads].map(|at| Some((at, scale.ideal(at)?)));
    let ideal: Vec<(f64, f64)> = ideal.into_iter().flatten().collect();
    // An open interval ends at the edge: it must not stretch the axis without end.
    let is_shown = |&value: &f64| scale.place(value).is_finite();
    let values = || all.iter().chain(&ideal).map(|&(_, value)| value).filter(is_shown);
    let most = values().fold(f64::MIN_POSITIVE, f64::max);
    let least = values().fold(most, f64::min);
    let doublings = |from: f64, to: f64| -> Vec<f64> {
        (from.log2().floor() as i32..=to.log2().ceil() as i32).map(f64::from).collect()
    };
    let (heights, marks) = match scale {
        Scale::Amount => {
            let marks = doublings(least, most);
            (marks[0] - FREE..marks[marks.len() - 1] + FREE, marks)
        }
        Scale::Ratio => {
            let heights = least.log2() - FREE..most.log2() + FREE;
            let marks = doublings(least, most).into_iter().filter(|mark| heights.contains(mark));
            (heights.clone(), marks.collect())
        }
        Scale::Share => {
            let top = (most * f64::from(TENTHS)).ceil() as i32;
            let marks = (0..=top).step_by(2).map(|tenth| f64::from(tenth) / f64::from(TENTHS));
            (0.0..f64::from(top) / f64::from(TENTHS), marks.collect())
        }
    };
    let (bottom, top) = (heights.start, heights.end);
    let widths = -FREE..threads.log2() + FREE;
    // Names stand at the ends of the lines; a single series is the only one.
    let is_named = series.len() > 1;
    let longest = series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
    let beside = if is_named { LETTER * longest as u32 } else { 0 };
    let mut chart = ChartBuilder::on(area)
        .margin(MARGIN)
        .margin_right(MARGIN + beside)
        .x_label_area_size(AXIS_HEIGHT)
        .y_label_area_size(AXIS_WIDTH)
        .build_cartesian_2d(
            Axis { places: widths.into(), marks: doublings(1.0, threads) },
            Axis { places: heights.into(), marks },
        )?;
    let text = (FONT, LABEL).into_font().color(&INK);
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(text.clone())
        .x_desc("threads")
        .y_desc(axis)
        .x_label_formatter(&|at| number(at.exp2()))
        .y_label_formatter(&|at| scale.label(*at))
        .draw()?;
    let place = |(at, value): (f64, f64)| (at.log2(), scale.place(value).clamp(bottom, top));
    let line = |points: Vec<(f64, f64)>, color: RGBColor, width| {
        std::iter::once(PathElement::new(points, color.stroke_width(width)))
    };
    if !ideal.is_empty() {
        chart.draw_series(line(ideal.into_iter().map(place).collect(), IDEAL, BAR))?;
    }
    let mut labels = Vec::new();
    for Series { name, color, points, cloud, curve, joined } in series {
        let color = *color;
        let middles: Vec<_> = points.iter().map(|&(at, e)| place((at, e.value))).collect();
        let ends = points.iter().map(|&(at, e)| [place((at, e.low)), place((at, e.high))]);
        chart.draw_series(
            ends.map(|ends| PathElement::new(ends.to_vec(), color.stroke_width(BAR))),
        )?;
        chart.draw_series(middles.iter().map(|&at| Circle::new(at, DOT, color.filled())))?;
        let curve: Vec<_> = curve.iter().map(|&at| place(at)).collect();
        if let Some(&end) = curve.last().or(middles.last()) {
            labels.push((chart.backend_coord(&end), name.as_str()));
        }
        if *joined {
            chart.draw_series(line(middles, color, LINE))?;
        }
        let dots =
            cloud.iter().map(|&at| Circle::new(place(at), SMALL_DOT, color.stroke_width(BAR)));
        chart.draw_series(dots)?;
        chart.draw_series(line(curve, color, LINE))?;
    }
    if is_named {
        name_lines(area, &mut labels)?;
    }
    area.present()?;
    Ok(())
}

/// Writes the names of lines at their ends, moved apart where they would overlap.
fn name_lines(area: &Area<'_>, labels: &mut [((i32, i32), &str)]) -> Drawn {
    labels.sort_by_key(|&((_, height), _)| height);
    let mut free = i32::MIN;
    for &mut ((at, height), name) in labels {
        let height = height.max(free);
        free = height + APART_LABELS;
        let style = (FONT, LABEL).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(name.to_owned(), (at + LABEL_GAP, height), style))?;
    }
    Ok(())
}

/// A number to three decimals, without trailing zeros.
fn number(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{ALL_RUNS, report};

    #[test]
    fn every_report_can_be_drawn() {
        for runs in [0, 1, 2, 3, 5, 16, ALL_RUNS] {
            let report = report(runs);
            let figures = figures(&report).unwrap();
            assert_eq!(figures.len(), if runs < 2 { 0 } else { 4 }, "{runs}");
            for figure in figures {
                assert!(figure.svg.starts_with("<svg") && figure.svg.contains("threads"));
                assert!(!figure.svg.contains("NaN") && !figure.svg.contains("inf"));
            }
        }
    }

    #[test]
    fn several_lines_have_their_names_at_their_ends() {
        let series = |name: &str, end: f64| Series {
            name: name.into(),
            points: vec![(1.0, Estimate::exact(1.0)), (4.0, Estimate::exact(end))],
            joined: true,
            ..Series::default()
        };
        let svg = draw("", Scale::Ratio, &[series("first", 3.0), series("second", 3.0)]).unwrap();
        let heights: Vec<f64> = svg
            .split("<text ")
            .filter(|text| text.contains("first") || text.contains("second"))
            .filter_map(|text| text.split_once(" y=\"")?.1.split('"').next()?.parse().ok())
            .collect();
        assert_eq!(heights.len(), 2, "{svg}");
        assert!((heights[0] - heights[1]).abs() >= f64::from(APART_LABELS), "{heights:?}");
        let alone = draw("", Scale::Ratio, &[series("first", 3.0)]).unwrap();
        assert!(!alone.contains("first"), "{alone}");
    }

    #[test]
    fn an_open_interval_ends_at_the_edge() {
        let open = Estimate { value: 2.0, low: 0.0, high: f64::INFINITY };
        let series = |points| Series { points, joined: true, ..Series::default() };
        let svg = |open| {
            draw("", Scale::Ratio, &[series(vec![(2.0, open), (4.0, Estimate::exact(3.0))])])
                .unwrap()
        };
        let labels = |svg: String| svg.matches("<text").count();
        assert_eq!(labels(svg(open)), labels(svg(Estimate::exact(2.0))));
    }
}
