//! A row's config against its plugin's schema: text from outside gets its type, defaults are filled in, mistakes are
//! told all at once.
//!
//! `apply(&mut Row, schema: &Value) -> Result<(), Problem>`; the message has one line a mistake.
//!
//! Of JSON Schema the host knows `type` (a name or a list of names), `properties`, `required`, `additionalProperties`,
//! `items`, `enum`, `minimum`, `maximum`, `minLength`, `default` and `description`, and ignores the rest. Only strings
//! from `!env`, `!secret` and `!file` are coerced, to integer, number, boolean or null, unless a string will do; where
//! one is empty and its key optional, the key is left out. A whole number written as `1.0` or `1e3` is an integer.

use serde_json::{Map, Number, Value};

use crate::{
    locate::{dotted, escaped},
    problem::{Problem, did_you_mean, names},
    resolve::{Origin, Origins, Row, switch},
    yaml::kind,
};

/// More would not be read.
const MISTAKES_MAX: usize = 30;

/// Checks and completes the config of one row.
pub fn apply(row: &mut Row, schema: &Value) -> Result<(), Problem> {
    let mut check = Check { origins: std::mem::take(&mut row.origins), mistakes: Vec::new() };
    check.value("/config", &mut row.config, schema);
    row.origins = check.origins;
    let mut lines = Vec::new();
    for Mistake { pointer, message, hint } in check.mistakes.into_iter().take(MISTAKES_MAX) {
        let place = row.place_of(&pointer);
        let (file, line) = place.line();
        lines.push((line, format!("{}:{line}: row `{}`: {message}", file.display(), row.id), hint));
    }
    lines.sort_by_key(|(line, ..)| *line);
    let Some((.., hint)) = lines.first().cloned() else { return Ok(()) };
    let message = lines.into_iter().map(|(_, text, _)| text).collect::<Vec<_>>().join("\n");
    Err(Problem::new("CONFIG_INVALID", message, hint))
}

struct Mistake {
    pointer: String,
    message: String,
    hint: String,
}

struct Check {
    origins: Origins,
    mistakes: Vec<Mistake>,
}

impl Check {
    fn value(&mut self, pointer: &str, value: &mut Value, schema: &Value) {
        let types = strings(schema, "type");
        if let Some(text) = value.as_str().filter(|_| self.is_untyped(pointer, &types))
            && let Some(typed) = types.iter().find_map(|name| coerced(text, name))
        {
            *value = typed;
        }
        // Beyond 2^53 a float no longer says which integer was meant.
        if let Some(float) = value.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15)
            && value.is_f64()
            && types.contains(&"integer")
        {
            *value = Value::from(float as i64);
        }
        let (fit, expected): (Vec<bool>, Vec<&str>) = types.iter().map(|name| is(value, name)).unzip();
        if !fit.is_empty() && !fit.contains(&true) {
            return self.wrong(pointer, value, &expected.join(" or "));
        }
        let allowed = schema.get("enum").and_then(Value::as_array);
        if let Some(allowed) = allowed.filter(|allowed| !allowed.contains(value)) {
            let allowed: Vec<String> =
                allowed.iter().map(|v| v.as_str().map_or(v.to_string(), str::to_owned)).collect();
            return self.wrong(
                pointer,
                value,
                &format!("one of {}", names(allowed.iter().map(String::as_str))),
            );
        }
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        match value {
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or_default();
                if let Some(least) = bound("minimum").filter(|least| number < *least) {
                    self.wrong(pointer, value, &format!("at least {least}"));
                } else if let Some(most) = bound("maximum").filter(|most| number > *most) {
                    self.wrong(pointer, value, &format!("at most {most}"));
                }
            }
            Value::String(text) => {
                if let Some(least) = bound("minLength").filter(|least| (text.chars().count() as f64) < *least)
                {
                    self.wrong(pointer, value, &format!("a string of {least} or more characters"));
                }
            }
            Value::Object(object) => self.object(pointer, object, schema),
            Value::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    self.value(&format!("{pointer}/{at}"), item, schema.get("items").unwrap_or(&Value::Null));
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn object(&mut self, pointer: &str, object: &mut Map<String, Value>, schema: &Value) {
        let (none, required) = (Map::new(), strings(schema, "required"));
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let below = |key: &str| format!("{pointer}/{}", escaped(key));
        for (key, property) in properties {
            let pointer = below(key);
            let empty = object.get(key).and_then(Value::as_str).is_some_and(|text| text.trim().is_empty());
            if empty
                && !required.contains(&key.as_str())
                && self.is_untyped(&pointer, &strings(property, "type"))
            {
                object.remove(key);
                self.origins.remove(&pointer);
            }
            if let (false, Some(default)) = (object.contains_key(key), property.get("default")) {
                object.insert(key.clone(), default.clone());
                self.origins.insert(pointer, Origin::Schema);
            }
        }
        for key in required.into_iter().filter(|key| !object.contains_key(*key)) {
            let (name, about) =
                (dotted(&below(key)), properties.get(key).and_then(|p| p.get("description")?.as_str()));
            let hint = about.map_or(format!("add `{name}`"), |about| format!("add `{name}`: {about}"));
            self.mistakes.push(Mistake {
                pointer: pointer.to_owned(),
                message: format!("`{name}` is missing"),
                hint,
            });
        }
        for (key, value) in object {
            match properties.get(key).or(schema.get("additionalProperties")) {
                Some(Value::Bool(false)) => {
                    let (known, pointer) = (|| properties.keys().map(String::as_str), below(key));
                    let message = format!("unknown key `{}`{}", dotted(&pointer), did_you_mean(key, known()));
                    let hint = format!("remove it, or use one of the keys there are: {}", names(known()));
                    self.mistakes.push(Mistake { pointer, message, hint });
                }
                Some(schema) => self.value(&below(key), value, schema),
                None => {}
            }
        }
    }

