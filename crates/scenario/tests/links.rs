//! Wired links: queues, errors and outages, from the file to the resolved scenario.

use airfair_core::{LossModel, LossProbability, LossUnit, Rate, Span};
use airfair_net::{LinkConfig, LinkLoss, LossPosition, Outage, OutagePackets, QueueLimit, Repeat, TxRing};
use airfair_scenario::{Loaded, Override, parse};

/// Returns a file with one flow over one link from `a` to `b`, which has these lines.
fn file(link: &str) -> String {
    format!(
        "[parameters.queue]\ndefault = \"bdp\"\n\
         [parameters.model]\ndefault = \"none\"\nchoices = [\"none\", \"bernoulli\", \"gilbert-elliott\"]\n\
         [parameters.handoff]\ndefault = \"long\"\nchoices = [\"none\", \"long\"]\n\
         [run]\nwarmup = \"10 s\"\nduration = \"50 s\"\n\
         [[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
         [[link]]\nfrom = \"a\"\nto = \"b\"\n{link}\n\
         [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n\
         tcp = {{ segment_bytes = \"1000 B\", header_bytes = \"40 B\", ack_bytes = \"40 B\" }}\n"
    )
}

const WIRE: &str = "rate = \"10 Mb/s\"\ndelay = \"5 ms\"\n";

fn load(link: &str, overrides: &[(&str, &str)]) -> Result<Loaded, String> {
    let overrides: Vec<_> = overrides
        .iter()
        .map(|(name, value)| Override { name: (*name).to_owned(), value: (*value).to_owned() })
        .collect();
    parse(&file(link), "link.toml", &overrides).map_err(|error| error.to_string())
}

/// Returns both directions of a link with these lines.
fn ways(link: &str, overrides: &[(&str, &str)]) -> [LinkConfig; 2] {
    let loaded = load(&format!("{WIRE}{link}"), overrides).unwrap_or_else(|message| panic!("{message}"));
    let link = &loaded.scenario.links[0];
    [link.forward.clone(), link.backward.clone()]
}

fn queues(link: &str, overrides: &[(&str, &str)]) -> [QueueLimit; 2] {
    ways(link, overrides).map(|way| way.queue)
}

#[test]
fn a_queue_is_in_packets_bytes_or_time() {
    assert_eq!(queues("", &[]), [QueueLimit::Packets(1000); 2]);
    assert_eq!(queues("queue = 75", &[]), [QueueLimit::Packets(75); 2]);
    assert_eq!(queues("queue = \"64 kB\"", &[]), [QueueLimit::Bytes(64_000); 2]);
    assert_eq!(queues("queue = \"100 ms\"", &[]), [QueueLimit::Bytes(125_000); 2]);
    assert_eq!(queues("queue = \"100 ms\"\nqueue_packet = \"1000 B\"", &[]), [QueueLimit::Packets(125); 2]);
    let product = "queue = \"100 ms if queue == 'bdp' else queue\"\nqueue_packet = \"1000 B\"";
    assert_eq!(queues(product, &[]), [QueueLimit::Packets(125); 2]);
    assert_eq!(queues(product, &[("queue", "75")]), [QueueLimit::Packets(75); 2]);
    let one_way = "queue = 75\nqueue_packet = \"1000 B\"\nreverse = { queue = \"100 ms\" }";
    assert_eq!(queues(one_way, &[]), [QueueLimit::Packets(75), QueueLimit::Packets(125)]);
}

#[test]
fn a_bandwidth_delay_product_takes_each_directions_own_rate() {
    let slow = "queue = \"100 ms\"\nqueue_packet = \"1000 B\"\nreverse = { rate = \"1 Mb/s\" }";
    assert_eq!(queues(slow, &[]), [QueueLimit::Packets(125), QueueLimit::Packets(13)]);
    let shorter = "queue = 75\nreverse = { rate = \"1 Mb/s\", queue = \"10 ms\" }";
    assert_eq!(queues(shorter, &[]), [QueueLimit::Packets(75), QueueLimit::Bytes(1250)]);
}

#[test]
fn each_direction_may_have_a_discipline_of_its_own() {
    let kinds = |text: &str| ways(text, &[]).map(|way| way.discipline.map(|it| it.name()));
    let forward = "[link.discipline]\nkind = \"red\"\n";
    let reverse = |kind: &str| format!("reverse = {{ discipline = {{ kind = \"{kind}\" }} }}\n");
    assert_eq!(kinds(forward), [Some("red"); 2]);
    assert_eq!(kinds(&(reverse("pie") + forward)), [Some("red"), Some("pie")]);
    assert_eq!(kinds(&(reverse("drop_tail") + forward)), [Some("red"), None]);
    assert_eq!(kinds(&reverse("pie")), [None, Some("pie")]);
}

