//! The network's weights and their file format.
//!
//! (4×768 → N)×2 → 1: each side's view of the board ([`super::features`]) goes through the same first
//! layer; the half of the side to move comes first. Further inputs ([`super::further`]) reach only the first
//! [`SEEING`] neurons. A squared clipped rectifier (SCReLU), a weighted sum (one for each range of the number of
//! pieces) and a scale turn its outputs into centipawns. Weights are integers: [`QA`] and [`QB`] represent 1.0 in the first and second layer.
//!
//! The file, little endian: magic (8 bytes); version, inputs, hidden neurons, output buckets and
//! scale (4 bytes each); as 16-bit numbers, the first layer's weights input by input and its
//! biases; as bytes, the seeing neurons' weights of further inputs; as 16-bit numbers, the second layer's weights bucket by
//! bucket, own half first; as 32-bit numbers, its biases; finally the CRC-32 of everything before it. A file with [`BOARD_INPUTS`]
//! inputs is of a network without king buckets; one with fewer than [`HIDDEN`] neurons lacks the last ones. In version 4 the further inputs are of
//! attacked pieces alone. In version 3
//! only threatened pieces have further inputs, by the attacker: those that a lesser one attacks, or that are attacked and not
//! defended. Before it no pieces have; in version 1 the second layer's numbers are in quarters of today's precision.

use super::attacked::{ATTACKED_INPUTS, ATTACKERS, threatened_input};
use super::features::{BOARD_INPUTS, INPUTS, MAX_PIECES};
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
/// The version that knows attacked pieces, but not how the pawns stand nor how far pieces can go.
const ATTACKED: u32 = 4;
/// The version whose inputs of attacked pieces are those of threatened pieces.
const THREATENED: u32 = 3;
/// Its inputs of attacked pieces.
const THREATENED_INPUTS: usize = ATTACKERS * BOARD_INPUTS;
/// The version that knows no attacked pieces.
const UNSEEING: u32 = 2;
/// The version before, whose second layer has a quarter of today's precision.
const COARSE: u32 = 1;
/// Factor that refines the numbers of a coarse second layer.
const REFINED: i16 = 4;
/// The size of the file in bytes.
pub(super) const FILE_SIZE: usize = Shape::OWN.file_size();

/// The largest number in a row of a further input.
pub const MAX_FURTHER_WEIGHT: i8 = i8::MAX;
/// The largest other first-layer number for which no sum of a bias and the rows of all pieces overflows 16 bits.
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
    /// Parses a network file. One without king buckets becomes one whose buckets are alike, one that knows less of attacked pieces one
    /// that says the same, and one with fewer neurons one whose others are always zero.
    ///
    /// # Errors
    /// [`NetworkError`] when the bytes are not a network of this version and shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let mut reader = Reader(bytes);
        if reader.take::<8>() != Some(*MAGIC) {
            return Err(NetworkError::Magic);
        }
        let size =
            |shape: Shape| NetworkError::Size { found: bytes.len(), wanted: shape.file_size() };
        let header: Option<Vec<u32>> = (0..4).map(|_| reader.u32()).collect();
        let header = header.ok_or_else(|| size(Shape::OWN))?;
        let Some(shape) = Shape::of(&header) else {
            return Err(NetworkError::Shape {
                found: describe(&header),
                wanted: describe(&Shape::OWN.header()),
            });
        };
        if bytes.len() != shape.file_size() {
            return Err(size(shape));
        }
        let (content, checksum) = bytes.split_at(bytes.len() - 4);
        if crc32fast::hash(content).to_le_bytes() != checksum {
            return Err(NetworkError::Checksum);
        }
        let network = reader.network(shape).ok_or_else(|| size(shape))?;
        if network.is_in_range() { Ok(network) } else { Err(NetworkError::Range) }
    }

    /// Serialises the network into a file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in Shape::OWN.header() {
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

/// The differences between the networks that this engine can use.
#[derive(Copy, Clone)]
struct Shape {
    version: u32,
    inputs: usize,
    hidden: usize,
}

impl Shape {
    /// The shape of the networks that it makes.
    const OWN: Self = Self { version: VERSION, inputs: INPUTS, hidden: HIDDEN };

    /// The shape of a network whose file begins like this, after the magic.
    fn of(header: &[u32]) -> Option<Self> {
        let &[version, inputs, hidden, _] = header else { return None };
        let shape = Self { version, inputs: inputs as usize, hidden: hidden as usize };
        let is_known = [VERSION, ATTACKED, THREATENED, UNSEEING, COARSE].contains(&version)
            && [INPUTS, BOARD_INPUTS].contains(&shape.inputs)
            && (1..=HIDDEN).contains(&shape.hidden)
            && header == shape.header();
        is_known.then_some(shape)
    }

