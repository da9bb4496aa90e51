//! `airfair-fuzz SECONDS` checks fresh random cases for this time; a failing case goes into the corpus.
//! `airfair-fuzz FILE` checks one case of the corpus.
#![expect(
    clippy::disallowed_types,
    reason = "this program runs for a given time; engine crates read no clock"
)]

use airfair_fuzz::case::Case;
use airfair_fuzz::check::check;
use airfair_fuzz::corpus;
use airfair_fuzz::generate::cases;
use airfair_fuzz::hunt::Hunter;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let Some(argument) = std::env::args().nth(1) else {
        eprintln!("usage: airfair-fuzz SECONDS | FILE");
        return ExitCode::from(2);
    };
    let result = match argument.parse() {
        Ok(seconds) => hunt(Duration::from_secs(seconds)),
        Err(_) => replay(&argument),
    };
    match result {
        Ok(told) => {
            println!("{told}");
            ExitCode::SUCCESS
        }
        Err(told) => {
            eprintln!("{told}");
            ExitCode::FAILURE
        }
    }
}

fn replay(file: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    check(&Case::parse(&text)).map(|passed| format!("{passed:?}"))
}

fn hunt(time: Duration) -> Result<String, String> {
    let folder = corpus::folder();
    // A case that hangs or kills the process is left in this file.
    let under_way = folder.join("under-way.toml");
    let keep =
        |case: &Case| std::fs::write(&under_way, case.to_string()).expect("the corpus can be written to");
    // Each shrinking step of a panicking case panics again; the reason is printed once, at the end.
    std::panic::set_hook(Box::new(|_| {}));
    let mut hunter = Hunter::new(true);
    let cases = cases();
    let end = Instant::now() + time;
    let mut found = Ok(());
    while found.is_ok() && Instant::now() < end {
        found = hunter.one(&cases, keep);
    }
    std::fs::remove_file(&under_way).or_else(missing).map_err(|error| error.to_string())?;
    let tally = hunter.tally.get();
    match found {
        Ok(()) => Ok(format!(
            "{} cases: {} refused with a message, {} run, {} too large to be run; nothing failed",
            tally.cases(),
            tally.refused,
            tally.ran,
            tally.too_large
        )),
        Err(failure) => {
            let file = corpus::save(&folder, &failure.case).map_err(|error| error.to_string())?;
            Err(format!("{}\n\n{}\n\nkept as {}", failure.case, failure.reason, file.display()))
        }
    }
}

/// The file does not exist if no case was checked.
fn missing(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
