//! Any bytes are games of chess or errors: PGN with its moves in any notation, and a line of EPD.

#![no_main]

use heddle::text::pgn::games::Games;
use heddle::text::pgn::{self, token};
use heddle::position::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for (number, game) in (1..).zip(Games::new(bytes)) {
        let Ok(game) = game else { break };
        assert_eq!(game.number, number);
        let _ = pgn::read(bytes, number).map_err(|error| error.to_string());
    }
    let text = String::from_utf8_lossy(bytes);
    let _ = token::tokens(&text);
    let _ = Position::from_record(&text).map_err(|error| error.to_string());
});
