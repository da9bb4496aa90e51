//! CUBIC (RFC 9438, to which section numbers refer).
//!
//! The window is a real number of segments, times are seconds, and the round trip is the timer's smoothed one.

use super::float::{float, larger, seconds, smaller};
use super::hystart::{Advice, Hystart};
use super::{
    AckEvent, BuiltIn, Configured, CongestionControl, Kind, Loss, Measures, Parameter, Range, Reduction,
    Value, Variant,
};
use crate::profile::ByProfile;
use crate::window::Window;
use airfair_core::{Span, Time};

const C: Parameter = Parameter {
    name: "c",
    kind: Kind::Number(Range::POSITIVE),
    default: ByProfile::all(Value::Number(0.4)),
    help: "how steep the cubic function is, in segments/s³ (RFC 9438, section 5.1)",
};
const BETA: Parameter = Parameter {
    name: "beta",
    kind: Kind::Number(Range::PROPER_FRACTION),
    default: ByProfile::all(Value::Number(0.7)),
    help: "fraction of the window that remains after a loss or a mark (section 4.6)",
};
const FAST_CONVERGENCE: Parameter =
    flag("fast_convergence", "a flow whose window shrinks from loss to loss makes room sooner (section 4.7)");
const FRIENDLINESS: Parameter =
    flag("friendliness", "the window is at least what Reno's would be (section 4.3)");
const LINUX_GROWTH: Parameter = Parameter {
    name: "linux_growth",
    kind: Kind::Flag,
    default: ByProfile::FLAG_OF_LINUX,
    help: "congestion avoidance as in Linux: at least 5 % a round trip until the first loss and after a timeout, Reno's slow increase \
           (0.53 segments a round trip) for good, and the cubic function at the shortest round trip from now, not at the smoothed one",
};
const HYSTART: Parameter = Parameter {
    name: "hystart",
    kind: Kind::Word(Hystart::WORDS),
    default: ByProfile { ns2: Value::Word("off"), rfc: Value::Word("rfc"), linux: Value::Word("linux") },
    help: "what ends slow start before a loss does: HyStart as in Linux (Ha & Rhee 2011), or HyStart++ (RFC 9406)",
};

const fn flag(name: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Flag, default: ByProfile::all(Value::Flag(true)), help }
}

/// Upper bound of the target, as a multiple of the window (section 4.2).
const MOST_GROWTH: f64 = 1.5;

/// Linux counts acknowledged segments, and opens the window by a whole segment after enough of them: after `FIRST_EVERY` at most before the
/// first loss (5 % a round trip), after `LEAST_EVERY` at least, and after `FLAT_WINDOWS` windows where the function is flat.
const FIRST_EVERY: f64 = 20.0;
const LEAST_EVERY: f64 = 2.0;
const FLAT_WINDOWS: f64 = 100.0;
/// Linux has `beta` in 1024ths (`BICTCP_BETA_SCALE`): 717 of them.
const PARTS: f64 = 1024.0;
/// Linux's CUBIC counts time in jiffies, of which a second has `CONFIG_HZ`: 250 unless a kernel is built with another number.
const HZ: u64 = 250;
const JIFFY: Span = Span::from_millis(1000 / HZ);
/// Linux does not compute the target of the same window again within so many jiffies.
const LOOKS_EVERY: u64 = HZ / 32;
/// For this long after the beginning of an epoch Linux takes no round trip for the shortest: the queue may not have drained yet (`cubictcp_acked`).
const DRAINS_IN: Span = Span::from_secs(1);

/// The number of windows to acknowledge before Reno's window grows by a segment, in Linux: 1/alpha_cubic in whole eighths (`beta_scale`).
fn linux_windows(beta: f64) -> f64 {
    let beta = beta * PARTS;
    ((8.0 * (PARTS + beta) / 3.0).floor() / (PARTS - beta)).floor() / 8.0
}

/// The cubic window function, with Reno's window beside it.
#[derive(Clone, Debug)]
pub struct Cubic {
    c: f64,
    beta: f64,
    /// Reno's increase in a round trip that gives a flow with this beta the same mean window (section 4.3: alpha_cubic).
    alpha: f64,
    fast_convergence: bool,
    friendly: bool,
    /// Present if congestion avoidance is Linux's.
    linux: Option<Box<Steps>>,
    /// The window at which the function is flat in the next epoch; zero: the window with which that epoch begins.
    w_max: f64,
    /// The window before the last cut, or at the end of a slow start without one (cwnd_prior).
    prior: f64,
    epoch: Option<Epoch>,
    /// The state before the last loss.
    before: Box<Before>,
    last_ack: Time,
    /// Nothing has been outstanding since the last ACK.
    is_idle: bool,
    hystart: Hystart,
}

/// Linux's congestion avoidance, which moves the window in whole segments.
#[derive(Clone, Debug)]
struct Steps {
    /// See [`linux_windows`].
    windows: f64,
    /// The shortest round trip since the start or the last timeout (`delay_min`).
    shortest: Option<Span>,
    /// Segments acknowledged since the last step, or since the last loss (`snd_cwnd_cnt`).
    acknowledged: f64,
    /// The jiffy in which the function was last looked at, and for which window; and the acknowledged segments that open it by one since.
    looked: Option<(u64, f64)>,
    every: f64,
}

