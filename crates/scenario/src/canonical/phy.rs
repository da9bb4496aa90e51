//! The constants of a physical layer.

use airfair_wifi::Phy;
use airfair_wifi::phy::{AccessRules, Countdown, Dsss, Framing, Plcp, Preamble, Retry};

use super::text::{Canonical, NONE, object, objects, variants, written};

objects! {
    Phy {
        access "access", ack_retry "ack_retry", basic_rates "basic_rates_bps", cts_retry "cts_retry_ns",
        cw_max "cw_max", cw_min "cw_min", data_rates "data_rates_bps", difs "difs_ns", eifs "eifs_ns",
        framing "framing", most_packet_bytes "most_packet_bytes", name "name", plcp "plcp",
        rts_rate "rts_rate_bps", sifs "sifs_ns", slot "slot_ns";
        dsss "dsss"
    }
    Dsss {
        ack_retry "ack_retry", basic_rates "basic_rates_bps";
        preamble "preamble"
    }
    Retry {
        slow "slow_ns", usual "usual_ns"
    }
    Framing {
        ack "ack_bytes", cts "cts_bytes", fcs "fcs_bytes", header "header_bytes", llc "llc_bytes",
        rts "rts_bytes"
    }
    AccessRules {
        after_collision "after_collision", backoff_includes_cw "backoff_includes_cw",
        cts_patience "cts_patience_ns", eifs_is_nav "eifs_is_nav", first_access "first_access",
        nav_unit "nav_unit_ns";
        countdown "countdown"
    }
}

// DCF's rule came first and is written as null, so that the keys of older results stay valid.
written!(Countdown => |countdown| match countdown {
    Countdown::Dcf => NONE.to_owned(),
    Countdown::Edca => countdown.word().text(),
});

// The long preamble came first and is written as null, so that the keys of older results stay valid.
written!(Preamble => |preamble| match preamble {
    Preamble::Long => NONE.to_owned(),
    Preamble::Short => preamble.word().text(),
});

variants! {
    Plcp {
        Serial {
            preamble "preamble_ns", slow_preamble "slow_preamble_ns", slow_rate "slow_rate_bps", unit "unit_ns"
        },
        Ofdm { extension "extension_ns", extra_bits "extra_bits", preamble "preamble_ns", symbol "symbol_ns" }
    }
}
