//! A resolved scenario as canonical JSON: whole nanoseconds, bit/s and bytes, exact reals, sorted keys. The key of a result is
//! the hash of this text.
//!
//! Declared settings are written under the keys of their tables; this module spells all other keys. No text depends on the name
//! of a Rust field or type.

mod phy;
mod station;
mod text;

use std::sync::Arc;

use airfair_core::{LossModel, LossProbability, LossUnit, Span};
use airfair_net::{LinkConfig, LinkLoss, LossPosition, Outage, OutagePackets, QueueLimit, Repeat, TxRing};
use airfair_queue::{Discipline, PolicerConfig, QueueConfig, WindowControlConfig};
use airfair_wifi::phy::edca::{AccessCategory, Dscp};
use airfair_wifi::phy::propagation::{PathLoss, PathLossModel};
use airfair_wifi::{
    AfterCollision, Announcement, AnnouncementKind, BssConfig, FirstAccess, FrameLoss, FrameLossDirection,
    FrameLossPosition, LossyFrames, MacSettings, Protection, Radio, SenseSettings,
};

use crate::resolved::{
    Convergence, Effort, FairShare, FairnessOf, Flow, Gap, Link, Measures, Node, Page, Scenario,
    StackSettings, Traffic, Transport, VoiceCodec, Wlan,
};
use text::{Canonical, NONE, Shared, component, list, object, objects, sorted, variants, written};

/// The version of the canonical form. A change of any key, unit or spelling raises it. The first form, which had no number, was
/// the debug output of Rust types.
const FORM: u32 = 2;

/// Returns everything that decides a run as canonical JSON. The scenario's own name and the metrics that are reported do not
/// decide it; paths follow from the graph.
pub fn json(scenario: &Scenario) -> String {
    let Scenario { name: _, warmup, duration, nodes, links, wlans, flows, metrics: _, fair_share, measures } =
        scenario;
    let mut settings = Shared::new();
    object([
        ("duration_ns", duration.text()),
        ("fair_share", fair_share.text()),
        ("flows", list(flows.iter().map(|flow| flow_text(flow, &mut settings)))),
        ("form", FORM.text()),
        ("links", links.text()),
        ("measures", measures.text()),
        ("nodes", nodes.text()),
        ("warmup_ns", warmup.text()),
        ("wlans", wlans.text()),
    ])
}

objects! {
    Node { name "name" }
    Measures {
        convergence "convergence", deadline "deadline_ns", effort "effort", fairness_of "fairness_of"
    }
    Effort { eee "eee", throughput_max "throughput_max_bps", uar "uar" }
    Link { a "a", b "b", backward "backward", forward "forward" }
    LinkConfig {
        delay "delay_ns", discipline "discipline", loss "loss", name "name", outage "outage",
        queue "queue", rate "rate_bps";
        tx_ring "tx_ring"
    }
    LinkLoss { model "model", position "position" }
    LossModel { of "of", probability "probability" }
    Outage {
        duration "duration_ns", packets "lost", repeat "repeat", spread "spread_ns", start "start_ns"
    }
    Wlan {
        bss "bss", members "members", name "name", policer "policer", stack "stack",
        window_control "window_control";
        channel "channel"
    }
    Page {
        bytes "bytes", connection "connection", connections "connections", name "name", objects "objects",
        round_trips "round_trips"
    }
    Radio { path_loss "path_loss", sense "sense" }
    PathLoss { exponent "exponent", frequency "frequency_ghz", model "model" }
    Announcement { bytes "bytes", interval "interval_ns", kind "kind"; rate "rate_bps" }
    PolicerConfig { burst_bytes "burst_bytes", rate "rate_bps" }
    WindowControlConfig { buffer_packets "buffer_packets", flow_timeout "flow_timeout_ns" }
    QueueConfig { discipline "discipline", limit "limit", rate "rate_bps"; weights "airtime_weights" }
    FrameLoss { direction "direction", frames "frames", model "model", position "position" }
}

