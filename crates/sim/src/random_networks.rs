//! Random networks, as scenario files.

use airfair_core::Stream;
use airfair_queue::discipline::DISCIPLINES;
use airfair_tcp::profile::NAMES;
use std::fmt::Write;

/// A random network and its flows. Rates and delays are odd numbers, so that few events coincide by chance.
pub fn random(number: u64) -> String {
    let dice = &mut Dice(Stream::new(number, "network"));
    let (hosts, wlans) = (2 + dice.below(3), dice.below(3));
    let mut edca_anywhere = false;
    let everywhere = dice.below(2) == 0;
    let old_anywhere = dice.below(3) == 0;
    // Nothing, an odd instant, or one at which flows may act.
    let warmup = [0, dice.below(2_000_000), 20_000 * dice.below(100)][dice.below(3) as usize];
    let mut text = format!("[run]\nwarmup = \"{warmup} us\"\nduration = \"3 s\"\n");
    let mut wired: Vec<String> = (0..hosts).map(|host| format!("h{host}")).collect();
    for host in &wired {
        let _ = writeln!(text, "[[node]]\nname = \"{host}\"");
    }
    let mut ends = Vec::new();
    // The stations and access points on the shared channel.
    let mut on_channel = Vec::new();
    for wlan in 0..wlans {
        let host_delay = dice.pick(&[0, 25_000, 137_731]);
        let phy = dice.pick(&[
            "802.11b",
            "802.11a",
            "ns2\"\ndata_rate = \"11 Mb/s",
            "802.11n",
            "802.11ax",
            "802.11be",
        ]);
        let rts = dice.pick(&["", "rts_threshold = \"0 B\"\n"]);
        let _ = writeln!(
            text,
            "[[wlan]]\nname = \"w{wlan}\"\nap = \"ap{wlan}\"\nphy = \"{}\"\nqueue = {}\nhost_delay = \"{host_delay} ns\"\n{rts}",
            phy,
            2 + dice.below(30),
        );
        let has_edca = ["802.11n", "802.11ax", "802.11be"].contains(&phy);
        // On one channel all slots are as long.
        let is_old = has_edca && old_anywhere;
        if is_old {
            text.push_str("band = \"2.4 GHz\"\n");
        }
        let stations = 1 + dice.below(3);
        let mut near: Vec<String> = (0..stations).map(|station| format!("s{wlan}-{station}")).collect();
        let mut has_snr = true;
        if has_edca {
            near.extend([format!("t{wlan}"), format!("ap{wlan}")]);
            if dice.below(3) > 0 {
                text.push_str("channel = \"one\"\n");
                on_channel.append(&mut near);
                near.clone_from(&on_channel);
            }
            if everywhere {
                places(&mut text, wlan, dice);
            } else {
                hears(&mut text, "ap_hears", &near, dice);
            }
            has_snr = edca(&mut text, everywhere, dice);
            edca_anywhere = true;
        }
        let has_weights = dice.below(3) == 0;
        air(&mut text, has_weights, dice);
        let _ = writeln!(text, "[[wlan.station]]\nname = \"s{wlan}-{{i}}\"\ncount = {stations}");
        if has_weights {
            let _ = writeln!(text, "airtime_weight = \"{} + 300 * i\"", 1 + dice.below(600));
        }
        if has_edca && everywhere {
            let _ = writeln!(text, "x = \"{} m + 15 m * i\"\ny = \"{wlan} m\"", dice.below(40));
        }
        if has_edca && !everywhere {
            hears(&mut text, "hears", &near, dice);
        }
        if !has_snr {
            snr_trace(&mut text, dice);
        }
        if has_edca {
            text.push_str(match is_old {
                true => "standard = \"802.11b\"\n",
                false => dice.pick(&["", "", "standard = \"802.11n\"\n", "standard = \"802.11a\"\n"]),
            });
            let _ = writeln!(text, "[[wlan.station]]\nname = \"t{wlan}\"");
            if everywhere {
                let _ = writeln!(text, "x = \"{} m\"", dice.below(40));
            } else {
                hears(&mut text, "hears", &near, dice);
            }
            ends.push(format!("t{wlan}"));
        }
        if dice.below(3) == 0 {
            let _ = writeln!(text, "[wlan.station.discipline]\n{}", discipline(dice));
        }
        ends.push(format!("s{wlan}-0"));
        wired.push(format!("ap{wlan}"));
    }
    for (index, node) in wired.iter().enumerate().skip(1) {
        let queue = dice.pick(&["3", "8", "50", "\"9 kB\"", "\"20 ms\"\nqueue_packet = \"1 kB\""]);
        let _ = writeln!(
            text,
            "[[link]]\nfrom = \"{node}\"\nto = \"{}\"\nrate = \"{} b/s\"\ndelay = \"{} ns\"\nqueue = {queue}\n\
             tx_ring = {}\nreverse = {{ rate = \"{} b/s\" }}",
            wired[dice.below(index as u64) as usize],
            dice.pick(&[1_000_003, 7_000_003, 90_000_049]) + 2 * dice.below(1000),
            dice.pick(&[0, 1, 100_003, 15_000_017]) + 2 * dice.below(1000),
            dice.pick(&["\"none\"", "\"none\"", "\"none\"", "\"bql\"", "3"]),
            dice.pick(&[1_000_033, 90_000_121]) + 2 * dice.below(1000),
        );
        impairments(&mut text, dice);
        if dice.below(3) == 0 {
            let direction = dice.pick(&DIRECTIONS);
            let lines = discipline_of_link(dice);
            let _ = writeln!(text, "[link.discipline]\n{lines}direction = \"{direction}\"");
        }
    }
    ends.extend(wired);
    for flow in 0..1 + dice.below(6) {
        flow_between(&mut text, &ends, flow, edca_anywhere, dice);
    }
    text
}

