//! The rules that a caller of the fake model keeps; one file a subject, each returns the first breach it finds.

mod shape;
mod pairing;
mod extension;
mod expectation;

use super::breach::Breach;
use super::conversation::Answered;
use super::record::Recorded;
use super::request::Request;
use super::script::{Changes, Expect};

/// Checks everything that a request alone can show.
pub(super) fn check_alone(request: &Request<'_>) -> Result<(), Breach> {
    shape::check(request)?;
    pairing::check(request)
}

/// Checks a request against the one that its conversation answered last.
pub(super) fn check_extends(last: &Answered, request: &Request<'_>, changes: Changes) -> Result<(), Breach> {
    extension::check(last, request, changes)
}

/// Checks what the reply demands of the request that it answers.
pub(super) fn check_expected(
    expect: &Expect,
    request: &Request<'_>,
    recorded: &Recorded,
) -> Result<(), Breach> {
    expectation::check(expect, request, recorded)
}
