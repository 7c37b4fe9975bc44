//! The network's weights and their file format.
//!
//! (10×768 → N)×2 → 1: each side's view of the board ([`super::features`]) goes through the
//! same first layer; the half of the side to move comes first. Further inputs
//! ([`super::further`]) reach only the first [`SEEING`] neurons. The neurons' sums are clipped and
//! multiplied in pairs ([`super::row`]). A weighted sum of the products (one for each range of the
//! number of pieces), to which the small layers ([`super::head`]) add their output, and a scale
//! give centipawns. Weights are integers but in the small layers' end: [`QA`] and [`QB`] represent
//! 1.0 in the first layer and in the weighted sum.
//!
//! The file, little endian: magic (8 bytes); version, inputs, hidden neurons, output buckets and
//! scale (4 bytes each); as 16-bit numbers, the first layer's weights input by input and its
//! biases; as bytes, the seeing neurons' weights of further inputs; as 16-bit numbers, the weights
//! of the products bucket by bucket, own half first; as 32-bit numbers, their biases; bucket by
//! bucket, the small layers: the second layer's weights as bytes, group by group, the other numbers
//! as 32-bit floats; finally the CRC-32 of everything before it.

use super::features::{INPUTS, MAX_PIECES};
use super::further::{FURTHER_INPUTS, MAX_FURTHER};
use super::head::{GROUP, Head, SECOND, SMALL_NUMBERS};
use super::simd::Simd;

pub use super::row::{
    BLOCK, FurtherRow, HIDDEN, PAIRED, PAIRS, Pairs, QA, Row, SEEING, Seeing, View, first_factor,
};

/// Output buckets: second layers, selected by the number of pieces.
pub const BUCKETS: usize = 8;
/// The value of 1.0 in the second layer's weights.
pub const QB: i32 = 256;
/// Pieces per bucket, not counting the two kings.
const BUCKET_PIECES: usize = MAX_PIECES / BUCKETS;

const MAGIC: &[u8; 8] = b"HeddleNN";
const VERSION: u32 = 7;
/// The header of a network of this engine's shape.
const HEADER: [u32; 4] = header(HIDDEN);

/// The version, inputs, neurons and buckets.
const fn header(neurons: usize) -> [u32; 4] {
    [VERSION, INPUTS as u32, neurons as u32, BUCKETS as u32]
}
/// The size of the file in bytes.
pub(super) const FILE_SIZE: usize = {
    let outputs = BUCKETS * (2 * 2 * PAIRS + 4 + 2 * PAIRS * SECOND + 4 * SMALL_NUMBERS);
    8 + 5 * 4 + 2 * HIDDEN * (INPUTS + 1) + SEEING * FURTHER_INPUTS + outputs + 4
};

/// The largest number in a row of a further input.
pub const MAX_FURTHER_WEIGHT: i8 = i8::MAX;
/// The largest other first-layer number for which no sum of a bias and the rows of all pieces
/// overflows 16 bits.
pub const MAX_FIRST: i16 =
    ((i16::MAX as usize - MAX_FURTHER * MAX_FURTHER_WEIGHT as usize) / (MAX_PIECES + 1)) as i16;
/// The largest second-layer weight: 2.0, far more than training gives.
pub const MAX_SECOND: i16 = 2 * QB as i16;
/// The largest sum of a bucket's absolute weights for which the sum of products fits in 32 bits.
pub const MAX_SECOND_SUM: i32 = i32::MAX / (QA * QA / 2);
/// The largest second-layer bias, in units of 1 / ([`QA`] · [`QB`]).
pub const MAX_BIAS: i32 = 1 << 24;
/// The largest scale in centipawns.
pub const MAX_SCALE: i32 = 4096;

/// The output of one bucket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// For the view of the side to move, then for the other side's.
    pub weights: [Pairs; 2],
    /// In units of 1 / ([`QA`] · [`QB`]).
    pub bias: i32,
    /// The small layers.
    pub head: Head,
}

