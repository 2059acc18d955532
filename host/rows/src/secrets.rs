//! Secret values, recognised wherever they might leave: plain, JSON-escaped, URL- and base64-encoded.
use aho_corasick::{AhoCorasick, MatchKind};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use std::{borrow::Cow, collections::BTreeMap};

/// Shorter values would mask ordinary text.
const SECRET_BYTES_MIN: usize = 6;

/// The secrets of all rows, in every form they are recognised in. In their place stands `[NAME]`, the variable in brackets.
#[derive(Debug, Default)]
pub struct Secrets {
    forms: Option<AhoCorasick>,
    masks: Vec<String>,
}

impl Secrets {
    /// `secrets` by the name of their variable, as [`crate::Resolved`] has them.
    pub fn new(secrets: &BTreeMap<String, String>) -> Secrets {
        let mut forms: BTreeMap<String, String> = BTreeMap::new();
        for (name, secret) in secrets {
            // A key is used trimmed.
            for value in
                [secret.as_str(), secret.trim()].into_iter().filter(|value| value.len() >= SECRET_BYTES_MIN)
            {
                forms.extend(encodings(value).into_iter().map(|form| (form, format!("[{name}]"))));
            }
        }
        let (forms, masks): (Vec<String>, Vec<String>) = forms.into_iter().unzip();
        let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms);
        Secrets { forms: built.ok().filter(|_| !forms.is_empty()), masks }
    }

    /// The text with every secret masked.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.forms {
            Some(forms) if forms.is_match(text) => forms.replace_all(text, &self.masks).into(),
            _ => text.into(),
        }
    }

    /// The bytes with every secret masked; `None` when there is none in them.
    pub fn mask_bytes(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let forms = self.forms.as_ref()?;
        forms.is_match(bytes).then(|| forms.replace_all_bytes(bytes, &self.masks))
    }

    /// Whether there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        self.forms.is_none()
    }
}

fn encodings(value: &str) -> Vec<String> {
    let quoted = serde_json::to_string(value).unwrap_or_default();
    let percent = |digits: fn(u8) -> String| -> String {
        let unreserved = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
        value.bytes().map(|b| if unreserved(b) { char::from(b).to_string() } else { digits(b) }).collect()
    };
    let mut forms = vec![
        value.to_owned(),
        quoted.trim_matches('"').to_owned(),
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
    fn short_and_missing_values_mask_nothing() {
        for value in ["", "abc", "     "] {
            let secrets = Secrets::new(&BTreeMap::from([("KEY".to_owned(), value.to_owned())]));
            assert!(secrets.is_empty(), "{value}");
        }
        let trimmed = Secrets::new(&BTreeMap::from([("KEY".to_owned(), " secret-value \n".to_owned())]));
        assert_eq!(trimmed.mask("x secret-value y"), "x [KEY] y");
    }
}
