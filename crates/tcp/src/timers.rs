//! The timers of one end, as a set with one deadline.

use airfair_core::Time;

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// Retransmission (RFC 6298). While the receiver's window is closed, this timer sends the next probe (RFC 9293, section 3.8.6.1).
    Retransmission,
    /// The release of segments that wait for [`Settings::send_jitter`](crate::settings::Settings::send_jitter), for the pacing rate, or for
    /// room in their host's queue.
    Release,
}

/// When each timer is due; [`Time::NEVER`] if it is off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timers {
    due: [Time; Timers::COUNT],
}

impl Timers {
    const COUNT: usize = Timer::Release as usize + 1;
    pub const OFF: Timers = Timers { due: [Time::NEVER; Timers::COUNT] };

    #[inline]
    pub fn due(&self, timer: Timer) -> Time {
        self.due[timer as usize]
    }

    #[inline]
    pub fn set(&mut self, timer: Timer, at: Time) {
        self.due[timer as usize] = at;
    }

    #[inline]
    pub fn is_running(&self, timer: Timer) -> bool {
        self.due(timer) != Time::NEVER
    }

    /// Turns a timer off if it is due. Returns whether it was.
    #[inline]
    pub fn expire(&mut self, timer: Timer, now: Time) -> bool {
        let due = self.due(timer) <= now;
        if due {
            self.set(timer, Time::NEVER);
        }
        due
    }

    /// When the first of all timers is due.
    #[inline]
    pub fn next(&self) -> Time {
        self.due.iter().fold(Time::NEVER, |first, due| first.min(*due))
    }
}
