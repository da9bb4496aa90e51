//! A station's interface queue, and the frame in service, which has left it.
//!
//! A frame that arrives at a non-empty drop-tail queue waits or is dropped, which shows only when another frame
//! leaves. So a caller who knows arrival times may schedule them there instead of returning for each.

use airfair_core::{Moment, Span, Time};
use airfair_queue::{Queue, QueueConfig, QueueLimit, QueueStats, Queued};

use super::drop_tail::DropTailQueue;
use super::{Frame, Payload};

/// A frame and the time of its arrival in the queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueuedFrame<P: Copy> {
    /// The frame.
    pub frame: Frame<P>,
    /// When the frame arrived, or is to arrive.
    pub since: Time,
}

impl<P: Payload> QueuedFrame<P> {
    /// Returns the moment of the frame's arrival, past or scheduled.
    #[inline]
    pub fn moment(&self) -> Moment {
        Moment::new(self.since, self.frame.payload.phase())
    }

    /// Returns the frame without its payload.
    #[inline]
    pub(crate) fn head(&self) -> Head {
        let &QueuedFrame { frame: Frame { to, bytes, .. }, since } = self;
        Head { to, bytes, since }
    }
}

/// What a station needs to know of a frame to send it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub to: u32,
    pub bytes: u32,
    /// When the frame arrived in the queue.
    pub since: Time,
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

    #[inline]
    fn is_scalable(&self) -> bool {
        self.frame.payload.is_scalable()
    }
}

/// The result of scheduling an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduledArrival {
    /// The frame is the first at an empty queue: the caller must admit it.
    First,
    /// Other frames are in the queue, or arrive before this one.
    Behind,
    /// Another frame is scheduled later; this one must be enqueued when it arrives.
    OutOfOrder,
}

/// A station's interface queue and its frame in service.
#[derive(Debug)]
pub(crate) enum Interface<P: Payload> {
    /// A drop-tail queue with a limit in frames.
    DropTail(DropTailQueue<P>),
    /// A queue with any discipline.
    Disciplined(Box<Disciplined<P>>),
}

/// A queue with a discipline, and the frame in service.
#[derive(Debug)]
pub(crate) struct Disciplined<P: Payload> {
    queue: Queue<QueuedFrame<P>>,
    head: Option<QueuedFrame<P>>,
    /// The frame delivered last.
    delivered: Option<QueuedFrame<P>>,
    /// Number of waiting frames for each receiver; empty unless receivers are watched.
    waiting_for: Vec<u32>,
    /// On request, the payloads of frames that the queue has dropped.
    dropped: Option<Vec<P>>,
}

impl<P: Payload> Disciplined<P> {
    #[inline(never)]
    fn enqueue(&mut self, frame: QueuedFrame<P>, awaits_ack: bool) -> bool {
        let before = self.queue.packets();
        let in_service = self.in_service(awaits_ack);
        self.queue.enqueue(frame.since, frame, in_service);
        if let Some(count) = self.waiting_for.get_mut(frame.frame.to as usize) {
            *count += 1;
        }
        self.forget_dropped();
        self.queue.packets() > before
    }

    #[inline(never)]
    fn take_next(&mut self, now: Time) {
        self.head = self.queue.dequeue(now);
        if let Some(head) = &self.head
            && let Some(count) = self.waiting_for.get_mut(head.frame.to as usize)
        {
            *count -= 1;
        }
        self.forget_dropped();
    }

    fn change(&mut self, now: Time, config: &QueueConfig, awaits_ack: bool, seed: u64, name: &str) {
        let in_service = self.in_service(awaits_ack);
        self.queue.change(now, config, in_service, seed, name);
        self.forget_dropped();
    }

    /// Returns the number of frames that have left the queue but count against its limit.
    fn in_service(&self, awaits_ack: bool) -> u32 {
        u32::from(self.head.is_some()) + u32::from(awaits_ack)
    }

    fn forget_dropped(&mut self) {
        if self.waiting_for.is_empty() && self.dropped.is_none() {
            return;
        }
        while let Some(QueuedFrame { frame, .. }) = self.queue.poll_drop() {
            if let Some(count) = self.waiting_for.get_mut(frame.to as usize) {
                *count -= 1;
            }
            if let Some(dropped) = &mut self.dropped {
                dropped.push(frame.payload);
            }
        }
    }
}

impl<P: Payload> Interface<P> {
    /// Returns an empty interface of the component `name` in the run with this `seed`.
    pub fn new(config: &QueueConfig, seed: u64, name: &str) -> Interface<P> {
        match config.limit {
            QueueLimit::Packets(limit) if config.discipline == Default::default() => {
                Interface::DropTail(DropTailQueue::new(limit))
            }
            _ => Interface::disciplined(config, seed, name),
        }
    }

    /// Like [`Interface::new`], but always a queue with a discipline, even if that is drop-tail.
    pub fn disciplined(config: &QueueConfig, seed: u64, name: &str) -> Interface<P> {
        let queue = Queue::new(config, seed, name);
        Interface::Disciplined(Box::new(Disciplined {
            queue,
            head: None,
            delivered: None,
            waiting_for: Vec::new(),
            dropped: None,
        }))
    }

