//! A station's interface queue, and the frame in service, which has left it.

use airfair_core::{Moment, Span, Time};
use airfair_queue::{Queue, QueueConfig, QueueLimit, QueueStats, Queued};

use super::drop_tail::DropTailQueue;
use super::{Frame, Payload};

/// A frame, and since when it has been in the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueuedFrame<P: Copy> {
    pub frame: Frame<P>,
    pub since: Time,
}

impl<P: Payload> QueuedFrame<P> {
    /// When it came, or will come, to the queue.
    #[inline]
    pub fn moment(&self) -> Moment {
        Moment::new(self.since, self.frame.payload.phase())
    }
}

impl<P: Payload> Queued for QueuedFrame<P> {
    #[inline]
    fn bytes(&self) -> u32 {
        self.frame.bytes
    }

    #[inline]
    fn flow(&self) -> u64 {
        self.frame.payload.flow()
    }

    #[inline]
    fn station(&self) -> u32 {
        self.frame.to
    }

    #[inline]
    fn mark(&mut self) -> bool {
        self.frame.payload.mark()
    }
}

/// What a station has to send.
#[derive(Debug)]
pub(super) enum Interface<P: Payload> {
    /// Drop-tail with a limit in frames.
    DropTail(DropTailQueue<P>),
    /// Any discipline.
    Disciplined(Box<Disciplined<P>>),
}

/// A queue with a discipline, and the frame in service.
#[derive(Debug)]
pub(super) struct Disciplined<P: Payload> {
    queue: Queue<QueuedFrame<P>>,
    head: Option<QueuedFrame<P>>,
    /// How many wait for each station; empty unless somebody watches.
    waiting_for: Vec<u32>,
}

impl<P: Payload> Disciplined<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, frame: Frame<P>, awaits_ack: bool) -> bool {
        let before = self.queue.packets();
        let in_service = u32::from(self.head.is_some()) + u32::from(awaits_ack);
        self.queue.enqueue(now, QueuedFrame { frame, since: now }, in_service);
        if !self.waiting_for.is_empty() {
            self.waiting_for[frame.to as usize] += 1;
            self.forget_dropped();
        }
        self.queue.packets() > before
    }

    #[inline(never)]
    fn take_next(&mut self, now: Time) {
        self.head = self.queue.dequeue(now);
        if !self.waiting_for.is_empty() {
            if let Some(head) = &self.head {
                self.waiting_for[head.frame.to as usize] -= 1;
            }
            self.forget_dropped();
        }
    }

    fn forget_dropped(&mut self) {
        while let Some(dropped) = self.queue.poll_drop() {
            self.waiting_for[dropped.frame.to as usize] -= 1;
        }
    }
}

impl<P: Payload> Interface<P> {
    /// An empty one, of the component `name` in the run with this `seed`.
    pub fn new(config: &QueueConfig, seed: u64, name: &str) -> Interface<P> {
        match config.limit {
            QueueLimit::Packets(limit) if config.discipline == Default::default() => {
                Interface::DropTail(DropTailQueue::new(limit))
            }
            _ => Interface::disciplined(config, seed, name),
        }
    }

    /// The same, as a queue with its discipline, even if that is drop-tail.
    pub fn disciplined(config: &QueueConfig, seed: u64, name: &str) -> Interface<P> {
        let queue = Queue::new(config, seed, name);
        Interface::Disciplined(Box::new(Disciplined { queue, head: None, waiting_for: Vec::new() }))
    }

    /// Whether what leaves the queue next is settled as soon as the frame before has arrived, before its ACK has: nothing
    /// that comes meanwhile goes first, and nobody cares when it leaves.
    #[inline]
    pub fn knows_next(&self) -> bool {
        matches!(self, Interface::DropTail(_))
    }

    /// The frame in service.
    #[inline]
    pub fn head(&self) -> Option<&QueuedFrame<P>> {
        match self {
            Interface::DropTail(it) => it.head(),
            Interface::Disciplined(it) => it.head.as_ref(),
        }
    }

    /// Frames held, the one in service included.
    #[inline]
    pub fn held(&self) -> u32 {
        match self {
            Interface::DropTail(it) => it.held() as u32,
            Interface::Disciplined(it) => it.queue.packets() + u32::from(it.head.is_some()),
        }
    }

    /// Keeps count of the receivers, one of so many `stations` each, of the frames that will come.
    pub fn watch_receivers(&mut self, stations: usize) {
        if let Interface::Disciplined(it) = self {
            it.waiting_for = vec![0; stations];
        }
    }

    /// How many frames are held for each station, the one in service included.
    pub fn frames_for(&self, counts: &mut [u32]) {
        match self {
            Interface::DropTail(it) => {
                counts.fill(0);
                it.frames_held().for_each(|frame| counts[frame.to as usize] += 1);
            }
            Interface::Disciplined(it) => {
                counts.copy_from_slice(&it.waiting_for);
                if let Some(head) = &it.head {
                    counts[head.frame.to as usize] += 1;
                }
            }
        }
    }

    /// A frame comes; `false` when the queue drops it, or another for it. A frame that `awaits_ack` counts, too.
    #[inline]
    pub fn enqueue(&mut self, now: Time, frame: Frame<P>, awaits_ack: bool) -> bool {
        match self {
            Interface::DropTail(it) => it.enqueue(now, frame, awaits_ack),
            Interface::Disciplined(it) => it.enqueue(now, frame, awaits_ack),
        }
    }

    /// The frame in service has been.
    #[inline]
    pub fn release(&mut self) {
        match self {
            Interface::DropTail(it) => it.release(),
            Interface::Disciplined(it) => it.head = None,
        }
    }

    /// The next frame is in service, if there is one.
    #[inline]
    pub fn take_next(&mut self, now: Time) {
        if let Interface::Disciplined(it) = self {
            it.take_next(now);
        }
    }

    /// Frames to or from `station` took `airtime`.
    #[inline]
    pub fn charge(&mut self, now: Time, station: u32, airtime: Span) {
        if let Interface::Disciplined(it) = self {
            it.queue.charge(now, station, airtime);
        }
    }

    /// What has become of frames.
    pub fn stats(&self) -> &QueueStats {
        match self {
            Interface::DropTail(it) => &it.stats,
            Interface::Disciplined(it) => it.queue.stats(),
        }
    }
}