/// What an ACK looks at to set the window's pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Nothing,
    /// Reno's window alone, as the function was looked at in this jiffy.
    Reno,
    All,
}

impl Steps {
    fn new(beta: f64) -> Steps {
        Steps { windows: linux_windows(beta), shortest: None, acknowledged: 0.0, looked: None, every: 0.0 }
    }

    /// Takes the round trip that an ACK shows in this epoch.
    fn sample(&mut self, ack: &AckEvent, epoch: Option<&Epoch>) {
        self.shortest = self.shortest.into_iter().chain(Steps::counted(ack, epoch)).min();
    }

    /// The round trip that an ACK shows in this epoch, if it counts.
    fn counted(ack: &AckEvent, epoch: Option<&Epoch>) -> Option<Span> {
        ack.rtt.filter(|_| epoch.is_none_or(|epoch| ack.now.since(epoch.began) >= DRAINS_IN))
    }

    /// What an ACK looks at, with a window of `cwnd`, in an epoch that is under way.
    fn look(&self, now: Time, cwnd: f64) -> Look {
        let Some((at, window)) = self.looked else { return Look::All };
        match jiffies(now) - at {
            age if window == cwnd && age <= LOOKS_EVERY => Look::Nothing,
            0 => Look::Reno,
            _ => Look::All,
        }
    }

    /// Sets the pace at which a window of `cwnd` becomes `target`; `most`: the most segments that a step takes.
    fn aim(&mut self, cwnd: f64, target: f64, most: f64) {
        let missing = target - cwnd.floor();
        let every = if missing > 0.0 { (cwnd / missing).floor() } else { f64::INFINITY };
        self.every = every.min(most).max(LEAST_EVERY);
    }

    /// Counts `segments` that were acknowledged. Returns the number of segments by which the window grows.
    fn steps(&mut self, segments: f64) -> f64 {
        let mut steps = 0.0;
        if self.acknowledged >= self.every {
            // Segments that were counted while a step took more of them make one step.
            (self.acknowledged, steps) = (0.0, 1.0);
        }
        self.acknowledged += segments;
        let more = (self.acknowledged / self.every).floor();
        self.acknowledged -= more * self.every;
        steps + more
    }
}

/// The state before a loss (section 4.9.2: the undo variables).
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    w_max: f64,
    prior: f64,
    epoch: Option<Epoch>,
}

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Epoch {
    /// When the epoch began, moved on by the time in which the window was not allowed to grow.
    began: Time,
    w_max: f64,
    /// When the function is flat, in seconds from the beginning (equation 2).
    k: f64,
    /// Reno's window (equation 4: W_est).
    reno: f64,
    /// In Linux: segments acknowledged since Reno's window last grew.
    counted: f64,
}

impl Epoch {
    /// An epoch that begins with a window of `cwnd`, after a plateau at `w_max`.
    #[inline(never)]
    fn new(now: Time, cwnd: f64, w_max: f64, c: f64) -> Epoch {
        // After a slow start that ended without a loss or followed a timeout, and above the old plateau, K is zero (sections 4.8 and 4.10).
        let w_max = w_max.max(cwnd);
        Epoch { began: now, w_max, k: libm::cbrt((w_max - cwnd) / c), reno: cwnd, counted: 0.0 }
    }

    /// The epoch under way. If there is none, one [begins](Epoch::new).
    fn under_way(epoch: &mut Option<Epoch>, now: Time, cwnd: f64, w_max: f64, c: f64) -> &mut Epoch {
        epoch.get_or_insert_with(|| Epoch::new(now, cwnd, w_max, c))
    }

    /// Linux's equation 4, in whole segments: one more for every `windows` windows that were acknowledged.
    fn grow_reno(&mut self, cwnd: f64, windows: f64) {
        let each = (windows * cwnd).floor().max(1.0);
        while self.counted > each {
            self.counted -= each;
            self.reno += 1.0;
        }
    }

    /// Equation 1, `t` seconds after the beginning.
    fn window(&self, c: f64, t: f64) -> f64 {
        let from_k = t - self.k;
        c * from_k * from_k * from_k + self.w_max
    }
}

/// The jiffies that a host's clock shows.
fn jiffies(at: Time) -> u64 {
    at.0 / JIFFY.0
}

impl BuiltIn for Cubic {
    const ABOUT: &'static str = "CUBIC: after a cut the window follows a cubic function of time, flat around the window at which the cut \
         came (RFC 9438).";
    const VARIANTS: &'static [Variant] = &[Variant::new("cubic", ByProfile::SELECTIVE)];
    const PARAMETERS: &'static [Parameter] =
        &[C, BETA, FAST_CONVERGENCE, FRIENDLINESS, LINUX_GROWTH, HYSTART];
    /// HyStart measures round trips.
    const MEASURES: Measures = Measures::SlowStart;

