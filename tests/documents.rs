//! The documents keep their word: their snippets are in the source, and so are the functions and
//! tests that they name. Paragraphs are short, the README links to each, and links lead somewhere.

use std::fs;
use std::path::Path;
use std::process::Command;

const TOUR: &str = "docs/lockless.md";
const TEXTS: &str = "docs/notes/texts.md";
/// The most words of a paragraph, an item of a list or a cell of a table, so that it is read.
const MOST_WORDS: usize = 80;
const MOST_WORDS_OF_CELL: usize = 50;
/// The most words of a page of notes, so that it stays a table of what was tried and no diary.
const MOST_WORDS_OF_NOTES: usize = 1500;
const FIGURES: &str = "docs/figures.txt";
/// Documents that name functions with their files, and the least number of them.
const NAMING: [(&str, usize); 2] = [(TOUR, 25), (TEXTS, 80)];

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a text without what surrounds them, so that indentation does not matter.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// The tour's snippets of Rust, each with the file that it says it is from.
fn snippets(tour: &str) -> Vec<(&str, Vec<&str>)> {
    let mut snippets = Vec::new();
    let (mut source, mut open) = (None, None);
    for line in tour.lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("From `").and_then(|rest| rest.strip_suffix("`:")) {
            source = Some(path);
        } else if line == "```rust" {
            open = Some(Vec::new());
        } else if line == "```" {
            if let Some(snippet) = open.take() {
                snippets.push((source.take().expect("a snippet says where it is from"), snippet));
            }
        } else if let Some(snippet) = &mut open
            && !line.is_empty()
        {
            snippet.push(line);
        }
    }
    snippets
}

/// Pairs of a function's name and its file, written as `name` (`path`).
fn named_functions(text: &str) -> Vec<(&str, &str)> {
    let words: Vec<&str> = text.split('`').collect();
    let is_pair = |between: &str| between.split_whitespace().collect::<String>() == "(";
    words
        .windows(3)
        .skip(1)
        .step_by(2)
        .filter(|three| is_pair(three[1]))
        .map(|three| (three[0], three[2]))
        .collect()
}

#[test]
fn the_tours_snippets_stand_in_the_source() {
    let tour = read(TOUR);
    let snippets = snippets(&tour);
    assert!(snippets.len() >= 7, "{}", snippets.len());
    for (path, snippet) in snippets {
        let source = read(path);
        let is_there = lines(&source).windows(snippet.len()).any(|window| window == snippet);
        assert!(is_there, "{path} does not hold\n{}", snippet.join("\n"));
    }
}

#[test]
fn the_functions_that_documents_name_exist() {
    for (document, least) in NAMING {
        let text = read(document);
        let named = named_functions(&text);
        assert!(named.len() >= least, "{document} names {}", named.len());
        for (name, path) in named {
            let source = read(path);
            let exists = ['(', '<'].iter().any(|end| source.contains(&format!("fn {name}{end}")));
            assert!(exists, "{document}: {path} has no function {name}");
        }
    }
}

/// From each system of the texts to its reference, its place in the engine or the reason why it has
/// none, its test and its row.
#[test]
fn the_table_of_systems_has_no_empty_cell() {
    let text = read(TEXTS);
    let (_, section) = text.split_once("## From the texts to the engine").expect("the section");
    let section = section.split("\n## ").next().expect("a split has a first part");
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).collect();
    assert!(rows.len() > 30, "{}", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 5, "{row}");
        assert!(cells.iter().all(|cell| !cell.is_empty()), "{row}");
    }
}

/// The places in the repository that a document links to or shows, without what follows `#`.
fn links(text: &str) -> Vec<&str> {
    let after =
        |begin, end| text.split(begin).skip(1).filter_map(move |rest| rest.split(end).next());
    let targets = after("](", ')').chain(after("src=\"", '"'));
    let places = targets.filter_map(|target| target.split('#').next());
    places.filter(|place| !place.is_empty() && !place.contains("://")).collect()
}

fn pages() -> Vec<String> {
    pages_of("docs")
}

/// The pages of a folder of the repository.
fn pages_of(folder: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let names =
        fs::read_dir(path).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let names = names.map(|name| name.into_string().expect("a name in UTF-8"));
    names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")).collect()
}

/// The number before `words` in a text.
fn number_before(text: &str, words: &str) -> u64 {
    let (before, _) = text.split_once(words).unwrap_or_else(|| panic!("no {words}"));
    let number = before.split_whitespace().next_back().expect("a number").replace(',', "");
    number.parse().unwrap_or_else(|error| panic!("{number}: {error}"))
}

