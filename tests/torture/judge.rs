//! Checks an engine's output against the script it was given.

use heddle::position::Position;

use super::script::{End, Root, Script};

/// Checks all output: exactly one legal `bestmove` for every `go`, in order (after `quit`, waiting
/// ones get none), one `readyok` for every `isready`, and lines of legal moves only while there is
/// a search.
pub fn judge(script: &Script, output: &[String]) -> Result<(), String> {
    let mut running: Option<&Root> = None;
    let mut begun = 0;
    let (mut readyok, mut uciok) = (0, 0);
    for line in output {
        let said = |what: &str| Err(format!("{what}: {line}"));
        if let Some(names) = line.strip_prefix("info string go ignores k") {
            let name = names.split(';').next().unwrap_or_default();
            let number =
                name.parse::<usize>().map_err(|_| format!("not the name of a go: {line}"))?;
            let Some(root) = script.roots.get(number) else { return said("never said") };
            if running.is_some() {
                return said("begun during a search");
            }
            if number != begun {
                return said("out of order");
            }
            running = Some(root);
            begun += 1;
        } else if line.starts_with("bestmove") {
            let Some(root) = running.take() else { return said("an answer without a search") };
            answer(root, line)?;
        } else if line.starts_with("info depth ") {
            let Some(root) = running.filter(|root| !root.is_refused) else {
                return said("an info without a search");
            };
            principal_variation(root, line)?;
        } else if line.contains("panic") {
            return said("a panic");
        }
        readyok += usize::from(line == "readyok");
        uciok += usize::from(line == "uciok");
    }
    if running.is_some() {
        return Err("a go was not answered".into());
    }
    if script.end == End::EndOfInput {
        equal("go", begun, script.roots.len())?;
    }
    equal("readyok", readyok, script.readyok)?;
    equal("uciok", uciok, script.uciok)
}

fn equal(what: &str, found: usize, owed: usize) -> Result<(), String> {
    if found == owed { Ok(()) } else { Err(format!("{what}: {found} times, not {owed}")) }
}

/// The move and the ponder move are legal, and the move is one of those requested; there is none
/// only if there is no legal move, and 0000 if the position was refused.
fn answer(root: &Root, line: &str) -> Result<(), String> {
    if root.is_refused {
        return if line == "bestmove 0000" { Ok(()) } else { Err(format!("no position: {line}")) };
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let best = match words[..] {
        ["bestmove", "(none)"] if root.position.legal_moves().is_empty() => return Ok(()),
        ["bestmove", best] | ["bestmove", best, "ponder", _] => best,
        _ => return Err(format!("no answer in {:?}: {line}", root.position)),
    };
    follow(&root.position, words.iter().skip(1).copied().filter(|&word| word != "ponder"), line)?;
    let played = root.position.parse_move(best).map_err(|error| format!("{error} in {line}"))?;
    let is_wanted = |text: &String| root.position.parse_move(text) == Ok(played);
    if root.moves.is_empty() || root.moves.iter().any(is_wanted) {
        Ok(())
    } else {
        Err(format!("not one of {:?}: {line}", root.moves))
    }
}

fn principal_variation(root: &Root, line: &str) -> Result<(), String> {
    let Some((_, moves)) = line.split_once(" pv ") else { return Ok(()) };
    follow(&root.position, moves.split_whitespace(), line)
}

/// Plays `moves` from `position`; all of them must be legal.
fn follow<'a>(
    position: &Position,
    moves: impl Iterator<Item = &'a str>,
    line: &str,
) -> Result<(), String> {
    let mut position = position.clone();
    for text in moves {
        match position.parse_move(text) {
            Ok(m) => position = position.play(m),
            Err(error) => return Err(format!("{error} in {position:?}, from the line {line}")),
        }
    }
    Ok(())
}
