//! The rules of ARCHITECTURE.md, checked on the text of `src/` and, where they concern any code, of
//! `reference/src/` and `tools/*/src/`.
//!
//! Comments, strings and test code are blanked first, so that a rule sees only shipped code. The
//! rules are plain functions of one file, each with a test that it catches a violation.

mod circles;
mod text;

use std::fs;
use std::path::Path;

use text::{blank_comments_and_strings, blank_tests, lines_with, paths, split_inline_modules};

/// The modules by layer: each may use only itself and earlier ones, in this linear order.
const LAYERS: [&[&str]; 7] = [
    &["sync", "score", "memory", "names", "paths", "streams", "numa", "machine"],
    &["position", "wdl", "smp"],
    &["time", "tt", "eval", "syzygy"],
    &["search"],
    &["engine"],
    &["text", "cli"],
    &["commands", "uci"],
];

/// Crates that only draw, count or print for people: the engine must not depend on them.
const INSTRUMENTS: [&str; 7] =
    ["plotters", "csv", "indicatif", "axum", "hyper", "tokio", "heddle-"];

/// The position of a module in the order of layers.
fn rank(module: &str) -> Option<usize> {
    LAYERS.concat().iter().position(|&m| m == module)
}

/// What the reference may use of the engine: chess for its algorithms to play, never the search.
const REFERENCE_USES: [&str; 3] = ["score", "position", "eval"];

/// Where `unsafe` is allowed.
const UNSAFE_ALLOWED: [&str; 4] =
    ["tt/memory", "tt/prefetch.rs", "eval/nnue/simd", "numa/windows.rs"];

/// These share nothing with a search, so no loom model covers their channels: the trainer, and the
/// pipes of engines in processes of their own.
const CHANNELS_ALLOWED: [&str; 2] = ["tools/trainer/", "tools/client/src/process.rs"];

const MAX_FILE_LINES: usize = 500;

/// The most characters of a line of comment; rustfmt keeps code within as many.
const MAX_COMMENT_WIDTH: usize = 100;

/// One source file.
struct Source {
    /// Relative to `src/`, or to the repository for the crates in `tools/`.
    path: String,
    /// The file's content.
    text: String,
    /// Without comments and string contents; the line numbers match `text`.
    code: String,
    /// Also without test code.
    shipped: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        let code = blank_comments_and_strings(text);
        let is_test = path.ends_with("tests.rs");
        let shipped = if is_test { String::new() } else { blank_tests(&code) };
        Self { path: path.to_owned(), text: text.to_owned(), code, shipped }
    }

    /// The top-level module that contains the file.
    fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.trim_end_matches(".rs")
    }

    /// Whether this is `main` or the crate root, which stand above all modules.
    fn is_root(&self) -> bool {
        ["main", "lib"].contains(&self.module())
    }

    /// Whether the file belongs to a crate above all layers of the engine: a tool or the reference.
    fn is_above(&self) -> bool {
        ["tools", "reference"].contains(&self.module())
    }

    /// The number of modules around the file, not counting the crate.
    fn depth(&self) -> usize {
        self.path.trim_end_matches("/mod.rs").split('/').count()
    }
}

/// The violations in a file, one line each.
type Rule = fn(&Source) -> Vec<String>;

const RULES: [(&str, Rule); 9] = [
    ("every module has a layer and uses only earlier ones", layers),
    ("`super::` stays inside its top-level module", supers),
    ("the reference uses the rules and the evaluation alone", reference_apart),
    ("synchronisation primitives come from crate::sync", primitives),
    ("`unsafe` stands only where it is allowed", unsafety),
    ("no `static mut`", static_mut),
    ("every memory ordering has its reason", orderings),
    ("short files", size),
    ("comments within 100 columns", comment_width),
];

fn layers(source: &Source) -> Vec<String> {
    if source.is_root() || source.is_above() {
        return Vec::new();
    }
    let Some(own) = rank(source.module()) else {
        return vec![format!("module `{}` has no layer", source.module())];
    };
    let mut used: Vec<String> = paths(&source.shipped)
        .iter()
        .filter_map(|path| path.strip_prefix("crate::")?.split("::").next())
        .filter(|&used| rank(used).is_none_or(|used| used > own))
        .map(|used| format!("uses `{used}`"))
        .collect();
    used.dedup();
    used
}

fn supers(source: &Source) -> Vec<String> {
    if source.is_root() || source.is_above() {
        Vec::new()
    } else {
        climbing(&source.shipped, source.depth())
    }
}

/// The paths that lead out of a module nested `depth` deep by `super::` alone.
fn climbing(code: &str, depth: usize) -> Vec<String> {
    let climbs = |path: &str| path.split("::").take_while(|&part| part == "super").count();
    let (outer, inner) = split_inline_modules(code);
    let mut found: Vec<_> =
        paths(&outer).into_iter().filter(|path| climbs(path) >= depth).collect();
    found.extend(inner.iter().flat_map(|body| climbing(body, depth + 1)));
    found
}

