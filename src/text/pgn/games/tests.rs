use super::super::raw::Token;
use super::*;

/// The tags, moves and comments of each game.
fn games(text: &str) -> Vec<String> {
    let game = |game: io::Result<RawGame>| {
        let game = game.unwrap();
        let tags = game.tags.iter().map(|(name, value)| format!("{name}={value}"));
        let tokens = game.tokens.iter().map(|token| match token {
            Token::Move(word) => word.clone(),
            Token::Nag(nag) => format!("${nag}"),
            Token::Comment(text) => format!("{{{text}}}"),
            Token::Open => "(".into(),
            Token::Close => ")".into(),
            Token::Result(result) => (*result).to_owned(),
        });
        let error = game.error.map(|error| format!("error: {error}"));
        tags.chain(tokens).chain(error).collect::<Vec<_>>().join(" ")
    };
    Games::new(text.as_bytes()).map(game).collect()
}

#[test]
fn no_word_is_skipped() {
    for (text, meant) in [
        ("1.e4 e5 2. Nf3", "e4 e5 Nf3"),
        ("1...e5 1…e5 2 Nf3 3.. Nc6 .. d4 1e4", "e5 e5 Nf3 Nc6 d4 e4"),
        ("e4! e5?! Nf3!! Nc6?? d4 !?", "e4 $1 e5 $6 Nf3 $3 Nc6 $4 d4 $5"),
        ("Nf3± Nf3= Nf3+- Nf3⩲! O-O# 0-0+", "Nf3 Nf3 Nf3 Nf3 $1 O-O 0-0"),
        ("e8N e8=N+ e7e8q a1/N Bb5++", "e8N e8=N e7e8q a1/N Bb5"),
        ("0−0 0‑0 O—O 00 0=0 4.0-0-0", "0-0 0-0 O-O 00 0=0 0-0-0"),
        ("e4 1-0", "e4 1-0"),
        ("e4 0–1", "e4 0-1"),
        ("e4 1/2", "e4 1/2-1/2"),
        ("e4 ½", "e4 1/2-1/2"),
        ("-- Z0 @@@@ e5*", "-- -- -- e5 *"),
        ("e4$1$14 $3e5 $300 $902d4", "e4 $1 $14 $3 e5 $300 $902 d4"),
        ("e4 $99999999999 e5", "e4 {$99999999999} e5"),
        ("(e4) (e4 (d4) c4)", "( e4 ) ( e4 ( d4 ) c4 )"),
        ("1.\u{a0}e4\u{200b}e5 \u{2028}Nf3", "e4 e5 Nf3"),
        ("e2–e4 ed5 B:b5", "e2-e4 ed5 B:b5"),
        ("e4 {\u{1}e5} e6", "e4 {e5} e6"),
        ("resigns [#] 0 - 0 5254 2-0 ♘f3 е4", "resigns 0 -- 0 5254 2-0 ♘f3 е4"),
        ("1. N f3 }e4", "N f3 e4"),
    ] {
        assert_eq!(games(text), [meant], "{text}");
    }
}

#[test]
fn a_tag_is_read_in_many_forms() {
    for (text, tag) in [
        ("[White \"A\"]", "White=A"),
        ("[FEN\t\"x\"]", "FEN=x"),
        ("[ Event  \"x\" ]", "Event=x"),
        ("[Event\"x\"]", "Event=x"),
        ("[White \"A \"B\" C\"]", "White=A \"B\" C"),
        ("[White \"\"Name\"\"]", "White=\"Name\""),
        ("[White \"a \\\"b\\\" \\\\ c\"]", "White=a \"b\" \\ c"),
        ("[White-Elo \"1\"]", "White-Elo=1"),
        ("[Event \"x]y\"]", "Event=x]y"),
        ("[Event \"\"]", "Event="),
    ] {
        for between in ["\n\n", " ", "\n;by X\n{and Y}\n[Site \"\"]\n"] {
            let [found] = &games(&format!("{text}{between}1. e4 *"))[..] else { panic!("{text}") };
            assert!(found.starts_with(tag) && found.ends_with(" e4 *"), "{text}: {found}");
        }
    }
}

