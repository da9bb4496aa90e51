//! Cases one after the other until one fails, which is then made as small as it gets.

use crate::case::Case;
use crate::check::{Passed, check};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::Cell;

/// A case for which something does not hold, and what.
#[derive(Debug)]
pub struct Failure {
    /// The smallest found.
    pub case: Case,
    /// What does not hold.
    pub reason: String,
}

/// How far cases got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// No valid scenarios.
    pub refused: u32,
    /// Valid, too large to be run.
    pub too_large: u32,
    /// Valid, and run.
    pub ran: u32,
}

impl Tally {
    /// All cases.
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

/// Hunts for failures.
#[derive(Debug)]
pub struct Hunter {
    runner: TestRunner,
    /// What was found sound so far.
    pub tally: Cell<Tally>,
}

impl Hunter {
    /// The same cases each time, or fresh ones.
    pub fn new(fresh: bool) -> Hunter {
        let config = Config { failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
        let algorithm = config.rng_algorithm;
        let runner = match fresh {
            true => TestRunner::new(config),
            false => TestRunner::new_with_rng(config, TestRng::deterministic_rng(algorithm)),
        };
        Hunter { runner, tally: Cell::default() }
    }

    /// One more case; `before` is told each before it is checked.
    ///
    /// # Errors
    /// When it fails.
    ///
    /// # Panics
    /// When cases cannot be generated.
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
