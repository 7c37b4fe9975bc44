//! A queue with one receiver, which can wait until a deadline.
//!
//! A mutex, a deque and two condition variables: small enough for loom to explore every race
//! between senders, the receiver and its deadline. A few hundred messages arrive per second at
//! most, so a lock-free queue would gain nothing.
//!
//! There are two ways to send. [`Mailbox::send`] never blocks and is never refused: it is for
//! senders that send little and must not be held up. [`Mailbox::send_in_turn`] blocks while the
//! mailbox is full: it is for senders that may produce more than the receiver can take.

use std::collections::VecDeque;

use crate::sync::{Condvar, Instant, Mutex};

/// A queue that any thread may send to and one thread receives from, first in, first out.
#[derive(Debug)]
pub struct Mailbox<T> {
    queue: Mutex<Queue<T>>,
    filled: Condvar,
    /// Signalled when there is room again or the mailbox is closed.
    emptied: Condvar,
    room: usize,
}

#[derive(Debug)]
struct Queue<T> {
    messages: VecDeque<(T, usize)>,
    /// Sum of the messages' sizes.
    size: usize,
    is_closed: bool,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self::with_room(usize::MAX)
    }
}

impl<T> Mailbox<T> {
    /// A mailbox that holds messages of at most `room` in total, in the unit of the `size` given to
    /// [`Mailbox::send_in_turn`].
    pub fn with_room(room: usize) -> Self {
        let queue = Queue { messages: VecDeque::new(), size: 0, is_closed: false };
        Self {
            queue: Mutex::new(queue),
            filled: Condvar::default(),
            emptied: Condvar::default(),
            room,
        }
    }

    /// Adds a message that takes no room. Never blocks.
    pub fn send(&self, message: T) {
        self.queue.lock().messages.push_back((message, 0));
        self.filled.notify_one();
    }

    /// Adds a message that takes `size` of the room. Blocks until there is that much, or until the
    /// mailbox is empty, which makes room for a message of any size. If the mailbox is closed,
    /// returns false and drops the message.
    pub fn send_in_turn(&self, message: T, size: usize) -> bool {
        let mut queue = self.queue.lock();
        while !queue.is_closed && queue.size > 0 && queue.size.saturating_add(size) > self.room {
            queue = self.emptied.wait(queue);
        }
        if queue.is_closed {
            return false;
        }
        queue.size += size;
        queue.messages.push_back((message, size));
        drop(queue);
        self.filled.notify_one();
        true
    }

    /// Removes the oldest message. Blocks until there is one or until `deadline`, if any; `None` if
    /// the deadline has passed and the queue is still empty.
    pub fn receive(&self, deadline: Option<Instant>) -> Option<T> {
        let mut queue = self.queue.lock();
        let mut expired = false;
        loop {
            if let Some((message, size)) = queue.messages.pop_front() {
                queue.size -= size;
                drop(queue);
                if size > 0 {
                    self.emptied.notify_all();
                }
                return Some(message);
            }
            if expired {
                return None;
            }
            match deadline {
                Some(deadline) => (queue, expired) = self.filled.wait_until(queue, deadline),
                None => queue = self.filled.wait(queue),
            }
        }
    }

    /// Closes the mailbox: nobody will receive again, and no sender blocks from now on.
    pub fn close(&self) {
        self.queue.lock().is_closed = true;
        self.emptied.notify_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::sync::thread;

    #[test]
    fn messages_come_in_the_order_of_sending() {
        let mailbox = Mailbox::default();
        for message in 0..5 {
            mailbox.send(message);
        }
        let received: Vec<_> = (0..5).map(|_| mailbox.receive(None)).collect();
        assert_eq!(received, [Some(0), Some(1), Some(2), Some(3), Some(4)]);
    }

    #[test]
    fn an_empty_mailbox_waits_for_its_deadline_and_no_longer() {
        let mailbox = Mailbox::<u8>::default();
        let deadline = Instant::now() + Duration::from_millis(20);
        assert_eq!(mailbox.receive(Some(deadline)), None);
        assert!(Instant::now() >= deadline);
    }

    #[test]
    fn a_message_is_received_even_after_the_deadline() {
        let mailbox = Mailbox::default();
        mailbox.send(1);
        assert_eq!(mailbox.receive(Some(Instant::now())), Some(1));
        assert_eq!(mailbox.receive(Some(Instant::now())), None);
    }

    #[test]
    fn every_message_of_every_sender_arrives_once() {
        const SENDERS: usize = 4;
        const EACH: usize = 1000;
        for room in [usize::MAX, 7] {
            let mailbox = Mailbox::with_room(room);
            thread::scope(|scope| {
                let mailbox = &mailbox;
                let senders: [_; SENDERS] = std::array::from_fn(|sender| {
                    scope.spawn(move || (0..EACH).all(|i| mailbox.send_in_turn((sender, i), 2)))
                });
                let mut next = [0; SENDERS];
                for _ in 0..SENDERS * EACH {
                    let (sender, i) = mailbox.receive(None).unwrap();
                    assert_eq!(i, next[sender]);
                    next[sender] += 1;
                }
                // Joined one by one, for ThreadSanitizer cannot see how the scope waits for them.
                senders.into_iter().for_each(|sender| assert!(sender.join().unwrap()));
            });
            assert_eq!(mailbox.receive(Some(Instant::now())), None);
        }
    }

    #[test]
    fn a_full_mailbox_holds_up_only_those_who_take_room() {
        let mailbox = Mailbox::with_room(10);
        assert!(mailbox.send_in_turn(0, 1000), "an empty mailbox has room for anything");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| mailbox.send_in_turn(1, 1));
            (2..100).for_each(|message| mailbox.send(message));
            assert!(!waiting.is_finished(), "there is no room yet");
            let mut received: Vec<_> = (0..100).filter_map(|_| mailbox.receive(None)).collect();
            received.sort_unstable();
            assert_eq!(received, (0..100).collect::<Vec<_>>());
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn closing_lets_go_of_those_who_wait() {
        let mailbox = Mailbox::with_room(1);
        assert!(mailbox.send_in_turn((), 1));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| mailbox.send_in_turn((), 1));
            mailbox.close();
            assert!(!waiting.join().unwrap());
        });
        assert!(!mailbox.send_in_turn((), 0));
    }
}
