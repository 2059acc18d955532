//! Secret values, recognised wherever they might leave: plain, JSON-escaped, URL- and base64-encoded.
use aho_corasick::{AhoCorasick, MatchKind};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use std::{borrow::Cow, collections::BTreeMap};

/// Shorter values would mask ordinary text.
const SECRET_BYTES_MIN: usize = 8;
/// From here on a value is a secret whatever it is made of.
const WORD_BYTES_MAX: usize = 16;

/// Whether a value can be told from ordinary text. A placeholder such as `ollama`, `lm-studio` or `not-needed` can not: masking it would
/// garble whatever speaks of it, and it protects nothing.
fn is_telling(value: &str) -> bool {
    let word = value.bytes().all(|b| b.is_ascii_alphabetic() || b"-_. ".contains(&b));
    let number = value.bytes().all(|b| b.is_ascii_digit());
    value.len() >= if word || number { WORD_BYTES_MAX } else { SECRET_BYTES_MIN }
}

/// The secrets of all rows, in every form they are recognised in. In their place stands `[NAME]`, the variable in brackets.
#[derive(Debug, Default)]
pub struct Secrets {
    finder: Option<AhoCorasick>,
    forms: Vec<String>,
    masks: Vec<String>,
}

impl Secrets {
    /// `secrets` by the name of their variable, as the rows have them.
    pub fn new(secrets: &BTreeMap<String, String>) -> Secrets {
        let mut forms: BTreeMap<String, String> = BTreeMap::new();
        for (name, secret) in secrets {
            // A key is used trimmed.
            for value in [secret.as_str(), secret.trim()].into_iter().filter(|value| is_telling(value)) {
                forms.extend(encodings(value).into_iter().map(|form| (form, format!("[{name}]"))));
            }
        }
        let (forms, masks): (Vec<String>, Vec<String>) = forms.into_iter().unzip();
        let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms);
        Secrets { finder: built.ok().filter(|_| !forms.is_empty()), forms, masks }
    }

    /// How many bytes at the end of a text may be the beginning of a secret, the rest of which is still to come.
    pub fn unfinished(&self, text: &str) -> usize {
        let longest = self.forms.iter().map(String::len).max().unwrap_or_default();
        let begins = |tail: &[u8]| {
            self.forms.iter().any(|form| form.len() > tail.len() && form.as_bytes().starts_with(tail))
        };
        let tails = text.len().saturating_sub(longest)..text.len();
        let bytes = text.as_bytes();
        tails.into_iter().find(|at| begins(&bytes[*at..])).map_or(0, |at| text.len() - at)
    }

    /// The text with every secret masked.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.finder {
            Some(finder) if finder.is_match(text) => finder.replace_all(text, &self.masks).into(),
            _ => text.into(),
        }
    }

    /// The bytes with every secret masked; `None` when there is none in them.
    pub fn mask_bytes(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let finder = self.finder.as_ref()?;
        finder.is_match(bytes).then(|| finder.replace_all_bytes(bytes, &self.masks))
    }

    /// Whether there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        self.finder.is_none()
    }
}

fn encodings(value: &str) -> Vec<String> {
    // A JSON string stands between two quotes.
    let quoted = serde_json::Value::from(value).to_string();
    let percent = |digits: fn(u8) -> String| -> String {
        let unreserved = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
        value.bytes().map(|b| if unreserved(b) { char::from(b).to_string() } else { digits(b) }).collect()
    };
    let mut forms = vec![
        value.to_owned(),
        quoted[1..quoted.len() - 1].to_owned(),
        percent(|b| format!("%{b:02X}")),
        percent(|b| format!("%{b:02x}")),
    ];
    // The value may stand anywhere in what was encoded: at each of the three alignments, the characters that it alone decides.
    for shift in 0..3 {
        let bytes = [&vec![0; shift], value.as_bytes()].concat();
        let (from, to) = ((shift * 8).div_ceil(6), bytes.len() * 8 / 6);
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            forms.push(encoded[from..to].to_owned());
        }
    }
    forms.retain(|form| form.len() >= SECRET_BYTES_MIN);
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_masked_in_every_form() {
        let secret = "Abc/d+ef\"Gh12";
        let secrets = Secrets::new(&BTreeMap::from([("KEY".to_owned(), secret.to_owned())]));
        let rows = [
            ("plain", secret, "plain [KEY]"),
            ("json", r#"Abc/d+ef\"Gh12"#, "json [KEY]"),
            ("url", "Abc%2Fd%2Bef%22Gh12", "url [KEY]"),
            ("url", "Abc%2fd%2bef%22Gh12", "url [KEY]"),
            ("none", "abc/d+ef\"gh12", "none abc/d+ef\"gh12"),
        ];
        for (name, form, expected) in rows {
            assert_eq!(secrets.mask(&format!("{name} {form}")), expected);
        }
    }

    #[test]
    fn base64_is_masked_at_every_alignment() {
        let secret = "canary-0123456789";
        let secrets = Secrets::new(&BTreeMap::from([("KEY".to_owned(), secret.to_owned())]));
        for before in ["", "x", "xy", "xyz"] {
            let encoded = STANDARD_NO_PAD.encode(format!("{before}{secret} and more"));
            assert!(secrets.mask(&encoded).contains("[KEY]"), "{before}");
        }
    }

    #[test]
    fn a_beginning_is_told_from_ordinary_text() {
        let secrets = Secrets::new(&BTreeMap::from([("KEY".to_owned(), "canary-0123456789".to_owned())]));
        for (text, held) in
            [("no", 0), ("a can", 3), ("c", 1), ("canary-012345678", 16), ("canary-0123456789", 0), ("", 0)]
        {
            assert_eq!(secrets.unfinished(text), held, "{text}");
        }
    }

    #[test]
    fn short_and_missing_values_mask_nothing() {
        for value in ["", "abc", "         ", "ollama", "lm-studio", "completed", "1234567", "123456789"] {
            let secrets = Secrets::new(&BTreeMap::from([("KEY".to_owned(), value.to_owned())]));
            assert!(secrets.is_empty(), "{value}");
        }
        let trimmed = Secrets::new(&BTreeMap::from([("KEY".to_owned(), " secret-value-1 \n".to_owned())]));
        assert_eq!(trimmed.mask("x secret-value-1 y"), "x [KEY] y");
    }
}