#[test]
fn the_readme_has_no_more_models_and_mutants_than_there_are() {
    let (readme, models) = (read("README.md"), read("loom-tests/README.md"));
    let (_, tables) = models.split_once("| structure | model |").expect("the models");
    let (models, mutants) = tables.split_once("| structure | properties |").expect("the mutants");
    let rows =
        models.lines().filter(|line| line.starts_with("| ") || line.starts_with("|  ")).count()
            as u64;
    // Each mutant is followed by the executions until it was caught, in brackets.
    let caught = mutants.lines().filter(|line| line.starts_with("| "));
    let caught = caught.flat_map(|line| line.split('(').skip(1));
    let caught =
        caught.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).count() as u64;
    let said =
        (number_before(&readme, " models of"), number_before(&readme, " deliberately broken"));
    assert!(said.0 <= rows && said.1 <= caught, "{said:?}, but {rows} and {caught}");
}

/// The value of `key` in an entry of `loom-tests/mutants.toml`, a text of one line or several.
fn value_of<'a>(entry: &'a str, key: &str) -> Option<&'a str> {
    let rest = &entry[entry.find(&format!("\n{key} = '"))? + key.len() + 4..];
    let quote = if rest.starts_with("'''") { "'''" } else { "'" };
    Some(rest[quote.len()..].split(quote).next()?.trim())
}

/// `loom-tests/mutants.py` breaks these places of the source, each of which must be there once.
#[test]
fn every_mutant_breaks_one_place_of_the_source() {
    let list = read("loom-tests/mutants.toml");
    let entries: Vec<_> = list.split("\n[").skip(1).collect();
    assert!(entries.len() > 10);
    for entry in entries {
        let [file, line] = ["file", "line"].map(|key| value_of(entry, key).expect("it has both"));
        assert_eq!(read(file).matches(line).count(), 1, "{file}: {line}");
    }
}

#[test]
fn the_models_page_says_what_catches_each_mutant() {
    let (list, page) = (read("loom-tests/mutants.toml"), read("loom-tests/README.md"));
    let (_, table) = page.split_once("| mutant of the shipped source | caught by |").expect("it");
    let rows: Vec<_> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    let mut listed = 0;
    for mutant in list.split("\n[").skip(1) {
        let name = mutant.split(']').next().expect("a name");
        let by = ["loom", "lib", "test"].iter().find_map(|key| value_of(mutant, key));
        let by = format!("`{}`", by.unwrap_or_else(|| panic!("{name} names no tests")));
        let says = |row: &&&str| row.contains(&format!("`{name}`")) && row.contains(&by);
        assert_eq!(rows.iter().filter(says).count(), 1, "{name}: {by}");
        listed += 1;
    }
    let named: usize = rows.iter().map(|row| row.matches('`').count() / 2 - 1).sum();
    assert_eq!(named, listed, "the page names a mutant that is not listed");
}

#[test]
fn the_readmes_lockstep_prints_the_readmes_nodes() {
    let readme = read("README.md");
    let (_, command) = readme.split_once("./heddle bench ").expect("the command");
    let arguments = command.lines().next().expect("a line").split_whitespace();
    let mut bench = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let output = bench.arg("bench").args(arguments).output().expect("bench runs");
    let output = String::from_utf8(output.stdout).expect("text");
    let total = output.lines().next_back().expect("a total");
    assert_eq!(number_before(total, " nodes "), number_before(&readme, " nodes, each time"));
}

#[test]
fn make_help_names_every_target() {
    let makefile = read("Makefile");
    let (help, rules) = makefile.split_once("\n\n").expect("comments, then rules");
    let (_, phony) = rules.split_once(".PHONY:").expect("the targets");
    let (phony, _) = phony.split_once("\n\n").expect("their end");
    let targets = phony.split_whitespace().filter(|word| word.starts_with(char::is_alphabetic));
    let targets: Vec<_> = targets.filter(|target| *target != "heddle").collect();
    assert!(targets.len() > 20, "{targets:?}");
    for target in targets {
        assert!(help.contains(target), "make help does not name {target}");
    }
}

#[test]
fn a_page_links_to_every_note() {
    let pages: Vec<_> = pages().iter().map(|page| read(page)).collect();
    for note in pages_of("docs/notes") {
        let link = note.trim_start_matches("docs/");
        let links_there = |page: &String| links(page).contains(&link);
        assert!(pages.iter().any(links_there), "no page links to {note}");
    }
}

