//! Plugins that each break one check of module 1; `checks/defects` holds them.
use crate::check::{Defect, Place};

const fn adapter(name: &'static str, criterion: &'static str, check: &'static str) -> Defect {
    Defect { name, breaks: (criterion, check), place: Place::Adapter }
}

const fn wrap(
    service: &'static str,
    name: &'static str,
    criterion: &'static str,
    check: &'static str,
) -> Defect {
    Defect { name, breaks: (criterion, check), place: Place::Wrap(service) }
}

pub(super) const DEFECTS: &[Defect] = &[
    wrap("llm", "block-left-open", "L1.5", "rules"),
    wrap("llm", "no-usage", "L1.5", "usage"),
    wrap("llm", "usage-not-disjoint", "L1.5", "usage"),
    wrap("llm", "stop-as-max-tokens", "L1.5", "finish"),
    wrap("llm", "collects-first", "L1.5", "streams"),
    wrap("llm", "own-ids", "L1.6", "whole"),
    wrap("llm", "one-block-for-all", "L1.6", "interleaved"),
    wrap("llm", "calls-as-stop", "L1.6", "finish"),
    adapter("no-key", "L1.7", "key"),
    wrap("llm", "model-ignored", "L1.7", "model"),
    adapter("no-user-agent", "L1.7", "user-agent"),
    wrap("llm", "system-dropped", "L1.7", "system"),
    wrap("llm", "tools-reordered", "L1.7", "tools"),
    wrap("llm", "message-added", "L1.7", "messages"),
    adapter("two-slashes", "L1.7", "base-url"),
    wrap("llm", "status-as-code", "L1.8", "refused-key"),
    wrap("llm", "key-unnamed", "L1.8", "missing-key"),
    wrap("llm", "unusable-as-transport", "L1.8", "unusable-key"),
    wrap("llm", "key-shown", "L1.8", "unusable-key"),
    wrap("llm", "empty-as-stop", "L1.8", "empty"),
    wrap("llm", "length-as-stop", "L1.8", "length"),
    wrap("tools", "shell-unlisted", "L1.9", "schemas"),
    wrap("tools", "description-empty", "L1.9", "schemas"),
    wrap("tools", "line-ends-dropped", "L1.9", "round-trip"),
    wrap("tools", "reads-anywhere", "L1.10", "escape-read"),
    wrap("tools", "writes-anywhere", "L1.10", "escape-write"),
    wrap("tools", "silent-about-unknown", "L1.10", "unknown-tool"),
    wrap("tools", "missing-as-empty", "L1.10", "missing-file"),
    wrap("tools", "shell-elsewhere", "L1.11", "shell"),
    wrap("tools", "cut-untold", "L1.11", "truncated"),
    wrap("llm", "other-id", "L1.12", "cites-id"),
    wrap("loop", "steps-miscounted", "L1.12", "two-steps"),
    wrap("loop", "last-usage-only", "L1.12", "usage"),
    wrap("llm", "history-cut", "L1.12", "resends"),
    wrap("llm", "runs-truncated", "L1.13", "max-tokens"),
    wrap("llm", "asks-twice", "L1.13", "step-cap"),
    wrap("loop", "cap-as-completed", "L1.13", "step-cap"),
    wrap("llm", "arguments-trusted", "L1.13", "invalid-arguments"),
    wrap("llm", "knows-its-adapter", "L1.15", "task"),
];
