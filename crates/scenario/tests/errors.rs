//! Bad input: one clear message for each fault, with the file, the place, the value, the allowed values and the nearest name.

#[path = "errors/access_point.rs"]
mod access_point;

use airfair_scenario::resolved::{Connection, Flow, Transport};
use airfair_scenario::{Override, load, parse};

const GOOD: &str = r#"
[parameters.stations]
unit = "count"
default = 4
min = 2
max = 256
multiple_of = 2

[parameters.period]
unit = "s"
default = "10 s"

[run]
warmup = "1 s"
duration = "10 s"

[[node]]
name = "server"

[[node]]
name = "island"

[[link]]
from = "server"
to = "ap"
rate = "100 Mb/s"
delay = "10 ms"

[[wlan]]
name = "wlan"
ap = "ap"
phy = "802.11b"

[[wlan.station]]
name = "sta{i}"
count = "stations"

[tcp]
variant = "reno"

[[flow]]
name = "first"
from = "server"
to = "sta0"

[[flow]]
name = "flow{i}"
count = "stations / 2"
from = "sta{i}"
to = "server"
traffic = "intermittent"
session_bytes = "10 kB"
period = "period"
tcp = { window = 20 }
"#;

fn set(name: &str, value: &str) -> Vec<Override> {
    vec![Override { name: name.to_owned(), value: value.to_owned() }]
}

