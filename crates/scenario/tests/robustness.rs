//! Any input gives a scenario or a message (`airfair-fuzz` has damaged files), and a scenario that is shown loads again to the
//! same scenario.

use airfair_scenario::{Override, load, packaged, parse};
use proptest::prelude::*;

fn texts() -> Vec<String> {
    packaged().iter().map(|one| load(&one.name, &[]).unwrap().toml()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,200}") {
        let _ = parse(&text, "any.toml", &[]);
    }

    #[test]
    fn arbitrary_values_never_panic(value in "\\PC{0,40}") {
        let overrides = [Override { name: "period".to_owned(), value: value.clone() }];
        let _ = load("jung/mixed", &overrides);
        let quoted = format!("delay = {}", serde_json::Value::from(value));
        let _ = parse(&load("jung/mixed", &[]).unwrap().toml().replace("delay = \"wired_delay\"", &quoted), "any.toml", &[]);
    }

    #[test]
    fn a_shown_scenario_loads_again_to_the_same_one(
        half in 1..20u32,
        period in prop::sample::select(vec!["500 ms", "7 s", "0.1 min"]),
        window in prop::sample::select(vec!["default", "10", "12.5"]),
        share in prop::sample::select(vec!["paper", "1 Mb/s"]),
    ) {
        let stations = (2 * half).to_string();
        let set = [("stations", stations.as_str()), ("period", period), ("max_window", window), ("fair_share", share)];
        let set = set.map(|(name, value)| Override { name: name.to_owned(), value: value.to_owned() });
        let first = load("jung/mixed", &set).unwrap();
        let again = parse(&first.toml(), "shown.toml()", &[]).unwrap();
        prop_assert_eq!(first.key(1, 1), again.key(1, 1));
        prop_assert_eq!(first.parameters, again.parameters);
    }
}

#[test]
fn deep_nesting_is_refused() {
    let mixed = load("jung/mixed", &[]).unwrap().toml();
    let line = "delay = \"10 ms\"";
    assert!(mixed.contains(line));
    for (piece, end) in
        [("(", ""), ("-", "1"), ("not ", "1"), ("1 if ", "1"), ("[", ""), ("1 + ", ""), ("~", ""), ("{", "")]
    {
        let deep = format!("delay = \"{}{end}\"", piece.repeat(990 / piece.len()));
        assert!(parse(&mixed.replace(line, &deep), "deep.toml", &[]).is_err(), "{piece}");
    }
    for deep in [format!("a = {}", "[".repeat(100_000)), format!("{}a = 1", "a.".repeat(100_000))] {
        assert!(parse(&deep, "deep.toml", &[]).is_err());
    }
}

#[test]
fn a_key_covers_everything_that_decides_the_result() {
    let set = |name: &str, value: &str| [Override { name: name.to_owned(), value: value.to_owned() }];
    let plain = load("jung/mixed", &[]).unwrap();
    assert_eq!(plain.key(1, 1), load("jung/mixed", &set("period", "10000 ms")).unwrap().key(1, 1));
    for (name, value) in
        [("period", "11 s"), ("queue", "51"), ("tcp", "vegas"), ("fair_share", "1 Mb/s"), ("window", "21")]
    {
        assert_ne!(plain.key(1, 1), load("jung/mixed", &set(name, value)).unwrap().key(1, 1), "{name}");
    }
    assert_ne!(plain.key(1, 1), plain.key(2, 1));
    assert_ne!(plain.key(1, 1), plain.key(1, 2));
    assert_eq!(plain.key(1, 1).len(), 64);
}

#[test]
fn canonical_json_is_sorted() {
    fn check(value: &serde_json::Value) {
        if let Some(object) = value.as_object() {
            let keys: Vec<&String> = object.keys().collect();
            assert!(keys.is_sorted(), "{keys:?}");
            object.values().for_each(check);
        }
        value.as_array().into_iter().flatten().for_each(check);
    }
    for text in texts() {
        let json = parse(&text, "any.toml", &[]).unwrap().canonical_json();
        check(&serde_json::from_str(&json).unwrap());
    }
}

#[test]
fn the_file_is_shown_as_it_was_written() {
    let text = "# mine\n[parameters.n]\nunit = \"count\"\ndefault = 2 # few\n";
    let rest = "[run]\nduration = \"1 s\"\n[[node]]\nname = \"n{i}\"\ncount = \"n\"\n[[link]]\nfrom = \"n0\"\nto = \"n1\"\n\
                rate = \"1 Mb/s\"\ndelay = \"0 s\"\n[[flow]]\nname = \"f\"\nfrom = \"n0\"\nto = \"n1\"\n";
    let text = format!("{text}{rest}");
    assert_eq!(parse(&text, "f.toml", &[]).unwrap().toml(), text);
    let set = [Override { name: "n".to_owned(), value: "3".to_owned() }];
    let shown = parse(&text, "f.toml", &set).unwrap().toml();
    assert_eq!(shown, text.replace("default = 2 # few", "default = 3 # few"));
}

#[test]
fn a_word_that_looks_like_a_number_is_shown_as_a_word() {
    let set = [Override { name: "phy".to_owned(), value: "802.11".to_owned() }];
    let first = load("ghosh/wireless", &set).unwrap();
    let again = parse(&first.toml(), "shown.toml()", &[]).unwrap();
    assert_eq!(first.key(1, 1), again.key(1, 1));
}

#[test]
fn a_message_is_no_longer_than_the_name_that_it_quotes() {
    let long = "k".repeat(1_000_000);
    for text in [format!("{long} = 1"), format!("run.{long} = 1"), format!("title = \"{long}")] {
        let message = parse(&text, "long.toml", &[]).unwrap_err().to_string();
        assert!(message.len() < 500, "{} bytes", message.len());
    }
}

/// A file of twenty lines may have 10^10 stations, which `when` leaves out one by one.
#[test]
fn groups_in_groups_have_an_end() {
    let text = |count, when| {
        format!(
            "title = 'x'\nrun = {{ warmup = '0 s', duration = '1 s' }}\n\
             [[wlan]]\nname = 'w{{i}}'\nap = 'ap{{i}}'\nphy = 'ns2'\ncount = {count}\n\
             [[wlan.station]]\nname = 's{{wlan}}-{{i}}'\ncount = {count}\nwhen = \"{when}\"\nstandard = '802.11b'\n\
             [[flow]]\nname = 'f'\nfrom = 'ap0'\nto = 's0-0'\ntraffic = 'persistent'\n"
        )
    };
    let refused = |count, when| parse(&text(count, when), "groups.toml", &[]).unwrap_err().to_string();
    assert!(
        refused(100_000, "wlan < 0").contains("more than 10000000 members"),
        "{}",
        refused(100_000, "wlan < 0")
    );
}
