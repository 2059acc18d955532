//! What a command gets of the harness's own environment: all but what looks like a secret, and what would surprise it.

use std::ffi::{OsStr, OsString};

/// Endings of a word that name a secret, wherever the word stands: `GITHUB_TOKEN`, `PGPASSWORD`, `SECRET_ID`.
const ENDINGS: [&str; 8] =
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "APIKEY"];

/// Whole words that do: `LLM_API_KEY`, but neither `MONKEY` nor `KEYBOARD`.
const WORDS: [&str; 4] = ["KEY", "KEYS", "TOKENS", "SECRETS"];

/// A shell that is not interactive reads these files before it reads the command.
const STARTUP_FILES: [&str; 2] = ["BASH_ENV", "ENV"];

/// For people at a terminal, who are not there.
pub(crate) const PLAIN: [(&str, &str); 5] = [
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Of `names`, those that a command does not get. What is in `keep` is no secret to it.
pub(crate) fn withheld(names: impl Iterator<Item = OsString>, keep: &[String]) -> Vec<OsString> {
    let is_kept = |name: &OsStr| keep.iter().any(|keep| name == keep.as_str());
    names
        .filter(|name| {
            let text = name.to_string_lossy();
            STARTUP_FILES.contains(&&*text) || (names_a_secret(&text) && !is_kept(name))
        })
        .collect()
}

fn names_a_secret(name: &str) -> bool {
    name.to_ascii_uppercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| WORDS.contains(&word) || ENDINGS.iter().any(|ending| word.ends_with(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_from_words_that_only_look_like_them() {
        const SECRETS: &[&str] = &[
            "LLM_API_KEY",
            "OPENAI_APIKEY",
            "aws_secret_access_key",
            "GITHUB_TOKEN",
            "PGPASSWORD",
            "SECRET",
            "npm_config_//host/:_authToken",
            "SSH_KEYS",
            "GOOGLE_APPLICATION_CREDENTIALS",
        ];
        const OTHERS: &[&str] = &[
            "PATH",
            "MONKEY",
            "KEYBOARD",
            "TOKENIZERS_PARALLELISM",
            "SSH_AUTH_SOCK",
            "SECRETARY",
            "KEYMAP_DIR",
        ];
        let all = || SECRETS.iter().chain(OTHERS).map(OsString::from);
        assert_eq!(withheld(all(), &[]), SECRETS);
        assert_eq!(withheld(all(), &["GITHUB_TOKEN".into()]).len(), SECRETS.len() - 1);
        assert_eq!(withheld(["BASH_ENV", "ENV"].map(OsString::from).into_iter(), &["ENV".into()]).len(), 2);
    }
}
