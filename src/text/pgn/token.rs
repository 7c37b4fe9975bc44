//! The words of PGN's movetext.
//!
//! Files that people have are written by hand, by programs of four decades and by web pages, so a word is read by what it
//! can mean: dashes of any kind, castling with zeros or spaces, glyphs that touch the move. What means nothing is an
//! error that names the line: a word that is skipped makes nonsense of the moves after it.

/// What a piece of movetext says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A move, in whatever notation; [`Position::find_move`](crate::position::Position::find_move) knows which.
    Move(String),
    /// A null move.
    Null,
    /// The number of a move, and whether it is Black's.
    Number(u32, bool),
    /// A numeric annotation glyph.
    Nag(u8),
    /// A comment, without its braces.
    Comment(String),
    /// A variation begins.
    Open,
    /// A variation ends.
    Close,
    /// The game ends: `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result(&'static str),
    /// A word that means nothing.
    Stray(String),
}

/// Glyphs as people write them, and their numbers. Longer ones come before those that they begin with.
const GLYPHS: [(&str, u8); 36] = [
    ("!!", 3),
    ("‼", 3),
    ("??", 4),
    ("⁇", 4),
    ("!?", 5),
    ("⁉", 5),
    ("?!", 6),
    ("⁈", 6),
    ("!", 1),
    ("?", 2),
    ("□", 7),
    ("+--", 18),
    ("+-", 18),
    ("--+", 19),
    ("-+", 19),
    ("+/-", 16),
    ("±", 16),
    ("-/+", 17),
    ("∓", 17),
    ("+/=", 14),
    ("+=", 14),
    ("⩲", 14),
    ("²", 14),
    ("=/+", 15),
    ("=+", 15),
    ("⩱", 15),
    ("³", 15),
    ("∞", 13),
    ("○", 22),
    ("⟳", 32),
    ("→", 36),
    ("↑", 40),
    ("⇆", 132),
    ("=", 10),
    ("N", 146),
    ("D", 220),
];
/// Glyphs that are letters.
const LETTERS: [char; 2] = ['N', 'D'];

/// Words that say of the move before them what its notation says anyway, or nothing.
const SILENT: [&str; 12] =
    ["e.p.", "e.p", "ep", "ep.", "ch", "ch.", "mate", "dbl", "dis", "+", "++", "#"];
/// Digits that the number of a move has at most.
const MAX_DIGITS: usize = 3;
/// Notations of a null move.
const NULLS: [&str; 6] = ["--", "Z0", "@@@@", "null", "pass", "<>"];
/// Results, and other ways to write them.
const RESULTS: [(&str, &str); 9] = [
    ("1/2-1/2", "1/2-1/2"),
    ("½-½", "1/2-1/2"),
    ("0.5-0.5", "1/2-1/2"),
    ("1/2", "1/2-1/2"),
    ("½", "1/2-1/2"),
    ("1-0", "1-0"),
    ("0-1", "0-1"),
    ("*", "*"),
    ("1:0", "1-0"),
];
/// What people write with spaces between.
const SPACED: [&str; 8] = ["0-0-0", "O-O-O", "0-0", "O-O", "1/2-1/2", "½-½", "1-0", "0-1"];

/// The result that a word says.
pub fn result(word: &str) -> Option<&'static str> {
    RESULTS.iter().find(|(known, _)| *known == word).map(|&(_, result)| result)
}

/// A character of movetext as ASCII has it: any white space or invisible character is a space, any dash is `-`, a figurine
/// is its letter.
fn plain(c: char) -> char {
    match c {
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{2060}'..='\u{2064}' => ' ',
        '\u{ad}' | '\u{feff}' | '\u{180e}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '♔' | '♚' => 'K',
        '♕' | '♛' => 'Q',
        '♖' | '♜' => 'R',
        '♗' | '♝' => 'B',
        '♘' | '♞' => 'N',
        '♙' | '♟' => 'P',
        '×' | '✕' => 'x',
        c if c.is_whitespace() || c.is_control() => ' ',
        c => c,
    }
}

