//! Finds secrets in a text: whole or cut, in any of their forms, also where they overlap or a line end splits them.
//!
//! A form is found by its seeds, a few pieces of it that lie so close together that every half of the form holds one; from there it
//! is followed to both sides as far as the text agrees. So what a tool has cut, or an encoder has wrapped, is recognised as well.
use crate::{
    edges::{line_end_after, line_end_before, whole_characters},
    forms::{encodings, is_placeholder, parts},
    pairs::Pairs,
};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::{
    borrow::Cow,
    collections::{BTreeMap, btree_map::Entry},
    ops::Range,
    sync::OnceLock,
};

/// The smallest part of a form that is taken for it.
const RUN_BYTES_MIN: usize = 16;
/// The smallest part that waits for what follows it.
pub(crate) const FRAGMENT_BYTES_MIN: usize = 8;
const SEED_BYTES_MAX: usize = 32;

/// The secrets of all rows, in every form they are recognised in. In their place stands `[NAME]`, the variable in brackets.
#[derive(Debug, Default)]
pub struct Secrets {
    /// Whether there is any seed: fast, for all the texts that have none.
    any: Option<AhoCorasick>,
    /// All seeds, also those that overlap; made for the first text that has one.
    all: OnceLock<Option<AhoCorasick>>,
    seeds: Vec<Vec<u8>>,
    /// Of each seed, the forms that have it, and where.
    places: Vec<Vec<(usize, usize)>>,
    seed_bytes_min: usize,
    /// In the order of their texts.
    forms: Vec<Form>,
    form_bytes_max: usize,
    begins: Pairs,
    /// Of forms of which a part is enough.
    inside: Pairs,
    unmasked: Vec<String>,
}

#[derive(Debug)]
struct Form {
    text: Vec<u8>,
    mask: String,
    run_bytes_min: usize,
}

/// A part of a text that shows a secret.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) at: Range<usize>,
    /// What stands in its place.
    pub(crate) form: usize,
    /// Whether more of the secret may follow the end of the text.
    pub(crate) open: bool,
}

impl Secrets {
    /// `secrets` by the name of their variable, as the rows have them.
    pub fn new(secrets: &BTreeMap<String, String>) -> Secrets {
        let (mut forms, mut unmasked) = (BTreeMap::new(), Vec::new());
        for (name, secret) in secrets {
            let parts = parts(secret);
            for value in &parts {
                let is_address = value.contains("://");
                for form in encodings(value) {
                    if let Entry::Vacant(entry) = forms.entry(form) {
                        entry.insert((name, is_address));
                    }
                }
            }
            if parts.is_empty() && !is_placeholder(secret.trim()) {
                unmasked.push(name.clone());
            }
        }
        let forms = forms.into_iter().map(|(text, (name, is_address))| Form {
            // Half of an address is an ordinary address.
            run_bytes_min: if is_address {
                text.len()
            } else {
                text.len().min(RUN_BYTES_MIN.max(text.len() / 2))
            },
            mask: format!("[{name}]"),
            text: text.into_bytes(),
        });
        let mut found = Secrets { forms: forms.collect(), unmasked, ..Secrets::default() };
        found.index();
        found
    }

    /// The secrets that these files name with `!secret NAME`, for errors that come before the rows are known.
    pub fn named_in(texts: impl Iterator<Item = String>, get: impl Fn(&str) -> Option<String>) -> Secrets {
        let mut secrets = BTreeMap::new();
        for text in texts {
            for after in text.split("!secret").skip(1) {
                let name = after.trim_start_matches([' ', '"', '\'']);
                let name = name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
                secrets.extend(name.and_then(|name| Some((name.to_owned(), get(name)?))));
            }
        }
        Secrets::new(&secrets)
    }

    /// The variables whose value is not masked because it cannot be told from ordinary text.
    pub fn unmasked(&self) -> &[String] {
        &self.unmasked
    }

