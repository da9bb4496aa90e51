//! `docs/counters.md` lists the declared counters.

use airfair_core::counters::{Count, declared};
use airfair_net::LinkStats;
use airfair_sim::record::FlowCounts;
use airfair_wifi::StationStats;
use std::path::PathBuf;

const BEGIN: &str = "<!-- counters:begin -->\n";
const END: &str = "<!-- counters:end -->";

fn table<C: Count>(title: &str) -> String {
    let rows = declared::<C>();
    let rows = rows.iter().map(|it| format!("| `{}` | {} | {} |\n", it.name, it.unit, it.description));
    format!("## {title}\n\n| Column | Unit | Meaning |\n|---|---|---|\n{}\n", rows.collect::<String>())
}

#[test]
fn the_guide_lists_the_declarations() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/counters.md");
    let text = std::fs::read_to_string(&path).expect("the guide is there");
    let (head, rest) = text.split_once(BEGIN).expect("the list has a beginning");
    let (_, tail) = rest.split_once(END).expect("the list has an end");
    let tables =
        table::<FlowCounts>("Flows") + &table::<LinkStats>("Links") + &table::<StationStats>("Stations");
    let wanted = format!("{head}{BEGIN}\n{tables}{END}{tail}");
    if std::env::var_os("AIRFAIR_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("the guide can be written");
        return;
    }
    assert!(
        text == wanted,
        "docs/counters.md differs from the declarations: `AIRFAIR_BLESS=1 cargo test -p airfair-lab --test counters` renews it"
    );
}

/// No table has two columns of the same name.
#[test]
fn names_are_unique_in_a_record() {
    fn names<C: Count>() {
        let mut names: Vec<_> = declared::<C>().iter().map(|counter| counter.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{names:?}");
        assert!(
            declared::<C>().iter().all(|counter| !counter.unit.is_empty() && !counter.description.is_empty())
        );
    }
    names::<FlowCounts>();
    names::<LinkStats>();
    names::<StationStats>();
}
