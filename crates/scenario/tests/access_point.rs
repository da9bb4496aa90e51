//! How access points and links treat packets: disciplines, policers, losses, from the file to the resolved scenario.

use airfair_core::schema::Value;
use airfair_core::{LossModel, LossProbability, LossUnit, Rate, Span};
use airfair_queue::{PolicerConfig, QueueLimit, WindowControlConfig};
use airfair_scenario::resolved::{Flow, Transport, Wlan};
use airfair_scenario::{Loaded, Override, json_schema, parse};
use airfair_tcp::Settings;
use airfair_wifi::phy::edca::{AccessCategory, EdcaParameters};
use airfair_wifi::{FrameLoss, FrameLossDirection, FrameLossPosition, LossyFrames};

/// Returns a file with these lines in its only WLAN and its only link, an upload and a download.
fn file(wlan: &str, link: &str, rest: &str) -> String {
    format!(
        "[parameters.policy]\ndefault = \"none\"\n\
         choices = [\"none\", \"rate_limiter\", \"lossless\", \"red\", \"codel\"]\n\
         [parameters.queue]\ndefault = \"drop_tail\"\nchoices = \"queue\"\n\
         [parameters.minimum]\nunit = \"number\"\noptional = true\n\
         [parameters.bucket]\nunit = \"byte\"\ndefault = \"2.4 Mbit\"\n\
         [run]\nduration = \"10 s\"\n[[node]]\nname = \"server\"\n\
         [[link]]\nfrom = \"server\"\nto = \"ap\"\nrate = \"100 Mb/s\"\ndelay = \"1 ms\"\n{link}\n\
         [[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"802.11b\"\n{wlan}\n\
         [[wlan.station]]\nname = \"sta{{i}}\"\ncount = 2\n\
         [[flow]]\nname = \"up\"\nfrom = \"sta0\"\nto = \"server\"\n\
         [[flow]]\nname = \"down\"\nfrom = \"server\"\nto = \"sta1\"\n{rest}"
    )
}

fn loaded(text: &str, set: &[(&str, &str)]) -> Loaded {
    let set: Vec<_> = set
        .iter()
        .map(|(name, value)| Override { name: (*name).to_owned(), value: (*value).to_owned() })
        .collect();
    parse(text, "ap.toml", &set).unwrap_or_else(|error| panic!("{error}"))
}

fn wlan(lines: &str, set: &[(&str, &str)]) -> Wlan {
    loaded(&file(lines, "", ""), set).scenario.wlans.remove(0)
}

#[test]
fn a_queue_that_nobody_names_has_room_for_the_aggregates_of_edca() {
    for (phy, frames) in [("802.11b", 50), ("802.11g", 50), ("802.11n", 1000), ("802.11ax", 1000)] {
        let text = file("", "", "").replace("802.11b", phy);
        let wlan = loaded(&text, &[]).scenario.wlans.remove(0);
        assert!(wlan.bss.stations.iter().all(|it| it.queue.limit == QueueLimit::Packets(frames)), "{phy}");
    }
}

#[test]
fn an_access_point_may_have_another_queue_than_its_stations() {
    let plain = wlan("queue = 20", &[]);
    let queues = |wlan: &Wlan| {
        let stations = wlan.bss.stations.iter();
        stations.map(|it| (it.queue.limit, it.queue.discipline.name(), it.queue.rate)).collect::<Vec<_>>()
    };
    let rate = Rate::new(11_000_000).unwrap();
    assert_eq!(queues(&plain), [(QueueLimit::Packets(20), "drop_tail", rate); 3]);
    let own = wlan(
        "queue = 20\nap_queue = \"64 kB\"\nap_data_rate = \"2 Mb/s\"\nap_discipline = { kind = \"codel\" }",
        &[],
    );
    assert_eq!(
        queues(&own)[..2],
        [
            (QueueLimit::Bytes(64_000), "codel", Rate::new(2_000_000).unwrap()),
            (QueueLimit::Packets(20), "drop_tail", rate)
        ]
    );
}