    /// Whether the schema decides what the text at a pointer becomes.
    fn is_untyped(&self, pointer: &str, types: &[&str]) -> bool {
        let outside = self.origins.get(pointer).is_some_and(|origin| *origin != Origin::Schema);
        outside && !types.is_empty() && !types.contains(&"string")
    }

    /// Notes a mistake. The text of a secret or of a file is not shown.
    fn wrong(&mut self, pointer: &str, value: &Value, expected: &str) {
        let (name, found, origin) = (dotted(pointer), kind(value), self.origins.get(pointer));
        let (found, hint) = match origin {
            Some(Origin::Secret(name)) => {
                (format!("the value of {name}"), format!("set {name} to {expected}"))
            }
            Some(Origin::File(path)) => (format!("the text of `{path}`"), format!("correct `{path}`")),
            Some(Origin::Variable(name, layer)) => {
                (format!("{found} ({layer} {name})"), format!("set {name} to {expected}"))
            }
            Some(Origin::Schema) => (format!("its default, {found}"), format!("make `{name}` {expected}")),
            None => (found, format!("make `{name}` {expected}")),
        };
        let message = format!("`{name}` must be {expected}, not {found}");
        self.mistakes.push(Mistake { pointer: pointer.to_owned(), message, hint });
    }
}

/// A key's string, or its list of strings.
fn strings<'a>(schema: &'a Value, key: &str) -> Vec<&'a str> {
    match schema.get(key) {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        other => other.and_then(Value::as_str).into_iter().collect(),
    }
}

/// Whether a value is of a type, and the type in words.
fn is<'a>(value: &Value, name: &'a str) -> (bool, &'a str) {
    match name {
        "string" => (value.is_string(), "a string"),
        "integer" => (value.is_i64() || value.is_u64(), "an integer"),
        "number" => (value.is_number(), "a number"),
        "boolean" => (value.is_boolean(), "true or false"),
        "null" => (value.is_null(), "null"),
        "array" => (value.is_array(), "a list"),
        "object" => (value.is_object(), "a mapping"),
        other => (true, other),
    }
}

fn coerced(text: &str, name: &str) -> Option<Value> {
    let text = text.trim();
    match name {
        "integer" => {
            text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from)).ok()
        }
        "number" => {
            coerced(text, "integer").or_else(|| Number::from_f64(text.parse().ok()?).map(Value::Number))
        }
        "boolean" => switch(text).map(Value::Bool),
        "null" => ["", "null", "~"].contains(&text).then_some(Value::Null),
        _ => None,
    }
}
