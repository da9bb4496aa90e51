//! A drop-tail interface queue with a limit in frames, and its scheduled arrivals.

use std::collections::VecDeque;

use airfair_core::{Moment, Time};
use airfair_queue::QueueStats;

use super::interface::QueuedFrame;
use super::{Frame, Payload};

/// Frames held, the first one in service, and behind them the scheduled arrivals. No frame is moved before it is
/// delivered.
#[derive(Debug)]
pub(super) struct DropTailQueue<P: Payload> {
    frames: VecDeque<QueuedFrame<P>>,
    /// Number of frames held; the others are scheduled.
    held: usize,
    /// Largest number of frames held, a frame that awaits its ACK included.
    limit: usize,
    pub stats: QueueStats,
}

impl<P: Payload> DropTailQueue<P> {
    pub fn new(limit: u32) -> DropTailQueue<P> {
        DropTailQueue {
            frames: VecDeque::new(),
            held: 0,
            limit: limit as usize,
            stats: QueueStats::default(),
        }
    }

    /// The frame in service.
    #[inline]
    pub fn head(&self) -> Option<&QueuedFrame<P>> {
        if self.held > 0 { self.frames.front() } else { None }
    }

    /// The first scheduled arrival.
    #[inline]
    pub fn next_arrival(&self) -> Option<&QueuedFrame<P>> {
        self.frames.get(self.held)
    }

    /// Frames held.
    #[inline]
    pub fn held(&self) -> usize {
        self.held
    }

    /// The frames held, the one in service first.
    pub fn frames_held(&self) -> impl Iterator<Item = &Frame<P>> {
        self.frames.iter().take(self.held).map(|waiting| &waiting.frame)
    }

    /// A frame arrives at `now`; `false` if it is dropped. A frame that `awaits_ack` counts against the limit, too.
    pub fn enqueue(&mut self, now: Time, frame: Frame<P>, awaits_ack: bool) -> bool {
        self.stats.offered += 1;
        let fits = self.fits(awaits_ack);
        if fits {
            self.frames.insert(self.held, QueuedFrame { frame, since: now });
            self.held += 1;
        } else {
            self.stats.dropped_full += 1;
        }
        fits
    }

    /// Schedules the arrival of a frame at `due`; `false`, and no effect, if another is scheduled for a later
    /// instant.
    #[inline]
    pub fn schedule_arrival(&mut self, due: Time, frame: Frame<P>) -> bool {
        let frame = QueuedFrame { frame, since: due };
        match self.frames.back() {
            Some(last) if self.frames.len() > self.held && last.moment() > frame.moment() => {
                last.since == due && self.schedule_among(frame)
            }
            _ => {
                self.frames.push_back(frame);
                true
            }
        }
    }

    /// Inserts a frame among those scheduled for the same instant.
    #[cold]
    fn schedule_among(&mut self, frame: QueuedFrame<P>) -> bool {
        let later =
            self.frames.iter().skip(self.held).rev().take_while(|other| other.moment() > frame.moment());
        self.frames.insert(self.frames.len() - later.count(), frame);
        true
    }

    /// Accepts or drops the scheduled frames that arrive before `end`. Until `ack_until` a frame that awaits its ACK
    /// counts against the limit, too. Calls `told` with each frame's arrival time, its length and, if accepted, its
    /// queue position.
    #[inline]
    pub fn admit(&mut self, end: Moment, ack_until: Time, mut told: impl FnMut(Time, u32, Option<usize>)) {
        let mut next = self.held;
        while let Some(waiting) = self.frames.get(next)
            && waiting.moment() < end
        {
            let &QueuedFrame { since, frame: Frame { bytes, .. } } = waiting;
            self.stats.offered += 1;
            let fits = self.fits(since < ack_until);
            told(since, bytes, fits.then_some(self.held));
            if fits {
                if next > self.held {
                    self.frames.swap(self.held, next);
                }
                self.held += 1;
            } else {
                self.stats.dropped_full += 1;
            }
            next += 1;
        }
        if next > self.held {
            self.frames.drain(self.held..next);
        }
    }

    /// The frame in service leaves.
    #[inline]
    pub fn release(&mut self) {
        self.frames.pop_front();
        self.held -= 1;
    }

    #[inline]
    fn fits(&self, awaits_ack: bool) -> bool {
        self.held + usize::from(awaits_ack) < self.limit
    }
}
