//! Rows that the host can act on: tags replaced by values, names split from versions, slots told apart.
//!
//! `rows(Vec<RawRow>, &Environment) -> Result<Resolved, Problem>`; `switch(word) -> Option<bool>`; for JSON pointers from
//! `/config` on, `Row::place_of(pointer) -> Place` and `Row::origin(pointer) -> String`: `env LLM_MODEL`, `.env LLM_MODEL`,
//! `flag HARNESS_MODEL`, `default of LLM_MODEL`, `secret LLM_API_KEY`, `file prompt.md`, `default` (the schema's), or else
//! `harness.yml:12`.
//!
//! `!env NAME` is a string and has to be set; `!env "NAME:-default"` takes the default where it is unset or empty.
//! `!secret NAME` may be unset. `!file PATH` is relative to the YAML file that says it. The schema decides what strings
//! become. A disabled row mounts nothing, so what it lacks is no error and becomes null.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use semver::VersionReq;
use serde_json::{Map, Value};

use crate::{
    environment::{Environment, is_variable},
    locate::{Place, escaped, read_text},
    problem::{Problem, problem},
    raw::{Field, RawRow},
    yaml::{kind, tag},
};

const CONFIG_FILE_BYTES_MAX: u64 = 1 << 20;

/// All rows, the disabled ones too, and what no output and no child's environment may hold.
#[derive(Debug)]
pub struct Resolved {
    /// In file order.
    pub rows: Vec<Row>,
    /// Every variable that a `!secret` named, by name; unset is "".
    pub secrets: BTreeMap<String, String>,
}

/// An entry of harness.yml, patched and resolved.
#[derive(Debug, Clone)]
pub struct Row {
    /// The row's name.
    pub id: String,
    /// The plugin as written, without its version.
    pub name: String,
    /// Which versions of the plugin will do.
    pub version: Option<VersionReq>,
    /// The library, where `name` is a path to one.
    pub library: Option<PathBuf>,
    /// An empty object where the row has none.
    pub config: Value,
    /// Not to be mounted.
    pub disabled: bool,
    /// The slot of each service that `as` lists; `None` is the plugin's only service.
    pub slots: BTreeMap<Option<String>, String>,
    /// The slot of each need that `needs` lists.
    pub needs: BTreeMap<String, String>,
    pub(crate) origins: Origins,
    /// Where the row was written.
    pub place: Place,
    config_place: Place,
}

/// Where a value was said that the YAML file does not hold itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// `!env`: the name, and the layer it is set in, or `default of` for the default beside it.
    Variable(String, &'static str),
    Secret(String),
    File(String),
    /// The default in the plugin's schema.
    Schema,
}

/// By pointer; what is not here is a literal, or lies below something that is.
pub(crate) type Origins = BTreeMap<String, Origin>;

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Variable(name, layer) => write!(f, "{layer} {name}"),
            Origin::Secret(name) => write!(f, "secret {name}"),
            Origin::File(path) => write!(f, "file {path}"),
            Origin::Schema => f.write_str("default"),
        }
    }
}

impl Row {
    /// Where the value at a pointer comes from.
    pub fn origin(&self, pointer: &str) -> String {
        let mut above = pointer.match_indices('/').map(|(end, _)| &pointer[..end]).chain([pointer]);
        let found = above.find_map(|pointer| self.origins.get(pointer));
        found.map_or_else(|| self.place_of(pointer).to_string(), Origin::to_string)
    }

    /// Where the value at a pointer was written, or would have been.
    pub fn place_of(&self, pointer: &str) -> Place {
        self.config_place.join(pointer.strip_prefix("/config").unwrap_or_default())
    }
}

/// Resolves all rows.
pub fn rows(raw: Vec<RawRow>, environment: &Environment) -> Result<Resolved, Problem> {
    let mut secrets = BTreeMap::new();
    let rows = raw.into_iter().map(|row| resolve(row, environment, &mut secrets)).collect::<Result<_, _>>();
    Ok(Resolved { rows: rows?, secrets })
}

fn resolve(
    raw: RawRow,
    environment: &Environment,
    secrets: &mut BTreeMap<String, String>,
) -> Result<Row, Problem> {
    let RawRow { id, place, mut fields } = raw;
    let mut tags = Tags { id: &id, environment, secrets, origins: Origins::new(), disabled: false };
    tags.disabled = fields.remove("disabled").map_or(Ok(false), |field| tags.switch(field))?;
    let config_place = fields.get("config").map_or(&place, |field| &field.place).clone();
    let config = match fields.remove("config").map(|field| field.value) {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(value) => tags.value(value, "/config", &config_place)?,
    };
    let Tags { origins, disabled, .. } = tags;
    let (name, version, library) =
        fields.remove("name").map_or(Ok(Plugin::default()), |name| plugin(&id, &name))?;
    let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let mut slots = |key| match fields.remove(key).map(|field| field.value) {
        Some(Value::Object(slots)) => slots.into_iter().map(|(of, slot)| (Some(of), text(slot))).collect(),
        Some(slot @ Value::String(_)) => BTreeMap::from([(None, text(slot))]),
        _ => BTreeMap::new(),
    };
    let (slots, needs) = (slots("as"), slots("needs"));
    let needs = needs.into_iter().filter_map(|(need, slot)| Some((need?, slot))).collect();
    Ok(Row { id, name, version, library, config, disabled, slots, needs, origins, place, config_place })
}

