//! The parts of a sender that only a paced one has: a [`Pacer`], and the samples of the delivery rate that a control of its own rate gets.

use crate::congestion::{Delivery, Repair};
use crate::core::{Core, LastCut, Marked};
use crate::pacing::Pacer;
use crate::settings::Settings;
use crate::timers::Timer;
use airfair_core::{Stream, Time};

#[derive(Debug)]
pub(crate) struct Paced {
    pub pacer: Pacer,
    /// Random numbers for a control that brings its own rate; `None` for other controls.
    draws: Option<Stream>,
}

impl Paced {
    /// Returns `None` if these settings pace nothing.
    pub fn new(settings: &Settings) -> Option<Box<Paced>> {
        settings.is_paced().then(|| {
            let draws = settings.control.paces().then(|| Stream::new(0, "control"));
            Box::new(Paced { pacer: Pacer::new(settings), draws })
        })
    }

    /// Has the control draw from these random numbers.
    pub fn draw_from(&mut self, draws: impl FnOnce() -> Stream) {
        self.draws = self.draws.take().map(|_| draws());
    }

    /// Takes over the random numbers of the connection before.
    pub fn follow(&mut self, before: Paced) {
        if let (Some(draws), Some(before)) = (&mut self.draws, before.draws) {
            *draws = before;
        }
    }
}

impl Core {
    /// Holds back those whole new segments for which the pacing rate has no room yet, and sets the timer that releases them; to be called after
    /// [`Core::settle`]. At the end of the stream each segment goes the long way, through the recovery.
    pub fn pace(&mut self, now: Time) {
        let has_whole = self.has_whole();
        let Some(paced) = &mut self.paced else { return };
        if self.marked.is(Marked::IRREGULAR) || self.whole_to >= self.end {
            self.whole_to = 0;
            self.marked.set(Marked::IRREGULAR, true);
        } else if paced.pacer.allows(now) {
            self.whole_to = self.whole_to.min(paced.pacer.end_of_burst(self.nxt));
        } else if has_whole {
            self.whole_to = 0;
            if !self.timers.is_running(Timer::Release) {
                self.timers.set(Timer::Release, paced.pacer.next());
            }
        }
    }

    /// [`Core::pace`] where whole new segments go out in order, as far as window and pacing rate allow.
    #[inline(never)]
    pub fn pace_in_order(&mut self, now: Time) {
        self.settle_in_order();
        self.pace(now);
    }

    /// Tells a control that brings its own rate of an ACK of everything before `ack`, once loss recovery has dealt with the ACK and takes `lost`
    /// for lost. `echoes`: the ACK echoes a mark.
    pub fn tell_delivery(
        &mut self,
        now: Time,
        ack: u64,
        echoes: bool,
        lost: Option<impl Iterator<Item = (u64, u64)>>,
    ) {
        let sample = self.outstanding.sample(now, lost, self.window.segment());
        self.note_limit();
        let (marked, marked_bytes) = (echoes && self.is_news(ack), self.reported(echoes, sample.acked));
        let (repair, srtt) = (self.repair(), self.srtt());
        let uses_window = if self.marked.is(Marked::GROWS_WHEN_LIMITED) {
            self.was_limited(sample.prior_in_flight)
        } else {
            !sample.app_limited
        };
        if let (Some(Paced { pacer, draws: Some(draws) }), Some(deliveries)) =
            (self.paced.as_deref_mut(), &self.outstanding.deliveries)
        {
            let mut delivery = Delivery {
                now,
                sample: &sample,
                losses: deliveries.losses(),
                selective: self.settings.recovery.uses_sack(),
                marked,
                marked_bytes,
                repair,
                uses_window,
                srtt,
                segment_bytes: self.window.segment_bytes,
                burst: pacer.burst(),
                departs: pacer.next().max(now),
                draws,
                limited: false,
                answered: false,
                repaced: true,
            };
            self.control.on_delivery(&mut self.window, &mut delivery);
            let Delivery { limited, answered, repaced, .. } = delivery;
            if answered {
                self.note_answer();
                self.owe_cwr();
            }
            if let Some(deliveries) = &mut self.outstanding.deliveries {
                deliveries.forget_losses();
                if limited {
                    deliveries.limit();
                }
            }
            if !repaced {
                return;
            }
        }
        self.set_rate();
    }

    /// To be called before the application of a paced sender writes.
    pub fn before_write(&mut self, now: Time) {
        self.note_limit();
        if let Some(deliveries) = &self.outstanding.deliveries {
            if deliveries.in_flight() == 0 && deliveries.is_limited() {
                self.control.on_resume(now);
            }
            self.set_rate();
        }
    }

    /// Sets the pacing rate of a paced sender anew, after something that it depends on has changed.
    #[inline(always)]
    pub fn set_rate(&mut self) {
        let Some(paced) = &self.paced else { return };
        let rate = match paced.draws {
            Some(_) => self.control.pacing_rate(),
            None => self.usual_rate(self.settings.pacing),
        };
        if let Some(paced) = &mut self.paced {
            paced.pacer.set_rate(rate, self.bundle.offloaded);
        }
    }

    /// Notes whether the application holds the sender back: the window has room, and there is nothing to send.
    fn note_limit(&mut self) {
        let Some(deliveries) = &mut self.outstanding.deliveries else { return };
        if self.nxt >= self.end
            && (deliveries.in_flight() as f64) < self.window.cwnd * self.window.segment() as f64
        {
            deliveries.limit();
        }
    }

    fn repair(&self) -> Repair {
        match self.last_cut {
            _ if self.una >= self.recover => Repair::None,
            LastCut::Timeout => Repair::Timeout,
            LastCut::None | LastCut::FastRetransmit | LastCut::Recovered => Repair::Fast,
        }
    }
}
