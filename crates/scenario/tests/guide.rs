//! Compares the guide with the code.

use airfair_core::schema::Kind;
use airfair_net::QueueLimit;
use airfair_queue::discipline::DISCIPLINES;
use airfair_scenario::resolved::{Connection, Direction, Traffic, Transport};
use airfair_scenario::{Override, describe, json_schema, load, parse};
use airfair_tcp::congestion::CONTROLS;
use airfair_wifi::Phy;
use serde_json::{Value as Json, json};

const GUIDE: &str = include_str!("../../../docs/scenarios.md");
const GUIDE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenarios.md");
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

#[test]
fn the_schema_offers_the_words_of_each_key() {
    let schema: Json = serde_json::from_str(&json_schema()).unwrap();
    let key = |table: &str, key: &str| schema["$defs"][table]["properties"][key].clone();
    assert_eq!(key("Wlan", "phy")["examples"], json!(Phy::NAMES));
    assert_eq!(key("LinkOutage", "direction")["examples"], json!(["both", "forward", "backward"]));
    assert_eq!(key("LinkOutage", "direction")["words"]["backward"], "From `to` to `from`.");
    let offers = |table: &str, part: &str, name: &str, kind: Kind| {
        let key = key(table, name);
        assert!(key["parts"][part].is_string(), "{part}.{name}");
        if let Kind::Word(words) = kind {
            let offered = key["examples"].as_array().expect("examples");
            assert!(words.iter().all(|word| offered.contains(&json!(word))), "{part}.{name}");
        }
    };
    for part in DISCIPLINES {
        part.parameters.iter().for_each(|it| offers("Discipline", part.name, it.name, it.kind));
    }
    for part in CONTROLS {
        part.parameters.iter().for_each(|it| offers("Control", part.name(), it.name, it.kind));
    }
}

/// Returns rows for the keys of a table of the schema, each with its description, which has range and default.
fn rows(table: &Json) -> String {
    let required: Vec<_> = table["required"].as_array().into_iter().flatten().collect();
    let properties = table["properties"].as_object().expect("a table has keys");
    let row = |(key, property): (&String, &Json)| {
        let needed = if required.iter().any(|name| *name == key) { " (needed)" } else { "" };
        let description = property["description"].as_str().expect("each key has a description");
        format!("| `{key}`{needed} | {} |\n", description.replace('\n', " "))
    };
    "| Key | Meaning |\n|---|---|\n".to_owned() + &properties.iter().map(row).collect::<String>()
}

fn parameters_of_disciplines() -> String {
    let mut text = "| `kind` | Parameter | Meaning | Allowed | Default |\n|---|---|---|---|---|\n".to_owned();
    for discipline in DISCIPLINES {
        for parameter in discipline.parameters {
            let (name, help, allowed) = (parameter.name, parameter.help, parameter.kind.allowed());
            let (kind, default) = (discipline.name, parameter.default);
            text += &format!("| `{kind}` | `{name}` | {help} | {allowed} | {default} |\n");
        }
    }
    text
}

/// Returns `text` with `table` between the marks of this name.
fn renewed(text: &str, name: &str, table: &str) -> String {
    let (begin, end) = (format!("<!-- {name}:begin -->\n"), format!("<!-- {name}:end -->"));
    let (head, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("no table {name} in the guide"));
    let (_, tail) = rest.split_once(&end).expect("the table has an end");
    format!("{head}{begin}{table}{end}{tail}")
}

/// Tables of TCP's settings are in `docs/tcp.md`. The keys of the file, of nodes, of `discipline` and of `reverse` are
/// described in the text.
#[test]
fn the_guide_has_the_tables_of_the_schema() {
    let schema: Json = serde_json::from_str(&json_schema()).unwrap();
    let mut wanted = GUIDE.to_owned();
    for (name, table) in schema["$defs"].as_object().unwrap() {
        if !table["properties"].is_object()
            || matches!(name.as_str(), "Tcp" | "Control" | "Discipline" | "NodeGroup" | "OneWay")
        {
            continue;
        }
        wanted = renewed(&wanted, name, &rows(table));
    }
    wanted = renewed(&wanted, "disciplines", &parameters_of_disciplines());
    if std::env::var_os("AIRFAIR_BLESS").is_some() {
        std::fs::write(GUIDE_PATH, &wanted).expect("the guide can be written");
        return;
    }
    assert!(
        GUIDE == wanted,
        "docs/scenarios.md differs from the schema: `AIRFAIR_BLESS=1 cargo test -p airfair-scenario --test guide` renews it"
    );
}

#[test]
fn the_guide_names_every_discipline() {
    for discipline in DISCIPLINES {
        let start = format!("\n| `{}` | ", discipline.name);
        assert!(GUIDE.contains(&start), "docs/scenarios.md has no line for `{}`", discipline.name);
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
    // All packaged scenarios with TCP have these parameters.
    let of_udp = ["wifi/saturation", "wifi/overlap"];
    for one in airfair_scenario::packaged().into_iter().filter(|one| !of_udp.contains(&one.name.as_str())) {
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