/// Reads movetext that holds neither comments nor the end of a line.
pub fn tokens(text: &str) -> Vec<Token> {
    // Variation selectors follow figurines and say nothing.
    let is_selector = |c: &char| ('\u{fe00}'..='\u{fe0f}').contains(c);
    let text: String = text.chars().filter(|c| !is_selector(c)).map(plain).collect();
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' | ')' => {
                tokens.push(if first == '(' { Token::Open } else { Token::Close });
                1
            }
            '[' => annotation(rest, &mut tokens),
            _ => match spaced(rest) {
                Some((before, meant, length)) => {
                    if !before.is_empty() {
                        word(before, &mut tokens);
                    }
                    word(meant, &mut tokens);
                    length
                }
                None => {
                    let length = word_length(rest);
                    let text = &rest[..length];
                    let is_of_move = matches!(tokens.last(), Some(Token::Move(_) | Token::Nag(_)));
                    if LETTERS.iter().any(|c| text.strip_prefix(*c) == Some("")) && !is_of_move {
                        // `N f3`: without its piece it would be another move.
                        tokens.push(Token::Stray(text.to_owned()));
                    } else {
                        word(text, &mut tokens);
                    }
                    length
                }
            },
        };
        // `1. ... e5`.
        if let [.., Token::Number(_, is_black), Token::Number(0, true)] = &mut tokens[..] {
            *is_black = true;
            tokens.pop();
        }
        rest = rest[length..].trim_start();
    }
    tokens
}

/// Where a word ends. A parenthesis may hold the piece of a promotion, `e8(Q)`.
fn word_length(text: &str) -> usize {
    let is_end = |(index, c): (usize, char)| match c {
        '(' => !is_promotion(&text.as_bytes()[index..]),
        ')' => !(index >= 2 && is_promotion(&text.as_bytes()[index - 2..])),
        c => c == ' ' || c == '[' && index > 0,
    };
    text.char_indices().find(|&at| is_end(at)).map_or(text.len(), |(index, _)| index)
}

/// A piece in parentheses.
fn is_promotion(text: &[u8]) -> bool {
    matches!(text, [b'(', b'Q' | b'R' | b'B' | b'N', b')', ..])
}

/// Reads a bracket that is no tag, such as a clock; returns its length.
fn annotation(text: &str, tokens: &mut Vec<Token>) -> usize {
    let length = text.find(']').map_or(text.len(), |end| end + 1);
    let inside = &text[..length];
    if !inside.starts_with("[%") {
        let words = self::tokens(inside.trim_matches(['[', ']']));
        let is_move = |token: &Token| {
            matches!(token, Token::Move(_) | Token::Null | Token::Result(_) | Token::Stray(_))
        };
        if words.iter().any(is_move) {
            tokens.push(Token::Stray(inside.trim().to_owned()));
        }
    }
    length
}

/// Castling or a result with spaces between its parts, the number that touches it, and the length of both.
fn spaced(text: &str) -> Option<(&str, &'static str, usize)> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = digits.trim_start_matches(['.', '…']);
    let end = if after.len() < digits.len() { text.len() - after.len() } else { 0 };
    let (number, text) = text.split_at(end);
    SPACED.into_iter().find_map(|meant| {
        let mut rest = text;
        for (index, c) in meant.char_indices() {
            if index > 0 {
                rest = rest.trim_start();
            }
            let same = rest.chars().next().filter(|&next| next == c || next == 'o' && c == 'O')?;
            rest = &rest[same.len_utf8()..];
        }
        let length = text.len() - rest.len();
        // A glyph may touch it.
        let is_end = |next: char| !next.is_alphanumeric() && next != '-' || LETTERS.contains(&next);
        let is_whole = rest.chars().next().is_none_or(is_end);
        (length > meant.len() && is_whole).then_some((number, meant, number.len() + length))
    })
}

/// Reads a word.
fn word(text: &str, tokens: &mut Vec<Token>) {
    if let Some(result) = result(text) {
        tokens.push(Token::Result(result));
    } else if let Some(rest) = text.strip_suffix('*') {
        word(rest, tokens);
        tokens.push(Token::Result("*"));
    } else if NULLS.contains(&text) || text == "0000" {
        tokens.push(Token::Null);
    } else if let Some(nag) = text.strip_prefix('$') {
        nag_number(nag, text, tokens);
    } else if SILENT.contains(&text) || is_evaluation(text) || glyphs(text, tokens) {
        // It says nothing that is kept, or is a glyph apart from its move.
    } else if let Some((number, is_black, rest)) = number(text) {
        tokens.push(Token::Number(number, is_black));
        if !rest.is_empty() {
            word(rest, tokens);
        }
    } else if text.contains(char::is_alphanumeric) {
        moved(text, tokens);
    }
}

/// A glyph by its number; another word may touch it.
fn nag_number(digits: &str, text: &str, tokens: &mut Vec<Token>) {
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (number, rest) = digits.split_at(end);
    match number.parse() {
        Ok(nag) => tokens.push(Token::Nag(nag)),
        // Beyond what the standard numbers.
        Err(_) if !number.is_empty() => {}
        Err(_) => return tokens.push(Token::Stray(text.to_owned())),
    }
    if !rest.is_empty() {
        word(rest, tokens);
    }
}

