//! `docs/metrics.md` lists every metric.

use airfair_lab::{Bounds, Metric, metrics};
use std::path::PathBuf;

const BEGIN: &str = "<!-- metrics:begin -->\n";
const END: &str = "<!-- metrics:end -->";

fn entry(metric: &'static Metric) -> String {
    let unit = if metric.unit == "1" { "no unit" } else { metric.unit };
    let range = match metric.range {
        Bounds { low: Some(low), high: Some(high) } => format!("{low} to {high}"),
        Bounds { low: Some(low), high: None } => format!("{low} or more"),
        Bounds { low: None, high: Some(high) } => format!("{high} or less"),
        Bounds { low: None, high: None } => "any value".to_owned(),
    };
    let better = match metric.larger_is_better {
        Some(true) => "larger is better",
        Some(false) => "smaller is better",
        None => "neither end is better",
    };
    // Asterisks would make words italic, and there are no others in definitions.
    let definition = metric.definition.replace('*', "\\*");
    let quantiles = match metric.description().quantiles.as_slice() {
        [] => String::new(),
        names => format!(" Quantiles: `{}`.", names.join("`, `")),
    };
    format!(
        "### `{}`\n\n{definition}\n\n{unit}, {range}, {better}. Source: {}{quantiles}\n\n",
        metric.name, metric.source
    )
}

#[test]
fn the_guide_lists_every_metric() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let text = std::fs::read_to_string(&path).expect("the guide is there");
    let (head, rest) = text.split_once(BEGIN).expect("the list has a beginning");
    let (_, tail) = rest.split_once(END).expect("the list has an end");
    let entries: String = metrics().map(entry).collect();
    let wanted = format!("{head}{BEGIN}\n{entries}{END}{tail}");
    if std::env::var_os("AIRFAIR_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("the guide can be written");
        return;
    }
    assert!(
        text == wanted,
        "docs/metrics.md is not up to date: `AIRFAIR_BLESS=1 cargo test -p airfair-lab --test guide` renews it"
    );
}
