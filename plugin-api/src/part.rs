//! Parts: immutable, reference-counted byte strings with a content id, and lists of them.
//!
//! A conversation's messages travel as parts: serialised once, shared ever after. A list is cloned in
//! O(log n) and appended to in amortised O(log n) handle copies, so no step copies the history.
use abi_stable::{
    StableAbi,
    std_types::{RArc, RVec},
};

/// The content id of a part: the first 16 bytes of the BLAKE3 hash of its bytes.
pub type PartId = [u8; 16];

#[repr(C)]
#[derive(StableAbi, Debug)]
#[doc(hidden)]
pub struct PartData {
    id: PartId,
    bytes: RVec<u8>,
}

/// Shared immutable bytes. Equal bytes have equal ids, whichever library made them.
#[repr(transparent)]
#[derive(StableAbi, Clone)]
pub struct RPart(RArc<PartData>);

impl RPart {
    /// Takes over the bytes and makes their id, once.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Vec<u8> = bytes.into();
        let mut id = [0; 16];
        id.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
        RPart(RArc::new(PartData { id, bytes: bytes.into() }))
    }

    /// The content id: what a memo is keyed by.
    pub fn id(&self) -> PartId {
        self.0.id
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// The bytes as text, `None` when they are not UTF-8.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes()).ok()
    }
}

impl PartialEq for RPart {
    fn eq(&self, other: &Self) -> bool {
        // Two handles on one part are seen as such without looking at it.
        std::ptr::eq(&raw const *self.0, &raw const *other.0)
            || (self.id() == other.id() && self.bytes().len() == other.bytes().len())
    }
}

impl Eq for RPart {}

impl std::fmt::Debug for RPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.text() {
            Some(text) => write!(f, "RPart({text})"),
            None => write!(f, "RPart({} bytes)", self.bytes().len()),
        }
    }
}

/// A list of parts as shared segments, longest first: appending merges a segment into its neighbour once it has
/// grown as long, so there are about log2(n) of them.
#[repr(C)]
#[derive(StableAbi, Clone, Default)]
pub struct RParts {
    segments: RVec<RArc<RVec<RPart>>>,
    len: usize,
}

impl RParts {
    /// An empty list.
    pub fn new() -> Self {
        RParts::default()
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends one part; lists that share the earlier segments do not see it.
    pub fn push(&mut self, part: RPart) {
        self.len += 1;
        let mut tail: RVec<RPart> = RVec::new();
        tail.push(part);
        while self.segments.last().is_some_and(|last| last.len() <= tail.len()) {
            let Some(last) = self.segments.pop() else { break };
            let mut merged = match RArc::try_unwrap(last) {
                Ok(own) => own,
                Err(shared) => (*shared).clone(),
            };
            merged.extend(tail);
            tail = merged;
        }
        self.segments.push(RArc::new(tail));
    }

    /// Appends another list by sharing its segments.
    pub fn append(&mut self, other: &RParts) {
        self.segments.extend(other.segments.iter().cloned());
        self.len += other.len;
    }

    /// The parts in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &RPart> + Clone + '_ {
        self.segments.iter().flat_map(|segment| segment.iter())
    }

    /// The part at a position.
    pub fn get(&self, mut at: usize) -> Option<&RPart> {
        for segment in &self.segments {
            if let Some(part) = segment.get(at) {
                return Some(part);
            }
            at -= segment.len();
        }
        None
    }

    /// The parts from `from` on. Whole segments are shared, only the one that `from` cuts is copied (handles, not bytes).
    pub fn tail(&self, from: usize) -> RParts {
        let (mut skip, mut out) = (from, RParts::new());
        for segment in &self.segments {
            let rest = segment.len().saturating_sub(skip);
            if rest == segment.len() {
                out.segments.push(segment.clone());
            } else if rest > 0 {
                out.segments.push(RArc::new(segment.iter().skip(skip).cloned().collect()));
            }
            out.len += rest;
            skip = skip.saturating_sub(segment.len());
        }
        out
    }
}

impl FromIterator<RPart> for RParts {
    fn from_iter<I: IntoIterator<Item = RPart>>(parts: I) -> Self {
        let all: RVec<RPart> = parts.into_iter().collect();
        let len = all.len();
        let mut list = RParts { segments: RVec::new(), len };
        if len > 0 {
            list.segments.push(RArc::new(all));
        }
        list
    }
}

impl From<RPart> for RParts {
    fn from(part: RPart) -> Self {
        [part].into_iter().collect()
    }
}

impl PartialEq for RParts {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for RParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