/// Like [`random`], but with few different rates, delays and starts, so that many events coincide.
pub fn with_ties(number: u64) -> String {
    const RATES: [u64; 3] = [80_000_000, 8_000_000, 1_000_000];
    const STEP: u64 = 50_000;
    // Strings are every other part.
    let text = random(number);
    let parts = text.split('"').map(|part| {
        let (value, unit) = part.split_once(' ').unwrap_or_default();
        match (value.parse::<u64>(), unit) {
            (Ok(nanos), "ns") => format!("{} ns", nanos / STEP * STEP),
            (Ok(rate), "b/s") => {
                format!("{} b/s", RATES.into_iter().find(|&round| round <= rate).unwrap_or(rate))
            }
            _ => part.to_owned(),
        }
    });
    parts.collect::<Vec<_>>().join("\"")
}

const DIRECTIONS: [&str; 3] = ["both", "forward", "backward"];

/// Values of parameters with which disciplines drop or mark packets even in a small network.
const ACTING: [(&str, &[&str]); 8] = [
    ("min_threshold", &["1"]),
    ("max_threshold", &["4", "6"]),
    ("max_p", &["0.1", "0.5"]),
    ("weight", &["0.1", "0.2"]),
    ("target", &["\"2 ms\"", "\"3 ms\""]),
    ("interval", &["\"20 ms\"", "\"30 ms\""]),
    ("ecn", &["true", "false"]),
    ("ingress", &["true", "false"]),
];

/// Returns the table of a random queue discipline.
fn discipline(dice: &mut Dice) -> String {
    let names: Vec<_> = DISCIPLINES.iter().map(|discipline| discipline.name).collect();
    discipline_of(&names, dice)
}

/// Like [`discipline`], but for a link: mostly with a shaper, if the discipline has one.
fn discipline_of_link(dice: &mut Dice) -> String {
    let discipline = dice.pick(DISCIPLINES);
    let mut text = discipline_of(&[discipline.name], dice);
    if let Some(shaper) = discipline.shaper
        && dice.below(4) > 0
    {
        let rate = dice.pick(&[500_003, 3_000_017]) + 2 * dice.below(1000);
        let _ = writeln!(text, "{} = \"{rate} b/s\"", shaper.name);
    }
    text
}

/// One of the queue disciplines of these names.
fn discipline_of(names: &[&str], dice: &mut Dice) -> String {
    let name = dice.pick(names);
    let discipline = DISCIPLINES.iter().find(|discipline| discipline.name == name).expect("it exists");
    let mut text = format!("kind = \"{name}\"\n");
    for (name, values) in ACTING {
        if discipline.parameters.iter().any(|parameter| parameter.name == name) {
            let _ = writeln!(text, "{name} = {}", dice.pick(values));
        }
    }
    text
}

