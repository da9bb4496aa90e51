//! Settings of a TCP flow: every key of `[flow.tcp]`, a few at a time.

use super::pieces::{key, seldom, word};
use super::stated::{control, values, written};
use airfair_core::schema::{Setting, Settings as _, Value};
use airfair_tcp::profile::NAMES;
use airfair_tcp::settings::given;
use airfair_tcp::{Profile, Settings, TcpName};
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;

/// The lines of the table.
pub fn settings() -> BoxedStrategy<String> {
    let tcp = select(NAMES).prop_map(TcpName::named).prop_flat_map(|tcp| (Just(tcp), control(tcp)));
    let settings: Vec<_> = Settings::TABLE.iter().filter(|setting| setting.settable).map(value).collect();
    let connection = seldom(2, key("connection", word(&["reuse", "fresh", "renewed"])));
    (select(&Profile::ALL[..]), tcp, settings, connection)
        .prop_map(|(profile, (tcp, control), values, connection)| {
            let values = consistent(profile, tcp, values.into_iter().flatten().collect());
            let lines = values.iter().map(|(key, value)| format!("{key} = {}\n", written(*value)));
            let (profile, tcp) = (profile.word(), tcp.name());
            format!("profile = \"{profile}\"\nvariant = \"{tcp}\"\ncontrol = {control}\n{connection}")
                + &lines.collect::<String>()
        })
        .boxed()
}

/// Mostly none; a window is set more often than the others, as it decides how much else happens.
fn value(setting: &'static Setting) -> BoxedStrategy<Option<(&'static str, Value)>> {
    let often = if setting.key == "window" { 0.5 } else { 0.125 };
    weighted(often, select(values(setting.kind)).prop_map(|value| (setting.key, value))).boxed()
}

/// These values without those that contradict others.
fn consistent(
    profile: Profile,
    tcp: TcpName,
    mut values: Vec<(&'static str, Value)>,
) -> Vec<(&'static str, Value)> {
    while let Err(refused) = given(profile, tcp, &values) {
        let before = values.len();
        values.retain(|(key, _)| *key != refused.parameter);
        if values.len() == before {
            // A default is to blame: leave out a value, whichever.
            values.pop();
        }
    }
    values
}