/// A file in which a parameter chooses the discipline sets a key that only some disciplines have, and leaves it unset for
/// the others.
#[test]
fn a_discipline_may_be_a_parameter_and_unset_keys_are_left_out() {
    let lines = "[wlan.ap_discipline]\nkind = \"queue\"\nmin_threshold = \"minimum\"\n\
                 target = \"10 ms if queue == 'codel' else none\"\n";
    let of = |set: &[(&str, &str)]| wlan(lines, set).bss.stations[0].queue.discipline.clone();
    assert_eq!(of(&[]).name(), "drop_tail");
    let red = of(&[("queue", "red")]);
    assert_eq!((red.name(), red.value("min_threshold")), ("red", Some(Value::Automatic)));
    let red = of(&[("queue", "red"), ("minimum", "7")]);
    assert_eq!(red.value("min_threshold"), Some(Value::Number(7.0)));
    assert_eq!(of(&[("queue", "codel")]).value("target"), Some(Value::Time(Span::from_millis(10))));
    let set = [
        Override { name: "queue".into(), value: "codel".into() },
        Override { name: "minimum".into(), value: "7".into() },
    ];
    let message = parse(&file(lines, "", ""), "ap.toml", &set).unwrap_err().to_string();
    assert!(message.contains("wlan[0].ap_discipline.min_threshold: `codel` has no parameter"), "{message}");
}

#[test]
fn a_links_discipline_has_a_direction_and_drop_tail_is_none() {
    let of = |lines: &str| {
        let link = loaded(&file("", lines, ""), &[]).scenario.links.remove(0);
        [link.forward, link.backward].map(|way| way.discipline.map(|it| it.name()))
    };
    assert_eq!(of(""), [None; 2]);
    assert_eq!(of("discipline = { kind = \"drop_tail\" }"), [None; 2]);
    assert_eq!(of("discipline = { kind = \"red\" }"), [Some("red"); 2]);
    assert_eq!(
        of("discipline = { kind = \"airtime_drr\", direction = \"forward\" }"),
        [Some("airtime_drr"), None]
    );
    assert_eq!(of("discipline = { kind = \"red\", direction = \"backward\" }"), [None, Some("red")]);
}

#[test]
fn a_policer_without_a_rate_is_none() {
    let lines =
        "[wlan.policer]\nrate = \"2.3 Mb/s if policy == 'rate_limiter' else none\"\nburst = \"bucket\"\n";
    assert_eq!(wlan(lines, &[]).policer, None);
    let of = |bucket| wlan(lines, &[("policy", "rate_limiter"), ("bucket", bucket)]).policer;
    let rate = Rate::new(2_300_000).unwrap();
    assert_eq!(of("2.4 Mbit"), Some(PolicerConfig { rate, burst_bytes: 300_000 }));
    assert_eq!(of("300 kB"), of("2.4 Mbit"));
    // A burst as large as the longest packet and a rate as high as the stations' are allowed.
    let edge = wlan("policer = { rate = \"11 Mb/s\", burst = \"1500 B\" }", &[]).policer.unwrap();
    assert_eq!(edge.burst_bytes, 1500);
}

/// Only a download's acknowledgements pass the policer.
#[test]
fn a_bucket_need_hold_only_packets_from_the_air_to_the_wire() {
    let text = file("policer = { rate = \"1 Mb/s\", burst = \"40 B\" }", "", "");
    let download = text.replace("from = \"sta0\"\nto = \"server\"", "from = \"server\"\nto = \"sta0\"");
    assert_ne!(download, text);
    assert_eq!(loaded(&download, &[]).scenario.wlans[0].policer.unwrap().burst_bytes, 40);
    let between = text.replace("from = \"sta0\"\nto = \"server\"", "from = \"sta0\"\nto = \"sta1\"");
    assert!(parse(&between, "ap.toml", &[]).is_ok(), "it goes back into the air");
    let message = parse(&download.replace("40 B", "39 B"), "ap.toml", &[]).unwrap_err().to_string();
    assert!(message.contains("smaller than a packet of 40 B of the flow `up`"), "{message}");
}

#[test]
fn window_control_shares_the_access_points_queue() {
    let lines = "ap_queue = 80\n[wlan.window_control]\nenabled = \"policy == 'lossless'\"\n";
    assert_eq!(wlan(lines, &[]).window_control, None);
    let own = WindowControlConfig { buffer_packets: 80, flow_timeout: Span::from_secs(1) };
    assert_eq!(wlan(lines, &[("policy", "lossless")]).window_control, Some(own));
    let set = wlan("window_control = { buffer = 30, flow_timeout = \"5 s\" }", &[]).window_control;
    assert_eq!(set, Some(WindowControlConfig { buffer_packets: 30, flow_timeout: Span::from_secs(5) }));
}