#[test]
fn a_ring_lies_below_the_queue_of_each_direction() {
    let rings = |text: &str| ways(text, &[]).map(|way| way.tx_ring);
    assert_eq!(rings(""), [None; 2]);
    assert_eq!(rings("tx_ring = \"bql\""), [Some(TxRing::Bql); 2]);
    let reverse = "tx_ring = \"1 ms\"\nreverse = { rate = \"1 Mb/s\" }";
    assert_eq!(rings(reverse), [1250, 125].map(|bytes| Some(TxRing::Bytes(bytes))));
    assert_eq!(rings("reverse = { tx_ring = 9 }"), [None, Some(TxRing::Packets(9))]);
    // Packets wait for room in the ring, so the queue needs a discipline.
    let kinds = ways("tx_ring = 9", &[]).map(|way| way.discipline.map(|it| it.name()));
    assert_eq!(kinds, [Some("drop_tail"); 2]);
}

#[test]
fn a_parameter_may_give_a_queue_in_any_way() {
    let link = "queue = \"'100 ms' if queue == 'bdp' else queue\"";
    for (value, wanted) in [
        ("bdp", QueueLimit::Bytes(125_000)),
        ("75", QueueLimit::Packets(75)),
        ("64 kB", QueueLimit::Bytes(64_000)),
        ("20 ms", QueueLimit::Bytes(25_000)),
    ] {
        assert_eq!(queues(link, &[("queue", value)]), [wanted; 2], "{value}");
    }
}

/// Returns the loss of the two directions of a link with this table.
fn losses(table: &str, overrides: &[(&str, &str)]) -> [Option<LinkLoss>; 2] {
    ways(&format!("[link.loss]\n{table}"), overrides).map(|way| way.loss.map(|loss| *loss))
}

#[test]
fn loss_comes_out_as_written() {
    let bernoulli = LinkLoss { model: LossModel::bernoulli(0.01), position: LossPosition::BeforeQueue };
    assert_eq!(losses("model = \"bernoulli\"\nprobability = \"1 %\"", &[]), [Some(bernoulli); 2]);
    let model = LossModel { of: LossUnit::Bit, ..LossModel::bernoulli(1e-6) };
    let per_bit = LinkLoss { model, position: LossPosition::AfterQueue };
    let table =
        "model = \"per-bit\"\nprobability = 0.000001\nposition = \"after-queue\"\ndirection = \"forward\"";
    assert_eq!(losses(table, &[]), [Some(per_bit), None]);
    let probability = LossProbability::GilbertElliott {
        good: 0.0,
        bad: 0.5,
        mean_good: Span::from_secs(1),
        mean_bad: Span::from_millis(100),
    };
    let bursts = |of| LinkLoss { model: LossModel { probability, of }, position: LossPosition::BeforeQueue };
    let table = "model = \"gilbert-elliott\"\nbad = 0.5\nmean_good = \"1 s\"\nmean_bad = \"0.1 s\"\n";
    assert_eq!(losses(table, &[]), [Some(bursts(LossUnit::Packet)); 2]);
    let of_bits = format!("{table}good = 0\nof = \"bit\"\ndirection = \"backward\"");
    assert_eq!(losses(&of_bits, &[]), [None, Some(bursts(LossUnit::Bit))]);
    assert_eq!(losses("model = \"none\"\nprobability = 0.1", &[]), [None; 2]);
}

/// Files with former keys remain valid, and messages name the key that is written.
#[test]
fn former_words_mean_the_same() {
    let key = |link: &str| load(&format!("{WIRE}{link}"), &[]).unwrap().key(1, 1);
    let states = "bad = 0.5, mean_good = \"1 s\", mean_bad = \"0.1 s\" }";
    let now = format!("loss = {{ model = \"gilbert-elliott\", {states}");
    for former in ["on-off", "two-state"] {
        assert_eq!(key(&format!("errors = {{ model = \"{former}\", {states}")), key(&now));
    }
    let now = "loss = { model = \"bernoulli\", probability = 0.1 }";
    assert_eq!(key("errors = { model = \"constant\", probability = 0.1 }"), key(now));
    let message = |link: &str| load(&format!("{WIRE}{link}"), &[]).unwrap_err();
    assert_eq!(
        message("errors = { model = \"bernoulli\", probability = 2 }"),
        "link.toml:21:33: link[0].errors.probability: `2`: a fraction is from 0 to 1 (0 % to 100 %)"
    );
    let both = message(&format!("{now}\n{}", now.replace("loss", "errors")));
    assert!(both.contains("`loss` is set twice, once by its former name"), "{both}");
}

