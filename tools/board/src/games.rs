//! Games as text: read for the page, and written for it.

use std::io;

use heddle::position::record::Record as Entry;
use heddle::position::{Move, Position};
use heddle::text::pgn::games::Games;
use heddle::text::pgn::raw::RawGame;
use heddle::text::{self, build, suite};
use heddle_annotate::{Game, Node, Variation, pgn, read};

use crate::protocol::{Branch, Code, Loaded, MAX_PLIES, Record, Refusal, Reply, Step, Title};
use crate::rules;

/// The most games of a text that are listed.
const MAX_GAMES: usize = 2000;
/// The tag of a game's end.
const RESULT: &str = "Result";
/// A game without an end.
const NO_RESULT: &str = "*";
/// The most bytes of a tag or a score that is written.
const MAX_TEXT: usize = 200;

/// The answer to `read`: the games of a text, or one of them.
///
/// # Errors
/// A refusal: the text has no such game, or it makes no sense.
pub fn answer(id: u64, text: &str, number: Option<usize>) -> Result<Reply, Refusal> {
    if suite::is_list(text)
        && let Ok(records) = suite::records(text)
        && !records.is_empty()
    {
        return positions(id, &records, number);
    }
    let mut games = Games::new(text.as_bytes());
    match number {
        Some(number) => {
            let game = games.nth(number.saturating_sub(1));
            let game =
                game.ok_or_else(|| Refusal::new(id, Code::Text, format!("no game {number}")))?;
            load(id, &game.map_err(|error| broken(id, &error))?)
        }
        None => {
            let titles: io::Result<Vec<_>> =
                games.by_ref().take(MAX_GAMES).map(|game| game.map(|game| title(&game))).collect();
            let games_found = titles.map_err(|error| broken(id, &error))?;
            if games_found.is_empty() {
                return Err(Refusal::new(
                    id,
                    Code::Text,
                    "the text has neither a game nor a position",
                ));
            }
            Ok(Reply::Games { id, games: games_found, more: games.next().is_some() })
        }
    }
}

fn broken(id: u64, error: &io::Error) -> Refusal {
    Refusal::new(id, Code::Text, error.to_string())
}

/// The positions of a list as games without moves.
fn positions(id: u64, records: &[(usize, Entry)], number: Option<usize>) -> Result<Reply, Refusal> {
    let Some(number) = number else {
        let title = |(line, record): &(usize, Entry)| Title {
            name: suite::name_of(record, *line),
            about: record.position.fen(),
        };
        let games = records.iter().take(MAX_GAMES).map(title).collect();
        return Ok(Reply::Games { id, games, more: records.len() > MAX_GAMES });
    };
    let record = records.get(number.saturating_sub(1));
    let (_, record) =
        record.ok_or_else(|| Refusal::new(id, Code::Text, format!("no position {number}")))?;
    Ok(Reply::Game(Loaded {
        id,
        start: record.position.fen(),
        tags: Vec::new(),
        result: NO_RESULT.to_owned(),
        line: Vec::new(),
    }))
}

/// A game in a list.
fn title(game: &RawGame) -> Title {
    let tag = |name: &str| {
        let value = game.tag(name).map(str::trim).unwrap_or_default();
        let known = !value.is_empty() && !value.chars().all(|c| "?.".contains(c));
        known.then(|| value.to_owned())
    };
    let player = |name: &str| tag(name).unwrap_or_else(|| name.to_owned());
    let about = [tag("Event"), tag("Date"), game.result().map(str::to_owned)];
    Title {
        name: format!("{} – {}", player("White"), player("Black")),
        about: about.into_iter().flatten().collect::<Vec<_>>().join(", "),
    }
}

fn load(id: u64, raw: &RawGame) -> Result<Reply, Refusal> {
    let game = read(raw).map_err(|error| Refusal::new(id, Code::Text, error.to_string()))?;
    let line = steps(&game.start, &game.line);
    let (start, result) = (game.start.fen(), game.result);
    Ok(Reply::Game(Loaded { id, start, tags: game.tags, result, line }))
}

