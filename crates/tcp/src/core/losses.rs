//! A sender's answer to a loss, however it was found.

use super::{Core, LastCut, Marked, Pending};
use crate::congestion::{Engine, Loss, Reduction};
use crate::rtt::RttEstimator;
use crate::settings::{FastRetransmitGuard, Handshake, LossBase, LostSyn, Recovery, Restart, Settings};
use crate::timers::Timer;
use crate::window::Window;
use airfair_core::Time;

impl Core {
    /// Whether duplicate ACKs may start a recovery now.
    pub fn may_retransmit(&self) -> bool {
        if self.recover == 0 {
            return true;
        }
        // RFC 6582, section 3.2, asks for an ACK beyond the data sent then, RFC 6675, section 5.1, for an ACK of all these data.
        let sacks = self.settings.recovery == Recovery::Sack;
        let is_over = self.una > self.recover || sacks && self.una == self.recover;
        match self.settings.fast_retransmit_guard {
            FastRetransmitGuard::None => true,
            FastRetransmitGuard::Recover => is_over,
            FastRetransmitGuard::RecoverOrFirst => is_over || self.una == self.segment(),
        }
    }

    /// The quantity that a loss halves, in segments.
    pub(super) fn loss_base(&self, timeout: bool) -> f64 {
        match self.settings.loss_base {
            LossBase::Window => {
                let limit = f64::from(self.advertised.max(1));
                (self.window.cwnd + f64::from(self.inflation)).min(limit)
            }
            LossBase::CongestionWindow => self.window.cwnd,
            LossBase::FlightSize => {
                // Without the segments of limited transmit (RFC 5681, section 3.2, step 2; RFC 6675, section 5, step 4.2).
                let beyond = if timeout || self.dupacks == 0 { 0 } else { self.beyond };
                self.flight() as f64 / self.segment() as f64 - f64::from(beyond)
            }
        }
    }

    /// Whether the outstanding data have lowered the threshold before. A timeout then leaves it alone. In Linux (`tcp_enter_loss`) they have in a
    /// recovery, after a mark, and if a timeout has sent the first segment again already. RFC 5681 (section 3.1) has the last case alone. There the
    /// flight size is the same as before, and gives the same threshold without this rule.
    fn has_lowered_threshold(&self) -> bool {
        let recovers =
            self.una < self.recover && (self.last_cut != LastCut::Timeout || self.una == self.timed_out);
        self.settings.loss_base == LossBase::CongestionWindow && (recovers || self.has_answered())
    }

    /// Asks the control how far to cut; sets the threshold.
    pub fn cut(&mut self, now: Time, timeout: bool) -> Reduction {
        self.cut_by(now, timeout, Engine::on_loss)
    }

    /// Like [`Core::cut`], for a loss or a mark: `answer` is the method of the control to ask.
    pub fn cut_by(
        &mut self,
        now: Time,
        timeout: bool,
        answer: fn(&mut Engine, &Window, &Loss) -> Reduction,
    ) -> Reduction {
        let beside_mark = !timeout && self.has_answered();
        if beside_mark && !self.settings.control.cuts_by_share() {
            self.end_reduction();
            return Reduction { ssthresh: self.window.ssthresh, ..Reduction::to(self.window.cwnd) };
        }
        // A control that answers a loss beside a mark answers for what the reduction has left of the window (Linux's `dctcp_react_to_loss`).
        self.drop_reduction();
        let keeps = timeout && self.has_lowered_threshold();
        let base = self.idle.loss_base(self.loss_base(timeout), self.segment());
        let loss = Loss { now, base, timeout, segment_bytes: self.window.segment_bytes };
        if !keeps {
            self.before_cut = (!beside_mark).then_some((self.window.cwnd, self.window.ssthresh));
        }
        let mut reduction = answer(&mut self.control, &self.window, &loss);
        self.measure_slow_start(timeout);
        if self.settings.halve_threshold {
            reduction.ssthresh = self.window.cwnd / 2.0;
        }
        self.window.forget_acknowledged();
        if keeps {
            return reduction;
        }
        self.window.set_ssthresh(reduction.ssthresh);
        if self.window.is_held() {
            return reduction;
        }
        if self.settings.loss_base == LossBase::FlightSize {
            // Equation 4 bounds the result, and the window starts from it.
            reduction.cwnd = reduction.cwnd.max(2.0);
        }
        self.owe_cwr();
        self.stats.window_cuts += 1;
        reduction
    }

