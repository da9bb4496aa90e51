//! What a paced sender has beside the others: a [`Pacer`], and a control that is told of samples of the delivery rate.

use crate::congestion::{Delivery, Repair};
use crate::core::{Core, LastCut};
use crate::pacing::Pacer;
use crate::settings::Settings;
use airfair_core::{Stream, Time};

#[derive(Debug)]
pub(crate) struct Paced {
    pub pacer: Pacer,
    /// For the random choices of a control that brings its own rate.
    draws: Option<Stream>,
}

impl Paced {
    /// `None`: with these settings nothing is paced.
    pub fn new(settings: &Settings) -> Option<Box<Paced>> {
        settings.is_paced().then(|| {
            let draws = settings.control.paces().then(|| Stream::new(0, "control"));
            Box::new(Paced { pacer: Pacer::new(settings), draws })
        })
    }

    /// The control draws from here.
    pub fn draw_from(&mut self, draws: impl FnOnce() -> Stream) {
        self.draws = self.draws.take().map(|_| draws());
    }

    /// Goes on with the draws of the connection before.
    pub fn follow(&mut self, before: Paced) {
        if let (Some(draws), Some(before)) = (&mut self.draws, before.draws) {
            *draws = before;
        }
    }

    /// A segment of `bytes` goes out; `goes_on`: the next one may be of the same burst.
    pub fn on_send(&mut self, now: Time, bytes: u32, goes_on: bool) {
        self.pacer.on_send(now, u64::from(bytes));
        if !goes_on {
            self.pacer.end_offloaded();
        }
    }

    /// Loss recovery has dealt with the ACK of everything before `ack` that echoes a mark or not, and takes `lost` for lost.
    pub fn on_ack(
        &mut self,
        core: &mut Core,
        now: Time,
        ack: u64,
        echoes: bool,
        lost: impl Iterator<Item = (u64, u64)>,
    ) {
        let sample = core.outstanding.sample(now, lost, core.window.segment());
        note_limit(core);
        if let (Some(draws), Some(deliveries)) = (&mut self.draws, &core.outstanding.deliveries) {
            let mut delivery = Delivery {
                now,
                sample,
                losses: deliveries.losses(),
                selective: core.settings.recovery.uses_sack(),
                marked: echoes && core.is_news(ack),
                marked_bytes: core.reported(echoes, sample.acked),
                repair: repair(core),
                srtt: core.srtt(),
                segment_bytes: core.window.segment_bytes,
                burst: self.pacer.burst(),
                departs: self.pacer.next().max(now),
                draws,
                limited: false,
                answered: false,
            };
            core.control.on_delivery(&mut core.window, &mut delivery);
            let Delivery { limited, answered, .. } = delivery;
            if answered {
                core.note_answer();
                core.owe_cwr();
            }
            if let Some(deliveries) = &mut core.outstanding.deliveries {
                deliveries.forget_losses();
                if limited {
                    deliveries.limit();
                }
            }
        }
        self.set_rate(core);
    }

    /// The application is about to write.
    pub fn on_write(&mut self, core: &mut Core, now: Time) {
        note_limit(core);
        if let Some(deliveries) = &core.outstanding.deliveries {
            if deliveries.in_flight() == 0 && deliveries.is_limited() {
                core.control.on_resume(now);
            }
            self.set_rate(core);
        }
    }

    /// The retransmission timer fired with data outstanding.
    pub fn on_timeout(&mut self, core: &mut Core) {
        core.outstanding.lose_all();
        self.set_rate(core);
    }

    fn set_rate(&mut self, core: &Core) {
        let rate = match self.draws {
            Some(_) => core.control.pacing_rate(),
            None => core.usual_rate(core.settings.pacing),
        };
        self.pacer.set_rate(rate);
    }
}

/// The application holds the sender back if there is nothing to send that the window has room for.
fn note_limit(core: &mut Core) {
    let Some(deliveries) = &mut core.outstanding.deliveries else { return };
    if core.nxt >= core.end
        && (deliveries.in_flight() as f64) < core.window.cwnd * core.window.segment() as f64
    {
        deliveries.limit();
    }
}

fn repair(core: &Core) -> Repair {
    match core.last_cut {
        _ if core.una >= core.recover => Repair::None,
        LastCut::Timeout => Repair::Timeout,
        LastCut::None | LastCut::FastRetransmit | LastCut::Recovered => Repair::Fast,
    }
}
