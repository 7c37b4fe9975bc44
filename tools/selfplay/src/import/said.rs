//! What a comment says of a position: the evaluations that engines and servers write into PGN.
//!
//! | comment | whose | of the position |
//! |---|---|---|
//! | `wv=0.35, d=30, n=...` (TCEC) | White's | before the move |
//! | `+0.35/17 0.5s` (cutechess, fastchess) | the mover's | before the move |
//! | `[%eval 0.35,20]` (lichess) | White's | after the move |
//!
//! A mate is `M12`, `#12`, or either with a sign.

/// How good a position is.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Value {
    /// Pawns of the engine that says so.
    Pawns(f64),
    /// Mate in so many moves; by the other side if negative.
    Mate(i32),
}

/// An evaluation as a comment after a move says it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Said {
    /// The evaluation, from White's point of view unless `is_movers`.
    pub value: Value,
    /// It is from the point of view of the side that has just moved.
    pub is_movers: bool,
    /// It is of the position after the move, and not of the one before.
    pub is_after: bool,
}

impl Said {
    /// What a comment says, if it says anything of the position.
    pub fn read(comment: &str) -> Option<Self> {
        let said = |text: &str, is_movers, is_after| {
            value(text.trim()).map(|value| Self { value, is_movers, is_after })
        };
        let field = |name: &str, end: &[char]| {
            let (_, rest) = comment.split_once(name)?;
            rest.split(end).next()
        };
        if let Some(text) = field("[%eval", &[',', ']']) {
            return said(text, false, true);
        }
        if let Some(text) = field("wv=", &[',', ' ', ';']) {
            return said(text, false, false);
        }
        comment.split_whitespace().find_map(|word| {
            let (text, depth) = word.split_once('/')?;
            // Not a date or a result.
            let is_score = text.starts_with(['+', '-']) || text.contains('.');
            let depth = depth.trim_end_matches([',', ';', ')']);
            let is_depth = !depth.is_empty() && depth.bytes().all(|byte| byte.is_ascii_digit());
            (is_score && is_depth).then(|| said(text, true, false))?
        })
    }
}

/// Reads a number of pawns or a mate.
fn value(text: &str) -> Option<Value> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => (-1, size),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(moves) = size.strip_prefix(['M', 'm', '#']) {
        // Lichess writes the sign after the mark.
        let moves: i32 = moves.parse().ok()?;
        return moves.checked_mul(sign).map(Value::Mate);
    }
    let is_number = size.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let pawns: f64 = size.parse().ok().filter(|_| is_number)?;
    Some(Value::Pawns(pawns * f64::from(sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_comment_is_read() {
        let said = |value, is_movers, is_after| Some(Said { value, is_movers, is_after });
        let pawns = Value::Pawns;
        for (comment, wanted) in [
            ("d=31, sd=40, mt=2, wv=0.35, n=12, pv=Nf3", said(pawns(0.35), false, false)),
            ("d=31, wv=-M12", said(Value::Mate(-12), false, false)),
            ("+0.35/17 0.5s", said(pawns(0.35), true, false)),
            ("-1.20/9", said(pawns(-1.2), true, false)),
            ("0.00/1 0.1s", said(pawns(0.0), true, false)),
            ("+M7/30 1.0s, White mates", said(Value::Mate(7), true, false)),
            ("-M4/12", said(Value::Mate(-4), true, false)),
            ("(Nf3 d5) +0.35/17 8", said(pawns(0.35), true, false)),
            ("a/b 0.35/17, 8s", said(pawns(0.35), true, false)),
            ("[%eval 0.35,20] [%clk 0:01:00]", said(pawns(0.35), false, true)),
            ("[%clk 0:01:00] [%eval -2.5]", said(pawns(-2.5), false, true)),
            ("[%eval #-3]", said(Value::Mate(-3), false, true)),
            ("[%eval #5,40]", said(Value::Mate(5), false, true)),
        ] {
            assert_eq!(Said::read(comment), wanted, "{comment}");
        }
        for silent in ["book", "", "a/b", "wv=book,", "[%eval x]", "1/2-1/2", "+inf/3", "NaN/3"] {
            assert_eq!(Said::read(silent), None, "{silent}");
        }
        for silent in ["12/05/2024", "12/5", "+0.3/", "0.3/x"] {
            assert_eq!(Said::read(silent), None, "{silent}");
        }
    }
}
