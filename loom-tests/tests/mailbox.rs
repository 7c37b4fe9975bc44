//! No message is lost or received twice, messages of one sender arrive in order, and a waiting
//! receiver is woken. A mailbox with limited room never holds more than that, and a waiting sender
//! is woken by room or by closing.

use std::collections::VecDeque;

use heddle::smp::mailbox::Mailbox;
use heddle::sync::{Arc, Condvar, Instant, Mutex, thread};
use loom_tests::{Bound, explore, join};

/// Spawns a thread that sends `messages`.
fn send(mailbox: &Arc<Mailbox<u8>>, messages: &'static [u8]) -> thread::JoinHandle<()> {
    let mailbox = Arc::clone(mailbox);
    thread::spawn(move || messages.iter().for_each(|&message| mailbox.send(message)))
}

#[test]
fn two_senders_are_both_heard() {
    explore("mailbox: 2 senders", Bound::Exhaustive, || {
        let mailbox = Arc::new(Mailbox::default());
        let senders = [send(&mailbox, &[1]), send(&mailbox, &[2])];
        let mut received = [mailbox.receive(None), mailbox.receive(None)];
        received.sort_unstable();
        assert_eq!(received, [Some(1), Some(2)]);
        join(senders);
    });
}

#[test]
fn the_order_of_a_sender_is_kept() {
    explore("mailbox: 2 senders of 2 messages", Bound::MoreIfLong(3, 4), || {
        let mailbox = Arc::new(Mailbox::default());
        let senders = [send(&mailbox, &[1, 2]), send(&mailbox, &[11, 12])];
        let received: Vec<_> = (0..4).filter_map(|_| mailbox.receive(None)).collect();
        join(senders);
        let of =
            |sender: u8| received.iter().copied().filter(move |message| message / 10 == sender);
        assert!(of(0).eq([1, 2]) && of(1).eq([11, 12]), "{received:?}");
    });
}

/// Whenever the deadline passes, each message is received exactly once, before or after it.
#[test]
fn a_deadline_loses_nothing() {
    explore("mailbox: 1 deadline, 2 senders", Bound::Exhaustive, || {
        let mailbox = Arc::new(Mailbox::default());
        let senders = [send(&mailbox, &[1]), send(&mailbox, &[2])];
        let deadline = Some(Instant::now());
        let mut received: Vec<_> = (0..2).filter_map(|_| mailbox.receive(deadline)).collect();
        join(senders);
        while let Some(message) = mailbox.receive(deadline) {
            received.push(message);
        }
        received.sort_unstable();
        assert_eq!(received, [1, 2]);
    });
}

#[test]
fn a_deadline_passes_without_a_sender() {
    explore("mailbox: 1 deadline, no sender", Bound::Exhaustive, || {
        assert_eq!(Mailbox::<u8>::default().receive(Some(Instant::now())), None);
    });
}

/// Spawns a thread that sends `messages`, each of size 1, and returns how many were accepted.
fn send_in_turn(mailbox: &Arc<Mailbox<u8>>, messages: &'static [u8]) -> thread::JoinHandle<usize> {
    let mailbox = Arc::clone(mailbox);
    thread::spawn(move || {
        messages.iter().filter(|&&message| mailbox.send_in_turn(message, 1)).count()
    })
}

#[test]
fn a_full_mailbox_loses_nothing() {
    explore("mailbox: room for 1, 2 senders", Bound::Exhaustive, || {
        let mailbox = Arc::new(Mailbox::with_room(1));
        let senders = [send_in_turn(&mailbox, &[1]), send_in_turn(&mailbox, &[2])];
        let mut received = [mailbox.receive(None), mailbox.receive(None)];
        received.sort_unstable();
        assert_eq!(received, [Some(1), Some(2)]);
        senders.into_iter().for_each(|sender| assert_eq!(sender.join().unwrap(), 1));
    });
}

#[test]
fn a_full_mailbox_keeps_the_order_and_holds_nobody_up_who_needs_no_room() {
    explore("mailbox: room for 1, 1 of each kind", Bound::MoreIfLong(3, 4), || {
        let mailbox = Arc::new(Mailbox::with_room(1));
        let waiting = send_in_turn(&mailbox, &[1, 2, 3]);
        let urgent = send(&mailbox, &[11]);
        urgent.join().unwrap(); // before anything is received
        let received: Vec<_> = (0..4).filter_map(|_| mailbox.receive(None)).collect();
        assert_eq!(waiting.join().unwrap(), 3);
        assert!(received.iter().filter(|&&message| message < 10).eq(&[1, 2, 3]), "{received:?}");
        assert!(received.contains(&11), "{received:?}");
    });
}

#[test]
fn closing_wakes_whoever_waits_for_room() {
    explore("mailbox: closed with 2 senders", Bound::Exhaustive, || {
        let mailbox = Arc::new(Mailbox::with_room(1));
        let senders = [send_in_turn(&mailbox, &[1]), send_in_turn(&mailbox, &[2])];
        mailbox.close();
        let taken: usize = senders.into_iter().map(|sender| sender.join().unwrap()).sum();
        let now = Some(Instant::now());
        let received = std::iter::from_fn(|| mailbox.receive(now)).count();
        assert_eq!(received, taken, "every accepted message must be received");
        assert!(taken <= 1, "there was room for only one");
    });
}

