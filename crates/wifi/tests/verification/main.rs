//! The engine against a closed form and two other simulators.

mod bianchi;
mod ns2;
mod ns3;

/// Returns the fields of the lines of `table` that are not comments, without the heading.
fn csv_rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}
