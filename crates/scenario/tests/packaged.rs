//! The packaged scenarios agree with their sources.

use airfair_core::{Rate, Span};
use airfair_net::QueueLimit;
use airfair_scenario::resolved::{
    Connection, Direction, FairShare, Gap, HopRef, Scenario, Traffic, Transport,
};
use airfair_scenario::{Override, ParameterValue, load};
use airfair_tcp::Profile;
use airfair_tcp::Settings;
use airfair_tcp::congestion::{Control, Value};
use airfair_tcp::settings::Recovery;

fn scenario(name: &str, set: &[(&str, &str)]) -> Scenario {
    let overrides: Vec<Override> = set
        .iter()
        .map(|(name, value)| Override { name: name.to_string(), value: value.to_string() })
        .collect();
    load(name, &overrides).unwrap_or_else(|error| panic!("{error}")).scenario
}

fn mbps(rate: u64) -> Rate {
    Rate::new(rate * 1_000_000).unwrap()
}

fn tcp(scenario: &Scenario, flow: usize) -> (&Settings, Connection) {
    match &scenario.flows[flow].transport {
        Transport::Tcp { settings, connection } => (settings, *connection),
        other => panic!("{other:?}"),
    }
}

#[test]
fn table1_is_cbr_or_tcp_on_settings_a() {
    let udp = scenario("jung/table1", &[("stations", "8")]);
    assert_eq!((udp.warmup, udp.duration), (Span::from_secs(20), Span::from_secs(40)));
    assert_eq!(udp.flows.len(), 8);
    assert!(udp.flows.iter().all(|flow| flow.direction == Direction::Down));
    assert_eq!(
        udp.flows[0].transport,
        Transport::Udp { datagram_bytes: 1500, header_bytes: 0, ect1: false, rate: mbps(2) }
    );
    let spread = Span::from_millis(100);
    assert_eq!(udp.flows[0].traffic, Traffic::Persistent { start: Span::from_secs(10), spread, stop: None });

    let up = scenario("jung/table1", &[("protocol", "tcp"), ("direction", "upload"), ("stations", "1")]);
    assert_eq!(up.flows[0].direction, Direction::Up);
    assert_eq!(
        up.flows[0].forward,
        [HopRef::Wlan { wlan: 0, from: 1, to: 0 }, HopRef::Link { link: 0, reverse: true }]
    );
    assert_eq!(
        up.flows[0].backward,
        [HopRef::Link { link: 0, reverse: false }, HopRef::Wlan { wlan: 0, from: 0, to: 1 }]
    );
    let (settings, _) = tcp(&up, 0);
    assert_eq!((settings.receive_window, settings.segment_bytes, settings.header_bytes), (20, 1000, 40));
    assert_eq!(settings.recovery, Recovery::Reno);

    let wlan = &up.wlans[0];
    assert_eq!(wlan.stack.host_delay, Span::from_micros(25));
    assert_eq!(wlan.bss.mac.rts_threshold, Some(0));
    assert_eq!((wlan.bss.mac.short_retry_limit, wlan.bss.mac.long_retry_limit), (7, 4));
    assert!(
        wlan.bss.stations.iter().all(|s| s.queue.limit == QueueLimit::Packets(50) && s.data_rate == mbps(11))
    );
    let phy = &wlan.bss.phy;
    assert_eq!(
        (phy.slot, phy.sifs, phy.cw_min, phy.cw_max),
        (Span::from_micros(20), Span::from_micros(10), 31, 1023)
    );
    assert_eq!(phy.rts_rate, mbps(11));
    // 192 bits of preamble and header, then 20 bytes, all at 11 Mb/s.
    assert_eq!(phy.rts(), mbps(11).span_of_bits(192) + Span(14_546));
    assert_eq!(up.links[0].forward.rate, mbps(100));
    assert_eq!(up.links[0].forward.delay, Span::from_millis(10));
    assert_eq!(up.links[0].backward.queue, QueueLimit::Packets(1000));
}