/// Whether the word is nothing but glyphs, which are then added.
fn glyphs(text: &str, tokens: &mut Vec<Token>) -> bool {
    let mut nags = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some((glyph, nag)) = GLYPHS.iter().find(|(glyph, _)| rest.starts_with(glyph)) else {
            return false;
        };
        nags.push(Token::Nag(*nag));
        rest = &rest[glyph.len()..];
    }
    tokens.append(&mut nags);
    true
}

/// A number that ends with dots, or stands alone; the rest of the word follows. Alone, it has to be one that a move can
/// have, since zeros and squares may be moves.
fn number(text: &str) -> Option<(u32, bool, &str)> {
    let dots = ['.', '…'];
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() {
        // Dots apart from their number.
        let rest = text.trim_start_matches(dots);
        return (rest.len() < text.len()).then_some((0, true, rest));
    }
    let bare = rest.trim_start_matches(dots);
    let is_castling = matches!(digits, "00" | "000");
    let is_move_number = digits.len() <= MAX_DIGITS && !digits.starts_with('0');
    if rest.is_empty() && is_move_number || bare.len() < rest.len() {
        let is_black = rest.starts_with("..") || rest.starts_with('…');
        return Some((digits.parse().unwrap_or(u32::MAX), is_black, bare));
    }
    // `1e4`: a move may touch its number, but the numbers of squares are no move numbers.
    let touches = rest.starts_with(char::is_alphabetic) && !is_castling;
    touches.then(|| (digits.parse().unwrap_or(u32::MAX), false, rest))
}

/// A move of correspondence chess in UCI notation: two squares, `5254`, and for a promotion 1 to 4 for the queen, rook,
/// bishop or knight.
fn by_numbers(digits: &str) -> Option<String> {
    let (squares, piece) = digits.split_at_checked(4)?;
    let promotion = match piece {
        "" => "",
        "1" => "q",
        "2" => "r",
        "3" => "b",
        "4" => "n",
        _ => return None,
    };
    let mut text = String::new();
    for (index, digit) in squares.bytes().enumerate() {
        let number = digit.checked_sub(b'1').filter(|&number| number < 8)?;
        text.push(char::from(if index % 2 == 0 { b'a' + number } else { digit }));
    }
    Some(text + promotion)
}

/// A clock, an evaluation or a percentage: numbers with signs between, or the moves to a mate.
fn is_evaluation(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let unsigned = text.trim_start_matches(['+', '-']);
    let mate = unsigned.strip_prefix(['M', '#']).map(|moves| moves.trim_start_matches(['+', '-']));
    if mate.is_some_and(is_number) || unsigned.strip_suffix('%').is_some_and(is_number) {
        return true;
    }
    let parts: Vec<&str> = unsigned.split(['.', ',', ':', '/']).collect();
    // `4.00` is castling that touches its number, and so may squares.
    let is_move = |part: &&str| matches!(*part, "00" | "000") || by_numbers(part).is_some();
    let is_touching = unsigned.len() == text.len() && parts.len() == 2 && is_move(&parts[1]);
    parts.len() > 1 && !is_touching && parts.into_iter().all(is_number)
}

/// Reads a move and the glyphs that touch it.
fn moved(text: &str, tokens: &mut Vec<Token>) {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if let Some(squares) = by_numbers(&text[..digits])
        && (digits == text.len() || glyphs(&text[digits..], &mut Vec::new()))
    {
        tokens.push(Token::Move(squares));
        glyphs(&text[digits..], tokens);
        return;
    }
    // `e4!e5` and `e4,e5`.
    if let Some(end) = text.find(['!', '?', ',']) {
        let (first, rest) = text.split_at(end);
        let after = rest.trim_start_matches(['!', '?', ',']);
        if !first.is_empty() && after.starts_with(char::is_alphanumeric) {
            moved(first, tokens);
            glyphs(rest[..rest.len() - after.len()].trim_matches(','), tokens);
            return word(after, tokens);
        }
    }
    let mut text = text;
    let mut nags = Vec::new();
    // The longest glyph at the end, again and again.
    while let Some((base, nag)) = last_glyph(text) {
        nags.insert(0, Token::Nag(nag));
        text = base;
    }
    // `e4$1`.
    if let Some((base, nag)) = text.split_once('$')
        && !base.is_empty()
    {
        moved(base, tokens);
        nag_number(nag, text, tokens);
        return tokens.append(&mut nags);
    }
    let is_suffix = |silent: &&&str| {
        silent.len() > 1 && text.len() > silent.len() + 1 && text.ends_with(**silent)
    };
    let silent = SILENT.iter().filter(is_suffix).map(|silent| silent.len()).max().unwrap_or(0);
    let text = text[..text.len() - silent].trim_end_matches(['+', '#', '=', '.', ',']);
    tokens.push(Token::Move(text.to_owned()));
    tokens.append(&mut nags);
}

