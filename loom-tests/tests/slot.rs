//! A slot never returns data that was not stored as a whole under the requested key.

use heddle::sync::{Arc, AtomicU64, Ordering::Relaxed, thread};
use heddle::tt::Slot;
use loom_tests::{Bound, explore, join};

// Random words: with regular ones, such as 0xAAAA and 0x1111, the key of one pair is the check of
// another, and the models find the forgeries described at the end of this file.
const A: (u64, u64) = (0x2C1B_61F0_5E07_93A5, 0xD1E8_3B6F_7A90_C24E);
const B: (u64, u64) = (0x97F4_0A3D_C8B2_16E9, 0x6053_F9C7_1D2E_8AB4);
const C: (u64, u64) = (0x4AD7_8E52_3F19_B06C, 0x3B96_0C1E_E5F7_4D28);

/// The shipped slot and its mutants.
trait Cell: Default + Send + Sync + 'static {
    fn load(&self, key: u64) -> Option<u64>;
    fn store(&self, key: u64, data: u64);
}

impl Cell for Slot {
    fn load(&self, key: u64) -> Option<u64> {
        // No model stores 0.
        Some(self.load_or(key, 0)).filter(|&data| data != 0)
    }
    fn store(&self, key: u64, data: u64) {
        Slot::store(self, key, data);
    }
}

fn write<S: Cell>(slot: &Arc<S>, (key, data): (u64, u64)) -> thread::JoinHandle<()> {
    let slot = Arc::clone(slot);
    thread::spawn(move || slot.store(key, data))
}

fn assert_whole<S: Cell>(slot: &S, pairs: &[(u64, u64)]) {
    for &(key, data) in pairs {
        let read = slot.load(key);
        assert!(read.is_none_or(|read| read == data), "torn: {key:x} with {read:x?}");
    }
}

/// A writer races a reader on a slot that already holds A.
fn one_writer<S: Cell>() {
    let slot = Arc::new(S::default());
    slot.store(A.0, A.1);
    let writer = write(&slot, B);
    assert_whole(&*slot, &[A, B]);
    writer.join().unwrap();
    assert_eq!(slot.load(B.0), Some(B.1), "lost");
}

#[test]
fn one_writer_one_reader() {
    explore("slot: 1 writer, 1 reader", Bound::Exhaustive, one_writer::<Slot>);
}

#[test]
fn two_writers_one_reader() {
    explore("slot: 2 writers, 1 reader", Bound::Exhaustive, || {
        let slot = Arc::new(Slot::default());
        let writers = [A, B].map(|pair| write(&slot, pair));
        assert_whole(&*slot, &[A]);
        join(writers);
        assert_whole(&*slot, &[A, B]);
    });
}

#[test]
fn two_writers_of_the_same_key() {
    explore("slot: 2 writers of one key, 1 reader", Bound::Exhaustive, || {
        let slot = Arc::new(Slot::default());
        let writers = [(7, 100), (7, 200)].map(|pair| write(&slot, pair));
        assert!(matches!(slot.load(7), None | Some(100 | 200)), "torn");
        join(writers);
        assert!(matches!(slot.load(7), None | Some(100 | 200)), "torn");
    });
}

#[test]
fn three_writers_one_reader() {
    explore("slot: 3 writers, 1 reader", Bound::MoreIfLong(2, 3), || {
        let slot = Arc::new(Slot::default());
        let writers = [A, B, C].map(|pair| write(&slot, pair));
        assert_whole(&*slot, &[A]);
        join(writers);
        assert_whole(&*slot, &[A, B, C]);
    });
}

/// A torn slot is not lost for good: the next writer can use it.
#[test]
fn a_torn_slot_can_be_written_again() {
    explore("slot: written again after a race", Bound::Exhaustive, || {
        let slot = Arc::new(Slot::default());
        let writers = [A, B].map(|pair| write(&slot, pair));
        join(writers);
        slot.store(C.0, C.1);
        assert_eq!(slot.load(C.0), Some(C.1), "lost");
        assert_eq!(slot.load(A.0).or(slot.load(B.0)), None, "torn");
    });
}

/// Mutant: the key is stored without XOR.
#[derive(Default)]
struct Unchecked {
    key: AtomicU64,
    data: AtomicU64,
}

impl Cell for Unchecked {
    fn load(&self, key: u64) -> Option<u64> {
        (self.key.load(Relaxed) == key).then(|| self.data.load(Relaxed))
    }
    fn store(&self, key: u64, data: u64) {
        self.key.store(key, Relaxed);
        self.data.store(data, Relaxed);
    }
}