#[test]
fn mixed_has_a_persistent_and_an_intermittent_half() {
    let mixed = scenario("jung/mixed", &[("stations", "6"), ("direction", "upload")]);
    assert_eq!((mixed.warmup, mixed.duration), (Span::from_secs(20), Span::from_secs(150)));
    let persistent =
        Traffic::Persistent { start: Span::from_secs(10), spread: Span::from_secs(1), stop: None };
    let intermittent = Traffic::Intermittent {
        start: Span::from_secs(11),
        spread: Span::from_secs(10),
        bytes: 10_000,
        gap: Gap::Fixed(Span::from_secs(10)),
    };
    let traffic: Vec<&Traffic> = mixed.flows.iter().map(|flow| &flow.traffic).collect();
    assert_eq!(traffic[..3], [&persistent; 3]);
    assert_eq!(traffic[3..], [&intermittent; 3]);
    assert_eq!(mixed.nodes[mixed.flows[4].source].name, "sta4");
    let paper = FairShare::Split { down: Rate::new(4_960_000), up: Rate::new(6_880_000), users: 6 };
    assert_eq!(mixed.fair_share, paper);
    let own = scenario("jung/mixed", &[("fair_share", "1 Mb/s")]);
    assert_eq!(own.fair_share, FairShare::Split { down: Some(mbps(4)), up: Some(mbps(4)), users: 4 });
}

#[test]
fn both_directions_share_each_kind_of_traffic() {
    for stations in [2, 4, 6, 8, 10] {
        let both = scenario("jung/mixed", &[("direction", "both"), ("stations", &stations.to_string())]);
        let count = |direction, persistent| {
            let alike = both.flows.iter().filter(|flow| {
                flow.direction == direction
                    && matches!(flow.traffic, Traffic::Persistent { .. }) == persistent
            });
            alike.count()
        };
        assert_eq!(both.flows.len(), stations);
        assert_eq!(count(Direction::Down, true) + count(Direction::Down, false), stations / 2);
        assert!(count(Direction::Down, true).abs_diff(count(Direction::Up, true)) <= 1);
        assert!(count(Direction::Down, false).abs_diff(count(Direction::Up, false)) <= 1);
    }
}

#[test]
fn unset_parameters_leave_the_profiles_value() {
    let fair =
        scenario("jung/mixed", &[("tcp", "vegas-fair"), ("intro_length", "50 kB"), ("alpha_increment", "2")]);
    let control = &tcp(&fair, 0).0.control;
    let usual = Control::named("vegas-fair", Profile::Ns2).unwrap();
    assert_eq!(control.value("intro_length"), Some(Value::Bytes(50_000)));
    assert_eq!(control.value("alpha_increment"), Some(Value::Number(2.0)));
    for name in ["alpha", "beta", "gamma", "pause_interval", "beta_increment"] {
        assert_eq!(control.value(name), usual.value(name), "{name}");
    }
    assert_eq!(tcp(&scenario("jung/mixed", &[("tcp", "reno-maxwin10")]), 0).0.max_window, Some(10.0));
    let set = [("tcp", "reno"), ("max_window", "12"), ("connection", "fresh"), ("recovery", "sack")];
    let set = scenario("jung/mixed", &set);
    assert_eq!(tcp(&set, 3).0.max_window, Some(12.0));
    assert_eq!(tcp(&set, 3).1, Connection::Fresh);
    assert_eq!(tcp(&set, 3).0.recovery, Recovery::SackPipe);
}

