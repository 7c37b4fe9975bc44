//! The report as a single page without scripts, which works offline: what to make of it first.

use heddle_figures::page;
use maud::html;

use crate::document::{Document, terms};
use crate::plot::Figure;

/// The conditions, the caveats, the figures side by side and the explanations.
const STYLE: &str = "\
.advice { border-left: .3rem solid var(--first); background: var(--card); padding: .2rem .8rem; }
.advice ul { padding-left: 1.1rem; } .advice li:first-child { font-size: 1.1rem; }
.conditions { margin-top: 2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
dl code { font-size: .875em; }
.note { border-left: .3rem solid var(--note); background: var(--card); padding: .4rem .8rem; margin: .6rem 0; }
.terms { font-size: .9rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr));
  gap: 1.5rem; margin-top: 1.5rem; }
svg { width: 100%; border: 1px solid var(--rule); border-radius: .4rem; box-sizing: border-box; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
";

/// The page.
///
/// # Errors
/// The error from the drawing library.
pub fn page(report: &impl Document) -> Result<String, String> {
    let (advice, figures, listings) = (report.advice(), report.figures()?, report.listings());
    let terms = terms(&listings);
    let body = html! {
        @for note in report.notes() { p.note { (note) } }
        @if !advice.is_empty() {
            div.advice {
                h2 { (report.advice_title()) }
                ul { @for text in advice { li { (text) } } }
            }
        }
        @if listings.is_empty() { p { "Nothing was measured." } }
        @if !figures.is_empty() {
            div.figures {
                @for Figure { caption, svg } in &figures {
                    figure { (page::inline(svg)) figcaption { (caption) } }
                }
            }
        }
        @for listing in &listings { (listing.html()) }
        h2.conditions { "Conditions" }
        dl {
            @for (name, value) in report.conditions() {
                dt { (name) }
                dd { @if name == "Command" { code { (value) } } @else { (value) } }
            }
        }
        @if !terms.is_empty() {
            h2 { "Terms" }
            dl.terms { @for (name, meaning) in terms { dt { (name) } dd { (meaning) } } }
        }
    };
    Ok(page::report(&report.title(), STYLE, &body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;
    use crate::report::tests::{ALL_RUNS, report};

    #[test]
    fn a_page_is_whole_and_refers_to_nothing_outside() {
        for runs in [0, 1, 7, ALL_RUNS] {
            let advised = Report { advice: vec!["Use two.".into()], ..report(runs) };
            let page = page(&advised).unwrap();
            assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
            assert!(page.contains("three &amp; more") && page.contains("name=\"viewport\""));
            assert!(page.contains("commit 0123abc") && page.contains("2026-01-02 03:04 UTC"));
            assert!(page.contains("<code>heddle scaling --epd 'three &amp; more'</code>"));
            let explained = "<abbr title=\"speed-up per thread\">efficiency</abbr><small>%</small>";
            assert_eq!(page.contains(explained), runs > 0);
            for outside in ["http:", "https:", "src=", "href=", "@import", "url("] {
                assert!(!page.contains(outside), "{outside}");
            }
            assert_eq!(page.contains("PARTIAL"), runs < ALL_RUNS);
            let place = |text: &str| page.find(text).unwrap_or(page.len());
            assert!(place("<h2>Advice</h2>") < place("<svg").min(place("<dl>")), "first of all");
            assert!(runs < 2 || place("<svg") < place("<dl>"), "the figures come first");
            assert_eq!(page.matches("<svg").count(), if runs < 2 { 0 } else { 4 });
            for tag in ["table", "figure", "div", "dl", "svg", "abbr", "small"] {
                let count = |text: String| page.matches(&text).count();
                let opened = count(format!("<{tag}>")) + count(format!("<{tag} "));
                assert_eq!(opened, count(format!("</{tag}>")), "{tag}");
            }
        }
    }
}