const TENTH: FrameLoss = FrameLoss::of(LossModel::bernoulli(0.1));

#[test]
fn loss_says_which_frames_and_where() {
    let of = |table: &str| wlan(&format!("loss = {{ {table} }}"), &[]).bss.stations[1].loss;
    let tenth = "model = \"bernoulli\", probability = 0.1";
    assert_eq!(of(tenth), Some(TENTH));
    assert_eq!(
        of(&format!("{tenth}, position = \"above-mac\", direction = \"to\"")),
        Some(FrameLoss { position: FrameLossPosition::AboveMac, direction: FrameLossDirection::To, ..TENTH })
    );
    assert_eq!(
        of(&format!("{tenth}, frames = \"all\"")),
        Some(FrameLoss { frames: LossyFrames::All, ..TENTH })
    );
    let second = Span::from_secs(1);
    let probability =
        LossProbability::GilbertElliott { good: 0.0, bad: 0.1, mean_good: second, mean_bad: second };
    assert_eq!(
        of("model = \"gilbert-elliott\", bad = 0.1, mean_good = \"1 s\", mean_bad = \"1 s\", of = \"bit\""),
        Some(FrameLoss::of(LossModel { probability, of: LossUnit::Bit }))
    );
    // The model `none` ignores other keys, so that a parameter can switch losses off.
    assert_eq!(of("model = \"none\", probability = 0.1, frames = \"all\""), None);
}

/// Every frame is between the access point and a station, so the loss of a WLAN is that of its stations and hits a frame once.
#[test]
fn the_loss_of_a_wlan_hits_each_frame_once() {
    let losses = |lines: &str| -> Vec<Option<FrameLoss>> {
        wlan(lines, &[]).bss.stations.iter().map(|station| station.loss).collect()
    };
    let lines = "loss = { model = \"bernoulli\", probability = 0.1 }";
    assert_eq!(losses(lines), [None, Some(TENTH), Some(TENTH)]);
    // A station's own loss replaces the WLAN's.
    let own = format!(
        "{lines}\n[[wlan.station]]\nname = \"own\"\nloss = {{ model = \"bernoulli\", probability = 0.3 }}\n\
         [[wlan.station]]\nname = \"clean\"\nloss = {{ model = \"none\" }}"
    );
    let own_loss = FrameLoss::of(LossModel::bernoulli(0.3));
    assert_eq!(losses(&own), [None, Some(own_loss), None, Some(TENTH), Some(TENTH)]);
}

#[test]
fn former_words_mean_the_same() {
    let key = |lines: &str| loaded(&file(lines, "", ""), &[]).key(1, 1);
    for (former, now) in [
        (
            "frame_errors = { model = \"constant\", probability = 0.1 }",
            "loss = { model = \"bernoulli\", probability = 0.1 }",
        ),
        (
            "limiter = { rate = \"1 Mb/s\", bucket = \"2 kB\" }",
            "policer = { rate = \"1 Mb/s\", burst = \"2 kB\" }",
        ),
        (
            "policer = { rate = \"1 Mb/s\", bucket = \"2 kB\" }",
            "policer = { rate = \"1 Mb/s\", burst = \"2 kB\" }",
        ),
    ] {
        assert_eq!(key(former), key(now), "{former}");
    }
}

/// The access point sends to each station at that station's rate, unless the station or the WLAN says otherwise.
#[test]
fn the_access_point_has_a_rate_for_each_station() {
    let rates = |lines: &str| -> Vec<[u64; 2]> {
        let stations = wlan(lines, &[]).bss.stations;
        let mbps = |rate: Rate| rate.bits_per_second() / 1_000_000;
        stations.iter().map(|station| [mbps(station.data_rate), mbps(station.ap_data_rate)]).collect()
    };
    let slow = "[[wlan.station]]\nname = \"slow\"\ndata_rate = \"1 Mb/s\"\n";
    assert_eq!(rates(slow), [[11, 11], [1, 1], [11, 11], [11, 11]]);
    let all = format!("ap_data_rate = \"2 Mb/s\"\n{slow}");
    assert_eq!(rates(&all), [[2, 2], [1, 2], [11, 2], [11, 2]]);
    assert_eq!(rates(&format!("{all}ap_data_rate = \"11 Mb/s\"")), [[2, 2], [1, 11], [11, 2], [11, 2]]);
}