variants! {
    FairShare { Undefined, Split { down "down_bps", up "up_bps", users "users" } }
    QueueLimit { Packets(packets "packets"), Bytes(bytes "bytes") }
    LossProbability {
        Constant(probability),
        GilbertElliott { bad "bad", good "good", mean_bad "mean_bad_ns", mean_good "mean_good_ns" }
    }
    Repeat { Once, Periodic(period "period_ns"), Random(period "mean_period_ns") }
    OutagePackets { Lost(position), Held }
    Traffic {
        Persistent { spread "spread_ns", start "start_ns", stop "stop_ns" },
        Intermittent { bytes "bytes", gap "gap", spread "spread_ns", start "start_ns" },
        Voice { codec "codec", playout_delay "playout_delay_ns", spread "spread_ns", start "start_ns" },
        Web { gap "gap", page "page", spread "spread_ns", start "start_ns" },
        Video { bitrate "bitrate_bps", buffer "buffer_ns", segment "segment_ns", spread "spread_ns", start "start_ns" },
        VideoCall { frame_interval "frame_interval_ns", least "least_bps", most "most_bps", spread "spread_ns", start "start_ns" },
        RequestResponse {
            gap "gap", request_bytes "request_bytes", response_bytes "response_bytes", spread "spread_ns", start "start_ns"
        },
        Game { spread "spread_ns", start "start_ns", state_bytes "state_bytes", tick "tick_ns", update_bytes "update_bytes" },
        Trace { sessions "sessions", spread "spread_ns", start "start_ns" }
    }
    Gap { Fixed(period "fixed_ns"), Uniform { high "high_ns", low "low_ns" }, Exponential(mean "mean_ns") }
}

written!(Vec<(u32, u16)> => |weights| match &weights[..] {
    [] => NONE.to_owned(),
    weights => {
        let each = |(station, weight): &(u32, u16)| object([("station", station.text()), ("weight", u32::from(*weight).text())]);
        list(weights.iter().map(each))
    }
});

written!(TxRing => |ring| match ring {
    TxRing::Packets(packets) => object([("packets", packets.text())]),
    TxRing::Bytes(bytes) => object([("bytes", bytes.text())]),
    TxRing::Bql => "bql".text(),
});

// Sessions as pairs of a time in nanoseconds and a size in bytes.
written!(Arc<[(Span, u64)]> => |sessions| {
    list(sessions.iter().map(|(at, bytes)| list([at.text(), bytes.text()].into_iter())))
});

// Fields that were added later are left out where they have no value, so that the keys of older results stay valid.
impl Canonical for BssConfig {
    fn text(&self) -> String {
        let BssConfig { phy, mac, protection, announcements, radio, stations } = self;
        let mut entries = vec![("mac", mac.text()), ("phy", phy.text()), ("stations", stations.text())];
        entries.extend((!announcements.is_empty()).then(|| ("announcements", announcements.text())));
        let is_protected = *protection != Protection::None;
        entries.extend(is_protected.then(|| ("protection", protection.word().text())));
        entries.extend(radio.map(|radio| ("radio", radio.text())));
        sorted(entries)
    }
}

// Declared settings are written under the keys that they declare.
written!(Convergence, Discipline, MacSettings, SenseSettings, StackSettings => |settings| component(settings));

// Closed sets of words are written as they are declared.
written!(
    AccessCategory, AfterCollision, AnnouncementKind, Dscp, FairnessOf, FirstAccess, FrameLossDirection, FrameLossPosition,
    LossPosition, LossUnit, LossyFrames, PathLossModel, VoiceCodec
    => |variant| variant.word().text()
);

fn flow_text<'a>(flow: &'a Flow, settings: &mut Shared<'a, airfair_tcp::Settings>) -> String {
    let Flow {
        name,
        source,
        sink,
        transport,
        traffic,
        access_category,
        dscp,
        direction: _,
        forward: _,
        backward: _,
    } = flow;
    let transport = match transport {
        Transport::Tcp { settings: tcp, connection } => {
            object([("connection", connection.word().text()), ("tcp", settings.text(tcp))])
        }
        Transport::Udp { datagram_bytes, header_bytes, ect1, rate } => {
            let mut entries = vec![
                ("datagram_bytes", datagram_bytes.text()),
                ("header_bytes", header_bytes.text()),
                ("rate_bps", rate.text()),
            ];
            entries.extend(ect1.then(|| ("ect1", ect1.text())));
            sorted(entries)
        }
    };
    let mut entries = vec![
        ("name", name.text()),
        ("sink", sink.text()),
        ("source", source.text()),
        ("traffic", traffic.text()),
        ("transport", transport),
    ];
    // Added later, as `ect1` was: left out where unset, so that the keys of older results stay valid.
    entries.extend(access_category.map(|category| ("access_category", category.text())));
    entries.extend(dscp.map(|dscp| ("dscp", dscp.text())));
    sorted(entries)
}