/// A sender for whom there is room again is not held up by one that waits for more.
#[test]
fn a_sender_with_room_does_not_wait_for_another() {
    explore("mailbox: room for 2, unequal sizes", Bound::MoreIfLong(3, 4), || {
        let mailbox = Arc::new(Mailbox::with_room(2));
        assert!(mailbox.send_in_turn(1, 1) && mailbox.send_in_turn(2, 1));
        let large = {
            let mailbox = Arc::clone(&mailbox);
            thread::spawn(move || mailbox.send_in_turn(3, 2))
        };
        let small = send_in_turn(&mailbox, &[4]);
        assert_eq!(mailbox.receive(None), Some(1));
        assert_eq!(small.join().unwrap(), 1);
        let mut received: Vec<_> = (0..3).filter_map(|_| mailbox.receive(None)).collect();
        received.sort_unstable();
        assert_eq!(received, [2, 3, 4]);
        assert!(large.join().unwrap());
    });
}

#[test]
fn closing_wakes_all_who_wait() {
    explore("mailbox: closed with 2 waiting", Bound::MoreIfLong(3, 4), || {
        let mailbox = Arc::new(Mailbox::with_room(1));
        assert!(mailbox.send_in_turn(1, 1));
        let senders = [send_in_turn(&mailbox, &[2]), send_in_turn(&mailbox, &[3])];
        mailbox.close();
        senders.into_iter().for_each(|sender| assert_eq!(sender.join().unwrap(), 0));
    });
}

/// One weakening of the mailbox.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Flaw {
    /// No flaw: the miniature itself must pass.
    Sound,
    /// The receiver is woken before the message is queued.
    WakeBeforeChange,
    /// The receiver finds the queue empty and goes to sleep without holding the lock throughout.
    SleepUnlocked,
    /// The receiver is not woken.
    NotWoken,
    /// The message is read but not removed.
    NotRemoved,
    /// The queue is taken out and put back under two separate locks.
    QueuePutBack,
    /// A message is put in front of the waiting ones.
    PutInFront,
}

struct Miniature {
    flaw: Flaw,
    queue: Mutex<VecDeque<u8>>,
    filled: Condvar,
}

impl Miniature {
    fn send(&self, message: u8) {
        if self.flaw == Flaw::WakeBeforeChange {
            self.filled.notify_one();
        }
        match self.flaw {
            Flaw::PutInFront => self.queue.lock().push_front(message),
            _ => self.queue.lock().push_back(message),
        }
        if ![Flaw::WakeBeforeChange, Flaw::NotWoken].contains(&self.flaw) {
            self.filled.notify_one();
        }
    }

    fn receive(&self) -> u8 {
        loop {
            let mut queue = self.queue.lock();
            let front = match self.flaw {
                Flaw::NotRemoved => queue.front().copied(),
                Flaw::QueuePutBack => {
                    let mut taken = std::mem::take(&mut *queue);
                    let front = taken.pop_front();
                    drop(queue);
                    queue = self.queue.lock();
                    *queue = taken;
                    front
                }
                _ => queue.pop_front(),
            };
            if let Some(message) = front {
                return message;
            }
            if self.flaw == Flaw::SleepUnlocked {
                drop(queue);
                queue = self.queue.lock();
            }
            drop(self.filled.wait(queue));
        }
    }
}

fn explore_flaw(name: &'static str, flaw: Flaw) {
    explore(name, Bound::Exhaustive, move || {
        let (queue, filled) = (Mutex::default(), Condvar::default());
        let mailbox = Arc::new(Miniature { flaw, queue, filled });
        let senders = [1, 2].map(|message| {
            let mailbox = Arc::clone(&mailbox);
            thread::spawn(move || mailbox.send(message))
        });
        let mut received = [mailbox.receive(), mailbox.receive()];
        received.sort_unstable();
        join(senders);
        assert_eq!(received, [1, 2], "lost or duplicated");
    });
}

#[test]
#[should_panic(expected = "out of order")]
fn mutant_put_in_front() {
    explore("mailbox mutant: put in front", Bound::Exhaustive, || {
        let (queue, filled) = (Mutex::default(), Condvar::default());
        let mailbox = Arc::new(Miniature { flaw: Flaw::PutInFront, queue, filled });
        let sender = {
            let mailbox = Arc::clone(&mailbox);
            thread::spawn(move || [1, 2].map(|message| mailbox.send(message)))
        };
        let received = [mailbox.receive(), mailbox.receive()];
        sender.join().unwrap();
        assert_eq!(received, [1, 2], "out of order");
    });
}

