//! The guide is true to the code.

use airfair_net::QueueLimit;
use airfair_scenario::resolved::{Connection, Direction, Traffic, Transport};
use airfair_scenario::{Override, describe, json_schema, load, parse};

const GUIDE: &str = include_str!("../../../docs/scenarios.md");
const HOME: &str = include_str!("../../../docs/examples/home.toml");

#[test]
fn the_example_in_the_guide_is_the_file_and_loads() {
    assert!(GUIDE.contains(HOME), "docs/scenarios.md does not show docs/examples/home.toml as it is");
    let home = parse(HOME, "home.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let scenario = &home.scenario;
    assert_eq!((scenario.nodes.len(), scenario.flows.len()), (7, 6));
    let stations = &scenario.wlans[0].bss.stations;
    assert_eq!((stations[0].queue.limit, stations.len()), (QueueLimit::Packets(100), 6));
    assert_eq!(stations[4].data_rate.bits_per_second(), 2_000_000);
    let report = &scenario.flows[2];
    assert_eq!((report.name.as_str(), report.direction), ("report0", Direction::Up));
    assert!(matches!(report.traffic, Traffic::Intermittent { bytes: 10_000, .. }));
    assert!(matches!(&report.transport, Transport::Tcp { connection: Connection::Fresh, .. }));
}

#[test]
fn the_messages_in_the_guide_are_the_ones_given() {
    let too_many = [Override { name: "sensors".to_owned(), value: "1000".to_owned() }];
    for (text, overrides) in [
        (HOME.replace("802.11b", "802.11bb"), &[][..]),
        (HOME.replace("\"10 ms\"", "10"), &[][..]),
        (HOME.to_owned(), &too_many[..]),
    ] {
        let message = parse(&text, "home.toml", overrides).unwrap_err().to_string();
        assert!(GUIDE.contains(&message), "{message}");
    }
}

/// Every `key` of the schema, at any depth, except those of TCP and its controls: `docs/tcp.md` has them from their declarations.
fn keys(schema: &serde_json::Value, found: &mut Vec<String>) {
    if schema["properties"]["control"].is_object()
        || schema["description"] == "Parameters of the congestion control."
    {
        return;
    }
    if let Some(properties) = schema.get("properties").and_then(|list| list.as_object()) {
        found.extend(properties.keys().cloned());
    }
    if let Some(object) = schema.as_object() {
        object.values().for_each(|value| keys(value, found));
    }
}

#[test]
fn the_guide_names_every_key() {
    let schema: serde_json::Value = serde_json::from_str(&json_schema()).unwrap();
    let mut found = Vec::new();
    keys(&schema, &mut found);
    assert!(found.len() > 60, "{found:?}");
    let missing: Vec<&String> = found.iter().filter(|key| !GUIDE.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/scenarios.md does not mention {missing:?}");
}

/// A line of the guide's table of disciplines, for each of them, names its parameters.
#[test]
fn the_guide_names_every_discipline_and_its_parameters() {
    for discipline in airfair_queue::discipline::DISCIPLINES {
        let start = format!("| `{}` |", discipline.name);
        let line = GUIDE.lines().find(|line| line.starts_with(&start)).unwrap_or_default();
        assert!(!line.is_empty(), "docs/scenarios.md has no line for `{}`", discipline.name);
        for parameter in discipline.parameters {
            assert!(line.contains(&format!("`{}`", parameter.name)), "{}: {line}", parameter.name);
        }
    }
}

#[test]
fn descriptions_have_units_defaults_and_ranges() {
    let mixed = describe("jung/mixed").unwrap();
    let find = |name: &str| {
        let parameter = mixed.parameters.iter().find(|parameter| parameter.name == name);
        serde_json::to_value(parameter.unwrap()).unwrap()
    };
    let stations = find("stations");
    assert_eq!(stations["default"], 4);
    assert_eq!(stations["multiple_of"], 2);
    assert_eq!(find("period")["default"], 10);
    assert_eq!(find("period")["unit"], "s");
    assert_eq!(find("fair_share")["default"], "paper");
    assert_eq!(find("max_window")["optional"], true);
    // All packaged scenarios have these.
    for one in airfair_scenario::packaged() {
        let names: Vec<String> =
            describe(&one.name).unwrap().parameters.into_iter().map(|p| p.name).collect();
        for common in
            ["profile", "recovery", "tcp", "duration", "warmup", "segment_bytes", "window", "restart"]
        {
            assert!(names.iter().any(|name| name == common), "{}: {common}", one.name);
        }
        assert!(load(&one.name, &[]).unwrap().parameters.iter().any(|p| p.name == "profile"));
    }
}