fn reference_apart(source: &Source) -> Vec<String> {
    if source.module() != "reference" {
        return Vec::new();
    }
    let is_foreign = |path: &String| {
        let mut parts = path.strip_prefix("heddle::").into_iter().flat_map(|path| path.split("::"));
        parts.next().is_some_and(|module| !REFERENCE_USES.contains(&module))
    };
    paths(&source.shipped).into_iter().filter(is_foreign).collect()
}

fn primitives(source: &Source) -> Vec<String> {
    const ROOTS: [&str; 8] = [
        "std::sync",
        "std::thread",
        "core::sync",
        "alloc::sync",
        "parking_lot",
        "loom",
        "crossbeam",
        "crossbeam_utils",
    ];
    if source.module() == "sync"
        || CHANNELS_ALLOWED.iter().any(|path| source.path.starts_with(path))
    {
        return Vec::new();
    }
    paths(&source.shipped)
        .into_iter()
        .filter(|path| ROOTS.iter().any(|root| is_under(path, root)))
        .filter(|path| path.contains("::") && path != "crossbeam_utils::CachePadded")
        .collect()
}

fn unsafety(source: &Source) -> Vec<String> {
    if UNSAFE_ALLOWED.iter().any(|allowed| source.path.starts_with(allowed)) {
        return Vec::new();
    }
    lines_with(&source.code, "unsafe").map(|line| format!("line {line}")).collect()
}

fn static_mut(source: &Source) -> Vec<String> {
    lines_with(&source.code, "static mut").map(|line| format!("line {line}")).collect()
}

/// `SeqCst` is never allowed; an ordering stronger than relaxed needs a comment that says what it
/// "pairs with"; a file with relaxed orderings needs a comment that says why they are enough.
fn orderings(source: &Source) -> Vec<String> {
    const STRONGER: [&str; 3] = ["Acquire", "Release", "AcqRel"];
    let comments: Vec<Option<&str>> =
        source.text.lines().map(|line| line.split_once("//").map(|(_, said)| said)).collect();
    // On the line itself, or in the comment just above it.
    let is_paired = |line: usize| {
        let above = comments[..line - 1].iter().rev().map_while(|comment| *comment);
        comments[line - 1].into_iter().chain(above).any(|said| said.contains("pairs with"))
    };
    let seqcst = lines_with(&source.code, "SeqCst").map(|line| format!("line {line}: SeqCst"));
    let stronger = STRONGER
        .iter()
        .flat_map(|order| lines_with(&source.code, order).map(move |line| (line, order)));
    let unpaired = stronger
        .filter(|&(line, _)| !is_paired(line))
        .map(|(line, order)| format!("line {line}: {order} without naming its partner"));
    let is_relaxed = lines_with(&source.shipped, "Relaxed").next().is_some();
    let says_why = || comments.iter().flatten().any(|said| said.to_lowercase().contains("relaxed"));
    let unexplained = (is_relaxed && !says_why()).then(|| "relaxed without a reason".to_owned());
    seqcst.chain(unpaired).chain(unexplained).collect()
}

fn size(source: &Source) -> Vec<String> {
    let lines = source.text.lines().count();
    (lines >= MAX_FILE_LINES).then(|| format!("{lines} lines")).into_iter().collect()
}

/// Rows of tables cannot be broken.
fn comment_width(source: &Source) -> Vec<String> {
    let is_long = |line: &str| {
        let comment = line.trim_start().strip_prefix("//");
        line.chars().count() > MAX_COMMENT_WIDTH && comment.is_some_and(|c| !c.contains(" | "))
    };
    let lines = (1..).zip(source.text.lines()).filter(|(_, line)| is_long(line));
    lines.map(|(number, _)| format!("line {number} is a long comment")).collect()
}

/// Whether `path` is `root` or lies below it.
fn is_under(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Every source file below `directory`.
fn sources(directory: &Path, root: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(directory).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            sources(&path, root, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).expect("it lies below").to_string_lossy();
            let text = fs::read_to_string(&path).expect("source files can be read");
            found.push(Source::new(&name.replace('\\', "/"), &text));
        }
    }
}

#[test]
fn the_source_obeys_every_rule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &root.join("src"), &mut files);
    assert!(files.len() > 10, "src/ is not where it was");
    let engine = files.len();
    sources(&root.join("reference/src"), root, &mut files);
    assert!(files.len() > engine + 10, "reference/ is not where it was");
    let engine = files.len();
    for tool in fs::read_dir(root.join("tools")).expect("the folder can be read") {
        let tool = tool.expect("the folder can be read").path();
        sources(&tool.join("src"), root, &mut files);
    }
    assert!(files.len() > engine + 10, "tools/ is not where it was");
    let mut broken = String::new();
    for (name, rule) in RULES {
        for source in &files {
            for violation in rule(source) {
                broken += &format!("\n{}: {violation} ({name})", source.path);
            }
        }
    }
    for circle in circles::circles(&files) {
        broken += &format!("\n{circle} (no circle of imports inside a folder)");
    }
    assert!(broken.is_empty(), "{broken}");
}

