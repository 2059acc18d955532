//! Every plugin's config schema is one that the host understands in full: what it does not know, it would ignore.

use serde_json::{Map, Value};

use super::tree::{self, File};

/// The keywords that the host knows (`host/rows/src/schema.rs`).
const KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "default",
    "description",
];
const TYPES: &[&str] = &["string", "integer", "number", "boolean", "null", "array", "object"];

fn check(file: &File) -> Vec<String> {
    let schema: Value = match serde_json::from_str(&file.text) {
        Ok(schema) => schema,
        Err(error) => return vec![file.breach(error.line(), "what is no JSON", "an object schema")],
    };
    let mut report = Report { file, breaches: Vec::new() };
    match schema.as_object().filter(|schema| schema.get("type") == Some(&Value::from("object"))) {
        Some(schema) => report.schema("the config", schema),
        None => report.say("the config", "a schema of no object", "`\"type\": \"object\"`"),
    }
    report.breaches
}

struct Report<'a> {
    file: &'a File,
    breaches: Vec<String>,
}

impl Report<'_> {
    /// A breach at a key, on the first line that has it.
    fn say(&mut self, at: &str, what: &str, instead: &str) {
        let key = format!("\"{}\"", at.rsplit('.').next().unwrap_or(at));
        let line = self.file.lines().find(|(_, text)| text.contains(&key)).map_or(1, |(line, _)| line);
        self.breaches.push(self.file.breach(line, &format!("{what} at `{at}`"), instead));
    }

    fn schema(&mut self, at: &str, schema: &Map<String, Value>) {
        for keyword in schema.keys().filter(|keyword| !KEYWORDS.contains(&keyword.as_str())) {
            self.say(
                at,
                &format!("the keyword `{keyword}`"),
                &format!("one the host knows: {}", KEYWORDS.join(", ")),
            );
        }
        let types: Vec<&Value> = match schema.get("type") {
            Some(Value::Array(list)) => list.iter().collect(),
            Some(one) => vec![one],
            None => Vec::new(),
        };
        for wrong in types.iter().filter(|name| !name.as_str().is_some_and(|name| TYPES.contains(&name))) {
            self.say(at, &format!("the type `{wrong}`"), &TYPES.join(", "));
        }
        if types.is_empty() && !schema.contains_key("enum") {
            self.say(at, "a value of any type", "`type` or `enum`");
        }
        if let Some(default) = schema.get("default").filter(|default| !fits(default, &types, schema)) {
            self.say(at, &format!("the default `{default}`"), "one that the schema allows");
        }
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if !name.as_str().is_some_and(|name| properties.contains_key(name)) {
                self.say(at, &format!("the required {name}"), "a key under `properties`");
            }
        }
        for (key, below) in properties {
            let at = if at == "the config" { key.clone() } else { format!("{at}.{key}") };
            let Some(below) = below.as_object() else {
                self.say(&at, "a property that is no schema", "an object");
                continue;
            };
            let described =
                below.get("description").and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
            if !described {
                self.say(&at, "a property without words", "`description`");
            }
            self.schema(&at, below);
        }
        for inner in ["items", "additionalProperties"] {
            if let Some(inner) = schema.get(inner).and_then(Value::as_object) {
                self.schema(at, inner);
            }
        }
    }
}

fn fits(value: &Value, types: &[&Value], schema: &Map<String, Value>) -> bool {
    let is = |name: &str| match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let number = value.as_f64();
    (types.is_empty() || types.iter().any(|name| name.as_str().is_some_and(is)))
        && schema.get("enum").and_then(Value::as_array).is_none_or(|allowed| allowed.contains(value))
        && number.zip(bound("minimum")).is_none_or(|(number, least)| number >= least)
        && number.zip(bound("maximum")).is_none_or(|(number, most)| number <= most)
        && value
            .as_str()
            .zip(bound("minLength"))
            .is_none_or(|(text, least)| text.chars().count() as f64 >= least)
}

