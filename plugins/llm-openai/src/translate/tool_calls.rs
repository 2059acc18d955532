//! Tool calls, put together from fragments whose sender may not say, or say wrongly, which call they belong to.
use super::{
    arguments::Arguments,
    text::Text,
    wire::{Fragment, Function},
};
use contracts::llm::{BlockStart, StreamChunk};
use plugin_sdk::{Block, contracts};
use serde_json::value::RawValue;
use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, Hasher, RandomState},
};

/// The calls of one response.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// In the order they opened.
    list: Vec<Call>,
    /// The last call of each index on the wire.
    by_index: HashMap<i64, usize>,
    /// The last call of each id.
    by_id: HashMap<String, usize>,
    /// How many bytes of ids and names have come after their blocks had opened.
    pub(super) late_bytes: usize,
}

#[derive(Debug)]
struct Call {
    block: u32,
    /// The index on the wire. Not every server gives one, and some give the same to all.
    index: Option<i64>,
    id: String,
    name: String,
    arguments: Arguments,
    /// Id or name are no longer what the block opened with.
    late: bool,
}

/// What a fragment says of the call that it belongs to.
#[derive(Clone, Copy)]
struct Signs<'a> {
    index: Option<i64>,
    id: &'a str,
    name: &'a str,
    /// Whether it has arguments.
    argues: bool,
    /// Its place in a list of several.
    position: Option<usize>,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes a fragment, opening a block for it where it belongs to no call so far.
    pub(super) fn take(
        &mut self,
        fragment: Fragment<'_>,
        position: Option<usize>,
        opened: &mut u32,
        out: &mut Vec<StreamChunk>,
    ) {
        let index = fragment.index();
        let Function { name, arguments } = fragment.function.unwrap_or_default();
        let (id, name) = (fragment.id.unwrap_or_default(), name.unwrap_or_default());
        let (id, name) = (id.as_str(), name.as_str());
        // The text `null` stands for no name in the fragments of some servers.
        let name = if name == "null" { "" } else { &*name };
        let arguments = arguments.map(json_text).unwrap_or_default();
        let signs = Signs { index, id: &id, name, argues: !arguments.is_empty(), position };

        let at = self.find(signs).unwrap_or_else(|| {
            let (id, name, block) = (id.clone().into_owned(), name.to_owned(), *opened);
            *opened += 1;
            let start = BlockStart::ToolCall { id: id.clone(), name: name.clone() };
            out.push(StreamChunk::BlockStart { index: block, block: start });
            let at = self.list.len();
            self.by_index.extend(index.map(|index| (index, at)));
            if !id.is_empty() {
                self.by_id.insert(id.clone(), at);
            }
            self.list.push(Call { block, index, id, name, arguments: Arguments::default(), late: false });
            at
        });
        let call = &mut self.list[at];
        // The first id and the first name stay: what later fragments say differently is noise.
        if call.id.is_empty() && !id.is_empty() {
            self.late_bytes += id.len();
            let last = self.by_id.entry(id.clone().into_owned()).or_insert(at);
            *last = at.max(*last);
            (call.id, call.late) = (id.into_owned(), true);
        }
        if call.name.is_empty() && !name.is_empty() {
            self.late_bytes += name.len();
            (call.name, call.late) = (name.to_owned(), true);
        }
        if !arguments.is_empty() {
            call.arguments.push(&arguments);
            out.push(StreamChunk::ToolCallDelta { index: call.block, arguments });
        }
    }

    /// The call that a fragment continues; `None` when it begins one.
    fn find(&mut self, signs: Signs<'_>) -> Option<usize> {
        let Signs { index, id, name, argues, position } = signs;
        let newest = self.list.len().checked_sub(1);
        // No call is known by an empty id.
        let by_id = self.by_id.get(id).copied();

        if let Some(at) = index.and_then(|index| self.by_index.get(&index).copied()) {
            // One index for all calls: then a new call has a new id, and its name beside it.
            let known = &self.list[at].id;
            let begins = !name.is_empty() && !id.is_empty() && !known.is_empty() && known != id;
            return (!begins).then_some(at);
        }
        match (index, id, name) {
            (Some(_), _, "") => {
                by_id.or_else(|| newest.filter(|at| id.is_empty() && self.list[*at].index.is_none()))
            }
            (Some(_), _, _) => None,
            (None, "", "") => position.filter(|at| *at < self.list.len()).or(newest),
            (None, _, "") => by_id.or(newest),
            (None, _, _) => {
                let same =
                    if id.is_empty() { newest.filter(|at| self.list[*at].name == name) } else { by_id };
                same.filter(|at| !(argues && self.list[*at].arguments.is_object()))
            }
        }
    }

    /// Gives an id of ours to every call whose own is missing or taken: the answer must be able to cite it.
    pub(super) fn settle(&mut self) {
        let mut taken = HashSet::new();
        let mut random = None;
        for call in &mut self.list {
            if call.id.is_empty() || taken.contains(&call.id) {
                let random = random.get_or_insert_with(|| RandomState::new().build_hasher().finish());
                call.id = format!("call_{random:016x}_{}", call.block);
                call.late = true;
            }
            taken.insert(call.id.clone());
        }
    }

    /// The whole call, where its block opened with less than is known now.
    pub(super) fn corrected(&self, block: u32) -> Option<Block> {
        let at = self.list.binary_search_by_key(&block, |call| call.block).ok()?;
        let Call { id, name, arguments, late, .. } = &self.list[at];
        late.then(|| {
            let arguments = arguments.as_str().to_owned();
            Block::ToolCall { id: id.clone(), name: name.clone(), arguments }
        })
    }
}

/// The text in a JSON string, or the JSON itself.
fn json_text(arguments: &RawValue) -> String {
    let json = arguments.get();
    match serde_json::from_str::<Text<'_>>(json) {
        Ok(text) if json.starts_with('"') => text.into_string(),
        _ => json.to_owned(),
    }
}
