//! The settings that can change while a run goes on, and why the others cannot.

use airfair_core::schema::Settings as _;
use airfair_net::LinkConfig;
use airfair_scenario::resolved::{Flow, Link, Scenario, Traffic, Transport, Wlan};
use airfair_wifi::{FADING, MacSettings, StationConfig};
use std::mem::discriminant;
use std::sync::Arc;

/// A group of settings whose changes during a run take effect in one way.
#[derive(Clone, Copy, Debug)]
pub struct Changeable {
    /// The tables of scenario files that have these settings; `NAME` stands for a name.
    pub tables: &'static [&'static str],
    /// The keys of the settings in these tables. A key that ends in `.*` is a table.
    pub keys: fn() -> Vec<&'static str>,
    /// When a new value takes effect, and for what.
    pub effect: &'static str,
    /// Copies these settings from the second scenario, which has the same components, into the first.
    take: fn(&mut Scenario, &Scenario),
}

/// All settings that can change during a run, in the order of the guide.
pub const CHANGEABLE: &[Changeable] = &[
    Changeable {
        tables: &["link.NAME", "link.NAME.reverse"],
        keys: || vec!["rate"],
        effect: "A transmission under way ends as it was begun. Packets that wait are sent at the new rate.",
        take: |to, from| each_direction(to, from, |to, from| to.rate = from.rate),
    },
    Changeable {
        tables: &["link.NAME", "link.NAME.reverse"],
        keys: || vec!["delay"],
        effect: "Packets on the wire arrive when they would have. No packet overtakes them after a change to a shorter delay: \
                 it comes right behind the last one.",
        take: |to, from| each_direction(to, from, |to, from| to.delay = from.delay),
    },
    Changeable {
        tables: &["link.NAME"],
        keys: || vec!["queue", "queue_packet", "reverse.queue", "discipline.*"],
        effect: QUEUE,
        take: |to, from| {
            each_direction(to, from, |to, from| {
                (to.queue, to.discipline) = (from.queue, from.discipline.clone());
            });
        },
    },
    Changeable {
        tables: &["link.NAME"],
        keys: || vec!["loss.*"],
        effect: "For packets that come, or whose transmission starts, from then on. A new loss draws anew, from a stream of its own.",
        take: |to, from| each_direction(to, from, |to, from| to.loss.clone_from(&from.loss)),
    },
    Changeable {
        tables: &["wlan.NAME", "wlan.NAME.station.NAME"],
        keys: || vec!["data_rate", "ap_data_rate"],
        effect: AIR,
        take: |to, from| {
            each_station(to, from, |to, from, _| {
                if to.qos.is_none() {
                    (to.data_rate, to.ap_data_rate) = (from.data_rate, from.ap_data_rate);
                    to.queue.rate = from.queue.rate;
                }
            });
        },
    },
    Changeable {
        tables: &["wlan.NAME"],
        keys: || MacSettings::TABLE.iter().map(|setting| setting.key).collect(),
        effect: AIR,
        take: |to, from| each_wlan(to, from, |to, from| to.bss.mac = from.bss.mac),
    },
    Changeable {
        tables: &["wlan.NAME", "wlan.NAME.station.NAME"],
        keys: || vec!["aifsn", "txop", "edca.NAME.*"],
        effect: EDCA,
        take: take_edca,
    },
    Changeable { tables: &["wlan.NAME"], keys: || vec!["ap_edca.NAME.*"], effect: EDCA, take: take_edca },
    Changeable {
        tables: &["wlan.NAME", "wlan.NAME.station.NAME"],
        keys: || vec!["loss.*"],
        effect: "From the next transmission on, also of a frame that is sent again. A new loss draws anew, from a stream of its own.",
        take: |to, from| each_station(to, from, |to, from, _| to.loss = from.loss),
    },
    Changeable {
        tables: &["wlan.NAME", "wlan.NAME.station.NAME"],
        keys: || [&["snr", "distance"], FADING.as_slice()].concat(),
        effect: "With EDCA, for frames that end from then on. Noise must destroy frames from the start, and stations have no places. \
                 A ratio that varies goes on to do so, about the new one.",
        take: take_snr,
    },
    Changeable {
        tables: &["wlan.NAME"],
        keys: || vec!["ap_queue", "ap_discipline.*"],
        effect: QUEUE,
        take: |to, from| {
            each_station(to, from, |to, from, is_access_point| {
                if is_access_point {
                    to.queue.clone_from(&from.queue);
                }
            });
        },
    },
    Changeable {
        tables: &["wlan.NAME.station.NAME"],
        keys: || vec!["airtime_weight"],
        effect: "From the station's present turn on.",
        take: |to, from| {
            each_station(to, from, |to, from, _| to.queue.weights.clone_from(&from.queue.weights));
        },
    },
    Changeable {
        tables: &["wlan.NAME", "wlan.NAME.station.NAME"],
        keys: || vec!["queue"],
        effect: "Frames beyond a smaller limit stay; new ones are refused until there is room. A station's limit keeps its unit.",
        take: |to, from| {
            each_station(to, from, |to, from, _| {
                if discriminant(&to.queue.limit) == discriminant(&from.queue.limit) {
                    to.queue.limit = from.queue.limit;
                }
            });
        },
    },
    Changeable {
        tables: &["wlan.NAME"],
        keys: || vec!["policer.*"],
        effect: "A new policer starts with a full bucket. With another rate or burst, what packets have taken from the bucket stays taken: a full one stays full.",
        take: |to, from| each_wlan(to, from, |to, from| to.policer = from.policer),
    },
    Changeable {
        tables: &["wlan.NAME"],
        keys: || vec!["window_control.*"],
        effect: "A new window control knows no flows; it learns of each from its next packet.",
        take: |to, from| each_wlan(to, from, |to, from| to.window_control = from.window_control),
    },
    Changeable {
        tables: &["tcp", "flow.NAME.tcp"],
        keys: || airfair_tcp::Settings::changeable().chain(["control.*"]).collect(),
        effect: "From the connection's next ACK, timer or write on. A timer that runs ends as it was set; the receiver advertises a \
                 new `window` with its next ACK. The control and its state stay when its parameters change. The `window` of ns-2's \
                 Vegas cannot change.",
        take: |to, from| each_flow(to, from, take_tcp),
    },
    Changeable {
        tables: &["flow.NAME"],
        keys: || vec!["session_bytes", "period", "gap"],
        effect: "With `intermittent` traffic, from the next session on; the time of its start is drawn already.",
        take: |to, from| each_flow(to, from, take_sessions),
    },
    Changeable {
        tables: &["flow.NAME"],
        keys: || vec!["udp.rate"],
        effect: "After the next datagram.",
        take: |to, from| {
            each_flow(to, from, |to, from| {
                if let (Transport::Udp { rate, .. }, Transport::Udp { rate: other, .. }) =
                    (&mut to.transport, &from.transport)
                {
                    *rate = *other;
                }
            });
        },
    },
];

