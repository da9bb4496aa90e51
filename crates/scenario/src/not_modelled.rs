//! Names that are well known and that the engine does not have. A hint at the name that looks nearest would mislead:
//! `802.11n` is no slip of the fingers for `802.11`.

/// By the noun that messages have for the vocabulary.
const NOT_MODELLED: [(&str, &[&str]); 4] = [
    ("PHY", &["802.11n", "802.11ac", "802.11ax", "802.11be", "802.11ad", "802.11ah", "802.11p"]),
    (
        "queue discipline",
        &["cake", "pie", "fq_pie", "sfq", "sfb", "blue", "dualpi2", "pfifo_fast", "htb", "tbf"],
    ),
    (
        "TCP",
        &["cubic", "bbr", "bbr2", "bic", "compound", "dctcp", "htcp", "hybla", "illinois", "ledbat", "veno"],
    ),
    ("recovery", &["prr", "rack", "frto"]),
];

/// Whether `name` is such a name of this vocabulary; a parameter's choices may be of any.
pub fn is_known_elsewhere(what: &str, name: &str) -> bool {
    let mut lists = NOT_MODELLED.iter().filter(|(noun, _)| *noun == what || what == "choice");
    lists.any(|(_, names)| names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}
