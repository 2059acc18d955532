//! The workspace that is shipped, as `cargo metadata` and `rustc` describe it.
use crate::{
    problem::Problem,
    program::{output, program_in},
};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The programs in the archive, each behind its package. The first one's version is the release's.
pub(crate) const PROGRAMS: [(&str, &str); 5] = [
    ("host", "harness"),
    ("checks", "harness-check"),
    ("labs", "harness-lab"),
    ("scaffold", "harness-new"),
    ("services", "harness-services"),
];
/// The package, and the library, that holds all plugins.
pub(crate) const BUNDLE: &str = "bundle";
/// 1980, the oldest year that every archive format can say.
const NO_TIME: u64 = 315_532_800;

/// The packages whose artifacts are in the archive.
pub(crate) fn shipped() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|(package, _)| *package).chain([BUNDLE])
}

/// What is built, and where.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    pub(crate) workspace_root: PathBuf,
    pub(crate) target_directory: PathBuf,
    pub(crate) packages: Vec<Package>,
    resolve: Resolve,
    /// Which compiler builds it.
    #[serde(skip)]
    pub(crate) compiler: Compiler,
}

/// One package, of this workspace or of others.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) repository: Option<String>,
    /// Where it is from; of this workspace when from nowhere.
    pub(crate) source: Option<String>,
    manifest_path: PathBuf,
}

impl Package {
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Debug, Deserialize)]
struct Kind {
    /// `dev` or `build`; none for a normal dependency.
    kind: Option<String>,
}

/// A compiler.
#[derive(Debug, Default)]
pub(crate) struct Compiler {
    /// The platform it runs on and builds for.
    pub(crate) host: String,
    /// The commit it was built from.
    pub(crate) commit: String,
    pub(crate) release: String,
    /// Where its own libraries are.
    pub(crate) sysroot: PathBuf,
}

impl Workspace {
    /// The workspace around the current folder.
    ///
    /// # Errors
    /// There is none, or it is another project's.
    pub(crate) fn read() -> Result<Workspace, Problem> {
        let args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", "host-tuple"];
        let json = output(program_in("CARGO", "cargo"), &args, Path::new("."))?;
        let wrong =
            |what: String| Problem::new("NOT_THE_WORKSPACE", what, "run this in a checkout of the harness");
        let mut workspace: Workspace = serde_json::from_str(&json)
            .map_err(|error| wrong(format!("what cargo says of the workspace cannot be read: {error}")))?;
        if let Some(lacking) = shipped().find(|name| workspace.package(name).is_none()) {
            let root = workspace.workspace_root.display();
            return Err(wrong(format!("the workspace {root} has no package `{lacking}`")));
        }
        workspace.compiler = compiler(&workspace.workspace_root)?;
        Ok(workspace)
    }

    /// The folders of its packages, from its root on.
    pub(crate) fn members(&self) -> impl Iterator<Item = String> {
        let own = self.packages.iter().filter(|package| package.source.is_none());
        let folders = own.filter_map(|package| package.folder().strip_prefix(&self.workspace_root).ok());
        folders.map(|folder| folder.to_string_lossy().into_owned())
    }

    /// One of the workspace's own packages.
    fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.source.is_none() && package.name == name)
    }

    /// The archive's name, and its top folder's: `harness-VERSION-PLATFORM`.
    pub(crate) fn release(&self) -> Result<String, Problem> {
        let host = self.package(PROGRAMS[0].0).map(|package| package.version.as_str()).unwrap_or_default();
        Ok(format!("harness-{host}-{}", self.compiler.host))
    }

    /// The seconds since 1970 that all files of the archive are dated to: SOURCE_DATE_EPOCH (reproducible-builds.org),
    /// else the last commit's. A release has a time of its own, so that a new file never passes for the one it replaces.
    pub(crate) fn time(&self) -> u64 {
        let named = std::env::var_os("SOURCE_DATE_EPOCH").and_then(|value| value.into_string().ok());
        let commit = || output("git".into(), &["log", "-1", "--format=%ct"], &self.workspace_root).ok();
        named.or_else(commit).and_then(|text| text.trim().parse().ok()).unwrap_or(NO_TIME)
    }

    /// What of others is in the shipped files: all that is reached by normal dependencies, by name and version.
    pub(crate) fn third_parties(&self) -> Vec<&Package> {
        let packages: BTreeMap<&str, &Package> = self.packages.iter().map(|p| (p.id.as_str(), p)).collect();
        let nodes: BTreeMap<&str, &Node> = self.resolve.nodes.iter().map(|n| (n.id.as_str(), n)).collect();
        let own = shipped().filter_map(|name| self.package(name)).map(|package| package.id.as_str());
        let (mut open, mut seen): (Vec<&str>, BTreeMap<&str, &Package>) = (own.collect(), BTreeMap::new());
        while let Some(id) = open.pop() {
            let Some(package) = packages.get(id).filter(|_| !seen.contains_key(id)) else { continue };
            seen.insert(id, package);
            let needs = nodes.get(id).into_iter().flat_map(|node| &node.deps);
            let normal = needs.filter(|need| need.dep_kinds.iter().any(|kind| kind.kind.is_none()));
            open.extend(normal.map(|need| need.pkg.as_str()));
        }
        let mut others: Vec<&Package> =
            seen.into_values().filter(|package| package.source.is_some()).collect();
        others.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        others
    }
}

fn compiler(root: &Path) -> Result<Compiler, Problem> {
    let said = output(program_in("RUSTC", "rustc"), &["-vV"], root)?;
    let sysroot = output(program_in("RUSTC", "rustc"), &["--print", "sysroot"], root)?;
    let value = |key: &str| {
        said.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().trim().to_owned()
    };
    Ok(Compiler {
        host: value("host:"),
        commit: value("commit-hash:"),
        release: value("release:"),
        sysroot: PathBuf::from(sysroot.trim()),
    })
}
