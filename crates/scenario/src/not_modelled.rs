//! Names that are well known and that the engine does not have, or not by that name. A hint at the name that looks nearest would mislead:
//! `802.11be` is no slip of the fingers for `802.11b`.

/// Names of a vocabulary that the engine does not have.
struct NotModelled {
    /// The nouns that messages have for the vocabulary.
    nouns: &'static [&'static str],
    /// What to say; none: that it is not modelled, and the names that there are.
    hint: Option<&'static str>,
    names: &'static [&'static str],
}

/// The generation of a network is its PHY, that of a station its standard.
const GENERATIONS: &[&str] = &["PHY", "standard"];

/// A setting is a key in a file, and people take it for a parameter.
const SETTINGS: &[&str] = &["setting", "key", "parameter"];

const NOT_MODELLED: [NotModelled; 10] = [
    NotModelled {
        nouns: GENERATIONS,
        hint: Some("it is not modelled; the newest is 802.11ax"),
        names: &["802.11be", "802.11bn", "wifi7", "wifi8"],
    },
    NotModelled { nouns: GENERATIONS, hint: None, names: &["802.11ad", "802.11ay", "802.11ah", "802.11p"] },
    NotModelled { nouns: &["width"], hint: None, names: &["320 MHz", "10 MHz", "5 MHz"] },
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
        names: &["ofdma", "mu_mimo", "puncturing", "mlo", "multi_link", "twt", "power_save"],
    },
    NotModelled {
        nouns: SETTINGS,
        hint: Some("`restart` says what a TCP sender does after an idle period"),
        names: &["slow_start_after_idle", "tcp_slow_start_after_idle"],
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

/// What to say of a well-known name of a PHY, a queue discipline, a TCP, a recovery or a setting that the engine does not have; `None` for
/// all other names.
pub fn not_modelled(name: &str) -> Option<String> {
    known_elsewhere("choice", name).map(|hint| hint.unwrap_or("it is not modelled").to_owned())
}

/// Whether `name` is such a name of this vocabulary, and what to say instead of a list of the names that there are; a parameter's
/// choices may be of any.
pub fn known_elsewhere(what: &str, name: &str) -> Option<Option<&'static str>> {
    // A setting is named by its path.
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
