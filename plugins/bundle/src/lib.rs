//! All official plugins in one library: one mapping, one runtime, one check of layouts.
//!
//! Linking a plugin's crate brings its manifest record and its entry with it, so there is nothing to list but the crates.
extern crate dispatch_parallel as _;
extern crate llm_deepseek as _;
extern crate llm_openai as _;
extern crate llm_retry as _;
extern crate llm_scripted as _;
extern crate loop_basic as _;
extern crate policy_budget as _;
extern crate policy_repeat as _;
extern crate policy_steps as _;
extern crate session_jsonl as _;
extern crate session_sqlite as _;
extern crate tools_basic as _;
