//! What ranks tell each other: units as frames, and what became of them.

use heddle::cli::hands::Frame;

/// What became of a unit, or how a rank is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its result.
    Done(Frame),
    /// The hand died that did it.
    Lost(u64),
    /// No hand could be started for it.
    Unfit(u64),
    /// The rank is there.
    Present,
    /// The rank ends.
    Bye,
}

const DONE: u8 = 0;
const LOST: u8 = 1;
const UNFIT: u8 = 2;
const PRESENT: u8 = 3;
const BYE: u8 = 4;

impl Outcome {
    /// As it is sent: a byte for its kind, and the frame.
    pub fn to_bytes(&self) -> Vec<u8> {
        let of_id = |id: u64| frame_bytes(&Frame { id, bytes: Vec::new() });
        let (kind, frame) = match self {
            Self::Done(frame) => (DONE, frame_bytes(frame)),
            Self::Lost(id) => (LOST, of_id(*id)),
            Self::Unfit(id) => (UNFIT, of_id(*id)),
            Self::Present => (PRESENT, of_id(0)),
            Self::Bye => (BYE, of_id(0)),
        };
        [vec![kind], frame].concat()
    }

    /// Reads what was sent.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (kind, frame) = bytes.split_first()?;
        let frame = unit(frame)?;
        match *kind {
            DONE => Some(Self::Done(frame)),
            LOST => Some(Self::Lost(frame.id)),
            UNFIT => Some(Self::Unfit(frame.id)),
            PRESENT => Some(Self::Present),
            BYE => Some(Self::Bye),
            _ => None,
        }
    }
}

/// A frame as it is sent.
pub fn frame_bytes(Frame { id, bytes }: &Frame) -> Vec<u8> {
    [&id.to_le_bytes()[..], bytes].concat()
}

/// The frame of a message.
pub fn unit(message: &[u8]) -> Option<Frame> {
    let (id, bytes) = message.split_first_chunk()?;
    Some(Frame { id: u64::from_le_bytes(*id), bytes: bytes.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_understood() {
        let frame = Frame { id: 1 << 40, bytes: vec![0, 1, 2] };
        for outcome in [
            Outcome::Done(frame),
            Outcome::Lost(7),
            Outcome::Unfit(8),
            Outcome::Present,
            Outcome::Bye,
        ] {
            assert_eq!(Outcome::read(&outcome.to_bytes()), Some(outcome));
        }
        assert_eq!(Outcome::read(&[]), None);
        assert_eq!(Outcome::read(&[9; 9]), None);
        assert_eq!(Outcome::read(&[DONE; 4]), None);
    }
}
