//! What all panels of a picture share: columns, the time axis, a colour for each user.

use super::svg;
use crate::theme::{GREYS, GRID, PALETTE, QUIET, shades};
use crate::timeline::{Bar, FlowFacts, Timeline};
use airfair_scenario::resolved::{Direction, TrafficKind};

/// Colours of users with sessions, and of all users if they are few. Vermilion is first: it contrasts best with grey.
pub const ACCENTS: [&str; 7] =
    [PALETTE[0], PALETTE[1], PALETTE[2], PALETTE[4], PALETTE[3], PALETTE[5], PALETTE[6]];
/// Most sessions in a column with texts and bands through all panels.
pub const BANDS: usize = 3;

/// One of the runs side by side.
#[derive(Clone)]
pub struct Column<'a> {
    /// The parameters that differ between columns, `tcp = vegas`; empty for a single column.
    pub title: &'a str,
    /// The run over the time shown.
    pub shown: &'a Timeline,
    /// The part of the run whose exchanges are shown one by one, here or magnified.
    pub excerpt: Option<&'a Timeline>,
    /// The run's sessions; none in an excerpt.
    pub sessions: &'a [Bar],
    /// The left end of the column's time axis.
    pub left: f64,
    /// The right end of the column's time axis.
    pub right: f64,
}

impl Column<'_> {
    /// Returns the x of a time; a time outside the axis gets that of the nearer end.
    pub fn x(&self, time: f64) -> f64 {
        let share = (time - self.shown.from) / (self.shown.to - self.shown.from);
        self.left + share.clamp(0.0, 1.0) * self.wide()
    }

    /// Returns the length of the time axis.
    pub fn wide(&self) -> f64 {
        self.right - self.left
    }
}

/// The users of all columns, each with its colour: wireless stations, or flows without a station.
pub struct People<'a> {
    flows: Vec<&'a FlowFacts>,
    /// All users, in the order of stations, then of flows.
    users: Vec<&'a str>,
    /// Users with sessions in the time shown, in the order of these sessions.
    awake: Vec<&'a str>,
    /// All users with sessions.
    pub waking: Vec<&'a str>,
    /// Whether some users wake up while others transfer all the time.
    pub mixed: bool,
    /// Whether users that wake up have the colour of their kind of device, because they are too many for a colour each.
    pub by_device: bool,
    colours: Vec<(&'a str, &'static str)>,
}

fn add<'a>(list: &mut Vec<&'a str>, more: impl IntoIterator<Item = &'a str>) {
    for name in more {
        if !list.contains(&name) {
            list.push(name);
        }
    }
}

impl<'a> People<'a> {
    /// Finds the users of these columns and chooses their colours.
    pub fn new(columns: &[Column<'a>]) -> People<'a> {
        let mut flows: Vec<&FlowFacts> = Vec::new();
        for flow in columns.iter().flat_map(|column| &column.shown.flows) {
            match flows.iter_mut().find(|known| known.flow == flow.flow) {
                Some(known) => *known = flow,
                None => flows.push(flow),
            }
        }
        let served = |user: &&str| flows.iter().any(|flow| flow.user == *user);
        let media = columns.iter().flat_map(|column| &column.shown.air);
        let heard = media.flat_map(|medium| &medium.lanes).map(|lane| lane.user.as_str()).filter(served);
        let mut users = Vec::new();
        add(&mut users, heard);
        add(&mut users, flows.iter().map(|flow| flow.user.as_str()));
        let mut bars: Vec<&Bar> = columns.iter().flat_map(|column| column.sessions).collect();
        bars.sort_by(|a, b| a.session.start.total_cmp(&b.session.start));
        let mut awake = Vec::new();
        add(&mut awake, bars.iter().map(|bar| bar.user.as_str()));
        let wakes = |user: &&str| {
            flows.iter().any(|flow| flow.user == *user && flow.traffic != TrafficKind::Persistent)
        };
        // Users that only exchange single datagrams over wires are not visible, so they do not make others grey.
        let shows = |user: &str| columns.iter().any(|column| shows(column.shown, user));
        users.retain(|user| !wakes(user) || awake.contains(user) || shows(user));
        let mut waking = awake.clone();
        add(&mut waking, users.iter().copied().filter(wakes));
        let mixed = !waking.is_empty() && waking.len() < users.len();
        let mut people = People { flows, users, awake, waking, mixed, by_device: false, colours: Vec::new() };
        people.choose();
        people
    }

    /// Returns the place of a user in the order of `users`; the place after all of them for somebody else.
    pub fn place(&self, user: &str) -> usize {
        self.users.iter().position(|known| *known == user).unwrap_or(self.users.len())
    }

    /// Returns a user's colour, which is the same in all panels and columns.
    pub fn colour(&self, user: &str) -> &'static str {
        self.colours.iter().find(|(name, _)| *name == user).map_or(QUIET, |&(_, colour)| colour)
    }

    /// Returns the user of a flow.
    pub fn of_flow(&self, flow: &str) -> &'a str {
        self.flows.iter().find(|facts| facts.flow == flow).map_or("", |facts| &facts.user)
    }

