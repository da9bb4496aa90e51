//! Groups: a table stands for `count` members, except those for which `when` is false.

use crate::problem::{Located, Problem, Result};
use crate::scope::{Scope, within};
use crate::value::{CountValue, FlagValue};

/// Most members of a group.
const MOST_MEMBERS: u64 = 100_000;
/// Most nodes, links and flows of a scenario. A dumbbell of as many flows as a group may have takes twice as many links.
const MOST: u64 = 1_000_000;
/// Most members of groups that are evaluated for a scenario, including those that `when` leaves out: groups of WLANs contain
/// groups of stations.
const MOST_LOOKED_AT: u64 = 10_000_000;

/// Calls `build` for each member of a group, in the order of the index.
pub fn for_each<'a>(
    scope: &Scope<'a>,
    count: &Option<CountValue>,
    when: &Option<FlagValue>,
    mut build: impl FnMut(&Scope<'a>) -> Result<()>,
) -> Result<()> {
    if count.is_none() {
        return if scope.or(when, "when", true)? { build(scope) } else { Ok(()) };
    }
    let count = within(scope.or(count, "count", 1)?, 0, MOST_MEMBERS).at("count")?;
    for index in 0..count {
        if scope.count_member() > MOST_LOOKED_AT {
            let message = format!(
                "there are more than {MOST_LOOKED_AT} members of groups, those that `when` leaves out included"
            );
            return Err(Problem::new(message).at("count"));
        }
        let member = scope.member(index);
        member
            .or(when, "when", true)
            .and_then(|wanted| if wanted { build(&member) } else { Ok(()) })
            .map_err(|problem| problem.in_member(index))?;
    }
    Ok(())
}

/// Refuses a scenario that has more `things` than are allowed.
pub fn not_too_many(number: usize, things: &str) -> Result<()> {
    if number as u64 <= MOST {
        return Ok(());
    }
    Err(Problem::new(format!("there are more than {MOST} {things}")))
}
