//! Starting threads, with errors instead of panics.

use std::io;

use crate::memory::{HEADROOM, check_headroom};
use crate::sync::thread::{Builder, JoinHandle};

/// Stack size in bytes of a thread that does not search.
pub const SMALL_STACK: usize = 2 << 20;

/// Starts a thread with a stack of `stack` bytes.
///
/// The standard library panics in a new thread if it cannot allocate a signal stack for it, and
/// nobody can catch that panic. So this checks that there is more memory than the stack alone
/// needs.
///
/// # Errors
/// The error from the system when it refuses the thread or its memory.
pub fn spawn(
    name: String,
    stack: usize,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    check_headroom(stack.saturating_add(HEADROOM))?;
    Builder::new().name(name).stack_size(stack).spawn(body)
}
