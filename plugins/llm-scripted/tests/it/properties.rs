//! Whatever a script says, making an instance and asking it never panics, and every stream keeps the rules.
use crate::support::{Polled, TestRun, config, cx, request, user};
use llm_scripted::Scripted;
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

/// Asks a script that can be read, twice in a row.
fn ask(script: Value) -> Result<(), TestCaseError> {
    let Ok(model) = Scripted::new(config(&json!({ "script": script }))) else { return Ok(()) };
    let (cx, cancel) = cx(&TestRun::default());
    let mut polled = Polled::open(&model, request(&["look"]), &user("do it").into(), cx);
    let before = polled.ready().len();
    cancel.cancel("".into());
    prop_assert!(before + polled.ready().len() > 0);
    Ok(())
}

fn template() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "{{ task }}",
        "{{ last }}",
        "{{ last.text }}",
        "{{ tools|join }}",
        "{{ results|length }}",
        "{% if step %}",
        "{% endif %}",
        "{% for i in range(5) %}",
        "{% endfor %}",
        "{{ item }}",
        "{{ '[a](b) **c**'|heading }}",
        "{{ task|pick(['*']) }}",
        "{{ [task]|pick(['*o*t']) }}",
        "{{ task|clip(3) }}",
        "{{ task|clip(0) }}",
        "{{ task|first_comment }}",
        "{{ task|field('do') }}",
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "é漢\n",
        " x ",
    ]);
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn reply() -> impl Strategy<Value = Value> {
    let finish = select(vec!["stop", "tool-calls", "max-tokens", "error", "aborted", "nonsense"]);
    let field = prop_oneof![
        template().prop_map(|t| json!({ "text": t })),
        template().prop_map(|t| json!({ "reasoning": t })),
        template().prop_map(|t| json!({ "when": t })),
        (template(), template())
            .prop_map(|(n, a)| json!({ "calls": [{ "name": n, "arguments": { "a": [a] } }] })),
        (template(), template())
            .prop_map(|(l, a)| json!({ "each": { "in": l, "call": { "name": "look", "arguments": a } } })),
        finish.prop_map(|f| json!({ "finish": f })),
        template().prop_map(|t| json!({ "failure": { "code": "SERVER", "message": t } })),
        (0_u64..4).prop_map(|n| json!({ "chunk": n, "delay_ms": n })),
        any::<bool>().prop_map(|hang| json!({ "hang": hang })),
    ];
    vec(field, 0..5)
        .prop_map(|fields| fields.into_iter().flat_map(|f| f.as_object().cloned().unwrap()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_script_or_an_error(text in "(replies:\n)?([-{}\\[\\]:&*!|>'\" \na-z0-9%#]{0,60})") {
        ask(json!(text))?;
    }

    #[test]
    fn any_reply_is_played_or_refused(replies in vec(reply(), 0..4), last in any::<bool>()) {
        ask(json!({ "replies": replies, "then": if last { "last" } else { "error" } }))?;
    }

    #[test]
    fn any_text_passes_the_filters(text in "[-a-z#*\\[\\]()<>!=:\"'/ \n.é漢`~|\u{0}]{0,200}") {
        let filters = ["content", "entries|pick(['*a*', '!b'])|under(task)|listed(2)", "lines|map('ext')|tally", "heading", "first_paragraph", "first_comment", "field('a')", "clip(9)"];
        let script = json!({ "replies": [{ "text": filters.map(|f| format!("{{{{ task|{f} }}}}")).concat() + "{{ task is binary }}" }] });
        let model = Scripted::new(config(&json!({ "script": script }))).unwrap();
        let response = crate::support::respond(&model, &request(&[]), &user(&text).into());
        prop_assert!(matches!(response.finish(), Some(plugin_sdk::contracts::llm::Finish::Stop)), "{:?}", response.finish());
    }
}
