//! `harness-check list`: the contracts, and the criteria that check them.
use crate::{
    check::{Kind, Module, say},
    foundations,
};
use checks::failure::Failure;
use clap::Args;
use contracts::{Contract, Shape, agent_loop, context, dispatch, llm, session, tools, turn_policy};
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct List {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

const MODULES: &[&Module] = &[&foundations::MODULE];

impl List {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let (contracts, criteria) = (contracts(), criteria());
        say(&if self.json {
            format!("{}\n", json!({ "contracts": contracts, "criteria": criteria }))
        } else {
            text(&contracts, &criteria)
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// A contract of this version, in a line: what goes in, and what comes out.
fn contract<C: Contract>(about: &str) -> Value {
    let methods: serde_json::Map<String, Value> = C::METHODS
        .iter()
        .map(|(name, shape)| {
            let shape = match shape {
                Shape::Call => "call",
                Shape::Stream => "stream",
            };
            ((*name).to_owned(), shape.into())
        })
        .collect();
    // `contracts::llm` of `contracts::llm::Contract`.
    let definition = std::any::type_name::<C>().trim_end_matches("::Contract");
    json!({ "name": C::NAME, "version": C::VERSION, "about": about, "definition": definition, "methods": methods })
}

fn contracts() -> Vec<Value> {
    vec![
        contract::<llm::Contract>("one model request in, a stream of chunks out"),
        contract::<tools::Contract>("what the model may call, and how a call is answered"),
        contract::<dispatch::Contract>("the calls of a step in, their events and results out"),
        contract::<turn_policy::Contract>("whether a step may begin, and whether a turn may end"),
        contract::<context::Contract>("what a request is made of, before it is sent"),
        contract::<session::Contract>("the log of what happened"),
        contract::<agent_loop::Contract>("a task in, the events of a run out"),
    ]
}

fn criteria() -> Vec<Value> {
    let all =
        MODULES.iter().flat_map(|module| module.criteria.iter().map(|criterion| (module.id, criterion)));
    let one = |(module, criterion): (&str, &crate::check::Criterion)| {
        let (kind, checks): (_, Vec<&str>) = match criterion.kind {
            Kind::Checked(checks) => ("checked", checks.iter().map(|check| check.name).collect()),
            Kind::Live(checks) => ("live", checks.iter().map(|check| check.name).collect()),
            Kind::Manual => ("manual", Vec::new()),
        };
        json!({ "id": criterion.id, "module": module, "part": criterion.part, "claim": criterion.claim, "services": criterion.services,
                "kind": kind, "checks": checks })
    };
    all.map(one).collect()
}

fn text(contracts: &[Value], criteria: &[Value]) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let contract = |one: &Value| {
        format!("{:12} {}  {}\n", word(&one["name"]), word(&one["version"]), word(&one["about"]))
    };
    let criterion =
        |one: &Value| format!("{:6} {:8} {}\n", word(&one["id"]), word(&one["kind"]), word(&one["claim"]));
    let contracts: String = contracts.iter().map(contract).collect();
    format!("{contracts}\n{}", criteria.iter().map(criterion).collect::<String>())
}