/// A quantised network; its numbers are bounded so that no sum overflows.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The first layer's weights, one row per input; [`INPUTS`] rows.
    pub features: Box<[Row]>,
    /// The first layer's biases.
    pub bias: Row,
    /// The seeing neurons' weights of further inputs, one row per input; [`FURTHER_INPUTS`] rows.
    pub further: Box<[FurtherRow]>,
    /// The second layers, by bucket.
    pub outputs: [Output; BUCKETS],
    /// Centipawns for an output of 1.0.
    pub scale: i32,
    /// The instructions that compute with it.
    pub simd: Simd,
}

/// Why bytes are not a valid network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The file does not start with the magic.
    #[error("not a Heddle network")]
    Magic,
    /// The version or shape differs.
    #[error("the network has {found}, but this engine needs {wanted}")]
    Shape {
        /// The value in the file.
        found: String,
        /// The value that this engine needs.
        wanted: String,
    },
    /// The file is too short or too long.
    #[error("the file has {found} bytes instead of {wanted}")]
    Size {
        /// The file's size in bytes.
        found: usize,
        /// The size of a file of this shape.
        wanted: usize,
    },
    /// The content is damaged.
    #[error("the checksum is wrong")]
    Checksum,
    /// The weights are so large that sums could overflow.
    #[error("weights out of range")]
    Range,
}

/// The second layer for a position with `pieces` pieces, including the kings.
pub fn bucket(pieces: usize) -> usize {
    (pieces.saturating_sub(2) / BUCKET_PIECES).min(BUCKETS - 1)
}