const QUEUE: &str = "Limit, rate and parameters change under the packets held. Those beyond a smaller limit stay; new ones are refused \
                     until there is room. Another discipline gets the packets held: see below.";
const EDCA: &str = "With EDCA, from the access category's next backoff on.";
const AIR: &str = "From the next transmission on, also of a frame that is sent again.";

/// Reason why a change is refused: a test whether two scenarios, which agree in all that can change, differ in
/// something fixed, and what to say then.
type Obstacle = (fn(&Scenario, &Scenario) -> bool, &'static str);

const OBSTACLES: &[Obstacle] = &[
    (
        |one, other| (one.warmup, one.duration) != (other.warmup, other.duration),
        "the run has its length from the start",
    ),
    (
        |one, other| !have_same_components(one, other),
        "nodes, links, stations, flows and paths are those of the start",
    ),
    (
        |one, other| pairs(&one.wlans, &other.wlans, |one, other| one.bss.phy != other.bss.phy),
        "a WLAN keeps its PHY",
    ),
    (
        |one, other| pairs(&one.wlans, &other.wlans, |one, other| one.stack != other.stack),
        "hosts keep their stacks",
    ),
    (
        |one, other| {
            let signal = |station: &StationConfig| {
                let of_edca = station.qos.as_ref();
                (station.place, of_edca.map(|qos| (qos.snr, qos.snr_trace.clone(), qos.rate_control)))
            };
            pairs(&one.wlans, &other.wlans, |one, other| {
                pairs(&one.bss.stations, &other.bss.stations, |one, other| signal(one) != signal(other))
            })
        },
        "a station keeps its place, its rate control, and how its signal-to-noise ratio varies; noise destroys its frames or does not for the whole run",
    ),
    (
        |one, other| {
            pairs(&one.wlans, &other.wlans, |one, other| {
                pairs(&one.bss.stations, &other.bss.stations, |one, other| one.qos != other.qos)
            })
        },
        "a station with EDCA keeps its access category, its modes, its aggregation and its driver's queue",
    ),
    (
        |one, other| {
            pairs(&one.wlans, &other.wlans, |one, other| {
                let rest = |wlan: &Wlan| {
                    let Wlan { bss, .. } = wlan;
                    let hears: Vec<_> = bss.stations.iter().map(|station| station.hears.clone()).collect();
                    (bss.protection, bss.announcements.clone(), bss.radio, hears)
                };
                rest(one) != rest(other)
            })
        },
        "a WLAN keeps its protection, its beacons and broadcasts, its radio, and who hears whom",
    ),
    (
        |one, other| pairs(&one.wlans, &other.wlans, |one, other| one.bss != other.bss),
        "a station's queue keeps its discipline and the unit of its limit",
    ),
    (
        |one, other| {
            let rings = |link: &Link| [link.forward.tx_ring, link.backward.tx_ring];
            pairs(&one.links, &other.links, |one, other| rings(one) != rings(other))
        },
        "a link keeps the ring of its transmitter",
    ),
    (|one, other| one.links != other.links, "outages are drawn at the start"),
    (
        |one, other| pairs(&one.flows, &other.flows, |one, other| one.traffic != other.traffic),
        "a flow keeps its kind of traffic, its start and its stop, and what it sends unless that is `intermittent` sessions",
    ),
    (|one, other| one.flows != other.flows, "a flow keeps it for the whole run"),
    (|_, _| true, "metrics keep the values of the start"),
];

/// Returns why `to` cannot follow `from` in a run under way; `None` if it can.
pub fn obstacle(from: &Scenario, to: &Scenario) -> Option<&'static str> {
    let mut changed = from.clone();
    if have_same_components(from, to) {
        CHANGEABLE.iter().for_each(|changeable| (changeable.take)(&mut changed, to));
    }
    if changed == *to {
        return None;
    }
    OBSTACLES.iter().find(|(differs, _)| differs(&changed, to)).map(|&(_, why)| why)
}

