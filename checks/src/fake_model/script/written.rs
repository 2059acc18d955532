//! A reply as a script's author writes it: the keys, their types and nothing decided yet.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenReply {
    pub(super) text: Option<String>,
    pub(super) split: Option<NonZeroUsize>,
    pub(super) deltas: Option<Vec<String>>,
    pub(super) reasoning: Option<String>,
    pub(super) reasoning_field: Option<ReasoningField>,
    #[serde(default)]
    pub(super) calls: Vec<WrittenCall>,
    pub(super) finish: Option<String>,
    #[serde(default)]
    pub(super) usage: UsagePlan,
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,

    pub(super) raw: Option<String>,
    pub(super) raw_file: Option<PathBuf>,
    #[serde(default)]
    pub(super) split_at: Vec<usize>,

    pub(super) status: Option<u16>,
    pub(super) body: Option<serde_yaml::Value>,
    pub(super) retry_after: Option<u64>,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,

    #[serde(default)]
    pub(super) delay_ms: u64,
    #[serde(default)]
    pub(super) tick_ms: u64,
    pub(super) wait_for: Option<String>,
    pub(super) fault: Option<Fault>,
    pub(super) after: Option<usize>,

    pub(super) conversation: Option<String>,
    #[serde(default)]
    pub(super) new_conversation: bool,
    #[serde(default)]
    pub(super) changes: Vec<Change>,
    #[serde(default)]
    pub(super) expect: Expect,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenCall {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: Option<serde_yaml::Value>,
    pub(super) fragments: Option<NonZeroUsize>,
}

/// The key under which reasoning travels; providers disagree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum ReasoningField {
    #[default]
    ReasoningContent,
    Reasoning,
}

/// A way to fail that a client must see on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum Fault {
    /// The socket is closed without the end of the body.
    Cut,
    /// The socket is closed with RST.
    Reset,
    /// The socket stays open and silent.
    Stall,
    /// Bytes that are neither SSE nor UTF-8 take the place of the rest.
    Garbage,
    /// One event carries half a JSON object, the rest follows.
    BadJson,
    /// The stream ends well, but without `[DONE]`.
    NoDone,
    /// A page for people, with status 200.
    Html,
    /// The right body under `text/plain`.
    WrongContentType,
}

/// What this reply's request may change against the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
    Tools,
    System,
    Messages,
    Settings,
}

/// The announced changes as a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct Changes {
    pub(in super::super) tools: bool,
    pub(in super::super) system: bool,
    pub(in super::super) messages: bool,
    pub(in super::super) settings: bool,
}

impl Changes {
    pub(super) fn of(list: &[Change]) -> Self {
        Self {
            tools: list.contains(&Change::Tools),
            system: list.contains(&Change::System),
            messages: list.contains(&Change::Messages),
            settings: list.contains(&Change::Settings),
        }
    }

    pub(in super::super) fn union(self, other: Self) -> Self {
        Self {
            tools: self.tools || other.tools,
            system: self.system || other.system,
            messages: self.messages || other.messages,
            settings: self.settings || other.settings,
        }
    }
}

/// What the request that gets this reply must look like.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in super::super) struct Expect {
    pub(in super::super) model: Option<String>,
    pub(in super::super) stream: Option<bool>,
    pub(in super::super) bearer: Option<String>,
    pub(in super::super) headers: BTreeMap<String, String>,
    pub(in super::super) tools: Option<Vec<String>>,
    pub(in super::super) last_role: Option<String>,
    pub(in super::super) last_text_contains: Option<String>,
    pub(in super::super) body_contains: Option<String>,
}

/// The usage to report: absent = computed from the sizes, `null` = none, a mapping = these numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) enum UsagePlan {
    #[default]
    Computed,
    Silent,
    Given(GivenUsage),
}

/// Numbers of tokens; what is left out is computed (the first two) or not reported (the details).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in super::super) struct GivenUsage {
    pub(in super::super) prompt_tokens: Option<u64>,
    pub(in super::super) completion_tokens: Option<u64>,
    pub(in super::super) cached_tokens: Option<u64>,
    pub(in super::super) reasoning_tokens: Option<u64>,
}

impl<'de> Deserialize<'de> for UsagePlan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Option::<GivenUsage>::deserialize(deserializer)?;
        Ok(given.map_or(Self::Silent, Self::Given))
    }
}
