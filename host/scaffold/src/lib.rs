//! Makes crates of templates: a crate of this workspace, written elsewhere under another name, on its own or as a member.
//!
//! A template is a real crate of this repository, compiled and tested with it, and embedded as text ([`template!`]). Writing it changes
//! its name, and its manifest where it leaves this workspace. No file that is there is ever written over.
mod problem;
mod name;
mod inherited;
mod manifest;
mod around;
mod template;
mod sdk;
mod offers;

pub use name::check as check_name;
pub use offers::{OFFERS, Offer, offer};
pub use problem::Problem;
pub use sdk::{sdk, sdk_in};
pub use template::{Place, Template, Written};
