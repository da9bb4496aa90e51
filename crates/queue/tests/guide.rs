//! The claims of the guide to adding a queue discipline.

use std::fs;
use std::path::{Path, PathBuf};

const GUIDE: &str = include_str!("../../../docs/add-a-queue.md");
const DISCIPLINES: &str = include_str!("../src/discipline/mod.rs");

#[test]
fn what_the_guide_shows_of_the_engine_is_there() {
    let shown: Vec<&str> = GUIDE
        .split("```rust,ignore\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
        .collect();
    let [added, list] = shown[..] else { panic!("the line to add, and how the list begins: {shown:?}") };
    assert_eq!(added, "    drop_front::DropFront,\n");
    assert!(DISCIPLINES.contains(list), "the engine has no\n{list}");
}

#[test]
fn the_guides_table_names_every_item_of_the_trait() {
    let (_, contract) = DISCIPLINES.split_once("pub trait QueueDiscipline").expect("the trait");
    let (contract, _) = contract.split_once("\n}\n").expect("its end");
    let items: Vec<&str> = contract
        .lines()
        .filter_map(|line| line.strip_prefix("    const ").or(line.strip_prefix("    fn ")))
        .filter_map(|item| item.split([':', '(']).next())
        .collect();
    assert!(items.len() > 7, "{items:?}");
    for item in items {
        assert!(GUIDE.contains(&format!("| `{item}` |")), "{item} is not in the table");
    }
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

/// One file (with its tests beside it) and one line: no other code of the engine or of the scenario files' reader names a
/// discipline that is in the list.
#[test]
fn a_discipline_is_named_by_its_file_and_one_line() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "../net/src", "../wifi/src", "../sim/src", "../scenario/src"] {
        sources(&root.join(folder), &mut files);
    }
    let own = root.join("src/discipline/choke");
    let mut lines = Vec::new();
    for file in files.iter().filter(|file| !file.with_extension("").starts_with(&own)) {
        let text = fs::read_to_string(file).expect("a source file");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let naming = code.filter(|line| line.to_lowercase().contains("choke"));
        lines.extend(naming.map(|line| line.trim().to_owned()));
    }
    assert_eq!(lines, ["choke::Choke,"]);
}

#[test]
fn every_file_of_a_discipline_is_in_the_list() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/discipline");
    for entry in fs::read_dir(folder).expect("the disciplines' folder") {
        let path = entry.expect("an entry of it").path();
        let module = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let is_file = path.extension().is_some_and(|extension| extension == "rs");
        if is_file && !["mod", "description"].contains(&module.as_str()) {
            assert!(DISCIPLINES.contains(&format!("    {module}::")), "{module}.rs is not in `disciplines!`");
        }
    }
}
