//! What the texts claim in numbers, and what the rows measure of it.

use heddle_figures::listing::{Column, Listing};

use crate::depths::{AtDepth, heading};
use crate::measure::Row;
use crate::report::{NONE, percent};

/// A claim.
struct Claim {
    /// The text's author.
    text: &'static str,
    /// Its words.
    words: &'static str,
    /// What is measured.
    figure: &'static str,
    /// The rows that it takes.
    rows: &'static [&'static str],
    /// The figure, given those rows in this order.
    measure: fn(&[&Row]) -> String,
    /// Why text and figure agree or differ.
    why: &'static str,
}

/// The names of all rows that the claims take.
pub fn rows() -> Vec<&'static str> {
    CLAIMS.iter().flat_map(|claim| claim.rows).copied().collect()
}

/// All claims with their figures at each depth; a figure whose rows did not run is missing.
pub fn listing(depths: &[AtDepth]) -> Listing {
    let figure = |claim: &Claim, at: &AtDepth| {
        let rows: Option<Vec<&Row>> = claim.rows.iter().map(|name| at.row(name)).collect();
        rows.map_or_else(|| NONE.to_owned(), |rows| (claim.measure)(&rows))
    };
    let line = |claim: &Claim| {
        let said = format!("{}: \"{}\"", claim.text, claim.words);
        let mut cells = vec![said, claim.figure.to_owned()];
        cells.extend(depths.iter().map(|at| figure(claim, at)));
        cells.push(claim.why.to_owned());
        cells
    };
    let mut columns = ["claim", "measured"].map(Column::text).to_vec();
    columns.extend(depths.iter().map(|at| heading(at.depth)));
    columns.push(Column::text("why"));
    Listing { columns, rows: CLAIMS.iter().map(line).collect(), ..Listing::default() }
}

/// Nodes of the first row to those of the second.
fn nodes(rows: &[&Row]) -> String {
    format!("{:.3}", rows[0].nodes as f64 / rows[1].nodes as f64)
}

/// The same, and how many values agree with alpha-beta's.
fn nodes_and_agreement(rows: &[&Row]) -> String {
    format!("{}, {} of {} agree", nodes(rows), rows[0].agreeing, rows[0].values.len())
}

/// How many times the nodes of the first row the second takes: over all positions, and at most.
fn saving(rows: &[&Row]) -> String {
    let [with, without] = [&rows[0].nodes_by_position, &rows[1].nodes_by_position];
    let factors = with.iter().zip(without).map(|(&with, &without)| without as f64 / with as f64);
    let most = factors.fold(0.0, f64::max);
    format!("{:.2}, at most {most:.2}", rows[1].nodes as f64 / rows[0].nodes as f64)
}

/// Percent of the second row's nodes that the first saves.
fn saved(rows: &[&Row]) -> String {
    format!("{:.1} %", 100.0 * (1.0 - rows[0].nodes as f64 / rows[1].nodes as f64))
}

/// Searches of the root per iteration, for each row.
fn searches(rows: &[&Row]) -> String {
    let each = rows.iter().map(|row| format!("{:.2}", row.searches as f64 / row.iterations as f64));
    each.collect::<Vec<_>>().join(", ")
}

/// Share of the probes that cut off, for each row.
fn cutoffs(rows: &[&Row]) -> String {
    let each = rows.iter().map(|row| percent(row.cutoffs, row.probes));
    each.collect::<Vec<_>>().join(", ")
}

/// The average number of moves of the PV, for each row.
fn pv_lengths(rows: &[&Row]) -> String {
    rows.iter().map(|row| format!("{:.1}", row.pv_length())).collect::<Vec<_>>().join(", ")
}

/// The depth that one row reaches with the leaves of the other, as a multiple of the other's.
fn depths(rows: &[&Row]) -> String {
    let logarithm = |row: &Row| (row.leaves as f64 / row.values.len() as f64).ln();
    format!("{:.2}", logarithm(rows[0]) / logarithm(rows[1]))
}

const EPPSTEIN: &str = "Eppstein";
const VERHELST: &str = "Verhelst";
const NOTES: &str = "Lecture notes";
const LETOUZEY: &str = "Letouzey";
const THREAD: &str = "TalkChess";