#[test]
fn the_speed_scenarios_are_the_ns2_scripts() {
    let wlan = scenario("bench/wlan", &[]);
    assert_eq!(wlan.flows.len(), 8);
    let start = Span::from_millis(1375);
    assert_eq!(wlan.flows[3].traffic, Traffic::Persistent { start, spread: Span::ZERO, stop: None });
    assert_eq!(wlan.wlans[0].bss.mac.rts_threshold, None);
    assert_eq!(wlan.wlans[0].bss.phy.rts_rate, mbps(1));
    let (settings, _) = tcp(&wlan, 0);
    assert_eq!((settings.receive_window, settings.segment_bytes), (700, 1460));
    assert_eq!(settings.recovery, Recovery::NewReno);

    let dumbbell = scenario("bench/dumbbell", &[]);
    assert_eq!((dumbbell.flows.len(), dumbbell.links.len(), dumbbell.nodes.len()), (100, 201, 202));
    assert_eq!(dumbbell.warmup, Span::ZERO);
    assert_eq!(
        dumbbell.flows[7].forward,
        [
            HopRef::Link { link: 8, reverse: false },
            HopRef::Link { link: 0, reverse: false },
            HopRef::Link { link: 108, reverse: false },
        ]
    );
    assert_eq!(dumbbell.links[0].forward.queue, QueueLimit::Packets(200));
    assert_eq!(dumbbell.links[8].forward.rate, mbps(1000));
    let start = Span::from_millis(70);
    assert_eq!(dumbbell.flows[7].traffic, Traffic::Persistent { start, spread: Span::ZERO, stop: None });
}

#[test]
fn ten_thousand_flows_all_find_their_paths() {
    let large = scenario("bench/dumbbell", &[("flows", "10000")]);
    assert!(large.flows.iter().all(|flow| flow.forward.len() == 3 && flow.backward.len() == 3));
    assert_eq!(large.flows[9999].forward[0], HopRef::Link { link: 10_000, reverse: false });
}