/// Adds a middlebox at the access point, and random loss on the air, each to about every third network; with weights of airtime a
/// discipline that knows them.
fn air(text: &mut String, has_weights: bool, dice: &mut Dice) {
    if has_weights {
        let _ = writeln!(text, "[wlan.ap_discipline]\n{}", discipline_of(&["airtime_drr", "mac80211"], dice));
    } else if dice.below(3) == 0 {
        let _ = writeln!(text, "[wlan.ap_discipline]\n{}", discipline(dice));
    }
    if dice.below(3) == 0 {
        let (rate, bucket) = (50_003 + dice.below(900_000), 2000 + dice.below(30_000));
        let _ = writeln!(text, "[wlan.policer]\nrate = \"{rate} b/s\"\nburst = \"{bucket} B\"");
    }
    if dice.below(3) == 0 {
        let (buffer, timeout) = (1 + dice.below(40), 1_000_003 + dice.below(900_000_000));
        let _ = writeln!(text, "[wlan.window_control]\nbuffer = {buffer}\nflow_timeout = \"{timeout} ns\"");
    }
    if dice.below(3) == 0 {
        let _ = writeln!(
            text,
            "[wlan.loss]\nmodel = \"bernoulli\"\nprobability = \"{} %\"\n{}direction = \"{}\"",
            1 + dice.below(30),
            dice.pick(&["", "position = \"above-mac\"\n", "frames = \"all\"\n"]),
            dice.pick(&["both", "to"]),
        );
    }
}

/// Adds the place of the access point of a WLAN with EDCA, and how its stations hear.
fn places(text: &mut String, wlan: u64, dice: &mut Dice) {
    let _ = writeln!(
        text,
        "ap_x = \"{} m\"\nwall_spacing = \"5 m\"\nreception = \"{}\"\nenergy_detect = \"{} dBm\"\n{}",
        25 * wlan,
        dice.pick(&["alone", "threshold", "sinr"]),
        dice.pick(&[-62, -75]),
        dice.pick(&["", "obss_pd = \"-76 dBm\""]),
    );
}

/// Adds whom the stations declared last hear, to about every third group: each of these with an even chance.
fn hears(text: &mut String, key: &str, names: &[String], dice: &mut Dice) {
    if dice.below(3) == 0 {
        let heard: Vec<_> = names.iter().filter(|_| dice.below(2) == 0).collect();
        let _ = writeln!(text, "{key} = {heard:?}");
    }
}

/// Adds a signal-to-noise ratio over time of the stations declared last, to about every other group, and the control of their rate. Some points
/// are at instants at which flows may act.
fn snr_trace(text: &mut String, dice: &mut Dice) {
    if dice.below(2) == 0 {
        return;
    }
    let mut at = 0;
    text.push_str("snr_trace = \"");
    for point in 0..1 + dice.below(6) {
        let _ = write!(
            text,
            "{}{}.{:09}, {}",
            if point == 0 { "" } else { "; " },
            at / 1_000_000_000,
            at % 1_000_000_000,
            dice.below(40)
        );
        at += dice.pick(&[20_000_000, 137_000_003]) * (1 + dice.below(5));
    }
    let control = dice.pick(&["fixed", "ideal", "minstrel"]);
    let _ = writeln!(text, "\"\nrate_control = \"{control}\"");
}

/// Adds EDCA, aggregation and noise to the WLAN declared last. Stations that are `placed` have their noise from their places. Returns whether the
/// WLAN or the places say how strong its frames arrive.
fn edca(text: &mut String, placed: bool, dice: &mut Dice) -> bool {
    text.push_str(dice.pick(&["", "protection = \"cts-to-self\"\n", "protection = \"rts-cts\"\n"]));
    text.push_str(dice.pick(&[
        "",
        "",
        "beacon_interval = \"102.4 ms\"\n",
        "broadcast_interval = \"7 ms\"\nbroadcast_bytes = \"90 B\"\n",
        "broadcast_interval = \"3 ms\"\nbroadcast_rate = \"24 Mb/s\"\n",
    ]));
    let signal = dice.pick(if placed {
            &["", "rate_control = \"ideal\"\n", "", "rate_control = \"minstrel\"\n"]
        } else {
            &[
                "",
                "snr = \"15 dB\"\n",
                "distance = \"20 m\"\nwalls = 1\nrate_control = \"ideal\"\n",
                "snr = \"18 dB\"\nrate_control = \"minstrel\"\nsnr_variation = \"random-walk\"\nfade_interval = \"7 ms\"\n",
                "snr = \"14 dB\"\nsnr_variation = \"two-state\"\nfade_mean_good = \"30 ms\"\nfade_mean_bad = \"20 ms\"\n",
            ]
        });
    let _ = writeln!(
        text,
        "{signal}mcs = {}\nampdu = \"{} B\"\namsdu = \"{} B\"\nblock_ack_window = {}\ntxop = \"{} us\"\naccess_category = \"{}\"\n{}",
        dice.below(8),
        dice.pick(&[0, 3000, 65_535]),
        dice.pick(&[0, 0, 4000]),
        dice.pick(&[2, 64]),
        dice.pick(&[0, 0, 3000]),
        dice.pick(&["be", "bk", "vi", "vo"]),
        dice.pick(&[
            "",
            "driver_queue = 3",
            "driver_aggregates = 2",
            "aql = \"2 ms\"\naql_low = \"1 ms\"\naql_total = \"3 ms\""
        ]),
    );
    text.push_str(dice.pick(&[
        "",
        "[wlan.edca]\nvo = { aifsn = 4, cw_min = 15, cw_max = 31 }\nbe = { txop = \"2 ms\" }\n",
        "[wlan.ap_edca]\nvi = { aifsn = 7, cw_min = 1 }\nbk = { cw_max = 15 }\n",
    ]));
    placed || !signal.is_empty()
}

