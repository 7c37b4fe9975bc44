//! The network's weights and their file format.
//!
//! (4×768 → N)×2 → 1: each side's view of the board ([`super::features`]) goes through the
//! same first layer; the half of the side to move comes first. Further inputs
//! ([`super::further`]) reach only the first [`SEEING`] neurons. A squared clipped rectifier
//! (SCReLU), a weighted sum (one for each range of the number of pieces) and a scale turn its
//! outputs into centipawns. Weights are integers: [`QA`] and [`QB`] represent 1.0 in the first
//! and second layer.
//!
//! The file, little endian: magic (8 bytes); version, inputs, hidden neurons, output buckets and
//! scale (4 bytes each); as 16-bit numbers, the first layer's weights input by input and its
//! biases; as bytes, the seeing neurons' weights of further inputs; as 16-bit numbers, the second
//! layer's weights bucket by bucket, own half first; as 32-bit numbers, its biases; finally the
//! CRC-32 of everything before it. A file with fewer than [`HIDDEN`] neurons lacks the last ones.

use super::features::{INPUTS, MAX_PIECES};
use super::further::{FURTHER_INPUTS, MAX_FURTHER};
use super::simd::Simd;

pub use super::row::{FurtherRow, HIDDEN, QA, Row, SEEING, Seeing, View};

/// Output buckets: second layers, selected by the number of pieces.
pub const BUCKETS: usize = 8;
/// The value of 1.0 in the second layer's weights.
pub const QB: i32 = 256;
/// Pieces per bucket, not counting the two kings.
const BUCKET_PIECES: usize = MAX_PIECES / BUCKETS;

const MAGIC: &[u8; 8] = b"HeddleNN";
const VERSION: u32 = 5;
/// The size of the file in bytes.
pub(super) const FILE_SIZE: usize = file_size(HIDDEN);

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

/// The weights of one second layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// For the view of the side to move, then for the other side's.
    pub weights: [Row; 2],
    /// In units of 1 / ([`QA`] · [`QB`]).
    pub bias: i32,
}

/// A quantised network; its numbers are bounded so that no sum overflows.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Parses a network file. One with fewer neurons becomes one whose others are always zero.
    ///
    /// # Errors
    /// [`NetworkError`] when the bytes are not a network of this version and shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let mut reader = Reader(bytes);
        if reader.take::<8>() != Some(*MAGIC) {
            return Err(NetworkError::Magic);
        }
        let size = |hidden| NetworkError::Size { found: bytes.len(), wanted: file_size(hidden) };
        let found: Option<Vec<u32>> = (0..4).map(|_| reader.u32()).collect();
        let found = found.ok_or_else(|| size(HIDDEN))?;
        let hidden = found[2] as usize;
        if !(1..=HIDDEN).contains(&hidden) || found != header(hidden) {
            let (found, wanted) = (describe(&found), describe(&header(HIDDEN)));
            return Err(NetworkError::Shape { found, wanted });
        }
        if bytes.len() != file_size(hidden) {
            return Err(size(hidden));
        }
        let (content, checksum) = bytes.split_at(bytes.len() - 4);
        if crc32fast::hash(content).to_le_bytes() != checksum {
            return Err(NetworkError::Checksum);
        }
        let network = reader.network(hidden).ok_or_else(|| size(hidden))?;
        if network.is_in_range() { Ok(network) } else { Err(NetworkError::Range) }
    }

    /// Serialises the network into a file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in header(HIDDEN) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.scale.to_le_bytes());
        let numbers = |row: &Row| row.0.into_iter().flat_map(i16::to_le_bytes);
        bytes.extend(self.features.iter().chain([&self.bias]).flat_map(numbers));
        bytes.extend(self.further.iter().flat_map(|row| row.0).flat_map(i8::to_le_bytes));
        bytes.extend(self.outputs.iter().flat_map(|output| &output.weights).flat_map(numbers));
        for output in &self.outputs {
            bytes.extend(output.bias.to_le_bytes());
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Whether no sum in an evaluation can overflow.
    pub fn is_in_range(&self) -> bool {
        let within = |row: &Row, limit: i16| row.0.iter().all(|w| (-limit..=limit).contains(w));
        let output = |output: &Output| {
            let sum: i32 =
                output.weights.iter().flat_map(|row| row.0).map(|w| i32::from(w).abs()).sum();
            output.weights.iter().all(|row| within(row, MAX_SECOND))
                && sum <= MAX_SECOND_SUM
                && output.bias.unsigned_abs() <= MAX_BIAS.unsigned_abs()
        };
        self.features.iter().chain([&self.bias]).all(|row| within(row, MAX_FIRST))
            && self.further.iter().flat_map(|row| row.0).all(|w| w >= -MAX_FURTHER_WEIGHT)
            && self.outputs.iter().all(output)
            && (1..=MAX_SCALE).contains(&self.scale)
    }
}

