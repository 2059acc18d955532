//! `harness-check 01`, as a plugin's author uses it.
mod declared;
mod defects;
mod ends;
mod results;
mod support;
