//! Scripts of the scripted model: any text is read and compiled, or refused with a place and a remedy.
#![no_main]

use libfuzzer_sys::fuzz_target;
use llm_scripted::{Config, Scripted};

fuzz_target!(|input: &[u8]| {
    let script = String::from_utf8_lossy(input).into_owned();
    if let Err(error) = Scripted::new(Config { script: Some(script.into()), builtin: None }) {
        assert_eq!(error.code, "SCRIPT_INVALID");
        assert!(!error.message.is_empty() && !error.hint.is_empty(), "{error:?}");
    }
});
