//! `context`: a plan goes over the wire as it was made, and an empty slot plans nothing.
use crate::{
    clock::quiet,
    stage::{Canned, empty, now, serve},
};
use contracts::{
    Cx, Error, Part, Parts, Payload, Result, Usage,
    context::{self, Client, Context, Facts, Plan, Replace},
};
use std::sync::{Arc, Mutex};

#[derive(Clone)]
struct Planner {
    plan: Result<Plan>,
    seen: Arc<Mutex<Option<(Facts, Parts)>>>,
}

impl Context for Planner {
    async fn prepare(&self, facts: Facts, history: Parts, _: &Cx) -> Result<Plan> {
        *self.seen.lock().unwrap() = Some((facts, history));
        self.plan.clone()
    }
}

fn part(text: &str) -> Part {
    Part::new(text)
}

fn plans() -> Vec<Plan> {
    let system = [None, Some(part("be brief"))];
    let append = [vec![], vec![part("note")], vec![part("one"), part("two")]];
    let replace = [None, Some(Replace { from_seq: 3, to_seq: u64::MAX, with: part("summary") })];
    let mut plans = Vec::new();
    for system in &system {
        for append in &append {
            for replace in &replace {
                plans.push(Plan { system: system.clone(), append: append.clone(), replace: replace.clone() });
            }
        }
    }
    plans
}

#[test]
fn a_plan_comes_back_as_it_was_made() {
    let usage = Some(Usage { input_tokens: 9, ..Usage::default() });
    let facts = Facts { session: "s1".into(), turn: 1, step: 2, model: "m".into(), overflow: true, usage };
    let history: Parts = (0..20).map(|i| part(&format!("message {i}"))).collect();
    for plan in plans() {
        let planner = Planner { plan: Ok(plan.clone()), seen: Arc::default() };
        let client = Client::from(serve::<context::Contract, _>(planner.clone()));
        assert_eq!(now(client.prepare(&facts, &history, &quiet())).unwrap(), plan);
        let (seen, parts) = planner.seen.lock().unwrap().take().unwrap();
        assert_eq!(seen, facts);
        assert!(parts.iter().zip(history.iter()).all(|(a, b)| std::ptr::eq(a.bytes(), b.bytes())));
        assert_eq!(parts.len(), history.len());
    }
}

#[test]
fn an_empty_slot_plans_nothing_and_a_failing_one_fails() {
    let prepare = |client: Client| now(client.prepare(&Facts::default(), &Parts::new(), &quiet()));
    assert_eq!(prepare(Client::from(empty())).unwrap(), Plan::default());
    for error in [Error::new("NOT_MOUNTED", "the service `llm` is not mounted"), Error::new("SERVER", "ill")]
    {
        let planner = Planner { plan: Err(error.clone()), seen: Arc::default() };
        assert_eq!(prepare(Client::from(serve::<context::Contract, _>(planner))).unwrap_err(), error);
    }
}

#[test]
fn a_plan_with_fewer_parts_than_it_speaks_of_is_refused() {
    let prepare = |head: &str, n: usize| {
        let parts = (0..n).map(|i| part(&i.to_string())).collect();
        let canned = Canned { answer: Some(Ok(Payload::new(head, parts))), ..Canned::default() };
        match now(Client::from(canned.raw()).prepare(&Facts::default(), &Parts::new(), &quiet())) {
            Ok(Plan { system, append, replace }) => {
                format!(
                    "{} {} {}",
                    usize::from(system.is_some()),
                    append.len(),
                    usize::from(replace.is_some())
                )
            }
            Err(error) => format!("{}: {}", error.code, error.message),
        }
    };
    let all = r#"{"system":true,"append":2,"replace":{"from_seq":1,"to_seq":2}}"#;
    for (head, n, expected) in [
        ("{}", 0, "0 0 0"),
        (r#"{"later":1}"#, 2, "0 0 0"),
        (r#"{"replace":null}"#, 0, "0 0 0"),
        (all, 4, "1 2 1"),
        (all, 3, "BAD_PAYLOAD: context: the plan speaks of 4 parts and brings 3"),
        (r#"{"system":true}"#, 0, "BAD_PAYLOAD: context: the plan speaks of 1 parts and brings 0"),
        (
            r#"{"system":true,"append":18446744073709551615}"#,
            1,
            "BAD_PAYLOAD: context: the plan speaks of 18446744073709551615 parts and brings 1",
        ),
        (
            r#"{"append":-1}"#,
            0,
            "BAD_PAYLOAD: the answer of `prepare`: expected a whole number that is not negative, not `-1` (at character 12)",
        ),
        (
            r#"{"replace":{"from_seq":1}}"#,
            1,
            "BAD_PAYLOAD: the answer of `prepare`: `to_seq` is missing (at character 25)",
        ),
    ] {
        assert_eq!(prepare(head, n), expected, "{head}");
    }
}
