//! The names of sessions: as file names, and new ones.
use plugin_sdk::Part;
use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    time::{SystemTime, UNIX_EPOCH},
};

/// What a log's file name ends with.
pub(crate) const SUFFIX: &str = ".jsonl";

/// How long a file name may be before its suffix: file systems take 255 bytes.
const NAME_BYTES_MAX: usize = 200;
/// How much of a longer one is kept, for people.
const KEPT_BYTES: usize = 120;

/// The file name of a session: another one for every other session, also where upper and lower case are the same.
///
/// Letters, digits, `-`, `_` and inner dots stay; every other byte is `%` and two hex digits. What is too long ends with `%%` and a hash.
pub(crate) fn file_name(session: &str) -> String {
    let mut name = String::with_capacity(session.len());
    let mut kept = 0;
    for (at, byte) in session.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            b'.' if at > 0 => name.push('.'),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
        if name.len() <= KEPT_BYTES {
            kept = name.len();
        }
    }
    if name.len() > NAME_BYTES_MAX {
        name.truncate(kept);
        let hash: String = Part::new(session).id().iter().map(|byte| format!("{byte:02x}")).collect();
        name = format!("{name}%%{hash}");
    }
    name + SUFFIX
}

/// A name that sorts by time and does not come twice.
pub(crate) fn new_session() -> String {
    format!("{:012x}-{:016x}", now_ms(), RandomState::new().build_hasher().finish())
}

/// Milliseconds since the Unix epoch.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::file_name;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn a_file_name_can_be_read() {
        let long = "x".repeat(300);
        for (session, expected) in [
            ("0199-ab_c", "0199-ab_c.jsonl"),
            ("v1.2", "v1.2.jsonl"),
            ("", ".jsonl"),
            ("..", "%2e..jsonl"),
            ("a/../b", "a%2f..%2fb.jsonl"),
            ("Ab", "%41b.jsonl"),
            ("é %", "%c3%a9%20%25.jsonl"),
            ("a\0", "a%00.jsonl"),
        ] {
            assert_eq!(file_name(session), expected);
        }
        let name = file_name(&long);
        assert!(name.starts_with("xxx") && name.contains("%%") && name.len() == 120 + 2 + 32 + 6, "{name}");
        assert_ne!(name, file_name(&format!("{long}y")));
    }

    proptest! {
        #[test]
        fn every_session_has_a_file_of_its_own(sessions in prop::collection::vec("(?s).{0,90}|[aA.%/]{0,4}", 0..20)) {
            let mut taken = HashMap::new();
            for session in sessions {
                let name = file_name(&session);
                prop_assert!(name.len() <= 255 && !name.contains('/') && name.is_ascii());
                prop_assert_eq!(name.to_lowercase(), name.clone());
                prop_assert!(name == ".jsonl" || !name.starts_with('.'));
                let before = taken.insert(name, session.clone());
                prop_assert!(before.is_none_or(|before| before == session));
            }
        }
    }
}
