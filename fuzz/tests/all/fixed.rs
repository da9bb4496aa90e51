//! The same few hundred random cases each time. `make fuzz` tries fresh ones.

use airfair_fuzz::generate::cases;
use airfair_fuzz::hunt::Hunter;

const CASES: u32 = 400;

#[test]
fn a_few_hundred_cases_hold() {
    let mut hunter = Hunter::new(false);
    let cases = cases();
    for _ in 0..CASES {
        if let Err(failure) = hunter.one(&cases, |_| {}) {
            panic!("{}\n\n{}", failure.case, failure.reason);
        }
    }
    let tally = hunter.tally.get();
    assert!(tally.ran > CASES / 4 && tally.refused > CASES / 10, "cases do not get far: {tally:?}");
}
