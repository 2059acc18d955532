//! Patches: files that change rows by id, insert rows and remove them.
//!
//! ```yaml
//! - {id: llm-adapter, name: llm-scripted, config: {reply: hi}}   # a key given replaces the row's key whole
//! - {insert: [{id: log, name: session-file}], before: loop}      # or after: ID; at the end without either
//! - {id: tools, remove: true}
//! ```
//! Operations act in order, so a later one finds the rows that one before it inserted. Null takes a key away.
//! `apply(rows: &mut Vec<RawRow>, path) -> Result<(), Problem>`; an error leaves the rows half patched.

use std::path::Path;

use serde_json::Value;

use crate::{
    locate::Place,
    problem::{Problem, did_you_mean, names, problem},
    raw::{Field, Fields, ROW_KEYS, RawRow, at_each, entries, fields, insert, row},
};

const OPERATION_KEYS: [&str; 10] =
    ["id", "name", "config", "disabled", "as", "needs", "insert", "before", "after", "remove"];

/// Applies the operations of one file.
pub fn apply(rows: &mut Vec<RawRow>, path: &Path) -> Result<(), Problem> {
    for (value, place) in entries(path, "operations")? {
        let mut operation = fields(value, &place, &OPERATION_KEYS)?;
        check_keys(&operation, &place)?;
        if let Some(Field { value: Value::Array(list), place }) = operation.remove("insert") {
            let at = match (operation.get("before"), operation.get("after")) {
                (Some(id), _) => find(rows, id)?,
                (_, Some(id)) => find(rows, id)? + 1,
                _ => rows.len(),
            };
            for (at, (value, place)) in (at..).zip(at_each(list, &place)) {
                insert(rows, at, row(value, &place)?)?;
            }
        } else if let Some(id) = operation.remove("id") {
            let at = find(rows, &id)?;
            if operation.contains_key("remove") {
                rows.remove(at);
            } else {
                rows[at].fields.extend(operation);
            }
        }
    }
    Ok(())
}

/// Keys that contradict each other, or say nothing, would have to be guessed about.
fn check_keys(operation: &Fields, place: &Place) -> Result<(), Problem> {
    let has = |key| operation.contains_key(key);
    let (kind, allowed): (_, &[&str]) = match (has("insert"), has("before"), has("remove")) {
        (true, true, _) => ("insert` and `before", &["insert", "before"]),
        (true, ..) => ("insert", &["insert", "after"]),
        (_, _, true) => ("remove", &["id", "remove"]),
        _ => ("id", &ROW_KEYS),
    };
    if !has("insert") && !has("id") {
        return Err(problem!(PATCH_INVALID: "{place}: the operation has neither `id` nor `insert`";
            "add an `id`"));
    }
    if let Some((key, Field { place, .. })) = operation.iter().find(|(key, _)| !allowed.contains(key)) {
        return Err(problem!(PATCH_INVALID: "{place}: `{key}` does not go with `{kind}`";
            "make two operations of it"));
    }
    if has("id") && operation.len() == 1 {
        return Err(problem!(PATCH_INVALID: "{place}: the operation changes nothing";
            "add the key to change"));
    }
    Ok(())
}

fn find(rows: &[RawRow], id: &Field) -> Result<usize, Problem> {
    let (wanted, place, ids) = (id.text(), &id.place, || rows.iter().map(|row| row.id.as_str()));
    rows.iter().position(|row| row.id == wanted).ok_or_else(|| {
        let (meant, ids) = (did_you_mean(wanted, ids()), names(ids()));
        problem!(PATCH_UNMATCHED: "{place}: there is no row `{wanted}`{meant}"; "the rows there are: {ids}")
    })
}
