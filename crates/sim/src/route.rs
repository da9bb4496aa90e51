//! Every flow's two paths, flattened into one table of steps. A packet carries the index of its next step.
//!
//! Feeders, lines and legs concern the fast engine alone; to the plain one a link is a link. In the fast engine, entering a link costs
//! an event only if several feeders share the link, because then the order matters. A link with a single feeder is entered as soon as
//! the packet's arrival is known: see [`has_single_feeder`].

use airfair_core::Span;
use airfair_net::LinkConfig;
use airfair_scenario::resolved::{Flow, HopRef, Scenario, Traffic, Transport};
use airfair_wifi::phy::edca::AccessCategory;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Over one direction of a wired link (`2 * link`, plus one for the backward direction) with a single feeder.
    Link(Leg),
    /// Over a direction of a wired link with several feeders: the packet waits in a delay line. The leg is that of the step after it.
    SharedLink { link: u32, line: u32, leg: Leg },
    /// Into a direction of a wired link with a queue discipline, by its number among those.
    QueuedLink { queue: u32, line: u32 },
    /// Over a wireless network, by the number of a [`WlanHop`].
    Wlan { hop: u32, line: u32 },
    /// The endpoint.
    End,
}

/// A link with a single feeder, and where a packet stops behind it. Kept wherever a packet may set out, a leg saves looks at steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The link; [`Leg::NO_LINK`] if the step is of another kind, which `then` says.
    pub link: u32,
    pub then: Stop,
}

impl Leg {
    pub const NO_LINK: u32 = u32::MAX;
    /// No link with a single feeder, and nothing known of the step.
    const NONE: Leg = Leg { link: Leg::NO_LINK, then: Stop::UNKNOWN };

    /// Returns the leg that begins with a step.
    fn of(step: Step) -> Leg {
        if let Step::Link(leg) = step { leg } else { Leg { then: Stop::before(step), ..Leg::NONE } }
    }
}

/// Where a packet goes no further by itself: a delay line, a hop over the air, or one of the rare cases; in one word of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop(u32);

impl Stop {
    /// The packet reaches its endpoint.
    pub const ENDPOINT: Stop = Stop(u32::MAX);
    /// A link dropped or lost the packet.
    pub const LOST: Stop = Stop(u32::MAX - 1);
    /// The run pauses before the packet reaches the next link.
    pub const HORIZON: Stop = Stop(u32::MAX - 2);
    /// The packet enters a queue.
    pub const QUEUE: Stop = Stop(u32::MAX - 3);
    /// No stop: the packet crosses another link at once.
    pub const LINK: Stop = Stop(u32::MAX - 4);
    /// Nothing is known of the stop.
    const UNKNOWN: Stop = Stop(u32::MAX - 5);
    /// The stop before the first hop over the air. Delay lines have lower numbers.
    const FIRST_HOP: Stop = Stop(1 << 31);

    /// Returns the delay line in which the packet waits, if the stop is one.
    #[inline]
    pub fn line(self) -> Option<u32> {
        (self.0 < Stop::FIRST_HOP.0).then_some(self.0)
    }

    /// Returns the hop over the air before which the packet stops, by the number of its [`WlanHop`].
    #[inline]
    pub fn hop(self) -> Option<u32> {
        (Stop::FIRST_HOP.0..Stop::UNKNOWN.0).contains(&self.0).then(|| self.0 - Stop::FIRST_HOP.0)
    }

    /// Returns the stop before a step.
    pub fn before(step: Step) -> Stop {
        match step {
            Step::End => Stop::ENDPOINT,
            Step::SharedLink { line, .. } | Step::QueuedLink { line, .. } => Stop(line),
            Step::Link(_) => Stop::LINK,
            Step::Wlan { hop, .. } => Stop(Stop::FIRST_HOP.0 + hop),
        }
    }
}