/// IEEE 802.11-2012, 8.2.3: an MSDU has at most 2304 bytes, of which LLC and SNAP headers take 8.
#[test]
fn packets_that_no_frame_holds_are_refused_or_warned_of() {
    let bytes = |bytes: u32| format!("udp = {{ rate = \"1 Mb/s\", datagram_bytes = \"{bytes} B\" }}\n");
    for phy in ["802.11", "802.11b", "802.11b-short", "802.11a", "802.11g"] {
        let text = |length| file("", "", &bytes(length)).replace("\"802.11b\"", &format!("\"{phy}\""));
        assert_eq!(loaded(&text(2296 - 28), &[]).warnings, [""; 0]);
        let error = parse(&text(2297 - 28), "ap.toml", &[]).unwrap_err().to_string();
        let wanted = format!(
            "flow[1]: packets of 2297 B of the flow `down` are too long for the WLAN `w`: a frame of `{phy}` carries at most \
             2296 B, since an MSDU, 8 B of LLC and SNAP headers included, has at most 2304 B (IEEE 802.11-2012, 8.2.3)"
        );
        assert!(error.contains(&wanted), "{error}");
    }
    let ns2 = |length| {
        let text = file("data_rate = \"11 Mb/s\"", "", &bytes(length)).replace("\"802.11b\"", "\"ns2\"");
        loaded(&text, &[]).warnings
    };
    assert_eq!(ns2(2304 - 28), [""; 0]);
    let warned = "station `ap`: it sends packets of 2305 B in one frame each, as ns-2 does: no frame of IEEE 802.11 carries more";
    assert!(matches!(&ns2(2305 - 28)[..], [only] if only.starts_with(warned)));
    // The station sends an upload's long segments, and a download's ACKs with its own overhead.
    let long = "[tcp]\nsegment_bytes = \"2257 B\"\n";
    let error = parse(&file("", "", long), "ap.toml", &[]).unwrap_err().to_string();
    assert!(error.contains("flow[0]: packets of 2297 B of the flow `up`"), "{error}");
    let error =
        parse(&file("station_overhead = \"2257 B\"", "", ""), "ap.toml", &[]).unwrap_err().to_string();
    assert!(error.contains("of the flow `up` are too long"), "{error}");
}

/// Returns a setting of the upload's TCP and of the download's.
fn of_each<T>(rest: &str, setting: impl Fn(&Settings) -> T) -> Vec<T> {
    let transport = |flow: &Flow| match &flow.transport {
        Transport::Tcp { settings, .. } => setting(settings),
        other => panic!("{other:?}"),
    };
    loaded(&file("", "", rest), &[]).scenario.flows.iter().map(transport).collect()
}

/// Linux coalesces the packets of an aggregate; a wire delivers one packet after the other.
#[test]
fn packets_of_one_instant_are_joined_where_they_come_over_the_air() {
    let gro = |tcp: &str| of_each(&format!("[tcp]\n{tcp}\n"), |settings| settings.gro);
    assert_eq!(gro("profile = \"rfc\""), [false; 2]);
    assert_eq!(gro("profile = \"linux\""), [false, true]);
    assert_eq!(gro("profile = \"linux\"\ngro = false"), [false; 2]);
    assert_eq!(gro("gro = true"), [false, true]);
    assert_eq!(gro("gro = true\ngro_wait = \"50 us\""), [true; 2]);
}

#[test]
fn ecn_is_off_unless_it_is_asked_for() {
    let ecn = |rest: &str| of_each(rest, |settings| settings.ecn);
    assert_eq!(ecn(""), [false; 2]);
    assert_eq!(ecn("tcp = { ecn = true }\n"), [false, true]);
    assert_eq!(ecn("[tcp]\necn = true\n"), [true; 2]);
}

