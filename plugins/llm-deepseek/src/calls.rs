//! Tool calls, pieced together.
//!
//! DeepSeek numbers the calls of a response and repeats the number with each fragment. Where a server leaves the number out, or
//! gives the same one to every call, ids and names tell.
use crate::payload::Fragment;
use contracts::llm::{BlockStart, StreamChunk};
use plugin_sdk::{Block, contracts};
use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, RandomState},
};

/// What a call weighs by itself when a response is measured.
const CALL_BYTES: usize = 1024;

#[derive(Debug, Default)]
pub(crate) struct Calls {
    list: Vec<Call>,
    /// Which call a number or an id last meant.
    numbered: HashMap<i64, usize>,
    known: HashMap<String, usize>,
    /// What the last fragment added.
    delta: Option<StreamChunk>,
}

#[derive(Debug)]
struct Call {
    block: u32,
    id: String,
    name: String,
    arguments: String,
    /// Id or name came after the block was opened.
    late: bool,
}

impl Calls {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes a fragment; returns what it weighs. `open` opens the block of a new call.
    pub(crate) fn take(&mut self, fragment: Fragment, open: impl FnOnce(BlockStart) -> u32) -> usize {
        let (place, index) = (self.place(&fragment), fragment.index());
        let (id, name) = (fragment.id, fragment.function.name().to_owned());
        let arguments = fragment.function.into_arguments();
        let weight = arguments.len() + if place.is_none() { CALL_BYTES + id.len() + name.len() } else { 0 };
        let at = place.unwrap_or(self.list.len());
        self.numbered.extend(index.map(|index| (index, at)));
        if !id.is_empty() && self.list.get(at).is_none_or(|call| call.id.is_empty()) {
            self.known.insert(id.clone(), at);
        }
        match self.list.get_mut(at) {
            // The first id and the first name hold.
            Some(call) => {
                call.late |= call.id.is_empty() && !id.is_empty() || call.name.is_empty() && !name.is_empty();
                for (first, next) in [(&mut call.id, id), (&mut call.name, name)] {
                    if first.is_empty() {
                        *first = next;
                    }
                }
            }
            None => {
                let block = open(BlockStart::ToolCall { id: id.clone(), name: name.clone() });
                self.list.push(Call { block, id, name, arguments: String::new(), late: false });
            }
        }
        let call = &mut self.list[at];
        call.arguments.push_str(&arguments);
        let index = call.block;
        self.delta = (!arguments.is_empty()).then_some(StreamChunk::ToolCallDelta { index, arguments });
        weight
    }

    /// The delta of the fragment that was taken last, if it had arguments.
    pub(crate) fn delta(&mut self) -> Option<StreamChunk> {
        self.delta.take()
    }

    /// The call that a fragment goes on with, `None` for a new one.
    fn place(&self, fragment: &Fragment) -> Option<usize> {
        let (id, name) = (&fragment.id, fragment.function.name());
        let known = self.known.get(id).copied();
        let last = self.list.len().checked_sub(1);
        match fragment.index() {
            Some(index) => match self.numbered.get(&index) {
                Some(&place) => {
                    let current = &self.list[place].id;
                    let other = !id.is_empty() && !current.is_empty() && id != current;
                    // With a name beside it another id is another call, without one it is noise.
                    (!other || name.is_empty()).then_some(place)
                }
                None => known.filter(|_| name.is_empty()),
            },
            None if id.is_empty() && name.is_empty() => last,
            None => known.or_else(|| last.filter(|_| name.is_empty())),
        }
    }

    /// All calls are complete: whatever of them has changed since their blocks were opened, by block. A result cites its call by id, so
    /// one without an id gets one, and so does one whose id is another's.
    pub(crate) fn complete(&mut self) -> HashMap<u32, Block> {
        let mut ids = HashSet::new();
        let mut changed = HashMap::new();
        for call in &mut self.list {
            if call.id.is_empty() || ids.contains(&call.id) {
                call.id = format!("call-{:016x}", RandomState::new().hash_one(call.block));
                call.late = true;
            }
            ids.insert(call.id.clone());
            if call.late {
                let (id, name, arguments) = (call.id.clone(), call.name.clone(), call.arguments.clone());
                changed.insert(call.block, Block::ToolCall { id, name, arguments });
            }
        }
        changed
    }
}