/// The version, inputs, neurons and buckets of a network of `hidden` neurons.
const fn header(hidden: usize) -> [u32; 4] {
    [VERSION, INPUTS as u32, hidden as u32, BUCKETS as u32]
}

/// The size of its file in bytes.
const fn file_size(hidden: usize) -> usize {
    let rows = INPUTS + 1 + 2 * BUCKETS;
    8 + 5 * 4 + 2 * hidden * rows + FURTHER_INPUTS * SEEING + 4 * BUCKETS + 4
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

    /// Reads the weights of the first `hidden` neurons; the others' are zero.
    fn row(&mut self, hidden: usize) -> Option<Row> {
        let mut row = Row::default();
        for weight in &mut row.0[..hidden] {
            *weight = i16::from_le_bytes(self.take()?);
        }
        Some(row)
    }

    /// Reads the scale and all the weights of a network.
    fn network(&mut self, hidden: usize) -> Option<Network> {
        let scale = self.i32()?;
        let features = (0..INPUTS).map(|_| self.row(hidden)).collect::<Option<Box<[_]>>>()?;
        let bias = self.row(hidden)?;
        let further = (0..FURTHER_INPUTS)
            .map(|_| Some(FurtherRow(self.take()?.map(|byte| i8::from_le_bytes([byte])))))
            .collect::<Option<Box<[_]>>>()?;
        let mut outputs: [Output; BUCKETS] = Default::default();
        for output in &mut outputs {
            output.weights = [self.row(hidden)?, self.row(hidden)?];
        }
        for output in &mut outputs {
            output.bias = self.i32()?;
        }
        Some(Network { features, bias, further, outputs, scale, simd: Simd::best() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let network = Network::random(1);
        let bytes = network.to_bytes();
        assert_eq!(bytes.len(), FILE_SIZE);
        assert_eq!(Network::from_bytes(&bytes), Ok(network));
    }

    #[test]
    fn neurons_that_a_narrower_network_lacks_are_zero() {
        const NARROW: usize = HIDDEN - 40;
        let mut network = Network::random(1);
        let bytes = network.to_bytes();
        let mut rest = &bytes[..bytes.len() - 4];
        let mut short = Vec::new();
        let mut keep = |kept: usize, whole: usize| {
            let (taken, left) = rest.split_at(whole);
            short.extend(&taken[..kept]);
            rest = left;
        };
        keep(28, 28);
        (0..=INPUTS).for_each(|_| keep(2 * NARROW, 2 * HIDDEN));
        keep(FURTHER_INPUTS * SEEING, FURTHER_INPUTS * SEEING);
        (0..2 * BUCKETS).for_each(|_| keep(2 * NARROW, 2 * HIDDEN));
        keep(4 * BUCKETS, 4 * BUCKETS);
        short[16..20].copy_from_slice(&(NARROW as u32).to_le_bytes());
        short.extend(crc32fast::hash(&short).to_le_bytes());
        let outputs = network.outputs.iter_mut().flat_map(|output| &mut output.weights);
        for row in network.features.iter_mut().chain([&mut network.bias]).chain(outputs) {
            row.0[NARROW..].fill(0);
        }
        assert_eq!(Network::from_bytes(&short), Ok(network));
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
        assert_eq!(spoilt(|net| net.outputs[1].weights[0].0 = [MAX_SECOND; HIDDEN]), range);
        assert_eq!(spoilt(|net| net.scale = 0), range);
    }

    #[test]
    fn every_number_of_pieces_has_its_bucket() {
        assert_eq!([2, 5, 6, 16, 31, 32].map(bucket), [0, 0, 1, 3, 7, 7]);
    }
}
