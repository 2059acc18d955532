//! The texts that a secret value may turn into on its way out, each of which gives it away.
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use std::collections::BTreeSet;

/// Shorter values would mask ordinary text.
pub(crate) const SECRET_BYTES_MIN: usize = 8;
/// From here on a value is a secret whatever it is made of; and a part of one, such as a line, is one by itself.
const PART_BYTES_MIN: usize = 16;
/// What local servers are given in place of a key: neither a secret nor worth a warning.
const PLACEHOLDERS: [&str; 18] = [
    "ollama",
    "lm-studio",
    "lmstudio",
    "llama.cpp",
    "vllm",
    "none",
    "null",
    "empty",
    "dummy",
    "fake",
    "test",
    "local",
    "localhost",
    "not-needed",
    "not-used",
    "unused",
    "no-key",
    "placeholder",
];

/// Whether a value stands where a key is asked for and is none.
pub(crate) fn is_placeholder(value: &str) -> bool {
    value.is_empty() || PLACEHOLDERS.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Whether a value can be told from ordinary text. A word such as `completed` can not, nor can a number: masking it would garble
/// whatever speaks of it.
pub(crate) fn is_telling(value: &str) -> bool {
    value.len() >= if is_plain(value) { PART_BYTES_MIN } else { SECRET_BYTES_MIN } && !is_placeholder(value)
}

/// A word, or a number. Capitals inside a word are no word's spelling.
fn is_plain(value: &str) -> bool {
    let inner = value.chars().skip(1);
    let mixed =
        inner.clone().any(|c| c.is_ascii_uppercase()) && inner.clone().any(|c| c.is_ascii_lowercase());
    let word = value.bytes().all(|b| b.is_ascii_alphabetic() || b"-_. ".contains(&b));
    (word && !mixed) || value.bytes().all(|b| b.is_ascii_digit())
}

/// The value as it is used, and those parts of it that are secrets by themselves: the lines of a key file, and what a URL holds
/// beside scheme and host.
pub(crate) fn parts(secret: &str) -> BTreeSet<&str> {
    // A key is used trimmed.
    let mut parts = BTreeSet::from([secret.trim()]);
    // The lines that frame a key are the same in all of them.
    let lines = secret.lines().map(str::trim).filter(|line| !line.starts_with("-----"));
    parts.extend(lines.filter(|line| line.len() >= PART_BYTES_MIN));
    if let Some((_, rest)) = secret.split_once("://") {
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
        let pieces = user.split(':').chain(path.split(['/', '?', '&', '=', '#']));
        parts.extend(pieces.filter(|piece| is_telling(piece) && !is_plain(piece)));
    }
    parts.retain(|part| is_telling(part));
    parts
}

/// A value as it is, and as JSON, URLs, HTML, debug output, base64 and hex have it.
pub(crate) fn encodings(value: &str) -> BTreeSet<String> {
    let json = json_string(value);
    let texts = [
        value.to_owned(),
        // PHP escapes slashes, Go what HTML reads, Python what is not ASCII.
        json.replace('/', r"\/"),
        json.replace('<', r"\u003c").replace('>', r"\u003e").replace('&', r"\u0026"),
        in_ascii(&json),
        json,
        value.escape_debug().to_string(),
        html(value),
    ];
    // Each may stand in JSON again: arguments of a call are a string of their own, and so is what a provider says in an error.
    let mut forms: BTreeSet<String> = texts.iter().map(|text| json_string(text)).collect();
    forms.extend(texts);
    forms.extend([hex(value, |byte| format!("{byte:02x}")), hex(value, |byte| format!("{byte:02X}"))]);
    forms.insert(value.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect());
    let unreserved = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
    // What a URL keeps when it is written down again.
    let kept = |b: u8| unreserved(b) || b"!#$%&'()*+,/:;=?@[]".contains(&b);
    for digits in [|b: u8| format!("%{b:02X}"), |b: u8| format!("%{b:02x}")] {
        let strict = percent(value, unreserved, digits);
        forms.extend([strict.replace("%20", "+"), percent(value, kept, digits), strict]);
        forms.insert(percent(value, |_| false, digits));
    }
    // The value may stand anywhere in what was encoded: at each of the three alignments, the characters that it alone decides.
    for shift in 0..3 {
        let bytes = [&vec![0; shift], value.as_bytes()].concat();
        let (from, to) = ((shift * 8).div_ceil(6), bytes.len() * 8 / 6);
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            forms.insert(encoded[from..to].to_owned());
        }
    }
    // A host's name is written in lower case. A short value may then be a word.
    if value.len() >= PART_BYTES_MIN {
        forms.extend([value.to_ascii_lowercase(), value.to_ascii_uppercase()]);
    }
    forms.retain(|form| form.len() >= SECRET_BYTES_MIN);
    forms
}

/// Without the quotes it stands between.
fn json_string(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn in_ascii(json: &str) -> String {
    let escaped = |c: char| -> String {
        if c.is_ascii() {
            return c.into();
        }
        c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
    };
    json.chars().map(escaped).collect()
}

fn html(value: &str) -> String {
    // The first replaces the sign that the others bring in.
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")]
        .iter()
        .fold(value.to_owned(), |text, (sign, entity)| text.replace(sign, entity))
}

fn hex(value: &str, digits: fn(u8) -> String) -> String {
    value.bytes().map(digits).collect()
}

fn percent(value: &str, stays: impl Fn(u8) -> bool, digits: fn(u8) -> String) -> String {
    value.bytes().map(|b| if stays(b) { char::from(b).to_string() } else { digits(b) }).collect()
}
