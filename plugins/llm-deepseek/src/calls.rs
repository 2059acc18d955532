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
}

#[derive(Debug, Default)]
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

    /// Takes a fragment; returns its delta, if it has arguments, and how many bytes are kept of it. `open` opens the block of a new call.
    pub(crate) fn take(
        &mut self,
        fragment: Fragment,
        open: impl FnOnce(BlockStart) -> u32,
    ) -> (Option<StreamChunk>, usize) {
        let (index, known) = (fragment.index(), self.place(&fragment));
        let (mut id, mut name) = (fragment.id, fragment.function.name().to_owned());
        let arguments = fragment.function.into_arguments();
        let at = known.unwrap_or_else(|| {
            let block = open(BlockStart::ToolCall { id: id.clone(), name: name.clone() });
            self.list.push(Call { block, ..Call::default() });
            self.list.len() - 1
        });
        let call = &mut self.list[at];
        // The first id and the first name hold.
        if !call.id.is_empty() {
            id.clear();
        }
        if !call.name.is_empty() {
            name.clear();
        }
        let mut bytes = id.len() + name.len() + arguments.len();
        call.late |= known.is_some() && !(id.is_empty() && name.is_empty());
        call.id += &id;
        call.name += &name;
        call.arguments += &arguments;
        let block = call.block;
        if index.is_some_and(|index| self.numbered.insert(index, at).is_none()) || known.is_none() {
            bytes += CALL_BYTES;
        }
        if !id.is_empty() {
            self.known.insert(id, at);
        }
        let has_delta = !arguments.is_empty();
        (has_delta.then_some(StreamChunk::ToolCallDelta { index: block, arguments }), bytes)
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
