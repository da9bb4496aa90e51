//! Names that are well known and that the engine does not have. A hint at the name that looks nearest would mislead:
//! `802.11be` is no slip of the fingers for `802.11b`.

/// Names of a vocabulary that the engine does not have.
struct NotModelled {
    /// The noun that messages have for the vocabulary.
    noun: &'static str,
    /// A name of the vocabulary that serves instead of a list of all.
    instead: Option<&'static str>,
    names: &'static [&'static str],
}

const NOT_MODELLED: [NotModelled; 6] = [
    NotModelled {
        noun: "PHY",
        instead: Some("the newest is 802.11ax"),
        names: &["802.11be", "802.11bn", "wifi7", "wifi8"],
    },
    NotModelled { noun: "PHY", instead: None, names: &["802.11ad", "802.11ay", "802.11ah", "802.11p"] },
    NotModelled {
        noun: "queue discipline",
        instead: None,
        names: &["fq_pie", "sfq", "sfb", "blue", "pfifo_fast", "htb", "tbf"],
    },
    NotModelled {
        noun: "TCP",
        instead: None,
        names: &["bbr2", "bic", "compound", "htcp", "hybla", "illinois", "ledbat", "veno"],
    },
    NotModelled {
        noun: "setting",
        instead: Some("docs/models.md tells what is left out"),
        names: &["ofdma", "mu_mimo", "puncturing", "mlo", "multi_link", "twt", "power_save"],
    },
    NotModelled { noun: "recovery", instead: None, names: &["frto"] },
];

/// That a well-known name of a PHY, a queue discipline, a TCP, a recovery or a setting is not modelled; `None` for all other names.
pub fn not_modelled(name: &str) -> Option<String> {
    known_elsewhere("choice", name).map(|instead| match instead {
        Some(instead) => format!("it is not modelled; {instead}"),
        None => "it is not modelled".to_owned(),
    })
}

/// Whether `name` is such a name of this vocabulary, and what to say instead of a list of the names that there are; a parameter's
/// choices may be of any.
pub fn known_elsewhere(what: &str, name: &str) -> Option<Option<&'static str>> {
    // A setting is named by its path, or in a file by its key.
    let (what, name) = match (what, name.rsplit_once('.')) {
        ("setting", Some((_, key))) => (what, key),
        ("key", _) => ("setting", name),
        _ => (what, name),
    };
    let mut lists = NOT_MODELLED.iter().filter(|list| list.noun == what || what == "choice");
    lists.find(|list| list.names.iter().any(|known| is_spelt(known, name))).map(|list| list.instead)
}

/// Whether these are two spellings of a name: people write `mu-mimo` and `MU_MIMO`, `wifi7` and `Wi-Fi 7`.
fn is_spelt(known: &str, name: &str) -> bool {
    let letters = |text: &str| -> Vec<u8> {
        text.bytes().filter(|byte| !b"-_ ".contains(byte)).map(|byte| byte.to_ascii_lowercase()).collect()
    };
    letters(known) == letters(name)
}
