//! The canonical JSON of a scenario, piece by piece: keys of results depend on each spelling.

use airfair_scenario::parse;
use serde_json::{Value, json};

/// Returns the JSON of two nodes, a link with the lines `link`, a flow over it with the lines `flow`, and the rest of the file.
fn canonical(link: &str, flow: &str, rest: &str) -> Value {
    let text = format!(
        "[run]\nwarmup = \"1 s\"\nduration = \"5 s\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
         [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"5 ms\"\n{link}\n\
         [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n{flow}\n{rest}"
    );
    let loaded = parse(&text, "c.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_str(&loaded.canonical_json()).expect("JSON")
}

fn forward(link: &str) -> Value {
    canonical(link, "", "")["links"][0]["forward"].clone()
}

#[test]
fn times_are_in_nanoseconds_and_rates_in_bits_a_second() {
    let all = canonical("", "", "");
    assert_eq!((&all["warmup_ns"], &all["duration_ns"]), (&json!(1_000_000_000), &json!(5_000_000_000u64)));
    assert_eq!((&all["nodes"], &all["wlans"]), (&json!([{"name": "a"}, {"name": "b"}]), &json!([])));
    let link = &all["links"][0]["forward"];
    assert_eq!((&link["delay_ns"], &link["rate_bps"]), (&json!(5_000_000), &json!(10_000_000)));
    assert_eq!((&link["loss"], &link["outage"]), (&json!(null), &json!(null)));
}

#[test]
fn a_limit_has_its_unit() {
    assert_eq!(forward("queue = 75")["queue"], json!({"packets": 75}));
    assert_eq!(forward("queue = \"64 kB\"")["queue"], json!({"bytes": 64_000}));
    assert_eq!(forward("tx_ring = 9")["tx_ring"], json!({"packets": 9}));
    assert_eq!(forward("tx_ring = \"9 kB\"")["tx_ring"], json!({"bytes": 9000}));
    assert_eq!(forward("tx_ring = \"bql\"")["tx_ring"], json!("bql"));
    assert_eq!(forward("").get("tx_ring"), None, "keys of before stay as they were");
}

#[test]
fn a_loss_model_has_its_probabilities() {
    let loss = |lines: &str| forward(&format!("[link.loss]\n{lines}"))["loss"].clone();
    assert_eq!(
        loss("model = \"bernoulli\"\nprobability = 0.25\nposition = \"after-queue\""),
        json!({"model": {"of": "packet", "probability": 0.25}, "position": "after-queue"})
    );
    let states = json!({"bad": 0.5, "good": 0.0, "mean_bad_ns": 100_000_000, "mean_good_ns": 1_000_000_000});
    assert_eq!(
        loss(
            "model = \"gilbert-elliott\"\nbad = 0.5\nmean_good = \"1 s\"\nmean_bad = \"100 ms\"\nof = \"bit\""
        ),
        json!({"model": {"of": "bit", "probability": states}, "position": "before-queue"})
    );
}

#[test]
fn an_outage_has_its_schedule_and_the_fate_of_packets() {
    let outage =
        |lines: &str| forward(&format!("[link.outage]\nduration = \"1 s\"\n{lines}"))["outage"].clone();
    let of = |lost: Value, repeat: Value| json!({"duration_ns": 1_000_000_000, "lost": lost, "repeat": repeat, "spread_ns": 0, "start_ns": 0});
    assert_eq!(outage(""), of(json!("before-queue"), json!(null)));
    assert_eq!(outage("packets = \"held\""), of(json!(null), json!(null)));
    let ten = "period = \"10 s\"\nrepeat =";
    assert_eq!(
        outage(&format!("{ten} \"periodic\"\nposition = \"after-queue\"")),
        of(json!("after-queue"), json!({"period_ns": 10_000_000_000u64}))
    );
    assert_eq!(
        outage(&format!("{ten} \"random\"")),
        of(json!("before-queue"), json!({"mean_period_ns": 10_000_000_000u64}))
    );
}

#[test]
fn traffic_and_transport_have_their_own_fields() {
    let flow = |lines: &str| canonical("", lines, "")["flows"][0].clone();
    let persistent = flow("start = \"2 s\"\nstop = \"3 s\"");
    assert_eq!(
        persistent["traffic"],
        json!({"spread_ns": 0, "start_ns": 2_000_000_000, "stop_ns": 3_000_000_000u64})
    );
    assert_eq!(persistent["transport"]["tcp"]["window"], json!(44));
    let sessions = flow(
        "traffic = \"intermittent\"\nsession_bytes = \"2 kB\"\nperiod = \"1 s\"\n\
         udp = { rate = \"1 Mb/s\", datagram_bytes = \"1000 B\" }",
    );
    assert_eq!(
        sessions["traffic"],
        json!({"bytes": 2000, "gap": {"fixed_ns": 1_000_000_000}, "spread_ns": 0, "start_ns": 0})
    );
    assert_eq!(
        sessions["transport"],
        json!({"datagram_bytes": 1000, "header_bytes": 28, "rate_bps": 1_000_000})
    );
}

#[test]
fn a_fair_share_is_split_or_null() {
    assert_eq!(canonical("", "", "")["fair_share"], json!(null));
    let share = "[fair_share]\ndownload = \"4 Mb/s\"\nupload = \"2 Mb/s\"\nusers = 2\n";
    assert_eq!(
        canonical("", "", share)["fair_share"],
        json!({"down_bps": 4_000_000, "up_bps": 2_000_000, "users": 2})
    );
}

#[test]
fn a_physical_layer_has_its_preamble() {
    let plcp = |phy: &str| {
        let wlan =
            format!("[[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"{phy}\"\n[[wlan.station]]\nname = \"s\"\n");
        canonical("", "", &wlan)["wlans"][0]["bss"]["phy"]["plcp"].clone()
    };
    assert_eq!(
        plcp("802.11a"),
        json!({"extension_ns": 0, "extra_bits": 22, "preamble_ns": 20_000, "symbol_ns": 4000})
    );
    assert_eq!(
        plcp("802.11b"),
        json!({
            "preamble_ns": 192_000, "slow_preamble_ns": 192_000, "slow_rate_bps": 1_000_000, "unit_ns": 1000
        })
    );
}
