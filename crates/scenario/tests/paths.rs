//! Every key of a scenario can be set by its path.

use airfair_scenario::{Error, Loaded, Override, ParameterValue, load, parse};
use airfair_scenario::{Packaged, axis_samples, axis_values, describe, json_schema, packaged, text_of};

fn overrides(set: &[(&str, &str)]) -> Vec<Override> {
    let one = |(name, value): &(&str, &str)| Override { name: name.to_string(), value: value.to_string() };
    set.iter().map(one).collect()
}

fn hotspot(set: &[(&str, &str)]) -> Result<Loaded, Error> {
    load("blefari/hotspot", &overrides(set))
}

fn value(loaded: &Loaded, name: &str) -> (ParameterValue, Option<String>) {
    let found = loaded.parameters.iter().find(|parameter| parameter.name == name).unwrap();
    (found.value.clone(), found.unit.clone())
}

#[test]
fn a_path_is_like_the_key_in_the_file() {
    let text = text_of("jung/mixed").unwrap();
    for (path, written, old, new) in [
        ("wlan.rts_threshold", "500 B", "rts_threshold = \"0 B\"", "rts_threshold = \"500 B\""),
        ("link.delay", "period / 2", "delay = \"10 ms\"", "delay = \"period / 2\""),
        ("node.ap.queue.length", "7", "ap = \"ap\"", "ap = \"ap\"\nap_queue = 7"),
    ] {
        let by_path = parse(&text, "x.toml", &overrides(&[(path, written)])).unwrap();
        let by_key = parse(&text.replacen(old, new, 1), "x.toml", &[]).unwrap();
        assert_eq!(by_path.canonical_json(), by_key.canonical_json(), "{path}");
        assert_ne!(by_path.canonical_json(), load("jung/mixed", &[]).unwrap().canonical_json(), "{path}");
    }
}

#[test]
fn a_table_of_dotted_keys_goes_with_its_last_key() {
    let text = text_of("jung/mixed").unwrap();
    let down = text.replacen("delay = \"10 ms\"", "delay = \"10 ms\"\noutage.duration = \"1 s\"", 1);
    let json = |text: &str, set: &[(&str, &str)]| {
        parse(text, "x.toml", &overrides(set)).unwrap_or_else(|error| panic!("{error}")).canonical_json()
    };
    assert_ne!(json(&down, &[]), json(&text, &[]));
    assert_eq!(json(&down, &[("link.outage.duration", "default")]), json(&text, &[]));
}

