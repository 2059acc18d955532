//! What the fuzz targets share: how an input is cut into pieces, and a folder for what is read from files.
mod cuts;
mod folder;

pub use cuts::ways;
pub use folder::folder;
