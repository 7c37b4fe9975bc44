//! A game as PGN, in the export format's order of moves, glyphs, comments and variations.

use std::iter;

use crate::game::{Game, Variation};

/// The longest line, in characters.
const WIDTH: usize = 80;

/// The game as PGN, followed by a blank line.
pub fn pgn(game: &Game) -> String {
    let mut text = String::new();
    for (name, value) in &game.tags {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    }
    if !game.tags.is_empty() {
        text.push('\n');
    }
    let mut words = Words::default();
    words.line(&game.line, game.start.game_ply() as usize);
    words.word(&game.result);
    text + &words.text + "\n\n"
}

/// Words in lines of limited width.
#[derive(Default)]
struct Words {
    text: String,
    /// Characters in the last line.
    column: usize,
    /// What comes directly before the next word.
    prefix: &'static str,
}

impl Words {
    fn word(&mut self, word: &str) {
        let prefix = std::mem::take(&mut self.prefix);
        let length = prefix.len() + word.chars().count();
        if self.column > 0 {
            let is_full = self.column + 1 + length > WIDTH;
            self.text.push(if is_full { '\n' } else { ' ' });
            self.column = if is_full { 0 } else { self.column + 1 };
        }
        self.text.push_str(prefix);
        self.text.push_str(word);
        self.column += length;
    }

    /// A line that begins `ply` plies after the beginning of a game.
    fn line(&mut self, line: &Variation, mut ply: usize) {
        self.comments(&line.comments);
        self.nags(&line.nags);
        let mut is_numbered = false;
        for node in &line.nodes {
            let number = ply / 2 + 1;
            if ply.is_multiple_of(2) {
                self.word(&format!("{number}."));
            } else if !is_numbered {
                self.word(&format!("{number}..."));
            }
            self.word(&node.san);
            self.nags(&node.nags);
            self.comments(&node.comments);
            for variation in &node.variations {
                self.prefix = "(";
                self.line(variation, ply);
                self.text.push(')');
                self.column += 1;
            }
            is_numbered = node.comments.is_empty() && node.variations.is_empty();
            ply += 1;
        }
    }

    fn nags(&mut self, nags: &[u32]) {
        for nag in nags {
            self.word(&format!("${nag}"));
        }
    }

