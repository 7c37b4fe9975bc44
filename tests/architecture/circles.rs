//! Import cycles between the modules of one folder.

use std::collections::{BTreeMap, BTreeSet};

use super::Source;
use super::text::paths;

/// A module as its path from the root of its crate.
type Module = Vec<String>;
/// Which modules of one folder import which others.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The import cycles among the modules of each folder, one line per folder.
pub fn circles(sources: &[Source]) -> Vec<String> {
    let modules: BTreeSet<Module> = sources.iter().map(|source| module(&source.path)).collect();
    let mut folders = BTreeMap::<Module, Arrows>::new();
    for source in sources {
        let own = module(&source.path);
        for path in paths(&source.shipped) {
            let Some(used) = resolve(&path, &own) else { continue };
            let shared = own.iter().zip(&used).take_while(|(a, b)| a == b).count();
            let (Some(from), Some(to)) = (own.get(shared), used.get(shared)) else { continue };
            if modules.iter().any(|module| module.starts_with(&used[..=shared])) {
                let arrows = folders.entry(own[..shared].to_vec()).or_default();
                arrows.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    let circles = folders.into_iter().filter_map(|(folder, arrows)| {
        let tied: Vec<_> =
            arrows.keys().filter(|&module| reachable(&arrows, module).contains(module)).collect();
        (!tied.is_empty()).then(|| format!("{}: {tied:?}", folder.join("/")))
    });
    circles.collect()
}

/// The module of a file. A crate of its own counts as a folder beside the engine's modules.
fn module(path: &str) -> Module {
    let path = path.trim_end_matches(".rs").replace("/src/", "/");
    let mut parts: Module = path.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| ["mod", "lib"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// The absolute form of a path that starts with `crate` or `super`.
fn resolve(path: &str, own: &[String]) -> Option<Module> {
    let parts: Vec<&str> = path.split("::").collect();
    let climbs = parts.iter().take_while(|&&part| part == "super").count();
    let root = match own.first()?.as_str() {
        "tools" => own.get(..2)?,
        "reference" => own.get(..1)?,
        _ => &[],
    };
    let (base, rest) = match (parts[0], climbs) {
        ("crate", _) => (root, &parts[1..]),
        (_, 0) => return None,
        (_, climbs) => (own.get(..own.len().checked_sub(climbs)?)?, &parts[climbs..]),
    };
    Some(base.iter().cloned().chain(rest.iter().map(|&part| part.to_owned())).collect())
}

/// The modules that `module` imports, directly or indirectly.
fn reachable<'a>(arrows: &'a Arrows, module: &str) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&String> = arrows.get(module).into_iter().flatten().collect();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(arrows.get(next).into_iter().flatten());
        }
    }
    found
}

#[test]
fn a_circle_is_caught() {
    let found = |files: &[(&str, &str)]| {
        let sources: Vec<_> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
        circles(&sources)
    };
    let node = ("search/node.rs", "use super::prune::Verdict;");
    let prune = ("search/prune.rs", "use super::node::{Node, answers};");
    assert_eq!(found(&[node, prune]), ["search: [\"node\", \"prune\"]"]);
    let prune = ("search/prune.rs", "use crate::search::node::Node;");
    assert_eq!(found(&[node, prune]), ["search: [\"node\", \"prune\"]"]);
    let long = [
        ("a/b.rs", "use super::c::X;"),
        ("a/c/mod.rs", "use super::d::X;"),
        ("a/d.rs", "fn f() -> super::b::X { }"),
    ];
    assert_eq!(found(&long), ["a: [\"b\", \"c\", \"d\"]"]);
    let tool =
        [("tools/lab/src/a.rs", "use crate::b::X;"), ("tools/lab/src/b.rs", "use crate::a::Y;")];
    assert_eq!(found(&tool), ["tools/lab: [\"a\", \"b\"]"]);
    let none =
        [node, ("search/prune.rs", "#[cfg(test)]\nmod tests { use super::super::node::X; }")];
    assert_eq!(found(&none), [""; 0]);
    assert_eq!(found(&[node, ("search/prune.rs", ""), ("search/mod.rs", "mod node;")]), [""; 0]);
}