/// A hop from one station of a wireless network to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WlanHop {
    pub channel: u32,
    /// Number of the sender on the channel.
    pub from: u32,
    /// Number of the receiver in its network.
    pub to: u32,
    /// Access category of the frames; `None` for the station's usual one.
    pub category: Option<AccessCategory>,
    /// Delay of the stack of the sender's host, before its interface queue.
    pub delay: Span,
    /// Whether arrivals are scheduled at the interface queue.
    pub scheduled: bool,
}

/// The paths of all flows.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    steps: Vec<Step>,
    /// The leg that begins with each step.
    legs: Vec<Leg>,
    wlan_hops: Vec<WlanHop>,
    lines: DelayLines,
    /// The shared link behind each line, or [`Leg::NO_LINK`].
    links_behind: Vec<u32>,
}

/// The starts of a flow's two paths in [`Routes`].
#[derive(Clone, Copy, Debug)]
pub struct Paths {
    pub forward: Start,
    pub backward: Start,
}

/// The start of a path, and what is known of its end.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Index of the path's first step.
    pub at: u32,
    pub leg: Leg,
    pub end: End,
}

/// The end of an ordinary path: its last shared link, then a link of the flow's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Index of the step over the last shared link; `u32::MAX` if the path ends otherwise.
    pub at: u32,
    /// The link between the shared link and the endpoint.
    pub link: u32,
}

impl End {
    /// The end of any other path.
    pub const NONE: End = End { at: u32::MAX, link: Leg::NO_LINK };
}

impl Routes {
    /// Returns the paths of all flows of a scenario, in its order.
    pub fn new(scenario: &Scenario) -> (Routes, Vec<Paths>) {
        let on_the_way = OnTheWay { link_kinds: link_kinds(scenario), places: places(scenario) };
        let mut routes = Routes::default();
        let mut add = |hops: &[HopRef], flow: &Flow| {
            let at = routes.steps.len() as u32;
            routes.add_path(scenario, hops, flow.access_category, &on_the_way);
            Start { at, leg: routes.leg(at), end: routes.end() }
        };
        let flows = scenario.flows.iter();
        let paths = flows
            .map(|flow| Paths { forward: add(&flow.forward, flow), backward: add(&flow.backward, flow) });
        let paths = paths.collect();
        routes.links_behind = vec![Leg::NO_LINK; routes.lines()];
        for step in &routes.steps {
            if let Step::SharedLink { link, line, .. } = *step {
                routes.links_behind[line as usize] = link;
            }
        }
        (routes, paths)
    }

    /// Returns the step at an index.
    #[inline]
    pub fn step(&self, at: u32) -> Step {
        self.steps[at as usize]
    }

    /// Returns the leg that begins with the step at an index.
    #[inline]
    pub fn leg(&self, at: u32) -> Leg {
        self.legs[at as usize]
    }

    /// Returns the end of the path that was added last.
    fn end(&self) -> End {
        let shared = self.steps.len().saturating_sub(3);
        match self.steps[shared..] {
            [Step::SharedLink { leg, .. }, Step::Link(_), Step::End] => {
                End { at: shared as u32, link: leg.link }
            }
            _ => End::NONE,
        }
    }

    /// Returns the shared link behind a line; [`Leg::NO_LINK`] if the line leads to something else.
    #[inline]
    pub fn link_behind(&self, line: usize) -> u32 {
        self.links_behind.get(line).copied().unwrap_or(Leg::NO_LINK)
    }

    /// Returns the hop over the air with this number.
    #[inline]
    pub fn wlan_hop(&self, hop: u32) -> WlanHop {
        self.wlan_hops[hop as usize]
    }

    /// Whether the step at an index is a wired link.
    #[inline]
    pub fn leads_to_wire(&self, at: u32) -> bool {
        matches!(self.step(at), Step::Link(_) | Step::SharedLink { .. } | Step::QueuedLink { .. })
    }

    /// Returns the drop-tail link that the step at an index leads over.
    #[inline]
    pub fn drop_tail_link(&self, at: u32) -> Option<u32> {
        match self.step(at) {
            Step::Link(Leg { link, .. }) | Step::SharedLink { link, .. } => Some(link),
            Step::QueuedLink { .. } | Step::Wlan { .. } | Step::End => None,
        }
    }

