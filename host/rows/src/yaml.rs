//! YAML into JSON, under limits: what JSON cannot hold is refused with line and column, and a tag is kept as an object
//! of one key, so `!env NAME` becomes `{"!env": "NAME"}`. `<<` merges are applied.
//!
//! `parse(&Source) -> Result<Value, Problem>`, null for an empty file; `tag(&Value) -> Option<(&str, &str)>`, tag and
//! text; `position(text, pointer) -> Option<(usize, usize)>`, line and column from 1; `kind(&Value) -> String`, in words.

use std::{
    cell::{Cell, RefCell},
    fmt,
};

use serde::de::{DeserializeSeed, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_yaml::Deserializer;

use crate::{
    locate::{Source, escaped},
    problem::{Problem, problem},
};

/// Aliases multiply a short text without end, so what counts is the values it expands to.
const VALUES_MAX: usize = 200_000;
/// The parser's time grows with the square of the brackets that are open at once.
const BRACKETS_MAX: usize = 1000;
const TAGS: [&str; 3] = ["!env", "!secret", "!file"];
const CORE_TAGS: [&str; 7] = ["!~str", "!~int", "!~float", "!~bool", "!~null", "!~seq", "!~map"];

/// The file's only document.
pub(crate) fn parse(source: &Source) -> Result<Value, Problem> {
    let (file, text) = (source.path.display(), source.text.as_str());
    let open = text.bytes().scan(0_usize, |open, byte| {
        *open = match byte {
            b'[' | b'{' => *open + 1,
            b']' | b'}' => open.saturating_sub(1),
            _ => *open,
        };
        Some(*open)
    });
    if open.max() > Some(BRACKETS_MAX) {
        return Err(problem!(YAML_INVALID: "{file}: more than {BRACKETS_MAX} brackets are open";
            "close them"));
    }
    let refused = |(error, ours): (serde_yaml::Error, Option<Problem>)| {
        let at = error.location().map(|at| (at.line(), at.column()));
        let place = at.map_or(file.to_string(), |(line, column)| format!("{file}:{line}:{column}"));
        let mut problem = ours.unwrap_or_else(|| {
            let (line, column) = at.unwrap_or_default();
            let error = error.to_string().replacen(&format!(" at line {line} column {column}"), "", 1);
            let error = error.split_once(": invalid type: ").map_or(error.as_str(), |(_, types)| types);
            let error = error.replace("recursion limit exceeded", "nested deeper than 128 levels");
            let error = error.replace("repetition limit exceeded", "the aliases expand to too many values");
            problem!(YAML_INVALID: "{error}"; "correct it there; special characters need quotes")
        });
        problem.message.insert_str(0, &format!("{place}: "));
        problem
    };
    // The parser drops the tag of `!!js x`. With `~` for the second mark it is an ordinary one, and seen.
    if text.contains("!!") {
        first_document(&text.replace("!!", "!~"), None).map_err(refused)?;
    }
    match first_document(text, None).map_err(refused)? {
        (value, false) => Ok(value),
        _ => Err(problem!(YAML_INVALID: "{file}: the file holds several documents";
            "keep one and remove `---`")),
    }
}

/// Where a pointer's last key or index stands, or else what is nearest around it.
///
/// The parser tells positions in its errors only, so the text is read again and refused at that place: for a single look-up.
pub(crate) fn position(text: &str, pointer: &str) -> Option<(usize, usize)> {
    let (error, _) = first_document(text, Some(pointer)).err()?;
    error.location().map(|at| (at.line(), at.column()))
}

type Refused = (serde_yaml::Error, Option<Problem>);

fn first_document(text: &str, target: Option<&str>) -> Result<(Value, bool), Refused> {
    let (values, refusal, mut documents) =
        (Cell::new(VALUES_MAX), RefCell::new(None), Deserializer::from_str(text));
    let Some(first) = documents.next() else { return Ok((Value::Null, false)) };
    let build = Build { values: &values, refusal: &refusal, target, keys: None };
    let value = build.deserialize(first).map_err(|error| (error, refusal.take()))?;
    Ok((value, documents.next().is_some()))
}

/// Builds one value, or one key.
#[derive(Clone, Copy)]
struct Build<'a> {
    /// How many more values the document may hold.
    values: &'a Cell<usize>,
    /// The error under way, where it is not the parser's.
    refusal: &'a RefCell<Option<Problem>>,
    /// What is left of the pointer looked for, in the one value that holds it.
    target: Option<&'a str>,
    /// For a key, the mapping so far.
    keys: Option<&'a Map<String, Value>>,
}

impl<'a> Build<'a> {
    fn refuse<T, E: Error>(self, problem: Problem) -> Result<T, E> {
        self.refusal.replace(Some(problem));
        Err(E::custom("refused"))
    }

