//! A drop-tail interface queue with a limit in frames, and its scheduled arrivals.

use airfair_core::{Moment, Time};
use airfair_queue::QueueStats;

use super::interface::{QueuedFrame, ScheduledArrival};
use super::{Frame, Payload};

/// Frames held, the first one in service, and behind them the scheduled arrivals, in a ring of places.
///
/// Frames are numbered, and the place of a frame is its number modulo the number of places. Between the frames held and
/// those scheduled lies a gap if frames were dropped: only then does a scheduled frame move when it is accepted.
#[derive(Debug)]
pub(crate) struct DropTailQueue<P: Payload> {
    /// Ring of places: empty at first, then a power of two of them. A place keeps a frame that has left until another
    /// frame takes it.
    places: Vec<QueuedFrame<P>>,
    /// The frames held have the numbers `first..held`.
    first: usize,
    held: usize,
    /// The scheduled frames have the numbers `scheduled..end`.
    scheduled: usize,
    end: usize,
    /// Arrival of the last scheduled frame; has no meaning if none is scheduled.
    last: Moment,
    /// Number of the frame delivered last.
    delivered: usize,
    /// Largest number of frames held, including a frame that awaits its ACK.
    limit: usize,
    accepted: u64,
    dropped: u64,
}

impl<P: Payload> DropTailQueue<P> {
    pub fn new(limit: u32) -> DropTailQueue<P> {
        DropTailQueue {
            places: Vec::new(),
            first: 0,
            held: 0,
            scheduled: 0,
            end: 0,
            last: Moment::NEVER,
            delivered: 0,
            limit: limit as usize,
            accepted: 0,
            dropped: 0,
        }
    }

    #[inline]
    fn place(&self, number: usize) -> usize {
        number & self.places.len().wrapping_sub(1)
    }

    #[inline]
    fn get(&self, number: usize) -> Option<&QueuedFrame<P>> {
        self.places.get(self.place(number))
    }

    /// Returns the frame in service: the first of the frames held.
    #[inline]
    pub fn head(&self) -> Option<&QueuedFrame<P>> {
        if self.first == self.held { None } else { self.get(self.first) }
    }

    /// Notes that the frame in service has reached its receiver.
    #[inline]
    pub fn deliver(&mut self) {
        self.delivered = self.first;
    }

    /// Returns the frame delivered last. Another frame may take its place once it has left the queue.
    #[inline]
    pub fn delivered(&self) -> Option<&QueuedFrame<P>> {
        self.get(self.delivered)
    }

    /// Returns the numbers of frames offered and dropped.
    pub fn stats(&self) -> QueueStats {
        QueueStats {
            offered: self.accepted + self.dropped,
            dropped_full: self.dropped,
            ..QueueStats::default()
        }
    }

    /// Sets the limit for frames that arrive from now on. Frames held beyond it stay.
    pub fn set_limit(&mut self, limit: u32) {
        self.limit = limit as usize;
    }

    /// Returns the number of frames held, the one in service included.
    #[inline]
    pub fn held(&self) -> usize {
        self.held - self.first
    }

    /// Returns the frames held, the one in service first.
    pub fn frames_held(&self) -> impl Iterator<Item = &Frame<P>> {
        (self.first..self.held).filter_map(|number| self.get(number)).map(|held| &held.frame)
    }

    /// Returns when the first scheduled frame arrives; [`Moment::NEVER`] if there is none.
    #[inline]
    pub fn next_arrival(&self) -> Moment {
        if self.scheduled == self.end {
            return Moment::NEVER;
        }
        self.get(self.scheduled).map_or(Moment::NEVER, QueuedFrame::moment)
    }

    /// Enqueues a frame that arrives; returns `false` if it is dropped. With `awaits_ack`, a frame that has left but
    /// awaits its ACK counts against the limit, too.
    pub fn enqueue(&mut self, frame: QueuedFrame<P>, awaits_ack: bool) -> bool {
        let fits = self.has_room(awaits_ack);
        if fits {
            self.push(frame);
            self.move_last_before(|_| true);
            self.accept();
        } else {
            self.dropped += 1;
        }
        fits
    }

