//! The guide to adding a congestion control agrees with the code.

use std::fs;
use std::path::{Path, PathBuf};

const GUIDE: &str = include_str!("../../../docs/add-a-congestion-control.md");
const AIMD: &str = include_str!("../src/congestion/aimd.rs");
const VEGAS: &str = include_str!("../src/congestion/vegas.rs");
const CONTROLS: &str = include_str!("../src/congestion/mod.rs");

#[test]
fn the_guides_excerpts_of_the_engine_exist() {
    let shown: Vec<&str> = GUIDE
        .split("```rust,ignore\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
        .collect();
    assert!(shown.len() > 2, "{shown:?}");
    for block in shown {
        assert!(AIMD.contains(block) || CONTROLS.contains(block), "the engine has no\n{block}");
    }
}

/// Without this line a control that was tried in Python, where it follows every segment, is promised no round-trip times in Rust.
#[test]
fn the_guide_has_the_line_that_a_control_by_delay_needs() {
    let line = "const MEASURES: Measures = Measures::Everything;";
    assert!(GUIDE.contains(line));
    assert!(VEGAS.contains(line));
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the source tree") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// One file and one line: no other place of the engine or of the scenario files' reader names a control that is in the list.
#[test]
fn a_control_is_named_by_its_file_and_one_line() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in [root.join("src"), root.join("../scenario/src")] {
        sources(&folder, &mut files);
    }
    let own = root.join("src/congestion/aimd.rs");
    let mut lines = Vec::new();
    for file in files.iter().filter(|file| **file != own) {
        let text = fs::read_to_string(file).expect("a source file");
        let naming = text.lines().filter(|line| line.to_lowercase().contains("aimd"));
        lines.extend(naming.map(|line| line.trim().to_owned()));
    }
    assert_eq!(lines, ["aimd::Aimd,"]);
}
