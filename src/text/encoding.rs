//! Text of files that others have written.

use std::io;

use encoding_rs::WINDOWS_1252;

/// Makes sure that a file or stream that begins with `bytes` is not in UTF-16.
pub fn refuse_utf16(bytes: &[u8]) -> io::Result<()> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let text = "it is UTF-16; save it as UTF-8";
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    Ok(())
}

/// Bytes as text. Bytes that are not UTF-8 are Windows-1252, which ChessBase writes: Latin-1, the
/// encoding of PGN's standard, and quotation marks and dashes where that has control characters. A
/// byte order mark goes.
pub fn decode(bytes: Vec<u8>) -> String {
    let bytes = match bytes.strip_prefix("\u{feff}".as_bytes()) {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(error.as_bytes());
        text.into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_utf8_or_latin() {
        for bytes in [&b"M\xfcller"[..], "Müller".as_bytes(), "\u{feff}Müller".as_bytes()] {
            assert_eq!(decode(bytes.to_vec()), "Müller");
        }
        assert_eq!(decode(b"\xef\xbb\xbfM\xfc".to_vec()), "Mü");
        assert_eq!(
            decode(b"\x93K\xf6nig\x94 \x96 Tal\x85".to_vec()),
            "\u{201c}König\u{201d} – Tal…"
        );
    }
}