    /// See [`Arrivals::room`](super::Arrivals::room). Returns `None` if a frame is scheduled later, or if there is no
    /// place left.
    #[inline]
    pub fn room_for_arrival(&mut self, due: Moment, to: u32, bytes: u32) -> Option<(&mut P, bool)> {
        let is_first_scheduled = self.scheduled == self.end;
        if (due < self.last && !is_first_scheduled) || self.end - self.first == self.places.len() {
            return None;
        }
        let is_first = is_first_scheduled && self.first == self.held;
        let place = self.place(self.end);
        self.end += 1;
        self.last = due;
        let room = &mut self.places[place];
        (room.frame.to, room.frame.bytes, room.since) = (to, bytes, due.at);
        Some((&mut room.frame.payload, is_first))
    }

    /// Schedules the arrival of a frame at `due`.
    #[inline]
    pub fn schedule_arrival(&mut self, due: Time, frame: Frame<&P>) -> ScheduledArrival {
        let Frame { to, bytes, payload: &payload } = frame;
        let moment = Moment::new(due, payload.phase());
        if let Some((room, is_first)) = self.room_for_arrival(moment, to, bytes) {
            *room = payload;
            return if is_first { ScheduledArrival::First } else { ScheduledArrival::Behind };
        }
        self.schedule_otherwise(moment, Frame { to, bytes, payload })
    }

    #[cold]
    #[inline(never)]
    fn schedule_otherwise(&mut self, due: Moment, frame: Frame<P>) -> ScheduledArrival {
        let first = self.held() == 0 && self.next_arrival() > due;
        let late = self.scheduled < self.end && due < self.last;
        if late && due.at < self.last.at {
            return ScheduledArrival::OutOfOrder;
        }
        self.push(QueuedFrame { frame, since: due.at });
        if late {
            self.move_last_before(|other| other.moment() > due);
        } else {
            self.last = due;
        }
        if first { ScheduledArrival::First } else { ScheduledArrival::Behind }
    }

    /// Accepts or drops the scheduled frames that arrive before `end`. For those that arrive before `ack_until`, a frame
    /// that awaits its ACK counts against the limit, too. Calls `told` with the arrival time of each frame, its length in
    /// bytes and whether it is accepted.
    // Not inlined, this function costs 70 instructions for each segment of `bench/wlan`.
    #[inline(always)]
    pub fn admit(&mut self, end: Moment, ack_until: Time, mut told: impl FnMut(Time, u32, bool)) {
        while self.scheduled < self.end
            && let Some(frame) = self.get(self.scheduled)
            && frame.moment() < end
        {
            let &QueuedFrame { since, frame: Frame { bytes, .. } } = frame;
            let fits = self.has_room(since < ack_until);
            if fits {
                self.accept();
            } else {
                self.dropped += 1;
                self.scheduled += 1;
            }
            told(since, bytes, fits);
        }
    }

    /// Removes the frame in service.
    #[inline]
    pub fn release(&mut self) {
        self.first += 1;
    }

    /// Whether a frame that arrives finds room. With `awaits_ack`, one more frame counts as held.
    #[inline]
    fn has_room(&self, awaits_ack: bool) -> bool {
        self.held() + usize::from(awaits_ack) < self.limit
    }

    /// Accepts the first scheduled frame, which is held from now on.
    #[inline]
    fn accept(&mut self) {
        if self.first == self.held {
            (self.first, self.held) = (self.scheduled, self.scheduled);
        } else if self.held < self.scheduled {
            let (to, from) = (self.place(self.held), self.place(self.scheduled));
            self.places[to] = self.places[from];
        }
        self.accepted += 1;
        self.held += 1;
        self.scheduled += 1;
    }

    #[inline(always)]
    fn push(&mut self, frame: QueuedFrame<P>) {
        if self.end - self.first == self.places.len() {
            self.make_room(frame);
        }
        let place = self.place(self.end);
        self.places[place] = frame;
        self.end += 1;
    }