#[test]
fn a_parameter_may_choose_the_model() {
    let table = "model = \"model\"\nprobability = \"0.1 if model == 'bernoulli' else none\"\n\
                 bad = \"0.5 if model == 'gilbert-elliott' else none\"\n\
                 mean_good = \"1 s if model == 'gilbert-elliott' else none\"\n\
                 mean_bad = \"1 s if model == 'gilbert-elliott' else none\"\n";
    let model = |name| losses(table, &[("model", name)])[0].map(|loss| loss.model.probability);
    assert_eq!(model("none"), None);
    assert_eq!(model("bernoulli"), Some(LossProbability::Constant(0.1)));
    assert!(matches!(model("gilbert-elliott"), Some(LossProbability::GilbertElliott { bad: 0.5, .. })));
}

/// Returns the outages of the two directions of a link with this table.
fn outages(table: &str, overrides: &[(&str, &str)]) -> [Option<Outage>; 2] {
    ways(&format!("[link.outage]\n{table}"), overrides).map(|way| way.outage.map(|outage| *outage))
}

#[test]
fn outages_come_out_as_written() {
    let once = Outage {
        start: Span::ZERO,
        spread: Span::ZERO,
        duration: Span::from_secs(1),
        repeat: Repeat::Once,
        packets: OutagePackets::Lost(LossPosition::BeforeQueue),
    };
    assert_eq!(outages("duration = \"1 s\"", &[]), [Some(once); 2]);
    let table = "duration = \"1 s\"\nstart = \"2 s\"\nspread = \"10 s\"\nrepeat = \"periodic\"\nperiod = \"10 s\"\n\
                 packets = \"lost\"\nposition = \"after-queue\"\ndirection = \"backward\"";
    let periodic = Outage {
        start: Span::from_secs(2),
        spread: Span::from_secs(10),
        repeat: Repeat::Periodic(Span::from_secs(10)),
        packets: OutagePackets::Lost(LossPosition::AfterQueue),
        ..once
    };
    assert_eq!(outages(table, &[]), [None, Some(periodic)]);
    let table = "duration = \"1 s\"\nrepeat = \"random\"\nperiod = \"10 s\"\npackets = \"held\"";
    let random = Outage { repeat: Repeat::Random(Span::from_secs(10)), packets: OutagePackets::Held, ..once };
    assert_eq!(outages(table, &[]), [Some(random); 2]);
}

#[test]
fn a_duration_of_none_is_no_outage() {
    let table = "duration = \"1 s if handoff == 'long' else none\"";
    assert!(outages(table, &[])[0].is_some());
    assert_eq!(outages(table, &[("handoff", "none")]), [None; 2]);
}

