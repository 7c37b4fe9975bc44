//! Opens a page in headless Chromium, as wide as a phone and as a desktop, light and dark, and
//! reports its faults: script errors, empty figures, content beyond the edge, text that is hard to
//! read.
//!
//! A [`Page`] is driven from outside, as by a reader with a mouse and a keyboard.

mod page;

pub use page::Page;

use std::process::{Command, Stdio};

use maud::{DOCTYPE, PreEscaped, html};

/// Looks at a page from within.
const PROBE: &str = include_str!("probe.js");

/// Widths of the views in CSS pixels: a phone and a desktop.
const WIDTHS: [u32; 2] = [390, 1280];
/// Color schemes that the reader may prefer.
const SCHEMES: [&str; 2] = ["light", "dark"];
/// Where a browser's program may be found.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Begins each line that a view reports.
const MARK: &str = "view: ";

/// A page as one reader sees it.
#[derive(Debug, PartialEq, Eq)]
pub struct View {
    /// Width in CSS pixels and color scheme, as in `390 dark`.
    pub name: String,
    /// Drawings that are shown and not empty.
    pub figures: usize,
    /// What is wrong, one sentence each.
    pub faults: Vec<String>,
}

/// Opens a page in every view; `None`, with a printed line, if no browser is installed.
///
/// # Panics
/// If the browser fails, or the page does not load or has no head.
pub fn views(page: &str) -> Option<Vec<View>> {
    let program = program()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("views.html");
    std::fs::write(&file, frames(page)).expect("a file in the folder");
    let output = Command::new(program)
        // Without its sandbox it runs as root, too; the pages are our own.
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(&file)
        .stderr(Stdio::null())
        .output()
        .expect("it has just run");
    let document = String::from_utf8_lossy(&output.stdout);
    let names = names();
    let views: Vec<View> = names.iter().filter_map(|name| view(name, &document)).collect();
    assert_eq!(views.len(), names.len(), "{program} ({}) shows {views:?}", output.status);
    Some(views)
}

/// The browser's program; `None`, with a printed line, if there is none.
fn program() -> Option<&'static str> {
    let is_there = |program: &&str| {
        let mut version = Command::new(program);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    };
    let found = PROGRAMS.into_iter().find(is_there);
    if found.is_none() {
        println!("skipped: needs {}", PROGRAMS.join(" or "));
    }
    found
}

/// Asserts that every reader can read a page, with at least `figures` drawings. Does nothing, with
/// a printed line, if no browser is installed.
///
/// # Panics
/// If there is a fault.
pub fn assert_readable(page: &str, figures: usize) {
    for view in views(page).into_iter().flatten() {
        let View { name, figures: found, faults } = view;
        assert!(faults.is_empty(), "{name}: {faults:#?}");
        assert!(found >= figures, "{name}: {found} figures, not {figures}");
    }
}

fn names() -> Vec<String> {
    let of_width = |width| SCHEMES.map(|scheme| format!("{width} {scheme}"));
    WIDTHS.into_iter().flat_map(of_width).collect()
}

/// A page that shows another one in every view, and what the probes report of it.
fn frames(page: &str) -> String {
    let (head, rest) = page.split_once("<head>").expect("a page has a head");
    let probed = format!("{head}<head><script>{PROBE}</script>{rest}");
    let report = format!(
        "function report(name, lines) {{\n\
         for (const line of lines) reports.append(`\\n{MARK}${{name}}: ${{line.replace(/\\s+/g, \" \")}}\\n`);\n\
         }}"
    );
    let page = html! {
        (DOCTYPE)
        meta charset="utf-8";
        pre #reports {}
        script { (PreEscaped(report)) }
        @for name in names() {
            @let (width, scheme) = name.split_once(' ').expect("a width and a scheme");
            @let size = format!("width: {width}px; height: 900px; border: 0");
            iframe
                title=(name)
                style={ (size) "; color-scheme: " (scheme) }
                srcdoc=(probed) {}
        }
    };
    page.into_string()
}

/// The view of that name in the browser's document.
fn view(name: &str, document: &str) -> Option<View> {
    let start = format!("{MARK}{name}: ");
    let mut lines = document.lines().filter_map(|line| line.strip_prefix(&start));
    let figures = lines.next()?.strip_suffix(" figures")?.parse().ok()?;
    Some(View { name: name.to_owned(), figures, faults: lines.map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(head: &str, body: &str) -> String {
        let style = "<style>:root { color-scheme: light dark; background: Canvas; }</style>";
        format!("<!DOCTYPE html>\n<html><head>{style}{head}</head><body>{body}</body></html>\n")
    }

    const FIGURE: &str = "<svg viewBox=\"0 0 8 8\"><rect width=\"8\" height=\"8\"/></svg>";

    #[test]
    fn a_good_page_has_no_faults() {
        assert_readable(&page("", &format!("<p>Text</p>{FIGURE}{FIGURE}")), 2);
    }

    #[test]
    fn every_fault_is_found() {
        let wide = "<div style=\"width: 400px\">wide</div>";
        let body = format!(
            "{wide}<div style=\"overflow-x: auto\"><table><tr><td>{wide}</table></div><svg></svg>\
             <p style=\"color: #777; background: #666\">grey</p>"
        );
        let head = "<script>missing()</script><script>const = 1</script>";
        for view in views(&page(head, &body)).into_iter().flatten() {
            let is_phone = view.name.starts_with("390");
            for (fault, is_wanted) in [
                ("missing is not defined", true),
                ("Unexpected token", true),
                ("the page scrolls sideways", is_phone),
                ("div reaches over the edge", is_phone),
                ("scrolls its first column away", is_phone),
                ("svg is empty", true),
                ("p is hard to read", true),
            ] {
                let is_found = view.faults.iter().any(|found| found.contains(fault));
                assert_eq!(is_found, is_wanted, "{fault}: {view:?}");
            }
        }
    }

    #[test]
    fn a_page_that_is_always_light_has_no_dark_mode() {
        let style = "<style>:root { color-scheme: light }</style>";
        for view in views(&page(style, "text")).into_iter().flatten() {
            assert_eq!(view.faults.is_empty(), view.name.ends_with("light"), "{view:?}");
        }
    }
}
