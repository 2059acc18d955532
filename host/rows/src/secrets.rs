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
    let percent = |keep: fn(u8) -> bool| -> String {
        value.bytes().map(|b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
    };
    let unreserved = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
    let mut forms = vec![
        value.to_owned(),
        quoted.trim_matches('"').to_owned(),
        percent(unreserved),
        percent(unreserved).to_lowercase(),
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
