//! Texts that come in pieces.

use crate::secrets;
use plugin_api::{RBatch, RChunk};
use proptest::{collection::vec, prelude::*, sample::select};
use secrets::{Redactor, StreamMask};
use std::sync::{Arc, LazyLock};

const VALUES: [(&str, &str); 4] = [
    ("A", "canary/3141+59265358=9793"),
    ("B", "9793-overlapping-0123456"),
    ("C", "abababababababababababab"),
    ("D", "line-one-of-it-0001\nline-two-of-it-0002"),
];

static REDACTOR: LazyLock<Arc<Redactor>> = LazyLock::new(|| Arc::new(Redactor::new(secrets(&VALUES))));

fn mask() -> StreamMask {
    StreamMask::new(&REDACTOR)
}

/// What is seen of these deltas in the end.
fn seen(deltas: &[&str]) -> String {
    let mut mask = mask();
    let mut text = String::new();
    let mut see = |batch: RBatch| batch.iter().for_each(|chunk: &RChunk| text.push_str(&chunk.text));
    for delta in deltas {
        see(mask.batch([RChunk::text(1, 0, *delta)].into_iter().collect()));
    }
    see(mask.rest());
    text
}

#[test]
fn a_secret_in_two_deltas_is_masked_as_in_one() {
    let text = "It is canary/3141+59265358=9793, is it?";
    for at in 0..=text.len() {
        let (first, second) = text.split_at(at);
        assert_eq!(seen(&[first, second]), "It is [A], is it?", "{at}");
    }
}

#[test]
fn a_part_of_a_secret_is_masked_to_its_end() {
    assert_eq!(seen(&["cut: ry/3141+59265358=", "97", "93 and more"]), "cut: [A] and more");
    assert_eq!(seen(&["cut: ry/3141+59265358=", "97 and more"]), "cut: [A] and more");
}

#[test]
fn the_end_of_a_secret_in_small_pieces_shows_too_little_of_it() {
    let (name, value) = VALUES[0];
    for from in 1..=9 {
        for size in 1..=16 {
            let text = format!("x {} y", &value[from..]);
            let deltas: Vec<&str> =
                (0..text.len()).step_by(size).map(|at| &text[at..text.len().min(at + size)]).collect();
            let shown = seen(&deltas);
            let leaks =
                value.as_bytes().windows(8).any(|part| shown.contains(&*String::from_utf8_lossy(part)));
            assert!(!leaks && shown.contains(&format!("[{name}]")), "{deltas:?}: {shown}");
            assert!(shown.starts_with("x ") && shown.ends_with(" y"), "{deltas:?}: {shown}");
        }
    }
}

#[test]
fn only_what_may_begin_a_secret_is_held_back() {
    let rows =
        [("no", "no"), ("a can", "a "), ("xc", "x"), ("canary/3141+59265358=9793", "[A]"), ("cano", "cano")];
    for (delta, expected) in rows {
        let batch = mask().batch([RChunk::text(1, 0, delta)].into_iter().collect());
        let text: String = batch.iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(text, expected, "{delta}");
    }
}

#[test]
fn texts_of_other_blocks_do_not_mix_and_the_end_of_one_tells_what_was_held() {
    let mut mask = mask();
    let delta = |index, text: &str| RChunk::text(1, index, text);
    let batch = [delta(0, "canary/3141+"), delta(1, "59265358=97!"), delta(0, "59265358=9793!")];
    let texts: Vec<String> =
        mask.batch(batch.into_iter().collect()).iter().map(|c| c.text.to_string()).collect();
    assert_eq!(texts, ["59265358=97!", "[A]!"]);
    let batch = [delta(0, "can"), RChunk::data(2, 0, "{}")];
    let texts: Vec<String> =
        mask.batch(batch.into_iter().collect()).iter().map(|c| c.text.to_string()).collect();
    assert_eq!(texts, ["can", ""]);
}

/// Neighbours of a secret: beginnings, ends and copies of it.
fn piece() -> impl Strategy<Value = String> {
    let known = VALUES.map(|(_, value)| value.to_owned());
    prop_oneof![
        select(known.to_vec()),
        select(known.to_vec())
            .prop_flat_map(|value| (0..value.len()).prop_map(move |at| value[at..].to_owned())),
        select(known.to_vec())
            .prop_flat_map(|value| (0..value.len()).prop_map(move |at| value[..at].to_owned())),
        "[a-c9é \\n]{0,6}",
    ]
}

proptest! {
    #[test]
    fn no_split_lets_a_secret_pass(pieces in vec(piece(), 0..6), cuts in vec(any::<prop::sample::Index>(), 0..12)) {
        let text = pieces.concat();
        let mut places: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        places.extend([0, text.len()]);
        places.sort_unstable();
        let deltas: Vec<&str> = places.windows(2).map(|pair| &text[pair[0]..pair[1]]).filter(|delta| !delta.is_empty()).collect();
        let shown = seen(&deltas);
        for (_, value) in VALUES {
            prop_assert!(!shown.contains(value), "{:?} shows {}", deltas, shown);
        }
        let whole = REDACTOR.text(&text).into_owned();
        // What is too much of a secret in one piece is not seen in many.
        for (_, value) in VALUES.iter().filter(|(name, _)| *name != "C") {
            let parts = value.as_bytes().windows(16).map(|part| String::from_utf8_lossy(part).into_owned());
            for part in parts.filter(|part| !whole.contains(part.as_str())) {
                prop_assert!(!shown.contains(&part), "{:?} shows {} of {}", deltas, part, shown);
            }
        }
        if whole == text {
            prop_assert_eq!(shown, text);
        }
    }
}