/// The key of a result changes with everything that an access point or a link may do to packets, and with nothing else.
#[test]
fn every_setting_is_in_the_key() {
    let key = |wlan: &str, link: &str, rest: &str| loaded(&file(wlan, link, rest), &[]).key(1, 1);
    let plain = key("", "", "");
    for same in [
        key("ap_discipline = { kind = \"drop_tail\" }", "", ""),
        key("", "discipline = { kind = \"drop_tail\" }", ""),
        key("policer = { burst = \"1 B\" }", "", ""),
        key("window_control = { enabled = false, buffer = 3 }", "", ""),
        key("loss = { model = \"none\", position = \"above-mac\" }", "", ""),
        key("", "", "[tcp]\necn = false\n"),
    ] {
        assert_eq!(same, plain);
    }
    let loss = "loss = { model = \"bernoulli\", probability = 0.1";
    let bursts = "loss = { model = \"gilbert-elliott\", bad = 0.1, mean_good = \"1 s\", mean_bad = \"1 s\", of = \"packet\" }";
    let mut keys = vec![
        plain,
        key("queue = \"50 kB\"", "", ""),
        key("ap_data_rate = \"5.5 Mb/s\"", "", ""),
        key("ap_data_rate = \"1 Mb/s\"", "", ""),
        key("ap_queue = \"50 kB\"", "", ""),
        key("ap_discipline = { kind = \"red\" }", "", ""),
        key("ap_discipline = { kind = \"red\", max_p = 0.2 }", "", ""),
        key("ap_discipline = { kind = \"codel\" }", "", ""),
        key("", "discipline = { kind = \"red\" }", ""),
        key("", "discipline = { kind = \"red\", direction = \"forward\" }", ""),
        key("", "discipline = { kind = \"red\", direction = \"backward\" }", ""),
        key("policer = { rate = \"1 Mb/s\", burst = \"2 kB\" }", "", ""),
        key("policer = { rate = \"2 Mb/s\", burst = \"2 kB\" }", "", ""),
        key("policer = { rate = \"1 Mb/s\", burst = \"3 kB\" }", "", ""),
        key("window_control = {}", "", ""),
        key("window_control = { buffer = 30 }", "", ""),
        key("window_control = { flow_timeout = \"2 s\" }", "", ""),
        key(&format!("{loss} }}"), "", ""),
        key(&format!("{loss}, position = \"above-mac\" }}"), "", ""),
        key(&format!("{loss}, frames = \"all\" }}"), "", ""),
        key(&format!("{loss}, direction = \"to\" }}"), "", ""),
        key(bursts, "", ""),
        key(&bursts.replace("packet", "bit"), "", ""),
        key("", "", "[tcp]\necn = true\n"),
    ];
    let all = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), all);
}

#[test]
fn hopeless_settings_are_warned_of() {
    let ups = "[[flow]]\nname = \"more{i}\"\nfrom = \"sta0\"\nto = \"server\"\ncount = 2\n";
    for (wlan, link, rest, wanted) in [
        ("ap_queue = \"1500 B\"", "", "", ""),
        (
            "ap_queue = \"1499 B\"",
            "",
            "",
            "station `ap`: its queue of 1499 B has no room for a packet of 1500 B: none of these gets through",
        ),
        // An upload's station sends segments; a download's station sends only acknowledgements.
        ("queue = \"1499 B\"\nap_queue = 50", "", "", "station `sta0`: its queue of 1499 B has no room"),
        ("ap_queue = 10\nap_discipline = { kind = \"red\", min_threshold = 8.9 }", "", "", ""),
        (
            "ap_queue = 10\nap_discipline = { kind = \"red\", min_threshold = 9 }",
            "",
            "",
            "station `ap`: its `red` drops early above an average of 9 packets, and no more than 9 can wait: it is drop-tail",
        ),
        ("", "discipline = { kind = \"cake\", bandwidth = \"1 Mb/s\" }", "", ""),
        (
            "",
            "discipline = { kind = \"cake\", bandwidth = \"100 Mb/s\" }",
            "",
            "link `server-ap` and 1 more: its shaper has no effect: `bandwidth` is 100 Mb/s, and the line's rate 100 Mb/s",
        ),
        (
            "",
            "discipline = { kind = \"cake\", bandwidth = \"1 kb/s\" }",
            "",
            "link `server-ap` and 1 more: it takes 12 s to send a packet of 1500 B, and the run ends at",
        ),
        (
            "",
            "queue = \"50 kB\"\ndiscipline = { kind = \"choke\", min_threshold = 60, mean_packet = \"1000 B\" }",
            "",
            "link `server-ap` and 1 more: its `choke` drops early above an average of 60 packets, and no more than 49 can wait: it is drop-tail",
        ),
        // At 100 Mb/s the automatic minimum is half of the packets in 5 ms, which are 125 packets of 500 bytes.
        ("", "queue = 64\ndiscipline = { kind = \"red\" }", "", ""),
        (
            "",
            "queue = 63\ndiscipline = { kind = \"red\" }",
            "",
            "link `server-ap` and 1 more: its `red` drops early above an average of 62.5 packets, and no more than 62 can wait",
        ),
        ("window_control = { buffer = 4 }", "", ups, ""),
        (
            "window_control = { buffer = 3 }",
            "",
            ups,
            "WLAN `w`: its window control divides 3 packets among 4 flows: each is granted a window of 0 while all of them are seen within `flow_timeout`",
        ),
    ] {
        let warnings = loaded(&file(wlan, link, rest), &[]).warnings;
        match wanted {
            "" => assert_eq!(warnings, [""; 0], "{wlan} {link}"),
            _ => assert!(warnings.len() == 1 && warnings[0].starts_with(wanted), "{wanted}: {warnings:?}"),
        }
    }
}