/// Returns the message for `GOOD` with `old` replaced by `new`.
fn message(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "{old}");
    match parse(&GOOD.replacen(old, new, 1), "home.toml", &[]) {
        Ok(_) => panic!("`{new}` was taken"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_file_these_tests_spoil_is_good() {
    let loaded = parse(GOOD, "home.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.scenario.flows.len(), 3);
}

#[test]
fn each_mistake_has_its_message() {
    let cases = [
        // Names.
        (
            "variant =",
            "varient =",
            "home.toml:39:1: tcp.varient: unknown key `varient`; did you mean `variant`?",
        ),
        ("[tcp]", "[tpc]", "home.toml:38:2: tpc: unknown key `tpc`; did you mean `tcp`?"),
        (
            "tcp = { window = 20 }",
            "tcp = { widnow = 20 }",
            "home.toml:54:9: flow[1].tcp.widnow: unknown key `widnow`; did you mean `window`?",
        ),
        (
            "\"reno\"",
            "\"vegass\"",
            "home.toml:39:1: tcp.variant: unknown TCP `vegass`; did you mean `vegas`?",
        ),
        (
            "802.11b",
            "802.11bb",
            "home.toml:32:1: wlan[0].phy: unknown PHY `802.11bb`; did you mean `802.11b`?",
        ),
        ("\"sta0\"", "\"stat0\"", "home.toml:44:1: flow[0].to: unknown node `stat0`; did you mean `sta0`?"),
        ("\"flow{i}\"", "\"first\"", "there is a flow `first` already"),
        (
            "[[wlan]]",
            "[[link]]\nfrom = \"ap\"\nto = \"server\"\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n[[wlan]]",
            "link[1].name: there is a link `ap-server` already: give this one another name",
        ),
        ("\"island\"", "\"server\"", "home.toml:21:1: node[1].name: there is a node `server` already"),
        ("\"island\"", "\"sta1\"", "home.toml:35:1: wlan[0].station[0].name: there is a node `sta1` already"),
        ("\"island\"", "\"no name\"", "node[1].name: `no name` is not a valid name"),
        (
            "\"sta{i}\"",
            "\"sta\"",
            "there is a node `sta` already: names are unique; in a group write the index into them",
        ),
        // Topology.
        (
            "to = \"sta0\"",
            "to = \"island\"",
            "flow[0]: `first`: no path of links and WLANs leads from `server` to `island`",
        ),
        ("to = \"sta0\"", "to = \"server\"", "flow[0].to: `server` cannot send to itself"),
        ("to = \"ap\"", "to = \"server\"", "link[0].to: a link from `server` to itself leads nowhere"),
        // Units and ranges.
        ("100 Mb/s", "100 ms", "link[0].rate: `100 ms` is a time where a rate is needed (b/s, kb/s, Mb/s"),
        ("100 Mb/s", "100 mb/s", "link[0].rate: unknown unit `mb/s`; did you mean `Mb/s`?"),
        ("100 Mb/s", "0 Mb/s", "home.toml:26:1: link[0].rate: `0 Mb/s`: a rate must be above zero"),
        (
            "\"100 Mb/s\"",
            "100",
            "link[0].rate: `100` is a bare number where a rate is needed: put a unit behind it",
        ),
        (
            "\"100 Mb/s\"",
            "[100]",
            "link[0].rate: it is a list, and a number, a text, true or false is needed",
        ),
        ("\"10 ms\"", "\"-10 ms\"", "link[0].delay: `-10 ms`: a time cannot be negative"),
        ("\"10 ms\"", "\"1e300 s\"", "a time is at most"),
        ("\"10 ms\"", "inf", "link[0].delay: the number is not finite"),
        ("\"10 kB\"", "\"0 B\"", "flow[1].session_bytes: 0 B is out of range: a size at least 1 is needed"),
        (
            "window = 20",
            "window = 0",
            "flow[1].tcp.window: 0 is out of range: a whole number of segments at least 1 and at most 1073741824 is needed (in the group's member i = 0)",
        ),
        ("window = 20", "window = 2.5", "flow[1].tcp.window: `2.5`: a whole number is needed"),
        (
            "window = 20",
            "alpha = 2",
            "flow[1].tcp.alpha: `alpha` is a parameter of a congestion control: set it in the table `control` here",
        ),
        (
            "window = 20",
            "control = { alpha = 2 }",
            "flow[1].tcp.control.alpha: `reno` has no parameter `alpha`: it has none; \
             `alpha` is of `vegas`, `vegas-fair` and `aimd`: leave it out here",
        ),
        (
            "window = 20",
            "variant = \"aimd\", control = { betta = 0.5 }",
            "home.toml:54:39: flow[1].tcp.control.betta: `aimd` has no parameter `betta`: it has alpha, beta, first_cut, \
             slow_start_cut, timeout_cut; did you mean `beta`?",
        ),
        (
            "window = 20",
            "variant = \"aimd\", control = { beta = 1 }",
            "flow[1].tcp.control.beta: 1 is out of range: a number above 0 and below 1 is needed",
        ),
        (
            "window = 20",
            "variant = \"aimd\", control = { alpha = 0 }",
            "flow[1].tcp.control.alpha: 0 is out of range: a number of segments above 0",
        ),
        (
            "window = 20",
            "variant = \"aimd\", control = { timeout_cut = \"halve\" }",
            "flow[1].tcp.control.timeout_cut: unknown timeout_cut `halve`; did you mean `half`?",
        ),
        (
            "window = 20",
            "variant = \"vegas-fair\", control = { pause_interval = 1 }",
            "flow[1].tcp.control.pause_interval: `1` is a bare number where a time is needed",
        ),
        (
            "window = 20",
            "variant = \"vegas-fair\", control = { pause_interval = \"0 s\" }",
            "flow[1].tcp.control.pause_interval: 0 ns is out of range: a time above 0 is needed",
        ),
        (
            "window = 20",
            "variant = \"vegas\", control = { alpha = 4 }",
            "flow[1].tcp.control.alpha: alpha, 4, is above beta, 3",
        ),
        ("duration = \"10 s\"", "duration = \"0 s\"", "run.duration: nothing can be measured in no time"),
        (
            "\"802.11b\"",
            "\"802.11b\"\ndata_rate = \"12 Mb/s\"",
            "12 Mb/s is no rate of `802.11b`: 1 Mb/s, 2 Mb/s, 5.5 Mb/s, 11 Mb/s are allowed",
        ),
        (
            "\"802.11b\"",
            "\"802.11b\"\nbasic_rate = \"3 Mb/s\"",
            "wlan[0].basic_rate: it is not a rate for control frames",
        ),
        (
            "\"802.11b\"",
            "\"802.11b\"\nplcp_rate = \"1 Mb/s\"",
            "wlan[0].plcp_rate: the standard fixes it for `802.11b`",
        ),
        (
            "\"802.11b\"",
            "\"802.11b\"\nqueue = 0",
            "home.toml:33:1: wlan[0].queue: a queue must hold at least 1 packet, the one in transmission included",
        ),
        (
            "\"802.11b\"",
            "\"802.11b\"\nap_queue = \"0 B\"",
            "wlan[0].ap_queue: a queue must hold at least 1 packet",
        ),
        (
            "\"802.11b\"",
            "\"802.11b\"\nap_queue = \"100 ms\"",
            "wlan[0].ap_queue: the air has no rate that would make a time a length: give frames (`50`) or bytes (`64 kB`)",
        ),
        (
            "period = \"period\"",
            "period = \"0 s\"",
            "flow[1].period: 0 ns is out of range: a time above 0 is needed",
        ),
        ("period = \"period\"", "", "flow[1]: `intermittent` traffic needs `period`"),
        (
            "traffic = \"intermittent\"",
            "",
            "flow[1].session_bytes: it belongs to `intermittent` traffic alone",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ncodec = \"g711\"",
            "flow[0].codec: it belongs to `voice` traffic alone",
        ),
        ("to = \"sta0\"", "to = \"sta0\"\nect1 = true", "flow[0].ect1: it belongs to `voice` traffic alone"),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"voice\"\nudp = { rate = \"64 kb/s\" }",
            "flow[0].udp: the packets of `voice` follow from its codec",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"web\"\nperiod = \"5 s\"\ntcp.connection = \"fresh\"",
            "flow[0].tcp.connection: the connections of `web` traffic follow from its `http`",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"video\"\nsegment = \"100 s\"",
            "flow[0].segment: a player holds at least two segments: `buffer` is 30 s and `segment` 100 s",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"video\"\nbuffer = \"7999 ms\"",
            "flow[0].buffer: a player holds at least two segments: `buffer` is 7.999 s and `segment` 4 s",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"video\"\nbitrate = \"234999 b/s\"",
            "flow[0].bitrate: a player has no bitrate of 234.999 kb/s or less: the lowest is 235 kb/s",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"video_call\"\ntcp = {}",
            "flow[0].tcp: `video_call` goes over RTP and UDP: its packets follow from the rate that Google Congestion Control finds",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"video_call\"\nmax_bitrate = \"1 Mb/s\"",
            "flow[0].max_bitrate: unknown key `max_bitrate`; `bitrate` is the highest rate of `video` and `video_call`, and `bitrate_min` \
             the least one of `video_call`",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"video_call\"\nframe_rate = \"30 fps\"",
            "flow[0].frame_rate: `fps` is no unit: write the number alone",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"webrtc\"",
            "flow[0].traffic: unknown traffic `webrtc`; `video_call` is one direction of a video call",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"video_call\"\nbitrate_min = \"3 Mb/s\"",
            "flow[0].bitrate_min: `bitrate`, 2.5 Mb/s, is below `bitrate_min`, 3 Mb/s",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\ntraffic = \"video_call\"\nbitrate = \"200 Mb/s\"",
            "flow[0].bitrate: a video call has at most 100 Mb/s, not 200 Mb/s",
        ),
        (
            "to = \"sta0\"",
            "to = \"sta0\"\nbitrate = \"2 Mb/s\"",
            "flow[0].bitrate: it belongs to `video` and `video_call` traffic alone",
        ),
        (
            "tcp = {",
            "udp = { rate = \"1 Mb/s\" }\ntcp = {",
            "flow[1].udp: a flow is either TCP or UDP, not both",
        ),
        (
            "window = 20",
            "variant = \"constant\", control = { cwnd = 0 }",
            "flow[1].tcp.control.cwnd: 0 is out of range: a number of segments at least 1",
        ),
        // Numbers of things.
        (
            "count = \"stations\"",
            "count = 1000000000",
            "wlan[0].station[0].count: 1000000000 is out of range: 0 to 100000 is allowed",
        ),
        ("count = \"stations\"", "count = 5000", "a WLAN has at most 2007 stations"),
        ("count = \"stations\"", "count = 0", "wlan[0].station: a WLAN needs at least 1 station"),
        (
            "default = 4",
            "default = 5",
            "home.toml:4:1: parameters.stations.default: `5` is not a multiple of 2",
        ),
        ("default = 4", "", "parameters.stations: it has no default: set it, as in `--set stations=...`"),
        // Expressions.
        ("\"stations / 2\"", "\"stations /\"", "flow[1].count: `stations /` is not a valid expression"),
        (
            "\"stations / 2\"",
            "\"station / 2\"",
            "flow[1].count: unknown parameter `station`; did you mean `stations`?",
        ),
        ("\"stations / 2\"", "\"stations / 3\"", "flow[1].count: `stations / 3` = 1.33333333333"),
        ("\"period\"", "\"period + 1\"", "flow[1].period: `period + 1` mixes units"),
        (
            "\"period\"",
            "\"stations\"",
            "flow[1].period: `stations` = 4 is a bare number where a time is needed",
        ),
        ("\"sta{i}\"", "\"sta{i\"", "a `{` is never closed"),
        (
            "to = \"sta0\"",
            "to = \"sta{i}\"",
            "flow[0].to: `i` counts the members of a group: it means nothing here",
        ),
        // A message is one line, whatever the file contains.
        ("\"sta0\"", "\"a\\nb\\u001b\"", "flow[0].to: `a\\nb\\u{1b}` is not a valid name"),
        // TOML.
        ("[run]", "[run", "home.toml:13:5: not valid TOML: "),
        ("default = 4", "default = 4\ndefault = 6", "home.toml:5:1: not valid TOML: duplicate key"),
        (
            "[[flow]]",
            "[flow]",
            "not valid TOML: `[flow]` is there already: where there are several, each begins with `[[flow]]`",
        ),
        (
            "[[wlan.station]]",
            "[[wlan.station]]\nname = \"other\"\n[wlan.station]",
            "not valid TOML: `[wlan.station]` is there already: where there are several, each begins with `[[wlan.station]]`",
        ),
        ("\"stations / 2\"", "tcp", "not valid TOML: `tcp` stands without its quotes: \"tcp\""),
        ("\"stations / 2\"", "20 Mb/s", "not valid TOML: `20 Mb/s` stands without its quotes: \"20 Mb/s\""),
        ("\"stations / 2\"", "“none”", "not valid TOML: `“none”` stands without its quotes: \"none\""),
        ("\"stations / 2\"", "", "not valid TOML: the value is missing"),
        ("\"stations / 2\"", "True", "not valid TOML: `True` is written `true`"),
        ("\"stations / 2\"", "1,5", "not valid TOML: a number has a decimal point, not a comma"),
        ("\"stations / 2\"", "[1 2]", "not valid TOML: string values must be quoted"),
        ("[run]\nwarmup = \"1 s\"\nduration = \"10 s\"", "", "home.toml: it has no `[run]`, and needs one"),
        // Tables, lists and keys in the wrong place or missing.
        ("duration = \"10 s\"", "", "home.toml:13:2: run: it needs `duration`, which has no default"),
        ("[run]", "[[run]]", "home.toml:13:3: run: it is a list, and one table is needed"),
        (
            "[parameters.stations]",
            "effort = [1]\n[parameters.stations]",
            "home.toml:2:1: effort: it is a list, and one table is needed",
        ),
        (
            "[parameters.stations]",
            "effort = 1\n[parameters.stations]",
            "home.toml:2:1: effort: it is the number `1`, and a table is needed",
        ),
        (
            "[[link]]",
            "[link]",
            "link: it is a table, and a list of tables is needed: each begins with `[[link]]`",
        ),
        (
            "name = \"wlan\"",
            "name = \"wlan\"\nstation = \"sta\"\n[[wlan]]",
            "wlan[0].station: it is the text `sta`, and a list of tables is needed: each begins with `[[wlan.station]]`",
        ),
        (
            "tcp = { window = 20 }",
            "tcp = \"reno\"",
            "flow[1].tcp: it is the text `reno`, and a table is needed: Settings",
        ),
        (
            "[parameters.stations]",
            "title = 1.5\n[parameters.stations]",
            "home.toml:2:1: title: it is the number `1.5`, and a text is needed",
        ),
        (
            "duration = \"10 s\"",
            "duration = \"10 s\"\nmetrics = \"all\"",
            "run.metrics: it is the text `all`, and a list is needed",
        ),
        (
            "duration = \"10 s\"",
            "duration = \"10 s\"\nmetrics = [true]",
            "run.metrics[0]: it is `true`, and a text is needed",
        ),
        (
            "unit = \"s\"",
            "unit = \"s\"\noptional = \"no\"",
            "parameters.period.optional: it is the text `no`, and true or false is needed",
        ),
        (
            "delay = \"10 ms\"",
            "delay = \"10 ms\"\nloss = { model = \"bernoulli\" }\nerrors = { model = \"bernoulli\" }",
            "link[0]: `loss` is set twice, once by its former name",
        ),
    ];
    check(&cases);
}

#[test]
fn an_empty_file_is_told() {
    for text in ["", " \n\t\n"] {
        let message = parse(text, "home.toml", &[]).unwrap_err().to_string();
        assert_eq!(message, "home.toml: it is empty: `airfair init FILE` writes a scenario to start from");
    }
}

#[test]
fn so_has_each_mistake_at_an_access_point_or_a_queue() {
    check(access_point::CASES);
}

/// Checks cases. Each is a text in [`GOOD`], its replacement, and a part of the message, which must be one line.
fn check(cases: &[(&str, &str, &str)]) {
    let mut wrong = String::new();
    for &(old, new, wanted) in cases {
        let message = message(old, new);
        if !message.contains(wanted) || message.lines().count() != 1 {
            wrong += &format!("wanted: {wanted}\n   got: {message}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn overrides_are_checked_like_the_file() {
    for (name, value, wanted) in [
        ("stations", "5", "home.toml: parameters.stations: `5` is not a multiple of 2"),
        (
            "stations",
            "1000000000",
            "home.toml: parameters.stations: `1000000000` is out of range: 2 to 256 is allowed",
        ),
        ("statoins", "4", "home.toml: unknown parameter `statoins`; did you mean `stations`?"),
        ("period", "10", "home.toml: parameters.period: `10` is a bare number where a time is needed"),
        ("period", "10 Mb/s", "home.toml: parameters.period: `10 Mb/s` is a rate where a time is needed"),
        ("period", "-1 s", "home.toml: parameters.period: `-1 s`: it cannot be negative"),
    ] {
        let message = parse(GOOD, "home.toml", &set(name, value)).unwrap_err().to_string();
        assert!(message.contains(wanted), "wanted: {wanted}\n   got: {message}");
    }
}

#[test]
fn a_files_connection_is_not_for_pages() {
    let web = GOOD.replace("to = \"sta0\"", "to = \"sta0\"\ntraffic = \"web\"\nperiod = \"5 s\"");
    let connections = |text: &str| {
        let loaded = parse(text, "home.toml", &set("tcp.connection", "fresh")).unwrap();
        let of = |flow: &Flow| match flow.transport {
            Transport::Tcp { connection, .. } => connection,
            Transport::Udp { .. } => unreachable!("TCP"),
        };
        let connections: Vec<_> = loaded.scenario.flows.iter().map(of).collect();
        (connections, loaded.useless.concat())
    };
    let (of_all, warnings) = connections(&web);
    assert_eq!(of_all, [Connection::Reuse, Connection::Fresh, Connection::Fresh]);
    assert!(!warnings.contains("changes nothing"), "{warnings}");
    let (of_all, _) = connections(&web.replace("\"5 s\"", "\"5 s\"\nhttp = \"http1\""));
    assert_eq!(of_all[..6], [Connection::InTurn; 6]);
    let alone = &web[..web.rfind("[[flow]]").unwrap()];
    let (of_all, warnings) = connections(alone);
    assert_eq!(of_all, [Connection::Reuse]);
    assert!(warnings.contains("`tcp.connection` changes nothing"), "{warnings}");
}

#[test]
fn an_unknown_scenario_names_the_nearest() {
    for (name, hint) in [
        ("jung/mixde", "did you mean `jung/mixed`?"),
        ("home", "did you mean `wifi/home`?"),
        ("mixed", "did you mean `ghosh/mixed` or `jung/mixed`?"),
        ("xyz", "`airfair scenarios` lists them, and the path of a file ends in `.toml`"),
    ] {
        let message = load(name, &[]).unwrap_err().to_string();
        assert_eq!(message, format!("{name}: unknown scenario; {hint}"));
    }
    let message = load("", &[]).unwrap_err().to_string();
    assert_eq!(message, "scenario: a name or the path of a file is needed, and this one is empty");
    let message = load("no/such.toml", &[]).unwrap_err().to_string();
    assert!(message.starts_with("no/such.toml: it cannot be read: "), "{message}");
    assert!(!message.contains("os error"), "{message}");
    // `check` accepts only files.
    let packaged = airfair_scenario::check("jung/mixed", &[]).unwrap_err().to_string();
    assert!(packaged.contains("`airfair show jung/mixed > FILE`"), "{packaged}");
}
