//! Compares every path that this machine supports with the scalar one.

use proptest::prelude::*;

use super::*;
use crate::eval::nnue::head::{GROUP, GROUPS, GroupWeights, MAX_GROUP_WEIGHT, SECOND};
use crate::eval::nnue::network::{HIDDEN, MAX_SECOND, MAX_SECOND_SUM, Network, PAIRS, QA, SEEING};
use crate::eval::nnue::row::ACTIVE_ONE;

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
fn weights() -> impl Strategy<Value = [Pairs; 2]> {
    let weight = prop_oneof![1 => -MAX_SECOND..=MAX_SECOND, 7 => -64_i16..=64];
    let weights = proptest::collection::vec(weight, 2 * PAIRS);
    let fits = |weights: &Vec<i16>| {
        weights.iter().map(|&w| i32::from(w).abs()).sum::<i32>() <= MAX_SECOND_SUM
    };
    weights.prop_filter("the sum fits", fits).prop_map(|weights| {
        let halves = weights.as_chunks().0;
        [Pairs(halves[0]), Pairs(halves[1])]
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
        let (mut awake, mut active) = (Active::default(), Active::default());
        let expected = scalar::activate(views, &weights, &mut awake);
        for simd in Simd::available() {
            let found = simd.activate(views, &weights, &mut active);
            prop_assert_eq!(found, expected, "{}", simd.name());
            prop_assert_eq!(&active, &awake, "{}", simd.name());
        }
        // Each product counts once.
        let one = [0, 1].map(|i| {
            let mut row = others[i].clone();
            row.0[..SEEING].copy_from_slice(&seeing[i].0);
            row
        });
        let heads = one.each_ref().map(Seeing::of);
        let views = [0, 1].map(|i| View { seeing: &heads[i], others: &one[i] });
        prop_assert_eq!(scalar::activate(views, &weights, &mut active), expected);
        prop_assert_eq!(active, awake);
    }

    #[test]
    fn every_path_gives_the_output_of_the_small_layers(
        bytes in proptest::collection::vec(
            prop_oneof![3 => Just(0), 2 => 0..=ACTIVE_ONE as u8],
            2 * PAIRS,
        ),
        seed in any::<u64>(),
    ) {
        let mut active = Active::default();
        active.0.copy_from_slice(&bytes);
        let head = &Network::random(seed).outputs[0].head;
        let expected = scalar::head(head, &active);
        for simd in Simd::available() {
            prop_assert_eq!(simd.head(head, &active), expected, "{}", simd.name());
        }
        // Each weight belongs to one input and one neuron.
        let groups = scalar::groups(&head.second, &active);
        for (neuron, sum) in groups.into_iter().enumerate() {
            let product = |i: usize| {
                let weight = head.second[i / GROUP].0[neuron * GROUP + i % GROUP];
                i32::from(bytes[i]) * i32::from(weight)
            };
            prop_assert_eq!(sum, (0..2 * PAIRS).map(product).sum::<i32>());
        }
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
                let expected = total(i, from, &rows[1..3], &rows[3..]);
                prop_assert_eq!(to.0[i], expected, "{}", simd.name());
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
    let none = Pairs::default();
    let count = PAIRS.min((MAX_SECOND_SUM / i32::from(MAX_SECOND)) as usize);
    for (sign, first) in [1, -1].into_iter().flat_map(|sign| [0, PAIRS - count].map(|n| (sign, n)))
    {
        let expected = i32::from(sign * MAX_SECOND) * (QA * QA / 2) * count as i32;
        let mut greatest = Pairs::default();
        greatest.0[first..][..count].fill(sign * MAX_SECOND);
        for weights in [[greatest.clone(), none.clone()], [none.clone(), greatest]] {
            for simd in Simd::available() {
                let view = View { seeing: &Seeing::of(&sums), others: &sums };
                let found = simd.activate([view; 2], &weights, &mut Active::default());
                assert_eq!(found, expected, "{}", simd.name());
            }
        }
    }
}

#[test]
fn every_path_takes_the_greatest_weights_of_the_small_layers() {
    let active = Active([ACTIVE_ONE as u8; 2 * PAIRS]);
    let mut head = crate::eval::nnue::head::Head::default();
    for sign in [1, -1] {
        let weight = sign * MAX_GROUP_WEIGHT;
        head.second = vec![GroupWeights([weight; SECOND * GROUP]); GROUPS].into_boxed_slice();
        let one = ACTIVE_ONE * i32::from(weight) * 2 * PAIRS as i32;
        assert_eq!(scalar::groups(&head.second, &active), [one; SECOND]);
        head.third[3][5] = 1.0;
        head.last[5] = 0.5;
        let expected = if sign > 0 { 0.5 } else { 0.0 };
        for simd in Simd::available() {
            assert_eq!(simd.head(&head, &active), expected, "{}", simd.name());
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
