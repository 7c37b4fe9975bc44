//! The clocks of both players, as the game's comments have them: `[%clk 1:39:58]`.

use maud::{Markup, html};

use crate::game::Game;
use crate::page::curve;

/// Begins the time that a player has left after a move.
const COMMAND: &str = "[%clk ";

/// The curves of both clocks over the plies of the evaluation's; nothing if no player's clock is
/// known twice.
pub fn figure(game: &Game) -> Markup {
    let left = |ply: usize| {
        let comments = &game.line.nodes[ply].comments;
        comments.iter().find_map(|comment| seconds(comment))
    };
    let is_white_first = game.start.turn().is_white();
    let [mut white, mut black] = [Vec::new(), Vec::new()];
    for ply in 0..game.moves.len() {
        let Some(seconds) = left(ply) else { continue };
        let side = if ply.is_multiple_of(2) == is_white_first { &mut white } else { &mut black };
        side.push((ply + 1, seconds));
    }
    if white.len().max(black.len()) < 2 {
        return html! {};
    }
    let most = white.iter().chain(&black).map(|&(_, seconds)| seconds).fold(1.0, f64::max);
    let point = |&(x, seconds): &(usize, f64)| {
        format!("{x},{:.1} ", curve::HEIGHT * (1.0 - seconds / most))
    };
    let lines = html! {
        @for (side, known) in [("white", white), ("black", black)] {
            @if known.len() > 1 {
                polyline class=(side) points=(known.iter().map(point).collect::<String>()) {}
            }
        }
    };
    curve::frame(
        "curve clocks",
        [&written(most), &written(most / 2.0), "0:00"],
        game.moves.len(),
        "Time left to White and Black over the game",
        &lines,
        "Time left: the white line is White’s, the black one Black’s",
    )
}

/// The seconds that a comment says are left.
fn seconds(comment: &str) -> Option<f64> {
    let (_, time) = comment.split_once(COMMAND)?;
    let (time, _) = time.split_once(']')?;
    let mut total = 0.0;
    for part in time.trim().split(':') {
        let is_number = part.chars().all(|c| c.is_ascii_digit() || c == '.');
        let part: f64 = part.parse().ok().filter(|_| is_number)?;
        total = total * 60.0 + part;
    }
    total.is_finite().then_some(total)
}

/// A time with its hours, if there are any: `1:40:00`, `4:59`.
fn written(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use heddle::text::pgn::games::Games;

    use super::*;
    use crate::read;

    fn drawn(pgn: &str) -> String {
        let game = Games::new(pgn.as_bytes()).next().unwrap().unwrap();
        figure(&read(&game).unwrap()).into_string()
    }

    #[test]
    fn both_clocks_are_drawn_over_the_plies() {
        let page = drawn(
            "1. e4 {[%eval 0.3] [%clk 1:40:00]} e5 {[%clk 1:40:00.0] book} 2. Nf3 {[%clk 0:50:00]} \
             Nc6 3. Bb5 {[%clk 25:00]} a6 {[%clk 0:00:00]} *",
        );
        assert!(page.contains("class=\"white\" points=\"1,0.0 3,50.0 5,75.0 \""), "{page}");
        assert!(page.contains("class=\"black\" points=\"2,0.0 6,100.0 \""), "{page}");
        assert!(page.contains("<span>1:40:00</span><span>50:00</span><span>0:00</span>"), "{page}");
        assert!(page.contains("viewBox=\"0 0 6 100\""), "{page}");
    }

    #[test]
    fn blacks_clock_is_black_in_a_game_that_black_begins() {
        let game = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n\n7... Kd7 {[%clk 2:00]} 8. e4 Kd6 \
                    {[%clk 1:00]} *";
        let page = drawn(game);
        assert!(page.contains("class=\"black\" points=\"1,0.0 3,50.0 \""), "{page}");
        assert!(!page.contains("class=\"white\""), "{page}");
    }

    #[test]
    fn without_two_times_of_a_player_nothing_is_drawn() {
        for game in ["1. e4 e5 *", "1. e4 {[%clk 1:00]} e5 {[%clk 1:00]} *", "*"] {
            assert_eq!(drawn(game), "", "{game}");
        }
    }

    #[test]
    fn what_is_no_time_is_left_out() {
        let long = "9".repeat(400);
        for time in ["", "-1:00", "1e9", "x", "1::2", "NaN", long.as_str()] {
            assert_eq!(seconds(&format!("[%clk {time}]")), None, "{time}");
        }
        assert_eq!(seconds("[%clk 0:01:00"), None, "never closed");
        assert_eq!(seconds("well [%clk 1:00:01.5] played"), Some(3601.5));
    }
}