/// The glyph that ends a word, and the word without it. The knight of `e8N` is no novelty.
fn last_glyph(text: &str) -> Option<(&str, u8)> {
    let ending = GLYPHS.iter().filter(|(glyph, _)| text.ends_with(glyph));
    let (glyph, nag) = ending.max_by_key(|(glyph, _)| glyph.len())?;
    let base = text.strip_suffix(glyph).filter(|base| !base.is_empty())?;
    let promotes = *glyph == "N"
        && !base.starts_with(['K', 'Q', 'R', 'B', 'N'])
        && !base.ends_with(['0', 'O', '2', '3', '4', '5', '6', '7']);
    (!promotes).then_some((base, *nag))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens in short: moves as they are, `$` glyphs, numbers left out.
    fn short(text: &str) -> String {
        let word = |token: Token| match token {
            Token::Move(word) => Some(word),
            Token::Null => Some("null".into()),
            Token::Number(..) => None,
            Token::Nag(nag) => Some(format!("${nag}")),
            Token::Comment(text) => Some(format!("{{{text}}}")),
            Token::Open => Some("(".into()),
            Token::Close => Some(")".into()),
            Token::Result(result) => Some(result.into()),
            Token::Stray(word) => Some(format!("stray:{word}")),
        };
        tokens(text).into_iter().filter_map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_mean_what_people_mean() {
        for (text, meant) in [
            ("1.e4 e5 2. Nf3", "e4 e5 Nf3"),
            ("1...e5 1…e5 2 Nf3 3.. Nc6 .. d4", "e5 e5 Nf3 Nc6 d4"),
            ("e4! e5?! Nf3!! Nc6??", "e4 $1 e5 $6 Nf3 $3 Nc6 $4"),
            (
                "Nf3± Nf3= Nf3+- Nf3⩲ Nf3‼ O-O= 0-0N",
                "Nf3 $16 Nf3 $10 Nf3 $18 Nf3 $14 Nf3 $3 O-O $10 0-0 $146",
            ),
            ("e8N e8=N+ e8(Q) e4N", "e8N e8=N e8(Q) e4 $146"),
            (
                "exd6e.p. exd6ep exd6 e.p. Bb5++ Bb5ch Qxf7 mate Qxf7#",
                "exd6 exd6 exd6 Bb5 Bb5 Qxf7 Qxf7",
            ),
            ("0−0 0‑0 O—O 0 - 0 0 - 0 - 0 00 0=0", "0-0 0-0 O-O 0-0 0-0-0 00 0=0"),
            ("o - o± 0 - 0 - 0= 0 -0+- 12.O - ON", "O-O $16 0-0-0 $10 0-0 $18 O-O $146"),
            ("1-0 0–1 1/2 ½-½ 1 - 0 *", "1-0 0-1 1/2-1/2 1/2-1/2 1-0 *"),
            ("-- Z0 --* e5*", "null null null * e5 *"),
            ("e4$1$14 $3", "e4 $1 $14 $3"),
            ("(e4) (e4 (d4) c4)", "( e4 ) ( e4 ( d4 ) c4 )"),
            ("1.\u{a0}e4\u{200b}e5 \u{2028}Nf3", "e4 e5 Nf3"),
            ("♘f3 e2–e4 5254", "Nf3 e2-e4 e2e4"),
            ("+0.35 -1,2 0:01:00 [0.2] [#] [%clk 0:01]", ""),
            ("resigns [abc] [0-0] [5254]", "resigns stray:[abc] stray:[0-0] stray:[5254]"),
            ("4.00 12.000 00 1.5254 1.57581 0 57585", "00 000 00 e2e4 e7e8q 0 57585"),
            ("e4!?e5 Nf3,Nc6 5254! e4 D", "e4 $5 e5 Nf3 Nc6 e2e4 $1 e4 $220"),
            ("e4 N 1... e5 N", "e4 $146 e5 $146"),
            ("1. N f3 1... N f6", "stray:N f3 stray:N f6"),
            ("♘\u{fe0e}f3 -M5 #3 35/12 +0.3/12 0.35 55%", "Nf3"),
            ("马 е4", "马 е4"),
            ("", ""),
        ] {
            assert_eq!(short(text), meant, "{text}");
        }
    }
}
