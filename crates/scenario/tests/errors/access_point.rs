//! Cases of queue disciplines, policers and frame loss: a text in the file, its replacement, and a part of the message.

/// Cases for [`check`](super::check).
pub const CASES: &[(&str, &str, &str)] = &[
    // Queue disciplines.
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"fq_codle\" }",
        "home.toml:28:16: link[0].discipline.kind: unknown queue discipline `fq_codle`; did you mean `fq_codel`?",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"sfq\" }",
        "unknown queue discipline `sfq`; it is not modelled; known: drop_tail, red, choke, codel, fq_codel, airtime_drr, mac80211, pie, dualpi2, cake",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\nreverse = { discipline = { kind = \"codel\", direction = \"backward\" } }",
        "link[0].reverse.discipline.direction: a discipline in `reverse` has its direction: leave it out",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"codel\", max_p = 0.1 }",
        "link[0].discipline.max_p: `codel` has no parameter `max_p`: it has target, interval, ecn, ce_threshold; \
             `max_p` is of `red` and `choke`: leave it out here",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { target = \"5 ms\" }",
        "link[0].discipline.target: `kind` is missing: `target` is of `codel`, `fq_codel`, `mac80211`, `pie` and `dualpi2`",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { Kind = \"codel\" }",
        "link[0].discipline.Kind: unknown key `Kind`; did you mean `kind`?",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"drop_tail\", target = \"5 ms\" }",
        "link[0].discipline.target: `drop_tail` has no parameter `target`: it has none; `target` is of `codel`, \
             `fq_codel`, `mac80211`, `pie` and `dualpi2`: leave it out here",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"red\", min_treshold = 5 }",
        "did you mean `min_threshold`?",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"red\", min_threshold = 15, max_threshold = 5 }",
        "link[0].discipline.min_threshold: min_threshold, 15, is above max_threshold, 5",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"red\", max_p = 1.5 }",
        "link[0].discipline.max_p: 1.5 is out of range: a number above 0 and at most 1 is needed",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"codel\", target = 5 }",
        "link[0].discipline.target: `5` is a bare number where a time is needed",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"red\", gentle = \"often\" }",
        "link[0].discipline.gentle: unknown parameter `often`",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"red\", direction = \"forwards\" }",
        "link[0].discipline.direction: unknown direction `forwards`; did you mean `forward`?",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = [\"red\"] }",
        "link[0].discipline.kind: it is a list, and a number, a text, true or false is needed",
    ),
    ("\"10 ms\"", "\"10 ms\"\ndiscipline = \"red\"", "link[0].discipline: it is the text `red`, and a table"),
    (
        "\"802.11b\"",
        "\"802.11b\"\nap_discipline = { kind = \"red\", direction = \"forward\" }",
        "wlan[0].ap_discipline.direction: it belongs to links alone",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\nap_discipline = { kind = \"cake\", bandwidth = \"2 Mb/s\" }",
        "wlan[0].ap_discipline.bandwidth: a shaper belongs to links alone",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"cake\", bandwidth = 2 }",
        "link[0].discipline.bandwidth: `2` is a bare number where a rate is needed",
    ),
    (
        "\"10 ms\"",
        "\"10 ms\"\ndiscipline = { kind = \"fq_codel\", bandwidth = \"2 Mb/s\" }",
        "link[0].discipline.bandwidth: `fq_codel` has no parameter `bandwidth`",
    ),
    // Policers.
    (
        "\"802.11b\"",
        "\"802.11b\"\npolicer = { rate = \"2.3 Mb/s\", burst = \"1499 B\" }",
        "home.toml:33:32: wlan[0].policer.burst: a burst of 1499 B is smaller than a packet of 1500 B of the flow `flow0`: \
             none of these packets would ever pass",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\npolicer = { rate = \"2.3 Mb/s\", burst = \"1.5 kbit\" }",
        "wlan[0].policer.burst: `1.5 kbit`: whole bytes are needed, and these are 187.5",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\npolicer = { rate = \"2.3 Mb/s\" }",
        "wlan[0].policer: a policer with a rate needs `burst`",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\npolicer = { rate = \"11.1 Mb/s\", burst = \"300 kB\" }",
        "wlan[0].policer.rate: 11.1 Mb/s is above the highest data rate of the stations, 11 Mb/s: it would never drop a packet",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\npolicer = { rate = \"2.3 Mb\", burst = \"300 kB\" }",
        "wlan[0].policer.rate: unknown unit `Mb`; did you mean `MB`?",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\npolicer = { rate = \"2 Mb/s\", bursts = \"300 kB\" }",
        "wlan[0].policer.bursts: unknown key `bursts`; did you mean `burst`?",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\nwindow_control = { buffer = 0 }",
        "wlan[0].window_control.buffer: 0 is out of range: a whole number of packets at least 1 and at most 4294967295 is needed",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\nwindow_control = { flow_timeout = \"0 s\" }",
        "wlan[0].window_control.flow_timeout: 0 ns is out of range: a time above 0 is needed",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\nap_queue = \"64 kB\"\nwindow_control = {}",
        "wlan[0].window_control: the access point's queue is in bytes: window control needs its own `buffer`, in packets",
    ),
    (
        "[[node]]\nname = \"island\"",
        "[[node]]\nname = \"island\"\nwindow_control = { enabled = true }",
        "node[1].window_control: unknown key `window_control`",
    ),
    // Frame loss.
    (
        "\"802.11b\"",
        "\"802.11b\"\nloss = { model = \"bernoulli\", probability = 0.1, position = \"above_mac\" }",
        "wlan[0].loss.position: unknown position `above_mac`; did you mean `above-mac`?",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\nloss = { model = \"bernoulli\", probability = 0.1, position = \"above-mac\", frames = \"all\" }",
        "wlan[0].loss.frames: `all` needs `position = \"mac\"`",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\nloss = { model = \"bernoulli\", probability = 0.1, direction = \"from\" }",
        "wlan[0].loss.direction: unknown direction `from`; known: both, to",
    ),
    (
        "\"802.11b\"",
        "\"802.11b\"\nloss = { model = \"gilbert-elliott\", good = 0, bad = 1, mean_good = \"1 ns\", mean_bad = \"1 ns\" }",
        "wlan[0].loss.mean_good: every 2 ns in a run of 11 s is too often: 10000000 times are allowed",
    ),
];