    fn new(given: &Configured) -> Cubic {
        let is_linux = given.flag(&LINUX_GROWTH);
        let beta = given.number(&BETA);
        let beta = if is_linux { (beta * PARTS).round() / PARTS } else { beta };
        Cubic {
            c: given.number(&C),
            beta,
            alpha: 3.0 * (1.0 - beta) / (1.0 + beta),
            fast_convergence: given.flag(&FAST_CONVERGENCE),
            friendly: given.flag(&FRIENDLINESS),
            linux: is_linux.then(|| Box::new(Steps::new(beta))),
            w_max: 0.0,
            prior: 0.0,
            epoch: None,
            before: Box::default(),
            last_ack: Time::ZERO,
            is_idle: true,
            hystart: Hystart::named(given.word(&HYSTART)),
        }
    }

    fn adopt(&mut self, given: &Configured, _window: &mut Window) {
        let Cubic { c, beta, alpha, fast_convergence, friendly, linux, hystart, .. } = Cubic::new(given);
        let mut linux = linux;
        if let (Some(new), Some(now)) = (&mut linux, self.linux.take()) {
            **new = Steps { windows: new.windows, ..*now };
        }
        let hystart = if hystart.is_like(&self.hystart) { self.hystart.clone() } else { hystart };
        let before = std::mem::take(&mut self.before);
        *self = Cubic { c, beta, alpha, fast_convergence, friendly, linux, hystart, before, ..*self };
    }
}

impl Cubic {
    /// Section 4.10, for an ACK that comes in slow start and lets the window grow if it `grows`. Returns the segments that are left for congestion
    /// avoidance.
    #[inline(never)]
    fn start_slowly(&mut self, window: &mut Window, ack: &AckEvent, grows: bool) -> f64 {
        // In Linux a slow start after an idle time leaves the epoch as it is.
        if self.linux.is_none() {
            self.epoch = None;
        }
        let mut segments = window.counted(ack.acked);
        match self.ask_hystart(window.cwnd, ack) {
            Advice::Grow(divisor) if grows => segments = window.start_slowly(ack.acked, divisor),
            Advice::Grow(_) => {}
            Advice::Leave => self.end_slow_start(window),
        }
        if window.cwnd < window.ssthresh { 0.0 } else { segments }
    }

    /// What HyStart advises on an ACK.
    fn ask_hystart(&mut self, cwnd: f64, ack: &AckEvent) -> Advice {
        let Some(linux) = &self.linux else { return self.hystart.on_ack(cwnd, ack, None) };
        let rtt = Steps::counted(ack, self.epoch.as_ref());
        self.hystart.on_ack(cwnd, &AckEvent { rtt, ..*ack }, linux.shortest)
    }

    fn end_slow_start(&mut self, window: &mut Window) {
        window.set_ssthresh(window.cwnd);
        self.prior = window.cwnd;
    }

    /// Sections 4.2 to 4.5, for an ACK that counts as this many `segments`.
    fn avoid(&mut self, window: &mut Window, ack: &AckEvent, segments: f64) {
        let cwnd = window.cwnd;
        let epoch = Epoch::under_way(&mut self.epoch, ack.now, cwnd, self.w_max, self.c);
        let t = seconds(ack.now.since(epoch.began));
        // Equation 4, and Reno's own increase once it is back where the cut was.
        epoch.reno += if epoch.reno >= self.prior { 1.0 } else { self.alpha } * segments / cwnd;
        window.cwnd = if self.friendly && epoch.window(self.c, t) < epoch.reno {
            // Where the window is above Reno's already, it stays there: nothing was lost.
            larger(epoch.reno, cwnd)
        } else {
            let target = epoch.window(self.c, t + ack.srtt.map_or(0.0, seconds));
            let target = larger(smaller(target, MOST_GROWTH * cwnd), cwnd);
            smaller(cwnd + (target - cwnd) / cwnd * segments, target)
        };
        window.bound();
    }

    /// [`Cubic::avoid`] as in Linux, in whole segments.
    #[inline(never)]
    fn avoid_by_steps(&mut self, window: &mut Window, ack: &AckEvent, segments: f64) {
        let Some(linux) = &mut self.linux else { return };
        let cwnd = window.cwnd;
        let look = if self.epoch.is_some() { linux.look(ack.now, cwnd) } else { Look::All };
        let epoch = Epoch::under_way(&mut self.epoch, ack.now, cwnd, self.w_max, self.c);
        epoch.counted += segments;
        if look != Look::Nothing {
            epoch.grow_reno(cwnd, linux.windows);
        }
        if look == Look::All {
            linux.looked = Some((jiffies(ack.now), cwnd));
            let age = jiffies(ack.now) - jiffies(epoch.began);
            let ahead = linux.shortest.map_or(0, |rtt| rtt.0.div_ceil(JIFFY.0));
            let t = seconds(JIFFY * (age + ahead));
            // Linux rounds the distance from the plateau down.
            let cubic = epoch.window(self.c, t);
            let cubic = if cubic < epoch.w_max { cubic.ceil() } else { cubic.floor() };
            linux.aim(cwnd, cubic, if self.w_max <= 0.0 { FIRST_EVERY } else { FLAT_WINDOWS * cwnd });
        }
        if look != Look::Nothing && self.friendly {
            linux.aim(cwnd, epoch.reno.floor(), linux.every);
        }
        window.cwnd += linux.steps(segments);
        window.bound();
    }

