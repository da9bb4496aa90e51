//! Every setting that can change while a run goes on, by its path; and the guide that lists these settings.

use airfair_core::Time;
use airfair_lab::{Experiment, World};
use airfair_scenario::Override;
use airfair_sim::{CHANGEABLE, Changeable};
use std::path::PathBuf;

/// A network in which every setting that can change has an effect.
const ALL: &str = r#"
[run]
warmup = "0 s"
duration = "6 s"
metrics = ["throughput_total"]
[[node]]
name = "far"
[[link]]
name = "wire"
from = "ap"
to = "far"
rate = "600 kb/s"
delay = "5 ms"
queue = "200 ms"
queue_packet = "1 kB"
reverse = { rate = "1 Mb/s", delay = "4 ms", queue = 9 }
discipline = { kind = "codel", target = "5 ms" }
loss = { model = "bernoulli", probability = "3 %" }
[[wlan]]
name = "air"
ap = "ap"
phy = "802.11b"
data_rate = "11 Mb/s"
ap_data_rate = "11 Mb/s"
queue = 20
ap_queue = 20
rts_threshold = "1 kB"
short_retry_limit = 3
long_retry_limit = 3
capture = 0.1
loss = { model = "bernoulli", probability = "10 %" }
ap_discipline = { kind = "red", max_threshold = 3 }
policer = { rate = "500 kb/s", burst = "30 kB" }
window_control = { buffer = 40, flow_timeout = "1 s" }
[[wlan.station]]
name = "near"
data_rate = "5.5 Mb/s"
ap_data_rate = "5.5 Mb/s"
queue = 20
loss = { model = "bernoulli", probability = "5 %" }
[[wlan.station]]
name = "other"
[[wlan]]
name = "ax"
ap = "router"
phy = "802.11ax"
mcs = 0
ampdu = "0 B"
driver_queue = 2
aifsn = 4
txop = "0 s"
rts_threshold = "1 kB"
short_retry_limit = 4
loss = { model = "bernoulli", probability = "10 %" }
queue = 20
ap_queue = 20
ap_discipline = { kind = "mac80211", target = "5 ms" }
edca = { be = { cw_max = 60 }, vi = { cw_min = 9 } }
ap_edca = { be = { cw_min = 20 } }
[[wlan.station]]
name = "tv"
aifsn = 5
txop = "0 s"
edca = { be = { cw_min = 15 } }
loss = { model = "bernoulli", probability = "5 %" }
queue = 20
[[wlan.station]]
name = "camera"
access_category = "vi"
airtime_weight = 100
[[wlan]]
name = "hall"
ap = "door"
phy = "802.11ax"
rate_control = "ideal"
distance = "14 m"
walls = 4
tx_power = "19 dBm"
[[wlan.station]]
name = "lamp"
[[wlan.station]]
name = "clock"
snr = "16 dB"
[[wlan]]
name = "yard"
ap = "fence"
phy = "802.11ax"
channel = "outside"
rate_control = "ideal"
snr = "19 dB"
path_loss = "log-distance"
path_loss_exponent = 3
[[wlan.station]]
name = "pump"
[[wlan.station]]
name = "bell"
distance = "60 m"
[[wlan.station]]
name = "gate"
distance = "90 m"
path_loss_exponent = 2.7
[[flow]]
name = "shines"
from = "door"
to = "lamp"
udp = { rate = "2 Mb/s" }
[[flow]]
name = "strikes"
from = "clock"
to = "door"
udp = { rate = "2 Mb/s" }
[[flow]]
name = "waters"
from = "pump"
to = "fence"
udp = { rate = "2 Mb/s" }
[[flow]]
name = "rings"
from = "bell"
to = "fence"
udp = { rate = "2 Mb/s" }
[[flow]]
name = "opens"
from = "fence"
to = "gate"
udp = { rate = "2 Mb/s" }
[[flow]]
name = "watches"
from = "router"
to = "tv"
udp = { rate = "8 Mb/s" }
[[flow]]
name = "updates"
from = "router"
to = "camera"
udp = { rate = "8 Mb/s" }
[[flow]]
name = "reports"
from = "tv"
to = "router"
udp = { rate = "3 Mb/s" }
[[flow]]
name = "films"
from = "camera"
to = "router"
access_category = "vi"
udp = { rate = "3 Mb/s" }
[tcp]
profile = "rfc"
variant = "aimd"
window = 30
max_window = 25
loss_window = 1
restart = "rfc5681"
restart_window = 2
rto_min = "300 ms"
rto_max = "60 s"
delayed_ack = true
limited_transmit = true
[tcp.control]
alpha = 1
[[flow]]
name = "up"
from = "near"
to = "far"
tcp = { window = 28 }
[[flow]]
name = "down"
from = "far"
to = "other"
[[flow]]
name = "pauses"
from = "far"
to = "other"
traffic = "intermittent"
session_bytes = "10 kB"
period = "1200 ms"
gap = "fixed"
[[flow]]
name = "through"
from = "other"
to = "near"
udp = { rate = "1500 kb/s" }
[[flow]]
name = "call"
from = "near"
to = "far"
udp = { rate = "200 kb/s" }
"#;

