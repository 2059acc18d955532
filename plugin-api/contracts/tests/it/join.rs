//! Joined tools: one list and one way to a call, whatever lies below.
use crate::{
    clock::quiet,
    notation::shown_event,
    stage::{Canned, empty, join, now, share},
};
use contracts::{
    Cx, Error, Raw, Result,
    tools::{self, Client, ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools},
};
use futures_util::{Stream, stream};
use std::sync::{Arc, Mutex};

/// Tools by name; their generation is the test's.
struct Named {
    row: &'static str,
    tools: Mutex<(String, Vec<&'static str>)>,
}

impl Named {
    fn new(row: &'static str, generation: &str, tools: &[&'static str]) -> Arc<Self> {
        Arc::new(Named { row, tools: Mutex::new((generation.into(), tools.to_vec())) })
    }
    fn become_(&self, generation: &str, tools: &[&'static str]) {
        *self.tools.lock().unwrap() = (generation.into(), tools.to_vec());
    }
}

impl Tools for Named {
    async fn list(&self, known: Option<String>, _: &Cx) -> Result<ToolList> {
        let (generation, tools) = self.tools.lock().unwrap().clone();
        if known.as_deref() == Some(generation.as_str()) {
            return Ok(ToolList::Unchanged);
        }
        let schema = |name: &&str| ToolSchema::new(name, self.row, "{}").map(|schema| schema.part());
        Ok(ToolList::Tools {
            generation,
            tools: tools.iter().map(schema).collect::<Result<Vec<_>>>()?.into_iter().collect(),
        })
    }
    fn execute(&self, call: ToolCall, _: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        let known = self.tools.lock().unwrap().1.iter().any(|name| *name == call.name);
        let (row, name) = (self.row, call.name);
        stream::iter([ToolEvent::Result(match known {
            true => ToolResult::ok(format!("{row} did {name}")),
            false => ToolResult::error("UNKNOWN_TOOL", format!("{row} knows no {name}")),
        })])
    }
}

fn provided(tools: &Arc<Named>) -> Raw {
    share::<tools::Contract, _>(Arc::clone(tools))
}

fn joined(tools: &Arc<Named>, below: Raw) -> Raw {
    join::<tools::Contract, _>(Arc::clone(tools), below)
}

/// The names, or `unchanged`, or the error; and the generation.
fn list(raw: &Raw, known: Option<&str>) -> (String, String) {
    match now(Client::from(raw.clone()).list(known.map(Into::into), &quiet())) {
        Ok(ToolList::Unchanged) => ("unchanged".into(), String::new()),
        Ok(ToolList::Tools { generation, tools }) => {
            (tools.iter().map(ToolSchema::name_of).collect::<Vec<_>>().join(" "), generation)
        }
        Err(error) => (format!("{}: {}", error.code, error.message), error.hint),
    }
}

fn run(raw: &Raw, name: &str) -> String {
    let result = now(Client::from(raw.clone()).result(&ToolCall::new("c1", name, "{}"), &quiet()));
    shown_event(&ToolEvent::Result(result))
}

#[test]
fn what_is_below_comes_first_and_in_its_order() {
    let (base, own, third) = (
        Named::new("base", "1", &["z", "a"]),
        Named::new("own", "1", &["m", "b"]),
        Named::new("third", "1", &["c"]),
    );
    let two = joined(&own, provided(&base));
    assert_eq!(list(&two, None).0, "z a m b");
    assert_eq!(list(&joined(&third, two), None).0, "z a m b c");
    assert_eq!(list(&joined(&own, empty()), None).0, "m b");
}

#[test]
fn a_name_that_is_there_already_is_an_error() {
    let (base, own) = (Named::new("base", "1", &["a", "b"]), Named::new("own", "1", &["c", "b"]));
    let error = (
        "DUPLICATE_TOOL: tools: two rows offer a tool named `b`".into(),
        "disable one of the two rows".into(),
    );
    assert_eq!(list(&joined(&own, provided(&base)), None), error);
    // Also when the list was without one before, and is asked for by generation.
    own.become_("1", &["c"]);
    let raw = joined(&own, provided(&base));
    let (names, generation) = list(&raw, None);
    assert_eq!(names, "a b c");
    own.become_("2", &["c", "b"]);
    assert_eq!(list(&raw, Some(&generation)), error);
    let twice = Named::new("own", "1", &["c", "c"]);
    assert_eq!(
        list(&joined(&twice, empty()), None).0,
        "DUPLICATE_TOOL: tools: two rows offer a tool named `c`"
    );
}

#[test]
fn a_list_is_unchanged_only_when_both_sides_are() {
    // Generations are any text: empty, with the separator in them, of more bytes than characters.
    for (lower, upper) in [("1", "1"), ("", ""), ("3:x", "1:"), ("größe", "12"), ("1", ""), ("", "9:9")] {
        for (change_lower, change_upper) in [(false, false), (true, false), (false, true), (true, true)] {
            let (base, own) = (Named::new("base", lower, &["a"]), Named::new("own", upper, &["b"]));
            let raw = joined(&own, provided(&base));
            let (names, generation) = list(&raw, None);
            assert_eq!(names, "a b");
            assert_eq!(list(&raw, Some(&generation)).0, "unchanged", "{generation}");
            if change_lower {
                base.become_("new", &["a", "x"]);
            }
            if change_upper {
                own.become_("new", &["b", "y"]);
            }
            let expected = match (change_lower, change_upper) {
                (false, false) => "unchanged",
                (true, false) => "a x b",
                (false, true) => "a b y",
                (true, true) => "a x b y",
            };
            let (names, after) = list(&raw, Some(&generation));
            assert_eq!(names, expected, "{lower} {upper}");
            assert!(after != generation, "another list has another generation");
        }
    }
}

#[test]
fn a_generation_of_somebody_else_is_not_taken_for_ones_own() {
    let raw = joined(&Named::new("own", "1", &["b"]), provided(&Named::new("base", "1", &["a"])));
    for known in ["", "1", "11", "x:11", "9:11", "1:2", "1:21", ":", "18446744073709551616:1"] {
        assert_eq!(list(&raw, Some(known)).0, "a b", "{known}");
    }
    assert_eq!(list(&raw, Some("1:11")).0, "unchanged");
}

#[test]
fn a_slot_that_was_empty_and_is_not_has_changed() {
    let own = Named::new("own", "1", &["b"]);
    let (_, generation) = list(&joined(&own, empty()), None);
    assert_eq!(list(&joined(&own, empty()), Some(&generation)).0, "unchanged");
    assert_eq!(list(&joined(&own, provided(&Named::new("base", "1", &["a"]))), Some(&generation)).0, "a b");
}

#[test]
fn a_call_goes_to_whoever_lists_it() {
    let (base, own, third) =
        (Named::new("base", "1", &["a"]), Named::new("own", "1", &["b"]), Named::new("third", "1", &["c"]));
    let raw = joined(&third, joined(&own, provided(&base)));
    for (name, expected) in [
        ("a", "ok base did a"),
        ("b", "ok own did b"),
        ("c", "ok third did c"),
        // A name that nobody lists goes all the way down.
        ("d", "failed UNKNOWN_TOOL base knows no d"),
        ("", "failed UNKNOWN_TOOL base knows no "),
    ] {
        assert_eq!(run(&raw, name), expected);
    }
    let alone = joined(&own, empty());
    assert_eq!(run(&alone, "b"), "ok own did b");
    assert_eq!(run(&alone, "a"), "failed UNKNOWN_TOOL Error: unknown tool `a`");
}

#[test]
fn a_failure_below_is_nobody_elses() {
    let own = Named::new("own", "1", &["b"]);
    let stuck = Error::new("STUCK", "row `base` is stuck");
    let below = Canned { batches: vec![Err(stuck.clone())], ..Canned::failing(stuck) }.raw();
    let raw = joined(&own, below);
    assert_eq!(list(&raw, None).0, "STUCK: row `base` is stuck");
    assert_eq!(run(&raw, "b"), "ok own did b");
    assert_eq!(run(&raw, "a"), "stated STUCK Error: row `base` is stuck");
}
