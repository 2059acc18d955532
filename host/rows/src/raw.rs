//! What a YAML file of rows says, checked for shape and not yet for meaning.
//!
//! ```yaml
//! - id: llm-adapter          # a plain name, unique in the file
//!   name: llm-openai@^1.2    # a plugin, or a path to a library
//!   config: {model: !env "LLM_MODEL:-small"}
//!   disabled: false
//!   as: llm                  # or {service: slot}
//!   needs: {tools: tools.explore}
//! ```
//! A key whose value is null counts as absent.
//! `read(path) -> Result<Vec<RawRow>, Problem>`; `entries`, `fields`, `row` and `insert` serve patches too.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

use serde_json::Value;

use crate::{
    locate::{Place, Source},
    problem::{Problem, did_you_mean, names, problem},
    yaml::{kind, parse, tag},
};

pub(crate) const ROW_KEYS: [&str; 6] = ["id", "name", "config", "disabled", "as", "needs"];

/// A row as written; after a patch its fields may come from several files.
#[derive(Debug, Clone)]
pub struct RawRow {
    pub(crate) id: String,
    pub(crate) place: Place,
    pub(crate) fields: Fields,
}

pub(crate) type Fields = BTreeMap<&'static str, Field>;

#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) value: Value,
    pub(crate) place: Place,
}

impl Field {
    pub(crate) fn text(&self) -> &str {
        self.value.as_str().unwrap_or_default()
    }
}

/// Reads the rows of one file.
pub fn read(path: &Path) -> Result<Vec<RawRow>, Problem> {
    let (mut rows, mut ids) = (Vec::new(), HashSet::new());
    for (value, place) in entries(path, "rows")? {
        let row = row(value, &place)?;
        // To look through all rows for each takes a second for the longest file there may be.
        match ids.insert(row.id.clone()) {
            true => rows.push(row),
            false => insert(&mut rows, usize::MAX, row)?,
        }
    }
    Ok(rows)
}

/// The items of a file's top-level list, each with its place.
pub(crate) fn entries(path: &Path, what: &str) -> Result<Vec<(Value, Place)>, Problem> {
    let (source, file) = (Source::read(path)?, path.display());
    let found = match parse(&source)? {
        Value::Array(list) => return Ok(at_each(list, &Place::new(&source)).collect()),
        Value::Null => "nothing".into(),
        other => kind(&other),
    };
    Err(problem!(ROWS_INVALID: "{file}: the file holds {found}, not a list of {what}";
        "write {what} as `- id: …`"))
}

pub(crate) fn at_each(list: Vec<Value>, place: &Place) -> impl Iterator<Item = (Value, Place)> {
    list.into_iter().enumerate().map(|(index, value)| (value, place.child(index)))
}

/// A whole row, which has an `id` and a `name`.
pub(crate) fn row(value: Value, place: &Place) -> Result<RawRow, Problem> {
    let fields = fields(value, place, &ROW_KEYS)?;
    match (fields.get("id").map(Field::text), fields.contains_key("name")) {
        (Some(id), true) => Ok(RawRow { id: id.to_owned(), place: place.clone(), fields }),
        (Some(id), _) => {
            Err(problem!(ROW_INVALID: "{place}: row `{id}` has no `name`"; "name its plugin: `name: …`"))
        }
        _ => Err(problem!(ROW_INVALID: "{place}: the row has no `id`"; "give it a name of its own: `id: …`")),
    }
}

/// Puts a row at a position, or at the end; two rows cannot share an id.
pub(crate) fn insert(rows: &mut Vec<RawRow>, at: usize, row: RawRow) -> Result<(), Problem> {
    let RawRow { id, place, .. } = &row;
    if let Some(RawRow { place: first, .. }) = rows.iter().find(|other| other.id == *id) {
        return Err(problem!(DUPLICATE_ID: "{place}: row `{id}` is already there, at {first}";
            "give one of the two another id"));
    }
    rows.insert(at.min(rows.len()), row);
    Ok(())
}

/// A mapping's entries, each of the right shape for its key.
pub(crate) fn fields(value: Value, place: &Place, keys: &[&'static str]) -> Result<Fields, Problem> {
    let (allowed, known) = (names(keys.iter().copied()), || keys.iter().copied());
    let found = kind(&value);
    // A tag is kept as a mapping, and is none.
    let untagged = if tag(&value).is_some() { Value::Null } else { value };
    let Value::Object(map) = untagged else {
        return Err(problem!(ROWS_INVALID: "{place}: expected a mapping, not {found}";
            "give it keys out of {allowed}"));
    };
    let row = map.get("id").and_then(Value::as_str).map_or("".into(), |id| format!("row `{id}`: "));
    let field = |(key, value): (String, Value)| {
        let place = place.child(&key);
        let Some(known) = known().find(|known| *known == key) else {
            let meant = did_you_mean(&key, known());
            return Err(problem!(UNKNOWN_KEY: "{place}: {row}unknown key `{key}`{meant}";
                "use one of {allowed}"));
        };
        let Some(what) = expected(known, &value) else { return Ok((known, Field { value, place })) };
        if is_or_holds_tag(&value) {
            return Err(problem!(ROW_INVALID: "{place}: {row}`{key}` takes no tag";
                "use tags under `config` and `disabled` only"));
        }
        let found = kind(&value);
        Err(
            problem!(ROW_INVALID: "{place}: {row}`{key}` must be {what}, not {found}"; "correct `{key}` there"),
        )
    };
    map.into_iter().map(field).collect()
}

fn is_or_holds_tag(value: &Value) -> bool {
    tag(value).is_some()
        || value.as_object().is_some_and(|map| map.values().any(|value| tag(value).is_some()))
}

/// What a key's value should have been, if it is not that.
fn expected(key: &str, value: &Value) -> Option<&'static str> {
    let is_plain = |text: &str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
        !text.is_empty() && text.chars().all(plain)
    };
    let plain = value.as_str().is_some_and(is_plain);
    let slots = value.as_object().is_some_and(|map| {
        map.iter().all(|(key, slot)| is_plain(key) && slot.as_str().is_some_and(is_plain))
    });
    let named = |name: &str| !name.is_empty() && name.trim() == name && !name.contains(char::is_control);
    let (right, what) = match key {
        "id" | "before" | "after" => (plain, "a string of a-z, 0-9, `.`, `_` and `-` only"),
        "name" => (value.as_str().is_some_and(named), "the name of a plugin or a path to a library"),
        "as" => {
            (value.is_null() || plain || slots, "a slot's plain name, or a mapping from services to such")
        }
        "needs" => (value.is_null() || slots, "a mapping from needs to plain names of slots"),
        "insert" => (value.is_array(), "a list of rows"),
        "remove" => (value == &Value::Bool(true), "true"),
        _ => (true, ""),
    };
    (!right).then_some(what)
}
