//! Lists of numbers as the kernel writes them: `0-3,8,10-11`.

/// The numbers of a list, in its order; `None` if it is none. Ranges that no machine has, of more than
/// [`LONGEST`] numbers, are none either.
pub fn parse(text: &str) -> Option<Vec<usize>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Vec::new());
    }
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || last - first >= LONGEST {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// The longest range that is believed.
const LONGEST: usize = 1 << 16;

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_are_read() {
        assert_eq!(parse("0-3,8,10-11\n"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(parse("5"), Some(vec![5]));
        assert_eq!(parse("\n"), Some(vec![]));
    }

    #[test]
    fn anything_else_is_no_list() {
        for text in ["a", "1-", "-1", "3-1", "1,,2", "0-99999999999", "0-18446744073709551615"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
