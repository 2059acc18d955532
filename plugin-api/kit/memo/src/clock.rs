//! The map and the hand that goes round it, on one thread.

use std::{collections::HashMap, hash::Hash, mem};

pub(crate) struct Clock<K, V> {
    /// The dial. A place is empty after an eviction, until the next insertion takes it.
    places: Vec<Option<Entry<K, V>>>,
    empty: Vec<usize>,
    index: HashMap<K, usize>,
    hand: usize,
    bytes: usize,
    bytes_max: usize,
}

struct Entry<K, V> {
    key: K,
    value: V,
    bytes: usize,
    used: bool,
}

impl<K: Copy + Eq + Hash, V> Clock<K, V> {
    /// What an entry costs beside its value. Counting it bounds the number of entries even if their values weigh nothing.
    const ENTRY_BYTES: usize = mem::size_of::<Option<Entry<K, V>>>() + mem::size_of::<(K, usize)>();

    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { places: Vec::new(), empty: Vec::new(), index: HashMap::new(), hand: 0, bytes: 0, bytes_max }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        let place = *self.index.get(key)?;
        let entry = self.places[place].as_mut()?;
        entry.used = true;
        Some(&entry.value)
    }

    /// Returns everything that had to go, for the caller to drop where it likes; `value` itself if it is over the budget.
    pub(crate) fn insert(&mut self, key: K, value: V, bytes: usize) -> Vec<V> {
        let mut gone = Vec::new();
        if let Some(place) = self.index.get(&key) {
            gone.extend(self.clear(*place));
        }
        let bytes = bytes.saturating_add(Self::ENTRY_BYTES);
        if bytes > self.bytes_max {
            gone.push(value);
            return gone;
        }
        while self.bytes_max - self.bytes < bytes {
            gone.extend(self.turn());
        }
        self.bytes += bytes;
        let entry = Some(Entry { key, value, bytes, used: false });
        let place = match self.empty.pop() {
            Some(place) => {
                self.places[place] = entry;
                place
            }
            None => {
                self.places.push(entry);
                self.places.len() - 1
            }
        };
        self.index.insert(key, place);
        gone
    }

    /// Moves the hand by one place: a used entry gets its second chance, an unused one goes.
    fn turn(&mut self) -> Option<V> {
        let place = self.hand;
        self.hand = (place + 1) % self.places.len();
        let entry = self.places[place].as_mut()?;
        if mem::take(&mut entry.used) { None } else { self.clear(place) }
    }

    fn clear(&mut self, place: usize) -> Option<V> {
        let entry = self.places[place].take()?;
        self.index.remove(&entry.key);
        self.empty.push(place);
        self.bytes -= entry.bytes;
        Some(entry.value)
    }
}
