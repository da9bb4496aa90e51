//! The tables in `docs/tcp.md` are those of the declarations.

use airfair_core::schema::{Kind, Setting, Settings as _, Value};
use airfair_tcp::congestion::CONTROLS;
use airfair_tcp::profile::settings;
use airfair_tcp::{Profile, Settings, TcpName};
use std::path::PathBuf;

/// TCPs that run in an agent of ns-2's with settings of its own.
const NS2_AGENTS: [&str; 2] = ["vegas", "westwood"];

fn shown(value: Value) -> String {
    match value {
        Value::Word(word) => format!("`{word}`"),
        Value::Flag(flag) => if flag { "yes" } else { "no" }.to_owned(),
        other => other.to_string(),
    }
}

fn allowed(kind: Kind) -> String {
    match kind {
        Kind::Flag => "yes or no".to_owned(),
        kind => kind.allowed(),
    }
}

/// The default in ns-2's profile, with those of its agents that differ.
fn in_ns2(setting: &Setting) -> String {
    let of = |settings: &Settings| settings.get(setting.key).expect("a setting of the table");
    let usual = of(&Settings::column(Profile::Ns2 as usize));
    let mut text = shown(usual);
    for name in NS2_AGENTS.into_iter().filter(|_| setting.key != "recovery") {
        let own = of(&settings(Profile::Ns2, TcpName::named(name)));
        if own != usual {
            text += &format!("; `{name}` {}", shown(own));
        }
    }
    text
}

fn settings_table() -> String {
    let mut text =
        "| setting | meaning | allowed | `ns2` | `rfc` | `linux` |\n|---|---|---|---|---|---|\n".to_owned();
    for setting in Settings::TABLE {
        let default = |profile: Profile| Settings::column(profile as usize).get(setting.key).map(shown);
        let [rfc, linux] = [Profile::Rfc, Profile::Linux].map(|profile| default(profile).unwrap_or_default());
        let key = format!("`{}`{}", setting.key, if setting.settable { "" } else { " (profile only)" });
        let (help, allowed, ns2) = (setting.help, allowed(setting.kind), in_ns2(setting));
        text += &format!("| {key} | {help} | {allowed} | {ns2} | {rfc} | {linux} |\n");
    }
    text
}

fn controls_table() -> String {
    let mut text = "| control | parameter | meaning | allowed | `ns2` | `rfc` | `linux` |\n|---|---|---|---|---|---|---|\n".to_owned();
    for control in CONTROLS {
        for parameter in control.parameters {
            let [ns2, rfc, linux] = Profile::ALL.map(|profile| shown(parameter.default.of(profile)));
            let (control, name, help, allowed) =
                (control.name(), parameter.name, parameter.help, allowed(parameter.kind));
            text += &format!("| `{control}` | `{name}` | {help} | {allowed} | {ns2} | {rfc} | {linux} |\n");
        }
    }
    text
}

/// `text` with `table` between the marks of this name.
fn renewed(text: &str, name: &str, table: &str) -> String {
    let (begin, end) = (format!("<!-- {name}:begin -->\n"), format!("<!-- {name}:end -->"));
    let (head, rest) = text.split_once(&begin).expect("the table has a beginning");
    let (_, tail) = rest.split_once(&end).expect("the table has an end");
    format!("{head}{begin}{table}{end}{tail}")
}

#[test]
fn the_guide_has_the_declared_tables() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/tcp.md");
    let text = std::fs::read_to_string(&path).expect("the guide is there");
    let wanted = renewed(&text, "settings", &settings_table());
    let wanted = renewed(&wanted, "controls", &controls_table());
    if std::env::var_os("AIRFAIR_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("the guide can be written");
        return;
    }
    assert!(
        text == wanted,
        "docs/tcp.md differs from the declarations: `AIRFAIR_BLESS=1 cargo test -p airfair-tcp --test tables` renews it"
    );
}
