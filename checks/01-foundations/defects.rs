//! Plugins of checks/defects that each break one check.
use crate::check::Defect;

pub(super) const DEFECTS: &[Defect] = &[];
