//! A batch goes from a worker to the carrier whole, once, and without either waiting.

use heddle::sync::{Arc, AtomicU64, Ordering, thread};
use heddle::tt::Packet;
use heddle_exchange::Outbox;
use loom_tests::{Bound, explore};

/// The shipped outbox and its mutants, with room for two packets.
trait Box: Send + Sync + 'static {
    fn new() -> Self;
    fn put(&self, packets: &[Packet]) -> bool;
    fn take(&self, each: &mut dyn FnMut(Packet));
}

impl Box for Outbox {
    fn new() -> Self {
        Self::new(2)
    }
    fn put(&self, packets: &[Packet]) -> bool {
        Self::put(self, packets)
    }
    fn take(&self, each: &mut dyn FnMut(Packet)) {
        Self::take(self, each);
    }
}

/// Packet `number` of a worker; the key determines the word.
fn packet(number: u64) -> Packet {
    Packet { key: number, word: !number }
}

/// The worker offers two batches of one and two packets, the second one only if the first has been
/// taken by then; the carrier looks twice meanwhile and once at the end.
fn two_batches<B: Box>() {
    let outbox = Arc::new(B::new());
    let sender = Arc::clone(&outbox);
    let worker = thread::spawn(move || {
        assert!(sender.put(&[packet(1)]), "refused while empty");
        sender.put(&[packet(2), packet(3)]);
    });
    let mut taken = Vec::new();
    for _ in 0..2 {
        outbox.take(&mut |packet| taken.push(packet));
    }
    worker.join().unwrap();
    outbox.take(&mut |packet| taken.push(packet));
    for (index, found) in taken.iter().enumerate() {
        assert_eq!(found.word, !found.key, "torn");
        assert_eq!(found.key, index as u64 + 1, "lost or taken twice");
    }
    assert!([1, 3].contains(&taken.len()), "lost or taken twice");
}

#[test]
fn two_batches_arrive_whole_and_once() {
    explore("outbox: 1 worker, 1 carrier", Bound::Preemptions(3), two_batches::<Outbox>);
}

/// A worker that is refused keeps what it has, and succeeds once the carrier has been there.
#[test]
fn an_emptied_outbox_takes_the_next_batch() {
    explore("outbox: emptied and filled again", Bound::Exhaustive, || {
        let outbox = Arc::new(Outbox::new(2));
        assert!(outbox.put(&[packet(1)]));
        let emptied = Arc::clone(&outbox);
        let carrier = thread::spawn(move || emptied.take(|found| assert_eq!(found, packet(1))));
        let is_early = outbox.put(&[packet(2)]);
        carrier.join().unwrap();
        assert!(is_early || outbox.put(&[packet(2)]), "refused while empty");
        let mut taken = Vec::new();
        outbox.take(|packet| taken.push(packet));
        assert_eq!(taken, [packet(2)]);
    });
}

/// The words of an outbox, for mutants to misuse.
#[derive(Default)]
struct Words {
    count: AtomicU64,
    slots: [(AtomicU64, AtomicU64); 2],
}

/// How a mutant differs from the shipped outbox.
///
/// That the worker sees the outbox emptied only once its packets have been read needs the other
/// acquire and release. Without them a load could see a store that comes later, which loom never
/// tries.
trait Weakening: Default + Send + Sync + 'static {
    const SEEN_BY_CARRIER: Ordering = Ordering::Acquire;
    const PUBLISHED: Ordering = Ordering::Release;
    const EMPTIED_FIRST: bool = false;
    const COUNTED_FIRST: bool = false;
    const UNCHECKED: bool = false;
    const KEPT: bool = false;
}

#[derive(Default)]
struct Mutant<W>(Words, W);

impl<W: Weakening> Box for Mutant<W> {
    fn new() -> Self {
        Self::default()
    }

    fn put(&self, packets: &[Packet]) -> bool {
        let Words { count, slots } = &self.0;
        if count.load(Ordering::Acquire) != 0 && !W::UNCHECKED {
            return false;
        }
        if W::COUNTED_FIRST {
            count.store(packets.len() as u64, W::PUBLISHED);
        }
        for ((key, word), packet) in slots.iter().zip(packets) {
            key.store(packet.key, Ordering::Relaxed);
            word.store(packet.word, Ordering::Relaxed);
        }
        count.store(packets.len() as u64, W::PUBLISHED);
        true
    }

    fn take(&self, each: &mut dyn FnMut(Packet)) {
        let Words { count, slots } = &self.0;
        let packets = count.load(W::SEEN_BY_CARRIER);
        if packets == 0 {
            return;
        }
        if W::EMPTIED_FIRST {
            count.store(0, Ordering::Release);
        }
        for (key, word) in slots.iter().take(packets as usize) {
            each(Packet { key: key.load(Ordering::Relaxed), word: word.load(Ordering::Relaxed) });
        }
        if !W::KEPT {
            count.store(0, Ordering::Release);
        }
    }
}

/// The copy itself: what the mutants break, it keeps.
#[derive(Default)]
struct Unchanged;
impl Weakening for Unchanged {}

#[test]
fn the_copy_that_mutants_change_is_sound() {
    explore("outbox copy", Bound::Preemptions(3), two_batches::<Mutant<Unchanged>>);
}

/// A mutant and the property that it must break.
macro_rules! mutant {
    ($test:ident, $name:literal, $broken:literal, $weakening:ident { $($change:item)* }) => {
        #[derive(Default)]
        struct $weakening;
        impl Weakening for $weakening { $($change)* }

        #[test]
        #[should_panic(expected = $broken)]
        fn $test() {
            explore(
                concat!("outbox mutant: ", $name),
                Bound::Preemptions(3),
                two_batches::<Mutant<$weakening>>,
            );
        }
    };
}

mutant!(mutant_that_publishes_nothing, "filled relaxed", "torn", FilledRelaxed {
    const PUBLISHED: Ordering = Ordering::Relaxed;
});
mutant!(mutant_that_acquires_nothing, "taken relaxed", "torn", TakenRelaxed {
    const SEEN_BY_CARRIER: Ordering = Ordering::Relaxed;
});
mutant!(mutant_emptied_before_it_is_read, "emptied first", "torn", EmptiedFirst {
    const EMPTIED_FIRST: bool = true;
});
mutant!(mutant_counted_before_it_is_filled, "counted first", "torn", CountedFirst {
    const COUNTED_FIRST: bool = true;
});
mutant!(mutant_that_writes_over_what_waits, "filled unchecked", "lost or taken twice", Unchecked {
    const UNCHECKED: bool = true;
});
mutant!(mutant_that_is_never_emptied, "not emptied", "lost or taken twice", Kept {
    const KEPT: bool = true;
});
