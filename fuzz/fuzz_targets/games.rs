//! Any bytes are games of chess or errors: PGN with its moves in any notation, a line of EPD and a
//! list of them.

#![no_main]

use heddle::position::Position;
use heddle::text::pgn;
use heddle::text::pgn::games::Games;
use heddle::text::suite;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for (number, game) in (1..).zip(Games::new(bytes)) {
        if game.is_err() {
            break;
        }
        let _ = pgn::read(bytes, number).map_err(|error| error.to_string());
    }
    let text = String::from_utf8_lossy(bytes);
    let _ = Position::from_record(&text).map_err(|error| error.to_string());
    let _ = suite::parse(&text).map_err(|error| error.to_string());
});