fn pairs<T>(ones: &[T], others: &[T], differ: impl Fn(&T, &T) -> bool) -> bool {
    ones.iter().zip(others).any(|(one, other)| differ(one, other))
}

/// Whether two scenarios have the same nodes, links, WLANs and flows, and the same paths between them.
fn have_same_components(one: &Scenario, other: &Scenario) -> bool {
    let same_stations = |one: &Wlan, other: &Wlan| {
        let names =
            |wlan: &Wlan| wlan.bss.stations.iter().map(|station| station.name.clone()).collect::<Vec<_>>();
        one.name == other.name && one.members == other.members && names(one) == names(other)
    };
    let same_ends = |one: &Flow, other: &Flow| {
        let ends = |flow: &Flow| (flow.source, flow.sink, flow.forward.clone(), flow.backward.clone());
        one.name == other.name && ends(one) == ends(other)
    };
    one.nodes == other.nodes
        && (one.links.len(), one.wlans.len(), one.flows.len())
            == (other.links.len(), other.wlans.len(), other.flows.len())
        && !pairs(&one.links, &other.links, |one, other| {
            (one.a, one.b, &one.forward.name) != (other.a, other.b, &other.forward.name)
        })
        && !pairs(&one.wlans, &other.wlans, |one, other| !same_stations(one, other))
        && !pairs(&one.flows, &other.flows, |one, other| !same_ends(one, other))
}

fn each_direction(to: &mut Scenario, from: &Scenario, take: impl Fn(&mut LinkConfig, &LinkConfig)) {
    for (to, from) in to.links.iter_mut().zip(&from.links) {
        take(&mut to.forward, &from.forward);
        take(&mut to.backward, &from.backward);
    }
}

fn each_wlan(to: &mut Scenario, from: &Scenario, take: impl Fn(&mut Wlan, &Wlan)) {
    to.wlans.iter_mut().zip(&from.wlans).for_each(|(to, from)| take(to, from));
}

/// Calls `take` for each pair of stations. Its last argument is whether the station is the access point.
fn each_station(to: &mut Scenario, from: &Scenario, take: impl Fn(&mut StationConfig, &StationConfig, bool)) {
    each_wlan(to, from, |to, from| {
        for (index, (to, from)) in to.bss.stations.iter_mut().zip(&from.bss.stations).enumerate() {
            take(to, from, index == 0);
        }
    });
}

fn take_edca(to: &mut Scenario, from: &Scenario) {
    each_station(to, from, |to, from, _| {
        if let (Some(to), Some(from)) = (&mut to.qos, &from.qos) {
            to.edca = from.edca;
        }
    });
}

fn take_snr(to: &mut Scenario, from: &Scenario) {
    each_station(to, from, |to, from, _| {
        if let (Some(to), Some(from)) = (&mut to.qos, &from.qos)
            && let (Some(to), Some(from)) = (&mut to.snr, &from.snr)
            && to.variation == from.variation
        {
            *to = *from;
        }
    });
}

fn each_flow(to: &mut Scenario, from: &Scenario, take: impl Fn(&mut Flow, &Flow)) {
    to.flows.iter_mut().zip(&from.flows).for_each(|(to, from)| take(to, from));
}

fn take_tcp(to: &mut Flow, from: &Flow) {
    if let (Transport::Tcp { settings, .. }, Transport::Tcp { settings: other, .. }) =
        (&mut to.transport, &from.transport)
        && settings != other
    {
        *settings = Arc::new(settings.with_changeable_of(other));
    }
}

fn take_sessions(to: &mut Flow, from: &Flow) {
    if let (
        Traffic::Intermittent { bytes, gap, .. },
        &Traffic::Intermittent { bytes: other, gap: pause, .. },
    ) = (&mut to.traffic, &from.traffic)
    {
        (*bytes, *gap) = (other, pause);
    }
}
