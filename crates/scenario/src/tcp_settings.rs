//! The settings that a profile and a TCP name stand for.

use airfair_tcp::Settings;
use airfair_tcp::profile::{self, Profile, TcpName};
use airfair_tcp::settings::Recovery;

/// What a file's TCP flows have that names neither a profile nor a variant.
pub const USUAL: (Profile, TcpName) = (Profile::Rfc, TcpName::named("newreno"));

/// What files call the profiles.
pub fn profiles() -> Vec<(&'static str, Profile)> {
    profile::profiles().filter_map(|name| Some((name, Profile::from_name(name)?))).collect()
}

/// What files call the TCPs: a congestion control with its usual recovery.
pub fn variants() -> Vec<(&'static str, TcpName)> {
    profile::names().filter_map(|name| Some((name, TcpName::from_name(name)?))).collect()
}

/// What files call the loss recoveries: the profile's four, and those that only a variant brings with it.
pub fn recoveries(profile: Profile) -> Vec<(&'static str, Recovery)> {
    let named = profile::recoveries().filter_map(|name| Some((name, profile.recovery(name)?)));
    let special = [("sack-pipe", Recovery::SackPipe), ("fack", Recovery::Fack), ("vegas", Recovery::Vegas)];
    named.chain(special).collect()
}

/// The settings of `variant` in `profile`, with segments of this size where it is given.
pub fn of(profile: Profile, variant: TcpName, segment_bytes: Option<u32>) -> Settings {
    let mut settings = profile::settings(profile, variant);
    if let Some(segment_bytes) = segment_bytes {
        settings.segment_bytes = segment_bytes;
        // RFC 3390 counts the initial window in bytes.
        if profile == Profile::Rfc {
            settings.initial_window = profile::initial_window_rfc3390(segment_bytes);
            settings.restart_window = settings.initial_window;
        }
    }
    settings
}