    /// Returns the number of delay lines.
    pub fn lines(&self) -> usize {
        self.lines.0.len()
    }

    /// Adds a path of a flow. Delays between merge points assume packets of 1000 bytes and empty queues: they only tell paths apart.
    fn add_path(
        &mut self,
        scenario: &Scenario,
        hops: &[HopRef],
        category: Option<AccessCategory>,
        on_the_way: &OnTheWay,
    ) {
        const NOMINAL_BYTES: u64 = 1000;
        let first = self.steps.len();
        let mut nominal_delay = Span::ZERO;
        for &hop in hops {
            self.steps.push(match hop {
                HopRef::Link { link, reverse } => {
                    let number = direction(hop);
                    let mut line = || self.lines.before(MergePoint::Link(number), take(&mut nominal_delay));
                    let step = match on_the_way.link_kinds[number as usize] {
                        LinkKind::Exclusive => Step::Link(Leg { link: number, ..Leg::NONE }),
                        LinkKind::Shared => Step::SharedLink { link: number, line: line(), leg: Leg::NONE },
                        LinkKind::Queued(queue) => Step::QueuedLink { queue, line: line() },
                    };
                    let config = scenario.links[link].direction(reverse);
                    nominal_delay = nominal_delay + config.rate.span_of_bytes(NOMINAL_BYTES) + config.delay;
                    step
                }
                HopRef::Wlan { wlan, from, to } => {
                    let (channel, first) = on_the_way.places[wlan];
                    let from = first + from;
                    let line =
                        self.lines.before(MergePoint::Interface { channel, from }, take(&mut nominal_delay));
                    self.wlan_hops.push(WlanHop {
                        channel: channel as u32,
                        from: from as u32,
                        to: to as u32,
                        category,
                        delay: scenario.wlans[wlan].stack.host_delay,
                        scheduled: false,
                    });
                    Step::Wlan { hop: self.wlan_hops.len() as u32 - 1, line }
                }
            });
        }
        self.steps.push(Step::End);
        for at in (first..self.steps.len() - 1).rev() {
            let next = self.steps[at + 1];
            match &mut self.steps[at] {
                Step::Link(leg) => leg.then = Stop::before(next),
                Step::SharedLink { leg, .. } => *leg = Leg::of(next),
                Step::QueuedLink { .. } | Step::Wlan { .. } | Step::End => {}
            }
        }
        self.legs.extend(self.steps[first..].iter().map(|&step| Leg::of(step)));
    }

    /// Marks the interface queues, by channel and station, at which arrivals are scheduled.
    pub fn mark_scheduled(&mut self, is_scheduled: impl Fn(u32, u32) -> bool) {
        for hop in &mut self.wlan_hops {
            hop.scheduled = is_scheduled(hop.channel, hop.from);
        }
    }

    /// Returns the delay line before the interface queue of a WLAN's station; `None` if there is none, or more than one.
    pub fn single_line(&self, channel: usize, from: usize) -> Option<usize> {
        let place = MergePoint::Interface { channel, from };
        let mut lines = self.lines.0.range((place, Span::ZERO)..=(place, Span(u64::MAX)));
        match (lines.next(), lines.next()) {
            (Some((_, &line)), None) => Some(line as usize),
            _ => None,
        }
    }
}

/// Where paths merge: a direction of a link, or the interface queue of a WLAN's station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MergePoint {
    Link(u32),
    Interface { channel: usize, from: usize },
}

/// Delay lines before merge points: paths with equal delay to a merge point share one.
#[derive(Clone, Debug, Default)]
struct DelayLines(BTreeMap<(MergePoint, Span), u32>);

impl DelayLines {
    /// Returns the line shared by all paths that reach `place` a nominal delay after their previous line or source. Adds it if there is
    /// none yet.
    fn before(&mut self, place: MergePoint, nominal_delay: Span) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry((place, nominal_delay)).or_insert(next)
    }
}