#[test]
fn a_tag_that_is_cut_or_not_closed_is_an_error_of_its_game_alone() {
    for tag in [
        "[White \"A\" 1. e4 *",
        "[White \"A 1] 1. e4 *",
        "[White \"A\"\n1. e4 *",
        "[White \"A\n1. e4 *",
        "[White\n\"A\"] 1. e4 *",
        "[\nWhite \"A\"\n] 1. e4 *",
        "[White \"A\nB\"]\n1. e4 *",
        "[foo] 1. e4 *",
    ] {
        let text = format!("{tag}\n\n[Event \"B\"]\n\n1. d4 *");
        let found: Vec<_> = Games::new(text.as_bytes()).map(Result::unwrap).collect();
        let last = found.last().unwrap();
        assert_eq!(last.tag("Event"), Some("B"), "{tag}");
        assert!(last.error.is_none() && last.tokens.len() == 2, "{tag}");
        for broken in &found[..found.len() - 1] {
            let is_stray = matches!(&broken.tokens[..], [Token::Move(word), ..] if word != "e4");
            assert!(broken.error.is_some() || is_stray, "{tag}: {broken:?}");
        }
    }
    let long = format!("[White \"{}\"]\n1. e4 *\n[White \"B\"]\n1. d4 *", "x".repeat(1 << 20));
    let found = games(&long);
    assert_eq!(found[0], "error: unterminated tag");
    assert_eq!(found[1..], ["White=B d4 *"]);
}

#[test]
fn parts_of_two_games_are_an_error() {
    let found = games("1. e4 e5\n[Note \"x\"]\n2. Nf3 *\n\n1. d4 *");
    assert_eq!(found, ["e4 e5", "Note=x Nf3 * error: a tag or a result among the moves", "d4 *"]);
    let torn = "error: a tag or a result among the moves";
    assert_eq!(games("1. e4 e5 * 1. d4 *"), [format!("e4 e5 * d4 * {torn}")]);
    assert_eq!(games("1. e4 e5 *\n{x} 1. d4"), [format!("e4 e5 * {{x}} d4 {torn}")]);
    let fen = "FEN=4k3/8/8/8/8/8/4P3/4K3 b - - 0 7";
    let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n7... Kd7 *";
    assert_eq!(games(text), [format!("{fen} Kd7 *")]);
}

#[test]
fn comments_alone_are_no_game() {
    assert!(games("{by X}\n\n; and Y\n").is_empty());
    assert!(games("").is_empty() && games(" \n\n%x\n").is_empty());
    let next = games("1. e4 *\n{good}\n\n{next}\n\n[White \"A\"]\n\n1. d4 *");
    assert_eq!(next, ["e4 * {good}", "White=A {next} d4 *"]);
    let open = games("1. e4 *\n\n{next\n\n[White \"A\"]\n\n1. d4 *");
    assert_eq!(open, ["e4 *", "White=A d4 *"]);
}

#[test]
fn white_space_has_no_meaning() {
    for text in [
        "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n",
        "[White \"A\"] 1. e4 e5 2. Nf3 Nc6 1-0",
        "[White \"A\"]\r\n\r\n1. e4\r\n\r\n1. ... e5\r\n\r\n2. Nf3 Nc6\r\n\r\n1-0\r\n",
        "[White \"A\"]\n1. e4\n%escaped d4\ne5\n 2. Nf3\nNc6 1-0",
        "\u{feff}[White \"A\"]\n1.\u{a0}e4\u{b}e5 2. Nf3 Nc6 1-0",
    ] {
        assert_eq!(games(text), ["White=A e4 e5 Nf3 Nc6 1-0"], "{text:?}");
    }
}

