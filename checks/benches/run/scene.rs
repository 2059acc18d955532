//! Where the contenders run: a folder with notes to read, and folders with the program and libraries in the forms they ship in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

const NOTES: &str =
    "Buy milk, call Ann back about the garden, and return the blue book to the library by Friday.\n";
/// The plugins of the default rows, and a wrap that ships.
const PLUGINS: [&str; 5] = ["llm_openai", "llm_retry", "tools_basic", "dispatch_parallel", "loop_basic"];
/// Plugins of the tests: among them the wraps.
const PLANTED: &str = "planted_bundle";
/// Much longer than the harness needs to trust a file.
const SETTLED_WITHIN: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(200);

/// Everything that a run finds on disk.
pub(crate) struct Scene {
    folder: TempDir,
    spine: PathBuf,
    bundled: bool,
}

impl Scene {
    pub(crate) fn new(binaries: &Path) -> Result<Self> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let spine = binaries.join("spine");
        fs::metadata(&spine).with_context(|| spine.display().to_string())?;
        let bundled = binaries.join("libbundle.so").exists();
        let scene = Scene { folder, spine, bundled };
        for name in ["root", "home", "singles", "bundle"] {
            fs::create_dir(scene.path(name))?;
        }
        fs::write(scene.root().join("notes.txt"), NOTES)?;
        let default_rows = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness.yml");
        fs::copy(default_rows, scene.root().join("harness.yml")).context(default_rows)?;
        let libraries = |names: &[&str]| names.iter().map(|name| format!("lib{name}.so")).collect::<Vec<_>>();
        for (to, names) in [("singles", &PLUGINS[..]), ("bundle", &["bundle"][..])] {
            let files = if to == "bundle" && !bundled { Vec::new() } else { libraries(names) };
            let files = files.into_iter().chain(["harness".to_owned()]).chain(libraries(&[PLANTED]));
            for file in files {
                let from = binaries.join(&file);
                fs::copy(&from, scene.path(to).join(&file)).with_context(|| from.display().to_string())?;
            }
        }
        scene.settle()?;
        Ok(scene)
    }

    /// Waits until the harness remembers the libraries: of a file that has just been written it does not.
    pub(crate) fn settle(&self) -> Result<()> {
        let begun = Instant::now();
        let memory = self.home().join(".cache/harness/libraries.json");
        loop {
            let mut command = Command::new(self.shipped().join("harness"));
            command.arg("rows").current_dir(self.root()).env_clear().env("HOME", self.home());
            let output =
                command.env("LLM_BASE_URL", "http://127.0.0.1:9/v1").stdin(Stdio::null()).output()?;
            ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let known = fs::read_to_string(&memory).unwrap_or_default();
            if known.contains(&*self.shipped().to_string_lossy()) {
                return Ok(());
            }
            ensure!(
                begun.elapsed() < SETTLED_WITHIN,
                "the harness remembers nothing in {}",
                memory.display()
            );
            std::thread::park_timeout(LOOK);
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder that the contenders work in.
    pub(crate) fn root(&self) -> PathBuf {
        self.path("root")
    }

    /// The user's home: the harness remembers in it what it knows of libraries.
    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    pub(crate) fn spine(&self) -> PathBuf {
        self.spine.clone()
    }

    /// The program beside the bundle, where there is one.
    pub(crate) fn bundle(&self) -> Option<PathBuf> {
        self.bundled.then(|| self.path("bundle"))
    }

    /// The program beside a library for each plugin.
    pub(crate) fn singles(&self) -> PathBuf {
        self.path("singles")
    }

    /// The program as it ships.
    pub(crate) fn shipped(&self) -> PathBuf {
        self.bundle().unwrap_or_else(|| self.singles())
    }

    /// A patch that puts so many wraps of a plugin before the model.
    pub(crate) fn wraps(&self, plugin: &str, count: usize) -> Result<PathBuf> {
        let rows = (1..=count).map(|n| format!("{{id: wrap-{n}, name: {plugin}}}")).collect::<Vec<_>>();
        let file = self.path(&format!("{plugin}.patch.yml"));
        fs::write(&file, format!("- {{insert: [{}], after: llm-adapter}}\n", rows.join(", ")))?;
        Ok(file)
    }
}
