//! Lines as text: what events become, and what of a text is an event.
use super::{glance, read, write};
use plugin_sdk::{Part, contracts::session::NewEvent};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

fn lines(events: &[NewEvent]) -> String {
    let mut out = Vec::new();
    write(&mut out, 7, 1, events).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_run_of_deltas_is_one_line() {
    let delta =
        |index: u32, text: &str| NewEvent::new("assistant/delta", json!({ "index": index, "text": text }));
    let events = [
        delta(0, "a"),
        delta(0, "b"),
        delta(1, "c"),
        delta(1, ""),
        NewEvent::new("assistant/delta", json!({ "index": 1 })),
        delta(1, "d"),
        NewEvent::new("tool/progress", json!({ "index": 1, "text": "e" })),
    ];
    let expected = [
        r#"{"seq":7,"at_ms":1,"kind":"assistant/delta","data":{"index":0},"texts":["a","b"]}"#,
        r#"{"seq":9,"at_ms":1,"kind":"assistant/delta","data":{"index":1},"texts":["c",""]}"#,
        r#"{"seq":11,"at_ms":1,"kind":"assistant/delta","data":{"index":1}}"#,
        r#"{"seq":12,"at_ms":1,"kind":"assistant/delta","data":{"index":1,"text":"d"}}"#,
        r#"{"seq":13,"at_ms":1,"kind":"tool/progress","data":{"index":1,"text":"e"}}"#,
        "",
    ];
    assert_eq!(lines(&events), expected.join("\n"));
}

#[test]
fn parts_are_written_so_that_people_can_read_them() {
    let parts = [&br#"{"a": 1.0}"#[..], b"[1]", b"plain \n", b" {}", b"{}\n", b"null", b"\xff", b""];
    let parts = parts.into_iter().map(Part::new).collect();
    let line = lines(&[NewEvent { kind: "k".into(), data: Value::Null, parts }]);
    let expected = r#"[{"json":{"a": 1.0}},{"json":[1]},{"text":"plain \n"},{"text":" {}"},{"text":"{}\n"},{"text":"null"},{"base64":"/w=="},{"text":""}]"#;
    assert!(line.contains(expected), "{line}");
}

#[test]
fn what_is_no_event_is_none() {
    for line in [
        "",
        "{}",
        "[]",
        r#"{"seq":1,"at_ms":1}"#,
        r#"{"seq":-1,"at_ms":1,"kind":"k"}"#,
        r#"{"seq":1,"at_ms":1,"kind":"k","texts":[]}"#,
        r#"{"seq":1,"at_ms":1,"kind":"k","data":{},"texts":[1]}"#,
        r#"{"seq":1,"at_ms":1,"kind":"k","data":[],"texts":["a"]}"#,
        r#"{"seq":1,"at_ms":1,"kind":"k","parts":[{}]}"#,
        r#"{"seq":1,"at_ms":1,"kind":"k","parts":[{"base64":"?"}]}"#,
        r#"{"seq":1,"at_ms":1,"kind":"k","parts":[{"json":[],"text":"a"}]}"#,
    ] {
        assert!(read(line).is_none(), "{line}");
    }
    let later = r#"{"seq":1,"at_ms":2,"kind":"k","later":{"a":[1]}}"#;
    assert_eq!(read(later).unwrap()[0].event, NewEvent::new("k", Value::Null));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(select(vec!["text", "index", "a"]), inner, 0..3)
                .prop_map(|map| { map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect() }),
        ]
    })
}

fn part() -> impl Strategy<Value = Part> {
    let json = value().prop_map(|value| value.to_string().into_bytes());
    let spaced = value().prop_map(|value| serde_json::to_vec_pretty(&value).unwrap());
    prop_oneof![json, spaced, vec(any::<u8>(), 0..20), any::<String>().prop_map(String::into_bytes)]
        .prop_map(Part::new)
}

fn event() -> impl Strategy<Value = NewEvent> {
    let delta = (0..2u32, any::<String>())
        .prop_map(|(index, text)| NewEvent::new("assistant/delta", json!({ "index": index, "text": text })));
    let any = (any::<String>(), value(), vec(part(), 0..3)).prop_map(|(kind, data, parts)| NewEvent {
        kind,
        data,
        parts,
    });
    prop_oneof![delta, any]
}

proptest! {
    #[test]
    fn events_come_back(events in vec(event(), 0..12)) {
        let text = lines(&events);
        prop_assert!(!text.contains('\r'));
        let mut next = 7;
        let mut found = Vec::new();
        for line in text.lines() {
            let seen = glance(line).unwrap();
            prop_assert_eq!(seen.seq, next);
            let events = read(line).unwrap();
            prop_assert_eq!(events.len() as u64, seen.count());
            for event in events {
                prop_assert_eq!((event.seq, event.at_ms), (next, 1));
                next += 1;
                found.push(event.event);
            }
        }
        prop_assert_eq!(found, events);
    }

    #[test]
    fn any_line_is_read_or_refused(line in "(?s).{0,60}", cut in any::<prop::sample::Index>()) {
        drop((read(&line), glance(&line)));
        let whole = lines(&[NewEvent::new(&line, json!({ "text": line }))]);
        let cut = whole.floor_char_boundary(cut.index(whole.len() - 1));
        prop_assert!(read(&whole[..cut]).is_none() && glance(&whole[..cut]).is_none());
    }
}
