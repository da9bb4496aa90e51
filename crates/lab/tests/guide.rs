//! `docs/metrics.md` lists every metric and the rules for grades.

use airfair_lab::{Bounds, Metric, RULES, metrics};
use std::path::PathBuf;

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
    // Asterisks would make words italic; definitions use them for nothing else.
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

/// Returns the rules for grades as a table.
fn grades() -> String {
    let mut table =
        "| Application | Measure | A | B | C | D | E | Source |\n|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for rule in RULES {
        let order = if rule.larger_is_better { "from" } else { "up to" };
        let unit = if rule.unit == "1" { String::new() } else { format!(" {}", rule.unit) };
        let limits = rule.limits.map(|limit| format!("{order} {limit}{unit}"));
        table += &format!(
            "| `{}` | {} | {} | {} |\n",
            rule.application,
            rule.measure,
            limits.join(" | "),
            rule.source
        );
    }
    table
}

/// Returns `text` with `content` between the marks of `name`.
fn with(text: &str, name: &str, content: &str) -> String {
    let (begin, end) = (format!("<!-- {name}:begin -->\n"), format!("<!-- {name}:end -->"));
    let (head, rest) = text.split_once(&begin).expect("it has a beginning");
    let (_, tail) = rest.split_once(&end).expect("it has an end");
    format!("{head}{begin}{content}{end}{tail}")
}

#[test]
fn the_guide_lists_every_metric() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let text = std::fs::read_to_string(&path).expect("the guide is there");
    let entries: String = metrics().map(entry).collect();
    let wanted = with(&with(&text, "metrics", &format!("\n{entries}")), "grades", &grades());
    if std::env::var_os("AIRFAIR_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("the guide can be written");
        return;
    }
    assert!(
        text == wanted,
        "docs/metrics.md is not up to date: `AIRFAIR_BLESS=1 cargo test -p airfair-lab --test guide` renews it"
    );
}