/// The moves of a line, which the reader has found to be legal.
fn steps(start: &Position, line: &Variation) -> Vec<Step> {
    let mut position = start.clone();
    let mut found = Vec::new();
    for Node { san, nags, comments, variations } in &line.nodes {
        let Ok((m, after)) = text::pgn::step(&position, san) else { break };
        let variations = variations.iter().map(|other| steps(&position, other)).collect();
        found.push(Step {
            moved: rules::moved(&position, m),
            nags: nags.clone(),
            comments: comments.clone(),
            variations,
        });
        position = after;
    }
    found
}

/// The game of a record, with its scores and clocks as comments.
///
/// # Errors
/// A refusal: there is no such position, or a move is not legal.
pub fn of_record(id: u64, record: &Record) -> Result<Game, Refusal> {
    let start = rules::start(id, record.start.as_deref())?;
    let (line, moves) = variation(id, &start, &record.line)?;
    let mut tags: Vec<(String, String)> = Vec::new();
    for name in ["Event", "Site", "Date", "Round", "White", "Black", RESULT] {
        let default = if name == RESULT { NO_RESULT } else { "?" };
        let value = record.tags.get(name).filter(|value| value.len() <= MAX_TEXT);
        tags.push((name.to_owned(), value.map_or(default, String::as_str).to_owned()));
    }
    if start.fen() != Position::default().fen() {
        if start.is_chess960() {
            tags.push(("Variant".to_owned(), "Chess960".to_owned()));
        }
        tags.extend([("SetUp", "1".to_owned()), ("FEN", start.fen())].map(|(n, v)| (n.into(), v)));
    }
    let results = ["1-0", "0-1", "1/2-1/2"];
    let result = record.tags.get(RESULT).filter(|result| results.contains(&result.as_str()));
    let result = result.map_or(NO_RESULT, String::as_str).to_owned();
    tags.push(("Annotator".to_owned(), build::NAME.to_owned()));
    Ok(Game { tags, start, moves, line, result })
}

/// A line of a record, and its moves; `None` where a side passes.
fn variation(
    id: u64,
    start: &Position,
    line: &[Branch],
) -> Result<(Variation, Vec<Option<Move>>), Refusal> {
    if line.len() > MAX_PLIES {
        return Err(Refusal::new(id, Code::Bounds, format!("more than {MAX_PLIES} moves")));
    }
    let mut position = start.clone();
    let (mut nodes, mut moves) = (Vec::new(), Vec::new());
    for branch in line {
        let (m, after) = rules::step(id, &position, &branch.uci)?;
        let others = branch.variations.iter().map(|other| variation(id, &position, other));
        let others: Result<Vec<_>, _> = others.collect();
        let said = comment(branch);
        let said = (!said.is_empty()).then_some(said);
        nodes.push(Node {
            san: rules::moved(&position, m).san,
            nags: branch.nags.clone(),
            comments: said.into_iter().chain(branch.comments.iter().cloned()).collect(),
            variations: others?.into_iter().map(|(line, _)| line).collect(),
        });
        position = after;
        moves.push(m);
    }
    Ok((Variation { nodes, ..Variation::default() }, moves))
}

/// The game of a record as PGN.
///
/// # Errors
/// As [`of_record`].
pub fn write(id: u64, record: &Record) -> Result<Reply, Refusal> {
    Ok(Reply::Pgn { id, text: pgn(&of_record(id, record)?) })
}

