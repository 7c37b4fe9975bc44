//! Compares every path that this machine supports with the scalar one.

use proptest::prelude::*;

use super::*;
use crate::eval::nnue::network::{MAX_SECOND, MAX_SECOND_SUM, QA};

type Activate = fn(&Row, &Row) -> i32;

/// The supported paths, by name.
fn paths() -> Vec<(&'static str, Activate)> {
    let mut paths: Vec<(&'static str, Activate)> = vec![("the chosen one", activate)];
    #[cfg(target_arch = "x86_64")]
    {
        #![expect(unsafe_code, reason = "vector instructions")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor supports AVX2, as just checked.
            paths.push(("AVX2", |sums, weights| unsafe { avx2::activate(sums, weights) }));
        }
        if is_x86_feature_detected!("avx512bw") {
            // SAFETY: the processor supports AVX-512BW, as just checked.
            paths.push(("AVX-512", |sums, weights| unsafe { avx512::activate(sums, weights) }));
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        #![expect(unsafe_code, reason = "vector instructions")]
        // SAFETY: every processor of this architecture has these instructions.
        paths.push(("NEON", |sums, weights| unsafe { neon::activate(sums, weights) }));
    }
    paths
}

/// Rows of arbitrary numbers.
fn rows(number: impl Strategy<Value = i16>) -> impl Strategy<Value = Row> {
    proptest::collection::vec(number, HIDDEN).prop_map(|numbers| {
        let mut row = Row::default();
        row.0.copy_from_slice(&numbers);
        row
    })
}

/// Arbitrary sums, most of them in the range that is not clipped.
fn sums() -> impl Strategy<Value = Row> {
    rows(prop_oneof![4 => -64..=QA as i16 + 64, 1 => any::<i16>()])
}

/// Weights that a valid network may have.
fn weights() -> impl Strategy<Value = Row> {
    rows(-MAX_SECOND..=MAX_SECOND).prop_filter("the sum fits", |row| {
        row.0.iter().map(|w| i32::from(w.abs())).sum::<i32>() <= MAX_SECOND_SUM
    })
}

proptest! {
    #[test]
    fn every_path_gives_the_scalar_sum(sums in sums(), weights in weights()) {
        let expected = scalar::activate(&sums, &weights);
        for (name, path) in paths() {
            prop_assert_eq!(path(&sums, &weights), expected, "{}", name);
        }
    }

    #[test]
    fn an_update_adds_and_subtracts(rows in proptest::collection::vec(sums(), 5)) {
        let [from, a, b, c, d] = std::array::from_fn(|i| &rows[i]);
        let mut to = Row::default();
        update(&mut to, from, [a, b], [c, d]);
        for i in 0..HIDDEN {
            let sum = [from, a, b].map(|row| i64::from(row.0[i])).iter().sum::<i64>();
            let sum = sum - i64::from(c.0[i]) - i64::from(d.0[i]);
            prop_assert_eq!(to.0[i], sum as i16);
        }
    }

    #[test]
    fn any_number_of_rows_is_accumulated(
        from in sums(),
        added in proptest::collection::vec(sums(), 0..12),
        subtracted in proptest::collection::vec(sums(), 0..12),
    ) {
        let mut found = from.clone();
        accumulate(&mut found, &added, &subtracted);
        for i in 0..HIDDEN {
            let sum = |rows: &[Row]| rows.iter().map(|row| i64::from(row.0[i])).sum::<i64>();
            let expected = i64::from(from.0[i]) + sum(&added) - sum(&subtracted);
            prop_assert_eq!(found.0[i], expected as i16);
        }
    }
}

#[test]
fn every_path_takes_the_greatest_weights() {
    let sums = Row([i16::MAX; HIDDEN]);
    for sign in [1, -1] {
        let weights = Row([sign * MAX_SECOND; HIDDEN]);
        let expected = i32::from(sign * MAX_SECOND) * QA * QA * HIDDEN as i32;
        for (name, path) in paths().into_iter().chain([("scalar", scalar::activate as Activate)]) {
            assert_eq!(path(&sums, &weights), expected, "{name}");
        }
    }
}
