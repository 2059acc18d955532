//! Which package may depend on which. Only normal dependencies count: tests may look behind the curtain.

mod workspace;
mod planted;

use std::collections::{HashMap, VecDeque, hash_map::Entry};

use super::tree::{self, matches};
use workspace::{line_of, workspace};

/// What the packages of a folder may depend on.
struct Rule {
    /// The folder; `*` stands for one part of it.
    of: &'static str,
    /// Packages of this repository that may be named, by folder.
    members: &'static [&'static str],
    /// Crates of others that may be named, `None` for whatever the job needs.
    crates: Option<&'static [&'static str]>,
    /// What must not be reached, through whomever: folders, and crates of others.
    never: &'static [&'static str],
    /// What to use in the place of a breach.
    instead: &'static str,
}

const PLUGIN: &str = "plugins/*";

/// The first that fits counts.
const RULES: &[Rule] = &[
    Rule {
        of: "plugin-api",
        members: &[],
        crates: Some(&["abi_stable", "blake3"]),
        never: &["tokio", "reqwest", "tracing", "anyhow"],
        instead: "JSON in a payload: the ABI knows no meaning",
    },
    Rule {
        of: "plugin-api/contracts",
        members: &["plugin-api"],
        crates: Some(&["serde", "serde_json", "futures-core"]),
        never: &["tokio", "reqwest", "tracing", "anyhow"],
        instead: "the call's `Cx`: a contract does no I/O and has no runtime",
    },
    Rule {
        of: "plugin-api/kit/*",
        members: &[],
        crates: None,
        never: &[],
        instead: "an argument: a kit crate knows nothing of this repository",
    },
    Rule {
        of: "plugin-api/sdk",
        members: &["plugin-api", "plugin-api/contracts", "plugin-api/kit/*"],
        crates: None,
        never: &["reqwest", "host", "host/*", "checks", PLUGIN],
        instead: "a kit crate, or a dependency of the plugin that needs it",
    },
    Rule {
        of: "host/scaffold/templates/*",
        members: &["plugin-api/sdk"],
        crates: None,
        never: &["host", "host/*", "checks", PLUGIN],
        instead: "`plugin-sdk`: a template is the plugin that it becomes",
    },
    Rule {
        of: "host/services",
        members: &["host/loader", "host/rows", "host/terminal"],
        crates: None,
        never: &["host", "plugin-api/contracts", "plugin-api/sdk", "checks", "reqwest", PLUGIN],
        instead: "what `harness rows` and `harness check list` say: it knows no service",
    },
    Rule {
        of: "host/*",
        members: &["plugin-api"],
        crates: None,
        never: &["host", "plugin-api/contracts", "plugin-api/sdk", "checks", "reqwest", PLUGIN],
        instead: "`plugin-api`: the host knows no service",
    },
    Rule {
        of: "host",
        members: &["plugin-api", "host/*"],
        crates: None,
        never: &["plugin-api/contracts", "plugin-api/sdk", "checks", "reqwest", PLUGIN],
        instead: "`plugin-api`: the host knows no service",
    },
    Rule {
        of: "plugins/bundle",
        members: &["plugin-api/sdk", PLUGIN],
        crates: None,
        never: &["host", "host/*", "checks"],
        instead: "`plugin-sdk`",
    },
    Rule {
        of: PLUGIN,
        members: &["plugin-api/sdk"],
        crates: None,
        never: &["host", "host/*", "checks", PLUGIN],
        instead: "`plugin-sdk`, which brings the contracts and the kit, or a need that a row fills",
    },
    Rule {
        of: "checks/defects",
        members: &["plugin-api/sdk", "host/scaffold/templates/llm"],
        crates: None,
        never: &["host", "checks", PLUGIN],
        instead: "`plugin-sdk`",
    },
    Rule {
        of: "checks/planted",
        members: &["plugin-api/sdk"],
        crates: None,
        never: &["host", "host/*", "checks", PLUGIN],
        instead: "`plugin-sdk`",
    },
    Rule {
        of: "checks",
        members: &["plugin-api", "plugin-api/contracts"],
        crates: None,
        never: &["host", "host/*", PLUGIN, "checks/defects", "checks/planted"],
        instead: "the `harness` binary and the contracts: a check sees what a user sees",
    },
    Rule {
        of: "labs/*/spine",
        members: &[],
        crates: None,
        never: &[],
        instead: "code in its one file: the spine is what the harness is measured by",
    },
    Rule {
        of: "labs/*/stubs/*",
        members: &["plugin-api/sdk"],
        crates: None,
        never: &["host", "host/*", "checks", PLUGIN],
        instead: "`plugin-sdk`: a stub is the plugin that it becomes",
    },
    Rule {
        of: "labs",
        members: &["host/scaffold"],
        crates: None,
        never: &["host", "checks", PLUGIN],
        instead: "the `harness` binary",
    },
];