/// Adds loss and outages of every kind to about every other link.
fn impairments(text: &mut String, dice: &mut Dice) {
    const POSITIONS: [&str; 2] = ["before-queue", "after-queue"];
    if dice.below(3) == 0 {
        let model = dice.pick(&[
            "bernoulli\"\nprobability = \"3 %",
            "per-bit\"\nprobability = \"0.000003",
            "gilbert-elliott\"\nmean_good = \"300 ms\"\nmean_bad = \"70 ms\"\nbad = \"50 %",
            "gilbert-elliott\"\nmean_good = \"50 ms\"\nmean_bad = \"9 ms\"\nof = \"bit\"\ngood = \"0.000001\"\nbad = \"0.0001",
        ]);
        let (direction, position) = (dice.pick(&DIRECTIONS), dice.pick(&POSITIONS));
        let _ = writeln!(
            text,
            "[link.loss]\nmodel = \"{model}\"\nposition = \"{position}\"\ndirection = \"{direction}\""
        );
    }
    if dice.below(3) == 0 {
        let duration = 10_000_007 + dice.below(200_000_000);
        let repeat = dice.pick(&["once", "periodic", "random"]);
        let period = 2 * duration + dice.below(500_000_000);
        let period = if repeat == "once" { String::new() } else { format!("\nperiod = \"{period} ns\"") };
        let packets =
            dice.pick(&["held", "lost\"\nposition = \"before-queue", "lost\"\nposition = \"after-queue"]);
        let _ = writeln!(
            text,
            "[link.outage]\nduration = \"{duration} ns\"\nstart = \"{} ns\"\nspread = \"{} ns\"\n\
             repeat = \"{repeat}\"{period}\npackets = \"{packets}\"\ndirection = \"{}\"",
            dice.below(1_000_000_000),
            dice.below(2) * dice.below(1_000_000_000),
            dice.pick(&DIRECTIONS),
        );
    }
}

/// Kinds of traffic, each as often as it is to be drawn.
const TRAFFIC: [&str; 14] = [
    "persistent",
    "persistent",
    "persistent",
    "persistent",
    "intermittent",
    "intermittent",
    "web",
    "video",
    "video_call",
    "video_call",
    "voice",
    "request_response",
    "game",
    "trace",
];