/// Returns the index of a link's direction; `u32::MAX` for a hop over the air.
fn direction(hop: HopRef) -> u32 {
    match hop {
        HopRef::Link { link, reverse } => 2 * link as u32 + u32::from(reverse),
        HopRef::Wlan { .. } => u32::MAX,
    }
}

/// When packets enter a direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkKind {
    /// Packets enter as soon as their arrival is known: see [`has_single_feeder`].
    Exclusive,
    /// Packets enter at their arrival, by an event.
    Shared,
    /// Packets enter a queue with a discipline, by an event. The number is that of the queue among those.
    Queued(u32),
}

/// All links and WLANs that the paths of a scenario may cross.
struct OnTheWay {
    /// The kind of each direction of each link.
    link_kinds: Vec<LinkKind>,
    /// For each WLAN, its channel, and the number of its first station on that channel.
    places: Vec<(usize, usize)>,
}

fn places(scenario: &Scenario) -> Vec<(usize, usize)> {
    let mut places = vec![(0, 0); scenario.wlans.len()];
    for (channel, wlans) in scenario.channels().iter().enumerate() {
        let mut first = 0;
        for &wlan in wlans {
            places[wlan] = (channel, first);
            first += scenario.wlans[wlan].members.len();
        }
    }
    places
}

fn link_kinds(scenario: &Scenario) -> Vec<LinkKind> {
    let mut queues = 0..;
    let ahead = has_single_feeder(scenario);
    let way = |(ahead, config): (bool, &LinkConfig)| match (&config.discipline, ahead) {
        (Some(_), _) => LinkKind::Queued(queues.next().unwrap_or_default()),
        (None, true) => LinkKind::Exclusive,
        (None, false) => LinkKind::Shared,
    };
    ahead.into_iter().zip(scenario.link_directions()).map(way).collect()
}

/// A feeder of a link: a source of packets that come to the link in a known order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Feeder {
    /// Another link, in the order of its departures.
    Link(u32),
    /// A wireless network, in the order of its deliveries.
    Wlan(usize),
    /// One side of a flow, in the order in which it sends.
    Origin { flow: usize, receiver: bool },
    /// Receivers that answer each packet of another link at once, in the order of its arrivals.
    AnswersTo(u32),
}

/// For each direction of each link, whether a single feeder offers all its packets in order. Then a packet can be
/// offered as soon as its arrival is known: no earlier packet can still come.
fn has_single_feeder(scenario: &Scenario) -> Vec<bool> {
    let mut feeders = vec![BTreeSet::new(); 2 * scenario.links.len()];
    for (id, flow) in scenario.flows.iter().enumerate() {
        let origin = Feeder::Origin { flow: id, receiver: false };
        feed(&mut feeders, &flow.forward, origin);
        let at_once = match &flow.transport {
            Transport::Tcp { settings, .. } => settings.acks_at_once(),
            Transport::Udp { .. } if matches!(flow.traffic, Traffic::VideoCall { .. }) => false,
            Transport::Udp { .. } if flow.answer_bytes().is_none() => continue,
            Transport::Udp { .. } => true,
        };
        let answers = match flow.forward.last() {
            Some(&last @ HopRef::Link { .. }) if at_once => Feeder::AnswersTo(direction(last)),
            _ => Feeder::Origin { flow: id, receiver: true },
        };
        feed(&mut feeders, &flow.backward, answers);
    }
    feeders.iter().map(|feeders| feeders.len() <= 1).collect()
}

fn feed(feeders: &mut [BTreeSet<Feeder>], path: &[HopRef], origin: Feeder) {
    let mut feeder = origin;
    for &hop in path {
        match hop {
            HopRef::Link { .. } => {
                feeders[direction(hop) as usize].insert(feeder);
                feeder = Feeder::Link(direction(hop));
            }
            HopRef::Wlan { wlan, .. } => feeder = Feeder::Wlan(wlan),
        }
    }
}
