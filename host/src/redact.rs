//! Secret values, masked wherever they might leave: in results, events, logs and errors, plain, JSON-escaped, URL- and base64-encoded.
use aho_corasick::{AhoCorasick, MatchKind};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use plugin_api::{RBatch, RError, RPart, RPayload, abi_stable::std_types::RString};
use std::{borrow::Cow, collections::BTreeMap};

/// Shorter values would mask ordinary text.
const SECRET_BYTES_MIN: usize = 6;

/// Masks the secrets of this run.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    forms: Option<AhoCorasick>,
    masks: Vec<String>,
}

impl Redactor {
    /// `secrets` by the name of their variable.
    pub(crate) fn new(secrets: &BTreeMap<String, String>) -> Redactor {
        let mut forms: BTreeMap<String, String> = BTreeMap::new();
        for (name, secret) in secrets {
            // A key is used trimmed, and may be quoted either way.
            for value in [secret.as_str(), secret.trim()] {
                if value.len() >= SECRET_BYTES_MIN {
                    forms.extend(encodings(value).into_iter().map(|form| (form, format!("[{name}]"))));
                }
            }
        }
        let (forms, masks): (Vec<String>, Vec<String>) = forms.into_iter().unzip();
        let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms);
        Redactor { forms: built.ok().filter(|_| !forms.is_empty()), masks }
    }

    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.forms {
            Some(forms) if forms.is_match(text) => forms.replace_all(text, &self.masks).into(),
            _ => text.into(),
        }
    }

    fn string(&self, text: &mut RString) {
        if let Cow::Owned(masked) = self.text(text.as_str()) {
            *text = masked.into();
        }
    }

    fn part(&self, part: &RPart) -> Option<RPart> {
        let forms = self.forms.as_ref()?;
        forms.is_match(part.bytes()).then(|| RPart::new(forms.replace_all_bytes(part.bytes(), &self.masks)))
    }

    pub(crate) fn payload(&self, payload: &mut RPayload) {
        self.string(&mut payload.head);
        if payload.parts.iter().any(|part| self.part(part).is_some()) {
            payload.parts =
                payload.parts.iter().map(|part| self.part(part).unwrap_or_else(|| part.clone())).collect();
        }
    }

    pub(crate) fn batch(&self, batch: &mut RBatch) {
        if self.forms.is_none() {
            return;
        }
        for chunk in batch {
            self.string(&mut chunk.text);
            self.string(&mut chunk.data);
            for part in &mut chunk.parts {
                if let Some(masked) = self.part(part) {
                    *part = masked;
                }
            }
        }
    }

    pub(crate) fn error(&self, error: &mut RError) {
        for text in [&mut error.message, &mut error.hint, &mut error.data] {
            self.string(text);
        }
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
