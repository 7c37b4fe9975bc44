//! The words of movetext: results, move numbers, null moves and remarks, in the spellings that
//! people and programs use.

/// Dashes that stand for `-`: two hyphens, two dashes and a minus.
pub const DASHES: [char; 5] = ['\u{2010}', '\u{2011}', '\u{2013}', '\u{2014}', '\u{2212}'];
/// The null move, as PGN's readers agree on it, ...
pub const NULL: &str = "--";
/// ... and as others write it, dashes replaced.
const NULLS: [&str; 8] = [NULL, "@@@@", "<>", "∅", "-", "0000", "z0", "ø"];
/// Null moves in words.
const PASSES: [&str; 2] = ["null", "pass"];
/// A game that both sides lose.
pub const FORFEIT: &str = "0-0";
/// The longest parenthesis that may be a remark, in characters.
const LONGEST_ASIDE: usize = 200;
/// The points of a side.
const POINTS: [(&str, Points); 6] = [
    ("1/2", Points::Half),
    ("½", Points::Half),
    ("0.5", Points::Half),
    ("0,5", Points::Half),
    ("1", Points::One),
    ("0", Points::None),
];

#[derive(Copy, Clone, PartialEq, Eq)]
enum Points {
    None,
    Half,
    One,
}

/// Whether a character ends a word: one of those that do for pgn-reader, any white space, or an
/// invisible character.
pub fn is_end(c: char) -> bool {
    let is_invisible =
        matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    is_invisible || c.is_whitespace() || c.is_control() || "{}()!?$;.*…".contains(c)
}

/// Whether a word is a null move.
pub fn is_null(word: &str) -> bool {
    let word = word.replace(DASHES, "-").to_lowercase();
    NULLS.contains(&word.as_str()) || PASSES.contains(&word.as_str())
}

/// The result that a text begins with, and its length: `1-0`, `1 - 0`, `½:½`, or [`FORFEIT`].
pub fn result(text: &str) -> Option<(&'static str, usize)> {
    let is_over = |rest: &str| rest.chars().next().is_none_or(|c| is_end(c) || c == '[');
    let (white, alone) = points(text)?;
    let after = alone.trim_start_matches(' ');
    let dash = after.chars().next().filter(|c| DASHES.contains(c) || "-:".contains(*c));
    let black = dash.and_then(|dash| points(after[dash.len_utf8()..].trim_start_matches(' ')));
    let (result, rest) = match (white, black) {
        (Points::One, Some((Points::None, rest))) => ("1-0", rest),
        (Points::None, Some((Points::One, rest))) => ("0-1", rest),
        (Points::Half, Some((Points::Half, rest))) => ("1/2-1/2", rest),
        (Points::None, Some((Points::None, rest))) => (FORFEIT, rest),
        // A draw may be told by one side's points: `1/2`, but `0.5` is an evaluation.
        (Points::Half, None) if !text.starts_with('0') => ("1/2-1/2", alone),
        _ => return None,
    };
    is_over(rest).then_some((result, text.len() - rest.len()))
}

/// The points that a text begins with, and what follows them.
fn points(text: &str) -> Option<(Points, &str)> {
    POINTS.iter().find_map(|(word, points)| Some((*points, text.strip_prefix(word)?)))
}

/// The remark that a text begins with: an evaluation (`+0.35/12`, `-M5`), a clock (`0:05`) or a
/// time (`2.3s`).
pub fn remark(text: &str) -> Option<&str> {
    let end = text.find(|c: char| c.is_whitespace() || "(){}[];".contains(c));
    let word = &text[..end.unwrap_or(text.len())];
    let bare = word.trim_start_matches(|c| "+-".contains(c) || DASHES.contains(&c));
    let is_signed = bare.len() < word.len();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_decimal =
        |text: &str| text.split_once(['.', ',']).is_some_and(|(a, b)| is_number(a) && is_number(b));
    let (score, depth) = bare.split_once('/').map_or((bare, None), |(a, b)| (a, Some(b)));
    let is_mate = score.strip_prefix(['M', 'm', '#']).is_some_and(is_number);
    let is_score =
        is_decimal(score) || is_signed && (is_mate || depth.is_some() && is_number(score));
    let is_depth = depth.map_or(is_signed, |depth| depth.split('/').all(is_number));
    let is_clock = || {
        let (hours, rest) = bare.split_once(':')?;
        let seconds = |part: &str| {
            let whole = part.split_once(['.', ',']).map_or(part, |(whole, _)| whole);
            whole.len() == 2 && is_number(whole) && (whole.len() == part.len() || is_decimal(part))
        };
        Some(is_number(hours) && rest.split(':').all(seconds))
    };
    let is_time = bare.strip_suffix('s').is_some_and(|time| is_number(time) || is_decimal(time));
    (is_score && is_depth || is_clock() == Some(true) || is_time).then_some(word)
}

/// The length of the parenthesis that a text begins with, if there is no move in it: `(0:05)`,
/// `(=)`.
pub fn aside(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('(')?;
    let mut ends = inside.char_indices().take(LONGEST_ASIDE);
    let (end, last) = ends.find(|(_, c)| "(){;$".contains(*c))?;
    let inside = &inside[..end];
    let is_aside = last == ')'
        && inside.contains(|c: char| !c.is_ascii_digit() && !c.is_whitespace())
        && !inside.split_whitespace().any(may_be_move);
    is_aside.then_some(end + 2)
}

/// Whether a word looks like a move, with its number or not.
fn may_be_move(word: &str) -> bool {
    if remark(word).is_some() {
        return false;
    }
    let bare = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '…');
    let has = |is: fn(char) -> bool| bare.contains(is);
    let is_capture = bare.len() == 2 && bare.bytes().all(|b| (b'a'..=b'h').contains(&b));
    let is_castling =
        word.replace(DASHES, "-").contains("0-0") || bare.to_uppercase().contains("O-O");
    has(char::is_alphabetic) && has(char::is_numeric)
        || is_capture
        || is_castling
        || is_null(bare)
        || is_null(word)
}

/// The length of the mark of a capture en passant that a text begins with.
pub fn en_passant(text: &str) -> Option<usize> {
    let is_over = |length: &usize| text[*length..].chars().next().is_none_or(is_end);
    let fits =
        |mark: &&str| text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    ["e.p.", "e.p", "ep"].iter().find(|mark| fits(mark)).map(|mark| mark.len()).filter(is_over)
}