/// The paragraphs, items and rows of tables of a page; code and headings are left out.
fn blocks(text: &str) -> Vec<String> {
    let (mut blocks, mut is_code, mut is_open) = (Vec::<String>::new(), false, false);
    for line in text.lines().map(str::trim) {
        is_code ^= line.starts_with("```");
        let is_apart = is_code || line.starts_with("```") || line.starts_with('#');
        if is_apart || line.is_empty() {
            is_open = false;
            continue;
        }
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_item = ["- ", "* "].iter().any(|mark| line.starts_with(mark))
            || number.len() < line.len() && number.starts_with(". ");
        match blocks.last_mut().filter(|_| is_open && !is_item && !line.starts_with('|')) {
            Some(last) => *last += &format!(" {line}"),
            None => blocks.push(line.to_owned()),
        }
        is_open = !line.starts_with('|');
    }
    blocks
}

#[test]
fn paragraphs_and_cells_are_short() {
    let others = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"];
    let others = others.into_iter().chain(["nets/README.md"]);
    let mut walls = Vec::new();
    let documents = others.map(str::to_owned).chain(pages());
    for document in documents.chain(pages_of("docs/notes")) {
        for block in blocks(&read(&document)) {
            let is_row = block.starts_with('|');
            let parts = block.trim_matches('|').split(if is_row { '|' } else { '\0' });
            let most = if is_row { MOST_WORDS_OF_CELL } else { MOST_WORDS };
            let words = parts.map(|part| part.split_whitespace().count()).max().unwrap_or(0);
            if words > most {
                let start: String = block.chars().take(60).collect();
                walls.push(format!("{document}: {words} words, more than {most}: {start}"));
            }
        }
    }
    assert!(walls.is_empty(), "{walls:#?}");
}

#[test]
fn pages_of_notes_are_short() {
    let mut long = Vec::new();
    for page in pages_of("docs/notes") {
        let words = read(&page).split_whitespace().count();
        if words > MOST_WORDS_OF_NOTES {
            long.push(format!("{page}: {words} words, more than {MOST_WORDS_OF_NOTES}"));
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn blocks_are_paragraphs_items_and_rows() {
    let page = "# No\n\na b\nc\n\n```\nno\n```\n- d\n  e\n1. f\n| g | h |\n| i |\nj\n";
    assert_eq!(blocks(page), ["a b c", "- d e", "1. f", "| g | h |", "| i |", "j"]);
}

/// The recorded figures: their signature, page, text, and what the page says of the program.
fn figures() -> Vec<[String; 4]> {
    let list = read(FIGURES);
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let fields = |line: &str| -> Vec<String> { line.split('|').map(|f| f.trim().into()).collect() };
    lines.map(|line| fields(line).try_into().expect("four fields")).collect()
}

/// A figure that was made by another program than the present one says by which.
#[test]
fn recorded_figures_stand_in_their_pages_with_the_program_that_made_them() {
    let figures = figures();
    assert!(figures.len() > 10, "{}", figures.len());
    for [signature, page, figure, program] in figures {
        assert!(signature.parse::<u64>().is_ok(), "{page}: {figure}: {signature}");
        let text = read(&page);
        assert!(text.contains(&figure), "{page} has no {figure}; {FIGURES} lists it");
        assert!(text.contains(&program), "{page} does not say of {figure}: {program}");
    }
}

/// Tables of games and speeds are the pages whose figures grow stale.
#[test]
fn every_page_of_figures_has_its_figures_listed() {
    let listed: Vec<String> = figures().into_iter().map(|[_, page, _, _]| page).collect();
    for page in ["README.md", "docs/strength.md", "docs/speed.md", "docs/scaling.md"] {
        assert!(listed.iter().any(|known| known == page), "{FIGURES} has nothing of {page}");
    }
    let readme = read("README.md");
    let games = readme.lines().filter(|line| line.contains(" =") && line.contains(" %"));
    for row in games {
        let is_listed = |[_, page, figure, _]: &[String; 4]| {
            page == "README.md" && row.contains(figure.as_str())
        };
        assert!(figures().iter().any(is_listed), "{FIGURES} lacks {row}");
    }
}

#[test]
fn the_readme_links_to_every_page() {
    let readme = read("README.md");
    let links = links(&readme);
    for page in pages() {
        assert!(links.contains(&page.as_str()), "README.md does not link to {page}");
    }
}

#[test]
fn links_lead_somewhere() {
    let others =
        ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "loom-tests/README.md", "nets/README.md"];
    let documents = others.map(str::to_owned).into_iter().chain(pages());
    for document in documents.chain(pages_of("docs/notes")) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(&document);
        let folder = folder.parent().expect("a document lies in a folder");
        for link in links(&read(&document)) {
            assert!(folder.join(link).exists(), "{document} links to {link}, which is not there");
        }
    }
}