    /// Whether there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        self.any.is_none()
    }

    /// The text with every secret masked.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.mask_bytes(text.as_bytes()) {
            // A mask begins and ends between characters.
            Some(masked) => String::from_utf8_lossy(&masked).into_owned().into(),
            None => text.into(),
        }
    }

    /// The bytes with every secret masked; `None` when there is none in them.
    pub fn mask_bytes(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let found = self.find(bytes);
        if found.is_empty() {
            return None;
        }
        let (mut masked, mut end) = (Vec::with_capacity(bytes.len()), 0);
        for found in found {
            masked.extend_from_slice(&bytes[end..found.at.start]);
            masked.extend_from_slice(self.mask_of(&found).as_bytes());
            end = found.at.end;
        }
        masked.extend_from_slice(&bytes[end..]);
        Some(masked)
    }

    pub(crate) fn mask_of(&self, found: &Found) -> &str {
        &self.forms[found.form].mask
    }

    pub(crate) fn form_bytes_max(&self) -> usize {
        self.form_bytes_max
    }

    /// How many bytes at the end of a text may be the beginning of a secret, the rest of which is still to come.
    pub(crate) fn unfinished(&self, text: &[u8]) -> usize {
        let begins = |tail: &[u8]| {
            // Those that begin with it are neighbours; the first may be all of it.
            let first = self.forms.partition_point(|form| form.text.as_slice() <= tail);
            self.forms.get(first).is_some_and(|form| form.text.starts_with(tail))
        };
        let from = text.len().saturating_sub(self.form_bytes_max);
        let mut tails = (from..text.len()).filter(|at| self.begins.may(&text[*at..]));
        tails.find(|at| begins(&text[*at..])).map_or(0, |at| text.len() - at)
    }

    /// Whether a secret of which a part is enough has these two bytes side by side.
    pub(crate) fn is_inside(&self, first: u8, second: u8) -> bool {
        self.inside.may(&[first, second])
    }

    /// How many bytes at the end of a text are part of a secret whose beginning is not there; 0 when they are too few to tell.
    pub(crate) fn fragment(&self, text: &[u8]) -> usize {
        let inside = text.windows(2).rev().take(self.form_bytes_max);
        let size = 1 + inside.take_while(|pair| self.inside.may(pair)).count();
        if size < FRAGMENT_BYTES_MIN {
            return 0;
        }
        let is_part = |size: &usize| {
            let end = &text[text.len() - size..];
            let mut partial = self.forms.iter().filter(|form| form.run_bytes_min < form.text.len());
            partial.any(|form| memchr::memmem::find(&form.text, end).is_some())
        };
        (FRAGMENT_BYTES_MIN..=size).rev().find(is_part).unwrap_or_default()
    }

    /// Whether a text shows nothing of a secret; most do, so this is quick.
    pub(crate) fn is_clean(&self, text: &[u8]) -> bool {
        text.len() < self.seed_bytes_min || self.any.as_ref().is_none_or(|any| !any.is_match(text))
    }

    /// What shows a secret, in order, apart from each other.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<Found> {
        if self.is_clean(text) {
            return Vec::new();
        }
        let Some(all) = self.all.get_or_init(|| AhoCorasick::new(&self.seeds).ok()) else {
            return Vec::new();
        };
        let mut runs: Vec<Found> = Vec::new();
        let mut ends = vec![0; self.forms.len()];
        for seed in all.find_overlapping_iter(text) {
            for (form, offset) in &self.places[seed.pattern().as_usize()] {
                // What is followed once is not followed again from its next seed.
                if seed.end() > ends[*form]
                    && let Some(run) = self.run(text, *form, *offset, seed.range())
                {
                    ends[*form] = run.at.end;
                    runs.push(run);
                }
            }
        }
        merged(runs)
    }

    /// From a seed of a form to both sides.
    fn run(&self, text: &[u8], form: usize, offset: usize, seed: Range<usize>) -> Option<Found> {
        let Form { text: wanted, run_bytes_min, .. } = &self.forms[form];
        let (mut from, mut at, mut first) = (seed.start, seed.start, offset);
        while first > 0 {
            if at > 0 && text[at - 1] == wanted[first - 1] {
                (at, first) = (at - 1, first - 1);
                from = at;
            } else if let Some(before) = line_end_before(&text[..at]).filter(|_| at == from) {
                at -= before;
            } else {
                break;
            }
        }
        let (mut to, mut at, mut last) = (seed.end, seed.end, offset + seed.len());
        while last < wanted.len() {
            if text.get(at) == Some(&wanted[last]) {
                (at, last) = (at + 1, last + 1);
                to = at;
            } else if let Some(after) = line_end_after(&text[at..]).filter(|_| at == to) {
                at += after;
            } else {
                break;
            }
        }
        let at = whole_characters(text, from..to);
        let open = last < wanted.len() && to == text.len();
        (last - first >= *run_bytes_min && !at.is_empty()).then_some(Found { at, form, open })
    }

    fn index(&mut self) {
        let mut seeds: BTreeMap<&[u8], Vec<(usize, usize)>> = BTreeMap::new();
        for (n, form) in self.forms.iter().enumerate() {
            let run = form.run_bytes_min;
            let bytes =
                if run < form.text.len() { (run / 2).min(SEED_BYTES_MAX) } else { run.min(SEED_BYTES_MAX) };
            // In a run of the smallest size a seed begins in each stretch of this size.
            let stretch = run + 1 - bytes;
            for offset in (0..=form.text.len() - bytes).step_by(stretch) {
                seeds.entry(&form.text[offset..offset + bytes]).or_default().push((n, offset));
            }
        }
        self.places = seeds.values().cloned().collect();
        self.seeds = seeds.into_keys().map(<[u8]>::to_vec).collect();
        self.seed_bytes_min = self.seeds.iter().map(Vec::len).min().unwrap_or_default();
        if !self.seeds.is_empty() {
            // Most texts do not get beyond its prefilter, so the automaton that is made fastest is the best.
            let mut builder = AhoCorasick::builder();
            builder.match_kind(MatchKind::LeftmostFirst).kind(Some(AhoCorasickKind::NoncontiguousNFA));
            self.any = builder.build(&self.seeds).ok();
        }
        self.form_bytes_max = self.forms.iter().map(|form| form.text.len()).max().unwrap_or_default();
        for form in &self.forms {
            self.begins.add(&form.text);
            if form.run_bytes_min < form.text.len() {
                form.text.windows(2).for_each(|pair| self.inside.add(pair));
            }
        }
    }
}

/// In order; what overlaps becomes one, which the longer of them names.
fn merged(mut runs: Vec<Found>) -> Vec<Found> {
    runs.sort_by_key(|run| (run.at.start, std::cmp::Reverse(run.at.end)));
    let mut apart: Vec<Found> = Vec::with_capacity(runs.len());
    for run in runs {
        match apart.last_mut().filter(|last| run.at.start < last.at.end) {
            None => apart.push(run),
            Some(last) => {
                if run.at.len() > last.at.len() {
                    last.form = run.form;
                }
                last.at.end = last.at.end.max(run.at.end);
                last.open |= run.open;
            }
        }
    }
    apart
}
