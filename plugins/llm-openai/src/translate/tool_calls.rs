//! Tool calls, put together from fragments whose sender may not say, or say wrongly, which call they belong to.
use super::{
    text::Text,
    wire::{Fragment, Function},
};
use contracts::llm::{BlockStart, StreamChunk};
use plugin_sdk::{Block, contracts};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::{
    collections::HashSet,
    hash::{BuildHasher, Hasher, RandomState},
};

/// The calls of one response, in the order they opened.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Call>);

#[derive(Debug)]
struct Call {
    block: u32,
    /// The index on the wire. Not every server gives one, and some give the same to all.
    index: Option<i64>,
    id: String,
    name: String,
    arguments: String,
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
        self.0.is_empty()
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
            self.0.push(Call { block, index, id, name, arguments: String::new(), late: false });
            self.0.len() - 1
        });
        let call = &mut self.0[at];
        // The first id and the first name stay: what later fragments say differently is noise.
        for (known, said) in [(&mut call.id, &*id), (&mut call.name, name)] {
            if known.is_empty() && !said.is_empty() {
                said.clone_into(known);
                call.late = true;
            }
        }
        if !arguments.is_empty() {
            call.arguments.push_str(&arguments);
            out.push(StreamChunk::ToolCallDelta { index: call.block, arguments });
        }
    }

    /// The call that a fragment continues; `None` when it begins one.
    fn find(&self, signs: Signs<'_>) -> Option<usize> {
        let Signs { index, id, name, argues, position } = signs;
        let last = |is: &dyn Fn(&Call) -> bool| self.0.iter().rposition(is);
        let newest = self.0.len().checked_sub(1);
        let by_id = || if id.is_empty() { None } else { last(&|call| call.id == id) };

        if let Some(at) = index.and_then(|index| last(&|call| call.index == Some(index))) {
            // One index for all calls: then a new call has a new id, and its name beside it.
            let known = &self.0[at].id;
            let begins = !name.is_empty() && !id.is_empty() && !known.is_empty() && known != id;
            return (!begins).then_some(at);
        }
        match (index, id, name) {
            (Some(_), _, "") => {
                by_id().or_else(|| newest.filter(|at| id.is_empty() && self.0[*at].index.is_none()))
            }
            (Some(_), _, _) => None,
            (None, "", "") => position.filter(|at| *at < self.0.len()).or(newest),
            (None, _, "") => by_id().or(newest),
            (None, _, _) => {
                let same_name = || last(&|call| call.name == name).filter(|at| Some(*at) == newest);
                let same = if id.is_empty() { same_name() } else { by_id() };
                same.filter(|at| !(argues && self.0[*at].is_complete()))
            }
        }
    }

    /// Gives an id of ours to every call whose own is missing or taken: the answer must be able to cite it.
    pub(super) fn settle(&mut self) {
        let mut taken = HashSet::new();
        let mut random = None;
        for call in &mut self.0 {
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
        let at = self.0.binary_search_by_key(&block, |call| call.block).ok()?;
        let Call { id, name, arguments, late, .. } = &self.0[at];
        late.then(|| Block::ToolCall { id: id.clone(), name: name.clone(), arguments: arguments.clone() })
    }
}

impl Call {
    fn is_complete(&self) -> bool {
        self.arguments.trim_end().ends_with('}')
            && serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok()
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
