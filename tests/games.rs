//! Files of games as people have them, each with its right reading: `NAME.pgn`, and in `NAME.moves`
//! a line for each of its games, its moves in UCI notation, or `error` where the file is wrong.
//! They are the seeds of the fuzz target `games` as well.

use std::fs::{self, File};
use std::path::Path;

use heddle::position::uci;
use heddle::text::pgn::{self, PgnError};

#[test]
fn every_file_is_read_as_it_is_meant() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games");
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "pgn") {
            continue;
        }
        files += 1;
        let wanted = fs::read_to_string(path.with_extension("moves")).unwrap();
        let wanted: Vec<&str> = wanted.lines().collect();
        let read = |number| pgn::read(File::open(&path).unwrap(), number);
        let moves = |number| match read(number) {
            Ok(game) => {
                let words: Vec<_> =
                    game.moves.iter().map(|m| m.map_or("0000".into(), |m| uci(m, true))).collect();
                words.join(" ")
            }
            Err(_) => "error".to_owned(),
        };
        let found: Vec<_> = (1..=wanted.len()).map(moves).collect();
        assert_eq!(found, wanted, "{}", path.display());
        let beyond = read(wanted.len() + 1);
        assert!(matches!(beyond, Err(PgnError::Missing(_))), "{}", path.display());
    }
    assert!(files > 20, "{files}");
}
