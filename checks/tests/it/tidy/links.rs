//! Links between documents lead somewhere: to a file of the repository, and to a heading where they name one.

use std::collections::HashMap;

use super::tree::{self, File};

/// The documents of a repository by path, everything else with no text.
type Known<'a> = HashMap<&'a str, &'a str>;

fn known(files: &[File]) -> Known<'_> {
    files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect()
}

fn check(file: &File, known: &Known<'_>) -> Vec<String> {
    let mut breaches = Vec::new();
    for (line, target) in targets(&file.text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (path, heading) =
            target.split_once('#').map_or((target, None), |(path, heading)| (path, Some(heading)));
        let place = if path.is_empty() { Some(file.path.clone()) } else { resolve(file.folder(), path) };
        let there = place.filter(|place| {
            known.contains_key(place.as_str())
                || known.keys().any(|path| within(path, place))
                || place.is_empty()
        });
        let text = there.as_ref().map(|place| known.get(place.as_str()).copied().unwrap_or_default());
        match (text, heading) {
            (None, _) => {
                let instead = "a relative path to a file that is there";
                breaches.push(file.breach(line, &format!("the link `{target}`"), instead));
            }
            (Some(text), Some(heading)) if !headings(text).any(|known| known == heading) => {
                breaches.push(file.breach(line, &format!("the link `{target}`"), "a heading that is there"));
            }
            _ => {}
        }
    }
    breaches
}

fn within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// The place a relative path leads to; `None` for an absolute one and for one that leaves the repository.
fn resolve(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if path.starts_with('/') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What a document links to, with the line of each. Code is no link.
fn targets(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut fenced) = (Vec::new(), false);
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced || text.starts_with("    ") {
            continue;
        }
        let defined = text.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
        found.extend(
            defined.filter(|(label, _)| !label.contains(']')).map(|(_, target)| (line, target.trim())),
        );
        // Every other piece between backquotes is code.
        for piece in text.split('`').step_by(2) {
            for (at, _) in piece.match_indices("](") {
                let target = &piece[at + 2..];
                let target = &target[..target.find([')', ' ']).unwrap_or(target.len())];
                found.push((line, target.trim_matches(['<', '>'])));
            }
        }
    }
    found
}

/// The headings of a document as links name them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        words
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .collect::<String>()
            .replace(' ', "-")
    })
}

#[test]
fn links_lead_somewhere() {
    let known = known(tree::files());
    let documents = tree::files().iter().filter(|file| file.path.ends_with(".md"));
    tree::none(documents.flat_map(|file| check(file, &known)));
}

#[test]
fn a_link_to_nowhere_is_reported() {
    let text = |links: &str| format!("# A title\n\n{links}\n");
    let report = |links: &str| {
        let files = [
            File::planted("docs/a.md", &text(links)),
            File::planted("docs/b.md", "# One & two: `x_y`\n"),
            File::planted("src/lib.rs", ""),
        ];
        check(&files[0], &known(&files)).join("\n")
    };
    for sound in [
        "[b](b.md), [b](./b.md), [code](../src/lib.rs), [folder](../src), [folder](../src/), [root](..)",
        "[b](b.md#one--two-x_y), [here](#a-title), [titled](b.md \"B\"), ![image](b.md)",
        "[far](https://example.org/x), [mail](mailto:a@example.org), <https://example.org>",
        "`[code](none.md)` and [`code`](b.md)\n\n```\n[code](none.md)\n```\n\n    [code](none.md)",
        "[label]: b.md\n[x] no link (none.md)",
    ] {
        assert_eq!(report(sound), "", "{sound}");
    }
    for target in ["none.md", "../b.md", "../../b.md", "/docs/b.md", "lib.rs", "b.md/", "../sr"] {
        let target = if target == "b.md/" { "b.md/x" } else { target };
        let expected = format!(
            "docs/a.md:3: the link `{target}` is banned, use a relative path to a file that is there"
        );
        assert_eq!(report(&format!("see [it]({target}).")), expected);
        assert_eq!(report(&format!("[it]: {target}")), expected);
    }
    for target in ["b.md#none", "#none", "../src/lib.rs#none"] {
        let expected = format!("docs/a.md:3: the link `{target}` is banned, use a heading that is there");
        assert_eq!(report(&format!("[`it`]({target})")), expected);
    }
}