#[test]
fn a_game_ends_at_its_result_before_tags_and_before_a_first_move() {
    let two = ["Event=x e4 *", "Event=y d4 *"];
    assert_eq!(games("[Event \"x\"] 1. e4 *\n[Event \"y\"] 1. d4 *\n"), two);
    assert_eq!(games("1. e4 *\n\n1. d4 *"), ["e4 *", "d4 *"]);
    assert_eq!(games("1. e4 1-0\n1. d4 *"), ["e4 1-0", "d4 *"]);
    assert_eq!(games("1. e4 (1. d4 1-0)\ne5 *"), ["e4 ( d4 1-0 ) e5 *"]);
    assert_eq!(games("1. e4 e5\n\n1. d4 d5"), ["e4 e5", "d4 d5"]);
    let tags = "[White \"A\"]\n1. e4\n[White \"B\"]\n\n1. d4 *";
    assert_eq!(games(tags), ["White=A e4", "White=B d4 *"]);
    let empty = "[Event \"A\"]\n\n[Site \"\"]\n\n[Event \"B\"]\n\n";
    assert_eq!(games(empty), ["Event=A Site=", "Event=B"]);
}

#[test]
fn a_comment_may_hold_anything_but_the_next_game() {
    let long = "x 1-0\n[White \"y\"]\n 1. d4 *\n\n1. c4 ".repeat(1000);
    let found = games(&format!("1. e4 {{{long}}} e5 *"));
    let kept = long.replace("\n\n", "\n");
    assert!(found == [format!("e4 {{{}}} e5 *", kept.trim())], "{:.200}", found[0]);
    let open = "1. e4 {never closed\n\n[White \"B\"]\n\n1. d4 {x} *";
    assert_eq!(games(open), ["e4 error: unterminated comment", "White=B d4 {x} *"]);
}

#[test]
fn a_game_without_end_costs_no_other() {
    let long = format!("1. e4 {{{}}}\n1. e4 *\n[White \"B\"]\n1. d4 *", "x".repeat(MAX_LENGTH));
    let found = games(&long);
    assert_eq!(found[0].split(": ").last(), Some("longer than 16 MiB"));
    assert_eq!(found[found.len() - 1], "White=B d4 *");
}

#[test]
fn text_that_is_not_utf8_is_latin() {
    let game = |bytes: &[u8]| Games::new(bytes).next().unwrap().map(|game| game.tags);
    let name = vec![("White".to_owned(), "Müller".to_owned())];
    assert_eq!(game(b"[White \"M\xfcller\"]\n").unwrap(), name);
    assert_eq!(game("[White \"Müller\"]\n".as_bytes()).unwrap(), name);
    assert!(game(b"\xff\xfe[\0").unwrap_err().to_string().contains("UTF-16"));
}

/// Each text with its games as [`games`] shows them.
fn check(cases: &[(&str, &[&str])]) {
    for (text, wanted) in cases {
        assert_eq!(&games(text)[..], *wanted, "{text:?}");
        let dos = games(&text.replace('\n', "\r\n"));
        let dos: Vec<_> = dos.iter().map(|game| game.replace('\r', "")).collect();
        assert_eq!(&dos[..], *wanted, "{text:?}");
    }
}

