//! What a JSON reader has against a text, in words of JSON and not of Rust.

use serde::de::IgnoredAny;

/// One sentence without its subject: `` `name` is missing (at character 9) ``, ``expected a string, not `5` (at character 12)``.
pub(super) fn in_words(error: &serde_json::Error, json: &str) -> String {
    let text = error.to_string();
    let (line, column) = (error.line(), error.column());
    let text = match error.is_data() {
        true => said(text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text)),
        // To its reader an empty object in the place of one with one key is no JSON at all.
        false if serde_json::from_str::<IgnoredAny>(json).is_ok() => {
            "expected an object with one key".to_owned()
        }
        false => "this is not JSON".to_owned(),
    };
    let place = match line {
        0 => String::new(),
        1 => format!(" (at character {column})"),
        line => format!(" (in line {line}, at character {column})"),
    };
    format!("{text}{place}")
}

fn said(text: &str) -> String {
    let after = |start: &str| text.strip_prefix(start);
    if let Some(field) = after("missing field ") {
        return format!("{field} is missing");
    }
    if let Some(field) = after("duplicate field ") {
        return format!("{field} is given twice");
    }
    if let Some(variant) = after("unknown variant ") {
        let (word, known) = variant.split_once(", expected ").unwrap_or((variant, "another"));
        return format!("expected {known}, not {word}");
    }
    let split = |rest: &'static str| after(rest)?.rsplit_once(", expected ");
    if let Some((length, wanted)) = split("invalid length ") {
        return format!("expected {}, not a list of {length}", wanted_kind(wanted));
    }
    match split("invalid type: ").or_else(|| split("invalid value: ")) {
        Some((found, wanted)) => format!("expected {}, not {}", wanted_kind(wanted), found_kind(found)),
        None => text.to_owned(),
    }
}

/// What a type of serde's is in JSON.
fn wanted_kind(kind: &str) -> &str {
    match kind {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "unit" => "null",
        "a map" => "an object",
        kind if kind.starts_with("struct ") => "an object",
        kind if kind.contains("enum ") => "an object with one key",
        kind => kind,
    }
}

fn found_kind(kind: &str) -> String {
    match kind {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        kind => {
            let value = ["integer ", "boolean ", "floating point ", "string "]
                .iter()
                .find_map(|k| kind.strip_prefix(k));
            value.unwrap_or(kind).to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;
    use serde::Deserialize;

    #[derive(Deserialize, Debug)]
    #[expect(dead_code, reason = "only reading it is looked at")]
    struct Head {
        name: String,
        #[serde(default)]
        count: u32,
        #[serde(default)]
        list: Vec<f64>,
        #[serde(default)]
        word: Option<Word>,
        #[serde(default)]
        on: bool,
    }

    #[derive(Deserialize, Debug)]
    #[serde(rename_all = "snake_case")]
    enum Word {
        Stop {},
        GoOn {},
    }

    #[test]
    fn mistakes_are_told_in_words_of_json() {
        let table = [
            ("{}", "`name` is missing (at character 2)"),
            ("[]", "expected an object, not a list of 0 (at character 2)"),
            ("7", "expected an object, not `7` (at character 1)"),
            ("\"x\"", "expected an object, not \"x\" (at character 3)"),
            ("{\"name\": 5}", "expected a string, not `5` (at character 10)"),
            ("{\"name\": [1]}", "expected a string, not a list (at character 9)"),
            ("{\"name\": {}}", "expected a string, not an object (at character 9)"),
            ("{\"name\": null}", "expected a string, not null (at character 13)"),
            (
                "{\"name\": \"a\", \"count\": -1}",
                "expected a whole number that is not negative, not `-1` (at character 25)",
            ),
            (
                "{\"name\": \"a\", \"count\": 1.5}",
                "expected a whole number that is not negative, not `1.5` (at character 26)",
            ),
            ("{\"name\": \"a\", \"list\": true}", "expected a list, not `true` (at character 26)"),
            ("{\"name\": \"a\", \"on\": 1}", "expected true or false, not `1` (at character 21)"),
            ("{\"name\": \"a\", \"name\": \"b\"}", "`name` is given twice (at character 20)"),
            (
                "{\"name\": \"a\", \"word\": {\"go\": {}}}",
                "expected `stop` or `go_on`, not `go` (at character 27)",
            ),
            ("{\"name\": \"a\",\n \"list\": [1 2]}", "this is not JSON (in line 2, at character 13)"),
            ("{\"name\": \"a\", \"word\": {}}", "expected an object with one key (at character 24)"),
            ("{\"name\": ", "this is not JSON (at character 9)"),
            ("", "this is not JSON (at character 0)"),
        ];
        for (text, wanted) in table {
            let error = serde_json::from_str::<Head>(text).unwrap_err();
            assert_eq!(in_words(&error, text), wanted, "{text}");
        }
    }
}
