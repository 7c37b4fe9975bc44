//! What the program says of itself.

use crate::commands::build::NAME;

use super::options;

/// The lines that begin the answer to `uci`.
#[must_use]
pub fn identity() -> [String; 2] {
    [format!("id name {NAME}"), "id author the Heddle authors".into()]
}

/// The commands and the options, for people.
#[must_use]
pub fn help() -> Vec<String> {
    const COMMANDS: &[(&str, &str)] = &[
        ("uci", "identify and list the options"),
        ("isready", "answer readyok"),
        ("ucinewgame", "forget the last game"),
        ("position", "startpos | fen <FEN> [moves <move>...]"),
        ("go", "wtime btime winc binc movestogo movetime depth nodes mate"),
        ("", "searchmoves <move>... ponder infinite perft <depth>"),
        ("stop", "end the search and answer"),
        ("ponderhit", "the expected move was played: think on the clock"),
        ("setoption", "name <option> [value <value>]"),
        ("debug", "on | off"),
        ("quit", "end the program"),
        ("d", "show the board"),
        ("eval", "show the static evaluation"),
        ("flip", "mirror the position, colours exchanged"),
        ("perft", "<depth>: count the leaves below each move"),
        ("bench", "[hash] [threads] [limit] [default | current | <file>]"),
        ("", "[depth | nodes | movetime | perft | eval]: search fixed positions"),
        ("speedtest", "[threads] [hash] [seconds]: measure the nodes per second"),
        ("compiler", "how the program was built"),
        ("license", "the terms of use"),
    ];
    let commands = COMMANDS.iter().map(|(word, what)| format!("  {word:17} {what}"));
    let options = options::help();
    [format!("{NAME} speaks UCI. Commands:")]
        .into_iter()
        .chain(commands)
        .chain(["Options:".to_owned()])
        .chain(options)
        .collect()
}
