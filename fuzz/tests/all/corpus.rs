//! Regression tests: all cases that the fuzzer has found.

use airfair_fuzz::{check, corpus};

#[test]
fn every_case_of_the_corpus_holds() {
    let cases = corpus::read(&corpus::folder()).unwrap();
    assert!(!cases.is_empty());
    for (file, case) in cases {
        println!("{}", file.display());
        check::check(&case).unwrap_or_else(|wrong| panic!("{}: {wrong}", file.display()));
    }
}