    /// Returns a flow's name behind that of its station, by which other panels call it.
    pub fn called(&self, flow: &str) -> String {
        let user = self.of_flow(flow);
        if user.is_empty() || user == flow { flow.to_owned() } else { format!("{user} ({flow})") }
    }

    /// Whether a user transfers all the time while others wake up.
    pub fn is_quiet(&self, user: &str) -> bool {
        self.mixed && !self.waking.contains(&user)
    }

    /// Whether a user has sessions, but none in the time shown.
    pub fn is_asleep(&self, user: &str) -> bool {
        self.waking.contains(&user) && !self.awake.contains(&user)
    }

    /// Returns the direction of a user's flow; if it has several, that of the last one.
    pub fn direction(&self, user: &str) -> Direction {
        let last = self.flows.iter().rev().find(|flow| flow.user == user);
        last.map_or(Direction::Other, |flow| flow.direction)
    }

    /// Returns the name of a user's kind.
    pub fn kind<'b>(&self, user: &'b str) -> &'b str {
        if self.by_device && !self.is_quiet(user) {
            return device(user);
        }
        if self.mixed {
            return if self.is_quiet(user) { TrafficKind::Persistent.word() } else { "sessions" };
        }
        kind_of(self.direction(user))
    }

    fn choose(&mut self) {
        let is_directed = self.users.iter().any(|user| self.direction(user) != Direction::Other);
        if !self.mixed && !is_directed && (ACCENTS.len() + 1..=PALETTE.len()).contains(&self.users.len()) {
            self.colours = self.users.iter().copied().zip(PALETTE).collect();
            return;
        }
        if !self.mixed && self.users.len() > ACCENTS.len() {
            let mut counts: Vec<(Direction, usize)> = Vec::new();
            for user in self.users.clone() {
                let direction = self.direction(user);
                let place = counts.iter().position(|(known, _)| *known == direction).unwrap_or_else(|| {
                    counts.push((direction, 0));
                    counts.len() - 1
                });
                let shades = shades(direction);
                self.colours.push((user, shades[counts[place].1 % shades.len()]));
                counts[place].1 += 1;
            }
            return;
        }
        let loud = if self.mixed { self.waking.clone() } else { self.users.clone() };
        let mut devices = Vec::new();
        add(&mut devices, loud.iter().copied().map(device));
        self.by_device = loud.len() > ACCENTS.len() && (2..=ACCENTS.len()).contains(&devices.len());
        for (place, user) in loud.iter().enumerate() {
            // Users that sleep do not share a colour with one that is awake.
            let last = place >= ACCENTS.len() && self.is_asleep(user);
            let kind = devices.iter().position(|kind| self.by_device && *kind == device(user));
            let accent = match kind {
                Some(kind) => kind,
                None if last => ACCENTS.len() - 1,
                None => place % ACCENTS.len(),
            };
            self.colours.push((user, ACCENTS[accent]));
        }
        let quiet: Vec<_> = self.users.iter().copied().filter(|user| self.is_quiet(user)).collect();
        let grey = |(place, user)| (user, GREYS[place % GREYS.len()]);
        self.colours.extend(quiet.into_iter().enumerate().map(grey));
    }
}