#[test]
fn a_run_of_months_is_warned_of() {
    let warnings = |duration: &str| {
        loaded(&file("", "", "").replace("duration = \"10 s\"", &format!("duration = \"{duration}\"")), &[])
            .warnings
    };
    assert_eq!(warnings("720 h"), [""; 0]);
    let wanted = "the run covers 36000000 s, or 417 days, of simulated time: it may take hours to compute";
    assert_eq!(warnings("10000 h"), [wanted]);
}

#[test]
fn the_schema_knows_every_discipline_and_parameter() {
    let schema: serde_json::Value = serde_json::from_str(&json_schema()).unwrap();
    let table = &schema["$defs"]["Discipline"]["properties"];
    for discipline in airfair_queue::discipline::DISCIPLINES {
        assert!(
            table["kind"]["description"].as_str().unwrap().contains(discipline.name),
            "{}",
            discipline.name
        );
        for parameter in discipline.parameters {
            let help = table[parameter.name]["description"].as_str().unwrap_or_default();
            assert!(help.contains(&format!("`{}`: {}", discipline.name, parameter.help)), "{help}");
        }
    }
}

/// Returns a network with EDCA with the lines `wlan`, and a flow with the lines `flow`.
fn with_edca(wlan: &str, flow: &str) -> String {
    let text = file(wlan, "", "").replace("phy = \"802.11b\"", "phy = \"802.11ax\"");
    format!("{text}\n[[flow]]\nname = \"other\"\nfrom = \"sta1\"\nto = \"server\"\n{flow}")
}

#[test]
fn access_parameters_are_set_by_category_for_the_network_a_station_or_the_access_point() {
    let tables = "aifsn = 5\n[wlan.edca]\nvo = { aifsn = 9, cw_min = 15 }\n[wlan.ap_edca]\nvi = { txop = \"1 ms\" }\n\
                  [[wlan.station]]\nname = \"own\"\nedca = { vo = { cw_min = 31 }, be = { aifsn = 6 } }";
    let wlan = loaded(&with_edca(tables, ""), &[]).scenario.wlans.remove(0);
    let edca = |station: usize| wlan.bss.stations[station].qos.as_ref().unwrap().edca;
    let (ap, own, other) = (edca(0), edca(1), edca(2));
    let shown =
        |set: [EdcaParameters; 4]| set.map(|one| (one.aifsn, one.cw_min, one.cw_max, one.txop.0 / 1000));
    // Background, best effort, video, voice. Best effort is the usual category.
    assert_eq!(shown(other), [(7, 15, 1023, 2528), (5, 15, 1023, 2528), (2, 7, 15, 4096), (9, 15, 15, 2080)]);
    assert_eq!(shown(own), [(7, 15, 1023, 2528), (6, 15, 1023, 2528), (2, 7, 15, 4096), (9, 31, 31, 2080)]);
    assert_eq!(shown(ap), [(7, 15, 1023, 2528), (5, 15, 63, 2528), (1, 7, 15, 1000), (1, 3, 7, 2080)]);
}