    /// Moves the last frame in front of the scheduled frames for which `follow` holds: those that come after it.
    #[cold]
    fn move_last_before(&mut self, follow: impl Fn(&QueuedFrame<P>) -> bool) {
        for number in (self.scheduled + 1..self.end).rev() {
            let (before, last) = (self.place(number - 1), self.place(number));
            if follow(&self.places[before]) {
                self.places.swap(before, last);
            }
        }
    }

    /// Makes room for `frame`: closes the gap that dropped frames have left behind those held, or doubles the places.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, frame: QueuedFrame<P>) {
        let (count, gap) = (self.places.len(), self.scheduled - self.held);
        if 2 * gap > count {
            for number in (self.first..self.held).rev() {
                let (from, to) = (self.place(number), self.place(number + gap));
                self.places[to] = self.places[from];
            }
            (self.first, self.held) = (self.first + gap, self.scheduled);
        } else {
            let doubled = (2 * count).max(8);
            let mut places = vec![frame; doubled];
            for number in self.first..self.end {
                places[number & (doubled - 1)] = self.places[self.place(number)];
            }
            self.places = places;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::{Phase, Span};

    /// A payload whose frame arrives in this phase.
    #[derive(Clone, Copy, Debug, Default)]
    struct Phased(Phase);

    impl Payload for Phased {
        fn phase(&self) -> Phase {
            self.0
        }

        fn flow(&self) -> u64 {
            0
        }

        fn mark(&mut self) -> bool {
            false
        }
    }

    fn frame(bytes: u32, payload: &Phased) -> Frame<&Phased> {
        Frame { to: 0, bytes, payload }
    }

    /// Frames of the same instant and phase keep the order in which they were scheduled.
    #[test]
    fn equal_moments_keep_their_order() {
        const DUE: Time = Time(1000);
        let mut queue = DropTailQueue::new(4);
        let mut schedule = |due, phase: u64, bytes| {
            let payload = Phased(Phase::FIRST.after(phase << 48));
            queue.schedule_arrival(due, frame(bytes, &payload))
        };
        let scheduled = [(2, 100), (1, 200), (1, 300), (3, 400), (2, 500)]
            .map(|(phase, bytes)| schedule(DUE, phase, bytes));
        use ScheduledArrival::{Behind, First, OutOfOrder};
        assert_eq!(scheduled, [First, First, Behind, Behind, Behind]);
        assert_eq!(schedule(Time(999), 2, 600), OutOfOrder);
        let mut told = Vec::new();
        queue.admit(Moment::from(DUE + Span(1)), Time::ZERO, |_, bytes, held| told.push((bytes, held)));
        assert_eq!(told, [(200, true), (300, true), (100, true), (500, true), (400, false)]);
        assert_eq!(queue.frames_held().map(|frame| frame.bytes).collect::<Vec<_>>(), [200, 300, 100, 500]);
        assert_eq!((queue.stats().offered, queue.stats().dropped_full), (5, 1));
    }

    /// A queue that is always full drops nine of ten frames: those held keep their order and the ring its size.
    #[test]
    fn dropped_frames_leave_no_places_behind() {
        let mut queue = DropTailQueue::new(3);
        let mut served = Vec::new();
        for number in 0..1000u32 {
            queue.schedule_arrival(Time(u64::from(number)), frame(number, &Phased(Phase::FIRST)));
            if number % 10 == 9 {
                queue.admit(Moment::from(Time(u64::from(number) + 1)), Time::ZERO, |_, _, _| {});
                served.extend(queue.head().map(|head| head.frame.bytes));
                queue.release();
            }
        }
        assert!(queue.held() == 2 && queue.places.len() <= 64);
        // The queue accepts three frames at first, then one each time.
        let expected = [0, 1].into_iter().chain((0..98).map(|turn| if turn == 0 { 2 } else { 10 * turn }));
        assert_eq!(served, expected.collect::<Vec<_>>());
    }
}
