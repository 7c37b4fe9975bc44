//! Where each input is active: the transpose of some samples.
//!
//! In the backward pass a row of the first layer gets the sum of what the samples with its input
//! give. Input by input that sum stays in registers, where sample by sample each row would be
//! read and written again.

use crate::sample::Sample;

/// For each input the views in which it is active.
#[derive(Debug, Default)]
pub struct Occurrences {
    /// Where the views of each input begin in the list, and where the last ones end.
    starts: Vec<usize>,
    /// Views by input: twice the sample's number, plus that of the view.
    views: Vec<u32>,
}

impl Occurrences {
    /// The occurrences in `samples` of the inputs, below `count`, that `active` names by sample
    /// and view.
    pub fn fill<'a>(
        &mut self,
        samples: &'a [Sample],
        count: usize,
        active: impl Fn(&'a Sample, usize) -> &'a [u16],
    ) {
        let views = 0..2 * samples.len();
        let inputs = |view: usize| active(&samples[view / 2], view % 2);
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for &input in views.clone().flat_map(inputs) {
            self.starts[usize::from(input)] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.views.resize(end, 0);
        // From the last view to the first, which brings each start from the end of its views to
        // their beginning.
        for view in views.rev() {
            for &input in inputs(view) {
                let start = &mut self.starts[usize::from(input)];
                *start -= 1;
                self.views[*start] = view as u32;
            }
        }
    }

    /// The inputs that are active anywhere, in order, each with its views in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let ranges = self.starts.windows(2).map(|ends| ends[0]..ends[1]).enumerate();
        ranges
            .filter(|(_, range)| !range.is_empty())
            .map(|(input, range)| (input, &self.views[range]))
    }
}

#[cfg(test)]
mod tests {
    use heddle::eval::nnue::features::INPUTS;

    use super::*;
    use crate::sample::examples;

    fn pairs(occurrences: &Occurrences) -> Vec<(usize, u32)> {
        let pairs =
            occurrences.iter().flat_map(|(input, views)| views.iter().map(move |v| (input, *v)));
        pairs.collect()
    }

    #[test]
    fn every_active_input_occurs_once() {
        let samples = examples();
        let mut occurrences = Occurrences::default();
        // A second time, for nothing of the first may stay.
        for samples in [&samples[..], &samples[1..]] {
            occurrences.fill(samples, INPUTS, Sample::placed);
            let mut expected = Vec::new();
            for (number, sample) in samples.iter().enumerate() {
                for view in [0, 1] {
                    let number = (2 * number + view) as u32;
                    let inputs = sample.placed(view).iter();
                    expected.extend(inputs.map(|&input| (usize::from(input), number)));
                }
            }
            expected.sort_unstable();
            assert_eq!(pairs(&occurrences), expected);
        }
    }
}