#[test]
#[should_panic(expected = "torn")]
fn mutant_without_the_check() {
    explore("slot mutant: no XOR", Bound::Exhaustive, one_writer::<Unchecked>);
}

/// Mutant: no check, but the key is stored after the data.
#[derive(Default)]
struct KeyLast {
    key: AtomicU64,
    data: AtomicU64,
}

impl Cell for KeyLast {
    fn load(&self, key: u64) -> Option<u64> {
        (self.key.load(Relaxed) == key).then(|| self.data.load(Relaxed))
    }
    fn store(&self, key: u64, data: u64) {
        self.data.store(data, Relaxed);
        self.key.store(key, Relaxed);
    }
}

#[test]
#[should_panic(expected = "torn")]
fn mutant_with_the_key_last() {
    explore("slot mutant: key stored last", Bound::Exhaustive, one_writer::<KeyLast>);
}

/// Mutant: the data returned is not the data that was checked.
#[derive(Default)]
struct ReadTwice {
    check: AtomicU64,
    data: AtomicU64,
}

impl Cell for ReadTwice {
    fn load(&self, key: u64) -> Option<u64> {
        let found = self.check.load(Relaxed) ^ self.data.load(Relaxed);
        (found == key).then(|| self.data.load(Relaxed))
    }
    fn store(&self, key: u64, data: u64) {
        self.check.store(key ^ data, Relaxed);
        self.data.store(data, Relaxed);
    }
}

#[test]
#[should_panic(expected = "torn")]
fn mutant_that_reads_the_data_twice() {
    explore("slot mutant: data read twice", Bound::Exhaustive, one_writer::<ReadTwice>);
}

/// Mutant: the check covers only half of the data.
#[derive(Default)]
struct HalfCheck {
    check: AtomicU64,
    data: AtomicU64,
}

const HALF: u64 = 0xF0F0;

impl Cell for HalfCheck {
    fn load(&self, key: u64) -> Option<u64> {
        let (check, data) = (self.check.load(Relaxed), self.data.load(Relaxed));
        (check ^ (data & HALF) == key).then_some(data)
    }
    fn store(&self, key: u64, data: u64) {
        self.check.store(key ^ (data & HALF), Relaxed);
        self.data.store(data, Relaxed);
    }
}

#[test]
#[should_panic(expected = "torn")]
fn mutant_that_checks_half_of_the_data() {
    explore("slot mutant: half of the data checked", Bound::Exhaustive, || {
        let slot = Arc::new(HalfCheck::default());
        slot.store(7, 0x1010);
        let writer = write(&slot, (7, 0x1011));
        let other = write(&slot, (8, 0x1012));
        assert!(matches!(slot.load(7), None | Some(0x1010 | 0x1011)), "torn");
        writer.join().unwrap();
        other.join().unwrap();
    });
}

/// Mutant: a writer of the same key derives the new check from the old one.
#[derive(Default)]
struct Amended {
    check: AtomicU64,
    data: AtomicU64,
}

impl Amended {
    fn amend(&self, data: u64) {
        let change = self.data.load(Relaxed) ^ data;
        self.check.store(self.check.load(Relaxed) ^ change, Relaxed);
        self.data.store(data, Relaxed);
    }
}

#[test]
#[should_panic(expected = "lost for good")]
fn mutant_that_amends_the_check() {
    explore("slot mutant: check amended", Bound::Exhaustive, || {
        let slot = Arc::new(Amended { check: AtomicU64::new(7 ^ 50), data: AtomicU64::new(50) });
        let writers = [100, 200].map(|data| {
            let slot = Arc::clone(&slot);
            thread::spawn(move || slot.amend(data))
        });
        join(writers);
        slot.amend(300);
        let found = slot.check.load(Relaxed) ^ slot.data.load(Relaxed);
        assert_eq!(found, 7, "lost for good");
    });
}

/// What the check does not promise: the check of A combined with the data of B answers to a third
/// key.
#[test]
#[should_panic(expected = "forged")]
fn a_third_key_can_be_forged() {
    explore("slot: a forged key", Bound::Exhaustive, || {
        let slot = Arc::new(Slot::default());
        slot.store(A.0, A.1);
        let writer = write(&slot, B);
        let forged = A.0 ^ A.1 ^ B.1;
        assert!(slot.load(forged).is_none(), "forged");
        writer.join().unwrap();
    });
}