#[test]
fn messages_name_the_place_of_the_mistake() {
    for (link, wanted) in [
        ("queue = 0", "link[0].queue: a queue must hold at least 1 packet"),
        ("queue = \"0 ms\"", "link[0].queue: a queue must hold at least 1 packet"),
        (
            "queue = \"1 Mb/s\"",
            "link[0].queue: 1 Mb/s stands where a queue's length in packets (`75`), bytes",
        ),
        ("queue = \"queue\"", "link[0].queue: the word 'bdp' stands where"),
        ("queue = \"1 s\"\nqueue_packet = \"0 B\"", "link[0].queue_packet: 0 is out of range: 1 to"),
        (
            "queue = 75\nqueue_packet = \"1 kB\"",
            "link[0].queue_packet: it belongs to a `queue` that is a time: leave it out here",
        ),
        ("queue_packet = \"1 kB\"", "link[0].queue_packet: it belongs to a `queue` that is a time"),
        ("reverse = { queue = 0 }", "link[0].reverse.queue: a queue must hold"),
        (
            "loss = { model = \"bernouli\" }",
            "link[0].loss.model: unknown loss model `bernouli`; did you mean `bernoulli`?",
        ),
        (
            "loss = { model = \"bernoulli\" }",
            "link[0].loss: `bernoulli` and `per-bit` loss needs `probability`",
        ),
        (
            "loss = { model = \"bernoulli\", probability = 1.5 }",
            "link[0].loss.probability: `1.5`: a fraction is from 0 to 1",
        ),
        (
            "loss = { model = \"per-bit\", probability = -0.1 }",
            "link[0].loss.probability: `-0.1`: a fraction is from 0 to 1",
        ),
        (
            "loss = { model = \"bernoulli\", probability = 0, bad = 1 }",
            "link[0].loss.bad: it belongs to `gilbert-elliott` loss alone",
        ),
        (
            "loss = { model = \"gilbert-elliott\", probability = 0 }",
            "link[0].loss.probability: it belongs to `bernoulli` and `per-bit` loss alone",
        ),
        (
            "loss = { model = \"gilbert-elliott\", bad = 1, mean_good = \"1 s\" }",
            "link[0].loss: `gilbert-elliott` loss needs `mean_bad`",
        ),
        (
            "loss = { model = \"gilbert-elliott\", bad = 1, mean_good = \"1 s\", mean_bad = \"0 s\" }",
            "link[0].loss.mean_bad: 0 ns is out of range: a time above 0 is needed",
        ),
        (
            "loss = { model = \"gilbert-elliott\", bad = 1, mean_good = \"1 us\", mean_bad = \"1 us\" }",
            "link[0].loss.mean_good: every 2 us in a run of 60 s is too often: 10000000 times are allowed",
        ),
        (
            "loss = { model = \"bernoulli\", probability = 0, position = \"end\" }",
            "link[0].loss.position: unknown position `end`; ",
        ),
        (
            "loss = { model = \"bernoulli\", probability = 0, direction = \"back\" }",
            "link[0].loss.direction: unknown direction `back`; did you mean `backward`?",
        ),
        ("outage = { duration = \"0 s\" }", "link[0].outage.duration: it must be above zero"),
        ("outage = { duration = \"-1 s\" }", "link[0].outage.duration: `-1 s`: a time cannot be negative"),
        ("outage = { start = \"1 s\" }", "it needs `duration`, which has no default"),
        (
            "outage = { duration = \"1 s\", repeat = \"periodic\" }",
            "link[0].outage: a `periodic` or `random` outage needs `period`",
        ),
        (
            "outage = { duration = \"1 s\", period = \"2 s\" }",
            "link[0].outage.period: it belongs to `periodic` and `random` outages alone",
        ),
        (
            "outage = { duration = \"1 s\", repeat = \"random\", period = \"1 s\" }",
            "link[0].outage.period: it must be longer than `duration`, or the link is never up",
        ),
        (
            "outage = { duration = \"1 ns\", repeat = \"random\", period = \"2 ns\" }",
            "link[0].outage.period: every 2 ns in a run of 60 s is too often",
        ),
        (
            "outage = { duration = \"1 s\", packets = \"held\", position = \"after-queue\" }",
            "link[0].outage.position: it belongs to outages with `packets = \"lost\"` alone",
        ),
    ] {
        let message = load(&format!("{WIRE}{link}"), &[]).unwrap_err();
        assert!(message.contains(wanted), "{link}: {message}");
    }
}