impl Network {
    /// Parses a network file.
    ///
    /// # Errors
    /// [`NetworkError`] when the bytes are not a network of this version and shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let mut reader = Reader(bytes);
        if reader.take::<8>() != Some(*MAGIC) {
            return Err(NetworkError::Magic);
        }
        let size = || NetworkError::Size { found: bytes.len(), wanted: FILE_SIZE };
        let found: Option<Vec<u32>> = HEADER.iter().map(|_| reader.u32()).collect();
        let found = found.ok_or_else(size)?;
        if found != HEADER {
            let (found, wanted) = (describe(&found), describe(&HEADER));
            return Err(NetworkError::Shape { found, wanted });
        }
        if bytes.len() != FILE_SIZE {
            return Err(size());
        }
        let (content, checksum) = bytes.split_at(bytes.len() - 4);
        if crc32fast::hash(content).to_le_bytes() != checksum {
            return Err(NetworkError::Checksum);
        }
        let network = reader.network().ok_or_else(size)?;
        if network.is_in_range() { Ok(network) } else { Err(NetworkError::Range) }
    }

    /// Serialises the network into a file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_of(&std::array::from_fn::<_, PAIRS, _>(|pair| pair), SEEING)
    }

    /// The bytes of a file with these `pairs` of neurons alone, in this order, of which the first
    /// ones, `seeing` neurons, see the further inputs. A build of that shape reads it.
    ///
    /// # Panics
    /// If there is no such pair, or less than a row of seeing neurons.
    pub fn to_bytes_of(&self, pairs: &[usize], seeing: usize) -> Vec<u8> {
        let blocks = pairs.chunks(PAIRED);
        let factors = blocks.flat_map(|block| [0, PAIRED].map(|factor| (block, factor)));
        let neurons: Vec<usize> = factors
            .flat_map(|(block, factor)| block.iter().map(move |&p| first_factor(p) + factor))
            .collect();
        let mut bytes = MAGIC.to_vec();
        for number in header(neurons.len()) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.scale.to_le_bytes());
        for row in self.features.iter().chain([&self.bias]) {
            bytes.extend(neurons.iter().flat_map(|&neuron| row.0[neuron].to_le_bytes()));
        }
        for row in &self.further {
            bytes.extend(neurons[..seeing].iter().flat_map(|&neuron| row.0[neuron].to_le_bytes()));
        }
        for weights in self.outputs.iter().flat_map(|output| &output.weights) {
            bytes.extend(pairs.iter().flat_map(|&pair| weights.0[pair].to_le_bytes()));
        }
        bytes.extend(self.outputs.iter().flat_map(|output| output.bias.to_le_bytes()));
        let views = [0, PAIRS].into_iter();
        let products: Vec<usize> =
            views.flat_map(|view| pairs.iter().map(move |&pair| view + pair)).collect();
        for Output { head, .. } in &self.outputs {
            for group in products.chunks(GROUP) {
                let weights = (0..SECOND)
                    .flat_map(|neuron| group.iter().map(move |&product| (product, neuron)));
                bytes.extend(weights.flat_map(|(p, neuron)| head.weight(p, neuron).to_le_bytes()));
            }
            bytes.extend(head.small().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Whether no sum in an evaluation can overflow.
    pub fn is_in_range(&self) -> bool {
        let within = |row: &[i16], limit: i16| row.iter().all(|w| (-limit..=limit).contains(w));
        let output = |output: &Output| {
            let sum: i32 =
                output.weights.iter().flat_map(|row| row.0).map(|w| i32::from(w).abs()).sum();
            output.weights.iter().all(|row| within(&row.0, MAX_SECOND))
                && sum <= MAX_SECOND_SUM
                && output.bias.unsigned_abs() <= MAX_BIAS.unsigned_abs()
                && output.head.is_in_range()
        };
        self.features.iter().chain([&self.bias]).all(|row| within(&row.0, MAX_FIRST))
            && self.further.iter().flat_map(|row| row.0).all(|w| w >= -MAX_FURTHER_WEIGHT)
            && self.outputs.iter().all(output)
            && (1..=MAX_SCALE).contains(&self.scale)
    }
}

fn describe(shape: &[u32]) -> String {
    format!("version {}, ({} -> {})x2 -> 1x{}", shape[0], shape[1], shape[2], shape[3])
}

/// Takes numbers off the front of a file.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn i32(&mut self) -> Option<i32> {
        self.take().map(i32::from_le_bytes)
    }

    fn numbers<const N: usize>(&mut self) -> Option<[i16; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = i16::from_le_bytes(self.take()?);
        }
        Some(numbers)
    }

    fn bytes<const N: usize>(&mut self) -> Option<[i8; N]> {
        Some(self.take()?.map(|byte| i8::from_le_bytes([byte])))
    }

    /// Reads the small layers of a bucket.
    fn head(&mut self) -> Option<Head> {
        let mut head = Head::default();
        for group in &mut head.second {
            group.0 = self.bytes()?;
        }
        for number in head.small_mut() {
            *number = f32::from_le_bytes(self.take()?);
        }
        Some(head)
    }

    /// Reads the scale and all the weights of a network.
    fn network(&mut self) -> Option<Network> {
        let scale = self.i32()?;
        let features =
            (0..INPUTS).map(|_| self.numbers().map(Row)).collect::<Option<Box<[_]>>>()?;
        let bias = Row(self.numbers()?);
        let further = (0..FURTHER_INPUTS).map(|_| self.bytes().map(FurtherRow));
        let further = further.collect::<Option<Box<[_]>>>()?;
        let mut outputs: [Output; BUCKETS] = Default::default();
        for output in &mut outputs {
            output.weights = [Pairs(self.numbers()?), Pairs(self.numbers()?)];
        }
        for output in &mut outputs {
            output.bias = self.i32()?;
        }
        for output in &mut outputs {
            output.head = self.head()?;
        }
        Some(Network { features, bias, further, outputs, scale, simd: Simd::best() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::head::MAX_SMALL;

    #[test]
    fn what_is_written_is_read() {
        let network = Network::random(1);
        let bytes = network.to_bytes();
        assert_eq!(bytes.len(), FILE_SIZE);
        assert_eq!(Network::from_bytes(&bytes), Ok(network));
    }

    #[test]
    fn a_narrower_network_has_the_rows_of_the_pairs_that_are_left() {
        let network = Network::random(1);
        let pairs: Vec<_> = (0..PAIRS).step_by(2).collect();
        let bytes = network.to_bytes_of(&pairs, BLOCK);
        assert!(10 * bytes.len() < 6 * FILE_SIZE);
        let mut reader = Reader(&bytes);
        assert_eq!(reader.take::<8>(), Some(*MAGIC));
        let header = [(); HEADER.len()].map(|()| reader.u32().unwrap());
        assert_eq!(header, [VERSION, INPUTS as u32, HIDDEN as u32 / 2, BUCKETS as u32]);
        assert_eq!(reader.i32(), Some(network.scale));
        let row: [i16; HIDDEN / 2] = reader.numbers().unwrap();
        for (place, &pair) in pairs.iter().enumerate() {
            let (to, from) = (first_factor(place), first_factor(pair));
            let before = &network.features[0].0;
            assert_eq!([row[to], row[to + PAIRED]], [before[from], before[from + PAIRED]]);
        }
        let (content, checksum) = bytes.split_at(bytes.len() - 4);
        assert_eq!(crc32fast::hash(content).to_le_bytes(), checksum);
    }

    #[test]
    fn a_wrong_file_is_refused() {
        let bytes = Network::random(1).to_bytes();
        let error = |bytes: &[u8]| Network::from_bytes(bytes).unwrap_err();
        assert_eq!(error(b""), NetworkError::Magic);
        assert_eq!(error(b"a text file, say"), NetworkError::Magic);
        let size = |found| NetworkError::Size { found, wanted: FILE_SIZE };
        assert_eq!(error(&bytes[..20]), size(20));
        assert_eq!(error(&bytes[..FILE_SIZE - 1]), size(FILE_SIZE - 1));
        assert_eq!(error(&[&bytes[..], b"x"].concat()), size(FILE_SIZE + 1));
        let mut shape = bytes.clone();
        shape[16] ^= 1;
        assert!(matches!(error(&shape), NetworkError::Shape { .. }));
        let mut flipped = bytes;
        flipped[FILE_SIZE / 2] ^= 1;
        assert_eq!(error(&flipped), NetworkError::Checksum);
    }

    #[test]
    fn weights_with_which_sums_could_overflow_are_refused() {
        let spoilt = |spoil: fn(&mut Network)| {
            let mut network = Network::random(1);
            spoil(&mut network);
            Network::from_bytes(&network.to_bytes())
        };
        let range = Err(NetworkError::Range);
        assert_eq!(spoilt(|net| net.features[700].0[3] = MAX_FIRST + 1), range);
        assert_eq!(spoilt(|net| net.further[700].0[3] = i8::MIN), range);
        assert_eq!(spoilt(|net| net.outputs[7].weights[1].0[0] = -MAX_SECOND - 1), range);
        assert_eq!(spoilt(|net| net.outputs[0].bias = i32::MIN), range);
        assert_eq!(spoilt(|net| net.outputs[1].weights[0].0 = [MAX_SECOND; PAIRS]), range);
        assert_eq!(spoilt(|net| net.outputs[1].head.second[5].0[9] = i8::MIN), range);
        assert_eq!(spoilt(|net| net.outputs[2].head.third[5][9] = 1.1 * MAX_SMALL), range);
        assert_eq!(spoilt(|net| net.outputs[3].head.last[9] = f32::NAN), range);
        assert_eq!(spoilt(|net| net.scale = 0), range);
    }

    #[test]
    fn every_number_of_pieces_has_its_bucket() {
        assert_eq!([2, 5, 6, 16, 31, 32].map(bucket), [0, 0, 1, 3, 7, 7]);
    }
}