#[test]
fn a_tag_seen_before_begins_a_game_and_no_name_does() {
    check(&[
        ("[White \"A\"]\n[FEN \"x\"]\n[Event \"B\"]\n\n1. e4 *", &["White=A FEN=x Event=B e4 *"]),
        (
            "[Result \"*\"]\n[Event \"B\"]\n\n\n[Site \"C\"]\n\n1. e4 *",
            &["Result=* Event=B Site=C e4 *"],
        ),
        (
            "[event \"A\"]\n[White \"B\"]\n[EVENT \"C\"]\n[White \"D\"]",
            &["event=A White=B", "EVENT=C White=D"],
        ),
        (
            "[White \"A\"] [FEN \"x\"] [White \"B\"] [FEN \"y\"]",
            &["White=A FEN=x", "White=B FEN=y"],
        ),
        ("[FEN \"x\"]\n[FEN \"y\"]\n", &["FEN=x", "FEN=y"]),
        ("[FEN \"x\"]\n\n[FEN \"x\"]\n", &["FEN=x", "FEN=x"]),
        // The tags around a repeated one are the next game's as well.
        (
            "[White \"A\"]\n[FEN \"x\"]\n\n[Black \"B\"]\n[FEN \"y\"]\n\n1. e4 *",
            &["White=A FEN=x", "Black=B FEN=y e4 *"],
        ),
        // A tag that is only written twice is no game.
        ("[Event \"A\"]\n[Event \"A\"]\n[FEN \"x\"]\n\n1. e4 *", &["Event=A FEN=x e4 *"]),
        (
            "[FEN \"x\"]\n[Annotator \"A\"]\n[Annotator \"B\"]\n\n1. e4 *",
            &["FEN=x Annotator=A Annotator=B e4 *"],
        ),
        (
            "[1A \"v\"]\n[_x \"w\"]\n[1.b \"u\"]\n[Weiß \"ß\"]\n\n1. e4 *",
            &["1A=v _x=w 1.b=u Weiß=ß e4 *"],
        ),
    ]);
}

#[test]
fn a_game_of_tags_and_a_comment_is_one() {
    check(&[
        (
            "[White \"A\"]\n\n{White to play}\n\n[White \"B\"]\n\n{also}\n",
            &["White=A {White to play}", "White=B {also}"],
        ),
        ("[White \"A\"]\n\n{x}\n\n[Black \"B\"]\n\n{y}\n", &["White=A {x}", "Black=B {y}"]),
        (
            "[White \"A\"]\n[White \"B\"]\n{x}\n[White \"C\"]\n",
            &["White=A", "White=B {x}", "White=C"],
        ),
    ]);
}

#[test]
fn a_tag_after_moves_begins_a_game_wherever_it_stands() {
    check(&[
        ("1. e4 1-0[Event \"B\"]\n[White \"c\"]\n\n1. d4 *", &["e4 1-0", "Event=B White=c d4 *"]),
        ("1. e4 1/2-1/2 [1 \"B\"] 1. d4 *[X\t\"y\"]", &["e4 1/2-1/2", "1=B d4 *", "X=y"]),
        ("1. e4 e5[Event \"B\"]\n1. d4 *", &["e4 e5", "Event=B d4 *"]),
        ("1. e4 {[A \"b\"]} e5 [x] *", &["e4 {[A \"b\"]} e5 [x *"]),
        ("1. e4 1-0 1-0\n1-0\n[A \"b\"]\n*", &["e4 1-0", "A=b *"]),
    ]);
}

#[test]
fn a_number_has_any_length() {
    check(&[
        ("0. e4 e5 01. Nf3 0001... Nc6 1 d4 1... a6", &["e4 e5 Nf3 Nc6 d4 a6"]),
        (
            "[FEN \"w - - 0 1111\"]\n1111 e4 e5 1112 d4 1112... d5 1113.Nf3",
            &["FEN=w - - 0 1111 e4 e5 d4 d5 Nf3"],
        ),
        (
            "[FEN \"x\"]\n1200. e4 1200...e5 1201.Nf3 12345. Nc6 1000000 d4",
            &["FEN=x e4 e5 Nf3 Nc6 d4"],
        ),
        ("1) e4 e5 2)Nf3 (2) d4 d5) Nc6 3 ) d4", &["e4 e5 Nf3 ( d4 d5 ) Nc6 ) d4"]),
        ("1. 5254 5755", &["5254 5755"]),
    ]);
}