type Plugin = (String, Option<VersionReq>, Option<PathBuf>);

/// A name with a slash or a library's ending is a path; any other may ask for a version.
fn plugin(id: &str, Field { value, place }: &Field) -> Result<Plugin, Problem> {
    let name = value.as_str().unwrap_or_default();
    if name.contains('/') || [".so", ".dylib", ".dll"].iter().any(|ending| name.ends_with(ending)) {
        return Ok((name.to_owned(), None, Some(place.folder().join(name))));
    }
    let Some((name, wanted)) = name.split_once('@') else { return Ok((name.to_owned(), None, None)) };
    let version = VersionReq::parse(wanted).map_err(|why| {
        problem!(ROW_INVALID: "{place}: row `{id}`: version `{wanted}`: {why}"; "write it as `{name}@^1.2`")
    })?;
    Ok((name.to_owned(), Some(version), None))
}

/// The words for yes and no that environment variables hold.
pub(crate) fn switch(word: &str) -> Option<bool> {
    match word.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// Replaces the tags of one row.
struct Tags<'a> {
    id: &'a str,
    environment: &'a Environment,
    secrets: &'a mut BTreeMap<String, String>,
    origins: Origins,
    disabled: bool,
}

impl Tags<'_> {
    fn switch(&mut self, Field { value, place }: Field) -> Result<bool, Problem> {
        let value = self.value(value, "/disabled", &place)?;
        let on = match &value {
            Value::Bool(on) => Some(*on),
            Value::String(word) if !word.trim().is_empty() => switch(word),
            Value::String(_) | Value::Null => Some(false),
            _ => None,
        };
        on.ok_or_else(|| {
            let (id, says) =
                (self.id, self.origins.get("/disabled").map(|origin| format!("what {origin} says")));
            let found = says.unwrap_or_else(|| kind(&value));
            problem!(ROW_INVALID: "{place}: row `{id}`: `disabled` must be true or false, not {found}";
                "use true or false")
        })
    }

    /// `pointer` leads to the value from its row, `top` is the place of the pointer's first step.
    fn value(&mut self, value: Value, pointer: &str, top: &Place) -> Result<Value, Problem> {
        if let Some((name, text)) = tag(&value) {
            let below = pointer[1..].find('/').map_or("", |end| &pointer[end + 1..]);
            return match self.tagged(name, text, &top.join(below)) {
                Err(problem) if self.disabled && problem.code != "TAG_INVALID" => Ok(Value::Null),
                found => found.map(|(text, origin)| {
                    self.origins.insert(pointer.to_owned(), origin);
                    text.into()
                }),
            };
        }
        let mut inside = |key: &str, value| self.value(value, &format!("{pointer}/{}", escaped(key)), top);
        match value {
            Value::Array(list) => {
                (0..).zip(list).map(|(at, value): (usize, _)| inside(&at.to_string(), value)).collect()
            }
            Value::Object(map) => {
                let entries =
                    map.into_iter().map(|(key, value)| inside(&key, value).map(|value| (key, value)));
                entries.collect::<Result<_, _>>().map(Value::Object)
            }
            scalar => Ok(scalar),
        }
    }

    /// The text that a tag stands for. What follows `!secret` may be the secret itself and is never shown.
    fn tagged(&mut self, tag: &str, text: &str, place: &Place) -> Result<(String, Origin), Problem> {
        let id = self.id;
        if tag == "!file" {
            let value =
                read_text(&place.folder().join(text), CONFIG_FILE_BYTES_MAX).map_err(|(_, why)| {
                    problem!(FILE_UNREADABLE: "{place}: row `{id}`: `{text}`: {why}";
                        "correct the path, which is relative to the YAML file")
                })?;
            return Ok((value, Origin::File(text.to_owned())));
        }
        let (name, default) = match text.split_once(":-") {
            Some((name, default)) if tag == "!env" => (name, Some(default)),
            _ => (text, None),
        };
        if !is_variable(name) {
            let form =
                if tag == "!env" { "`!env NAME` or `!env \"NAME:-default\"`" } else { "`!secret NAME`" };
            return Err(
                problem!(TAG_INVALID: "{place}: row `{id}`: what follows `{tag}` is no variable's name";
                "write {form}"),
            );
        }
        let found = self.environment.get(name).map_err(|problem| {
            let Problem { message, hint, .. } = problem;
            problem!(VARIABLE_INVALID: "{place}: row `{id}`: {message}"; "{hint}")
        })?;
        match (found, default) {
            _ if tag == "!secret" => {
                let value = found.map_or("", |(value, _)| value).to_owned();
                self.secrets.insert(name.to_owned(), value.clone());
                Ok((value, Origin::Secret(name.to_owned())))
            }
            (None | Some(("", _)), Some(default)) => {
                Ok((default.to_owned(), Origin::Variable(name.to_owned(), "default of")))
            }
            (Some((value, layer)), _) => Ok((value.to_owned(), Origin::Variable(name.to_owned(), layer))),
            (None, None) => {
                let default = format!("`!env \"{name}:-…\"`");
                Err(problem!(VARIABLE_UNSET: "{place}: row `{id}`: {name} is not set";
                    "export {name} or put it in .env, or give a default: {default}"))
            }
        }
    }
}