/// Whether the panels of the air, of queues or of windows show a user.
fn shows(shown: &Timeline, user: &str) -> bool {
    let is_of_user = |flow: &str| shown.flows.iter().any(|facts| facts.flow == flow && facts.user == user);
    shown.air.iter().flat_map(|medium| &medium.lanes).any(|lane| lane.user == user)
        || shown.queues.iter().flat_map(|queue| &queue.backlog).any(|backlog| backlog.user == user)
        || shown.windows.iter().any(|window| is_of_user(&window.flow))
}

/// Returns the kind of a device: its name without its number.
fn device(user: &str) -> &str {
    user.trim_end_matches(|character: char| character.is_ascii_digit())
}

/// Returns the word for the flows of a direction.
pub fn kind_of(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "uploads",
        Direction::Down => "downloads",
        Direction::Other => "flows",
    }
}

/// Returns positions for labels at ascending `places`: as near to them as possible, and at least `apart` apart.
pub fn spread(places: &[f64], apart: f64, low: f64, high: f64) -> Vec<f64> {
    let mut result: Vec<f64> = Vec::new();
    for &place in places {
        let after = result.last().map_or(low, |before| before + apart);
        result.push(place.max(low).max(after));
    }
    let mut limit = high;
    for place in result.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - apart;
    }
    result
}

/// Returns round numbers from `low` to `high`, about `about` of them.
pub fn ticks(low: f64, high: f64, about: f64) -> Vec<f64> {
    let mut step = libm::pow(10.0, libm::log10((high - low) / about).floor());
    let from_wanted = |factor: &f64| ((high - low) / (step * factor) - about).abs();
    let factors = [1.0, 2.0, 5.0, 10.0];
    let nearest = factors.into_iter().min_by(|a, b| from_wanted(a).total_cmp(&from_wanted(b)));
    step *= nearest.unwrap_or(1.0);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|number| number as f64 * step).collect()
}

/// The values of an area of steps, its colour, and its text for the pointer.
pub struct Layer<'a> {
    pub values: &'a [f64],
    pub fill: &'a str,
    pub tip: String,
}

/// Draws areas on top of each other; `at` returns the y of a value.
pub fn stacked<'a>(xs: &[f64], layers: impl Iterator<Item = Layer<'a>>, at: impl Fn(f64) -> f64) -> String {
    let mut base = vec![0.0; xs.len().saturating_sub(1)];
    let mut parts = String::new();
    for layer in layers {
        let top: Vec<f64> = base.iter().zip(layer.values).map(|(low, value)| low + value).collect();
        let [lower, upper] =
            [&base, &top].map(|values| values.iter().map(|&value| at(value)).collect::<Vec<_>>());
        parts += &svg::area(xs, &lower, &upper, layer.fill, &layer.tip, &[]);
        base = top;
    }
    parts
}

/// A scale from 0 to `top` along a panel's height, the same in all columns.
#[derive(Clone, Copy)]
pub struct Scaled {
    pub height: f64,
    pub top: f64,
}

impl Scaled {
    /// Returns the y of a value in a panel that begins at `y`.
    pub fn y(&self, value: f64, y: f64) -> f64 {
        y + self.height * (1.0 - value.min(self.top) / self.top)
    }

    /// Draws the numbers of the scale.
    pub fn labels(&self, x: f64, y: f64) -> String {
        let label = |tick| {
            let end = svg::attributes!["text-anchor": "end"];
            svg::text(x, self.y(tick, y) + 4.0, &crate::readable::general(tick, 6), 11.0, QUIET, &[end])
        };
        ticks(0.0, self.top, 3.0).into_iter().map(label).collect()
    }

    /// Draws lines across a column.
    pub fn grid(&self, column: &Column<'_>, y: f64) -> String {
        let line = |tick| {
            let at = self.y(tick, y);
            svg::line((column.left, at), (column.right, at), GRID, &[])
        };
        ticks(0.0, self.top, 3.0).into_iter().map(line).collect()
    }
}
