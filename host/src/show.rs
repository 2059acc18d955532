//! `harness rows`: rows, their state, the chain of each slot, and where each value comes from.
use crate::{mount::Mounted, plan::Planned};
use loader::Role;
use rows::Row;
use secrets::Redactor;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Prints all rows, as a table or as one JSON object.
pub(crate) fn rows(rows: &[Row], planned: &[Planned], mounted: &Mounted, as_json: bool) -> ExitCode {
    let redactor = mounted.slots.redactor();
    let plan = |row: &Row| planned.iter().find(|p| p.row.id == row.id);
    let rows: Vec<Value> =
        rows.iter().map(|row| one(plan(row).map_or(row, |p| &p.row), plan(row), redactor)).collect();
    let chains: Vec<(String, String)> =
        mounted.slots.chains().into_iter().map(|(slot, chain)| (slot, words(&chain))).collect();
    let text = if as_json {
        format!(
            "{}\n",
            json!({ "rows": rows, "chains": chains.into_iter().collect::<std::collections::BTreeMap<_, _>>() })
        )
    } else {
        table(&rows, &chains)
    };
    if terminal::print(&redactor.text(&text)) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(row: &Row, plan: Option<&Planned>, redactor: &Redactor) -> Value {
    let mut values = Vec::new();
    leaves(&row.config, "/config", &mut |pointer, value| {
        let name = pointer.trim_start_matches("/config/").replace('/', ".");
        let (from, shown) = (row.origin(pointer), redactor.text(&value.to_string()).into_owned());
        let value = match from.strip_prefix("secret ") {
            // However short: a row knows what is a secret.
            Some(name) if value != "" => format!("[{name}]").into(),
            _ => serde_json::from_str(&shown).unwrap_or(Value::Null),
        };
        values.push(json!({ "key": name, "value": value, "from": from }));
    });
    let plugin = plan.map_or_else(
        || row.name.clone(),
        |p| format!("{} {}", p.library.manifest.name, p.library.manifest.version),
    );
    let roles: Vec<String> = plan
        .map(|p| p.roles.iter().map(|(role, slot)| role_words(role.role, slot)).collect())
        .unwrap_or_default();
    let file = plan.map(|p| p.library.path.display().to_string());
    json!({ "id": row.id, "plugin": plugin, "state": if plan.is_some() { "mounted" } else { "disabled" },
            "roles": roles, "file": file, "at": row.place.to_string(), "config": values })
}

fn leaves(value: &Value, pointer: &str, see: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter()
                .for_each(|(key, value)| leaves(value, &format!("{pointer}/{}", rows::escaped(key)), see));
        }
        Value::Object(_) => {}
        value => see(pointer, value),
    }
}

fn role_words(role: Role, slot: &str) -> String {
    let role = match role {
        Role::Provide => "provides",
        Role::Join => "joins",
        Role::Wrap => "wraps",
    };
    format!("{role} {slot}")
}

/// How wide a column may become.
const WIDTH_MAX: usize = 100;

/// Outermost first, as a call goes through it.
fn words(chain: &[(String, Role)]) -> String {
    chain.iter().rev().map(|(row, _)| row.as_str()).collect::<Vec<_>>().join(" > ")
}

fn table(rows: &[Value], chains: &[(String, String)]) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let chars = |key: &str| rows.iter().map(|row| text(&row[key]).chars().count()).max();
    // A longer word is a column of its own.
    let width = |key: &str| chars(key).unwrap_or_default().min(WIDTH_MAX);
    let (ids, plugins) = (width("id"), width("plugin"));
    let mut out = String::new();
    for row in rows {
        let roles: Vec<String> = row["roles"].as_array().into_iter().flatten().map(text).collect();
        let (id, plugin, state) = (text(&row["id"]), text(&row["plugin"]), text(&row["state"]));
        out.push_str(format!("{id:ids$}  {plugin:plugins$}  {state:8}  {}", roles.join(", ")).trim_end());
        out.push('\n');
        for value in row["config"].as_array().into_iter().flatten() {
            let shown = text(&value["value"]).replace('\n', "\\n");
            let shown = if shown.is_empty() { "\"\"".to_owned() } else { shown };
            let short: String = shown.chars().take(60).collect();
            let cut = if short.len() < shown.len() { "…" } else { "" };
            out.push_str(&format!(
                "{:ids$}    {} = {short}{cut}  ({})\n",
                "",
                text(&value["key"]),
                text(&value["from"])
            ));
        }
    }
    for (slot, chain) in chains.iter().filter(|(_, chain)| !chain.is_empty()) {
        out.push_str(&format!("{slot} = {chain}\n"));
    }
    out
}
