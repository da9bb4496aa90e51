//! Well-known names that the engine does not have, or has under another name. A hint at the most similar name would mislead: `802.11bn` is
//! no misspelt `802.11b`.

/// A group of well-known names that the engine does not have.
struct NotModelled {
    /// The nouns for which messages use the names, as in "unknown PHY".
    nouns: &'static [&'static str],
    /// What a message says in place of the names that exist; `None`: that the name is not modelled, with the names that exist.
    hint: Option<&'static str>,
    names: &'static [&'static str],
}

/// What the generation of Wi-Fi is called: of a network its PHY, of a station its standard.
const GENERATIONS: &[&str] = &["PHY", "standard"];

/// What a setting is called: a key in a file, and people take it for a parameter.
const SETTINGS: &[&str] = &["setting", "key", "parameter"];

const NOT_MODELLED: [NotModelled; 20] = [
    NotModelled {
        nouns: GENERATIONS,
        hint: Some("it is not modelled; the newest is 802.11be"),
        names: &["802.11bn", "wifi8"],
    },
    NotModelled { nouns: GENERATIONS, hint: None, names: &["802.11ad", "802.11ay", "802.11ah", "802.11p"] },
    NotModelled { nouns: &["width"], hint: None, names: &["10 MHz", "5 MHz"] },
    NotModelled { nouns: &["band"], hint: None, names: &["60 GHz", "3.6 GHz", "900 MHz"] },
    NotModelled {
        nouns: &["queue discipline"],
        hint: None,
        names: &["fq_pie", "sfq", "sfb", "blue", "pfifo_fast", "htb", "tbf"],
    },
    NotModelled {
        nouns: &["TCP"],
        hint: None,
        names: &["bbr2", "bic", "compound", "htcp", "hybla", "illinois", "ledbat", "veno"],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some("it is not modelled; docs/models.md tells what is left out"),
        names: &[
            "ofdma",
            "mu_mimo",
            "puncturing",
            "mlo",
            "multi_link",
            "twt",
            "power_save",
            "resolution",
            "simulcast",
            "fec",
        ],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some("`restart` says what a TCP sender does after an idle period"),
        names: &["slow_start_after_idle", "tcp_slow_start_after_idle"],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some("`tcp.initial_window` is the congestion window of a new connection"),
        names: &["iw", "iw10", "initcwnd"],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some("`tcp.control.hystart` says what ends the slow start of `cubic` before a loss does"),
        names: &["hystart", "hystart++"],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some("`tcp.ecn_echo` says how a receiver echoes marks: `accurate` is AccECN"),
        names: &["accecn", "accurate_ecn"],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some("`tcp.small_queue` is what Linux calls TCP small queues"),
        names: &["tsq", "tcp_small_queues"],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some("`tx_ring` of a link, with the word `bql`, is bounded by Linux's byte queue limits"),
        names: &["bql", "byte_queue_limits"],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some(
            "`bitrate` is the highest rate of `video` and `video_call`, and `bitrate_min` the least one of `video_call`",
        ),
        names: &["bitrate_max", "max_bitrate", "min_bitrate"],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some(
            "`tcp.variant` is the congestion control of TCP; `video_call` has Google Congestion Control",
        ),
        names: &["congestion_control"],
    },
    NotModelled {
        nouns: &["TCP"],
        hint: Some("Google Congestion Control is that of `video_call` traffic"),
        names: &["gcc"],
    },
    NotModelled {
        nouns: &["traffic"],
        hint: Some("`video_call` is one direction of a video call"),
        names: &["webrtc", "conference", "video_conference"],
    },
    NotModelled {
        nouns: &["metric"],
        hint: Some("`voice_mos_mean` and `voice_mos_min` are the opinion scores of calls"),
        names: &["mos"],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some(
            "`ap_discipline` of a network says how its access point queues, and `driver_aggregates`, `driver_queue` and `aql` how much of that its driver takes",
        ),
        names: &["policy"],
    },
    NotModelled {
        nouns: &["recovery"],
        hint: Some("F-RTO is a setting of its own, beside any recovery: `tcp.frto`"),
        names: &["frto"],
    },
];

/// Returns what to say of a well-known name of a PHY, a queue discipline, a TCP, a recovery or a setting that the engine does not have;
/// `None` for all other names.
pub fn not_modelled(name: &str) -> Option<String> {
    known_elsewhere("choice", name).map(|hint| hint.unwrap_or("it is not modelled").to_owned())
}

/// Whether `name` is a well-known name of the vocabulary that messages call `what`, and if so the hint that replaces the list of the names
/// that exist. A parameter's choice may be of any vocabulary.
pub fn known_elsewhere(what: &str, name: &str) -> Option<Option<&'static str>> {
    // A setting is named by its path, whose last key is the name here.
    let name = match name.rsplit_once('.') {
        Some((_, key)) if what == "setting" => key,
        _ => name,
    };
    let mut lists = NOT_MODELLED.iter().filter(|list| list.nouns.contains(&what) || what == "choice");
    lists.find(|list| list.names.iter().any(|known| is_spelt(known, name))).map(|list| list.hint)
}

/// Whether these are two spellings of a name: people write `mu-mimo` and `MU_MIMO`, `wifi7` and `Wi-Fi 7`.
fn is_spelt(known: &str, name: &str) -> bool {
    let letters = |text: &str| -> Vec<u8> {
        text.bytes().filter(|byte| !b"-_ ".contains(byte)).map(|byte| byte.to_ascii_lowercase()).collect()
    };
    letters(known) == letters(name)
}
