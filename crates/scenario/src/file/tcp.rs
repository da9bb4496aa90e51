//! Settings of a TCP connection: the keys that `airfair-tcp` declares, and those that choose among its defaults and controls.

use airfair_core::schema::{Kind, Settings as _, Words};
use airfair_core::settings;
use airfair_tcp::profile::{ByProfile, NAMES};
use airfair_tcp::{Profile, Settings, TcpName};

use crate::file::Control;
use crate::file::declared::table;
use crate::resolved::Connection;

settings! {
    /// The keys that choose the profile, the congestion control and how sessions share connections.
    #[derive(Clone, Copy, Debug)]
    pub struct Choice[usual] {
        /// The source of all other defaults: ns-2, the RFCs, or Linux.
        "profile" profile: Profile, Kind::Word(Profile::WORDS), [Profile::Rfc];
        /// The congestion control with its usual loss recovery; none: the profile's.
        "variant" variant: Option<TcpName>, Kind::Word(Words::of(NAMES)), [None];
        /// How sessions share connections; those of `web` traffic follow from `http`.
        "connection" connection: Connection, Kind::Word(Connection::WORDS), [Connection::Reuse];
    }
}

impl Choice {
    /// Returns the congestion control: `variant`, or else that of the profile.
    pub fn tcp(&self) -> TcpName {
        self.variant.unwrap_or_else(|| ByProfile::USUAL.of(self.profile))
    }
}

table! {
    /// Settings of both ends of a TCP connection; each has the profile's value unless it is set.
    #[derive(Default)]
    pub struct Tcp [Choice::TABLE, Settings::TABLE] {
        /// Parameters of the congestion control.
        control: Option<Control>,
    }
}
