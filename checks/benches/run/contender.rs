//! Who is measured, and how each is started in the scene.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::scene::Scene;
use crate::{client, launcher};

/// The key of every run: the harness masks it, as it would a real one.
const KEY: &str = "sk-bench-4f9c1e7a2b8d4e6f";
/// Above every length that is measured.
const STEPS_MAX: &str = "1000000";
const TASK: &str = "look at the notes until you know them";

/// Who posts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Contender<'a> {
    /// The program, with the libraries beside it and the patches given.
    Harness {
        folder: &'a Path,
        patches: &'a [PathBuf],
    },
    Spine,
    /// The bare client with bodies that were recorded.
    Client {
        bodies: &'a Path,
    },
}

impl Contender<'_> {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Contender::Harness { .. } => "harness",
            Contender::Spine => "spine",
            Contender::Client { .. } => "client",
        }
    }

    /// The program with its arguments and environment, for a model at `base_url`.
    pub(crate) fn command(self, scene: &Scene, base_url: &str, launched: bool) -> Result<Command> {
        let own = std::env::current_exe()?;
        let program = match self {
            Contender::Harness { folder, .. } => folder.join("harness"),
            Contender::Spine => scene.spine(),
            Contender::Client { .. } => own.clone(),
        };
        let mut command = if launched {
            let mut launch = Command::new(own);
            launch.arg(launcher::WORD).arg(program);
            launch
        } else {
            Command::new(program)
        };
        match self {
            Contender::Harness { patches, .. } => {
                command.arg("run").arg(TASK);
                for patch in patches {
                    command.arg("--patch").arg(patch);
                }
            }
            Contender::Spine => drop(command.arg(TASK)),
            Contender::Client { bodies } => drop(command.args([client::WORD, base_url, KEY]).arg(bodies)),
        }
        command.current_dir(scene.root()).env_clear().env("HOME", scene.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("LLM_BASE_URL", base_url).env("LLM_API_KEY", KEY).env("LLM_MODEL", "fake-model");
        command.env("HARNESS_MAX_STEPS", STEPS_MAX).env("SPINE_MAX_STEPS", STEPS_MAX);
        Ok(command)
    }
}
