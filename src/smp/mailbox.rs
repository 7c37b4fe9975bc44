//! A queue with one receiver, who can wait until a deadline.
//!
//! A mutex, a deque and a condition variable: small enough that loom can explore every way in which
//! senders, the receiver and its deadline can race. Messages come a few hundred a second at most,
//! so a lock-free queue would gain nothing.

use std::collections::VecDeque;

use crate::sync::{Condvar, Instant, Mutex};

/// A queue that any thread may send to and one thread receives from, first in, first out.
#[derive(Debug)]
pub struct Mailbox<T> {
    queue: Mutex<VecDeque<T>>,
    filled: Condvar,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self { queue: Mutex::new(VecDeque::new()), filled: Condvar::default() }
    }
}

impl<T> Mailbox<T> {
    /// Adds a message; never waits for the receiver.
    pub fn send(&self, message: T) {
        self.queue.lock().push_back(message);
        self.filled.notify_one();
    }

    /// The oldest message. Waits for one, until `deadline` if there is one, else without end;
    /// `None` if the deadline has passed and the queue is still empty.
    pub fn receive(&self, deadline: Option<Instant>) -> Option<T> {
        let mut queue = self.queue.lock();
        let mut expired = false;
        loop {
            if let Some(message) = queue.pop_front() {
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
        let mailbox = Mailbox::default();
        thread::scope(|scope| {
            for sender in 0..SENDERS {
                let mailbox = &mailbox;
                scope.spawn(move || (0..EACH).for_each(|i| mailbox.send((sender, i))));
            }
            let mut next = [0; SENDERS];
            for _ in 0..SENDERS * EACH {
                let (sender, i) = mailbox.receive(None).unwrap();
                assert_eq!(i, next[sender]);
                next[sender] += 1;
            }
        });
        assert_eq!(mailbox.receive(Some(Instant::now())), None);
    }
}
