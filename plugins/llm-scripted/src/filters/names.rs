//! Listings and file names.
use std::collections::HashMap;

/// The entries of a listing; a link without where it leads.
pub(crate) fn entries(listing: &str) -> Vec<String> {
    let lines = content(listing).lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.map(|line| line.split_once(" -> ").map_or(line, |(name, _)| name).to_owned()).collect()
}

/// What a tool returned, without its note.
pub(crate) fn content(text: &str) -> &str {
    split(text).0
}

/// What a tool says about what it returned, in brackets on the last line: `[empty folder]`, `[lines 1 to 90 of …]`.
pub(crate) fn note(text: &str) -> &str {
    split(text).1
}

fn split(text: &str) -> (&str, &str) {
    let (above, last) = text.trim_end().rsplit_once('\n').unwrap_or(("", text.trim_end()));
    let note =
        last.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|note| note.contains(' '));
    note.map_or((text, ""), |note| (above, note))
}

/// The names that a glob matches: the first glob's first, each name once. One behind a `!` takes names away.
///
/// # Errors
/// What `charge` says to the number of characters compared.
pub(crate) fn pick<E>(
    names: &[String],
    globs: &[String],
    most: usize,
    mut charge: impl FnMut(usize) -> Result<(), E>,
) -> Result<Vec<String>, E> {
    let lower = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    let mut left: Vec<(&String, Vec<char>)> = names.iter().map(|name| (name, lower(name))).collect();
    let mut picked = Vec::new();
    let (never, wanted): (Vec<&String>, Vec<&String>) = globs.iter().partition(|glob| glob.starts_with('!'));
    for glob in never.into_iter().chain(wanted) {
        let (mut compared, pattern) = (0, lower(glob.trim_start_matches('!')));
        let (hits, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(_, name)| is_match(&pattern, name, &mut compared));
        left = others;
        charge(compared)?;
        if !glob.starts_with('!') {
            picked.extend(hits.into_iter().map(|(name, _)| name.clone()));
        }
    }
    picked.truncate(most);
    Ok(picked)
}

/// Whether a glob, whose `*` stands for any text, matches the whole name.
fn is_match(glob: &[char], name: &[char], compared: &mut usize) -> bool {
    let (mut g, mut n) = (0, 0);
    // Where the last `*` stands, and how much of the name it has been given so far.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        *compared += 1;
        if glob.get(g) == Some(&'*') {
            star = Some((g, n));
            g += 1;
        } else if glob.get(g) == Some(&name[n]) {
            (g, n) = (g + 1, n + 1);
        } else if let Some((at, given)) = star {
            star = Some((at, given + 1));
            (g, n) = (at + 1, given + 1);
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

/// The names below a folder.
pub(crate) fn under(names: &[String], folder: &str) -> Vec<String> {
    match folder.trim_end_matches('/') {
        "" | "." => names.to_vec(),
        folder => names.iter().map(|name| format!("{folder}/{name}")).collect(),
    }
}

/// The extension of a path in lower case, `""` for none.
pub(crate) fn ext(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ext = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    ext.map(|(_, ext)| ext.to_lowercase()).unwrap_or_default()
}

/// Each value with how often it is there: the most frequent first, then by name.
pub(crate) fn tally(values: Vec<String>) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|(a, n), (b, m)| m.cmp(n).then_with(|| a.cmp(b)));
    counts
}

/// The first names in a row, and how many more there are.
pub(crate) fn listed(names: &[String], most: usize) -> String {
    let (shown, more) = names.split_at(most.min(names.len()));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    shown.join(", ") + &more
}

/// So many of a thing.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
