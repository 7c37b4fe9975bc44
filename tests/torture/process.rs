//! Scripts through the built program.

use std::io::Write;
use std::process::ChildStdin;
use std::time::Duration;

use super::judge::judge;
use super::script::{End, Script, Step};
use crate::common::Engine;

/// The length of a pause.
const PAUSE: Duration = Duration::from_millis(3);

/// Runs `script`, and judges the output and how the program ended. The script is sent from a
/// separate thread, so that a program that stops reading is detected like any other hang.
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
    drop(teller.join().map_err(|_| "the sending thread panicked")?);
    Ok(())
}

/// Sends every step, then closes the input, at once or only when the program has ended.
fn tell(mut input: ChildStdin, steps: &[Step], end: End) -> Option<ChildStdin> {
    for step in steps {
        match step {
            // Whatever comes after `quit` need not be read.
            Step::Send(bytes) => input.write_all(bytes).ok()?,
            Step::Pause => std::thread::sleep(PAUSE),
        }
    }
    // A `quit` without a line end is only complete at the end of input.
    let is_whole = matches!(steps.last(), Some(Step::Send(bytes)) if bytes.ends_with(b"\n"));
    (end == End::Quit && is_whole).then_some(input)
}

/// The last first line of a search, if there is one, must begin with the move played.
fn last_lines(output: &[String]) -> Result<(), String> {
    let mut last = None;
    for line in output {
        if let Some((_, moves)) = line.split_once(" pv ").filter(|_| line.contains(" multipv 1 ")) {
            last = moves.split_whitespace().next();
        } else if let Some(answer) = line.strip_prefix("bestmove ") {
            let best = answer.split_whitespace().next();
            if last.take().is_some_and(|last| Some(last) != best) {
                return Err(format!("not the move of the last line: {line}"));
            }
        }
    }
    Ok(())
}