    /// Window and threshold before the last cut, for [`Core::undo`]. `None`: a mark asked for that cut, so that it stands (Linux's `tcp_enter_cwr`).
    pub fn before_cut(&self) -> Option<(f64, f64)> {
        self.before_cut
    }

    /// From now on the last cut [stands](Core::before_cut).
    pub(super) fn confirm_cut(&mut self) {
        self.before_cut = None;
    }

    /// Takes back the answer to a loss or a timeout that was none: window and threshold become what they were [`before`](Core::before_cut), unless
    /// they are larger (RFC 4015, section 3.2; RFC 9438, section 4.9.2), and no recovery is under way.
    pub fn undo(&mut self, before: Option<(f64, f64)>) {
        if let Some((cwnd, ssthresh)) = before {
            self.window.set(self.settings.at_most_max_window(self.window.cwnd.max(cwnd)));
            self.window.ssthresh = self.window.ssthresh.max(ssthresh);
            self.control.on_undo();
        }
        self.recover = self.una;
        self.last_cut = LastCut::Recovered;
    }

    /// Starts or stops following single segments, for a control that does so in slow start.
    pub fn measure_slow_start(&mut self, begins: bool) {
        if self.outstanding.are_for_slow_start() {
            self.marked.set(Marked::MEASURES, begins);
            if !begins {
                self.outstanding.pause();
            }
        }
    }

    /// Begins a recovery: remembers the end of the data sent, restarts the timer, and stops timing a segment.
    pub fn begin_recovery(&mut self, now: Time) {
        self.begin_recovery_untimed();
        self.stop_timing();
        self.arm(now);
    }

    /// Like [`Core::begin_recovery`], but leaves the timer and the timed segment alone.
    pub fn begin_recovery_untimed(&mut self) {
        self.recover = self.max_sent;
        self.last_cut = LastCut::FastRetransmit;
        self.stats.fast_retransmits += 1;
    }

    /// Sends a new segment on each of the first two duplicate ACKs, if the receiver's window has room (RFC 3042).
    pub fn limited_transmit(&mut self) {
        if self.dupacks <= 1 {
            self.beyond = 0;
        }
        if !self.settings.limited_transmit || self.nxt >= self.end {
            return;
        }
        let allowed = self.window.cwnd + f64::from(self.dupacks);
        let outstanding = self.segments(self.nxt.saturating_sub(self.una)) + 1;
        if self.fits(self.nxt, self.receive_window()) && outstanding as f64 <= allowed {
            self.pending = Pending::New;
            self.beyond += u8::from(outstanding as f64 > self.window.cwnd);
        }
    }

    /// Answers a timeout as a loss.
    fn lose(&mut self, now: Time) {
        let Settings { handshake, lost_syn, loss_window, .. } = *self.settings;
        let is_syn = self.una < self.origin();
        self.stats.timeouts += 1;
        if !is_syn || lost_syn == LostSyn::Rfc5681 {
            let opened = self.una > 0 || matches!(handshake, Handshake::None | Handshake::Overlapped);
            let reduction = self.cut(now, true);
            // The segment that opens the connection is retransmitted alone, whatever the control answers.
            let left = reduction.loss_window.filter(|_| opened);
            self.window.cwnd = left.unwrap_or(self.settings.at_most_max_window(loss_window));
        }
        if !is_syn || self.stats.timeouts > lost_syn.linear_timeouts() {
            self.update_rtt(RttEstimator::back_off);
        }
    }

    /// Handles the retransmission timer. Returns whether it counts as a loss; `false` if nothing was outstanding.
    pub fn on_timeout(&mut self, now: Time) -> bool {
        let idle = self.una == self.max_sent;
        let restarts = idle && self.settings.restart != Restart::IdleTimeoutIsLoss;
        self.end_reduction();
        self.window.cwnd = self.window.cwnd.max(1.0);
        self.inflation = 0;
        self.pending = Pending::Nothing;
        if restarts {
            self.window.set(self.settings.at_most_max_window(self.settings.restart_window));
            self.window.forget_acknowledged();
            self.control.on_idle_restart();
            self.measure_slow_start(true);
        } else {
            self.lose(now);
        }
        self.stop_timing();
        self.recover = self.max_sent;
        self.last_cut = LastCut::Timeout;
        self.timed_out = self.una;
        // Repeating an idle restart changes nothing more. The next segment starts the timer.
        let due = if restarts { Time::NEVER } else { now + self.timeout() };
        self.timers.set(Timer::Retransmission, due);
        self.budget = u32::MAX;
        !restarts
    }
}
