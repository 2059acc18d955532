//! What is in the archive, and from where.
use crate::{
    licences,
    problem::Problem,
    sdk,
    workspace::{BUNDLE, PROGRAMS, Workspace},
};
use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX},
    fs,
    path::Path,
};

/// Files of the repository: the place in it, and the place in the archive.
const COPIED: [(&str, &str); 5] = [
    ("LICENSE", "LICENSE"),
    ("host/dist/archive/README.md", "README.md"),
    ("harness.yml", "harness.yml"),
    ("offline.patch.yml", "offline.patch.yml"),
    ("checks/SCRIPTS.md", "checks/SCRIPTS.md"),
];
/// The scripts that `checks/SCRIPTS.md` speaks of.
const SCRIPTS: &str = "checks/tests/it/scripts";
/// Patches that put another plugin into a row, to be checked in its place.
const SWAPS: &str = "checks/swaps";
/// The licences of Rust's standard library, as the compiler brings them.
const STANDARD: &str = "share/doc/rust/COPYRIGHT-library.html";

/// One file of the archive.
#[derive(Debug)]
pub(crate) struct File {
    /// From the top folder on, with `/`.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    /// A program or a library.
    pub(crate) is_code: bool,
    pub(crate) is_program: bool,
}

impl File {
    /// Neither a program nor a library.
    pub(crate) fn text(path: String, bytes: Vec<u8>) -> File {
        File { path, bytes, is_code: false, is_program: false }
    }
}

/// All files, sorted by their paths.
///
/// # Errors
/// One cannot be read.
pub(crate) fn contents(workspace: &Workspace, programs: &Path) -> Result<Vec<File>, Problem> {
    let root = &workspace.workspace_root;
    let mut files = Vec::new();
    for (_, name) in PROGRAMS {
        let name = format!("{name}{EXE_SUFFIX}");
        files.push(File { is_program: true, ..code(programs, name)? });
    }
    files.push(code(programs, format!("{DLL_PREFIX}{BUNDLE}{DLL_SUFFIX}"))?);
    for (from, to) in COPIED {
        files.push(read(&root.join(from), to.to_owned())?);
    }
    let modules = numbered(&root.join("checks"))?.into_iter().map(|name| format!("checks/{name}"));
    for path in modules.chain([SCRIPTS.to_owned(), SWAPS.to_owned()]) {
        folder(&root.join(&path), &path, &mut files)?;
    }
    // The criteria are in the program.
    files.retain(|file| !file.path.ends_with(".rs"));
    sdk::sources(workspace, &mut files)?;
    let others = licences::third_parties(workspace)?.into_bytes();
    files.push(File::text("licences/third-party.txt".to_owned(), others));
    let standard = workspace.compiler.sysroot.join(STANDARD);
    // A toolchain of a distribution may lack it; the text above names its licence in any case.
    if standard.is_file() {
        files.push(read(&standard, "licences/rust-standard-library.html".to_owned())?);
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

pub(crate) fn read(from: &Path, path: String) -> Result<File, Problem> {
    let bytes = fs::read(from).map_err(|error| Problem::file(from, &error))?;
    Ok(File::text(path, bytes))
}

fn code(folder: &Path, name: String) -> Result<File, Problem> {
    let from = folder.join(&name);
    if !from.is_file() {
        let what = format!("{} is not there", from.display());
        return Err(Problem::new("NOT_BUILT", what, "build it, or leave out --from"));
    }
    Ok(File { is_code: true, ..read(&from, name)? })
}

/// The folders of the course's modules: `01-foundations` and so on.
fn numbered(folder: &Path) -> Result<Vec<String>, Problem> {
    let is_numbered = |name: &String| name.starts_with(|first: char| first.is_ascii_digit());
    Ok(names(folder)?.into_iter().filter(is_numbered).collect())
}

/// Everything below a folder, without what is hidden.
pub(crate) fn folder(from: &Path, path: &str, files: &mut Vec<File>) -> Result<(), Problem> {
    for name in names(from)?.into_iter().filter(|name| !name.starts_with('.')) {
        let (from, path) = (from.join(&name), format!("{path}/{name}"));
        if from.is_dir() {
            folder(&from, &path, files)?;
        } else {
            files.push(read(&from, path)?);
        }
    }
    Ok(())
}

fn names(folder: &Path) -> Result<Vec<String>, Problem> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| Problem::file(folder, &error))?;
    Ok(entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// The oldest glibc that has all that the programs and the library ask for; none where it is not the C library.
pub(crate) fn glibc(files: &[File]) -> Option<(u32, u32)> {
    const MARK: &[u8] = b"\0GLIBC_";
    let code = files.iter().filter(|file| file.is_code);
    let version = |behind: &[u8]| {
        let text = behind[MARK.len()..].split(|byte| *byte == 0).next()?;
        let mut parts = std::str::from_utf8(text).ok()?.split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    };
    let mark = memchr::memmem::Finder::new(MARK);
    let versions =
        code.flat_map(|file| mark.find_iter(&file.bytes).filter_map(|at| version(&file.bytes[at..])));
    versions.max()
}
