//! Compares every path that this machine supports with the scalar one.

use proptest::prelude::*;

use super::*;
use crate::eval::nnue::network::{HIDDEN, MAX_SECOND, MAX_SECOND_SUM, QA, SEEING};

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

/// Arbitrary sums of the seeing neurons.
fn seeing() -> impl Strategy<Value = Seeing> {
    sums().prop_map(|row| Seeing::of(&row))
}

/// Weights that a valid network may have: few of them can be large.
fn weights() -> impl Strategy<Value = [Row; 2]> {
    let half = || rows(prop_oneof![1 => -MAX_SECOND..=MAX_SECOND, 7 => -64_i16..=64]);
    [half(), half()].prop_filter("the sum fits", |rows| {
        let sizes = rows.iter().flat_map(|row| row.0).map(|w| i32::from(w.abs()));
        sizes.sum::<i32>() <= MAX_SECOND_SUM
    })
}

/// The result of `update` and `accumulate` for one neuron.
fn total(i: usize, from: &Row, added: &[Row], subtracted: &[Row]) -> i16 {
    let sum = |rows: &[Row]| rows.iter().map(|row| i64::from(row.0[i])).sum::<i64>();
    (i64::from(from.0[i]) + sum(added) - sum(subtracted)) as i16
}

proptest! {
    #[test]
    fn every_path_gives_the_scalar_sum(
        seeing in [seeing(), seeing()],
        others in [sums(), sums()],
        weights in weights(),
    ) {
        let views = [0, 1].map(|i| View { seeing: &seeing[i], others: &others[i] });
        let expected = scalar::activate(views, &weights);
        for simd in Simd::available() {
            prop_assert_eq!(simd.activate(views, &weights), expected, "{}", simd.name());
        }
        // Each neuron counts once.
        let one = [0, 1].map(|i| {
            let mut row = others[i].clone();
            row.0[..SEEING].copy_from_slice(&seeing[i].0);
            row
        });
        let heads = one.each_ref().map(Seeing::of);
        let views = [0, 1].map(|i| View { seeing: &heads[i], others: &one[i] });
        prop_assert_eq!(scalar::activate(views, &weights), expected);
    }

    #[test]
    fn further_inputs_are_added_to_the_seeing_neurons(
        from in [seeing(), seeing()],
        rows in proptest::collection::vec(proptest::array::uniform(any::<i8>()), 16),
        inputs in proptest::collection::vec([0..16_u16, 0..16_u16], 0..12),
    ) {
        let rows: Vec<_> = rows.into_iter().map(FurtherRow).collect();
        for simd in Simd::available() {
            let mut found = from.clone();
            simd.add_further(&mut found, &rows, &inputs);
            for view in [0, 1] {
                let seen = inputs.iter().map(|input| &rows[usize::from(input[view])]);
                for i in 0..SEEING {
                    let weights = seen.clone().map(|row| i16::from(row.0[i]));
                    let sum = weights.fold(from[view].0[i], i16::wrapping_add);
                    prop_assert_eq!(found[view].0[i], sum, "{}", simd.name());
                }
            }
        }
    }

    #[test]
    fn an_update_adds_and_subtracts(rows in proptest::collection::vec(sums(), 5)) {
        let [from, a, b, c, d] = std::array::from_fn(|i| &rows[i]);
        for simd in Simd::available() {
            let mut to = Row::default();
            simd.update(&mut to, from, [a, b], [c, d]);
            for i in 0..HIDDEN {
                prop_assert_eq!(to.0[i], total(i, from, &rows[1..3], &rows[3..]), "{}", simd.name());
            }
        }
    }

    #[test]
    fn any_number_of_rows_is_accumulated(
        from in sums(),
        added in proptest::collection::vec(sums(), 0..12),
        subtracted in proptest::collection::vec(sums(), 0..12),
    ) {
        for simd in Simd::available() {
            let mut found = from.clone();
            let [plus, minus] = [&added, &subtracted].map(|rows| rows.iter().collect::<Vec<_>>());
            simd.accumulate(&mut found, &plus, &minus);
            for i in 0..HIDDEN {
                let expected = total(i, &from, &added, &subtracted);
                prop_assert_eq!(found.0[i], expected, "{}", simd.name());
            }
        }
    }
}

#[test]
fn every_path_takes_the_greatest_weights() {
    let sums = Row([i16::MAX; HIDDEN]);
    let none = Row::default();
    let count = HIDDEN.min((MAX_SECOND_SUM / i32::from(MAX_SECOND)) as usize);
    for (sign, first) in [1, -1].into_iter().flat_map(|sign| [0, HIDDEN - count].map(|n| (sign, n)))
    {
        let expected = i32::from(sign * MAX_SECOND) * (QA * QA / 2) * count as i32;
        let mut greatest = Row::default();
        greatest.0[first..][..count].fill(sign * MAX_SECOND);
        for weights in [[greatest.clone(), none.clone()], [none.clone(), greatest]] {
            for simd in Simd::available() {
                let view = View { seeing: &Seeing::of(&sums), others: &sums };
                assert_eq!(simd.activate([view; 2], &weights), expected, "{}", simd.name());
            }
        }
    }
}

#[test]
fn the_scalar_path_is_available_and_the_names_are_found() {
    let available = Simd::available();
    assert_eq!(available[0].name(), "scalar");
    assert_eq!(available.last(), Some(&Simd::best()));
    for simd in available {
        assert_eq!(simd.name().parse(), Ok(simd));
    }
    let error = "mmx".parse::<Simd>().unwrap_err();
    assert!(error.to_string().contains("scalar"), "{error}");
}