#[test]
fn a_null_move_is_never_dropped() {
    for null in [
        "--",
        "<>",
        "\u{2205}",
        "-",
        "\u{2014}",
        "\u{2212}\u{2212}",
        "null",
        "Pass",
        "0000",
        "z0",
        "@@@@",
    ] {
        let text = format!("1. e4 e5 2. Nf3 (2. d4 {null} 3. d5) 2... {null} *");
        assert_eq!(games(&text), ["e4 e5 Nf3 ( d4 -- d5 ) -- *"], "{null}");
    }
}

#[test]
fn a_result_is_read_in_many_forms() {
    for (result, meant) in [
        ("1 - 0", "1-0"),
        ("1:0", "1-0"),
        ("0 : 1", "0-1"),
        ("0\u{2013}1", "0-1"),
        ("\u{bd}:\u{bd}", "1/2-1/2"),
        ("\u{bd} - \u{bd}", "1/2-1/2"),
        ("1/2 : 1/2", "1/2-1/2"),
        ("0.5-0.5", "1/2-1/2"),
        ("1-0 *", "1-0"),
    ] {
        assert_eq!(games(&format!("1. e4 e5 {result}")), [format!("e4 e5 {meant}")], "{result}");
    }
    for result in ["0-0", "0:0", "0 - 0", "0\u{2013}0"] {
        let text = format!("[Result \"{result}\"]\n\n1. e4 0-0 ({{x}} 0-0) {result} {{y}}\n");
        let wanted = format!("Result={result} e4 0-0 ( {{x}} 0-0 ) * {{y}}");
        assert_eq!(games(&text), [wanted], "{result}");
        assert_eq!(
            games(&format!("[Result \"{result}\"]\n{result}")),
            [format!("Result={result} *")]
        );
    }
    assert_eq!(games("[Result \"1-0\"]\ne4 0-0"), ["Result=1-0 e4 0-0"]);
}

#[test]
fn games_without_dots_begin_at_number_one_after_a_blank_line() {
    check(&[
        ("1 e4 c5\n\n1 Nf3 d6\n \n1 d4", &["e4 c5", "Nf3 d6", "d4"]),
        ("1) e4 c5\n\n01. Nf3 d6\n\n1e4", &["e4 c5", "Nf3 d6", "e4"]),
        ("1 e4\n\n1 ... e5\n\n1 - 0", &["e4 e5 1-0"]),
    ]);
}

#[test]
fn what_is_no_move_but_harmless_is_a_comment() {
    for (text, meant) in [
        ("1. e4 (0:05) e5 (0:01:05) d4 (2.3s)", "e4 {(0:05)} e5 {(0:01:05)} d4 {(2.3s)}"),
        (
            "e4 +0.35/12 e5 -M5/20 d4 0:07 -1.20 0.35/12",
            "e4 {+0.35/12} e5 {-M5/20} d4 {0:07} {-1.20} {0.35/12}",
        ),
        ("e4 (=) e5 ( +0.35/12 5s ) (resigns)", "e4 {(=)} e5 {( +0.35/12 5s )} {(resigns)}"),
        ("gxf6ep gxf6e.p. gxf6 e.p. Kd4 gxf6 ep", "gxf6ep gxf6 gxf6 Kd4 gxf6"),
        ("e4 (0-0) (ed) (--) (1... N f3)", "e4 ( 0-0 ) ( ed ) ( -- ) ( N f3 )"),
        ("e4 +1 8:9", "e4 +1 8:9"),
    ] {
        assert_eq!(games(text), [meant], "{text}");
    }
}

#[test]
fn a_comment_with_tags_inside_ends_at_its_brace() {
    check(&[
        (
            "1. e4 {a\n\n[White \"x\"]\n\n[Black \"y\"] b} e5 *",
            &["e4 {a\n[White \"x\"]\n[Black \"y\"] b} e5 *"],
        ),
        (
            "1. e4 {a\n\n[White \"x\"]\n\n1. d4 {b} *",
            &["e4 error: unterminated comment", "White=x d4 {b} *"],
        ),
    ]);
}
