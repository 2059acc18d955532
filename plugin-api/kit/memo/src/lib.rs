//! Remembers what was derived from a part, within a budget of bytes.
//!
//! An adapter translates each message of a conversation once and finds the translation by the message's part id at every
//! later step. A part id is the hash of the part's content, so an entry is never out of date; it can only be forgotten.
//!
//! ```
//! use std::sync::Arc;
//!
//! let memo = kit_memo::Memo::new(1 << 20, |wire: &Arc<[u8]>| wire.len());
//! let part_id = [7u8; 16];
//! let first = memo.get_or_insert_with(part_id, || Arc::from(&b"{\"role\":\"user\"}"[..]));
//! let again = memo.get_or_insert_with(part_id, || unreachable!("translated once"));
//! assert!(Arc::ptr_eq(&first, &again));
//! ```

mod clock;

use std::{
    fmt,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

use clock::Clock;

/// A map of at most so many bytes, shared by reference among threads.
///
/// `V` is cloned out of it, so it should be cheap to clone: an `Arc<[u8]>`. A look-up takes one lock for the time of a hash
/// look-up and that clone. What is evicted is dropped, and what is missing is made, outside the lock.
///
/// Eviction is second chance (clock): an entry goes when the hand meets it unused since the last time round. That keeps
/// what each step asks for again, at the price of one flag.
pub struct Memo<K, V> {
    clock: Mutex<Clock<K, V>>,
    weigh: fn(&V) -> usize,
}

impl<K: Copy + Eq + Hash, V: Clone> Memo<K, V> {
    /// A memo whose entries together weigh at most `bytes_max`: what `weigh` says of each value, plus what the memo itself
    /// needs to keep it. A single value over the budget is not kept.
    pub fn new(bytes_max: usize, weigh: fn(&V) -> usize) -> Self {
        Self { clock: Mutex::new(Clock::new(bytes_max)), weigh }
    }

    /// The value kept for `key`, which counts as a use of it.
    pub fn get(&self, key: &K) -> Option<V> {
        self.lock().get(key).cloned()
    }

    /// Keeps `value` for `key`, in place of what was kept before.
    pub fn insert(&self, key: K, value: V) {
        let bytes = (self.weigh)(&value);
        let evicted = self.lock().insert(key, value, bytes);
        drop(evicted);
    }

    /// The value kept for `key`, or else the one that `make` makes, which is then kept.
    ///
    /// `make` runs without the lock: two threads that miss at the same time both make one, and both get the one kept first.
    pub fn get_or_insert_with(&self, key: K, make: impl FnOnce() -> V) -> V {
        if let Some(value) = self.get(&key) {
            return value;
        }
        let made = make();
        let bytes = (self.weigh)(&made);
        let mut clock = self.lock();
        if let Some(value) = clock.get(&key) {
            return value.clone();
        }
        let evicted = clock.insert(key, made.clone(), bytes);
        drop(clock);
        drop(evicted);
        made
    }

    /// What all entries weigh now; never over the budget.
    pub fn bytes(&self) -> usize {
        self.lock().bytes()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A panic in `V::clone` leaves the map as it was, so a poisoned lock is as good as any.
    fn lock(&self) -> MutexGuard<'_, Clock<K, V>> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash, V: Clone> fmt::Debug for Memo<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo").field("len", &self.len()).field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}
