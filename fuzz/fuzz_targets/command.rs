//! Any bytes parse as a command, or fail with an error that fits on one short line.

#![no_main]

use heddle::uci::command::{Command, Queued, quote, skip_unknown};
use heddle::uci::options::Options;
use libfuzzer_sys::fuzz_target;

/// The longest error, in characters.
const MAX_ERROR: usize = 200;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (unknown, rest) = skip_unknown(&text);
    assert!(text.contains(unknown) && text.contains(rest));
    let _ = quote(unknown);
    match rest.parse() {
        Ok(Command::Queued(Queued::SetOption { name, value })) => {
            if let Err(error) = Options::default().set(&name, value.as_deref()) {
                assert_fit(&error.to_string());
            }
        }
        Ok(_) => {}
        Err(error) => assert_fit(&error.to_string()),
    }
});

fn assert_fit(error: &str) {
    assert!(error.chars().count() <= MAX_ERROR, "{error}");
    assert!(!error.contains(char::is_control), "{error}");
}
