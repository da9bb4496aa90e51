//! Files that a scenario file names: a station's signal, and the sessions of a flow.

use std::fs;
use std::path::PathBuf;

use airfair_core::Span;
use airfair_scenario::{Override, check, load, parse};

/// A directory for one test, which is removed when the test ends.
struct Directory(PathBuf);

impl Directory {
    fn new(test: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("airfair-{}-{test}", std::process::id()));
        fs::create_dir_all(path.join("traces")).unwrap();
        Directory(path)
    }

    /// Returns the path of a scenario file in the directory whose station names the trace `snr`, and whose flow names the
    /// trace `sessions`.
    fn scenario(&self, snr: &str, sessions: &str) -> String {
        let text = format!(
            "[run]\nduration = \"1 s\"\n[[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"802.11ax\"\n[[wlan.station]]\nname = \"own\"\nsnr_trace = {snr} # of a walk\n\
             [[flow]]\nname = \"f\"\nfrom = \"own\"\nto = \"ap\"\ntraffic = \"trace\"\ntrace = {sessions}\n"
        );
        let path = self.0.join("home.toml");
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const SESSIONS: &str = "\"0, 1200; 0.5, 1200\"";

fn ratios(loaded: &airfair_scenario::Loaded) -> Vec<(Span, f64)> {
    let station = &loaded.scenario.wlans[0].bss.stations[1];
    station.qos.as_ref().unwrap().snr_trace.iter().map(|point| (point.from, point.snr)).collect()
}

#[test]
fn a_trace_may_stand_in_a_file_beside_the_scenario() {
    let directory = Directory::new("beside");
    directory.file("traces/walk.csv", "0, 25\r\n\n0.25, -3.5\n");
    directory.file("sessions.csv", "0, 1200\n0.5, 1200\n");
    let path = directory.scenario("\"traces/walk.csv\"", "'sessions.csv'");
    let named = load(&path, &[]).unwrap();
    assert_eq!(ratios(&named), [(Span::ZERO, 25.0), (Span::from_millis(250), -3.5)]);
    let within = parse(
        &fs::read_to_string(directory.scenario("\"0, 25; 0.25, -3.5\"", SESSIONS)).unwrap(),
        &path,
        &[],
    );
    assert_eq!(named.canonical_json(), within.unwrap().canonical_json());
    // The text that `show` prints needs no other file.
    assert!(named.toml().contains("# of a walk"), "{}", named.toml());
    assert_eq!(parse(&named.toml(), "shown.toml", &[]).unwrap().canonical_json(), named.canonical_json());
}

#[test]
fn an_override_names_a_file_from_where_the_user_is() {
    let directory = Directory::new("override");
    let path = directory.scenario("\"0, 25\"", SESSIONS);
    let file = directory.file("other.csv", "0, 10\n0.5, 11\n");
    let set =
        |value: &str| [Override { name: "wlan.station.own.snr_trace".to_owned(), value: value.to_owned() }];
    assert_eq!(ratios(&load(&path, &set(&file)).unwrap()).len(), 2);
    let message = load(&path, &set("nowhere.csv")).unwrap_err().to_string();
    assert!(message.contains("snr_trace: `nowhere.csv`: it cannot be read"), "{message}");
}

#[test]
fn a_spreadsheets_byte_order_mark_is_passed_over() {
    let directory = Directory::new("mark");
    directory.file("walk.csv", "\u{feff}0, 25\r\n");
    let path = directory.scenario("\"walk.csv\"", SESSIONS);
    assert_eq!(ratios(&load(&path, &[]).unwrap()), [(Span::ZERO, 25.0)]);
}

/// A file of a few megabytes that names a file of 16 MB a hundred thousand times would fill any memory.
#[test]
fn files_are_limited_together() {
    let directory = Directory::new("together");
    directory.file("half.csv", "0, 1\n".repeat(2 << 20));
    let message = check(&directory.scenario("\"half.csv\"", "\"half.csv\""), &[]).unwrap_err().to_string();
    let told = "flow[0].trace: `half.csv`: with the files named before it, it is longer than 16777216 bytes";
    let station = "station[0].snr_trace: `half.csv`: with the files named before it, it is longer";
    assert!(message.contains(told) || message.contains(station), "{message}");
}

#[test]
fn what_is_wrong_with_a_file_is_told_in_one_line() {
    let directory = Directory::new("wrong");
    fs::create_dir(directory.0.join("folder.csv")).unwrap();
    directory.file("bytes.csv", [0xff, 0xfe]);
    directory.file("words.csv", "time,snr\n0,25\n");
    directory.file("order.csv", "1, 25\n\n0.5, 25\n");
    directory.file("quote.csv", "0, \"25\\\u{1}\"\n");
    directory.file("empty.csv", "\n");
    directory.file("huge.csv", "0, 1\n".repeat(4 << 20));
    for (name, told) in [
        ("nowhere.csv", "home.toml:9:1: wlan[0].station[0].snr_trace: `nowhere.csv`: it cannot be read"),
        ("folder.csv", "snr_trace: `folder.csv`: it is a directory, and a file is needed"),
        ("bytes.csv", "it is not UTF-8 text"),
        ("huge.csv", "it is longer than 16777216 bytes"),
        (
            "words.csv",
            "home.toml:9:1: wlan[0].station[0].snr_trace: line 1, `time,snr`: a time in seconds and a ratio",
        ),
        ("order.csv", "line 3, `0.5, 25`: its time is not after that of the point before"),
        ("quote.csv", "line 1, "),
        ("empty.csv", "it has no point"),
    ] {
        let message =
            check(&directory.scenario(&format!("\"{name}\""), SESSIONS), &[]).unwrap_err().to_string();
        assert!(message.contains(told), "{name}: {message}");
        assert!(message.lines().count() == 1 && message.len() < 400, "{name}: {message}");
    }
    let text = fs::read_to_string(directory.scenario("\"words.csv\"", SESSIONS)).unwrap();
    let message = parse(&text, "home.toml", &[]).unwrap_err().to_string();
    assert!(message.contains("only a scenario in a file of its own can name another file"), "{message}");
}