fn flow_between(text: &mut String, ends: &[String], flow: u64, prioritised: bool, dice: &mut Dice) {
    let from = dice.below(ends.len() as u64) as usize;
    let to = (from + 1 + dice.below(ends.len() as u64 - 1) as usize) % ends.len();
    // Some flows start together, and at the instants at which runs like to pause.
    let start = if dice.below(3) == 0 { 20_000_000 * dice.below(20) } else { dice.below(400_000_000) };
    let _ = writeln!(
        text,
        "[[flow]]\nname = \"f{flow}\"\nfrom = \"{}\"\nto = \"{}\"\nstart = \"{start} ns\"",
        ends[from], ends[to],
    );
    if prioritised {
        text.push_str(dice.pick(&[
            "",
            "access_category = \"vo\"\n",
            "access_category = \"bk\"\n",
            "dscp = \"af41\"\n",
        ]));
    }
    let traffic = traffic(text, dice);
    // These kinds of traffic set the transport themselves.
    if ["voice", "video_call", "request_response", "game"].contains(&traffic) {
        return;
    }
    if dice.below(5) == 0 && !["web", "video"].contains(&traffic) {
        let _ = writeln!(
            text,
            "udp = {{ rate = \"{} b/s\", datagram_bytes = \"{} B\" }}",
            10_007 + dice.below(4_000_000),
            1 + dice.below(1472)
        );
    } else {
        let variant = dice.pick(NAMES);
        let control = if variant == "aimd" {
            let [alpha, beta] = [dice.below(3000) + 1, dice.below(999) + 1];
            format!(", control = {{ alpha = {alpha}e-3, beta = {beta}e-3 }}")
        } else {
            String::new()
        };
        let pacing = dice.pick(&["", ", pacing = \"linux\"", ", pacing = \"linux\", pacing_quantum = 3"]);
        let jitter = match dice.below(3) {
            0 => format!(", send_jitter = \"{} ns\"", 1 + dice.below(20_000_000)),
            _ => String::new(),
        };
        // A browser decides itself how its sessions share connections.
        let connection = match traffic {
            "web" => "",
            _ => dice.pick(&[
                ", connection = \"reuse\"",
                ", connection = \"fresh\"",
                ", connection = \"renewed\"",
            ]),
        };
        let _ = writeln!(
            text,
            "tcp = {{ profile = \"{}\", variant = \"{variant}\"{connection}, window = {}{}{}{}{control}{jitter}{pacing} }}",
            dice.pick(&["ns2", "rfc", "linux"]),
            dice.pick(&[1, 4, 40]),
            dice.pick(&["", ", ecn = true"]),
            dice.pick(&[
                "",
                ", rto_min = \"1 ms\", rto_initial = \"10 ms\"",
                ", delayed_ack = true",
                ", delayed_ack = false"
            ]),
            dice.pick(&["", "", ", gro = true", ", gro = true, gro_wait = \"137 us\""]),
        );
    }
}

/// Adds the keys of a random kind of traffic, and returns the kind.
fn traffic(text: &mut String, dice: &mut Dice) -> &'static str {
    let traffic = dice.pick(&TRAFFIC);
    if traffic != "persistent" {
        let _ = writeln!(text, "traffic = \"{traffic}\"");
    }
    if ["intermittent", "web", "request_response"].contains(&traffic) {
        let _ = writeln!(
            text,
            "period = \"{} ns\"\ngap = \"{}\"",
            1_000_003 + dice.below(400_000_000),
            dice.pick(&["fixed", "exponential"])
        );
    }
    match traffic {
        "persistent" if dice.below(2) == 0 => {
            let _ = writeln!(text, "stop = \"{} ns\"", 400_000_000 + dice.below(2_000_000_000));
        }
        "intermittent" => {
            let _ = writeln!(text, "session_bytes = \"{} B\"", 1 + dice.below(60_000));
        }
        "web" => {
            let _ = writeln!(
                text,
                "page_bytes = \"{} B\"\nobjects = {}\nround_trips = {}\nhttp = \"{}\"",
                1000 + dice.below(100_000),
                1 + dice.below(20),
                dice.below(4),
                dice.pick(&["http1", "http2"])
            );
        }
        "video" => text.push_str(dice.pick(&[
            "",
            "bitrate = \"1 Mb/s\"\nsegment = \"200 ms\"\nbuffer = \"500 ms\"\n",
            "segment = \"100 ms\"\nbuffer = \"1 s\"\n",
        ])),
        "video_call" => text.push_str(dice.pick(&[
            "",
            "bitrate = \"20 Mb/s\"\nbitrate_min = \"3 Mb/s\"\n",
            "frame_rate = 200\n",
        ])),
        "voice" => text.push_str(dice.pick(&["", "codec = \"opus\"\n", "playout_delay = \"9 ms\"\n"])),
        "request_response" => text.push_str(dice.pick(&["", "response_bytes = \"1400 B\"\n"])),
        "game" => text.push_str(dice.pick(&["", "tick_rate = 20\nstate_bytes = \"900 B\"\n"])),
        "trace" => {
            let mut at = 0;
            text.push_str("trace = \"\"\"\n");
            for _ in 0..1 + dice.below(12) {
                // Several sessions may start at one instant.
                at += dice.pick(&[0, 20_000_000, 137_000_003]) * dice.below(3);
                let bytes = 1 + dice.below(30_000);
                let _ = writeln!(text, "{}.{:09}, {bytes}", at / 1_000_000_000, at % 1_000_000_000);
            }
            text.push_str("\"\"\"\n");
        }
        _ => {}
    }
    traffic
}

/// Draws that depend on a seed alone.
struct Dice(Stream);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}
