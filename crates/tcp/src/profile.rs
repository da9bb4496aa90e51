//! Named sets of settings: the settings of each `tcp=` name in each profile.
//!
//! A profile is data, a column of the [table of settings](crate::settings). No endpoint knows its profile.

use crate::congestion::{CONTROLS, Control, Description, Value, Variant};
use crate::settings::{Estimator, Growth, Handshake, Recovery, Restart, Settings};
use airfair_core::{Span, schema, words};
use std::fmt;

words! {
    /// Whose TCP; in the order of the columns of [`Settings`].
    pub enum Profile {
        /// ns-2.35's agents with their defaults (`tcl/lib/ns-default.tcl` and the agents' sources), so that runs can be compared
        /// number by number.
        Ns2 = "ns2",
        /// The RFCs: 5681, 6298, 6582, 6675, 3042, 3390, 1122.
        Rfc = "rfc",
        /// A current Linux kernel, as far as these settings go: `net/ipv4` and the default sysctls.
        Linux = "linux",
    }
}

/// A value for each profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByProfile<T> {
    /// In [`Profile::Ns2`].
    pub ns2: T,
    /// In [`Profile::Rfc`].
    pub rfc: T,
    /// In [`Profile::Linux`].
    pub linux: T,
}

impl<T: Copy> ByProfile<T> {
    /// One value for all profiles.
    pub const fn all(value: T) -> ByProfile<T> {
        ByProfile { ns2: value, rfc: value, linux: value }
    }

    /// The value in `profile`.
    pub fn of(&self, profile: Profile) -> T {
        match profile {
            Profile::Ns2 => self.ns2,
            Profile::Rfc => self.rfc,
            Profile::Linux => self.linux,
        }
    }
}

impl ByProfile<TcpName> {
    /// The TCP of a scenario that names none; Linux's default is CUBIC.
    pub const USUAL: ByProfile<TcpName> = ByProfile {
        ns2: TcpName::named("newreno"),
        rfc: TcpName::named("newreno"),
        linux: TcpName::named("cubic"),
    };
}

impl ByProfile<Value> {
    /// A flag that is on in [`Profile::Linux`] alone.
    pub const FLAG_OF_LINUX: ByProfile<Value> =
        ByProfile { ns2: Value::Flag(false), rfc: Value::Flag(false), linux: Value::Flag(true) };
}

impl ByProfile<Recovery> {
    /// Selective acknowledgements, as each profile has them.
    pub const SELECTIVE: ByProfile<Recovery> =
        ByProfile { ns2: Recovery::SackPipe, rfc: Recovery::Sack, linux: Recovery::Rack };
}

/// The agent of ns-2 that a control runs in; some have settings of their own in their sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ns2Agent {
    /// `Agent/TCP` and those derived from it without settings of their own.
    Tcp,
    /// `Agent/TCP/Vegas`.
    Vegas,
    /// `Agent/TCP/Linux`.
    Linux,
}

/// The value of a scenario's `tcp`: a congestion control with its usual recovery.
#[derive(Clone, Copy)]
pub struct TcpName {
    control: &'static Description,
    variant: &'static Variant,
}

/// The recoveries that every profile has; a scenario may also name those that only some TCPs bring with them.
pub const RECOVERIES: [&str; 5] = ["tahoe", "reno", "newreno", "sack", "rack"];

/// The names that a scenario's `tcp` may have, in the order in which they are listed.
pub const NAMES: &[&str] = &{
    let mut names = [""; count_of_names()];
    let (mut next, mut control) = (0, 0);
    while control < CONTROLS.len() {
        let variants = CONTROLS[control].variants;
        let mut variant = 0;
        while variant < variants.len() {
            names[next] = variants[variant].name;
            next += 1;
            variant += 1;
        }
        control += 1;
    }
    names
};

const fn count_of_names() -> usize {
    let (mut count, mut control) = (0, 0);
    while control < CONTROLS.len() {
        count += CONTROLS[control].variants.len();
        control += 1;
    }
    count
}

impl TcpName {
    /// The TCP of this name.
    pub fn from_name(name: &str) -> Option<TcpName> {
        let named = |control: &'static Description| {
            let variant = control.variants.iter().find(|variant| variant.name == name)?;
            Some(TcpName { control, variant })
        };
        CONTROLS.iter().find_map(named)
    }

    /// The TCP of this name, where it is known to be a declared name; in a constant it is checked when compiled.
    ///
    /// # Panics
    /// If no such TCP is declared.
    pub const fn named(name: &str) -> TcpName {
        let mut i = 0;
        while i < CONTROLS.len() {
            let control = &CONTROLS[i];
            let mut j = 0;
            while j < control.variants.len() {
                if same(control.variants[j].name, name) {
                    return TcpName { control, variant: &control.variants[j] };
                }
                j += 1;
            }
            i += 1;
        }
        panic!("there is no TCP of this name")
    }

    /// The name of its congestion control.
    pub fn control(self) -> &'static str {
        self.control.name()
    }

    /// The name as `tcp=` has it.
    pub fn name(self) -> &'static str {
        self.variant.name
    }
}

