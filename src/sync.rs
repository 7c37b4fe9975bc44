//! The only module that names a synchronisation primitive.
//!
//! A normal build re-exports `std` and `parking_lot`; `--cfg loom` replaces them with loom's mocks.
//! Every other module imports from here, so loom explores the code that ships. Locks are never
//! poisoned: a shipped build aborts on a panic, and where panics unwind, every lock holder keeps
//! its state consistent at each step.
//!
//! [`Arc`] and `Instant` are `std`'s in both builds: no model is about reference counts, and loom's
//! `Arc` can neither be collected into a slice nor hold a closure. So is `AtomicI32`, which keeps
//! the search's margins: they change only while nobody searches.

pub use std::sync::Arc;
pub use std::sync::atomic::AtomicI32;
pub use std::time::Instant;

#[cfg(not(loom))]
mod imp {
    pub use std::sync::atomic::{AtomicBool, AtomicI16, AtomicU16, AtomicU64, Ordering};
    pub use std::thread;

    pub use parking_lot::{Mutex, MutexGuard};

    use super::Instant;

    /// A condition variable: `parking_lot`'s, but the guard is passed by value, as in loom.
    #[derive(Debug, Default)]
    pub struct Condvar(parking_lot::Condvar);

    impl Condvar {
        /// Releases the lock, sleeps until notified, and takes the lock again. May wake early.
        pub fn wait<'a, T>(&self, mut guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
            self.0.wait(&mut guard);
            guard
        }

        /// Like [`Condvar::wait`], but at most until `deadline`; true if that has passed.
        pub fn wait_until<'a, T>(
            &self,
            mut guard: MutexGuard<'a, T>,
            deadline: Instant,
        ) -> (MutexGuard<'a, T>, bool) {
            let result = self.0.wait_until(&mut guard, deadline);
            (guard, result.timed_out())
        }

        /// Wakes one waiting thread.
        pub fn notify_one(&self) {
            self.0.notify_one();
        }

        /// Wakes every waiting thread.
        pub fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}

#[cfg(loom)]
mod imp {
    use std::ops::{Deref, DerefMut};
    use std::sync::PoisonError;

    pub use loom::sync::atomic::Ordering;

    use super::Instant;

    /// Loom's atomics, with each load announced by a store to a second atomic.
    ///
    /// Loom tries another order of two accesses only if it considers them dependent. Two loads are
    /// not, and of every object loom remembers only the last access. So a thread that loads and
    /// then stores hides, by its own load, an earlier load of another thread, and the order in
    /// which that load comes after the store is never tried (tokio-rs/loom#166 and #392). Stores
    /// are dependent: with the announcements tried in every order, the loads are too. The
    /// announcements are relaxed and order nothing else.
    macro_rules! announced {
        ($atomic:ident, $value:ty) => {
            /// Loom's atomic, with its loads announced.
            #[derive(Debug, Default)]
            pub struct $atomic {
                value: loom::sync::atomic::$atomic,
                announced: loom::sync::atomic::AtomicBool,
            }

            impl $atomic {
                /// An atomic that holds `value`.
                pub fn new(value: $value) -> Self {
                    Self {
                        value: loom::sync::atomic::$atomic::new(value),
                        announced: loom::sync::atomic::AtomicBool::default(),
                    }
                }

                /// Loads the value.
                #[track_caller]
                pub fn load(&self, order: Ordering) -> $value {
                    self.announced.store(true, Ordering::Relaxed);
                    self.value.load(order)
                }

                /// Stores a value.
                #[track_caller]
                pub fn store(&self, value: $value, order: Ordering) {
                    self.value.store(value, order);
                }
            }
        };
    }

    announced!(AtomicBool, bool);
    announced!(AtomicI16, i16);
    announced!(AtomicU16, u16);
    announced!(AtomicU64, u64);

    impl AtomicU64 {
        /// Adds to the value and returns the previous one.
        #[track_caller]
        pub fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
            self.announced.store(true, Ordering::Relaxed);
            self.value.fetch_add(value, order)
        }
    }

    /// Loom's threads, plus what loom lacks from `std`, which no model runs.
    pub mod thread {
        pub use std::thread::available_parallelism;

        pub use loom::thread::*;
    }

    /// Loom's mutex without poisoning.
    #[derive(Debug, Default)]
    pub struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        /// A mutex around `value`.
        pub fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        /// Waits for the lock.
        #[track_caller]
        pub fn lock(&self) -> MutexGuard<'_, T> {
            let guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            MutexGuard { mutex: self, guard }
        }
    }

    /// Loom's guard, and the mutex it belongs to.
    pub struct MutexGuard<'a, T> {
        mutex: &'a Mutex<T>,
        guard: loom::sync::MutexGuard<'a, T>,
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;
        fn deref(&self) -> &T {
            &self.guard
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            &mut self.guard
        }
    }

    /// Loom's condition variable without poisoning, whose first wait ends without a notification.
    ///
    /// A thread may wake for no reason, which loom never tries (tokio-rs/loom#1). One such wake-up
    /// for each condition is enough to find a wait that does not check again what it waits for.
    #[derive(Debug, Default)]
    pub struct Condvar {
        condvar: loom::sync::Condvar,
        /// Not loom's, since it is no part of the model: it is read and written under the
        /// condition's lock.
        has_woken: std::sync::atomic::AtomicBool,
    }

    impl Condvar {
        /// Releases the lock, sleeps until notified, and takes the lock again. The first call does
        /// not sleep.
        #[track_caller]
        pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
            let MutexGuard { mutex, guard } = guard;
            if !self.has_woken.swap(true, Ordering::Relaxed) {
                drop(guard);
                return mutex.lock();
            }
            let guard = self.condvar.wait(guard).unwrap_or_else(PoisonError::into_inner);
            MutexGuard { mutex, guard }
        }

        /// A wait whose deadline always passes, at a moment of loom's choosing.
        ///
        /// Loom has no clock. Any number of steps of other threads may fall between the release of
        /// the lock and the return, which covers everything a deadline can do; a notification
        /// before the deadline is the schedule in which the sender ran in between.
        #[track_caller]
        pub fn wait_until<'a, T>(
            &self,
            guard: MutexGuard<'a, T>,
            _deadline: Instant,
        ) -> (MutexGuard<'a, T>, bool) {
            let mutex = guard.mutex;
            drop(guard);
            (mutex.lock(), true)
        }

        /// Wakes one waiting thread.
        #[track_caller]
        pub fn notify_one(&self) {
            self.condvar.notify_one();
        }

        /// Wakes every waiting thread.
        #[track_caller]
        pub fn notify_all(&self) {
            self.condvar.notify_all();
        }
    }
}

pub use imp::*;
