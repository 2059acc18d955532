//! The raw text of a call's arguments, checked against the tool's schema: either all of it is right or the model is told all
//! that is wrong.

use std::{collections::BTreeMap, fmt};

use contracts::tools::code::INVALID_ARGS;
use plugin_sdk::contracts;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Value, error::Category};

use crate::{
    failure::{Failure, shown},
    schema::Tool,
};

/// Arguments that fit the schema.
#[derive(Debug)]
pub(crate) struct Arguments(Vec<(String, Value)>);

impl Arguments {
    /// Reads `text`, of which nothing is guessed: broken JSON, a wrong type, a missing or unknown name is a failure.
    pub(crate) fn read(tool: &Tool, text: &str) -> Result<Self, Failure> {
        let refused = |why: &str| {
            let message =
                format!("invalid arguments of {}: {why}; a correct call is {}", tool.name, tool.example);
            Failure::new(INVALID_ARGS, message)
        };
        let text = if text.trim().is_empty() { "{}" } else { text };
        let Pairs(mut pairs) = serde_json::from_str(text).map_err(|e| match e.classify() {
            // What serde says of a wrong type repeats the value, however long it is.
            Category::Data => refused("they are JSON, but not an object"),
            _ => refused(&format!("they are not JSON, {e}")),
        })?;
        // The schemas are ours; one that cannot be read would accept nothing.
        let schema: Schema = serde_json::from_str(&tool.parameters).map_err(|e| refused(&e.to_string()))?;
        // Many models write null for what they leave out.
        pairs.retain(|(name, value)| !value.is_null() || schema.required.contains(name));
        let problems = schema.problems(&pairs);
        if problems.is_empty() { Ok(Self(pairs)) } else { Err(refused(&problems.join(", "))) }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.value(name)?.as_str()
    }

    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        whole(self.value(name)?)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }
}

/// The part of JSON Schema that the tools' schemas use.
#[derive(Deserialize)]
struct Schema {
    properties: BTreeMap<String, Property>,
    #[serde(default)]
    required: Vec<String>,
}

#[derive(Deserialize)]
struct Property {
    #[serde(rename = "type")]
    kind: String,
    minimum: Option<u64>,
    maximum: Option<u64>,
}

impl Schema {
    fn problems(&self, pairs: &[(String, Value)]) -> Vec<String> {
        let is_there = |name: &String| pairs.iter().any(|(n, _)| n == name);
        let mut problems: Vec<String> = self
            .required
            .iter()
            .filter(|name| !is_there(name))
            .map(|name| format!("`{name}` is missing"))
            .collect();
        for (at, (name, value)) in pairs.iter().enumerate() {
            let shown = shown(name);
            if pairs[..at].iter().any(|(n, _)| n == name) {
                problems.push(format!("{shown} is there twice"));
                continue;
            }
            match self.properties.get(name) {
                None => problems.push(format!("{shown} is not an argument of it")),
                Some(property) => problems.extend(property.problem(value).map(|p| format!("{shown} {p}"))),
            }
        }
        problems
    }
}

impl Property {
    fn problem(&self, value: &Value) -> Option<String> {
        if self.kind == "string" {
            return (!value.is_string()).then(|| format!("must be a string, not {}", kind(value)));
        }
        let range = self.minimum.unwrap_or(0)..=self.maximum.unwrap_or(u64::MAX);
        if whole(value).is_some_and(|n| range.contains(&n)) {
            return None;
        }
        let most = self.maximum.map(|n| format!(" and at most {n}")).unwrap_or_default();
        let is = if value.is_number() { value.to_string() } else { kind(value).to_owned() };
        Some(format!("must be a whole number of at least {}{most}, not {is}", range.start()))
    }
}

/// JSON Schema counts `5.0` among the integers.
fn whole(value: &Value) -> Option<u64> {
    let float = || value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..9e15).contains(n)).map(|n| n as u64);
    value.as_u64().or_else(float)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A JSON object as it is written: a name that is there twice stays twice, because either value would be a guess.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Pairs;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Object)
    }
}
