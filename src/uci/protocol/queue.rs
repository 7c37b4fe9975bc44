//! The commands that wait until the engine is idle.

use std::collections::VecDeque;

use crate::uci::command::Queued;

/// The cost of a waiting command beside its text, in bytes, for the bound alone.
const OVERHEAD: usize = 256;

/// Commands in the order in which they came, of a bounded size altogether.
#[derive(Default)]
pub struct CommandQueue {
    commands: VecDeque<(Queued, usize)>,
    size: usize,
}

impl CommandQueue {
    /// The most that may wait, in bytes of text and overhead: thousands of commands. A single one
    /// is taken whatever its size.
    pub const ROOM: usize = 4 << 20;

    /// Adds a command that was written in `length` bytes; false if there is no room for it.
    #[must_use]
    pub fn push(&mut self, command: Queued, length: usize) -> bool {
        let size = length + OVERHEAD;
        if self.size > 0 && self.size + size > Self::ROOM {
            return false;
        }
        self.size += size;
        self.commands.push_back((command, size));
        true
    }

    /// The command that has waited longest.
    pub fn pop(&mut self) -> Option<Queued> {
        let (command, size) = self.commands.pop_front()?;
        self.size -= size;
        Some(command)
    }

    /// Nothing waits.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Forgets what waits.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_in_order_and_make_room() {
        let mut queue = CommandQueue::default();
        assert!(queue.push(Queued::Perft(1), 3 * CommandQueue::ROOM), "one of any size");
        assert!(!queue.push(Queued::Perft(2), 7), "full");
        assert_eq!(queue.pop(), Some(Queued::Perft(1)));
        let mut count = 0;
        while queue.push(Queued::Perft(count), 7) {
            count += 1;
        }
        assert!(count > 1000, "{count}");
        assert!((0..count).all(|depth| queue.pop() == Some(Queued::Perft(depth))));
        assert!(queue.is_empty() && queue.push(Queued::Eval, CommandQueue::ROOM / 2));
    }
}