    /// Whether the sender was limited by its window when this ACK came, and the window may still open (section 5.8).
    fn is_limited(window: &Window, ack: &AckEvent) -> bool {
        let segment = f64::from(ack.segment_bytes);
        // Signed, because processors have no instruction from unsigned 64 to a float.
        let flight = float(ack.nxt + ack.acked - ack.una);
        (ack.found_limited || flight + segment > window.cwnd * segment) && window.cwnd < window.maximum
    }

    /// Moves the epoch on by the time before this ACK in which it does not age (section 4.2): in which the window was not allowed to grow, or nothing
    /// was outstanding. To be called if one of them holds.
    fn leave_out(&mut self, ack: &AckEvent, grows: bool) {
        let Some(epoch) = &mut self.epoch else { return };
        let since = ack.now.since(self.last_ack);
        epoch.began += match &self.linux {
            // Linux moves it when data go out while nothing is outstanding, by the time since the last segment went out (`cubictcp_cwnd_event`). The
            // ACKs of both are as far apart.
            Some(_) if self.is_idle => since,
            Some(_) => Span::ZERO,
            None if !grows => since,
            // The data that it acknowledges were sent a round trip before.
            None => Span(since.0.saturating_sub(ack.srtt.map_or(0, |srtt| srtt.0))),
        };
    }

    /// Takes a duplicate ACK with the round trip of data that it shows to have arrived.
    #[inline(never)]
    fn hear_of_sacked(&mut self, window: &mut Window, ack: &AckEvent) {
        if let Some(linux) = &mut self.linux {
            linux.sample(ack, self.epoch.as_ref());
        }
        let asks = window.cwnd < window.ssthresh && self.hystart.hears_duplicates();
        if asks && self.ask_hystart(window.cwnd, ack) == Advice::Leave {
            self.end_slow_start(window);
        }
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        let grows = ack.may_grow && Cubic::is_limited(window, ack);
        if let Some(linux) = &mut self.linux {
            linux.sample(ack, self.epoch.as_ref());
        }
        if self.is_idle || !grows {
            self.leave_out(ack, grows);
        }
        self.last_ack = ack.now;
        self.is_idle = ack.nxt <= ack.una;
        let in_slow_start = window.cwnd < window.ssthresh;
        let segments =
            if in_slow_start { self.start_slowly(window, ack, grows) } else { window.counted(ack.acked) };
        if !grows || segments <= 0.0 {
            return;
        }
        match self.linux {
            Some(_) => self.avoid_by_steps(window, ack, segments),
            None => self.avoid(window, ack, segments),
        }
    }