/// Returns a scenario of two flows over one link. The file sets `beta` of the control; the second flow has its own table.
fn two_flows(own: &str) -> airfair_scenario::resolved::Scenario {
    let text = format!(
        "[run]\nduration = \"1 s\"\n[tcp]\nvariant = \"aimd\"\n[tcp.control]\nalpha = 2\nbeta = 0.75\n\
         [[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
         [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n\
         [[flow]]\nname = \"g\"\nfrom = \"a\"\nto = \"b\"\n{own}"
    );
    airfair_scenario::parse(&text, "two.toml", &[]).unwrap_or_else(|error| panic!("{error}")).scenario
}

#[test]
fn a_flow_has_the_files_control_parameters_only_where_the_control_is_the_same() {
    let values = |own: &str| {
        let scenario = two_flows(own);
        let control = &tcp(&scenario, 1).0.control;
        ["alpha", "beta"].map(|name| control.value(name).map(|value| value.to_string()).unwrap_or_default())
    };
    assert_eq!(values(""), ["2", "0.75"]);
    assert_eq!(values("tcp = { variant = \"aimd\", control = { beta = 0.9 } }"), ["2", "0.9"]);
    assert_eq!(values("tcp = { variant = \"vegas\", control = { beta = 5 } }"), ["1", "5"]);
    assert_eq!(values("tcp = { variant = \"reno\" }"), ["", ""]);
}

#[test]
fn a_scenario_that_names_no_tcp_has_its_profiles() {
    let control = |lines: &str| {
        let text = format!(
            "[run]\nduration = \"1 s\"\n[tcp]\n{lines}\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
             [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n\
             [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n"
        );
        let loaded =
            airfair_scenario::parse(&text, "one.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        tcp(&loaded.scenario, 0).0.control.name().to_owned()
    };
    assert_eq!(["", "profile = \"ns2\"", "profile = \"linux\""].map(control), ["reno", "reno", "cubic"]);
    assert_eq!(control("profile = \"linux\"\nvariant = \"newreno\""), "reno");
    assert_eq!(control("profile = \"linux\"\ncontrol.beta = 0.5"), "cubic");
}

#[test]
fn whatever_is_set_of_a_control_changes_the_key() {
    let key = |table: &str| {
        let text = format!(
            "[run]\nduration = \"1 s\"\n[tcp]\nvariant = \"aimd\"\n{table}\n\
             [[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
             [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n\
             [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n"
        );
        airfair_scenario::parse(&text, "two.toml", &[]).unwrap_or_else(|error| panic!("{error}")).key(1, 1)
    };
    let tables = [
        "",
        "send_jitter = \"1 ms\"",
        "control.alpha = 0.31",
        "control.beta = 0.875",
        "control.first_cut = \"half\"",
        "control.slow_start_cut = \"half\"",
        "control.timeout_cut = \"half\"",
    ];
    let keys: std::collections::BTreeSet<String> = tables.iter().map(|table| key(table)).collect();
    assert_eq!(keys.len(), tables.len());
    assert_eq!(key("control.alpha = 1"), key(""), "the default, written out");
}

#[test]
fn tests_of_flents_have_its_flows() {
    let warmup = Span::from_secs(5);
    let marked = |scenario: &Scenario| {
        scenario
            .flows
            .iter()
            .map(|flow| (flow.name.clone(), flow.dscp.map(|dscp| dscp.word())))
            .collect::<Vec<_>>()
    };
    let rrul = scenario("flent/rrul", &[]);
    assert_eq!((rrul.warmup, rrul.duration), (warmup, Span::from_secs(60)));
    for way in ["download", "upload"] {
        for (class, dscp) in [("BE", None), ("BK", Some("cs1")), ("CS5", Some("cs5")), ("EF", Some("ef"))] {
            assert!(marked(&rrul).contains(&(format!("{way}-{class}"), dscp)));
        }
    }
    for (class, dscp) in [("ICMP", None), ("UDP-BE", None), ("UDP-BK", Some("cs1")), ("UDP-EF", Some("ef"))] {
        assert!(marked(&rrul).contains(&(format!("ping-{class}"), dscp)));
    }
    let every = Gap::Fixed(Span::from_millis(200));
    for flow in &rrul.flows {
        match &flow.traffic {
            Traffic::Persistent { start, .. } => assert_eq!(*start, warmup),
            Traffic::RequestResponse { start, gap, .. } => assert_eq!((*start, *gap), (Span::ZERO, every)),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(rrul.flows.len(), 12);
    let quiet = load("flent/rrul", &[]).expect("it is packaged").warnings;
    assert!(quiet.is_empty(), "{quiet:?}");

    let fair = scenario("flent/rtt_fair", &[]);
    let delays: Vec<Span> = fair.links[2..].iter().map(|link| link.forward.delay).collect();
    assert_eq!(delays, [9, 18, 36, 72].map(Span::from_millis));
    assert_eq!(marked(&fair)[2], ("download-BK1-server3".to_owned(), Some("cs1")));
    assert_eq!(scenario("flent/tcp_nup", &[("upload_streams", "7")]).flows.len(), 8);
    assert_eq!(scenario("flent/tcp_ndown", &[("download_streams", "2")]).flows.len(), 3);
    let call = scenario("flent/voip_rrul", &[]);
    assert!(
        call.flows.iter().any(|flow| flow.name == "voip" && matches!(flow.traffic, Traffic::Voice { .. }))
    );
    assert_eq!(call.flows.len(), 8 + 1 + 4);
    let links = &scenario("flent/rrul", &[("discipline", "cake"), ("rate_up", "5 Mb/s")]).links;
    assert!(links[0].forward.discipline.is_some() && links[0].backward.discipline.is_some());
    assert_eq!((links[0].forward.rate, links[0].backward.rate), (mbps(100), mbps(5)));
}

/// Rate control and wide channels need EDCA: `wifi/home` offers those PHYs with which it runs.
#[test]
fn the_standards_that_a_home_names_are_those_with_which_it_runs() {
    let parameters = airfair_scenario::describe("wifi/home").expect("it is packaged").parameters;
    let standard = parameters.iter().find(|parameter| parameter.name == "standard").expect("it has one");
    let choices = standard.choices.as_ref().expect("it names them");
    assert_eq!(choices.len(), 4);
    for choice in choices {
        let ParameterValue::Text(name) = choice else { panic!("{choice:?}") };
        scenario("wifi/home", &[("standard", name)]);
    }
}

/// No channel at 2.4 GHz is 80 MHz wide, and 802.11ac has none there.
#[test]
fn a_home_at_2_4_ghz_has_narrow_channels() {
    for standard in ["802.11n", "802.11ax", "802.11be"] {
        scenario(
            "wifi/home",
            &[("standard", standard), ("band", "2.4 GHz"), ("game_count", "1"), ("video_call_count", "1")],
        );
    }
}