/// Score and clock as PGN has them, `[%eval 0.23,18] [%clk 0:04:59]`, unless the comments do.
fn comment(branch: &Branch) -> String {
    let is_said = |command: &str| branch.comments.iter().any(|said| said.contains(command));
    let is_score = |text: &&String| {
        let body = text.trim_start_matches(['+', '-', '#']);
        let is_number = |c: char| "0123456789.-".contains(c);
        !body.is_empty() && body.len() < MAX_TEXT && body.chars().all(is_number)
    };
    let mut words = Vec::new();
    if let Some(score) = branch.score.as_ref().filter(is_score)
        && !is_said("[%eval ")
    {
        let score = score.trim_start_matches('+');
        words.push(match branch.depth {
            Some(depth) => format!("[%eval {score},{depth}]"),
            None => format!("[%eval {score}]"),
        });
    }
    if let Some(clock) = branch.clock
        && !is_said("[%clk ")
    {
        let seconds = clock / 1000;
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        words.push(format!("[%clk {hours}:{minutes:02}:{:02}]", seconds % 60));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "[White \"A\"]\n[Date \"2024.??.??\"]\n\n1. e4 {good} e5 (1... c5 $2) 1-0\n\n\
                       [Black \"B\"]\n\n1. d4 *\n";

    #[test]
    fn the_games_of_a_text_are_listed() {
        let Reply::Games { games, more, .. } = answer(1, TWO, None).unwrap() else { panic!() };
        let names: Vec<_> = games.iter().map(|title| title.name.as_str()).collect();
        assert_eq!((names, more), (vec!["A – Black", "White – B"], false));
        assert_eq!(games[0].about, "2024.??.??");
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let Reply::Games { games, .. } = answer(1, fen, None).unwrap() else { panic!() };
        assert_eq!(games[0].about, fen);
    }

    #[test]
    fn a_game_comes_with_its_variations() {
        let Reply::Game(game) = answer(1, TWO, Some(1)).unwrap() else { panic!() };
        assert_eq!(game.line.len(), 2);
        assert_eq!(game.line[0].comments, ["good"]);
        let other = &game.line[1].variations[0][0];
        assert_eq!((other.moved.uci.as_str(), &other.nags[..]), ("c7c5", &[2][..]));
        let Reply::Game(game) = answer(1, "e4 e5 Nf3", Some(1)).unwrap() else { panic!() };
        assert_eq!(game.line.len(), 3);
    }

    #[test]
    fn a_side_may_pass_in_a_line_and_in_a_variation() {
        let text = "1. e4 -- {idle} 2. Z0 (2. d4 -- 3. c4) 2... d5 *";
        let Reply::Game(game) = answer(1, text, Some(1)).unwrap() else { panic!() };
        let uci = |line: &[Step]| {
            line.iter().map(|step| step.moved.uci.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(uci(&game.line), "e2e4 0000 0000 d7d5");
        assert_eq!(
            (game.line[1].moved.san.as_str(), &game.line[1].comments[0]),
            ("--", &"idle".into())
        );
        assert_eq!(uci(&game.line[2].variations[0]), "d2d4 0000 c2c4");
        let line =
            ["e2e4", "0000", "d2d4"].map(|uci| Branch { uci: uci.into(), ..Branch::default() });
        let record = Record { start: None, tags: [].into(), line: line.into() };
        let Reply::Pgn { text, .. } = write(1, &record).unwrap() else { panic!() };
        assert!(text.contains("1. e4 -- 2. d4"), "{text}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, number) in [("", None), (TWO, Some(3)), ("1. e4 e5 2. Ke3 *", Some(1))] {
            assert_eq!(answer(1, text, number).unwrap_err().code, Code::Text, "{text}");
        }
    }

    #[test]
    fn a_game_is_written_with_all_that_is_said_about_it() {
        let branch = |uci: &str, score: &str| Branch {
            uci: uci.to_owned(),
            score: Some(score.to_owned()),
            depth: Some(9),
            clock: Some(3_725_000),
            ..Branch::default()
        };
        let other =
            Branch { uci: "c7c5".into(), comments: vec!["sharp".into()], ..Branch::default() };
        let reply = Branch { variations: vec![vec![other]], ..branch("e7e5", "} 1-0 {") };
        let record = Record {
            start: None,
            tags: [("White", "You"), ("Result", "1-0")].map(|(n, v)| (n.into(), v.into())).into(),
            line: vec![branch("e2e4", "+0.35"), reply],
        };
        let Reply::Pgn { text, .. } = write(1, &record).unwrap() else { panic!() };
        let text = text.replace('\n', " ");
        assert!(text.contains("1. e4 { [%eval 0.35,9] [%clk 1:02:05] }"), "{text}");
        assert!(text.contains("(1... c5 { sharp })"), "{text}");
        assert!(text.contains("[White \"You\"]") && text.trim_end().ends_with("1-0"), "{text}");
        assert_eq!(text.matches("1-0").count(), 2, "a score is only a score: {text}");
    }
}