    /// Changes the configuration of the queue: see [`Queue::change`]. Of a drop-tail queue with a limit in frames only the limit
    /// can change.
    pub fn change(&mut self, now: Time, config: &QueueConfig, awaits_ack: bool, seed: u64, name: &str) {
        match (self, config.limit) {
            (Interface::DropTail(it), QueueLimit::Packets(limit)) => it.set_limit(limit),
            (Interface::DropTail(_), QueueLimit::Bytes(_)) => {}
            (Interface::Disciplined(it), _) => it.change(now, config, awaits_ack, seed, name),
        }
    }

    /// Whether the next frame to leave the queue is known as soon as the frame before it has arrived, before its ACK: no later
    /// arrival overtakes it, and the time at which it leaves has no effect.
    #[inline]
    pub fn knows_next(&self) -> bool {
        matches!(self, Interface::DropTail(_))
    }

    /// Returns the frame in service.
    #[inline]
    pub fn head(&self) -> Option<&QueuedFrame<P>> {
        match self {
            Interface::DropTail(it) => it.head(),
            Interface::Disciplined(it) => it.head.as_ref(),
        }
    }

    /// Returns the number of frames held, the one in service included.
    #[inline]
    pub fn held(&self) -> u32 {
        match self {
            Interface::DropTail(it) => it.held() as u32,
            Interface::Disciplined(it) => it.queue.packets() + u32::from(it.head.is_some()),
        }
    }

    /// Schedules the arrival of a frame at `due`. Only drop-tail queues with a limit in frames can; others return
    /// [`ScheduledArrival::OutOfOrder`].
    #[inline]
    pub fn schedule_arrival(&mut self, due: Time, frame: Frame<&P>) -> ScheduledArrival {
        match self {
            Interface::DropTail(it) => it.schedule_arrival(due, frame),
            Interface::Disciplined(_) => ScheduledArrival::OutOfOrder,
        }
    }

    /// Returns the queue if it is a drop-tail queue with a limit in frames.
    #[inline]
    pub fn drop_tail(&mut self) -> Option<&mut DropTailQueue<P>> {
        match self {
            Interface::DropTail(it) => Some(it),
            Interface::Disciplined(_) => None,
        }
    }

    /// Returns the first scheduled arrival; [`Moment::NEVER`] if there is none.
    #[inline]
    pub fn next_arrival(&self) -> Moment {
        match self {
            Interface::DropTail(it) => it.next_arrival(),
            Interface::Disciplined(_) => Moment::NEVER,
        }
    }

    /// Counts frames by receiver from now on. There are `stations` receivers.
    pub fn watch_receivers(&mut self, stations: usize) {
        if let Interface::Disciplined(it) = self {
            it.waiting_for = vec![0; stations];
        }
    }

    /// Keeps the frames that a queue with a discipline drops from now on.
    pub fn keep_dropped(&mut self) {
        if let Interface::Disciplined(it) = self {
            it.dropped.get_or_insert_default();
        }
    }

    /// Returns a frame that was dropped and [kept](Interface::keep_dropped), in no particular order.
    pub fn poll_dropped(&mut self) -> Option<P> {
        match self {
            Interface::DropTail(_) => None,
            Interface::Disciplined(it) => it.dropped.as_mut()?.pop(),
        }
    }

    /// Writes the number of frames held for each station to `counts`, the one in service included.
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

    /// Enqueues a frame that arrives at `now`. Returns `false` if the queue drops it, or another frame for it. With
    /// `awaits_ack`, a frame that has left but awaits its ACK counts against the limit, too.
    #[inline]
    pub fn enqueue(&mut self, now: Time, frame: Frame<P>, awaits_ack: bool) -> bool {
        let frame = QueuedFrame { frame, since: now };
        match self {
            Interface::DropTail(it) => it.enqueue(frame, awaits_ack),
            Interface::Disciplined(it) => it.enqueue(frame, awaits_ack),
        }
    }

    /// Notes that the frame in service has reached its receiver.
    #[inline]
    pub fn deliver(&mut self) {
        match self {
            Interface::DropTail(it) => it.deliver(),
            Interface::Disciplined(it) => it.delivered = it.head,
        }
    }

    /// Returns the frame delivered last, until other frames come.
    #[inline]
    pub fn delivered(&self) -> Option<&Frame<P>> {
        let delivered = match self {
            Interface::DropTail(it) => it.delivered(),
            Interface::Disciplined(it) => it.delivered.as_ref(),
        };
        delivered.map(|delivered| &delivered.frame)
    }

    /// Removes the frame in service. Returns the next one, which is in service now, if the queue [knows](Interface::knows_next) it and has one.
    #[inline(always)]
    pub fn release(&mut self) -> Option<Head> {
        match self {
            Interface::DropTail(it) => {
                it.release();
                it.head().map(QueuedFrame::head)
            }
            Interface::Disciplined(it) => {
                it.head = None;
                None
            }
        }
    }

    /// Puts the next frame into service, if there is one.
    #[inline]
    pub fn take_next(&mut self, now: Time) {
        if let Interface::Disciplined(it) = self {
            it.take_next(now);
        }
    }

    /// Charges `station` for the `airtime` of frames to or from it.
    #[inline]
    pub fn charge(&mut self, now: Time, station: u32, airtime: Span) {
        if let Interface::Disciplined(it) = self {
            it.queue.charge(now, station, airtime);
        }
    }

    /// Returns the counts of the queue.
    pub fn stats(&self) -> QueueStats {
        match self {
            Interface::DropTail(it) => it.stats(),
            Interface::Disciplined(it) => *it.queue.stats(),
        }
    }
}
