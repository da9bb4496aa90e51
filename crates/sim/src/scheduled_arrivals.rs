//! Interface queues with scheduled arrivals: packets that arrive while the queue is busy need no event.
//!
//! A packet that arrives at a busy drop-tail queue waits or is dropped, which nobody can observe before a frame
//! leaves the queue, and the medium knows when that is. So the queue keeps its future arrivals itself, in place of
//! the [delay line](crate::delay_line::DelayLine) before it, whose slot in the schedule is used only while the queue
//! is empty.

use crate::channel::Channel;
use crate::route::Routes;

/// Stands for no line.
const NONE: u32 = u32::MAX;

/// The queues that accept scheduled arrivals, and their delay lines.
#[derive(Clone, Debug, Default)]
pub struct ScheduledArrivals {
    /// For each medium and station, the line that its queue replaces, or [`NONE`].
    lines: Vec<Vec<u32>>,
    /// For each line, the medium and the station whose queue replaces it.
    places: Vec<Option<(u32, u32)>>,
}

impl ScheduledArrivals {
    /// Finds the queues behind a single line, to which packets come in order, and marks them in the routes.
    pub fn new(channels: &[Channel], routes: &mut Routes) -> ScheduledArrivals {
        let mut places = vec![None; routes.lines()];
        let mut lines = Vec::with_capacity(channels.len());
        for (index, channel) in channels.iter().enumerate() {
            lines.push(vec![NONE; channel.stations() as usize]);
            let accepts = |&station: &u32| channel.accepts_scheduled_arrivals(station);
            for station in (0..channel.stations()).filter(accepts) {
                if let Some(line) = routes.single_line(index, station as usize) {
                    lines[index][station as usize] = line as u32;
                    places[line] = Some((index as u32, station));
                }
            }
        }
        let scheduled_arrivals = ScheduledArrivals { lines, places };
        routes.mark_scheduled(|channel, from| scheduled_arrivals.line(channel as usize, from).is_some());
        scheduled_arrivals
    }

    /// Returns the line that a station's queue replaces.
    #[inline]
    pub fn line(&self, channel: usize, station: u32) -> Option<usize> {
        let line = *self.lines.get(channel)?.get(station as usize)?;
        (line != NONE).then_some(line as usize)
    }

    /// Returns the medium and the station whose queue replaces a line.
    #[inline]
    pub fn place(&self, line: usize) -> Option<(usize, u32)> {
        self.places.get(line)?.map(|(wlan, station)| (wlan as usize, station))
    }
}
