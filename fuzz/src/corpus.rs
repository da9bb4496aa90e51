//! The files in `fuzz/corpus`: every case that ever failed, and some that are worth keeping.

use crate::case::Case;
use std::io;
use std::path::{Path, PathBuf};

/// Where they are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// All of them with their files, in the order of their names.
///
/// # Errors
/// When they cannot be read.
pub fn read(folder: &Path) -> io::Result<Vec<(PathBuf, Case)>> {
    let files: io::Result<Vec<_>> = folder.read_dir()?.map(|entry| Ok(entry?.path())).collect();
    let mut files = files?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files.into_iter().map(|file| Ok((file.clone(), Case::parse(&std::fs::read_to_string(&file)?)))).collect()
}

/// Keeps a case under a name that its content gives it.
///
/// # Errors
/// When it cannot be written.
pub fn save(folder: &Path, case: &Case) -> io::Result<PathBuf> {
    let text = case.to_string();
    let name = blake3::hash(text.as_bytes()).to_hex();
    let file = folder.join(format!("{}.toml", &name[..12]));
    std::fs::write(&file, text)?;
    Ok(file)
}