/// For each setting its path, its value in the network, and another value.
const VALUES: &[(&str, &str, &str)] = &[
    ("link.wire.rate", "600 kb/s", "1 Mb/s"),
    ("link.wire.reverse.rate", "1 Mb/s", "3 Mb/s"),
    ("link.wire.delay", "5 ms", "50 ms"),
    ("link.wire.reverse.delay", "4 ms", "50 ms"),
    ("link.wire.queue", "200 ms", "20 ms"),
    ("link.wire.queue_packet", "1 kB", "6 kB"),
    ("link.wire.reverse.queue", "9", "2"),
    ("link.wire.discipline.kind", "codel", "fq_codel"),
    ("link.wire.discipline.target", "5 ms", "1 s"),
    ("link.wire.loss.probability", "3 %", "9 %"),
    ("wlan.air.data_rate", "11 Mb/s", "2 Mb/s"),
    ("wlan.air.ap_data_rate", "11 Mb/s", "2 Mb/s"),
    ("wlan.air.station.near.data_rate", "5.5 Mb/s", "1 Mb/s"),
    ("wlan.air.station.near.ap_data_rate", "5.5 Mb/s", "1 Mb/s"),
    ("wlan.air.rts_threshold", "1 kB", "2 kB"),
    ("wlan.air.short_retry_limit", "3", "1"),
    ("wlan.air.long_retry_limit", "3", "1"),
    ("wlan.air.capture", "0.1", "1"),
    ("wlan.air.loss.probability", "10 %", "50 %"),
    ("wlan.air.station.near.loss.probability", "5 %", "50 %"),
    ("wlan.air.ap_queue", "20", "3"),
    ("wlan.air.ap_discipline.kind", "red", "choke"),
    ("wlan.air.ap_discipline.max_threshold", "3", "30"),
    ("wlan.air.queue", "20", "2"),
    ("wlan.air.station.near.queue", "20", "2"),
    ("wlan.air.policer.rate", "500 kb/s", "100 kb/s"),
    ("wlan.air.policer.burst", "30 kB", "3 kB"),
    ("wlan.air.window_control.buffer", "40", "3"),
    ("wlan.air.window_control.flow_timeout", "1 s", "1 ms"),
    ("wlan.ax.rts_threshold", "1 kB", "2 kB"),
    ("wlan.ax.short_retry_limit", "4", "1"),
    ("wlan.ax.aifsn", "4", "9"),
    ("wlan.ax.txop", "0 s", "4 ms"),
    ("wlan.ax.edca.be.cw_max", "60", "17"),
    ("wlan.ax.edca.vi.cw_min", "9", "60"),
    ("wlan.ax.ap_edca.be.cw_min", "20", "2"),
    ("wlan.ax.station.tv.aifsn", "5", "2"),
    ("wlan.ax.station.tv.txop", "0 s", "4 ms"),
    ("wlan.ax.station.tv.edca.be.cw_min", "15", "1"),
    ("wlan.ax.loss.probability", "10 %", "50 %"),
    ("wlan.ax.station.tv.loss.probability", "5 %", "50 %"),
    ("wlan.ax.ap_queue", "20", "3"),
    ("wlan.ax.station.camera.airtime_weight", "100", "900"),
    ("wlan.ax.ap_discipline.kind", "mac80211", "fq_codel"),
    ("wlan.ax.ap_discipline.target", "5 ms", "1 s"),
    ("wlan.ax.station.tv.queue", "20", "2"),
    ("wlan.yard.snr", "19 dB", "8 dB"),
    ("wlan.hall.station.clock.snr", "16 dB", "5 dB"),
    ("wlan.hall.distance", "14 m", "30 m"),
    ("wlan.yard.station.gate.distance", "90 m", "200 m"),
    ("wlan.hall.path_loss", "residential", "enterprise"),
    ("wlan.hall.station.lamp.path_loss", "residential", "enterprise"),
    ("wlan.yard.path_loss_exponent", "3", "4"),
    ("wlan.yard.station.gate.path_loss_exponent", "2.7", "4"),
    ("wlan.hall.walls", "4", "8"),
    ("wlan.hall.station.lamp.walls", "4", "8"),
    ("wlan.hall.floors", "0", "3"),
    ("wlan.hall.station.lamp.floors", "0", "3"),
    ("wlan.hall.tx_power", "19 dBm", "-5 dBm"),
    ("wlan.hall.station.lamp.tx_power", "19 dBm", "-5 dBm"),
    ("wlan.hall.noise_figure", "7 dB", "30 dB"),
    ("wlan.hall.station.lamp.noise_figure", "7 dB", "30 dB"),
    ("tcp.window", "30", "3"),
    ("flow.up.tcp.window", "28", "3"),
    ("tcp.max_window", "25", "2"),
    ("tcp.loss_window", "1", "5"),
    ("tcp.restart_window", "2", "20"),
    ("tcp.rto_min", "300 ms", "2 s"),
    ("tcp.rto_max", "60 s", "310 ms"),
    ("tcp.delayed_ack", "true", "false"),
    ("tcp.delayed_ack_timeout", "200 ms", "10 ms"),
    ("tcp.delayed_ack_segments", "2", "5"),
    ("tcp.quick_acks", "0", "8"),
    ("tcp.limited_transmit", "true", "false"),
    ("tcp.control.alpha", "1", "8"),
    ("flow.pauses.session_bytes", "10 kB", "1 kB"),
    ("flow.pauses.period", "1200 ms", "100 ms"),
    ("flow.pauses.gap", "fixed", "exponential"),
    ("flow.call.udp.rate", "200 kb/s", "20 kb/s"),
];