/// The files of tests in a folder that its `all.rs` leaves out, and that no target of the
/// `manifest` has.
fn left_out(folder: &Path, all: &str, manifest: &str) -> Vec<String> {
    let mut left = Vec::new();
    for file in fs::read_dir(folder).expect("the folder can be read") {
        let path = file.expect("the folder can be read").path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        let is_listed = [format!("mod {name};"), format!("mod r#{name};")]
            .iter()
            .any(|line| all.lines().any(|found| found == line));
        let is_target = name == "all" || manifest.contains(&format!("name = \"{name}\""));
        if path.extension().is_some_and(|end| end == "rs") && !is_listed && !is_target {
            left.push(path.display().to_string());
        }
    }
    left
}

#[test]
fn no_file_of_tests_is_left_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tools = fs::read_dir(root.join("tools")).expect("the folder can be read");
    let tools = tools.map(|tool| tool.expect("the folder can be read").path());
    let crates = tools.chain([root.to_owned(), root.join("reference"), root.join("loom-tests")]);
    let (mut programs, mut left) = (0, Vec::new());
    for folder in crates {
        let Ok(all) = fs::read_to_string(folder.join("tests/all.rs")) else { continue };
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a crate has one");
        programs += 1;
        left.extend(left_out(&folder.join("tests"), &all, &manifest));
    }
    assert!(programs > 6, "the tests are not where they were");
    assert_eq!(left, [""; 0]);
    let found = left_out(&root.join("tests"), "mod cli;\n", "name = \"uci\"");
    let is_found = |name: &str| found.iter().any(|path| path.ends_with(name));
    assert!(is_found("perft.rs") && !is_found("/cli.rs") && !is_found("/uci.rs"), "{found:?}");
}

/// The dependencies of `manifest` that the engine must not have.
fn instruments(manifest: &str) -> Vec<&str> {
    let section = manifest.split("\n[").find_map(|section| section.strip_prefix("dependencies]\n"));
    section
        .expect("there is a table of dependencies")
        .lines()
        .filter(|line| INSTRUMENTS.iter().any(|name| line.starts_with(name)))
        .collect()
}

#[test]
fn the_engine_depends_on_no_instrument() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let text = fs::read_to_string(manifest).expect("the manifest can be read");
    assert_eq!(instruments(&text), [""; 0]);
    let text = "[package]\n\n[dependencies]\nclap = \"4\"\nplotters = \"1\"\n\n\
                [dev-dependencies]\ncsv = \"1\"";
    assert_eq!(instruments(text), ["plotters = \"1\""]);
}

/// Asserts that `rule` finds exactly `violations` in a file with that path and text.
#[track_caller]
fn finds(rule: Rule, path: &str, text: &str, violations: &[&str]) {
    assert_eq!(rule(&Source::new(path, text)), violations, "{path}: {text}");
}

#[test]
fn a_use_of_a_later_layer_is_caught() {
    finds(layers, "tt/table.rs", "use crate::search::Worker;", &["uses `search`"]);
    finds(
        layers,
        "tt/table.rs",
        "use crate::{score::Score, engine::{self, Event}};",
        &["uses `engine`"],
    );
    finds(layers, "smp/vote.rs", "fn f() -> crate::eval::Network { }", &["uses `eval`"]);
    finds(layers, "time/limits.rs", "use crate::nowhere::X;", &["uses `nowhere`"]);
    finds(layers, "strange.rs", "", &["module `strange` has no layer"]);
    finds(layers, "search/pvs.rs", "use crate::tt::{Entry, Table};\nuse crate::score::*;", &[]);
    finds(layers, "score.rs", "#[cfg(test)]\nmod tests { use crate::engine::Engine; }", &[]);
    finds(layers, "main.rs", "use crate::anything;", &[]);
    finds(layers, "time/clock.rs", "use crate::search::Line;", &["uses `search`"]);
    finds(layers, "commands/bench/mod.rs", "use crate::uci::run;", &["uses `uci`"]);
    finds(layers, "tools/lab/src/plot.rs", "use crate::anything;", &[]);
}

