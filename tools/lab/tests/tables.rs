//! The tables of the documents are what the program prints.
//!
//! A table stands below a comment with the command that prints it. Every figure counts nodes or
//! follows from counts, so it is the same on every machine. The test runs what takes seconds: trees
//! and single positions, and the suite to depth 3, or to `HEDDLE_LAB_DEPTH` (`make lab-check`). Of
//! tables that have a column for each depth it checks the columns up to there. With
//! `HEDDLE_LAB_RECORD` (`make lab-record`) it writes the tables of that depth or less instead.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DOCUMENTS: [&str; 2] = ["docs/lab.md", "tools/lab/tables.md"];
const USUAL_DEPTH: u32 = 3;

/// A table and the arguments that print it.
struct Block {
    arguments: Vec<String>,
    table: Vec<Vec<String>>,
}

fn deepest() -> u32 {
    env::var("HEDDLE_LAB_DEPTH").map_or(USUAL_DEPTH, |depth| depth.parse().expect("a depth"))
}

fn path(document: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document)
}

/// What begins every comment with a command.
const COMMAND: &str = "<!-- heddle lab ";

/// Splits what follows [`COMMAND`] into the command's arguments, the table and the rest.
fn parsed(part: &str) -> (Vec<String>, String, &str) {
    let (command, rest) = part.split_once(" -->").expect("the end of the comment");
    let rest = rest.trim_start();
    let lines: Vec<&str> = rest.lines().take_while(|line| line.starts_with('|')).collect();
    let table = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    (words(command), table.clone(), &rest[table.len().min(rest.len())..])
}

/// The words of a command; what stands between quotation marks is one.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in command.split('"').enumerate() {
        if i.is_multiple_of(2) {
            words.extend(part.split_whitespace().map(str::to_owned));
        } else {
            words.push(part.to_owned());
        }
    }
    words
}

fn blocks(document: &str) -> Vec<Block> {
    let text = fs::read_to_string(path(document)).expect("a document");
    let block = |part| {
        let (arguments, table, _) = parsed(part);
        Block { arguments, table: cells(table.lines()) }
    };
    text.split(COMMAND).skip(1).map(block).collect()
}

/// Replaces the tables that take no more than `deepest` plies by what the program prints now.
fn record(document: &str, deepest: u32) {
    let text = fs::read_to_string(path(document)).expect("a document");
    let mut parts = text.split(COMMAND);
    let mut new = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (arguments, table, rest) = parsed(part);
        let block = Block { arguments, table: Vec::new() };
        let table = if block.is_short(deepest) { output(&block.arguments) } else { table };
        let command = part.split(" -->").next().unwrap_or_default();
        new += &format!("{COMMAND}{command} -->\n\n{table}\n{}", rest.trim_start());
    }
    new.truncate(new.trim_end().len());
    fs::write(path(document), new + "\n").expect("a document that can be written");
}

/// The cells of a Markdown table, without the rule below its header.
fn cells<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    let row = |line: &str| {
        line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
    };
    lines.filter(|line| !line.starts_with("|-")).map(row).collect()
}

impl Block {
    fn has(&self, argument: &str) -> bool {
        self.arguments.iter().any(|given| given == argument)
    }

    fn depth_at(&self) -> usize {
        1 + self.arguments.iter().position(|given| given == "--depth").expect("a depth")
    }

    /// The table has a column for each depth.
    fn has_depths(&self) -> bool {
        self.has("--growth") || self.has("--claims")
    }

    fn depth(&self) -> u32 {
        self.arguments[self.depth_at()].parse().expect("a depth")
    }

    /// It runs for seconds.
    fn is_short(&self, deepest: u32) -> bool {
        !self.has("--suite") || self.depth() <= deepest
    }

    /// The same command to a depth of at most `deepest`, if that checks anything.
    fn affordable(&self, deepest: u32) -> Option<Vec<String>> {
        let mut arguments = self.arguments.clone();
        if self.has_depths() {
            arguments[self.depth_at()] = self.depth().min(deepest).to_string();
        }
        (self.has_depths() || self.is_short(deepest)).then_some(arguments)
    }

    /// What differs from what the program prints, in the columns that both have.
    fn differences(&self, printed: &[Vec<String>]) -> Vec<String> {
        let shared: Vec<(usize, usize)> = self.table[0]
            .iter()
            .enumerate()
            .filter_map(|(here, name)| {
                Some((here, printed[0].iter().position(|other| other == name)?))
            })
            .collect();
        assert!(shared.len() > 1, "{:?}", self.arguments);
        let agrees = |row: &Vec<String>, other: &Vec<String>| {
            shared.iter().all(|&(here, there)| row[here] == other[there])
        };
        let is_missing = |row: &&Vec<String>| !printed.iter().any(|other| agrees(row, other));
        self.table.iter().filter(is_missing).map(|row| row.join(" | ")).collect()
    }
}

fn output(arguments: &[String]) -> String {
    let program = env!("CARGO_BIN_EXE_heddle-lab");
    let output = Command::new(program).args(arguments).output().expect("the program");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_tables_are_what_the_program_prints() {
    let deepest = deepest();
    if env::var_os("HEDDLE_LAB_RECORD").is_some() {
        return DOCUMENTS.iter().for_each(|document| record(document, deepest));
    }
    for document in DOCUMENTS {
        let mut checked = 0;
        for block in blocks(document) {
            assert!(block.table.len() > 2, "{document}: no table below {:?}", block.arguments);
            let Some(arguments) = block.affordable(deepest) else { continue };
            let printed = cells(output(&arguments).lines());
            let differences = block.differences(&printed);
            assert!(
                differences.is_empty(),
                "{document}: `heddle lab {}` does not print\n{}\nbut\n{}",
                arguments.join(" "),
                differences.join("\n"),
                printed.iter().map(|row| row.join(" | ") + "\n").collect::<String>()
            );
            if !block.has("--growth") {
                assert_eq!(block.table.len(), printed.len(), "{document}: {:?}", block.arguments);
            }
            checked += 1;
        }
        assert!(checked > 0, "{document} has no table to check");
    }
}