fn setting(name: &str, value: &str) -> [Override; 1] {
    [Override { name: name.to_owned(), value: value.to_owned() }]
}

fn to(world: &mut World, millis: u64) {
    while !world.run_until(Time(millis * 1_000_000), 10_000) {}
}

/// Returns the counters after a run of the whole network. A setting changes in the middle if `change` is given, and another
/// one later if `after` is.
fn told(change: Option<(&str, &str)>, after: Option<(&str, &str)>) -> String {
    let experiment = Experiment::parse(ALL, "all.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::start(experiment, 1, &[], &[]).expect("there is no external flow");
    for (at, change) in [(1203, change), (1811, after)] {
        to(&mut world, at);
        if let Some((name, value)) = change {
            world.set(&setting(name, value)).unwrap_or_else(|message| panic!("{name}: {message}"));
        }
    }
    to(&mut world, u64::MAX / 1_000_000);
    world.counts().to_string()
}

#[test]
fn each_setting_changes_the_run_and_its_own_value_nothing() {
    let unchanged = told(None, None);
    let later = Some(("link.wire.loss.probability", "5 %"));
    let changed_later = told(None, later);
    for &(path, present, other) in VALUES {
        assert_ne!(told(Some((path, other)), None), unchanged, "{path} = {other} has an effect");
        assert_eq!(told(Some((path, present)), None), unchanged, "{path} = {present} is in force");
        // A change to the present value changes nothing, not even the draws of a later change.
        assert_eq!(told(Some((path, present)), later), changed_later, "{path} = {present} is in force");
    }
}

/// Returns the paths in a row of the table.
fn paths(changeable: &Changeable) -> Vec<String> {
    let in_table = |table: &&str| {
        (changeable.keys)().into_iter().map(|key| format!("{table}.{key}")).collect::<Vec<_>>()
    };
    changeable.tables.iter().flat_map(in_table).collect()
}

/// Whether a path matches a pattern, in which `NAME` stands for any name and `*` for any key.
fn has_pattern(path: &str, pattern: &str) -> bool {
    let (path, pattern): (Vec<_>, Vec<_>) = (path.split('.').collect(), pattern.split('.').collect());
    path.len() == pattern.len()
        && path.iter().zip(&pattern).all(|(part, wanted)| ["NAME", "*"].contains(wanted) || part == wanted)
}

/// A flow's own table is read like the file's `[tcp]`, so one of its keys stands for all.
#[test]
fn every_path_that_can_change_is_tried() {
    for pattern in CHANGEABLE.iter().flat_map(paths) {
        let tried =
            pattern.strip_prefix("flow.NAME.tcp").map_or(pattern.clone(), |keys| format!("tcp{keys}"));
        assert!(VALUES.iter().any(|(path, ..)| has_pattern(path, &tried)), "{pattern} is not tried");
    }
}

#[test]
fn other_settings_are_refused_with_the_reason() {
    let experiment = Experiment::parse(ALL, "all.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::start(experiment, 1, &[], &[]).expect("there is no external flow");
    for (name, value, why) in [
        ("run.duration", "9 s", "the run has its length from the start"),
        ("flow.up.to", "other", "are those of the start"),
        ("link.wire.tx_ring", "bql", "keeps the ring of its transmitter"),
        ("link.wire.outage.duration", "1 ms", "outages are drawn at the start"),
        ("wlan.air.phy", "802.11b-short", "keeps its PHY"),
        ("wlan.air.host_delay", "1 ms", "keep their stacks"),
        ("wlan.air.station.near.queue", "20 kB", "keeps its discipline and the unit of its limit"),
        ("wlan.ax.mcs", "3", "keeps its access category, its modes"),
        ("flow.up.start", "1 s", "its start and its stop"),
        ("flow.call.dscp", "ef", "a flow keeps it"),
        ("wlan.air.station.near.discipline.kind", "codel", "keeps its discipline"),
        ("flow.up.tcp.variant", "vegas", "a flow keeps it"),
        ("tcp.recovery", "sack", "a flow keeps it"),
        ("flow.call.udp.datagram_bytes", "99 B", "a flow keeps it"),
        ("realtime.deadline", "9 ms", "metrics keep"),
    ] {
        assert_refused(&mut world, name, value, why);
    }
}

#[test]
fn a_setting_of_endpoints_outside_the_engine_is_refused() {
    let experiment = Experiment::parse(ALL, "all.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::start(experiment, 1, &[], &["call".to_owned()]).expect("there is such a flow");
    let why = "the endpoints of its flow are outside the engine";
    assert_refused(&mut world, "flow.call.udp.rate", "20 kb/s", why);
    assert_eq!(world.set(&setting("flow.through.udp.rate", "20 kb/s")), Ok(()));
    assert_eq!(world.set(&setting("flow.call.udp.rate", "200 kb/s")), Ok(()), "it has this value");
}

fn assert_refused(world: &mut World, name: &str, value: &str, why: &str) {
    let message = world.set(&setting(name, value)).expect_err(name);
    assert!(message.starts_with(&format!("`{name}` cannot change while a run goes on: ")), "{message}");
    assert!(message.contains(why), "{name}: {message}");
}

/// Two networks side by side: in one, stations have distances from their access point; in the other, they have places.
const PLACES: &str = r#"
[run]
warmup = "0 s"
duration = "1 s"
metrics = ["throughput_total"]
[[wlan]]
name = "near"
ap = "router"
phy = "802.11ax"
channel = "first"
distance = "5 m"
[[wlan.station]]
name = "tv"
[[wlan]]
name = "placed"
ap = "bridge"
phy = "802.11ax"
channel = "second"
ap_x = "0 m"
ap_y = "0 m"
[[wlan.station]]
name = "camera"
x = "3 m"
y = "4 m"
[[flow]]
name = "watches"
from = "router"
to = "tv"
[[flow]]
name = "records"
from = "camera"
to = "bridge"
"#;

#[test]
fn a_station_keeps_what_decides_on_its_signal() {
    let experiment = Experiment::parse(PLACES, "places.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::start(experiment, 1, &[], &[]).expect("there is no external flow");
    for (name, value) in [
        ("wlan.near.station.tv.snr_variation", "two-state"),
        ("wlan.near.station.tv.rate_control", "minstrel"),
        ("wlan.placed.station.camera.tx_power", "10 dBm"),
        ("wlan.placed.station.camera.x", "8 m"),
        // This place is as far from the access point as the one before.
        ("wlan.placed.station.camera.x", "-3 m"),
    ] {
        assert_refused(
            &mut world,
            name,
            value,
            "keeps its place, its rate control, and how its signal-to-noise ratio varies",
        );
    }
}

/// A value replaces that of an earlier change; if the earlier change is in the way, the message says so.
#[test]
fn a_change_goes_over_earlier_ones() {
    let experiment = Experiment::parse(ALL, "all.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::start(experiment, 1, &[], &[]).expect("there is no external flow");
    let mut set = |settings: &[(&str, &str)]| {
        world.set(&settings.iter().flat_map(|&(name, value)| setting(name, value)).collect::<Vec<_>>())
    };
    assert_eq!(set(&[("wlan.air.ap_queue", "30")]), Ok(()));
    assert_eq!(set(&[("node.ap.queue.length", "20")]), Ok(()));
    assert_eq!(set(&[("wlan.air.ap_queue", "10")]), Ok(()));
    let twice = set(&[("wlan.air.ap_queue", "9"), ("node.ap.queue.length", "8")]).unwrap_err();
    assert!(twice.contains("it is set twice"), "{twice}");
    assert_eq!(set(&[("link.wire.discipline.ecn", "true")]), Ok(()));
    assert_eq!(set(&[("link.wire.discipline.interval", "50 ms")]), Ok(()));
    let in_the_way = set(&[("link.wire.discipline.kind", "pie")]).unwrap_err();
    assert!(
        in_the_way.ends_with("leave it out here; it was set before: set it to `default` together with this"),
        "{in_the_way}"
    );
    assert_eq!(
        set(&[("link.wire.discipline.kind", "pie"), ("link.wire.discipline.interval", "default")]),
        Ok(())
    );
    let own = set(&[("link.wire.discipline.max_p", "0.1")]).unwrap_err();
    assert!(own.contains("`pie` has no parameter `max_p`") && !own.contains("set before"), "{own}");
}

#[test]
fn the_guide_lists_what_can_change() {
    let mut table = "| Settings | A new value holds |\n|---|---|\n".to_owned();
    for changeable in CHANGEABLE {
        let tables: Vec<_> = changeable.tables.iter().map(|table| format!("`{table}`")).collect();
        let keys: Vec<_> = (changeable.keys)().iter().map(|key| format!("`{key}`")).collect();
        table += &format!("| {}: {} | {} |\n", tables.join(", "), keys.join(", "), changeable.effect);
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/worlds.md");
    let guide = std::fs::read_to_string(&path).expect("the guide");
    let (before, rest) = guide.split_once("| Settings |").expect("it has the table");
    let after = rest.split_once("\n\n").map_or("", |(_, after)| after);
    let wanted = format!("{before}{table}\n{after}");
    if std::env::var_os("AIRFAIR_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("the guide can be written");
    } else {
        assert!(guide == wanted, "the table is not that of the code: AIRFAIR_BLESS=1 writes it");
    }
}
