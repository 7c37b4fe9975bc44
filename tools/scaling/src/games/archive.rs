//! Games saved in a file, so that an interrupted contest can be resumed.
//!
//! The first line holds the conditions common to all games; every other line is a pair of games. A
//! line cut short by an interruption is played again.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::contest::{Odds, Pair, Played};

/// The key of a pair: its threads, nodes, the bits of its multiple, and its opening.
type Key = (usize, u64, u64, u64);

/// Why games cannot be saved in a file.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file cannot be read or written.
    #[error("cannot save games in {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another program is saving its games there.
    #[error("cannot save games in {}: another program is using it", .0.display())]
    InUse(PathBuf),
    /// The file belongs to a contest under other conditions, or is not a file of games.
    #[error("cannot save games in {}: it begins with \"{found}\", not with \"{expected}\"", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The beginning of its first line.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// A line is not a pair of games.
    #[error("{} line {line}: not a pair of games", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

/// A file of games.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    file: File,
    games: HashMap<Key, [f64; 2]>,
    /// Its first line is of an earlier version, which did not tell one engine from another of the
    /// same name.
    pub is_vague: bool,
}

impl Archive {
    /// Opens the file at `path`, or creates it, for the games of a contest under these
    /// `conditions`: one line with everything that determines the games except for the [`Pair`].
    /// The file may also begin with the line that an `earlier` version wrote for them.
    ///
    /// # Errors
    /// [`ArchiveError`]; the file is then as it was.
    pub fn open(
        path: &Path,
        conditions: &str,
        earlier: Option<&str>,
    ) -> Result<Self, ArchiveError> {
        let failed = |source| ArchiveError::File { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ArchiveError::InUse(path.to_owned()),
            TryLockError::Error(source) => failed(source),
        })?;
        // Reading a device might never end.
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(failed(io::Error::other("not a regular file")));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let is_vague = earlier
            .is_some_and(|line| line != conditions && text.starts_with(&format!("{line}\n")));
        let conditions = earlier.filter(|_| is_vague).unwrap_or(conditions);
        let games = read(path, &text, conditions)?;
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        file.set_len(text.len() as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        if text.is_empty() {
            file.write_all(format!("{conditions}\n").as_bytes()).map_err(failed)?;
        }
        Ok(Self { path: path.to_owned(), file, games, is_vague })
    }

    /// How many games are saved.
    #[must_use]
    pub fn games(&self) -> usize {
        2 * self.games.len()
    }

    /// A saved pair, as it was played.
    pub fn recall(&self, pair: &Pair) -> Option<Played> {
        self.games.get(&key(pair)).map(|&games| Played { pair: *pair, games })
    }

    /// Saves a pair.
    ///
    /// # Errors
    /// [`ArchiveError::File`] when the file cannot be written; nothing may be saved after that.
    pub fn keep(&mut self, played: &Played) -> Result<(), ArchiveError> {
        let Played { pair: Pair { odds, opening }, games: [first, second] } = played;
        let Odds { threads, nodes, multiple } = odds;
        let line = format!("{threads} {nodes} {multiple} {opening} {first} {second}\n");
        self.file
            .write_all(line.as_bytes())
            .map_err(|source| ArchiveError::File { path: self.path.clone(), source })?;
        self.games.insert(key(&played.pair), played.games);
        Ok(())
    }
}

fn key(pair: &Pair) -> Key {
    let Odds { threads, nodes, multiple } = pair.odds;
    (threads, nodes, multiple.to_bits(), pair.opening)
}

/// The pairs in the text of a file. A last line without its end was cut short and does not count.
fn read(path: &Path, text: &str, conditions: &str) -> Result<HashMap<Key, [f64; 2]>, ArchiveError> {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    let expected = format!("{conditions}\n");
    if first != expected && (first.ends_with('\n') || !expected.starts_with(first)) {
        let (path, expected) = (path.to_owned(), conditions.to_owned());
        let found = first.trim_end().chars().take(expected.chars().count()).collect();
        return Err(ArchiveError::Other { path, found, expected });
    }
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let lines = (1..).zip(whole.lines()).skip(1);
    let pair = |(line, text)| {
        let played =
            parse(text).ok_or_else(|| ArchiveError::Line { path: path.to_owned(), line })?;
        Ok((key(&played.pair), played.games))
    };
    lines.map(pair).collect()
}