#[test]
fn every_config_schema_is_one_the_host_understands() {
    let places = ["plugins/*", "host/scaffold/templates/*", "labs/*/stubs/*"];
    let is_schema = |file: &&File| {
        file.name() == "config.schema.json" && places.iter().any(|place| tree::matches(place, file.folder()))
    };
    let schemas: Vec<&File> = tree::files().iter().filter(is_schema).collect();
    assert!(schemas.len() > 3);
    tree::none(schemas.into_iter().flat_map(check));
}

#[test]
fn the_host_knows_no_other_keywords() {
    let host = tree::files().iter().find(|file| file.path == "host/rows/src/schema.rs").unwrap();
    for keyword in KEYWORDS {
        assert!(host.text.contains(&format!("\"{keyword}\"")), "the host does not know `{keyword}`");
    }
}

#[test]
fn a_schema_that_the_host_would_not_understand_is_reported() {
    let report = |text: &str| check(&File::planted("plugins/a/config.schema.json", text)).join("\n");
    let config = |properties: &str| format!("{{\"type\":\"object\",\"properties\":{{\n{properties}\n}}}}");
    for sound in [
        r#"{"type":"object","additionalProperties":false}"#.to_owned(),
        config(r#""a":{"type":"integer","minimum":1,"default":3,"description":"A."}"#),
        config(r#""a":{"type":["number","null"],"default":null,"description":"A."}"#),
        config(r#""a":{"enum":["x","y"],"default":"x","description":"A."}"#),
        config(r#""a":{"type":"object","additionalProperties":{"type":"string"},"description":"A."}"#),
        config(r#""a":{"type":"array","items":{"type":"string"},"default":[],"description":"A."}"#),
    ] {
        assert_eq!(report(&sound), "", "{sound}");
    }
    let start = "plugins/a/config.schema.json";
    for (properties, expected) in [
        (r#""a":{"type":"string"}"#, "a property without words at `a` is banned, use `description`"),
        (r#""a":{"type":"string","description":" "}"#, "a property without words at `a` is banned"),
        (r#""a":{"description":"A."}"#, "a value of any type at `a` is banned, use `type` or `enum`"),
        (
            r#""a":{"type":"text","description":"A."}"#,
            "the type `\"text\"` at `a` is banned, use string, integer",
        ),
        (
            r#""a":{"type":"string","pattern":"x","description":"A."}"#,
            "the keyword `pattern` at `a` is banned, use one the host knows",
        ),
        (
            r#""a":{"type":"integer","default":"3","description":"A."}"#,
            "the default `\"3\"` at `a` is banned",
        ),
        (
            r#""a":{"type":"integer","minimum":5,"default":3,"description":"A."}"#,
            "the default `3` at `a` is banned",
        ),
        (
            r#""a":{"type":"string","enum":["x"],"default":"y","description":"A."}"#,
            "the default `\"y\"` at `a` is banned",
        ),
        (
            r#""a":{"type":"string","minLength":1,"default":"","description":"A."}"#,
            "the default `\"\"` at `a` is banned",
        ),
        (r#""a":true"#, "a property that is no schema at `a` is banned"),
        (
            r#""a":{"type":"object","description":"A.","required":["b"]}"#,
            "the required \"b\" at `a` is banned",
        ),
        (
            r#""a":{"type":"object","description":"A.","properties":{"b":{"type":"string"}}}"#,
            "a property without words at `a.b` is banned",
        ),
        (
            r#""a":{"type":"array","description":"A.","items":{"type":"string","format":"uri"}}"#,
            "the keyword `format` at `a` is banned",
        ),
    ] {
        let breach = report(&config(properties));
        assert!(breach.starts_with(&format!("{start}:2: {expected}")), "{breach}");
    }
    assert_eq!(report("{"), format!("{start}:1: what is no JSON is banned, use an object schema"));
    for text in ["[]", "{}", r#"{"type":"string"}"#] {
        assert!(
            report(text).starts_with(&format!("{start}:1: a schema of no object at `the config` is banned"))
        );
    }
}