const CLAIMS: [Claim; 29] = [
    Claim {
        text: VERHELST,
        words: "It allows to reach about twice the depth in the same amount of time",
        figure: "depth in terms of minimax's, from the logarithms of the leaves",
        rows: &["negamax", "alpha-beta-at-once"],
        measure: depths,
        why: "twice is the best case, the best move first everywhere; here only captures come first. \
              Minimax is not run beyond depth 4",
    },
    Claim {
        text: EPPSTEIN,
        words: "These slightly tighter upper and lower bounds don't improve the search itself",
        figure: "nodes, fail-soft to fail-hard, without a table",
        rows: &["alpha-beta", "alpha-beta-hard"],
        measure: nodes,
        why: "every child gets the same window either way",
    },
    Claim {
        text: EPPSTEIN,
        words: "but they could lead to a greater number of successful hash probes",
        figure: "share of probes that cut off: fail-soft, fail-hard",
        rows: &["alpha-beta+tt", "alpha-beta-hard+tt"],
        measure: cutoffs,
        why: "a bound beyond the window settles more windows later on",
    },
    Claim {
        text: EPPSTEIN,
        words: "the same",
        figure: "nodes, fail-soft to fail-hard, with a table",
        rows: &["alpha-beta+tt", "alpha-beta-hard+tt"],
        measure: nodes,
        why: "the gain is small: one search of a depth seldom asks a position again with another \
              window",
    },
    Claim {
        text: VERHELST,
        words: "A good choice of the window variable will still give an average net gain",
        figure: "nodes, aspiration of half a pawn to a full window, without a table",
        rows: &["aspiration", "alpha-beta"],
        measure: nodes,
        why: "without a table a failed window is searched again from scratch, and the value swings by \
              more than half a pawn between odd and even depths of a search without quiescence",
    },
    Claim {
        text: VERHELST,
        words: "the same",
        figure: "nodes, the same with a table",
        rows: &["aspiration+tt", "alpha-beta+tt"],
        measure: nodes,
        why: "no net gain either, but the table answers most of what a failed window asks again",
    },
    Claim {
        text: EPPSTEIN,
        words: "Variants of aspiration search include widening the window more gradually",
        figure: "nodes, gradual to opening at once, with a table",
        rows: &["aspiration-gradual+tt", "aspiration+tt"],
        measure: nodes,
        why: "more searches, each of a narrower window, which the table makes cheap",
    },
    Claim {
        text: EPPSTEIN,
        words: "or using an initial search window that is not necessarily centered",
        figure: "nodes, a quarter pawn up to centred, with a table",
        rows: &["aspiration-off-centre+tt", "aspiration+tt"],
        measure: nodes,
        why: "the side that moves last is favoured: values rise at odd depths and fall at even ones, \
              and one shift cannot suit both",
    },
    Claim {
        text: VERHELST,
        words: "A transposition table can save up to a factor 4 on tree size",
        figure: "factor saved on the whole suite, and in the best position",
        rows: &["alpha-beta+tt", "alpha-beta"],
        measure: saving,
        why: "middlegames have few transpositions above the leaves at these depths, and leaves are not \
              stored; endings have many. The factor of depth 6 is a mate in three, which the table's \
              move plays first",
    },
    Claim {
        text: THREAD,
        words: "if TransTable[p].entry_depth >= depth",
        figure: "nodes, deeper entries accepted to equal depth alone, and agreement",
        rows: &["tt-deeper", "alpha-beta+tt"],
        measure: nodes_and_agreement,
        why: "the key holds the halfmove clock, so a position hardly ever comes back at another depth; \
              with `--path-draws` it does, see below",
    },
    Claim {
        text: THREAD,
        words: "That doesn't seem quite right (of exact values inside the window alone)",
        figure: "nodes, exact values alone to the rule with bounds",
        rows: &["tt-exact-only", "alpha-beta+tt"],
        measure: nodes,
        why: "nearly all entries are bounds; what is left of the table's gain is its move",
    },
    Claim {
        text: LETOUZEY,
        words: "adjusting the alpha-beta window from the hash table",
        figure: "nodes, window narrowed to the stored bounds to not",
        rows: &["tt-narrowing", "alpha-beta+tt"],
        measure: nodes,
        why: "an entry that bounds a value but does not cut off is rare",
    },
    Claim {
        text: VERHELST,
        words: "the deeper search trees can have a much better move ordering than when starting \
                immediately at a deep level",
        figure: "nodes, all iterations together to the last depth at once, with a table",
        rows: &["alpha-beta+tt", "alpha-beta+tt-at-once"],
        measure: nodes,
        why: "the table's move orders the inner nodes of the next iteration",
    },
    Claim {
        text: VERHELST,
        words: "The expectation is that the gain of the minimal window search is higher than the loss \
                of these occasional re-searches. Has this been proven somewhere?",
        figure: "nodes, PVS to alpha-beta",
        rows: &["pvs", "alpha-beta"],
        measure: nodes,
        why: "it holds in this suite, though not in every position of it",
    },
    Claim {
        text: VERHELST,
        words: "the same",
        figure: "nodes, the same with a table",
        rows: &["pvs+tt", "alpha-beta+tt"],
        measure: nodes,
        why: "the table's move makes re-searches rarer",
    },
    Claim {
        text: EPPSTEIN,
        words: "most nodes in the search tree have zero-width windows",
        figure: "share of nodes with a minimal window: PVS, MTD(f), alpha-beta",
        rows: &["pvs+tt", "mtdf+tt", "alpha-beta+tt"],
        measure: |rows| {
            let each = rows.iter().map(|row| percent(row.null_windows, row.nodes));
            each.collect::<Vec<_>>().join(", ")
        },
        why: "the rest are the first moves below the PV and the re-searches",
    },
    Claim {
        text: NOTES,
        words: "goal: have answer be NO most of time",
        figure: "re-searches per 1000 nodes: PVS, Scout",
        rows: &["pvs+tt", "scout+tt"],
        measure: |rows| {
            let rate =
                |row: &&Row| format!("{:.2}", 1000.0 * row.researches as f64 / row.nodes as f64);
            rows.iter().map(rate).collect::<Vec<_>>().join(", ")
        },
        why: "the first move is mostly the best; Scout's bounds end at alpha, so its table cuts off less",
    },
    Claim {
        text: VERHELST,
        words: "it is important to have a large transposition table",
        figure: "nodes, MTD(f) to alpha-beta: without a table",
        rows: &["mtdf", "alpha-beta"],
        measure: nodes,
        why: "every search of the root starts from scratch",
    },
    Claim {
        text: VERHELST,
        words: "the same",
        figure: "nodes, the same with a table for both",
        rows: &["mtdf+tt", "alpha-beta+tt"],
        measure: nodes,
        why: "a table answers most of what the steps ask again; at even depths the guess is far too high, \
              and there are many",
    },
    Claim {
        text: NOTES,
        words: "correct -> 2 iterations; the better the guess, the fewer",
        figure: "searches per iteration: MTD(f), in steps, SSS*, DUAL*",
        rows: &["mtdf+tt", "mtd-step+tt", "sss-star+tt", "dual-star+tt"],
        measure: searches,
        why: "the guess is off by the swing between odd and even depths and is approached in small \
              steps; without any guess DUAL* takes about as many, since its steps, up from below, are \
              larger",
    },
    Claim {
        text: EPPSTEIN,
        words: "However, this will lead to a large number of searches (bisection)",
        figure: "searches per iteration: bisection, MTD(f)",
        rows: &["bisection+tt", "mtdf+tt"],
        measure: searches,
        why: "the range is 64 003 values wide, and 2^16 is more than that",
    },
    Claim {
        text: EPPSTEIN,
        words: "the same",
        figure: "nodes, bisection to MTD(f), with a table",
        rows: &["bisection+tt", "mtdf+tt"],
        measure: nodes,
        why: "against the text at depth 6, where MTD(f) takes many small steps: most tests of a \
              bisection are far from the value and cost little",
    },
    Claim {
        text: LETOUZEY,
        words: "using [value-1,beta] instead of [value,beta]; I do not garantee that the PV is always \
                complete",
        figure: "moves of the PV: PVS from the value, from below it, MTD(f), all with a table",
        rows: &["pvs+tt", "pvs-below-value+tt", "mtdf+tt"],
        measure: pv_lengths,
        why: "a re-search that confirms the value proves half a line; two minimal windows prove less",
    },
    Claim {
        text: VERHELST,
        words: "This can save about 20-25% in total tree size (ETC)",
        figure: "nodes saved",
        rows: &["tt+etc", "alpha-beta+tt"],
        measure: saved,
        why: "most cut nodes are so near the horizon that their children are not stored; it grows with \
              the depth",
    },
    Claim {
        text: VERHELST,
        words: "a good move in one branch of the tree is also good at another branch at the same depth \
                (killers)",
        figure: "nodes saved by killers: kept per ply, wiped for each parent's children",
        rows: &["killers", "killers-local", "alpha-beta"],
        measure: |rows| format!("{}, {}", saved(&[rows[0], rows[2]]), saved(&[rows[1], rows[2]])),
        why: "kept killers are the text's; the engine wipes them, and has other histories beside them",
    },
    Claim {
        text: VERHELST,
        words: "statistics are maintained of good cutoff moves (history)",
        figure: "nodes saved",
        rows: &["history", "alpha-beta"],
        measure: saved,
        why: "about as much as killers",
    },
    Claim {
        text: VERHELST,
        words: "it can save a lot of time; it can fail to detect deep combinations (null move)",
        figure: "nodes to those of PVS with all techniques, and agreement",
        rows: &["null-move", "pvs+all"],
        measure: nodes_and_agreement,
        why: "two plies of reduction are allowed from depth 3 on",
    },
    Claim {
        text: VERHELST,
        words: "restrict the quiescence search in such a way that it does not add too much to the \
                search time",
        figure: "nodes: captures, and with checks and promotion threats, to static leaves",
        rows: &["quiescence", "quiescence-threats", "pvs+all"],
        measure: |rows| format!("{}, {}", nodes(&[rows[0], rows[2]]), nodes(&[rows[1], rows[2]])),
        why: "its share falls from odd depth to odd depth and from even to even; checks in two plies are \
              what costs",
    },
    Claim {
        text: VERHELST,
        words: "The danger if used carelessly is an explosion in tree size (extensions)",
        figure: "nodes: checks, all three by a ply, by fractions, to no extension",
        rows: &["check", "whole-plies", "fractions", "pvs+all"],
        measure: |rows| {
            let each = rows[..3].iter().map(|row| nodes(&[row, rows[3]]));
            each.collect::<Vec<_>>().join(", ")
        },
        why: "checks and recaptures by a whole ply feed each other, the more the deeper; fractions tame \
              them",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::methods;

    #[test]
    fn the_claims_rows_exist() {
        for name in rows() {
            assert!(methods().iter().any(|m| m.name == name), "{name}");
        }
    }
}
