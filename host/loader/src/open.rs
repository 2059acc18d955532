//! Mapping a library: layouts are checked before anything of it runs, and it is never unmapped.
use super::{
    Library, Refusal, Verdicts, rebuild, refusal,
    verdict::{Identity, identity},
};
use abi_stable::{
    StableAbi,
    abi_stability::abi_checking::{
        AbiInstability, AbiInstabilityErrors, CheckingGlobals, check_layout_compatibility_with_globals,
    },
    library::{AbiHeaderRef, LibHeader},
    type_layout::TLFieldOrFunction,
};
use libloading::os::unix::{Library as Mapping, RTLD_LOCAL, RTLD_NOW};
use plugin_api::{Init, PluginRef, RTraceSink};
use semver::Version;
use std::{
    collections::HashMap,
    error::Error as _,
    fs, io,
    path::{Path, PathBuf},
};

/// The libraries mapped so far.
#[derive(Default)]
pub struct Opened(HashMap<(PathBuf, Identity, String), PluginRef>);

impl Opened {
    /// The root module of a plugin's crate. The same bytes are the same mapping; changed bytes are mapped as a private copy.
    ///
    /// # Errors
    /// The loader refuses the file, its types differ from this host's, or it cannot start itself.
    pub fn open(
        &mut self,
        library: &Library,
        trace: &RTraceSink,
        verdicts: &mut Verdicts,
    ) -> Result<PluginRef, Refusal> {
        let (path, entry) = (&library.path, &library.entry);
        let problem = |what: String, hint: String| refusal(format!("{}: {what}", path.display()), hint);
        let bytes = identity(path).ok_or_else(|| problem("the file is gone".into(), "put it back".into()))?;
        let key = (path.clone(), bytes, entry.clone());
        if let Some(module) = self.0.get(&key) {
            return Ok(*module);
        }
        let again = || rebuild(&library.manifest.name);
        let changed = self.0.keys().any(|(known, id, _)| known == path && *id != bytes);
        let mapping =
            map(path, changed).map_err(|e| problem(format!("the loader refuses it: {e}"), again()))?;
        let header = header(&mapping, entry);
        // Threads, thread-locals and vtables of the library may be in use until the process ends.
        std::mem::forget(mapping);
        let header =
            header.map_err(|e| problem(format!("it lacks the entry its manifest names: {e}"), again()))?;
        if !verdicts.layout_fits(path) {
            fits(header, &library.api).map_err(|what| {
                let built =
                    format!("its types differ from this host's ({what}; built with {})", library.rustc);
                problem(built, again())
            })?;
            verdicts.fits(path, bytes);
        }
        // SAFETY: the layouts were just compared, or were when these bytes were first seen by this build of the host.
        #[expect(unsafe_code, reason = "the one place where a checked library becomes callable")]
        let module = unsafe { header.init_root_module_with_unchecked_layout::<PluginRef>() };
        let module = module.map_err(|e| problem(format!("its module cannot be made: {e}"), again()))?;
        let init = Init { trace: trace.clone(), ext: "".into() };
        (module.init())(init).into_result().map_err(|e| problem(e.message.into(), again()))?;
        self.0.insert(key, module);
        Ok(module)
    }
}

fn map(path: &Path, copy: bool) -> Result<Mapping, String> {
    let words = |e: libloading::Error| e.source().map_or_else(|| e.to_string(), ToString::to_string);
    let private = copy.then(|| private_copy(path)).transpose().map_err(|e| e.to_string())?;
    // SAFETY: runs the library's initialisers; its manifest says that it is a plugin of this ABI.
    #[expect(unsafe_code, reason = "loading a library is the host's job")]
    let mapping = unsafe { Mapping::open(Some(private.as_deref().unwrap_or(path)), RTLD_NOW | RTLD_LOCAL) };
    if let Some(private) = private {
        // The mapping keeps the bytes.
        drop(fs::remove_file(private));
    }
    mapping.map_err(words)
}

fn private_copy(path: &Path) -> io::Result<PathBuf> {
    let name =
        format!("harness-{}-{}", std::process::id(), path.file_name().unwrap_or_default().to_string_lossy());
    let copy = std::env::temp_dir().join(name);
    fs::copy(path, &copy).map(|_| copy)
}

fn header(mapping: &Mapping, entry: &str) -> Result<&'static LibHeader, String> {
    // SAFETY: the symbol is a `LibHeader`, which begins with the header that is read and verified here.
    #[expect(unsafe_code, reason = "a symbol has no type of its own")]
    let header = unsafe { mapping.get::<AbiHeaderRef>(entry.as_bytes()).map(|symbol| *symbol) };
    header.map_err(|e| e.to_string())?.upgrade().map_err(|e| e.to_string())
}

/// Compares all types that cross. The check is one-directional, so the side with the older API goes first; and it remembers
/// what it saw in its globals, so each library gets fresh ones.
fn fits(header: &'static LibHeader, api: &Version) -> Result<(), String> {
    let theirs = header.layout().ok_or("it was built without layouts")?;
    let ours = <PluginRef as StableAbi>::LAYOUT;
    let newer = plugin_api::API_VERSION.parse::<Version>().is_ok_and(|host| *api >= host);
    let (first, second) = if newer { (ours, theirs) } else { (theirs, ours) };
    check_layout_compatibility_with_globals(first, second, &CheckingGlobals::new()).map_err(|e| innermost(&e))
}

/// The one difference that the others follow from: the full text is over 100 kB for a single added field.
fn innermost(errors: &AbiInstabilityErrors) -> String {
    let mut found: Vec<String> = Vec::new();
    for error in &errors.errors {
        let Some(TLFieldOrFunction::Field(field)) = error.stack_trace.last().map(|top| top.expected) else {
            continue;
        };
        let layout = field.layout();
        let module = layout.mod_path().to_string();
        let name = match module.rsplit("::").next() {
            Some(object) if layout.name() == "VTable" => {
                format!("trait {}", object.trim_end_matches("_trait"))
            }
            _ => layout.name().to_owned(),
        };
        for difference in &error.errs {
            found.push(match difference {
                AbiInstability::FieldCountMismatch(n) => {
                    format!("{name} has {} fields here, {} there", n.expected, n.found)
                }
                AbiInstability::TooManyVariants(n) => {
                    format!("{name} has {} variants here, {} there", n.expected, n.found)
                }
                AbiInstability::UnexpectedField(n) => {
                    format!("{name} has `{}` here, `{}` there", n.expected.name(), n.found.name())
                }
                AbiInstability::Name(n) => format!("{} here is {} there", n.expected.name(), n.found.name()),
                // Sizes of whatever holds the culprit follow from it.
                _ => continue,
            });
        }
    }
    found.sort();
    found.into_iter().next().unwrap_or_else(|| "another size or alignment".into())
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.keys().map(|(path, ..)| path)).finish()
    }
}
