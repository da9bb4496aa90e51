//! The files in `fuzz/corpus`: every case that ever failed, and some others worth keeping.

use crate::case::Case;
use std::io;
use std::path::{Path, PathBuf};

/// The corpus directory.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// All cases with their files, sorted by name.
///
/// # Errors
/// If a file cannot be read.
pub fn read(folder: &Path) -> io::Result<Vec<(PathBuf, Case)>> {
    let files: io::Result<Vec<_>> = folder.read_dir()?.map(|entry| Ok(entry?.path())).collect();
    let mut files = files?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files.into_iter().map(|file| Ok((file.clone(), Case::parse(&std::fs::read_to_string(&file)?)))).collect()
}

/// Writes a case to a file named after the hash of its text.
///
/// # Errors
/// If the file cannot be written.
pub fn save(folder: &Path, case: &Case) -> io::Result<PathBuf> {
    let text = case.to_string();
    let name = blake3::hash(text.as_bytes()).to_hex();
    let file = folder.join(format!("{}.toml", &name[..12]));
    std::fs::write(&file, text)?;
    Ok(file)
}