#[test]
fn a_way_around_the_layers_is_caught() {
    finds(supers, "engine.rs", "use super::uci::run;", &["super::uci::run"]);
    finds(supers, "tt/mod.rs", "use super::search;", &["super::search"]);
    finds(supers, "tt/slot.rs", "use super::super::search;", &["super::super::search"]);
    finds(supers, "tt/slot.rs", "use super::Entry;", &[]);
    finds(supers, "sync.rs", "mod imp { use super::Instant; }", &[]);
    let found = ["super::super::tt"];
    finds(supers, "sync.rs", "mod imp { use super::super::tt; }", &found);
}

#[test]
fn a_link_from_the_reference_to_the_search_is_caught() {
    let path = "reference/src/chess.rs";
    finds(reference_apart, path, "use heddle::search::see;", &["heddle::search::see"]);
    finds(reference_apart, path, "use heddle::{eval, position::Position};", &[]);
    finds(reference_apart, "tools/lab/src/run.rs", "use heddle::search;", &[]);
}

#[test]
fn a_primitive_of_its_own_is_caught() {
    let found = ["std::sync::Arc"];
    finds(primitives, "engine.rs", "use std::sync::Arc;", &found);
    finds(primitives, "engine.rs", "use std::{fmt, sync::Arc};", &found);
    finds(primitives, "engine.rs", "type A = std::sync::Arc<u8>;", &found);
    finds(
        primitives,
        "smp/crew.rs",
        "fn f() { std::thread::yield_now() }",
        &["std::thread::yield_now"],
    );
    finds(primitives, "tt/slot.rs", "use loom::sync::Arc;", &["loom::sync::Arc"]);
    finds(
        primitives,
        "tt/slot.rs",
        "use crossbeam_utils::{Backoff, CachePadded};",
        &["crossbeam_utils::Backoff"],
    );
    let found = ["std::sync::Mutex"];
    finds(primitives, "tools/selfplay/src/generate.rs", "use std::sync::Mutex;", &found);
    finds(primitives, "sync.rs", "pub use std::sync::Arc;", &[]);
    finds(
        primitives,
        "tt/slot.rs",
        "#[cfg(not(loom))] use crate::sync::Mutex; // std::sync::Mutex",
        &[],
    );
}

#[test]
fn misplaced_unsafe_is_caught() {
    finds(unsafety, "search/pvs.rs", "fn f() {\n    unsafe { g() }\n}", &["line 2"]);
    finds(unsafety, "tt/slot.rs", "unsafe impl Send for Slot {}", &["line 1"]);
    finds(unsafety, "tt/memory.rs", "unsafe { g() }", &[]);
    finds(unsafety, "eval/nnue/simd/avx2.rs", "unsafe { g() }", &[]);
    finds(unsafety, "lib.rs", "#![deny(unsafe_code)] // no unsafe", &[]);
    finds(static_mut, "lib.rs", "\nstatic mut X: u8 = 0;", &["line 2"]);
    finds(static_mut, "lib.rs", "static X: u8 = 0; fn f(x: &'static mut u8) {}", &[]);
}

#[test]
fn an_ordering_without_a_reason_is_caught() {
    let found = ["line 2: SeqCst"];
    finds(orderings, "smp/stop.rs", "// This pairs with a load.\nx.store(1, SeqCst);", &found);
    let found = ["line 2: Release without naming its partner"];
    finds(orderings, "smp/stop.rs", "// Published.\nx.store(1, Release);", &found);
    finds(orderings, "smp/stop.rs", "// It pairs with\n// the load.\nx.store(1, Release);", &[]);
    finds(orderings, "smp/stop.rs", "x.load(Acquire); // pairs with the store in `f`", &[]);
    let found = ["line 3: Acquire without naming its partner"];
    finds(orderings, "smp/stop.rs", "// It pairs with a load.\ng();\nx.load(Acquire);", &found);
    let found = ["relaxed without a reason"];
    finds(orderings, "tt/slot.rs", "x.load(Relaxed); // a load", &found);
    finds(orderings, "tt/slot.rs", "//! Relaxed is enough.\nx.load(Ordering::Relaxed);", &[]);
    finds(orderings, "tt/slot.rs", "// No SeqCst, Acquire or Release.", &[]);
}

#[test]
fn long_comments_are_caught() {
    let text = |width: usize| format!("    /// {}\n", "ä".repeat(width - "    /// ".len()));
    finds(comment_width, "a.rs", &text(MAX_COMMENT_WIDTH), &[]);
    finds(comment_width, "a.rs", &text(MAX_COMMENT_WIDTH + 1), &["line 1 is a long comment"]);
    let row = format!("//! | a | {} |\n", "b".repeat(MAX_COMMENT_WIDTH));
    finds(comment_width, "a.rs", &row, &[]);
}

#[test]
fn long_files_are_caught() {
    finds(size, "a.rs", &"\n".repeat(MAX_FILE_LINES), &["500 lines"]);
    finds(size, "a.rs", &"\n".repeat(MAX_FILE_LINES - 1), &[]);
}