/// Each case has lines of a link, and a part of the only warning; the part is empty if there must be no warning.
#[test]
fn hopeless_settings_are_warned_of() {
    for (link, wanted) in [
        ("", ""),
        ("queue = \"1040 B\"", ""),
        (
            "queue = \"1039 B\"",
            "link `a-b`: its queue of 1039 B has no room for a packet of 1040 B: none of these gets through",
        ),
        ("loss = { model = \"bernoulli\", probability = 0.99 }", ""),
        (
            "loss = { model = \"bernoulli\", probability = 1, direction = \"forward\" }",
            "link `a-b`: its probability of error, 1 of a packet, loses a packet of 1040 B with a probability of 1: practically none",
        ),
        // The loss probability is 1 - (1 - 1e-3)^8320 = 0.99976 for a segment, and 0.27 for an acknowledgement.
        (
            "loss = { model = \"per-bit\", probability = 0.001 }",
            "link `a-b`: its probability of error, 0.001 of a bit, loses a packet of 1040 B with a probability of 0.999757: practically none",
        ),
        ("loss = { model = \"gilbert-elliott\", bad = 1, mean_good = \"1 s\", mean_bad = \"100 s\" }", ""),
        (
            "loss = { model = \"gilbert-elliott\", bad = 1, mean_good = \"1 ms\", mean_bad = \"10 s\", direction = \"forward\" }",
            "0 in the good state and 1 in the bad one of a packet, loses a packet of 1040 B with a probability of 0.9999:",
        ),
        ("outage = { duration = \"60 s\" }", ""),
        (
            "outage = { duration = \"61 s\" }",
            "link `a-b` and 1 more: its outage of 61 s is not over when the run ends, at 60 s",
        ),
        (
            "outage = { duration = \"11 s\", start = \"50 s\", direction = \"backward\" }",
            "link `b-a`: its outage of 11 s is not over when the run ends, at 60 s",
        ),
        (
            "outage = { duration = \"11 s\", spread = \"50 s\" }",
            "its outage of 11 s may start too late to be over when the run ends, at 60 s",
        ),
        ("outage = { duration = \"1 s\", spread = \"60 s\", repeat = \"periodic\", period = \"10 s\" }", ""),
        (
            "outage = { duration = \"1 s\", start = \"60 s\" }",
            "its outage at 60 s has no effect: the run ends at 60 s",
        ),
        // A segment takes 832 us to transmit, and 5 ms more to arrive.
        (
            "outage = { duration = \"1 ms\", repeat = \"periodic\", period = \"1.832 ms\", packets = \"held\" }",
            "",
        ),
        (
            "outage = { duration = \"1 ms\", repeat = \"periodic\", period = \"1.831 ms\", packets = \"held\" }",
            "link `a-b`: between outages it is up for 831 us, and a packet of 1040 B needs 832 us: none of these gets through",
        ),
        (
            "outage = { duration = \"1 ms\", repeat = \"periodic\", period = \"6 ms\", position = \"after-queue\", direction = \"forward\" }",
            "needs 5.832 ms: none",
        ),
        ("outage = { duration = \"1 ms\", repeat = \"periodic\", period = \"1.001 ms\" }", ""),
    ] {
        let warnings = load(&format!("{WIRE}{link}"), &[]).unwrap().warnings;
        match wanted {
            "" => assert_eq!(warnings, [""; 0], "{link}"),
            _ => assert!(warnings.len() == 1 && warnings[0].contains(wanted), "{link}: {warnings:?}"),
        }
    }
}

/// The run lasts 60 s, and a segment has 1040 bytes.
#[test]
fn a_link_too_slow_for_the_run_is_told_of() {
    for (rate, delay, wanted) in [
        ("10 Mb/s", "6 s", None),
        (
            "10 Mb/s",
            "6001 ms",
            Some("link `a-b` and 1 more: its delay is 6.001 s, and the run ends at 60 s: hardly anything"),
        ),
        ("1400 b/s", "1 ms", None),
        (
            "1040 b/s",
            "1 ms",
            Some("link `a-b`: it takes 8 s to send a packet of 1040 B, and the run ends at 60 s"),
        ),
    ] {
        let warnings = load(&format!("rate = \"{rate}\"\ndelay = \"{delay}\""), &[]).unwrap().warnings;
        match wanted {
            None => assert_eq!(warnings, [""; 0], "{rate}, {delay}"),
            Some(wanted) => assert!(warnings.len() == 1 && warnings[0].starts_with(wanted), "{warnings:?}"),
        }
    }
}

/// The key of a result changes with everything that a link may do to packets.
#[test]
fn every_setting_is_in_the_key() {
    let mut keys: Vec<String> = [
        "",
        "queue = 75",
        "queue = \"64 kB\"",
        "tx_ring = 75",
        "tx_ring = \"64 kB\"",
        "tx_ring = \"bql\"",
        "loss = { model = \"bernoulli\", probability = 0.5 }",
        "loss = { model = \"bernoulli\", probability = 0.25 }",
        "loss = { model = \"per-bit\", probability = 0.5 }",
        "loss = { model = \"bernoulli\", probability = 0.5, position = \"after-queue\" }",
        "loss = { model = \"bernoulli\", probability = 0.5, direction = \"forward\" }",
        "loss = { model = \"gilbert-elliott\", bad = 0.5, mean_good = \"1 s\", mean_bad = \"1 s\" }",
        "loss = { model = \"gilbert-elliott\", bad = 0.5, mean_good = \"1 s\", mean_bad = \"1 s\", good = 0.1 }",
        "loss = { model = \"gilbert-elliott\", bad = 0.5, mean_good = \"2 s\", mean_bad = \"1 s\" }",
        "loss = { model = \"gilbert-elliott\", bad = 0.5, mean_good = \"1 s\", mean_bad = \"2 s\" }",
        "outage = { duration = \"1 s\" }",
        "outage = { duration = \"2 s\" }",
        "outage = { duration = \"1 s\", start = \"1 s\" }",
        "outage = { duration = \"1 s\", spread = \"1 s\" }",
        "outage = { duration = \"1 s\", packets = \"held\" }",
        "outage = { duration = \"1 s\", position = \"after-queue\" }",
        "outage = { duration = \"1 s\", repeat = \"periodic\", period = \"5 s\" }",
        "outage = { duration = \"1 s\", repeat = \"random\", period = \"5 s\" }",
        "outage = { duration = \"1 s\", repeat = \"random\", period = \"6 s\" }",
    ]
    .iter()
    .map(|link| load(&format!("{WIRE}{link}"), &[]).unwrap().key(1, 1))
    .collect();
    let all = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), all);
}

