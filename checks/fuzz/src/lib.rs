//! What the fuzz targets share: how an input is cut into pieces, what holds of chunks, and a folder for what is read from files.
mod cuts;
mod folder;
mod rules;

pub use cuts::ways;
pub use folder::folder;
pub use rules::keeps_the_rules;
