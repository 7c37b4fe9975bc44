//! Threads that search allocate almost nothing, so it does not matter that some allocators have one
//! lock for all. The releases for Linux have such a one, musl's, and with the GNU C library all
//! threads share an arena.
#![expect(unsafe_code, reason = "the allocator is counted")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use heddle::engine::{Engine, Settings};
use heddle::position::Game;
use heddle::time::limits::Limits;

/// The system's allocator, counted.
struct Counting(AtomicU64);

#[global_allocator]
static ALLOCATOR: Counting = Counting(AtomicU64::new(0));

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.0.fetch_add(1, Relaxed);
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.0.fetch_add(1, Relaxed);
        // SAFETY: the caller's.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Nodes to one call of the allocator, at least.
const LEAST: u64 = 100;

#[test]
fn a_search_hardly_ever_allocates() {
    for threads in [1, 4] {
        let mut engine = Engine::new(threads, 16).unwrap();
        let limits = Limits { nodes: Some(200_000), ..Limits::default() };
        let before = ALLOCATOR.0.load(Relaxed);
        engine.start(&Game::default(), &limits, &Settings::default(), |_| ());
        let _ = engine.result();
        let calls = ALLOCATOR.0.load(Relaxed) - before;
        let nodes = engine.nodes();
        println!("{threads} threads: {nodes} nodes, {calls} calls of the allocator");
        assert!(calls * LEAST < nodes, "{threads} threads: {calls} calls in {nodes} nodes");
    }
}
