//! The line of every key and list item of a text, found out in one reading.
//!
//! `Lines::of(text)`, then `.line(text, pointer) -> usize`, from 1: where a pointer's last key or index stands, or else what is nearest
//! around it.
//!
//! The parser tells positions in its errors only. So each key and each scalar is refused, its position taken from the refusal, and the
//! reading goes on behind it: what is refused has been read. A list or mapping that is an item of a list stands where the first thing in
//! it does; an empty one holds nothing that could be refused, and is looked up by itself.

use std::{cell::RefCell, collections::HashMap, fmt};

use serde::de::{
    DeserializeSeed, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_yaml::Deserializer;

use crate::{locate::escaped, yaml::position};

/// By pointer; what is inside a key's value begins at the pointer and a slash.
#[derive(Debug, Default)]
pub(crate) struct Lines(HashMap<String, usize>);

impl Lines {
    /// Of a text that has been parsed before, so that it is known to be of bounded size when its aliases are expanded.
    pub(crate) fn of(text: &str) -> Lines {
        let lines = RefCell::default();
        if let Some(first) = Deserializer::from_str(text).next() {
            let top = Survey { lines: &lines, pointer: "", key: None };
            let line = top.deserialize(first).unwrap_or_else(|refused| line_of(&refused));
            top.note("/".into(), line);
        }
        Lines(lines.into_inner())
    }

    pub(crate) fn line(&self, text: &str, pointer: &str) -> usize {
        let mut nearest = pointer;
        loop {
            if let Some(line) = self.0.get(nearest) {
                return *line;
            }
            let Some((above, step)) = nearest.rsplit_once('/') else {
                return self.0.get("/").copied().unwrap_or(1);
            };
            // Everything that is not here and is no list item was merged into its mapping.
            if step.parse::<usize>().is_ok() {
                return position(text, nearest).map_or(1, |(line, _)| line);
            }
            if let Some(line) = self.0.get(&format!("{above}/")) {
                return *line;
            }
            nearest = above;
        }
    }
}

/// Reads one value, or one key.
#[derive(Clone, Copy)]
struct Survey<'a> {
    lines: &'a RefCell<HashMap<String, usize>>,
    pointer: &'a str,
    /// For a key, where its text goes.
    key: Option<&'a RefCell<String>>,
}

/// The line that an error of the parser ends with: `… at line 3 column 7`, or `… at position 0`, the very first.
fn line_of(error: &impl fmt::Display) -> Option<usize> {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((_, place)) => place.split(' ').next()?.parse().ok(),
        None => Some(1),
    }
}

impl Survey<'_> {
    fn refuse<E: Error>(self, text: Option<&str>) -> Result<Option<usize>, E> {
        if let (Some(key), Some(text)) = (self.key, text) {
            text.clone_into(&mut key.borrow_mut());
        }
        Err(E::custom("here"))
    }

    fn note(&self, pointer: String, line: Option<usize>) -> Option<usize> {
        let line = line?;
        self.lines.borrow_mut().entry(pointer).or_insert(line);
        Some(line)
    }
}

impl<'de> DeserializeSeed<'de> for Survey<'_> {
    /// The line of the first thing in it.
    type Value = Option<usize>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Survey<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Option<usize>, E> {
        self.refuse(None)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Option<usize>, E> {
        self.refuse(None)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Option<usize>, E> {
        self.refuse(None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Option<usize>, E> {
        self.refuse(None)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<usize>, E> {
        self.refuse(Some(text))
    }

    fn visit_unit<E: Error>(self) -> Result<Option<usize>, E> {
        self.refuse(None)
    }

    fn visit_none<E: Error>(self) -> Result<Option<usize>, E> {
        self.refuse(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<usize>, A::Error> {
        let mut first = None;
        for index in 0_usize.. {
            let pointer = format!("{}/{index}", self.pointer);
            let line = match items.next_element_seed(Survey { pointer: &pointer, key: None, ..self }) {
                Ok(None) => break,
                Ok(Some(line)) => line,
                Err(refused) => line_of(&refused),
            };
            first = first.or(self.note(pointer, line));
        }
        Ok(first)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Option<usize>, A::Error> {
        let (mut first, text) = (None, RefCell::default());
        loop {
            let line = match entries.next_key_seed(Survey { key: Some(&text), ..self }) {
                Ok(None) => break,
                Ok(Some(line)) => line,
                Err(refused) => line_of(&refused),
            };
            let pointer = format!("{}/{}", self.pointer, escaped(&text.take()));
            first = first.or(self.note(pointer.clone(), line));
            // A scalar's refusal says nothing that its key's has not.
            if let Ok(inside) = entries.next_value_seed(Survey { pointer: &pointer, key: None, ..self }) {
                self.note(format!("{pointer}/"), inside);
            }
        }
        Ok(first)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Option<usize>, A::Error> {
        let (_, content) = tagged.variant::<IgnoredAny>()?;
        content.newtype_variant_seed(self)
    }
}
