//! Threads whose start can fail.

use std::io;

use crate::memory::{HEADROOM, check_headroom};
use crate::sync::thread::{Builder, JoinHandle};

/// Stack of a thread that does not search, in bytes.
pub const SMALL_STACK: usize = 2 << 20;

/// Starts a thread with a stack of `stack` bytes.
///
/// The standard library panics in a new thread for which it cannot allocate a signal stack, and nobody
/// can catch that; so there has to be more memory than the stack alone.
///
/// # Errors
/// What the system says when the thread or its memory is refused.
pub fn spawn(
    name: String,
    stack: usize,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    check_headroom(stack.saturating_add(HEADROOM))?;
    Builder::new().name(name).stack_size(stack).spawn(body)
}
