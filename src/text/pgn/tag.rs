//! Tags, in the forms that files have them.

/// Quotes that begin a value.
const QUOTES: [char; 4] = ['"', '“', '”', '\''];

/// Whether a line begins with a tag beyond doubt: `[`, a name, a quote.
pub fn begins(text: &str) -> bool {
    let Some(inside) = text.trim_start().strip_prefix('[') else { return false };
    let inside = inside.trim_start();
    let name = inside.trim_start_matches(|c: char| c.is_alphanumeric() || "_- ".contains(c));
    inside.starts_with(char::is_alphabetic) && name.trim_start().starts_with(['"', '“'])
}

/// Whether a line is the beginning of a tag that goes on: neither its bracket nor its value is closed, and it is no more than
/// that.
pub fn is_cut(text: &str) -> bool {
    let Some(inside) = text.trim().strip_prefix('[') else { return false };
    let value = inside.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let value = value.trim_start();
    !value.contains(']')
        && (value.is_empty()
            || value.starts_with('"') && !value[1..].trim_end_matches('"').contains('"'))
}

/// Reads the tag that begins `text`, and says how long it is. It is `None` if it has no name that PGN allows.
pub fn read(text: &str) -> (Option<(String, String)>, usize) {
    let start = text.find('[').map_or(0, |at| at + 1);
    let inside = &text[start..];
    let quote = inside.find(QUOTES);
    let bracket = inside.find(']');
    let (name, value, length) = match (quote, bracket) {
        (Some(quote), bracket) if bracket.is_none_or(|bracket| quote < bracket) => {
            let opening = inside[quote..].chars().next().map_or(1, char::len_utf8);
            let (value, length) = quoted(&inside[quote + opening..]);
            (&inside[..quote], value, quote + opening + length)
        }
        // No quotes: a name and the rest.
        _ => {
            let end = bracket.unwrap_or(inside.len());
            let words = inside[..end].trim();
            let (name, value) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
            (name, value.trim().to_owned(), (end + 1).min(inside.len()))
        }
    };
    let name = name.trim();
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (is_name.then(|| (name.to_owned(), value)), start + length)
}

/// The value that a quote has begun, and the length up to behind the bracket. Quotes within it may not be escaped, so it
/// ends at the first quote and bracket after which something else begins, or else at the last.
fn quoted(text: &str) -> (String, usize) {
    let mut ends = Vec::new();
    let mut is_escaped = false;
    for (index, c) in text.char_indices() {
        if !is_escaped && is_quote(c) {
            ends.extend(closing(text, index));
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    if ends.is_empty() {
        // A backslash before the last quote is none that escapes it.
        let last =
            text.char_indices().rev().find(|&(at, c)| is_quote(c) && closing(text, at).is_some());
        ends.extend(last.and_then(|(at, _)| closing(text, at)));
    }
    let begins_other = |rest: &str| {
        let rest = rest.trim_start();
        rest.is_empty()
            || rest.starts_with(['[', '{', ';', '(', '*'])
            || rest.starts_with(|c: char| c.is_ascii_digit())
    };
    // The last end before another tag, which may follow moves.
    let is_last = |length: usize| {
        let opens = |&(at, c): &(usize, char)| c == '[' && begins(&text[at..]);
        let tag = text[length..].char_indices().map(|(at, c)| (at + length, c)).find(opens);
        let next = ends.iter().find(|(end, _)| *end >= length);
        next.is_none_or(|(end, _)| tag.is_some_and(|(tag, _)| tag < *end))
    };
    let is_end = |&&(_, length): &&(usize, usize)| begins_other(&text[length..]) || is_last(length);
    let (end, length) = ends.iter().find(is_end).copied().unwrap_or_else(|| unclosed(text));
    (unescaped(&text[..end]), length)
}

/// The end of a value and of its tag if either the quote or the bracket is missing, or both: what comes after the other one
/// is no part of it.
fn unclosed(text: &str) -> (usize, usize) {
    let is_end = |c| matches!(c, '"' | '”' | ']');
    let end = text.find(is_end).unwrap_or(text.len());
    let rest = text[end..].trim_start_matches(is_end);
    (end, text.len() - rest.len())
}

fn is_quote(c: char) -> bool {
    QUOTES.contains(&c)
}

/// Where the value ends and the length of the tag, if the quote at `index` closes it.
fn closing(text: &str, index: usize) -> Option<(usize, usize)> {
    let quote = text[index..].chars().next()?.len_utf8();
    let rest = &text[index + quote..];
    let bracket = rest.trim_start();
    bracket.starts_with(']').then(|| (index, text.len() - bracket.len() + 1))
}

/// Takes the backslashes away that stand before quotes and backslashes.
fn unescaped(value: &str) -> String {
    let mut text = String::new();
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped =
            if c == '\\' { chars.next_if(|&next| next == '"' || next == '\\') } else { None };
        text.push(escaped.unwrap_or(c));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_read_in_many_forms() {
        for (text, name, value) in [
            ("[White \"A\"]", "White", "A"),
            ("[FEN\t\"x\"]", "FEN", "x"),
            ("[ Event  \"x\" ]", "Event", "x"),
            ("[Event\"x\"]", "Event", "x"),
            ("[White \"A \"B\" C\"]", "White", "A \"B\" C"),
            ("[White \"\"Name\"\"]", "White", "\"Name\""),
            ("[White \"a \\\"b\\\" \\\\ c\"]", "White", "a \"b\" \\ c"),
            ("[File \"C:\\tb\\\"]", "File", "C:\\tb\\"),
            ("[Result 1-0]", "Result", "1-0"),
            ("[Event 'x']", "Event", "x"),
            ("[Event “x”]", "Event", "x"),
            ("[Event \"x]y\"]", "Event", "x]y"),
            ("[Event \"never closed", "Event", "never closed"),
            ("[Event \"x]", "Event", "x"),
            ("[Event \"x\"", "Event", "x"),
            ("[Event \"\"]", "Event", ""),
        ] {
            assert_eq!(read(text), (Some((name.into(), value.into())), text.len()), "{text}");
        }
        for text in ["[White-Elo \"1\"]", "[White Elo \"1\"]", "[Größe \"1\"]"] {
            assert_eq!(read(text), (None, text.len()), "{text}");
        }
    }

    #[test]
    fn a_tag_ends_where_something_else_begins() {
        for tag in ["[White \"A\"", "[White \"A]"] {
            let (found, length) = read(&format!("{tag} 1. e4 *"));
            assert_eq!((found, length), (Some(("White".into(), "A".into())), tag.len()), "{tag}");
        }
        let others =
            [" 1. e4 *", " e4 * [White \"B\"] d4 *", " [Black \"B\"]", " {x \"] y}", " ; y"];
        for rest in others {
            let tag = "[White \"A\"]";
            let (found, length) = read(&format!("{tag}{rest}"));
            assert_eq!((found, length), (Some(("White".into(), "A".into())), tag.len()), "{rest}");
        }
    }

    #[test]
    fn what_begins_a_tag_beyond_doubt() {
        assert!(begins("[White \"A\"]") && begins(" [ White  \"A") && begins("[White-Elo \"1\"]"));
        assert!(
            !begins("[%clk 0:01]") && !begins("[0.2] 2. Nf3") && !begins("[#]") && !begins("e4")
        );
    }
}
