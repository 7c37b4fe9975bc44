//! Converts between floating point and the engine's integers.

use heddle::eval::nnue::features::INPUTS;
use heddle::eval::nnue::further::FURTHER_INPUTS;
use heddle::eval::nnue::head::QC;
use heddle::eval::nnue::network::{
    BUCKETS, FurtherRow, HIDDEN, Network, Output, PAIRS, QA, QB, Row, SEEING,
};
use heddle::eval::nnue::simd::Simd;

use wide::f32x16;

use crate::params::{
    BIAS, BLIND_ROWS, FACTOR, LANES, Params, SECOND_LAYER, WIDTH, output_row, second_rows,
};

/// The network does not fit the engine's integers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the weights exceed the range of the engine's integers")]
pub struct QuantiseError;

/// Rounds the parameters to values that the engine's integers can represent.
#[must_use]
pub fn rounded(params: &Params) -> Params {
    let to = |number: f32, one: i32| (number * one as f32).round_ties_even() / one as f32;
    let mut rounded = params.clone();
    for (slice, params) in rounded.slices.iter_mut().zip(&params.slices) {
        *slice = params.folded();
        for (index, row) in slice.0.iter_mut().enumerate() {
            let one = match index {
                ..=BIAS | BLIND_ROWS.. => QA,
                SECOND_LAYER..FACTOR => QC,
                _ => QB,
            };
            let numbers = row.0.iter_mut().flat_map(f32x16::as_mut_array);
            numbers.for_each(|number| *number = to(*number, one));
        }
    }
    rounded.bias.as_mut_array().iter_mut().for_each(|bias| *bias = to(*bias, QA * QB));
    rounded
}

/// The floating-point parameters of a network, for further training.
#[must_use]
pub fn restored(network: &Network) -> Params {
    let mut params = Params::zero();
    let mut fill = |index: usize, weights: &[i16], one: i32| {
        for (slice, weights) in params.slices.iter_mut().zip(weights.chunks(LANES)) {
            let row = slice.0[index].0.iter_mut().flat_map(f32x16::as_mut_array);
            row.zip(weights).for_each(|(to, &weight)| *to = f32::from(weight) / one as f32);
        }
    };
    for (input, row) in network.features.iter().enumerate() {
        fill(input, &row.0, QA);
    }
    fill(BIAS, &network.bias.0, QA);
    for (input, row) in network.further.iter().enumerate() {
        fill(BLIND_ROWS + input, &row.0.map(i16::from), QA);
    }
    for (bucket, output) in network.outputs.iter().enumerate() {
        let by_place = |weight: &dyn Fn(usize) -> i16| -> [i16; HIDDEN] {
            std::array::from_fn(|place| weight(product_at(place)))
        };
        let direct = by_place(&|product| output.weights[product / PAIRS].0[product % PAIRS]);
        fill(output_row(bucket as u8), &direct, QB);
        for (neuron, index) in second_rows(bucket as u8).enumerate() {
            let second = by_place(&|product| output.head.weight(product, neuron).into());
            fill(index, &second, QC);
        }
    }
    for (head, output) in params.heads.iter_mut().zip(&network.outputs) {
        let numbers = head.vectors_mut().flat_map(f32x16::as_mut_array);
        numbers.zip(output.head.small()).for_each(|(to, number)| *to = *number);
    }
    let biases = params.bias.as_mut_array().iter_mut().zip(&network.outputs);
    biases.for_each(|(bias, output)| *bias = output.bias as f32 / (QA * QB) as f32);
    params
}

/// The product, of both views' in the engine's order, whose weight is at a place of a row that the
/// slices hold.
fn product_at(place: usize) -> usize {
    place / WIDTH % 2 * PAIRS + place / LANES * WIDTH + place % WIDTH
}

/// Rounds these parameters to a network; an output of 1.0 means `scale` centipawns.
///
/// # Errors
/// [`QuantiseError`] if sums could overflow.
pub fn quantise(params: &Params, scale: i32) -> Result<Network, QuantiseError> {
    let params = rounded(params);
    let fill = |row: &mut [i16], index: usize, one: i32| {
        let slices = params.slices.iter().zip(row.chunks_mut(LANES));
        for (slice, weights) in slices {
            let numbers = slice.0[index].0.into_iter().flat_map(f32x16::to_array);
            weights.iter_mut().zip(numbers).for_each(|(weight, number)| {
                *weight = (number * one as f32).round() as i16;
            });
        }
    };
    let row = |index: usize, one: i32| {
        let mut row = Row([0; HIDDEN]);
        fill(&mut row.0, index, one);
        row
    };
    let further = |input: usize| {
        let (mut numbers, mut row) = ([0; SEEING], FurtherRow::default());
        fill(&mut numbers, BLIND_ROWS + input, QA);
        for (weight, number) in row.0.iter_mut().zip(numbers) {
            *weight = i8::try_from(number).map_err(|_| QuantiseError)?;
        }
        Ok(row)
    };
    let biases = params.bias.to_array();
    let output = |bucket: usize| {
        let mut output = Output::default();
        for (place, weight) in row(output_row(bucket as u8), QB).0.into_iter().enumerate() {
            let product = product_at(place);
            output.weights[product / PAIRS].0[product % PAIRS] = weight;
        }
        for (neuron, index) in second_rows(bucket as u8).enumerate() {
            for (place, weight) in row(index, QC).0.into_iter().enumerate() {
                let weight = i8::try_from(weight).map_err(|_| QuantiseError)?;
                *output.head.weight_mut(product_at(place), neuron) = weight;
            }
        }
        output.bias = (biases[bucket] * (QA * QB) as f32).round() as i32;
        let numbers = params.heads[bucket].vectors().flat_map(|vector| vector.to_array());
        output.head.small_mut().zip(numbers).for_each(|(to, number)| *to = number);
        Ok(output)
    };
    let mut outputs: [Output; BUCKETS] = Default::default();
    for (bucket, place) in outputs.iter_mut().enumerate() {
        *place = output(bucket)?;
    }
    let network = Network {
        features: (0..INPUTS).map(|input| row(input, QA)).collect(),
        bias: row(BIAS, QA),
        further: (0..FURTHER_INPUTS).map(further).collect::<Result<_, _>>()?,
        outputs,
        scale,
        simd: Simd::best(),
    };
    if network.is_in_range() { Ok(network) } else { Err(QuantiseError) }
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn a_network_is_restored_as_it_was() {
        let mut params = Params::random(&mut Pcg64::new(1, 1));
        params.bias.as_mut_array()[3] = -0.25;
        params.slices[1].further_mut()[700].0[0] = f32x16::splat(-0.25);
        params.heads[5].last[1] = f32x16::splat(0.75);
        let network = quantise(&params, 400).unwrap();
        let restored = restored(&network);
        assert_eq!(restored, rounded(&params));
        assert_eq!(quantise(&restored, 400), Ok(network));
    }
}
