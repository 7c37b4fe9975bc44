//! What files hold that decide a game, as words for the first line of a file of games: a match is
//! not resumed with another engine, network or book under the same name.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use heddle_client::Spec;

/// The longest script whose words are looked at, in bytes.
const LONGEST_SCRIPT: u64 = 1 << 16;
/// Extensions of files that engines write: they differ after every game.
const WRITTEN: [&str; 6] = ["csv", "json", "log", "out", "pgn", "txt"];
/// Bytes read at a time.
const BUFFER: usize = 1 << 16;

/// The content of a file in one word: its length and checksum.
///
/// # Errors
/// The error from the system.
pub fn of_file(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut hasher, mut length, mut buffer) = (crc32fast::Hasher::new(), 0, vec![0; BUFFER]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(format!("{length}-{:08x}", hasher.finalize())),
            count => {
                hasher.update(&buffer[..count]);
                length += count;
            }
        }
    }
}

/// The files behind an engine in one word: its program, the arguments and the values of options
/// that name files, and what scripts among them name.
pub fn of_engine(spec: &Spec) -> String {
    let folder = spec.folder.as_deref().unwrap_or(Path::new("."));
    let values = spec.options.iter().map(|(_, value)| value);
    let names = spec.args.iter().chain(values).filter_map(|name| regular(folder, name));
    let mut files: Vec<PathBuf> = program(folder, &spec.program).into_iter().chain(names).collect();
    let mut seen = HashSet::new();
    let mut words = Vec::new();
    while let Some(path) = files.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        words.extend(of_file(&path));
        files.extend(script(&path).into_iter().flat_map(|text| {
            let words = text.split(|c: char| c.is_whitespace() || "\"'=;".contains(c));
            words.filter_map(|name| regular(folder, name)).collect::<Vec<_>>()
        }));
    }
    words.sort();
    words.join(" ")
}

/// The tables in these directories in one word: their names and lengths, since their contents may
/// take minutes to read.
pub fn of_tables(path: &str) -> String {
    let path = heddle::paths::os_string(path);
    let mut found: Vec<String> = std::env::split_paths(&path)
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some(format!("{:?} {}", entry.file_name(), entry.metadata().ok()?.len()))
        })
        .collect();
    found.sort();
    format!("{}-{:08x}", found.len(), crc32fast::hash(found.join("\n").as_bytes()))
}

/// The file that a word names.
fn regular(folder: &Path, name: &str) -> Option<PathBuf> {
    let path = folder.join(heddle::paths::path(name));
    let is_written = path.extension().is_some_and(|e| WRITTEN.iter().any(|written| e == *written));
    (!name.is_empty() && !is_written && path.is_file()).then_some(path)
}

/// The file of a program, as the system finds it.
fn program(folder: &Path, name: &str) -> Option<PathBuf> {
    if name.contains('/') || cfg!(windows) {
        return regular(Path::new("."), name).or_else(|| regular(folder, name));
    }
    let listed = std::env::var_os("PATH")?;
    std::env::split_paths(&listed).find_map(|folder| regular(&folder, name))
}

/// The text of a script.
fn script(path: &Path) -> Option<String> {
    let mut text = Vec::new();
    File::open(path).ok()?.take(LONGEST_SCRIPT).read_to_end(&mut text).ok()?;
    text.starts_with(b"#!").then(|| String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_client::spec;

    #[test]
    fn a_changed_file_is_another_engine() {
        let folder = std::env::temp_dir().join(format!("heddle-identity-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = |name: &str| folder.join(name).display().to_string();
        let script = format!("#!/bin/sh\nexec \"{}\" --x\n", path("engine"));
        for (name, text) in [("engine", "1"), ("net", "1"), ("book", "1"), ("wrap", &script)] {
            fs::write(folder.join(name), text).unwrap();
        }
        let direct =
            spec(&format!("cmd={},option.EvalFile={}", path("engine"), path("net"))).unwrap();
        let named = spec(&format!("cmd={},args={}", path("wrap"), path("book"))).unwrap();
        let relative =
            spec(&format!("cmd=./engine,dir={},option.EvalFile=net", folder.display())).unwrap();
        let all = || [&direct, &named, &relative].map(of_engine);
        let before = all();
        assert!(before == all() && before.iter().all(|word| !word.is_empty()));
        for (name, changed) in [
            ("engine", [true, true, true]),
            ("net", [true, false, true]),
            ("book", [false, true, false]),
            ("wrap", [false, true, false]),
        ] {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            fs::write(folder.join(name), format!("{text}#")).unwrap();
            let found = all();
            let differs: Vec<bool> = found.iter().zip(&before).map(|(a, b)| a != b).collect();
            assert_eq!(differs, changed, "{name}");
            fs::write(folder.join(name), text).unwrap();
        }
        let tables = || of_tables(&folder.display().to_string());
        let before = tables();
        fs::write(folder.join("KQvK.rtbw"), "x").unwrap();
        assert_ne!(tables(), before);
        fs::remove_dir_all(&folder).unwrap();
    }
}
