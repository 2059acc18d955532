//! Each rule on dependencies, broken on purpose.

use super::{Package, check};

/// A line a package: its folder (`-` for one of somebody else), its name, and what it needs. A need without a line of its own is
/// somebody else's.
const SOUND: &str = "\
plugin-api plugin-api → abi_stable blake3
plugin-api/contracts contracts → plugin-api serde serde_json futures-core
plugin-api/kit/sse kit-sse → memchr
plugin-api/sdk plugin-sdk → contracts plugin-api kit-sse tokio
host/rows rows → serde
host/loader loader → plugin-api libloading
host host → plugin-api loader rows tokio
plugins/llm-a llm-a → plugin-sdk reqwest
plugins/tools-b tools-b → plugin-sdk
plugins/bundle bundle → plugin-sdk llm-a tools-b
checks checks → contracts hyper
checks/planted planted → plugin-sdk
host/scaffold scaffold → toml_edit
host/scaffold/templates/llm template-llm → plugin-sdk reqwest
labs labs → scaffold
labs/01-foundations/spine spine → reqwest
labs/01-foundations/stubs/my-llm stub-llm → plugin-sdk reqwest";

/// A line of the graph in the place of the one of the same package, and the breach it makes.
const BROKEN: &[(&str, &str)] = &[
    ("plugin-api plugin-api → serde", "`plugin-api` → `serde` is banned, use JSON in a payload"),
    ("plugin-api plugin-api → contracts", "`plugin-api` → `contracts` is banned"),
    ("plugin-api/contracts contracts → tokio", "`contracts` → `tokio` is banned, use the call's `Cx`"),
    ("plugin-api/contracts contracts → plugin-sdk", "`contracts` → `plugin-sdk` is banned"),
    ("plugin-api/kit/sse kit-sse → plugin-api", "`kit-sse` → `plugin-api` is banned, use an argument"),
    ("plugin-api/sdk plugin-sdk → reqwest", "`plugin-sdk` → `reqwest` is banned, use a kit crate"),
    ("plugin-api/sdk plugin-sdk → llm-a", "`plugin-sdk` → `llm-a` is banned"),
    ("host/rows rows → loader", "`rows` → `loader` is banned, use `plugin-api`"),
    ("host/rows rows → contracts", "`rows` → `contracts` is banned"),
    ("host/loader loader → plugin-sdk", "`loader` → `plugin-sdk` is banned"),
    ("host/loader loader → reqwest", "`loader` → `reqwest` is banned"),
    ("host host → llm-a", "`host` → `llm-a` is banned, use `plugin-api`: the host knows no service"),
    ("host host → contracts", "`host` → `contracts` is banned"),
    ("host host → reqwest", "`host` → `reqwest` is banned"),
    ("plugins/tools-b tools-b → llm-a", "`tools-b` → `llm-a` is banned, use `plugin-sdk`"),
    ("plugins/tools-b tools-b → contracts", "`tools-b` → `contracts` is banned"),
    ("plugins/tools-b tools-b → plugin-api", "`tools-b` → `plugin-api` is banned"),
    ("plugins/tools-b tools-b → host", "`tools-b` → `host` is banned"),
    ("plugins/tools-b tools-b → checks", "`tools-b` → `checks` is banned"),
    ("plugins/tools-b tools-b → kit-sse", "`tools-b` → `kit-sse` is banned"),
    ("plugins/bundle bundle → host", "`bundle` → `host` is banned, use `plugin-sdk`"),
    ("checks checks → llm-a", "`checks` → `llm-a` is banned, use the `harness` binary"),
    ("checks checks → host", "`checks` → `host` is banned"),
    ("checks/planted planted → llm-a", "`planted` → `llm-a` is banned"),
    ("host/scaffold scaffold → template-llm", "`scaffold` → `template-llm` is banned, use `plugin-api`"),
    ("host/scaffold/templates/llm template-llm → contracts", "`template-llm` → `contracts` is banned"),
    ("host/scaffold/templates/llm template-llm → checks", "`template-llm` → `checks` is banned"),
    ("labs labs → llm-a", "`labs` → `llm-a` is banned, use the `harness` binary"),
    (
        "labs/01-foundations/spine spine → contracts",
        "`spine` → `contracts` is banned, use code in its one file",
    ),
    ("labs/01-foundations/stubs/my-llm stub-llm → llm-a", "`stub-llm` → `llm-a` is banned, use `plugin-sdk`"),
];

/// What is reached through others, who may or may not name it.
const FAR: &[(&str, &str)] = &[
    ("- abi_stable → tokio", "plugin-api/Cargo.toml:7: `plugin-api` → `abi_stable` → `tokio` is banned"),
    ("- serde → anyhow", "plugin-api/contracts/Cargo.toml:7: `contracts` → `serde` → `anyhow` is banned"),
    ("- libloading → reqwest", "host/Cargo.toml:7: `host` → `loader` → `libloading` → `reqwest` is banned"),
    ("- hyper → llm-a", "checks/Cargo.toml:7: `checks` → `hyper` → `llm-a` is banned"),
    ("host/rows rows → contracts", "host/Cargo.toml:7: `host` → `rows` → `contracts` is banned"),
];

fn graph(text: &str) -> Vec<Package> {
    let lines = || text.lines().filter_map(|line| line.split_once(" →"));
    let mut packages: Vec<Package> = lines()
        .filter_map(|(package, _)| {
            let (folder, name) = package.split_once(' ')?;
            let folder = (folder != "-").then(|| folder.to_owned());
            Some(Package { name: name.to_owned(), folder, needs: Vec::new() })
        })
        .collect();
    for (at, (_, needs)) in lines().enumerate() {
        for need in needs.split_whitespace() {
            let position = packages.iter().position(|package| package.name == need).unwrap_or_else(|| {
                packages.push(Package { name: need.to_owned(), folder: None, needs: Vec::new() });
                packages.len() - 1
            });
            packages[at].needs.push(position);
        }
    }
    packages
}

fn breaches(text: &str) -> Vec<String> {
    check(&graph(text), &|_, _| 7)
}

/// The graph with a line in the place of that of the same package, or added to it.
fn with(line: &str) -> String {
    let package = |line: &str| line.split(" →").next().unwrap_or_default().to_owned();
    let others = SOUND.lines().filter(|other| package(other) != package(line));
    others.chain([line]).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_sound_graph_is_left_alone() {
    assert_eq!(breaches(SOUND), Vec::<String>::new());
}

#[test]
fn a_dependency_that_may_not_be_is_reported() {
    for (line, expected) in BROKEN {
        let expected = format!("{}/Cargo.toml:7: {expected}", line.split(' ').next().unwrap_or_default());
        let found = breaches(&with(line));
        assert!(found.iter().any(|breach| breach.starts_with(&expected)), "{line}: {found:#?}");
    }
    for (line, expected) in FAR {
        let found = breaches(&with(line));
        assert!(found.iter().any(|breach| breach.starts_with(expected)), "{line}: {found:#?}");
    }
}

#[test]
fn a_package_without_a_rule_is_reported() {
    let expected =
        "new/one/Cargo.toml:1: a package without a rule is banned, use RULES in tidy/dependencies.rs";
    assert_eq!(breaches(&with("new/one one →")), [expected]);
}