struct Package {
    name: String,
    /// Its folder, for a package of this repository.
    folder: Option<String>,
    /// Its normal dependencies, by position.
    needs: Vec<usize>,
}

impl Package {
    /// Whether it is what a pattern of a rule means.
    fn is(&self, pattern: &str) -> bool {
        match &self.folder {
            Some(folder) => matches(pattern, folder),
            None => self.name == pattern,
        }
    }
}

fn check(packages: &[Package], line_of: &dyn Fn(&str, &str) -> usize) -> Vec<String> {
    let mut breaches = Vec::new();
    for (at, package) in packages.iter().enumerate() {
        let Some(folder) = &package.folder else { continue };
        let file = format!("{folder}/Cargo.toml");
        let Some(rule) = RULES.iter().find(|rule| matches(rule.of, folder)) else {
            breaches.push(format!(
                "{file}:1: a package without a rule is banned, use RULES in tidy/dependencies.rs"
            ));
            continue;
        };
        for need in package.needs.iter().map(|need| &packages[*need]) {
            let allowed = match &need.folder {
                Some(_) => rule.members.iter().any(|pattern| need.is(pattern)),
                None => rule.crates.is_none_or(|names| names.contains(&need.name.as_str())),
            };
            if !allowed {
                let line = line_of(folder, &need.name);
                let (name, need) = (&package.name, &need.name);
                breaches.push(format!("{file}:{line}: `{name}` → `{need}` is banned, use {}", rule.instead));
            }
        }
        for chain in chains(packages, at) {
            let (last, direct) = (chain[chain.len() - 1], chain[1]);
            let banned = rule.never.iter().any(|pattern| packages[last].is(pattern));
            // One that is named itself has been told of above, where there is a list of what may be named.
            let told = chain.len() == 2 && (rule.crates.is_some() || packages[last].folder.is_some());
            if banned && !told {
                let line = line_of(folder, &packages[direct].name);
                let names: Vec<String> = chain.iter().map(|at| format!("`{}`", packages[*at].name)).collect();
                breaches.push(format!(
                    "{file}:{line}: {} is banned, use {}",
                    names.join(" → "),
                    rule.instead
                ));
            }
        }
    }
    breaches
}

/// The shortest way to each package that is reached, itself aside.
fn chains(packages: &[Package], from: usize) -> Vec<Vec<usize>> {
    let (mut came_from, mut queue, mut order) =
        (HashMap::from([(from, from)]), VecDeque::from([from]), Vec::new());
    while let Some(at) = queue.pop_front() {
        for need in &packages[at].needs {
            if let Entry::Vacant(free) = came_from.entry(*need) {
                free.insert(at);
                queue.push_back(*need);
                order.push(*need);
            }
        }
    }
    let chain = |to: usize| {
        let mut chain = vec![to];
        while chain[chain.len() - 1] != from {
            chain.push(came_from[&chain[chain.len() - 1]]);
        }
        chain.reverse();
        chain
    };
    order.into_iter().map(chain).collect()
}

#[test]
fn packages_depend_on_what_they_may() {
    let packages = workspace();
    assert!(packages.iter().filter(|package| package.folder.is_some()).count() > 10);
    tree::none(check(&packages, &line_of));
}
