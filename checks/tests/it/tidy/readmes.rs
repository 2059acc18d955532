//! Every plugin has a README of the same shape, and it speaks of every key of the plugin's config.

use serde_json::Value;

use super::tree::{self, File};

const HEADINGS: &[&str] = &["Provides and needs", "Config", "What the model sees", "Failures", "Limits"];

/// Where plugins are, and what becomes a plugin when it is copied.
const PLACES: [&str; 3] =
    ["plugins/*/Cargo.toml", "host/scaffold/templates/*/Cargo.toml", "labs/*/stubs/*/Cargo.toml"];

/// The plugins by folder. The bundle holds them all and is none.
fn folders(files: &[File]) -> Vec<&str> {
    let is_one = |file: &&File| PLACES.iter().any(|place| tree::matches(place, &file.path));
    let manifests = files.iter().filter(is_one);
    manifests.map(File::folder).filter(|folder| *folder != "plugins/bundle").collect()
}

fn check(files: &[File]) -> Vec<String> {
    let mut breaches = Vec::new();
    for folder in folders(files) {
        let find = |name: &str| files.iter().find(|file| file.path == format!("{folder}/{name}"));
        let Some(readme) = find("README.md") else {
            breaches.push(format!(
                "{folder}/README.md:1: a plugin without a README is banned, use one with {}",
                all()
            ));
            continue;
        };
        let headings: Vec<(usize, &str)> = readme
            .lines()
            .filter_map(|(line, text)| Some((line, text.strip_prefix("## ")?.trim())))
            .collect();
        let words: Vec<&str> = headings.iter().map(|(_, heading)| *heading).collect();
        if words != HEADINGS {
            let wrong = words
                .iter()
                .zip(HEADINGS)
                .position(|(a, b)| a != b)
                .unwrap_or(words.len().min(HEADINGS.len()));
            let line = headings.get(wrong).map_or(1, |(line, _)| *line);
            let what = words.get(wrong).map_or("an end".to_owned(), |word| format!("the heading `{word}`"));
            breaches.push(readme.breach(line, &what, &format!("{}, in that order", all())));
        }
        let schema: Value = find("config.schema.json")
            .and_then(|file| serde_json::from_str(&file.text).ok())
            .unwrap_or_default();
        for key in keys(&schema) {
            if !readme.text.contains(&format!("`{key}`")) && !readme.text.contains(&format!(".{key}`")) {
                breaches.push(readme.breach(
                    1,
                    &format!("silence on `{key}`"),
                    "a row of the table under Config",
                ));
            }
        }
    }
    breaches
}

fn all() -> String {
    HEADINGS.join(", ")
}

/// Every key of a schema, however deep.
fn keys(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (key, below) in schema["properties"].as_object().into_iter().flatten() {
        found.push(key.clone());
        found.extend(keys(below));
    }
    for below in [&schema["items"], &schema["additionalProperties"]] {
        if below.is_object() {
            found.extend(keys(below));
        }
    }
    found
}

#[test]
fn every_plugin_has_a_readme() {
    assert!(folders(tree::files()).len() > 3);
    tree::none(check(tree::files()));
}

#[test]
fn a_readme_of_another_shape_is_reported() {
    let schema =
        r#"{"type":"object","properties":{"root":{},"inner":{"type":"object","properties":{"deep":{}}}}}"#;
    let sound = "# llm-a\n\n## Provides and needs\n## Config\n`root`, `inner`, `inner.deep`\n## What the model sees\n## Failures\n## Limits\n";
    let report = |readme: Option<&str>| {
        let mut files = vec![
            File::planted("plugins/llm-a/Cargo.toml", ""),
            File::planted("plugins/llm-a/config.schema.json", schema),
            File::planted("plugins/bundle/Cargo.toml", ""),
        ];
        files.extend(readme.map(|text| File::planted("plugins/llm-a/README.md", text)));
        check(&files).join("\n")
    };
    assert_eq!(report(Some(sound)), "");
    let (path, five) =
        ("plugins/llm-a/README.md", "Provides and needs, Config, What the model sees, Failures, Limits");
    assert_eq!(report(None), format!("{path}:1: a plugin without a README is banned, use one with {five}"));
    for (changed, into, expected) in [
        ("## Limits\n", "", format!("{path}:1: an end is banned, use {five}, in that order")),
        (
            "## Limits",
            "## Limits\n## More",
            format!("{path}:9: the heading `More` is banned, use {five}, in that order"),
        ),
        (
            "## Config",
            "## Settings",
            format!("{path}:4: the heading `Settings` is banned, use {five}, in that order"),
        ),
        (
            "## Failures\n## Limits",
            "## Limits\n## Failures",
            format!("{path}:7: the heading `Limits` is banned, use {five}, in that order"),
        ),
        (
            "`root`, ",
            "root, ",
            format!("{path}:1: silence on `root` is banned, use a row of the table under Config"),
        ),
        (
            ", `inner.deep`",
            "",
            format!("{path}:1: silence on `deep` is banned, use a row of the table under Config"),
        ),
    ] {
        assert_eq!(report(Some(&sound.replace(changed, into))), expected, "{into}");
    }
}