    /// The version, inputs, hidden neurons and buckets.
    fn header(self) -> [u32; 4] {
        [self.version, self.inputs as u32, self.hidden as u32, BUCKETS as u32]
    }

    /// The further inputs.
    const fn further(self) -> usize {
        match self.version {
            VERSION => FURTHER_INPUTS,
            ATTACKED => ATTACKED_INPUTS,
            THREATENED => THREATENED_INPUTS,
            _ => 0,
        }
    }

    /// The size of the file in bytes.
    const fn file_size(self) -> usize {
        let rows = self.inputs + 1 + 2 * BUCKETS;
        8 + 5 * 4 + 2 * self.hidden * rows + self.further() * SEEING + 4 * BUCKETS + 4
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

    /// Reads the weights of the first `hidden` neurons; the others' are zero.
    fn row(&mut self, hidden: usize) -> Option<Row> {
        let mut row = Row::default();
        for weight in &mut row.0[..hidden] {
            *weight = i16::from_le_bytes(self.take()?);
        }
        Some(row)
    }

    /// Reads the scale and all the weights of a network.
    fn network(&mut self, shape: Shape) -> Option<Network> {
        let Shape { version, inputs, hidden } = shape;
        let factor = if version == COARSE { REFINED } else { 1 };
        let scale = self.i32()?;
        let features = (0..inputs).map(|_| self.row(hidden)).collect::<Option<Vec<_>>>()?;
        let features = features.iter().cycle().take(INPUTS).cloned().collect();
        let bias = self.row(hidden)?;
        let further = (0..shape.further())
            .map(|_| Some(FurtherRow(self.take()?.map(|byte| i8::from_le_bytes([byte])))))
            .collect::<Option<Box<[_]>>>()?;
        let further = extended(&further, version);
        let mut outputs: [Output; BUCKETS] = Default::default();
        for output in &mut outputs {
            output.weights = [self.row(hidden)?, self.row(hidden)?];
            let weights = output.weights.iter_mut().flat_map(|row| &mut row.0);
            // A weight that is too large is found out of range.
            weights.for_each(|weight| *weight = weight.saturating_mul(factor));
        }
        for output in &mut outputs {
            output.bias = self.i32()?.saturating_mul(factor.into());
        }
        Some(Network { features, bias, further, outputs, scale, simd: Simd::best() })
    }
}

/// The rows that say the same as those of a network of this version. An earlier one has rows for some of the further inputs alone, or for
/// none.
fn extended(rows: &[FurtherRow], version: u32) -> Box<[FurtherRow]> {
    let before = |input| match version {
        VERSION | ATTACKED => Some(input),
        _ => threatened_input(input),
    };
    let row = |input| before(input).and_then(|before: usize| rows.get(before).cloned());
    (0..FURTHER_INPUTS).map(|input| row(input).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::attacked;
    use crate::eval::nnue::features::Perspective;
    use crate::eval::tests::random_positions;
    use crate::position::{ByColor, Color, Square, Threats};

    /// A network in which every number differs from its neighbours.
    fn network() -> Network {
        let mut next = 0;
        let mut number = || {
            next = (next * 31 + 17) % 101;
            next as i8 - 50
        };
        let further =
            (0..FURTHER_INPUTS).map(|_| FurtherRow(std::array::from_fn(|_| number()))).collect();
        let mut row = || Row(std::array::from_fn(|_| number().into()));
        let features = (0..INPUTS).map(|_| row()).collect();
        let bias = row();
        let outputs =
            std::array::from_fn(|i| Output { weights: [row(), row()], bias: i as i32 * 1000 });
        Network { features, bias, further, outputs, scale: 400, simd: Simd::best() }
    }

    #[test]
    fn what_is_written_is_read() {
        let network = network();
        let bytes = network.to_bytes();
        assert_eq!(bytes.len(), FILE_SIZE);
        assert_eq!(Network::from_bytes(&bytes), Ok(network));
    }

    #[test]
    fn buckets_of_a_network_without_king_buckets_are_alike() {
        let mut network = network();
        let board = network.features[..BOARD_INPUTS].to_vec();
        network.features = board.iter().cycle().take(INPUTS).cloned().collect();
        let bytes = network.to_bytes();
        let (start, one) = (8 + 5 * 4, 2 * HIDDEN * BOARD_INPUTS);
        let rest = start + one * (INPUTS / BOARD_INPUTS);
        let mut short = [&bytes[..start + one], &bytes[rest..bytes.len() - 4]].concat();
        short[12..16].copy_from_slice(&(BOARD_INPUTS as u32).to_le_bytes());
        short.extend(crc32fast::hash(&short).to_le_bytes());
        assert_eq!(Network::from_bytes(&short), Ok(network));
        short.pop();
        let wanted = short.len() + 1;
        let error = NetworkError::Size { found: wanted - 1, wanted };
        assert_eq!(Network::from_bytes(&short), Err(error));
    }

    /// The file of `network` as `version` has it, with the rows of its first `further` inputs only, without the checksum.
    fn older(network: &Network, version: u32, further: usize) -> Vec<u8> {
        let bytes = network.to_bytes();
        let first = 8 + 5 * 4 + 2 * HIDDEN * (INPUTS + 1);
        let [kept, rest] = [further, FURTHER_INPUTS].map(|inputs| first + SEEING * inputs);
        let mut bytes = [&bytes[..kept], &bytes[rest..bytes.len() - 4]].concat();
        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        bytes
    }

    /// The network that a file without its checksum is read as.
    fn read(mut bytes: Vec<u8>) -> Network {
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Network::from_bytes(&bytes).unwrap()
    }

    #[test]
    fn a_network_of_threatened_pieces_sees_them_among_the_attacked_ones() {
        let network = network();
        let rows: Vec<FurtherRow> = network.further[..THREATENED_INPUTS].to_vec();
        let network = read(older(&network, THREATENED, THREATENED_INPUTS));
        for position in random_positions(200) {
            let board = position.board();
            let attacks = ByColor::new_with(|color| Threats::new(board, color));
            let mut inputs = Vec::new();
            attacked::each(board, &attacks, |input| inputs.push(input));
            for input in inputs {
                let square = Square::new(u32::from(input) % 64);
                let piece = board.piece_at(square).unwrap();
                let (own, their) = (attacks.get(piece.color), attacks.get(!piece.color));
                let is_threatened =
                    their.by_lesser(piece.role).contains(square) || !own.all.contains(square);
                // By the attacker, and then as pieces on squares.
                let attacker = usize::from(input) / (ATTACKED_INPUTS / ATTACKERS);
                let own = Perspective::new(Color::White, Square::A1);
                let place = own.input(piece.color, piece.role, square) % BOARD_INPUTS;
                let row = rows[attacker * BOARD_INPUTS + place].clone();
                let expected = if is_threatened { row } else { FurtherRow::default() };
                assert_eq!(network.further[usize::from(input)], expected, "{position:?}, {square}");
            }
        }
    }

    #[test]
    fn a_network_of_attacked_pieces_has_zeros_for_pawns_and_mobility() {
        let mut network = network();
        let found = read(older(&network, ATTACKED, ATTACKED_INPUTS));
        network.further[ATTACKED_INPUTS..].fill(FurtherRow::default());
        assert_eq!(found, network);
    }

    #[test]
    fn a_network_without_further_inputs_has_zeros_for_them() {
        let mut network = network();
        let found = read(older(&network, UNSEEING, 0));
        network.further.fill(FurtherRow::default());
        assert_eq!(found, network);
    }

    #[test]
    fn neurons_that_a_narrower_network_lacks_are_zero() {
        let (narrow, start, row) = (HIDDEN - 40, 8 + 5 * 4, 2 * HIDDEN);
        let mut network = network();
        network.further.fill(FurtherRow::default());
        let bytes = older(&network, UNSEEING, 0);
        let (rows, biases) = bytes[start..].split_at(row * (INPUTS + 1 + 2 * BUCKETS));
        let mut short = bytes[..start].to_vec();
        short[16..20].copy_from_slice(&(narrow as u32).to_le_bytes());
        rows.chunks(row).for_each(|row| short.extend(&row[..2 * narrow]));
        short.extend(biases);
        let outputs = network.outputs.iter_mut().flat_map(|output| &mut output.weights);
        for row in network.features.iter_mut().chain([&mut network.bias]).chain(outputs) {
            row.0[narrow..].fill(0);
        }
        assert_eq!(read(short), network);
    }

    #[test]
    fn a_coarse_second_layer_is_refined() {
        let mut network = network();
        network.further.fill(FurtherRow::default());
        // Refined, greater weights would be out of range.
        let outputs = network.outputs.iter_mut().flat_map(|output| &mut output.weights);
        outputs.flat_map(|row| &mut row.0).for_each(|weight| *weight /= 2);
        let found = read(older(&network, COARSE, 0));
        for output in &mut network.outputs {
            let weights = output.weights.iter_mut().flat_map(|row| &mut row.0);
            weights.for_each(|weight| *weight *= REFINED);
            output.bias *= i32::from(REFINED);
        }
        assert_eq!(found, network);
    }

    #[test]
    fn a_wrong_file_is_refused() {
        let bytes = network().to_bytes();
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
            let mut network = network();
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