/// The driver empties the queue of a discipline at once unless it has a limit below the queue's.
#[test]
fn a_discipline_in_which_nothing_waits_is_warned_of() {
    let idle = "station `ap`: its `fq_codel` does nothing, as no frame waits there";
    let takes_all = "station `ap`: no frame waits in its `fq_codel`, which cannot hold a receiver's frames back as `aql` asks: the driver \
                     takes them all. `airtime_drr` and `mac80211` can";
    let station = "[[wlan.station]]\nname = \"own\"\ndiscipline = { kind = \"pie\" }\n[[flow]]\nfrom = \"own\"\nto = \"server\"\nname = \"o\"";
    let fair = "ap_discipline = { kind = \"fq_codel\" }\nap_queue = 100\n";
    let bytes = "ap_discipline = { kind = \"fq_codel\" }\nap_queue = \"100 kB\"\n";
    for (wlan, wanted) in [
        (fair.to_owned(), idle),
        (format!("{fair}driver_queue = 100"), idle),
        (format!("{fair}driver_queue = 99"), ""),
        (format!("{fair}driver_aggregates = 2"), ""),
        (format!("{fair}aql = \"12 ms\""), takes_all),
        ("aql = \"12 ms\"".to_owned(), "station `ap`: no frame waits in its `drop_tail`"),
        ("aql = \"12 ms\"\nap_discipline = { kind = \"mac80211\" }".to_owned(), ""),
        ("aql = \"12 ms\"\nap_discipline = { kind = \"airtime_drr\" }".to_owned(), ""),
        (
            format!("aql = \"12 ms\"\nap_discipline = {{ kind = \"mac80211\" }}\n{station}"),
            "station `own`: no frame waits in its `pie`",
        ),
        ("ap_discipline = { kind = \"mac80211\" }".to_owned(), "station `ap`: its `mac80211` does nothing"),
        (bytes.to_owned(), idle),
        (format!("{bytes}driver_queue = 99"), ""),
        ("ap_discipline = { kind = \"drop_tail\" }".to_owned(), ""),
        (String::new(), ""),
    ] {
        let warnings = loaded(&with_edca(&wlan, ""), &[]).warnings;
        match wanted {
            "" => assert_eq!(warnings, [""; 0], "{wlan}"),
            _ => assert!(warnings.len() == 1 && warnings[0].starts_with(wanted), "{wlan}: {warnings:?}"),
        }
    }
    assert_eq!(loaded(&file(fair, "", ""), &[]).warnings, [""; 0], "DCF has no driver");
}

#[test]
fn a_flow_names_its_access_category_or_a_code_point() {
    let category = |flow: &str| {
        let flows = loaded(&with_edca("", flow), &[]).scenario.flows;
        flows.into_iter().map(|flow| flow.access_category).collect::<Vec<_>>()
    };
    assert_eq!(category(""), [None, None, None]);
    assert_eq!(category("access_category = \"bk\""), [None, None, Some(AccessCategory::Background)]);
    assert_eq!(category("dscp = \"ef\""), [None, None, Some(AccessCategory::Voice)]);
    assert_eq!(category("dscp = \"cs0\""), [None, None, Some(AccessCategory::BestEffort)]);
    let refused = |text: &str| parse(text, "ap.toml", &[]).unwrap_err().to_string();
    for (dscp, wanted) in [
        ("46", "46 stands where a word is needed: `ef`"),
        ("'0'", "0 stands where a word is needed: `df`"),
        ("47", "`47` stands where"),
    ] {
        let message = refused(&with_edca("", &format!("dscp = {dscp}")));
        assert!(message.contains(wanted), "{message}");
    }
    let both = refused(&with_edca("", "access_category = \"vi\"\ndscp = \"ef\""));
    assert!(both.contains("follows from `dscp` or is set, not both"), "{both}");
    let low = refused(&with_edca("edca = { vi = { cw_min = 31, cw_max = 15 } }", ""));
    assert!(low.contains("below `cw_min`"), "{low}");
    let short = refused(&with_edca("eifs = \"33 us\"", ""));
    assert!(short.contains("it is below DIFS, which is 34 us here"), "{short}");
    let hasty = refused(&with_edca("ack_timeout = \"20 us\"", ""));
    assert!(hasty.contains("it is below SIFS and a slot, which are 25 us here"), "{hasty}");
    let waits =
        loaded(&with_edca("ack_timeout = \"80 us\"", ""), &[]).scenario.wlans[0].bss.phy.ack_retry.usual;
    assert_eq!(waits, Span::from_micros(80));
    let dcf = refused(&file("edca = { vi = { aifsn = 3 } }", "", ""));
    assert!(dcf.contains("it belongs to networks with EDCA"), "{dcf}");
    let idle = loaded(&file("", "", "dscp = \"ef\""), &[]).warnings;
    assert!(idle.iter().any(|text| text.contains("its access category changes nothing")), "{idle:?}");
}
