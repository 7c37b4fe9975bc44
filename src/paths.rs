//! Names of files in lines of text.
//!
//! A name need not be UTF-8: other encodings are common in old directories, and a GUI on Windows
//! may send them. Text keeps each byte that is not UTF-8 as a character of its own, from the end
//! of the last private plane, and a path gets it back.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The character of byte 0.
const FIRST: u32 = 0x0010_ff00;

/// The character that stands for a byte.
fn character(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).expect("the last private plane ends after these")
}

/// The byte that a character stands for, if it does.
fn byte(c: char) -> Option<u8> {
    u32::from(c).checked_sub(FIRST).and_then(|byte| u8::try_from(byte).ok())
}

/// Bytes as text from which [`os_string`] makes the same bytes.
pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match byte(c) {
                // Text may use these characters for itself.
                Some(_) => text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(character)),
                None => text.push(c),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(character));
    }
    text
}

/// A word of the command line as text.
pub fn text(word: &OsStr) -> String {
    #[cfg(unix)]
    return decode(std::os::unix::ffi::OsStrExt::as_bytes(word));
    #[cfg(not(unix))]
    word.to_string_lossy().into_owned()
}

/// What the system is given for a text.
pub fn os_string(text: &str) -> OsString {
    if !text.contains(|c| byte(c).is_some()) {
        return text.into();
    }
    #[cfg(unix)]
    {
        let mut bytes = Vec::with_capacity(text.len());
        for c in text.chars() {
            match byte(c) {
                Some(byte) => bytes.push(byte),
                None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        std::os::unix::ffi::OsStringExt::from_vec(bytes)
    }
    // Western code pages agree with Latin-1 on letters.
    #[cfg(not(unix))]
    text.chars().map(|c| byte(c).map_or(c, char::from)).collect::<String>().into()
}

/// The path that a text names.
pub fn path(text: &str) -> PathBuf {
    os_string(text).into()
}

/// A text that can be shown.
pub fn shown(text: &str) -> String {
    text.replace(|c| byte(c).is_some(), "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[cfg(unix)]
        #[test]
        fn any_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..30)) {
            let text = decode(&bytes);
            let back: Vec<u8> = std::os::unix::ffi::OsStringExt::into_vec(os_string(&text));
            prop_assert_eq!(back, bytes);
        }

        #[test]
        fn text_stays_as_it_is(plain in "[a-z é/€\u{10fff0}]{0,20}") {
            let text = decode(plain.as_bytes());
            prop_assert_eq!(path(&text), PathBuf::from(&plain));
            let is_reserved = plain.contains('\u{10fff0}');
            prop_assert!(is_reserved || text == plain);
        }
    }

    #[test]
    fn a_byte_that_is_no_text_is_shown_as_such() {
        assert_eq!(shown(&decode(b"\xc9checs")), "\u{fffd}checs");
    }
}
