//! What a paced sender has beside the others: a [`Pacer`], and delivery-rate samples where the control asks for them.

use crate::congestion::{Delivery, Repair};
use crate::core::{Arrival, Core, LastCut};
use crate::delivery::{Deliveries, Sample};
use crate::pacing::{Pacer, usual_rate};
use crate::segment::Ack;
use crate::settings::{Recovery, Settings};
use airfair_core::{Stream, Time};

#[derive(Debug)]
pub(crate) struct Paced {
    pub pacer: Pacer,
    /// For a control that brings its own rate.
    own: Option<Own>,
}

#[derive(Debug)]
struct Own {
    deliveries: Deliveries,
    draws: Stream,
}

impl Paced {
    /// `None`: with these settings nothing is paced.
    pub fn new(settings: &Settings) -> Option<Box<Paced>> {
        let own = settings.control.paces().then(|| Own {
            deliveries: Deliveries::new(settings.recovery == Recovery::Rack),
            draws: Stream::new(0, "control"),
        });
        let paces = own.is_some() || settings.pacing != crate::settings::Pacing::Off;
        paces.then(|| Box::new(Paced { pacer: Pacer::new(settings), own }))
    }

    /// The control draws from here.
    pub fn draw_from(&mut self, draws: impl FnOnce() -> Stream) {
        if let Some(own) = &mut self.own {
            own.draws = draws();
        }
    }

    /// Goes on with the draws of the connection before.
    pub fn follow(&mut self, before: Paced) {
        if let (Some(own), Some(before)) = (&mut self.own, before.own) {
            own.draws = before.draws;
        }
    }

    /// A segment of `bytes` at the offset `start` goes out.
    pub fn on_send(&mut self, now: Time, start: u64, bytes: u32, again: bool) {
        let bytes = u64::from(bytes);
        self.pacer.on_send(now, bytes);
        if let Some(own) = self.own.as_mut().filter(|_| bytes > 0) {
            own.deliveries.on_send(now, start, start + bytes, again);
        }
    }

    /// What an ACK shows, before loss recovery deals with it.
    pub fn sample(&mut self, core: &Core, now: Time, ack: u64, raw: &Ack) -> Sample {
        let Some(own) = &mut self.own else { return Sample::default() };
        let stands = ack == core.una && core.una < core.max_sent && core.is_plain(raw);
        let stands = stands && !core.settings.recovery.uses_sack();
        let arrival = Arrival { now, ack, echo: raw.echo, raw };
        let blocks = arrival.blocks(core.origin()).map(|(start, end)| (start, end.min(core.max_sent)));
        own.deliveries.on_ack(now, ack, blocks, stands, core.segment())
    }

    /// What loss recovery takes for lost now that it has dealt with the ACK, if it finds losses itself.
    pub fn note_lost(&mut self, lost: impl Iterator<Item = (u64, u64)>, sample: &mut Sample) {
        if let Some(own) = &mut self.own {
            own.deliveries.note_lost(lost, sample);
        }
    }

    /// Loss recovery has dealt with the ACK of everything before `ack` that shows this, and echoes a mark or not.
    pub fn on_ack(&mut self, core: &mut Core, now: Time, ack: u64, echoes: bool, sample: Sample) {
        if let Some(own) = &mut self.own {
            own.note_limit(core);
            let mut delivery = Delivery {
                now,
                sample,
                losses: own.deliveries.losses(),
                selective: core.settings.recovery.uses_sack(),
                marked: echoes && core.is_news(ack),
                marked_bytes: core.reported(echoes, sample.acked),
                repair: repair(core),
                srtt: core.srtt(),
                segment_bytes: core.window.segment_bytes,
                burst: self.pacer.burst(),
                departs: self.pacer.next().max(now),
                draws: &mut own.draws,
                limited: false,
                answered: false,
            };
            core.control.on_delivery(&mut core.window, &mut delivery);
            let Delivery { limited, answered, .. } = delivery;
            own.deliveries.forget_losses();
            if limited {
                own.deliveries.limit();
            }
            if answered {
                core.note_answer();
                core.owe_cwr();
            }
        }
        self.set_rate(core);
    }

    /// The application is about to write.
    pub fn on_write(&mut self, core: &mut Core, now: Time) {
        let Some(own) = &mut self.own else { return };
        own.note_limit(core);
        if own.deliveries.in_flight() == 0 && own.deliveries.is_limited() {
            core.control.on_resume(now);
        }
        self.set_rate(core);
    }

    /// The retransmission timer fired with data outstanding.
    pub fn on_timeout(&mut self, core: &Core) {
        if let Some(own) = &mut self.own {
            own.deliveries.lose_all();
        }
        self.set_rate(core);
    }

    fn set_rate(&mut self, core: &Core) {
        let rate = match self.own {
            Some(_) => core.control.pacing_rate(),
            None => {
                let window = &core.window;
                usual_rate(core.settings.pacing, core.srtt(), window.cwnd, window.ssthresh, core.segment())
            }
        };
        self.pacer.set_rate(rate);
    }
}

impl Own {
    /// The application holds the sender back if there is nothing to send that the window has room for.
    fn note_limit(&mut self, core: &Core) {
        let in_flight = self.deliveries.in_flight() as f64;
        if core.nxt >= core.end && in_flight < core.window.cwnd * core.segment() as f64 {
            self.deliveries.limit();
        }
    }
}

fn repair(core: &Core) -> Repair {
    match core.last_cut {
        _ if core.una >= core.recover => Repair::None,
        LastCut::Timeout => Repair::Timeout,
        LastCut::None | LastCut::FastRetransmit | LastCut::Recovered => Repair::Fast,
    }
}
