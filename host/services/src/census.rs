//! Who has which role in which service.
use crate::neighbours::{Contract, Known, Row, Rows};
use loader::{Library, Role, Verdicts, Wanted};
use serde::Serialize;
use std::collections::BTreeMap;

/// Services by name.
#[derive(Debug, Default)]
pub(crate) struct Census(pub(crate) BTreeMap<String, Service>);

/// One service.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Service {
    /// The contract's version; `""` when nobody but plugins speaks of it.
    pub(crate) version: String,
    /// One line.
    pub(crate) about: String,
    /// The Rust module that defines it; `""` as the version.
    pub(crate) definition: String,
    /// Methods, each `call` or `stream`.
    pub(crate) methods: BTreeMap<String, String>,
    pub(crate) providers: Vec<Plugin>,
    pub(crate) joins: Vec<Plugin>,
    pub(crate) wraps: Vec<Plugin>,
    pub(crate) consumers: Vec<Plugin>,
    /// Criteria.
    pub(crate) checks: Vec<String>,
}

/// A plugin, and the rows that mount it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Plugin {
    pub(crate) name: String,
    pub(crate) rows: Vec<String>,
}

/// Every plugin that a row could name.
pub(crate) fn installed() -> Vec<Library> {
    let get = |name: &str| std::env::var_os(name).and_then(|value| value.into_string().ok());
    loader::installed(&loader::folders(get), &mut Verdicts::load(get))
}

impl Census {
    pub(crate) fn take(rows: &Rows, installed: &[Library], known: &Known) -> Self {
        let mut census = Census::default();
        for Contract { name, version, about, definition, methods } in &known.contracts {
            let service = census.service(name);
            (service.version, service.about) = (version.clone(), about.clone());
            service.definition.clone_from(definition);
            service.methods.clone_from(methods);
        }
        let mounted = rows.rows.iter().filter_map(|row| Some((row, library(row, installed)?)));
        let mounted: Vec<(&Row, Library)> = mounted.collect();
        for (row, library) in &mounted {
            census.count(library, Some(&row.id));
        }
        let same = |one: &Library, other: &Library| {
            one.path == other.path && one.manifest.name == other.manifest.name
        };
        for library in installed.iter().filter(|one| !mounted.iter().any(|(_, other)| same(one, other))) {
            census.count(library, None);
        }
        for criterion in &known.criteria {
            for service in &criterion.services {
                census.service(service).checks.push(criterion.id.clone());
            }
        }
        census
    }

    fn service(&mut self, name: &str) -> &mut Service {
        self.0.entry(name.to_owned()).or_default()
    }

    fn count(&mut self, library: &Library, row: Option<&str>) {
        let manifest = &library.manifest;
        for provided in &manifest.services {
            let service = self.service(&provided.service);
            let role = match provided.role {
                Role::Provide => &mut service.providers,
                Role::Join => &mut service.joins,
                Role::Wrap => &mut service.wraps,
            };
            add(role, &manifest.name, row);
        }
        for need in &manifest.needs {
            add(&mut self.service(&need.service).consumers, &manifest.name, row);
        }
    }
}

fn add(plugins: &mut Vec<Plugin>, name: &str, row: Option<&str>) {
    let rows = row.map(str::to_owned);
    match plugins.iter_mut().find(|plugin| plugin.name == name) {
        Some(plugin) => plugin.rows.extend(rows),
        None => plugins.push(Plugin { name: name.to_owned(), rows: rows.into_iter().collect() }),
    }
}

/// What a row mounts: among the installed ones, else read from its file.
fn library(row: &Row, installed: &[Library]) -> Option<Library> {
    let (file, name) = (row.file.as_ref()?, row.plugin.split(' ').next()?);
    let found = installed.iter().find(|library| library.path == *file && library.manifest.name == name);
    let read = || {
        let path = format!("{}#{name}", file.display());
        let wanted = Wanted { name, version: None, library: Some(path.as_ref()) };
        loader::find(&wanted, &[], &mut Verdicts::load(|_| None)).ok()
    };
    found.cloned().or_else(read)
}
