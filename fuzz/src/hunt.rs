//! Checks case after case until one fails, and then shrinks that case.

use crate::case::Case;
use crate::check::{Passed, check};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::Cell;

/// A failing case, with the reason.
#[derive(Debug)]
pub struct Failure {
    /// The smallest failing case found.
    pub case: Case,
    /// The violated invariant.
    pub reason: String,
}

/// The numbers of cases by the stage that they have passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases that are not valid scenarios.
    pub refused: u32,
    /// Valid cases that are too large to run.
    pub too_large: u32,
    /// Valid cases that ran.
    pub ran: u32,
}

impl Tally {
    /// The number of all cases.
    pub fn cases(&self) -> u32 {
        self.refused + self.too_large + self.ran
    }

    fn with(mut self, passed: Passed) -> Tally {
        *match passed {
            Passed::Refused => &mut self.refused,
            Passed::TooLarge => &mut self.too_large,
            Passed::Ran => &mut self.ran,
        } += 1;
        self
    }
}

/// Generates and checks cases.
#[derive(Debug)]
pub struct Hunter {
    runner: TestRunner,
    /// The cases that have passed so far.
    pub tally: Cell<Tally>,
}

impl Hunter {
    /// A hunter for fresh random cases, or for the same cases each time.
    pub fn new(fresh: bool) -> Hunter {
        let config = Config {
            failure_persistence: None,
            max_shrink_iters: 20_000,
            rng_seed: RngSeed::Random,
            ..Config::default()
        };
        let algorithm = config.rng_algorithm;
        let runner = match fresh {
            true => TestRunner::new(config),
            false => TestRunner::new_with_rng(config, TestRng::deterministic_rng(algorithm)),
        };
        Hunter { runner, tally: Cell::default() }
    }

    /// Checks one more case. Calls `before` before each check, also while it shrinks a failing case.
    ///
    /// # Errors
    /// The shrunken case, if the check fails.
    ///
    /// # Panics
    /// If cases cannot be generated.
    pub fn one(
        &mut self,
        cases: &impl Strategy<Value = Case>,
        before: impl Fn(&Case),
    ) -> Result<(), Failure> {
        let tally = &self.tally;
        let tree = cases.new_tree(&mut self.runner).expect("cases can be generated");
        let result = self.runner.run_one(tree, |case| {
            before(&case);
            match check(&case) {
                Ok(passed) => tally.set(tally.get().with(passed)),
                Err(reason) => return Err(TestCaseError::fail(reason)),
            }
            Ok(())
        });
        match result {
            Ok(_) => Ok(()),
            Err(TestError::Fail(reason, case)) => Err(Failure { case, reason: reason.message().to_owned() }),
            Err(TestError::Abort(reason)) => panic!("no case: {reason}"),
        }
    }
}