    /// In Linux SACKed data give round trips, too (`cubictcp_acked`). Other duplicate ACKs have none, and take no time here.
    #[inline(always)]
    fn on_duplicate_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        if ack.rtt.is_some() {
            self.hear_of_sacked(window, ack);
        }
    }

    /// Sections 4.6 to 4.8.
    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction {
        // A timeout that follows another one changes nothing more.
        if !loss.timeout || self.w_max > 0.0 || self.epoch.is_some() {
            *self.before = Before { w_max: self.w_max, prior: self.prior, epoch: self.epoch };
        }
        let shrinks = self.fast_convergence && window.cwnd < self.w_max;
        self.w_max = match () {
            () if loss.timeout => 0.0,
            () if shrinks => window.rounded(window.cwnd * (1.0 + self.beta) / 2.0),
            () => window.cwnd,
        };
        self.prior = window.cwnd;
        self.epoch = None;
        if let Some(linux) = &mut self.linux {
            linux.acknowledged = 0.0;
            // `bictcp_reset`.
            linux.shortest = linux.shortest.filter(|_| !loss.timeout);
        }
        self.hystart.on_loss(loss);
        Reduction::to(window.rounded(loss.base * self.beta))
    }

    /// Section 4.9.2. Linux gives back the window alone (`tcp_reno_undo_cwnd`): after a timeout the function begins as before the first loss.
    fn on_undo(&mut self) {
        if self.linux.is_some() {
            return;
        }
        Before { w_max: self.w_max, prior: self.prior, epoch: self.epoch } = *self.before;
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::tests::made;
    use super::*;
    use crate::profile::Profile;
    use crate::window::tests::window;

    const RTT: Span = Span::from_millis(100);

    fn cubic(values: &[(&str, Value)]) -> Cubic {
        made("cubic", Profile::Rfc, values)
    }

    fn loss(base: f64, timeout: bool) -> Loss {
        Loss { now: Time(0), base, timeout, segment_bytes: 1460 }
    }

    /// An ACK of a segment after `t` seconds that finds the whole window outstanding.
    fn ack(window: &Window, t: f64) -> AckEvent {
        let (una, acked) = (1_000_000, 1460);
        AckEvent {
            now: Time::ZERO + Span::from_secs_f64(t),
            una,
            nxt: una - acked + window.cwnd as u64 * 1460,
            acked,
            segment_bytes: 1460,
            rtt: None,
            srtt: Some(RTT),
            may_grow: true,
            found_limited: false,
            paced: false,
        }
    }

    fn hear(cubic: &mut Cubic, window: &mut Window, t: f64) {
        let event = ack(window, t);
        cubic.on_ack(window, &event);
    }

    /// A window of 100 segments after a loss, and the control that answered it.
    fn cut(values: &[(&str, Value)]) -> (Cubic, Window) {
        let mut cubic = cubic(values);
        let mut window = window(Profile::Rfc, 100.0, 50.0);
        window.maximum = 1e6;
        let reduction = cubic.on_loss(&window, &loss(100.0, false));
        (window.cwnd, window.ssthresh) = (reduction.cwnd, reduction.ssthresh);
        (cubic, window)
    }

    /// ACKs as `cwnd` segments come back in each round trip, from the beginning of an epoch to `end`.
    fn acked_until(cubic: &mut Cubic, window: &mut Window, end: f64) {
        let mut t = 0.0;
        while t < end {
            hear(cubic, window, t);
            t += RTT.as_secs() / window.cwnd;
        }
    }

    #[test]
    fn a_loss_leaves_seven_tenths_of_what_the_stack_counts() {
        let mut cubic = cubic(&[]);
        let reduction = cubic.on_loss(&window(Profile::Rfc, 100.0, 50.0), &loss(80.0, false));
        assert_eq!(reduction, Reduction::to(80.0 * 0.7));
        assert_eq!((cubic.w_max, cubic.prior), (100.0, 100.0));
    }

    /// Section 4.3: alpha_cubic = 3 (1 - 0.7) / (1 + 0.7) = 0.529.
    #[test]
    fn the_increase_of_a_friendly_flow_gives_renos_mean_window() {
        assert!((cubic(&[]).alpha - 0.529).abs() < 5e-4);
        assert_eq!(cubic(&[("beta", Value::Number(0.5))]).alpha, 1.0);
    }

    /// Equations 1 and 2: K = cbrt((100 - 70) / 0.4) = 4.217 s; W(0) = 70, W(K) = 100, W(2 K) = 130.
    #[test]
    fn the_function_rises_to_the_old_window_is_flat_there_and_rises_again() {
        let (cubic, window) = cut(&[]);
        let epoch = Epoch::new(Time(0), window.cwnd, cubic.w_max, cubic.c);
        assert!((epoch.k - 4.217).abs() < 5e-4, "{}", epoch.k);
        for (t, wanted) in [(0.0, 70.0), (epoch.k, 100.0), (2.0 * epoch.k, 130.0), (epoch.k + 1.0, 100.4)] {
            assert!((epoch.window(cubic.c, t) - wanted).abs() < 1e-9, "{t}");
        }
    }

    #[test]
    fn the_window_follows_the_function() {
        let (mut cubic, mut window) = cut(&[("friendliness", Value::Flag(false))]);
        let epoch = Epoch::new(Time(0), window.cwnd, cubic.w_max, cubic.c);
        for t in [1.0, 3.0, 5.0, 8.0] {
            let (mut cubic, mut window) = (cubic.clone(), window.clone());
            acked_until(&mut cubic, &mut window, t);
            let wanted = epoch.window(0.4, t);
            assert!((window.cwnd - wanted).abs() < 0.2, "{t}: {} {wanted}", window.cwnd);
        }
        // It is never more than half as large again in a round trip.
        cubic.c = 1e6;
        acked_until(&mut cubic, &mut window, 0.1);
        assert!(window.cwnd > 70.0 * 1.3 && window.cwnd <= 70.0 * 1.5 * 1.5, "{}", window.cwnd);
    }

    /// Section 4.3: with a short round trip Reno's window is ahead of the function; it grows by 0.529 a round trip, and by 1 once it is
    /// back where the cut was.
    #[test]
    fn the_window_is_at_least_renos() {
        let (mut cubic, mut window) = cut(&[("c", Value::Number(1e-6))]);
        let rounds = |cubic: &mut Cubic, window: &mut Window, from: u32, count: u32| {
            let before = window.cwnd;
            for round in from..from + count {
                let (t, acks) = (f64::from(round) * 0.1, window.cwnd as u32);
                (0..acks).for_each(|_| hear(cubic, window, t));
            }
            (window.cwnd - before) / f64::from(count)
        };
        let slow = rounds(&mut cubic, &mut window, 0, 50);
        assert!((0.51..0.53).contains(&slow), "{slow}");
        rounds(&mut cubic, &mut window, 50, 10);
        let fast = rounds(&mut cubic, &mut window, 60, 50);
        assert!(window.cwnd > 130.0 && (0.97..1.0).contains(&fast), "{fast}");
    }

    /// Section 4.7: a loss below the last plateau lowers the next one to (1 + 0.7) / 2 of the window.
    #[test]
    fn a_shrinking_flow_makes_room() {
        for (on, w_max) in [(true, 90.0 * 0.85), (false, 90.0)] {
            let (mut cubic, mut window) = cut(&[("fast_convergence", Value::Flag(on))]);
            window.cwnd = 90.0;
            cubic.on_loss(&window, &loss(90.0, false));
            assert_eq!((cubic.w_max, cubic.prior), (w_max, 90.0));
            window.cwnd = 95.0;
            cubic.on_loss(&window, &loss(95.0, false));
            assert_eq!(cubic.w_max, 95.0, "it grew");
        }
    }

    /// Section 4.8.
    #[test]
    fn after_a_timeout_the_function_begins_flat_where_slow_start_ends() {
        let (mut cubic, mut window) = cut(&[]);
        window.cwnd = 90.0;
        assert_eq!(cubic.on_loss(&window, &loss(90.0, true)).ssthresh, 90.0 * 0.7);
        (window.cwnd, window.ssthresh) = (62.5, 63.0);
        hear(&mut cubic, &mut window, 1.0);
        assert_eq!((window.cwnd, cubic.epoch), (63.5, None));
        hear(&mut cubic, &mut window, 2.0);
        let epoch = cubic.epoch.expect("congestion avoidance has begun");
        assert_eq!((epoch.began, epoch.w_max, epoch.k), (Time(2_000_000_000), 63.5, 0.0));
    }

    /// Section 4.10.
    #[test]
    fn the_end_of_slow_start_by_delay_begins_an_epoch_there() {
        let mut cubic = cubic(&[("hystart", Value::Word("linux"))]);
        let mut window = window(Profile::Rfc, 40.0, 1000.0);
        window.maximum = 1e6;
        let mut delayed = |millis: u64, una: u64| {
            let event =
                AckEvent { rtt: Some(Span::from_millis(millis)), una, ..ack(&window, 0.01 * una as f64) };
            cubic.on_ack(&mut window, &AckEvent { nxt: una + 100 * 1460, ..event });
        };
        delayed(20, 1);
        (0..9).for_each(|number| delayed(40, 200_000 + number));
        assert_eq!((window.ssthresh, cubic.prior), (50.0 - 1.0, 50.0 - 1.0));
        assert_eq!(cubic.epoch.map(|epoch| (epoch.w_max, epoch.k)), Some((49.0, 0.0)));
    }

    fn in_linux() -> (Cubic, Window) {
        let (mut cubic, window) = cut(&[("linux_growth", Value::Flag(true))]);
        cubic.linux.as_mut().expect("counts segments").shortest = Some(RTT);
        (cubic, window)
    }

    /// Linux's `bictcp_update`: while no loss has shown where the window may go, 20 acknowledged segments open it by one.
    #[test]
    fn in_linux_the_window_grows_by_a_twentieth_until_the_first_loss() {
        let mut cubic = cubic(&[("linux_growth", Value::Flag(true)), ("hystart", Value::Word("off"))]);
        let mut window = window(Profile::Rfc, 100.0, 100.0);
        window.maximum = 1e6;
        (0..100).for_each(|number| hear(&mut cubic, &mut window, 0.001 * f64::from(number)));
        assert_eq!(window.cwnd, 105.0);
        let (mut cubic, mut window) = in_linux();
        (0..70).for_each(|number| hear(&mut cubic, &mut window, 0.001 * f64::from(number)));
        assert!(window.cwnd < 73.0, "{}", window.cwnd);
    }

    /// Linux's `bictcp_recalc_ssthresh`: 717 of 1024 parts, and whole segments.
    #[test]
    fn in_linux_a_loss_leaves_whole_segments() {
        let mut cubic: Cubic = made("cubic", Profile::Linux, &[]);
        assert_eq!(cubic.on_loss(&window(Profile::Linux, 90.0, 50.0), &loss(90.0, false)).cwnd, 63.0);
        assert_eq!(cubic.on_loss(&window(Profile::Linux, 63.0, 63.0), &loss(63.0, false)).cwnd, 44.0);
        assert_eq!(cubic.w_max, 53.0);
    }

    /// Linux's `bictcp_update` divides whole numbers: three segments to go are a step in every three of ten.
    #[test]
    fn in_linux_the_segments_of_a_step_are_rounded_down() {
        let mut steps = Steps::new(0.7);
        steps.aim(10.0, 13.0, f64::INFINITY);
        assert_eq!(steps.steps(3.0), 1.0);
    }

    /// Linux's `bictcp_update` computes the function once in a jiffy at most. Until the next one a window that has grown keeps the pace of the one
    /// before, or takes Reno's if that is quicker: a step in every four of eight segments.
    #[test]
    fn in_linux_the_function_is_looked_at_once_in_a_jiffy() {
        let grown = |later: f64, reno: f64| {
            let (mut cubic, mut window) = in_linux();
            (cubic.w_max, window.cwnd, window.ssthresh) = (10.0, 7.0, 7.0);
            cubic.linux.as_mut().expect("counts segments").shortest = Some(Span::from_millis(2));
            // The function is between seven and eight segments.
            (0..7).for_each(|_| hear(&mut cubic, &mut window, 0.004));
            assert_eq!(window.cwnd, 8.0);
            cubic.epoch.as_mut().expect("under way").reno = reno;
            (0..14).for_each(|_| hear(&mut cubic, &mut window, later));
            window.cwnd
        };
        assert_eq!([grown(0.0079, 7.0), grown(0.008, 7.0)], [10.0, 8.0]);
        assert_eq!(grown(0.0079, 10.0), 11.0);
    }

    /// Linux's `bictcp_update`: time is the jiffies since the epoch began, and the shortest round trip in jiffies, rounded up.
    #[test]
    fn in_linux_the_function_is_of_whole_jiffies() {
        let (mut cubic, mut window) = in_linux();
        (cubic.c, cubic.w_max) = (1.6e7, 70.0);
        cubic.linux.as_mut().expect("counts segments").shortest = Some(Span::from_millis(2));
        let every = |cubic: &Cubic| cubic.linux.as_ref().expect("counts segments").every;
        // One jiffy, after which the function is at 71.0 segments; then two: 78.2.
        hear(&mut cubic, &mut window, 0.0079);
        assert_eq!(every(&cubic), 70.0);
        window.cwnd = 71.0;
        hear(&mut cubic, &mut window, 0.0081);
        assert_eq!(every(&cubic), 10.0);
    }

    /// Linux's `tcp_init_cwnd_reduction`.
    #[test]
    fn in_linux_what_was_acknowledged_before_a_loss_does_not_count() {
        let steps = |lost: bool| {
            let (mut cubic, mut window) = in_linux();
            let cwnd = window.cwnd;
            let mut acks = (1..).map(|number| f64::from(number) * 0.001);
            acks.by_ref().take(10).for_each(|t| hear(&mut cubic, &mut window, t));
            if lost {
                // As if the cut left the window where it is.
                cubic.on_loss(&window, &loss(100.0, false));
                cubic.w_max = 100.0;
            }
            acks.take_while(|t| {
                hear(&mut cubic, &mut window, *t);
                window.cwnd == cwnd
            })
            .count()
        };
        assert_eq!(steps(true), steps(false) + 10);
    }

    /// 1/alpha is 1.89, which Linux takes for 15/8: of a window of ten that is 18 segments.
    #[test]
    fn in_linux_renos_window_grows_by_whole_segments() {
        assert_eq!(linux_windows(717.0 / 1024.0), 15.0 / 8.0);
        let mut epoch = Epoch::new(Time(0), 10.0, 10.0, 0.4);
        let grown = [18.0, 1.0, 17.0, 1.0].map(|segments| {
            epoch.counted += segments;
            epoch.grow_reno(10.0, 15.0 / 8.0);
            epoch.reno
        });
        assert_eq!(grown, [10.0, 11.0, 11.0, 12.0]);
        // With a small beta a window may be counted in less than a segment.
        epoch.grow_reno(1.0, linux_windows(0.01));
        assert_eq!(epoch.counted, 1.0);
    }

    /// Equation 4 with 0.533 segments a round trip, beyond the old plateau as well.
    #[test]
    fn in_linux_a_friendly_window_keeps_to_the_slow_increase() {
        let (mut cubic, mut window) = in_linux();
        cubic.c = 1e-6;
        for round in 0..150 {
            let (t, acks) = (f64::from(round) * 0.1, window.cwnd as u32);
            (0..acks).for_each(|_| hear(&mut cubic, &mut window, t));
        }
        assert!((146.0..151.0).contains(&window.cwnd), "{}", window.cwnd);
    }

    /// Sections 4.2 and 5.8.
    #[test]
    fn time_in_which_the_window_is_not_used_does_not_count() {
        let (mut cubic, mut window) = cut(&[]);
        hear(&mut cubic, &mut window, 0.0);
        let after = |cubic: &mut Cubic, window: &mut Window, event: AckEvent| {
            let cwnd = window.cwnd;
            cubic.on_ack(window, &event);
            (window.cwnd > cwnd, cubic.epoch.expect("under way").began.as_secs())
        };
        let half = AckEvent { nxt: 1_000_000 + 35 * 1460, ..ack(&window, 2.0) };
        assert_eq!(after(&mut cubic, &mut window, half), (false, 2.0));
        let forbidden = AckEvent { may_grow: false, ..ack(&window, 3.0) };
        assert_eq!(after(&mut cubic, &mut window, forbidden), (false, 3.0));
        // Everything is acknowledged at 4 s, and something is sent at 9 s, a round trip before its ACK.
        let all = AckEvent { nxt: 1_000_000, acked: 70 * 1460, ..ack(&window, 4.0) };
        assert_eq!(after(&mut cubic, &mut window, all), (true, 3.0));
        let next = ack(&window, 9.1);
        assert_eq!(after(&mut cubic, &mut window, next), (true, 8.0));
    }

    #[test]
    fn a_window_at_its_maximum_does_not_save_up_growth() {
        let (mut cubic, mut window) = cut(&[]);
        window.maximum = 75.0;
        acked_until(&mut cubic, &mut window, 100.0);
        assert_eq!(window.cwnd, 75.0);
        assert!(cubic.epoch.expect("under way").reno <= 76.0);
        window.maximum = 1e6;
        hear(&mut cubic, &mut window, 100.0);
        assert!(window.cwnd < 76.0, "{}", window.cwnd);
    }

    /// Linux's `cubictcp_cwnd_event`: only a time in which nothing was outstanding does not count, and slow start after it leaves the epoch as it is.
    #[test]
    fn in_linux_the_function_goes_on_while_the_window_is_not_used() {
        let (mut cubic, mut window) = in_linux();
        hear(&mut cubic, &mut window, 0.0);
        let began = |cubic: &Cubic| cubic.epoch.expect("under way").began.as_secs();
        let half = AckEvent { nxt: 1_000_000 + 35 * 1460, ..ack(&window, 2.0) };
        let cwnd = window.cwnd;
        cubic.on_ack(&mut window, &half);
        assert_eq!((window.cwnd, began(&cubic)), (cwnd, 0.0));
        // Everything is acknowledged at 4 s. The segment after the next was sent 5 s later than the one before.
        let all = AckEvent { nxt: 1_000_000, acked: 70 * 1460, ..ack(&window, 4.0) };
        cubic.on_ack(&mut window, &all);
        window.ssthresh = window.cwnd + 1.0;
        hear(&mut cubic, &mut window, 9.0);
        assert_eq!(began(&cubic), 5.0);
    }

    /// `cubictcp_acked` and `bictcp_reset`.
    #[test]
    fn in_linux_round_trips_count_a_second_after_a_cut_and_anew_after_a_timeout() {
        let (mut cubic, mut window) = in_linux();
        let shortest = |cubic: &Cubic| cubic.linux.as_ref().expect("counts segments").shortest;
        let mut sample = |t: f64, millis: u64| {
            let event = AckEvent { rtt: Some(Span::from_millis(millis)), ..ack(&window, t) };
            cubic.on_ack(&mut window, &event);
            shortest(&cubic)
        };
        // The epoch begins with this one.
        assert_eq!(sample(0.0, 90), Some(Span::from_millis(90)));
        assert_eq!(sample(0.9, 80), Some(Span::from_millis(90)));
        assert_eq!(sample(1.0, 80), Some(Span::from_millis(80)));
        assert_eq!(sample(1.1, 90), Some(Span::from_millis(80)));
        cubic.on_loss(&window, &loss(80.0, true));
        assert_eq!(shortest(&cubic), None);
    }

    /// `cubictcp_acked` hears of SACKed data as well, but not in an epoch's first second.
    #[test]
    fn in_linux_sacked_data_may_end_slow_start() {
        let threshold = |began: Option<f64>, duplicates: u64| {
            let mut cubic: Cubic = made("cubic", Profile::Linux, &[]);
            let mut window = window(Profile::Linux, 20.0, 100.0);
            cubic.linux.as_mut().expect("counts segments").shortest = Some(Span::from_millis(20));
            cubic.epoch = began.map(|t| Epoch::new(Time::ZERO + Span::from_secs_f64(t), 20.0, 20.0, 0.4));
            let event = AckEvent {
                acked: 0,
                rtt: Some(Span::from_millis(40)),
                may_grow: false,
                ..ack(&window, 10.0)
            };
            (0..duplicates).for_each(|_| cubic.on_duplicate_ack(&mut window, &event));
            window.ssthresh
        };
        assert_eq!([threshold(None, 8), threshold(None, 9)], [100.0, 20.0]);
        assert_eq!([threshold(Some(9.01), 9), threshold(Some(9.0), 9)], [100.0, 20.0]);
    }

    /// Linux's CUBIC takes `tcp_reno_undo_cwnd`.
    #[test]
    fn in_linux_what_a_loss_changed_stays_changed() {
        for (timeout, w_max) in [(false, 80.0), (true, 0.0)] {
            let (mut cubic, mut window) = in_linux();
            acked_until(&mut cubic, &mut window, 2.0);
            window.cwnd = 80.0;
            cubic.fast_convergence = false;
            cubic.on_loss(&window, &loss(80.0, timeout));
            cubic.on_undo();
            assert_eq!((cubic.w_max, cubic.epoch), (w_max, None), "{timeout}");
        }
    }

    /// Section 4.9.2.
    #[test]
    fn a_loss_that_was_none_changes_nothing() {
        for timeouts in [&[false][..], &[true], &[true, true]] {
            let (mut cubic, mut window) = cut(&[]);
            acked_until(&mut cubic, &mut window, 2.0);
            let before = format!("{:?}", (cubic.w_max, cubic.prior, cubic.epoch));
            for &timeout in timeouts {
                cubic.on_loss(&window, &loss(80.0, timeout));
            }
            assert_ne!(format!("{:?}", (cubic.w_max, cubic.prior, cubic.epoch)), before);
            cubic.on_undo();
            assert_eq!(format!("{:?}", (cubic.w_max, cubic.prior, cubic.epoch)), before);
        }
    }
}
