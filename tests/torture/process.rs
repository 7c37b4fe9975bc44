//! Scripts through the built program.

use std::io::Write;
use std::process::ChildStdin;
use std::time::Duration;

use crate::common::Engine;
use crate::judge::judge;
use crate::script::{End, Script, Step};

/// How long a pause is.
const PAUSE: Duration = Duration::from_millis(3);

/// Runs `script` and judges what was said and how the program ended. It is told on a thread of its
/// own, so that a program that no longer reads is found to hang like any other.
pub fn run(script: &Script) -> Result<(), String> {
    let mut engine = Engine::start();
    let input = engine.take_input();
    let (steps, end) = (script.steps.clone(), script.end);
    let teller = std::thread::spawn(move || tell(input, &steps, end));
    let Some(end) = engine.end() else { return Err("it hangs".into()) };
    if !end.status.success() || !end.complaint.is_empty() {
        return Err(format!("{}: {}", end.status, end.complaint));
    }
    judge(script, &end.output)?;
    last_lines(&end.output)?;
    drop(teller.join().map_err(|_| "nobody told it")?);
    Ok(())
}

/// Sends every step and ends the input, or waits with that until the program is gone.
fn tell(mut input: ChildStdin, steps: &[Step], end: End) -> Option<ChildStdin> {
    for step in steps {
        match step {
            // What comes after `quit` need not be read.
            Step::Send(bytes) => input.write_all(bytes).ok()?,
            Step::Pause => std::thread::sleep(PAUSE),
        }
    }
    // A `quit` that is not followed by the end of its line is by the end of input.
    let is_whole = matches!(steps.last(), Some(Step::Send(bytes)) if bytes.ends_with(b"\n"));
    (end == End::Quit && is_whole).then_some(input)
}

/// The last first line of a search, if there is one, begins with the move that is played.
fn last_lines(output: &[String]) -> Result<(), String> {
    let mut last = None;
    for line in output {
        if let Some((_, moves)) = line.split_once(" pv ").filter(|_| line.contains(" multipv 1 ")) {
            last = moves.split_whitespace().next();
        } else if let Some(answer) = line.strip_prefix("bestmove ") {
            let best = answer.split_whitespace().next();
            if last.take().is_some_and(|last| Some(last) != best) {
                return Err(format!("not what the last line says: {line}"));
            }
        }
    }
    Ok(())
}