impl schema::Field for TcpName {
    fn to_value(self, _: schema::Kind) -> schema::Value {
        schema::Value::Word(self.name())
    }

    fn from_value(value: schema::Value) -> Option<TcpName> {
        match value {
            schema::Value::Word(name) => TcpName::from_name(name),
            _ => None,
        }
    }
}

/// Whether two texts are equal, for constants.
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut same = one.len() == other.len();
    let mut i = 0;
    while same && i < one.len() {
        same = one[i] == other[i];
        i += 1;
    }
    same
}

impl PartialEq for TcpName {
    fn eq(&self, other: &TcpName) -> bool {
        self.name() == other.name()
    }
}

impl Eq for TcpName {}

impl fmt::Debug for TcpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TcpName({})", self.name())
    }
}

/// The settings of `tcp` in `profile`.
pub fn settings(profile: Profile, tcp: TcpName) -> Settings {
    let mut settings = <Settings as schema::Settings>::column(profile as usize);
    if profile == Profile::Ns2 {
        tcp.control.ns2_agent.change(&mut settings);
    }
    settings.control = control(profile, tcp);
    settings.recovery = tcp.variant.recovery.of(profile);
    settings.max_window = tcp.variant.max_window;
    if let Some(echo) = tcp.variant.echo {
        (settings.ecn, settings.ecn_echo) = (true, echo);
    }
    if tcp.control.scalable {
        (settings.ect1, settings.pacing_quantum) = (true, Some(1));
    }
    settings
}

fn control(profile: Profile, tcp: TcpName) -> Control {
    let description = match tcp.variant.in_ns2 {
        Some(name) if profile == Profile::Ns2 => TcpName::named(name).control,
        _ => tcp.control,
    };
    Control::BuiltIn(description.configured(profile))
}

impl Control {
    /// The control of a column of settings, before a name chooses another one.
    pub(crate) fn reno() -> Control {
        Control::BuiltIn(TcpName::named("reno").control.configured(Profile::Rfc))
    }
}

impl Ns2Agent {
    /// Changes the settings of `Agent/TCP` to this agent's.
    fn change(self, settings: &mut Settings) {
        match self {
            Ns2Agent::Tcp => {}
            Ns2Agent::Vegas => {
                // Its output() adds no header; it has no SYN but delays growth all the same.
                settings.header_bytes = 0;
                settings.handshake = Handshake::FirstSegment;
                settings.restart = Restart::IdleTimeoutIsLoss;
                settings.restart_window = 2.0;
                settings.loss_window = 2.0;
                settings.limited_transmit = false;
            }
            Ns2Agent::Linux => {
                // tcp_abc is 1.
                settings.growth = Growth::PerByte;
                settings.growth_limit = Some(1);
                settings.grow_only_when_limited = true;
                settings.halve_threshold = true;
                settings.window_edge = false;
                settings.restart_window = 2.0;
                settings.handshake = Handshake::Overlapped;
                settings.rto_estimator = Estimator::DampedTicks;
                settings.rto_max = Span::from_secs(120);
                // select_ca sets the tick to a jiffy.
                settings.rto_granularity = Span::from_millis(1);
                settings.limited_transmit = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_again() {
        for &name in NAMES {
            assert_eq!(TcpName::from_name(name), Some(TcpName::named(name)));
            assert_eq!(TcpName::named(name).name(), name);
        }
        assert_eq!(TcpName::from_name("renoo"), None);
    }

    #[test]
    fn maxwin10_is_reno_with_one_setting_changed() {
        for profile in Profile::ALL {
            let reno = settings(profile, TcpName::named("reno"));
            let bounded = Settings { max_window: Some(10.0), ..reno };
            assert_eq!(settings(profile, TcpName::named("reno-maxwin10")), bounded);
        }
    }

    #[test]
    fn profiles_are_the_columns_of_the_table_and_recoveries_words_of_it() {
        assert_eq!(<Settings as schema::Settings>::COLUMNS, &*Profile::WORDS);
        assert!(RECOVERIES.iter().all(|word| Recovery::from_word(word).is_some()));
    }
}