    fn comments(&mut self, comments: &[String]) {
        for comment in comments {
            let mut words =
                iter::once("{").chain(comment.split_whitespace()).chain(iter::once("}")).peekable();
            let mut piece = String::new();
            while let Some(word) = words.next() {
                piece.push_str(word);
                // A command such as `[%clk 0:01:00]` stays in one piece, and no line begins with
                // `%`, which would take it out of the game, or like a tag, which would end it.
                let is_open = piece.starts_with("[%") && !piece.ends_with(']');
                let misleads = |next: &str| {
                    next.starts_with('%') || next.starts_with('[') && !next.starts_with("[%")
                };
                if words.peek().is_some_and(|next| is_open || misleads(next)) {
                    piece.push(' ');
                } else {
                    self.word(&std::mem::take(&mut piece));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;
    use heddle::text::pgn::games::Games;

    fn copy(text: &str) -> String {
        pgn(&read(&Games::new(text.as_bytes()).next().unwrap().unwrap()).unwrap())
    }

    #[test]
    fn a_game_comes_back_as_it_was() {
        let tags = "[Event \"a \\\"b\\\" \\\\ c\"]\n[White \"Müller\"]\n\n";
        let moves = "{ before } 1. e4 $1 { [%eval 0.2] [%clk 0:01:00] good } (1. d4 { or } 1... d5 \
                     (1... Nf6) (1... f5 $2) 2. c4) 1... e5 ({ $142 } 1... c5) ($142 1... e6) \
                     2. Nf3 $14 $18 { a } { b } 2... Nc6 1-0";
        let found = copy(&format!("{tags}{moves}"));
        let (found_tags, found_moves) = found.split_at(tags.len());
        assert_eq!((found_tags, found_moves.replace('\n', " ").trim()), (tags, moves));
    }

    #[test]
    fn a_game_from_any_position_keeps_its_numbers() {
        let text =
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n\n7... Kd7 8. e4 (8. Kd2 -- 9. --) *\n\n";
        assert_eq!(copy(text), text);
        assert_eq!(copy("[Result \"0-1\"]\n"), "[Result \"0-1\"]\n\n0-1\n\n");
    }

    #[test]
    fn what_was_written_is_read_again() {
        let fen = |number| format!("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number}\"]\n\n");
        for (text, wanted) in [
            (fen(999) + "e4 Kd7 e5 Ke7 *", fen(999) + "999. e4 Kd7 1000. e5 Ke7 *"),
            (fen(7) + "7. e4 $902 Kd7 (=) $256", fen(7) + "7. e4 $902 Kd7 $256 { (=) } *"),
            (fen(7) + "7. e4 - 8. e5 (8. Kd2 <>) *", fen(7) + "7. e4 -- 8. e5 (8. Kd2 --) *"),
            (fen(7) + "7. e4 () Kd7 (0:05) *", fen(7) + "7. e4 Kd7 { (0:05) } *"),
            (
                "[Result \"0-0\"]\n\n1. e4 e5 0-0\n".to_owned(),
                "[Result \"0-0\"]\n\n1. e4 e5 *".to_owned(),
            ),
        ] {
            let found = copy(&text);
            assert_eq!(found.trim_end(), wanted);
            assert_eq!(copy(&found), found);
        }
    }

    #[test]
    fn notations_become_standard() {
        let loose = "1.e4! e5?? 2 Ng1f3 ; solid\n Nc6 3.Bb5 Nf6 4.0-0 Nxe4 $255 1/2-1/2";
        let strict =
            "1. e4 $1 e5 $4 2. Nf3 { solid } 2... Nc6 3. Bb5 Nf6 4. O-O Nxe4 $255 1/2-1/2\n\n";
        assert_eq!(copy(loose), strict);
    }

    #[test]
    fn lines_are_short_and_commands_whole() {
        let long = "[%clk 0:01:00] word ".repeat(40);
        let text = copy(&format!("1. e4 {{{long}}} e5 *"));
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(text.matches("[%clk 0:01:00]").count(), 40, "{text}");
        for before in 0..WIDTH {
            let text = copy(&format!("1. e4 {{{} 23 % lost}} e5 *", "x".repeat(before)));
            assert!(text.contains("23 %") && !text.contains("\n%"), "{text}");
        }
    }

    fn error(text: &str) -> String {
        read(&Games::new(text.as_bytes()).next().unwrap().unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_broken_is_named_with_its_move() {
        for (text, message) in [
            ("1. e4 e5\n2. Ke3 *", "move 2: illegal move: Ke3"),
            ("1. e4\n\n", ""),
            ("1. e4 e5\n2. Nf9 Nc6 *", "move 2: not a move: Nf9"),
            ("1. e4 (1. e5)\n *", "move 1: illegal move: e5"),
            ("(1. e4) *", "move 1: a variation before the first move"),
            ("1. e4)\n *", "move 1: a variation that was never opened"),
            ("1. e4 (1. d4\n", "move 1: a variation that is never closed"),
            ("1. e4 f6 2. Qh5+ -- *", "move 2: illegal move: --"),
            ("1. e4 { never closed", "unterminated comment"),
            ("\n[FEN \"x\"]\n\n*", "invalid board part in FEN"),
            ("[Variant \"Atomic\"]\n\n*", "the variant Atomic is not supported"),
        ] {
            if message.is_empty() {
                assert_eq!(copy(text), "1. e4 *\n\n");
            } else {
                assert!(error(text).starts_with(message), "{text}: {}", error(text));
            }
        }
        let deep = "(1. d4 ".repeat(1000);
        assert!(error(&format!("1. e4 {deep}")).contains("variations nested"));
    }
}