/// Links with the same warning share one message. Each has its own name, and therefore its own random draws.
#[test]
fn a_group_is_warned_of_once() {
    let text = "[run]\nduration = \"1 s\"\n[[node]]\nname = \"r\"\n[[node]]\nname = \"h{i}\"\ncount = 3\n\
                [[link]]\nfrom = \"r\"\nto = \"h{i}\"\ncount = 3\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n\
                loss = { model = \"bernoulli\", probability = 1 }\n\
                [[flow]]\nname = \"f{i}\"\nfrom = \"r\"\nto = \"h{i}\"\ncount = 3\n";
    let loaded = parse(text, "group.toml", &[]).unwrap();
    assert_eq!(loaded.scenario.links.len(), 3);
    assert_eq!(loaded.scenario.links[0].forward.rate, Rate::new(1_000_000).unwrap());
    let [segments, acks] = loaded.warnings.as_slice() else { panic!("{:?}", loaded.warnings) };
    assert!(segments.starts_with("link `r-h0` and 2 more: its probability of error"), "{segments}");
    assert!(acks.starts_with("link `h0-r` and 2 more: its probability of error"), "{acks}");
}

/// Returns the warnings of flows over one link, each of which has `settings` of its own.
fn warnings_of(run: &str, settings: &[String]) -> Vec<String> {
    let flows: String = (settings.iter().enumerate())
        .map(|(i, own)| format!("[[flow]]\nname = \"f{i}\"\nfrom = \"a\"\nto = \"b\"\n{own}\n"))
        .collect();
    let text = format!(
        "[run]\n{run}\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
         [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n{flows}"
    );
    parse(&text, "flows.toml", &[]).unwrap().warnings
}

/// There is one warning for all flows whose earliest start is not before the run's end.
#[test]
fn flows_that_start_after_the_run_are_warned_of() {
    let load = |starts: &[&str]| {
        let flows: Vec<String> =
            starts.iter().map(|start| format!("start = \"{start}\"\nspread = \"9 s\"")).collect();
        warnings_of("warmup = \"2 s\"\nduration = \"4 s\"", &flows)
    };
    assert_eq!(load(&["0 s", "5.999 s"]), [""; 0]);
    assert_eq!(
        load(&["5.999 s", "6 s"]),
        ["1 of 2 flows never sends: it starts at 6 s at the earliest, and the run ends at 6 s"]
    );
    assert_eq!(
        load(&["11 s", "0 s", "10 s"]),
        ["2 of 3 flows never send: they start at 10 s at the earliest, and the run ends at 6 s"]
    );
}

#[test]
fn video_calls_without_room_for_their_frames_are_warned_of() {
    let load = |settings: &[&str]| {
        let flows: Vec<String> =
            settings.iter().map(|settings| format!("traffic = \"video_call\"\n{settings}")).collect();
        warnings_of("duration = \"4 s\"", &flows)
    };
    let low = "bitrate = \"11799 b/s\"\nbitrate_min = \"1 kb/s\"\nframe_rate = 25";
    assert_eq!(load(&["", &low.replace("11799", "11800")]), [""; 0]);
    // A byte behind headers of 58 bytes, 25 times a second.
    let told = "flow `f1`: each of its frames has a packet, which takes 11.8 kb/s at least: more than its `bitrate`, 11.799 kb/s";
    assert_eq!(load(&["", low]), [told.to_owned()]);
    assert_eq!(load(&["", low, low]), [format!("{told} (and 1 more)")]);
}