/// Files of earlier versions have one number for both games: their mean.
fn parse(line: &str) -> Option<Played> {
    let words: Vec<&str> = line.split(' ').collect();
    let [threads, nodes, multiple, opening, first, ref second @ ..] = words[..] else {
        return None;
    };
    let second = match second {
        [] => first,
        [second] => second,
        _ => return None,
    };
    let odds = Odds {
        threads: threads.parse().ok()?,
        nodes: nodes.parse().ok()?,
        multiple: multiple.parse().ok()?,
    };
    let points = |text: &str| text.parse().ok().filter(|points| (0.0..=1.0).contains(points));
    let games = [points(first)?, points(second)?];
    Some(Played { pair: Pair { odds, opening: opening.parse().ok()? }, games })
}

#[cfg(test)]
impl Archive {
    /// An empty file to which no game can be written.
    pub fn unwritable() -> Self {
        let path = std::env::current_exe().expect("the path of the test");
        let file = File::open(&path).expect("a readable file");
        Self { path, file, games: HashMap::new(), is_vague: false }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn path(test: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("heddle-{test}-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    fn played(opening: u64, multiple: f64, games: [f64; 2]) -> Played {
        Played { pair: Pair { odds: Odds { threads: 8, nodes: 100, multiple }, opening }, games }
    }

    #[test]
    fn games_are_recalled_to_the_bit_and_a_cut_line_is_forgotten() {
        let path = path("archive");
        let all = [
            played(0, 2.0, [0.5, 1.0]),
            played(1, 2.0f64.sqrt(), [0.0, 0.0]),
            played(2, 0.1, [1.0, 0.0]),
        ];
        let mut archive = Archive::open(&path, "conditions", None).unwrap();
        for played in &all {
            assert_eq!(archive.recall(&played.pair), None);
            archive.keep(played).unwrap();
        }
        drop(archive);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..4]).unwrap();
        assert!(Archive::open(&path, "conditions", None).unwrap().games.is_empty());
        fs::write(&path, &text[..text.len() - 1]).unwrap();
        let mut archive = Archive::open(&path, "conditions", None).unwrap();
        let recalled = all.map(|played| archive.recall(&played.pair));
        assert_eq!(recalled, [Some(all[0]), Some(all[1]), None]);
        archive.keep(&all[2]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_pair_of_an_earlier_version_has_its_mean() {
        assert_eq!(parse("8 100 2 0 0.75"), Some(played(0, 2.0, [0.75; 2])));
        assert_eq!(parse("8 100 2 0 0.75 1 1"), None);
    }

    #[test]
    fn a_file_of_something_else_is_refused_and_left_alone() {
        let path = path("archive-refused");
        for (text, said) in [
            ("other conditions\n8 100 2 0 1\n", "it begins with \"other cond\""),
            ("notes", "it begins with \"notes\""),
            ("conditions\n8 100 2 0 1\nhello\n", "line 3: not a pair of games"),
            ("conditions\n8 100 2 0 1.5\n", "line 2: not a pair of games"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Archive::open(&path, "conditions", None).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_file_of_an_earlier_version_is_taken_and_known() {
        let path = path("archive-vague");
        let text = "vague\n8 100 2 0 1 1\n";
        fs::write(&path, text).unwrap();
        let archive = Archive::open(&path, "vague (files)", Some("vague")).unwrap();
        assert!(archive.is_vague && archive.games() == 2);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        drop(archive);
        assert!(Archive::open(&path, "vague (files)", None).is_err());
        fs::write(&path, "").unwrap();
        assert!(!Archive::open(&path, "vague (files)", Some("vague")).unwrap().is_vague);
        assert_eq!(fs::read_to_string(&path).unwrap(), "vague (files)\n");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn two_programs_do_not_share_a_file() {
        let path = path("archive-shared");
        let _archive = Archive::open(&path, "conditions", None).unwrap();
        let second = Archive::open(&path, "conditions", None);
        assert!(matches!(second, Err(ArchiveError::InUse(_))), "{second:?}");
        fs::remove_file(&path).unwrap();
    }
}
