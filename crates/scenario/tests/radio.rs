//! Distances and signal-to-noise ratios, from the file to the resolved scenario.

use airfair_core::Span;
use airfair_scenario::parse;
use airfair_wifi::phy::signal::SnrVariation;
use airfair_wifi::{LinkSnr, RateControl};

/// Returns a network with the lines `wlan`, whose first station has the lines `station`.
fn file(wlan: &str, station: &str) -> String {
    format!(
        "[run]\nduration = \"1 s\"\n[[wlan]]\nname = \"w\"\nap = \"ap\"\n{wlan}\n[[wlan.station]]\nname = \"own\"\n{station}\n\
         [[wlan.station]]\nname = \"other\"\n[[flow]]\nname = \"f\"\nfrom = \"own\"\nto = \"ap\"\n"
    )
}

/// Returns the ratios of the access point, the first and the second station.
fn links(wlan: &str, station: &str) -> [Option<LinkSnr>; 3] {
    let text = file(&format!("phy = \"802.11ax\"\n{wlan}"), station);
    let mut loaded = parse(&text, "radio.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let stations = loaded.scenario.wlans.remove(0).bss.stations;
    [0, 1, 2].map(|station| stations[station].qos.as_ref().unwrap().snr)
}

fn refused(wlan: &str, station: &str) -> String {
    parse(&file(wlan, station), "radio.toml", &[]).unwrap_err().to_string()
}

#[track_caller]
fn close(found: Option<LinkSnr>, up: f64, down: f64) {
    let found = found.expect("there is noise");
    assert!((found.up - up).abs() < 1e-3 && (found.down - down).abs() < 1e-3, "{found:?}");
}

#[test]
fn without_a_distance_there_is_no_noise() {
    assert_eq!(links("", ""), [None; 3]);
}

/// A network's settings are those of its stations: it is enough if one station can use a setting.
#[test]
fn a_setting_of_the_network_may_be_of_use_to_one_station_alone() {
    let ax = |wlan: &str| format!("phy = \"802.11ax\"\n{wlan}");
    for (wlan, station) in [
        (ax("walls = 2\nnoise_figure = \"5 dB\""), "distance = \"3 m\""),
        (ax("snr_variation = \"two-state\""), "distance = \"3 m\""),
        (ax("aql_low = \"1 ms\"\naql_total = \"9 ms\""), "aql = \"12 ms\""),
        (ax("aql = \"12 ms\""), "aql_low = \"1 ms\""),
        (ax("capture = 0\nlong_retry_limit = 4"), ""),
        ("phy = \"802.11b\"\ncapture = 1\nlong_retry_limit = 1".to_owned(), ""),
    ] {
        let read = parse(&file(&wlan, station), "radio.toml", &[]);
        assert!(read.is_ok(), "{wlan}: {}", read.unwrap_err());
    }
}

#[test]
fn a_ratio_is_that_of_both_directions() {
    let both = |snr| Some(LinkSnr { up: snr, down: snr, variation: None });
    assert_eq!(links("snr = \"12.5 dB\"", "snr = \"30 dB\""), [None, both(30.0), both(12.5)]);
    assert_eq!(links("", "snr = \"30 dB\""), [None, both(30.0), None]);
}

#[test]
fn a_ratio_follows_from_the_distance_as_the_path_loss_says() {
    // TGax residential at 5 GHz: the path loss is 70.9406 dB over 10 m and 46.4252 dB at 1 m. Noise in 20 MHz: -93.9897 dBm.
    let [ap, own, other] = links("distance = \"10 m\"", "distance = \"1 m\"\nwalls = 2");
    assert_eq!(ap, None);
    close(own, 20.0 - 56.4252 + 93.9897, 20.0 - 56.4252 + 93.9897);
    close(other, 20.0 - 70.9406 + 93.9897, 20.0 - 70.9406 + 93.9897);
    // Noise in 80 MHz is four times as much. The access point's power counts downlink, its noise figure uplink.
    let [_, own, other] = links(
        "distance = \"10 m\"\nwidth = \"80 MHz\"\ntx_power = \"23 dBm\"\nnoise_figure = \"5 dB\"",
        "tx_power = \"15 dBm\"\nnoise_figure = \"9 dB\"",
    );
    close(own, 15.0 - 70.9406 + 89.9691, 23.0 - 70.9406 + 85.9691);
    close(other, 23.0 - 70.9406 + 89.9691, 23.0 - 70.9406 + 89.9691);
    let [_, own, _] = links("path_loss = \"log-distance\"", "distance = \"100 m\"\npath_loss_exponent = 2");
    close(own, 20.0 - 86.4272 + 93.9897, 20.0 - 86.4272 + 93.9897);
    // A station's own ratio replaces the network's distance.
    let [_, own, other] = links("distance = \"10 m\"", "snr = \"7 dB\"");
    close(own, 7.0, 7.0);
    close(other, 43.0491, 43.0491);
}

#[test]
fn settings_without_effect_are_refused() {
    let ax = "phy = \"802.11ax\"\n";
    for (wlan, station, wanted) in [
        (
            format!("{ax}snr = \"3 dB\"\ndistance = \"4 m\""),
            "",
            "wlan[0].snr: it follows from `distance`: give one of the two",
        ),
        (
            ax.to_owned(),
            "snr = \"3 dB\"\ndistance = \"4 m\"",
            "wlan[0].station[0].snr: it follows from `distance`",
        ),
        (
            format!("{ax}snr = \"3 dB\""),
            "walls = 1",
            "wlan[0].station[0].walls: it has no effect without `distance`",
        ),
        (
            format!("{ax}walls = 2"),
            "snr = \"3 dB\"",
            "wlan[0].walls: it has no effect where no station has a `distance` or a place",
        ),
        (
            format!("{ax}path_loss = \"enterprise\""),
            "",
            "wlan[0].path_loss: it has no effect where no station has a `distance` or a place",
        ),
        (
            format!("{ax}tx_power = \"10 dBm\""),
            "",
            "wlan[0].tx_power: it has no effect where no station has a `distance` or a place",
        ),
        (
            format!("{ax}capture = 0.5"),
            "",
            "wlan[0].capture: it has no effect with EDCA: it belongs to DCF alone",
        ),
        (format!("{ax}long_retry_limit = 1"), "", "wlan[0].long_retry_limit: it has no effect with EDCA"),
        (format!("{ax}aql_low = \"1 ms\""), "", "wlan[0].aql_low: it has no effect without `aql`"),
        (
            format!("{ax}aql_total = \"9 ms\""),
            "aql_low = \"1 ms\"",
            "wlan[0].station[0].aql_low: it has no effect without `aql`",
        ),
        (
            format!("{ax}width = \"10 MHz\""),
            "",
            "wlan[0].width: unknown width `10 MHz`; it is not modelled; known: 20 MHz",
        ),
        (format!("{ax}width = \"81 MHz\""), "", "unknown width `81 MHz`; did you mean `80 MHz`?"),
        (format!("{ax}width = 80"), "", "`80` stands where a word is needed; known: 20 MHz, 40 MHz, 80 MHz"),
        (format!("{ax}band = \"60 GHz\""), "", "unknown band `60 GHz`; it is not modelled; known: 2.4 GHz"),
        (
            ax.to_owned(),
            "standard = \"802.11bn\"",
            "unknown standard `802.11bn`; it is not modelled; the newest is",
        ),
        (
            format!("{ax}path_loss = \"log-distance\""),
            "distance = \"3 m\"\nwalls = 1",
            "walls: it has no effect with `path_loss = \"log-distance\"`",
        ),
        (
            ax.to_owned(),
            "hears = [\"other\", \"ap\", \"elsewhere\"]",
            "wlan[0].station[0].hears: unknown station on the channel `elsewhere`",
        ),
        (
            format!("{ax}ap_hears = [\"othr\"]"),
            "",
            "wlan[0].ap_hears: unknown station on the channel `othr`; did you mean `other`?",
        ),
        (
            "phy = \"802.11b\"".to_owned(),
            "hears = [\"ap\"]",
            "wlan[0].station[0].hears: it belongs to networks with EDCA (802.11n and later, 802.11a and g with an `access_category`) alone",
        ),
        (
            format!("{ax}rate_control = \"ideal\""),
            "distance = \"3 m\"",
            "wlan[0].station[1].rate_control: `ideal` needs `snr`, `snr_trace`, `distance` or places",
        ),
        (
            ax.to_owned(),
            "snr = \"3 dB\"\nsnr_trace = \"0, 20\"",
            "wlan[0].station[0].snr_trace: `snr` says how strong frames arrive, too: give one of the two",
        ),
        (
            format!("{ax}distance = \"3 m\""),
            "snr_trace = \"0, 20\"",
            "station[0].snr_trace: how strong its frames arrive follows from its place, or the network says it",
        ),
        (
            ax.to_owned(),
            "snr_trace = \"0, 20; 1, x\"",
            "station[0].snr_trace: line 2, `1, x`: a time in seconds and a ratio in dB are needed, such as `1.5, 18`",
        ),
        (
            "phy = \"802.11b\"".to_owned(),
            "snr_trace = \"0, 20\"",
            "station[0].snr_trace: it belongs to networks with EDCA (802.11n and later, 802.11a and g with an `access_category`) alone",
        ),
        (
            format!("{ax}snr_variation = \"two-state\""),
            "",
            "wlan[0].snr_variation: it needs `snr`, `distance` or places",
        ),
        (
            ax.to_owned(),
            "snr_variation = \"two-state\"",
            "station[0].snr_variation: it needs `snr`, `distance` or places",
        ),
        (
            format!("{ax}snr = \"3 dB\""),
            "snr_variation = \"random-walk\"\nfade_mean_bad = \"1 s\"",
            "station[0].fade_mean_bad: it has no effect with `snr_variation = \"random-walk\"`",
        ),
        (
            format!("{ax}snr = \"3 dB\""),
            "fade_step = \"2 dB\"",
            "fade_step: it has no effect with `snr_variation = \"constant\"`",
        ),
        (
            format!("{ax}snr = \"3 dB\"\nsnr_variation = \"random-walk\"\nfade_interval = \"1 ns\""),
            "",
            "wlan[0].fade_interval: every 1 ns in a run of 1 s is too often",
        ),
        (
            format!("{ax}distance = \"-1 m\""),
            "",
            "wlan[0].distance: -1 m is out of range: a length at least 0",
        ),
        (
            "phy = \"802.11b\"\nsnr = \"20 dB\"".to_owned(),
            "",
            "wlan[0].snr: it belongs to networks with EDCA",
        ),
        (
            "phy = \"802.11a\"".to_owned(),
            "distance = \"3 m\"",
            "wlan[0].station[0].distance: it belongs to networks with EDCA",
        ),
    ] {
        let message = refused(&wlan, station);
        assert!(message.contains(wanted), "{wanted}: {message}");
    }
    let legacy = file("phy = \"802.11a\"\naccess_category = \"be\"\nsnr = \"20 dB\"", "");
    parse(&legacy, "radio.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn rate_control_may_choose_up_to_the_given_scheme_or_the_standards_highest() {
    let schemes = |phy: &str, station: &str| {
        let text = file(&format!("phy = \"{phy}\"\nrate_control = \"minstrel\""), station);
        let mut loaded = parse(&text, "radio.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        let stations = loaded.scenario.wlans.remove(0).bss.stations;
        let of = |station: usize| {
            stations[station].qos.as_ref().map(|qos| (qos.mode.mcs, qos.rate_control)).unwrap()
        };
        [of(0), of(1), of(2)]
    };
    use RateControl::{Fixed, Minstrel};
    assert_eq!(schemes("802.11ax", "mcs = 4"), [(11, Fixed), (4, Minstrel), (11, Minstrel)]);
    // 802.11ac has no MCS 9 with one stream at 20 MHz.
    assert_eq!(schemes("802.11ac", "width = \"80 MHz\""), [(8, Fixed), (9, Minstrel), (8, Minstrel)]);
    assert_eq!(schemes("802.11n", "rate_control = \"fixed\""), [(7, Fixed), (7, Fixed), (7, Minstrel)]);
}

#[test]
fn a_ratio_may_vary() {
    let variation = |lines: &str| {
        links(lines, "snr_variation = \"constant\"").map(|snr| snr.and_then(|snr| snr.variation))
    };
    let ms = Span::from_millis;
    let states = SnrVariation::TwoState { depth: 6.0, mean_good: ms(1000), mean_bad: ms(20) };
    let lines =
        "snr = \"20 dB\"\nsnr_variation = \"two-state\"\nfade_depth = \"6 dB\"\nfade_mean_bad = \"20 ms\"";
    assert!(
        refused(&format!("phy = \"802.11ax\"\n{lines}"), "snr_variation = \"constant\"")
            .contains("no effect")
    );
    assert_eq!(
        links(lines, "").map(|snr| snr.and_then(|snr| snr.variation)),
        [None, Some(states), Some(states)]
    );
    let walk = SnrVariation::RandomWalk { depth: 10.0, step: 1.0, interval: ms(100) };
    assert_eq!(variation("distance = \"5 m\"\nsnr_variation = \"random-walk\""), [None, None, Some(walk)]);
    // The network may say how ratios vary, and a station what its own ratio is.
    for ratio in ["snr = \"20 dB\"", "distance = \"5 m\""] {
        let found = links("snr_variation = \"random-walk\"", ratio);
        assert_eq!(found.map(|snr| snr.map(|snr| snr.variation)), [None, Some(Some(walk)), None]);
    }
}

#[test]
fn stations_say_whom_they_hear() {
    let text =
        file("phy = \"802.11ax\"\nap_hears = [\"own\"]", "hears = [\"other\", \"ap\", \"own\", \"ap\"]");
    let stations = parse(&text, "radio.toml", &[]).unwrap().scenario.wlans.remove(0).bss.stations;
    let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    let heard: Vec<_> = stations.into_iter().map(|station| station.hears).collect();
    assert_eq!(heard, [names(&["own"]), names(&["ap", "other", "own"]), None]);
}

#[test]
fn where_stations_have_places_nobody_says_whom_they_hear() {
    let text = file("phy = \"802.11ax\"\nap_x = \"0 m\"\nap_hears = [\"own\"]", "x = \"1 m\"");
    let text = text.replace("name = \"other\"", "name = \"other\"\nx = \"2 m\"");
    let refused = parse(&text, "radio.toml", &[]).unwrap_err().to_string();
    assert!(refused.contains("wlan[0].ap_hears: the places of the stations say who hears whom"), "{refused}");
}

/// Over 100 m the residential model loses 40.05 + 6.38 + 13.98 + 45.54 dB at 5 GHz.
/// The flow of the station `own`, and a flow to it in its place.
const UP: &str = "from = \"own\"\nto = \"ap\"";
const DOWN: &str = "from = \"ap\"\nto = \"own\"\nudp = { rate = \"1 Mb/s\" }";

#[test]
fn a_station_that_its_access_point_does_not_hear_is_told_of() {
    let with_flow = |x: &str, own: &str, rest: &str, flow: &str| {
        let wlan = format!("phy = \"802.11ax\"\nband = \"5 GHz\"\nap_x = \"0 m\"\n{rest}");
        let text = file(&wlan, &format!("x = \"{x}\"\n{own}"))
            .replace("name = \"other\"\n", "name = \"other\"\nx = \"1 m\"\n")
            .replace(UP, flow);
        parse(&text, "radio.toml", &[]).unwrap_or_else(|error| panic!("{error}")).warnings
    };
    let warnings = |x: &str, own: &str, rest: &str| with_flow(x, own, rest, UP);
    assert_eq!(warnings("50 m", "mcs = 0", ""), [""; 0]);
    let far = "station `own`: its frames reach its access point with -85.9 dBm, and nobody decodes frames below the \
               `carrier_sense` of -82 dBm: all are lost";
    assert_eq!(warnings("100 m", "", ""), [far]);
    assert_eq!(with_flow("100 m", "", "", DOWN), [far], "it sends nothing itself");
    assert_eq!(warnings("100 m", "mcs = 0", "carrier_sense = \"-90 dB\""), [""; 0]);
    let weak = "station `own`: its access point's frames reach it with -85.9 dBm";
    let found = warnings("100 m", "tx_power = \"30 dBm\"", "");
    assert!(found.len() == 1 && found[0].starts_with(weak), "{found:?}");
}

#[test]
fn a_fixed_rate_that_noise_destroys_is_told_of() {
    let warnings = |wlan: &str, station: &str, direction: &str| {
        let text = file(&format!("phy = \"802.11ax\"\n{wlan}"), station).replace(UP, direction);
        parse(&text, "radio.toml", &[]).unwrap_or_else(|error| panic!("{error}")).warnings
    };
    let behind =
        "B: their signal-to-noise ratio of 5.0 dB is too low for their rate, and `rate_control` is `fixed`";
    for (direction, whose) in [(UP, "its packets of 1500"), (DOWN, "the packets to it of 1500")] {
        let told = format!("station `own`: noise destroys nearly all of {whose} {behind}");
        assert_eq!(warnings("", "snr = \"5 dB\"", direction), [told]);
        for (wlan, station) in [
            ("", "snr = \"30 dB\""),
            ("", "snr = \"5 dB\"\nmcs = 0"),
            ("rate_control = \"minstrel\"", "snr = \"5 dB\""),
            ("", "snr = \"5 dB\"\nsnr_variation = \"random-walk\""),
            ("", "snr_trace = \"0, 5\""),
        ] {
            assert_eq!(warnings(wlan, station, direction), [""; 0], "{wlan} {station}");
        }
    }
}

#[test]
fn powers_are_told_in_decibels_over_a_milliwatt() {
    let told = refused("phy = \"802.11ax\"\ndistance = \"9 m\"\ntx_power = \"99 dBm\"", "");
    let wanted = "tx_power: 99 dBm is out of range: a power at least -50 and at most 50 dBm is needed";
    assert!(told.contains(wanted), "{told}");
}

#[test]
fn a_power_is_no_ratio() {
    for (key, value, wanted) in [
        ("snr", "3 dBm", "`3 dBm` is a power where a level is needed (dB)"),
        ("snr", "20 dBm - 3 dB", "`20 dBm - 3 dB` = 17 dBm is a power where a level is needed (dB)"),
        ("distance = \"9 m\"\ntx_power", "20 m", "`20 m` is a length where a power is needed (dBm)"),
    ] {
        let told = refused(&format!("phy = \"802.11ax\"\n{key} = \"{value}\""), "");
        assert!(told.contains(wanted), "{told}");
    }
}