#[test]
fn what_is_shown_loads_to_the_same_scenario() {
    for set in [
        vec![("policy", "codel"), ("node.ap.queue.target", "2 ms"), ("up", "3")],
        vec![("link.loss.model", "bernoulli"), ("link.loss.probability", "1 %")],
        vec![("flow.up.tcp.window", "i + 4"), ("flow.down.start", "default"), ("tcp.control.beta", "none")],
        vec![("run.metrics", "jain, collision_rate"), ("title", "Mine")],
    ] {
        let set_so = hotspot(&set).unwrap_or_else(|error| panic!("{error}"));
        let again = parse(&set_so.toml(), "shown.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.canonical_json(), set_so.canonical_json(), "{set:?}");
        assert_eq!(again.scenario.metrics, set_so.scenario.metrics);
    }
}

#[test]
fn a_path_is_a_parameter_of_the_result() {
    let set = [
        ("node.ap.queue.length", "64 kB"),
        ("link.delay", "rtt * 2"),
        ("wlan.capture", "10 %"),
        ("flow.up.tcp.window", "i + 4"),
        ("tcp.rto_min", "default"),
        ("tcp.handshake", "three-way"),
        ("tcp.timestamps", "true"),
    ];
    let loaded = hotspot(&set).unwrap();
    let number = |number| ParameterValue::Number(number);
    for (name, wanted, unit) in [
        ("node.ap.queue.length", number(64_000.0), Some("byte")),
        ("link.delay", number(0.0004), Some("s")),
        ("wlan.capture", number(0.1), Some("fraction")),
        ("flow.up.tcp.window", ParameterValue::Text("i + 4".to_owned()), Some("segment")),
        ("tcp.rto_min", ParameterValue::Unset, Some("s")),
        ("tcp.handshake", ParameterValue::Text("three-way".to_owned()), None),
        ("tcp.timestamps", ParameterValue::Flag(true), None),
    ] {
        assert_eq!(value(&loaded, name), (wanted, unit.map(str::to_owned)), "{name}");
    }
    let names: Vec<&str> = loaded.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn what_is_wrong_with_a_path_or_its_value_is_told_under_the_path() {
    for (set, wanted) in [
        (
            vec![("wlan.ofdma", "true")],
            "blefari/hotspot: unknown setting `wlan.ofdma`; it is not modelled; docs/models.md tells what is left out",
        ),
        (
            vec![("tcp.windwo", "4")],
            "blefari/hotspot: unknown setting `tcp.windwo`; did you mean `tcp.window`?",
        ),
        (
            vec![("tcp.window", "4 s")],
            "blefari/hotspot: tcp.window: `4 s` is a time where a bare number is needed",
        ),
        (vec![("wlan.phy", "802.11bb")], "blefari/hotspot: wlan.phy: unknown PHY `802.11bb`; did you mean"),
        (vec![("link.delay", "rtt + 1")], "blefari/hotspot: link.delay: `rtt + 1` mixes units"),
        (
            vec![("wlan.wlan.rts_threshold", "1 B"), ("wlan.rts_threshold", "2 B")],
            "blefari/hotspot: wlan.rts_threshold: it is set twice",
        ),
        (
            vec![("link.loss.probability", "1 %")],
            "blefari/hotspot: link[0].loss: it needs `model`, which has no default",
        ),
        (vec![("tcp.window", "\u{1b}[2J")], "control character"),
    ] {
        let message = hotspot(&set).unwrap_err().to_string();
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn paths_are_axes() {
    let text = text_of("blefari/hotspot").unwrap();
    let axis = |path: &str, written: &str| {
        let values = axis_values(&text, "x.toml", path, &[written.to_owned()], None);
        let values = values.unwrap_or_else(|error| panic!("{error}"));
        values.iter().map(|value| value.text.clone()).collect::<Vec<_>>().join(" | ")
    };
    assert_eq!(axis("tcp.window", "2..4"), "2 | 3 | 4");
    assert_eq!(axis("node.ap.queue.target", "1,5 ms"), "1 ms | 5 ms");
    assert_eq!(axis("node.ap.queue.length", "10..30:10"), "10 | 20 | 30");
    assert_eq!(axis("node.ap.queue.length", "10..20 kB:10 kB"), "10 kB | 20 kB");
    assert_eq!(axis("tcp.recovery", "default,sack"), "default | sack");
    assert_eq!(axis("tcp.timestamps", "true,false"), "true | false");
    let drawn = axis_samples(&text, "x.toml", "link.delay", &["1..2 ms".to_owned()], &[0.5]).unwrap();
    assert_eq!(drawn[0].value, ParameterValue::Number(0.0015));
    let message = |path: &str, written: &str| {
        axis_values(&text, "x.toml", path, &[written.to_owned()], None).unwrap_err().to_string()
    };
    assert_eq!(
        message("tcp.windwo", "1"),
        "x.toml: unknown setting `tcp.windwo`; did you mean `tcp.window`?"
    );
    assert!(
        message("tcp.window", "1,1.5").starts_with("x.toml: tcp.window: `1.5`: a whole number is needed")
    );
}

const CHOICES: &str = r#"
[parameters]
limit = "policy.short.node.ap.queue.length"
window = "tcp.window"
both = { sets = ["tcp.window", "tcp.max_window"], max = 50, help = "Both windows." }

[parameters.policy]
default = "none"

[parameters.policy.choices]
none = {}
short.node.ap.queue.length = 10
codel.node.ap.queue = { kind = "codel", target = "window * 1 ms" }

[run]
duration = "1 s"

[[node]]
name = "server"

[[link]]
from = "server"
to = "ap"
rate = "1 Mb/s"
delay = "1 ms"

[[wlan]]
name = "w"
ap = "ap"
phy = "802.11b"
station = [{ name = "sta" }]

[tcp]
window = 20

[[flow]]
name = "f"
from = "server"
to = "sta"
"#;

fn choices(set: &[(&str, &str)]) -> Result<Loaded, Error> {
    parse(CHOICES, "choices.toml", &overrides(set))
}

#[test]
fn a_word_stands_for_settings_and_a_name_for_a_path() {
    let queue = |set: &[(&str, &str)]| {
        let loaded = choices(set).unwrap_or_else(|error| panic!("{error}"));
        let again = parse(&loaded.toml(), "again.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.canonical_json(), loaded.canonical_json(), "{set:?}");
        let queue = &loaded.scenario.wlans[0].bss.stations[0].queue;
        format!("{:?} {} {:?}", queue.limit, queue.discipline.name(), queue.discipline.value("target"))
    };
    assert_eq!(queue(&[]), "Packets(50) drop_tail None");
    assert_eq!(queue(&[("policy", "short")]), "Packets(10) drop_tail None");
    assert_eq!(queue(&[("limit", "7")]), "Packets(50) drop_tail None");
    assert_eq!(queue(&[("policy", "short"), ("limit", "7")]), "Packets(7) drop_tail None");
    assert_eq!(queue(&[("policy", "short"), ("node.ap.queue.length", "8")]), "Packets(8) drop_tail None");
    let codel = queue(&[("policy", "codel"), ("window", "40")]);
    assert_eq!(queue(&[("policy", "codel"), ("node.ap.queue.target", "40 ms")]), codel);
    assert_eq!(queue(&[("policy", "codel"), ("policy.codel.node.ap.queue.target", "40 ms")]), codel);
    assert_ne!(queue(&[("policy", "codel")]), codel);

    let both = choices(&[("both", "30")]).unwrap();
    assert_eq!(value(&both, "both"), (ParameterValue::Number(30.0), Some("segment".to_owned())));
    assert_eq!(value(&both, "window").0, ParameterValue::Number(30.0));
    assert_eq!(value(&both, "limit").0, ParameterValue::Number(10.0));
}

#[test]
fn what_is_wrong_with_another_name_or_a_choice_is_told() {
    for (set, wanted) in [
        (vec![("both", "60")], "choices.toml: parameters.both: `60` is out of range: 1 to 50 is allowed"),
        (
            vec![("window", "four")],
            "parameters.window: `four` stands where a bare number or `default` is needed",
        ),
        (vec![("both", "30"), ("window", "20")], "parameters.window: it is set twice"),
        (vec![("window", "30"), ("tcp.window", "20")], "choices.toml: tcp.window: it is set twice"),
        (
            vec![("policy", "short"), ("limit", "7"), ("node.ap.queue.length", "8")],
            "node.ap.queue.length: it is set twice",
        ),
        (vec![("policy", "shrot")], "parameters.policy: unknown choice `shrot`; did you mean `short`?"),
    ] {
        let message = choices(&set).unwrap_err().to_string();
        assert!(message.contains(wanted), "{message}");
    }
    assert!(choices(&[("limit", "7"), ("node.ap.queue.length", "8")]).is_ok());
    for (old, new, wanted) in [
        (
            "\"tcp.window\"\nboth",
            "\"tcp.windwo\"\nboth",
            "choices.toml:4:1: parameters.window.sets: unknown setting `tcp.windwo`",
        ),
        (
            "node.ap.queue.length = 10",
            "node.ap.queue.lenght = 10",
            "parameters.policy.choices.short: unknown setting",
        ),
        // The value is read with the file even if the choice is not made: otherwise the value of a choice that is not made
        // would be lost.
        (
            "node.ap.queue.length = 10",
            "node.ap.queue.length = 18446744073709551615",
            "choices.toml:12:21: parameters.policy.choices.short.node.ap.queue.length: the number is too large",
        ),
        (
            "target = \"window * 1 ms\"",
            "target = [1, nan]",
            "parameters.policy.choices.codel.node.ap.queue.target[1]: the number is not finite",
        ),
        (
            "none = {}",
            "none = 18446744073709551615",
            "choices.toml:11:1: parameters.policy.choices.none: the number is too large",
        ),
        (
            "none = {}",
            "none = 4",
            "choices.toml:11:1: parameters.policy.choices.none: it is the number `4`, and a table of settings",
        ),
        ("max = 50", "default = 50", "parameters.both.default: "),
        ("max = 50", "sets = []", "not valid TOML"),
        ("= \"tcp.window\"\nboth", "= []\nboth", "parameters.window"),
    ] {
        let text = CHOICES.replacen(old, new, 1);
        assert_ne!(text, CHOICES);
        let error = parse(&text, "choices.toml", &overrides(&[("window", "9")])).err();
        let message = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains(wanted), "{new}: {message}");
    }
}

#[test]
fn a_bad_value_of_a_choice_is_told_where_it_is_written() {
    for (value, wanted) in [("0", "a queue must hold"), ("[10]", "it is a list, and a number")] {
        let text = CHOICES.replacen("length = 10", &format!("length = {value}"), 1);
        let message =
            parse(&text, "choices.toml", &overrides(&[("policy", "short")])).unwrap_err().to_string();
        let place = "choices.toml:12:21: parameters.policy.choices.short.node.ap.queue.length";
        assert!(message.starts_with(&format!("{place}: {wanted}")), "{message}");
    }
}

#[test]
fn a_key_or_a_number_that_is_meant_as_a_parameter_is_told() {
    let message = |scenario: &str, name: &str, value: &str| {
        load(scenario, &overrides(&[(name, value)])).unwrap_err().to_string()
    };
    for (scenario, name, hint) in [
        ("wifi/home", "cameras", "did you mean `camera_count`?"),
        (
            "wifi/home",
            "laptop_count",
            "known: call_count, camera_count, download_count, game_count, page_count, sensor_count, stream_count, video_call_count",
        ),
        ("wifi/home", "camera", "did you mean `camera_count`?"),
        ("wifi/home", "cameras_distance", "did you mean `camera_distance`?"),
        ("wifi/home", "beacon_interval", "it is a key: set it by its path, `wlan.beacon_interval`"),
        (
            "jung/mixed",
            "delay",
            "it is a key: set it by one of its paths, `link.delay`, `link.reverse.delay`",
        ),
        ("jung/mixed", "statoins", "did you mean `stations`?"),
    ] {
        let told = message(scenario, name, "10");
        assert!(told.starts_with(&format!("{scenario}: unknown parameter `{name}`; ")), "{told}");
        assert!(told.ends_with(hint), "{told}");
    }
    let swept = text_of("wifi/home").unwrap();
    let told =
        axis_values(&swept, "home.toml", "cameras", &["1..3".to_owned()], None).unwrap_err().to_string();
    assert!(told.ends_with("did you mean `camera_count`?"), "{told}");
}

#[test]
fn several_values_are_for_a_sweep() {
    for (name, value, wanted) in [
        ("up", "1..3", "parameters.up: `1..3` is more than one value: sweep over them with `--over up=1..3`"),
        (
            "link.rate",
            "10,20 Mb/s",
            "hotspot: link.rate: `10,20 Mb/s` is more than one value: sweep over them",
        ),
        ("link.rate", "max(1 Mb/s, 2", "link.rate: "),
        ("tcp.variant", "reno,vegas", "tcp.variant: `reno,vegas` is more than one value: sweep over them"),
    ] {
        let message = hotspot(&[(name, value)]).unwrap_err().to_string();
        assert!(message.contains(wanted), "{message}");
        assert_eq!(message.contains("more than one"), !value.starts_with("max"), "{message}");
    }
    let message = hotspot(&[("wlan.band", "1..3")]).unwrap_err().to_string();
    assert_eq!(message, "blefari/hotspot: wlan.band: unknown band `1..3`; known: 2.4 GHz, 5 GHz, 6 GHz");
}

#[test]
fn help_of_a_parameter_repeats_no_values_and_quotes_no_source_code() {
    let help = |scenario: &str, name: &str| {
        let parameters = describe(scenario).unwrap().parameters;
        parameters.into_iter().find(|parameter| parameter.name == name).unwrap().help
    };
    assert_eq!(
        help("jung/mixed", "profile"),
        "The source of all other defaults: ns-2, the RFCs, or Linux.",
        "its default and its values are fields of their own"
    );
    let defaults = "(`ns2` idle-timeout, `rfc` rfc7661, `linux` rfc2861)";
    assert_eq!(
        help("jung/mixed", "restart"),
        format!("The effect of an idle period on the congestion window. {defaults}")
    );
    // The allowed values of this setting are in no other field of its description.
    assert!(help("wifi/home", "rate_control").ends_with("(`fixed` or `ideal` or `minstrel`)"));
    for Packaged { name, .. } in packaged() {
        for parameter in describe(&name).unwrap().parameters {
            assert!(!parameter.help.contains("]("), "{name}: {}: {}", parameter.name, parameter.help);
        }
    }
    assert!(!json_schema().contains("]("));
}
