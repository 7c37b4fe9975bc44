//! What the names of the rows mean.

use std::borrow::Cow;

use crate::methods::Method;

/// The names without what follows `+`, and what they mean.
const NAMES: [(&str, &str); 48] = [
    ("minimax", "every node, with one rule for each player"),
    ("negamax", "every node, with one rule for both players"),
    ("alpha-beta-hard", "alpha-beta whose values stay inside the window (fail-hard)"),
    ("alpha-beta", "alpha-beta whose values may lie outside the window (fail-soft)"),
    ("alpha-beta-at-once", "alpha-beta to the full depth without deepening"),
    ("aspiration", "alpha-beta in a window around the last value"),
    ("aspiration-off-centre", "a window that is wider on the side of the trend"),
    ("aspiration-gradual", "a window that is widened step by step"),
    ("bisection", "null windows that halve the interval of the value"),
    ("mtdf", "MTD(f): null windows from the last value until both bounds meet"),
    ("mtdf-short", "MTD(f) that takes the last bound when the rest is within a margin"),
    ("mtd-step", "MTD that moves by a step from one bound to the next"),
    ("sss-star", "SSS* as null windows from above (MTD from +infinity)"),
    ("dual-star", "DUAL* as null windows from below (MTD from -infinity)"),
    ("pvs", "principal variation search: a null window for all but the first move"),
    ("pvs-from-alpha", "PVS that searches again from alpha, not from the new value"),
    ("pvs-below-value", "PVS that searches again from just below the new value"),
    ("negascout", "NegaScout: PVS without a second search near the leaves"),
    ("scout", "Scout: a test of each move before it is searched"),
    ("tt-deeper", "entries of greater depth cut off, too, which may change the value"),
    ("tt-exact-only", "exact entries alone cut off"),
    ("tt-two-bounds", "entries keep an upper and a lower bound"),
    ("tt-narrowing", "a bound that does not cut off still narrows the window"),
    ("tt-cutoffs", "the table cuts off, but its move is not tried first"),
    ("tt", "alpha-beta with a table and its move first"),
    ("no-ordering", "moves as they are generated, not captures first"),
    ("killers", "quiet moves that cut off at this ply come first"),
    ("killers-local", "killers also of the ply two before"),
    ("history", "quiet moves by how often they have cut off anywhere"),
    ("null-move", "a pass that still fails high cuts off; the tree differs"),
    ("quiescence", "captures are searched beyond the horizon"),
    ("quiescence-threats", "captures and replies to threats of promotion beyond the horizon"),
    ("check", "a check is searched one ply deeper"),
    ("recapture", "a recapture is searched one ply deeper"),
    ("promotion-threat", "a pawn's step to the seventh rank is searched one ply deeper"),
    ("singular", "a move that is far better than all others is searched one ply deeper"),
    ("whole-plies", "check, recapture and promotion threat by a whole ply each"),
    ("fractions", "the same by fractions of a ply"),
    ("replace-always", "a small table: the new entry always replaces"),
    ("replace-shallower", "a small table: the shallower entry goes"),
    ("replace-fifo", "a small table: the oldest entry goes"),
    ("replace-lru", "a small table: the entry goes that was not used for longest"),
    ("replace-two-tier", "a small table: two slots, one by depth and one always"),
    // What follows the sign.
    ("+tt", "with a table and its move first"),
    ("+all", "with a table, ETC, killers and history"),
    ("+etc", "with enhanced transposition cutoffs"),
    ("+tt-two-bounds", "with a table of two bounds"),
    ("+tt-at-once", "with a table, to the full depth without deepening"),
];

fn find(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| *known == name).map(|&(_, meaning)| meaning)
}

/// What a row's name means.
pub fn meaning(name: &str) -> Option<Cow<'static, str>> {
    if let Some(meaning) = find(name) {
        return Some(meaning.into());
    }
    if let Some(at) = name.find('+') {
        let (base, rest) = name.split_at(at);
        return Some(format!("{}; {}", find(base)?, find(rest)?).into());
    }
    let (policy, size) = name.rsplit_once('-')?;
    Some(format!("{} ({size} positions)", find(policy)?).into())
}

/// All rows with their groups and meanings, one to a line.
pub fn list(methods: &[Method]) -> String {
    let widest = methods.iter().map(|method| method.name.len()).max().unwrap_or(0);
    let line = |method: &Method| {
        let meaning = meaning(method.name).unwrap_or_default();
        format!("{:widest$}  {:11}  {meaning}\n", method.name, method.group.name())
    };
    methods.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::methods;

    #[test]
    fn every_row_has_a_meaning_and_every_meaning_a_row() {
        let methods = methods();
        for method in &methods {
            assert!(meaning(method.name).is_some(), "{}", method.name);
        }
        for (name, _) in NAMES {
            assert!(methods.iter().any(|method| method.name.contains(name)), "{name}");
        }
        let list = list(&methods);
        assert_eq!(list.lines().count(), methods.len());
        assert!(list.contains("mtdf+tt") && list.contains("; with a table and its move first"));
    }
}