    fn below(self, step: impl ToString) -> Build<'a> {
        let step = |target: &'a str| target.strip_prefix('/')?.strip_prefix(&escaped(&step.to_string()));
        let rest = self.target.and_then(step).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        Build { target: rest, keys: None, ..self }
    }

    /// Passes a value on, unless it is what is looked for, or no key though it stands as one.
    fn done<E: Error>(self, value: impl Into<Value>) -> Result<Value, E> {
        let value = value.into();
        let here = match (self.keys, &value) {
            (None, _) => self.target.is_some(),
            (Some(keys), Value::String(key)) if keys.contains_key(key) => {
                return self.refuse(problem!(DUPLICATE_KEY: "`{key}` is given twice";
                    "remove one of the two"));
            }
            (Some(_), Value::String(key)) => self.below(key).target == Some(""),
            (Some(_), other) => {
                let found = kind(other);
                return self.refuse(problem!(YAML_INVALID: "a key is a string, not {found}";
                    "put it in quotes"));
            }
        };
        if here { Err(E::custom("here")) } else { Ok(value) }
    }
}

impl<'de> DeserializeSeed<'de> for Build<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let Some(left) = self.values.get().checked_sub(1) else {
            return self.refuse(problem!(FILE_TOO_LARGE: "more than {VALUES_MAX} values with all aliases";
                "use fewer"));
        };
        self.values.set(left);
        deserializer.deserialize_any(self)
    }
}

macro_rules! visit_scalars {
    ($($visit:ident($value:ident: $kind:ty) => $json:expr;)*) => {
        $(fn $visit<E: Error>(self, $value: $kind) -> Result<Value, E> { self.done($json) })*
    };
}

impl<'de> Visitor<'de> for Build<'_> {
    type Value = Value;

    visit_scalars! {
        visit_bool(value: bool) => value;
        visit_i64(value: i64) => value;
        visit_u64(value: u64) => value;
        visit_str(value: &str) => value;
    }

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of at most 64 bits")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.done(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        self.done(Value::Null)
    }

    /// Digits too long for any integer arrive here, already rounded: what only they reach is refused.
    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        match Number::from_f64(value).filter(|_| value.abs() < u128::MAX as f64) {
            Some(number) => self.done(number),
            None => self.refuse(problem!(YAML_INVALID: "`{value}` is no number in JSON";
                "quote it if it is text")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.below(list.len()))? {
            list.push(item);
        }
        self.done(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let (mut map, mut merges) = (Map::new(), Vec::new());
        while let Some(Value::String(key)) = entries.next_key_seed(Build { keys: Some(&map), ..self })? {
            match entries.next_value_seed(self.below(&key))? {
                Value::Array(list) if key == "<<" => merges.extend(list),
                merged if key == "<<" => merges.push(merged),
                value => drop(map.insert(key, value)),
            }
        }
        for merged in merges {
            let Value::Object(merged) = merged else {
                return self.refuse(problem!(YAML_INVALID: "`<<` merges mappings only";
                    "name a mapping's anchor"));
            };
            merged.into_iter().for_each(|(key, value)| _ = map.entry(key).or_insert(value));
        }
        self.done(map)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
        let (name, content) = tagged.variant::<String>()?;
        let tag = format!("!{name}");
        if CORE_TAGS.contains(&tag.as_str()) {
            content.newtype_variant_seed(self)
        } else if TAGS.contains(&tag.as_str()) {
            match content.newtype_variant::<String>() {
                Ok(text) => self.done(Map::from_iter([(tag, text.into())])),
                Err(_) => self.refuse(problem!(TAG_INVALID: "what follows `{tag}` is a list or a mapping";
                    "write one name or path behind `{tag}`")),
            }
        } else {
            let tag = tag.replace('~', "!");
            self.refuse(problem!(TAG_UNKNOWN: "unknown tag `{tag}`"; "use !env, !secret or !file"))
        }
    }
}

/// The tag that a value stands for, and its text.
pub(crate) fn tag(value: &Value) -> Option<(&str, &str)> {
    let (name, text) = value.as_object().filter(|map| map.len() == 1)?.iter().next()?;
    TAGS.contains(&name.as_str()).then_some((name, text.as_str()?))
}

/// What a value is, in words on one line.
pub(crate) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => tag(value).map_or("a mapping".into(), |(name, _)| format!("the tag `{name}`")),
        Value::String(text) if text.is_empty() => "an empty string".into(),
        Value::String(text) if text.len() > 60 => format!("a string of {} characters", text.chars().count()),
        other => format!("`{other}`"),
    }
}
