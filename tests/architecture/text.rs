//! Rust source as plain text: which parts are code, which parts ship, and their paths.

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The numbers of the lines that contain `pattern` as whole words.
pub fn lines_with(code: &str, pattern: &str) -> impl Iterator<Item = usize> {
    let stands_alone = move |line: &str| {
        line.match_indices(pattern).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + pattern.len()..]);
            let open_end = pattern.ends_with(is_word) && after.starts_with(is_word);
            !before.ends_with(is_word) && !before.ends_with('\'') && !open_end
        })
    };
    code.lines().enumerate().filter(move |(_, line)| stands_alone(line)).map(|(n, _)| n + 1)
}

/// Every path in `code`, with the braces of `use` expanded.
pub fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find(is_word) {
        rest = path_at(&rest[start..], "", &mut found);
    }
    found
}

/// Parses the path that `code` begins with, adds it to `found` and returns the rest.
fn path_at<'a>(code: &'a str, prefix: &str, found: &mut Vec<String>) -> &'a str {
    let end = code.find(|c| !is_word(c)).unwrap_or(code.len());
    let path = format!("{prefix}{}", &code[..end]);
    let Some(rest) = code[end..].strip_prefix("::") else {
        found.push(path);
        return &code[end..];
    };
    if rest.starts_with(is_word) {
        return path_at(rest, &format!("{path}::"), found);
    }
    let Some(group) = rest.strip_prefix('{') else {
        found.push(path);
        return rest;
    };
    let mut group = group;
    while let Some(start) = group.find(|c| is_word(c) || c == '}' || c == '*') {
        let item = &group[start..];
        if let Some(after) = item.strip_prefix('}') {
            return after;
        }
        group = match item.strip_prefix('*') {
            Some(after) => after,
            None => path_at(item, &format!("{path}::"), found),
        };
    }
    ""
}

/// The code outside of `mod name { ... }`, and the body of each such module.
pub fn split_inline_modules(code: &str) -> (String, Vec<String>) {
    let (mut outer, mut inner) = (String::new(), Vec::new());
    let mut rest = code;
    while let Some(start) = rest.find("mod ") {
        let item = &rest[start..start + item_end(&rest[start..])];
        outer += &rest[..start];
        rest = &rest[start + item.len()..];
        inner.extend(item.split_once('{').map(|(_, body)| body.to_owned()));
    }
    (outer + rest, inner)
}

/// The end of the item that `code` begins with: after its closing brace or semicolon.
fn item_end(code: &str) -> usize {
    let (mut braces, mut others) = (0, 0);
    for (at, c) in code.char_indices() {
        match c {
            '{' => braces += 1,
            '}' => braces -= 1,
            '(' | '[' => others += 1,
            ')' | ']' => others -= 1,
            _ => {}
        }
        if braces == 0 && others == 0 && (c == '}' || c == ';') {
            return at + 1;
        }
    }
    code.len()
}

/// Overwrites every character except line breaks.
fn blank(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { ' ' }).collect()
}

/// Blanks every item under `#[cfg(test)]` or `#[cfg(all(test, ...))]`.
pub fn blank_tests(code: &str) -> String {
    let mut shipped = String::new();
    let mut rest = code;
    let next =
        |rest: &str| ["#[cfg(test)]", "#[cfg(all(test,"].iter().filter_map(|a| rest.find(a)).min();
    while let Some(start) = next(rest) {
        let attribute = rest[start..].find("]").expect("an attribute is closed") + 1;
        let end = start + attribute + item_end(&rest[start + attribute..]);
        shipped += &rest[..start];
        shipped += &blank(&rest[start..end]);
        rest = &rest[end..];
    }
    shipped + rest
}

/// Blanks comments and the contents of string and character literals.
pub fn blank_comments_and_strings(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = literal_or_comment(rest, code.ends_with(is_word));
        let taken = skipped.unwrap_or(c.len_utf8());
        code += &if skipped.is_some() { blank(&rest[..taken]) } else { c.to_string() };
        rest = &rest[taken..];
    }
    code
}

/// The length of the comment or literal that `text` begins with.
fn literal_or_comment(text: &str, after_word: bool) -> Option<usize> {
    let until = |from: usize, end: &str| text[from..].find(end).map_or(text.len(), |n| from + n);
    if text.starts_with("//") {
        return Some(until(2, "\n"));
    }
    if text.starts_with("/*") {
        return Some((until(2, "*/") + 2).min(text.len()));
    }
    let raw = text.trim_start_matches('b');
    if !after_word && (raw.starts_with("r\"") || raw.starts_with("r#")) {
        let hashes: String = raw[1..].chars().take_while(|&c| c == '#').collect();
        let open = text.len() - raw.len() + 1 + hashes.len();
        if text[open..].starts_with('"') {
            let close = format!("\"{hashes}");
            return Some((until(open + 1, &close) + close.len()).min(text.len()));
        }
    }
    let quote = text.chars().next().filter(|c| ['"', '\''].contains(c))?;
    let mut inside = text.char_indices().skip(1);
    if quote == '\'' {
        // A lifetime is not a literal.
        let (_, first) = inside.next()?;
        if first != '\\' {
            let (at, second) = inside.next()?;
            return (second == '\'').then_some(at + 1);
        }
        inside.next();
    }
    while let Some((at, c)) = inside.next() {
        if c == '\\' {
            inside.next();
        } else if c == quote {
            return Some(at + 1);
        }
    }
    Some(text.len())
}

#[test]
fn the_lexer_knows_literals_from_code() {
    let text =
        r##"let a = "\"unsafe"; let b = '"'; let c = '\''; f::<'a>(r#"x"y"#, b"z"); /* d */ e"##;
    let code = blank_comments_and_strings(text);
    assert_eq!(code.len(), text.len());
    let words: Vec<_> = code.split_whitespace().collect();
    assert_eq!(words.join(" "), "let a = ; let b = ; let c = ; f::<'a>( , b ); e");
}