#[test]
fn the_miniature_is_sound() {
    explore_flaw("mailbox miniature: sound", Flaw::Sound);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_wake_up_before_the_change() {
    explore_flaw("mailbox mutant: wake-up before the change", Flaw::WakeBeforeChange);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_asleep_without_the_lock() {
    explore_flaw("mailbox mutant: asleep without the lock", Flaw::SleepUnlocked);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_not_woken() {
    explore_flaw("mailbox mutant: receiver not woken", Flaw::NotWoken);
}

#[test]
#[should_panic(expected = "lost or duplicated")]
fn mutant_not_removed() {
    explore_flaw("mailbox mutant: not removed", Flaw::NotRemoved);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_queue_put_back() {
    explore_flaw("mailbox mutant: queue put back", Flaw::QueuePutBack);
}

/// One weakening of a mailbox with limited room.
#[derive(Copy, Clone, PartialEq, Eq)]
enum RoomFlaw {
    /// No flaw: the miniature itself must pass.
    Sound,
    /// The sender finds room and fills it without holding the lock throughout.
    FilledUnlocked,
    /// A waiting sender is not woken when there is room.
    NotWoken,
    /// The sender finds no room and goes to sleep without holding the lock throughout.
    SleepUnlocked,
    /// A waiting sender is not woken when the mailbox closes.
    NotWokenAtTheEnd,
    /// Of two waiting senders that may continue, only one is woken.
    OneWokenAtTheEnd,
}

/// A mailbox with room for one message.
struct Narrow {
    flaw: RoomFlaw,
    /// The message, and whether the mailbox is closed.
    state: Mutex<(Vec<u8>, bool)>,
    filled: Condvar,
    emptied: Condvar,
}

impl Narrow {
    fn new(flaw: RoomFlaw) -> Arc<Self> {
        let (filled, emptied) = (Condvar::default(), Condvar::default());
        Arc::new(Self { flaw, state: Mutex::new((Vec::new(), false)), filled, emptied })
    }

    fn send_in_turn(&self, message: u8) -> bool {
        let mut state = self.state.lock();
        while !state.1 && !state.0.is_empty() {
            if self.flaw == RoomFlaw::SleepUnlocked {
                drop(state);
                state = self.state.lock();
            }
            state = self.emptied.wait(state);
        }
        if self.flaw == RoomFlaw::FilledUnlocked {
            drop(state);
            state = self.state.lock();
        }
        if state.1 {
            return false;
        }
        state.0.push(message);
        assert_eq!(state.0.len(), 1, "too many");
        drop(state);
        self.filled.notify_one();
        true
    }

    fn receive(&self) -> u8 {
        let mut state = self.state.lock();
        loop {
            if let Some(message) = state.0.pop() {
                drop(state);
                if self.flaw != RoomFlaw::NotWoken {
                    self.emptied.notify_all();
                }
                return message;
            }
            state = self.filled.wait(state);
        }
    }

    fn close(&self) {
        self.state.lock().1 = true;
        match self.flaw {
            RoomFlaw::NotWokenAtTheEnd => {}
            RoomFlaw::OneWokenAtTheEnd => self.emptied.notify_one(),
            _ => self.emptied.notify_all(),
        }
    }
}

fn send_narrowly(mailbox: &Arc<Narrow>, message: u8) -> thread::JoinHandle<()> {
    let mailbox = Arc::clone(mailbox);
    thread::spawn(move || {
        mailbox.send_in_turn(message);
    })
}

fn explore_room(name: &'static str, flaw: RoomFlaw) {
    explore(name, Bound::Exhaustive, move || {
        let mailbox = Narrow::new(flaw);
        let senders = [1, 2].map(|message| send_narrowly(&mailbox, message));
        let mut received = [mailbox.receive(), mailbox.receive()];
        received.sort_unstable();
        join(senders);
        assert_eq!(received, [1, 2], "lost or duplicated");
    });
}

/// Two senders wait when the mailbox is closed, because a third has filled it.
fn explore_closing(name: &'static str, flaw: RoomFlaw) {
    explore(name, Bound::MoreIfLong(3, 4), move || {
        let mailbox = Narrow::new(flaw);
        mailbox.send_in_turn(0);
        let senders = [1, 2].map(|message| send_narrowly(&mailbox, message));
        mailbox.close();
        join(senders);
    });
}

#[test]
fn the_narrow_miniature_is_sound() {
    explore_room("mailbox miniature: room for 1", RoomFlaw::Sound);
    explore_closing("mailbox miniature: closed", RoomFlaw::Sound);
}

#[test]
#[should_panic(expected = "too many")]
fn mutant_filled_without_the_lock() {
    explore_room("mailbox mutant: filled without the lock", RoomFlaw::FilledUnlocked);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_sender_not_woken() {
    explore_room("mailbox mutant: sender not woken", RoomFlaw::NotWoken);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_sender_asleep_without_the_lock() {
    explore_room("mailbox mutant: sender asleep without the lock", RoomFlaw::SleepUnlocked);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_sender_not_woken_at_the_end() {
    explore_closing("mailbox mutant: sender not woken at the end", RoomFlaw::NotWokenAtTheEnd);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_one_sender_woken_at_the_end() {
    explore_closing("mailbox mutant: one sender woken at the end", RoomFlaw::OneWokenAtTheEnd);
}
