//! Transmissions: which stations sense them, and which decode them.

use airfair_core::{Span, Time};

use super::GraphMedium;
use super::hearing::{CAPTURE, Heard};
use super::node::Node;
use crate::mac::Payload;
use crate::phy::errors::FrameKind;
use crate::phy::mode::Standard;

/// A frame on the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    pub number: u64,
    pub sender: u32,
    pub receiver: u32,
    pub part: Part,
    /// Standard of the frame: stations of older standards do not decode it.
    pub standard: Standard,
    pub end: Time,
    /// End of the NAV that the frame announces.
    pub nav_end: Time,
}

/// A frame's part in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Rts,
    Cts,
    /// A CTS that answers no RTS. Its receiver is its sender.
    CtsToSelf,
    /// Data, or a block ack request.
    Data,
    /// An ACK or a block ack.
    Answer,
    /// A CTS-to-self before a frame of this announcer.
    CtsToAnnounce(u8),
    /// A beacon or a broadcast of the sender's announcer with this number. Its receiver is its sender.
    Announcement(u8),
}

/// What becomes of a frame at its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Arrives,
    /// Other frames disturb the frame, or its receiver transmits itself.
    Collides,
    /// The frame is too weak, or noise or random loss destroys it.
    Lost,
}

/// A frame that is to begin, or an exchange that is to go on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start {
    /// A CTS or an answer, with its duration.
    Response(Transmission, Span),
    /// Data after the CTS that this station got or sent.
    Data(u32),
    /// The next exchange of this station's TXOP.
    Next(u32),
    /// A beacon or a broadcast of this station's announcer is due.
    Announcement(u32, u8),
    /// The frame of this station's announcer begins, after its CTS.
    Announced(u32, u8),
}

impl<P: Payload> GraphMedium<P> {
    /// Starts all frames due at `now`. Stations that start at the same instant do not hear each other in time.
    pub(super) fn start_transmissions(&mut self, now: Time) {
        let first = self.air.len();
        while let Some(index) = self.starts.iter().position(|(at, _)| *at <= now) {
            match self.starts.swap_remove(index).1 {
                Start::Response(transmission, duration) => self.respond(now, transmission, duration),
                Start::Data(station) => self.send_data(now, station),
                Start::Next(station) => self.go_on(now, station),
                Start::Announcement(station, announcer) => self.add_announcement(now, station, announcer),
                Start::Announced(station, announcer) => self.send_announcement(now, station, announcer),
            }
        }
        if self.access_from <= now {
            self.end_countdowns(now);
        }
        for index in first..self.air.len() {
            self.reach_listeners(now, index);
        }
    }

    /// Begins the exchanges of stations whose countdowns end at `now`.
    fn end_countdowns(&mut self, now: Time) {
        let mut winners = 0;
        for index in 0..self.contenders.len() {
            let station = self.contenders[index];
            if self.nodes[station as usize].access_at <= now {
                winners += u32::from(self.win_access(now, station));
            }
        }
        match winners {
            0 => {}
            1 => self.stats.exchanges += 1,
            _ => self.stats.collisions += 1,
        }
    }

    /// Begins a CTS or an answer, unless its sender answers another station at this instant.
    fn respond(&mut self, now: Time, response: Transmission, duration: Span) {
        if self.view(response.sender).transmitting {
            self.miss_answer(now, response.receiver, response.part);
        } else {
            self.transmit(now, response, duration);
        }
    }

    /// Begins a frame. Stations hear it once all frames that begin at this instant have begun.
    pub(super) fn transmit(&mut self, now: Time, transmission: Transmission, duration: Span) {
        let Transmission { sender, receiver, .. } = transmission;
        self.attend(sender);
        self.attend(receiver);
        self.suspend(now, sender);
        self.views[sender as usize].begin_transmission();
        self.number += 1;
        let transmission = Transmission { number: self.number, end: now + duration, ..transmission };
        self.log_start(now, &transmission);
        self.air.push(transmission);
    }

    /// Lets the stations that the frame reaches sense the air busy, if it is strong enough, and perhaps begin to decode it.
    fn reach_listeners(&mut self, now: Time, index: usize) {
        let Transmission { number, sender, standard, .. } = self.air[index];
        let network = self.nodes[sender as usize].first;
        let listeners = std::mem::take(self.audience.of(sender));
        for &(listener, level) in &listeners {
            if listener == sender {
                continue;
            }
            let view = &mut self.views[listener as usize];
            let listens = !view.transmitting && view.standard.detects(standard);
            view.ears.begin(now, number, level, view.first == network, listens);
            if view.ears.sense() {
                self.suspend(now, listener);
            }
        }
        *self.audience.of(sender) = listeners;
    }

    /// Ends the frames that end at `now`. What one of them announces has no effect on the answer to another.
    pub(super) fn end_transmissions(&mut self, now: Time) {
        let mut ended = std::mem::take(&mut self.ended);
        while let Some(index) = self.air.iter().position(|transmission| transmission.end <= now) {
            let transmission = self.air.remove(index);
            let fate = self.reach_ends(now, &transmission);
            ended.push((transmission, fate));
        }
        for (transmission, fate) in &ended {
            let receiver = transmission.receiver;
            let mut arrives = *fate == Fate::Arrives;
            match transmission.part {
                Part::Rts | Part::Data => arrives = self.end_of_request(now, transmission, *fate),
                Part::Cts | Part::CtsToSelf => self.end_of_cts(now, receiver, arrives),
                Part::Answer => self.end_of_answer(now, receiver, arrives),
                Part::CtsToAnnounce(announcer) => {
                    let start = now + self.nodes[receiver as usize].rules.sifs;
                    self.starts.push((start, Start::Announced(receiver, announcer)));
                }
                Part::Announcement(announcer) => self.end_of_announcement(now, receiver, announcer),
            }
            self.log_end(transmission, arrives);
        }
        for (station, until) in self.navs.drain(..) {
            let view = &mut self.views[station as usize];
            view.nav_until = view.nav_until.max(until);
        }
        for (Transmission { sender, part, .. }, _) in ended.drain(..) {
            self.resume(now, sender);
            let listeners = std::mem::take(self.audience.of(sender));
            let others = listeners.iter().filter(|&&(listener, _)| listener != sender);
            others.for_each(|&(listener, _)| self.resume(now, listener));
            *self.audience.of(sender) = listeners;
            if matches!(part, Part::Answer | Part::Announcement(_)) {
                self.disperse();
            }
        }
        self.ended = ended;
    }

    /// Ends a frame at its sender and at all that it reaches. Returns its fate at its receiver.
    fn reach_ends(&mut self, now: Time, transmission: &Transmission) -> Fate {
        let &Transmission { number, sender, receiver, nav_end, standard, .. } = transmission;
        let view = &mut self.views[sender as usize];
        view.transmitting = false;
        view.note_quiet(now);
        let quiet = self.air.is_empty();
        // A CTS-to-self is for no station, and an announcement for all. Other frames are lost unless they reach their
        // receiver.
        let mut fate = if receiver == sender { Fate::Arrives } else { Fate::Lost };
        let listeners = std::mem::take(self.audience.of(sender));
        for &(listener, level) in &listeners {
            if listener == sender {
                continue;
            }
            let view = &mut self.views[listener as usize];
            let was_busy = view.is_busy();
            let heard = view.ears.end(now, number, level, quiet);
            let decodes = match heard {
                Heard::Intact(disturbance) if view.standard.decodes(standard) => {
                    !self.misses(now, listener, transmission, disturbance)
                }
                _ => false,
            };
            if let Part::Announcement(number) = transmission.part {
                self.count_broadcast(listener, (sender, number), decodes);
            }
            let view = &mut self.views[listener as usize];
            if decodes {
                view.eifs_until = Time::ZERO;
            } else if !matches!(heard, Heard::Weak | Heard::Unheard) {
                view.note_garbled(now);
            }
            if listener == receiver {
                fate = match heard {
                    _ if decodes => Fate::Arrives,
                    Heard::Intact(_) | Heard::Weak => Fate::Lost,
                    Heard::Broken | Heard::Unheard => Fate::Collides,
                };
            } else if decodes {
                self.navs.push((listener, nav_end));
            }
            if was_busy {
                view.note_quiet(now);
            }
        }
        *self.audience.of(sender) = listeners;
        fate
    }

    /// Whether a listener misses the whole frame at random. The MPDUs of a data frame are lost one by one at their receiver.
    fn misses(&mut self, now: Time, listener: u32, transmission: &Transmission, disturbance: f64) -> bool {
        let Transmission { sender, receiver, part, .. } = *transmission;
        if part == Part::Data && listener == receiver {
            return false;
        }
        if let Part::Announcement(number) = part
            && self.is_broadcast_for(listener, (sender, number))
        {
            return self.misses_broadcast(now, listener, (sender, number), disturbance);
        }
        if listener != receiver && disturbance * CAPTURE > 1.0 {
            return true;
        }
        // A crowd, which has no node, has no losses.
        let Some(Node { station, .. }) = self.nodes.get_mut(listener as usize) else { return false };
        let by_receiver = station
            .loses(|loss| loss.hits_control() && loss.loses_received(FrameKind::Control, now, CONTROL_BYTES));
        let by_sender = listener == receiver && {
            let station = &mut self.nodes[sender as usize].station;
            station.loses(|loss| loss.loses_sent(FrameKind::Control, now, CONTROL_BYTES))
        };
        let by_noise = listener == receiver && self.noise_destroys(now, transmission, disturbance);
        by_receiver || by_sender || by_noise
    }
}

/// Bytes of a control frame, for losses by bit: those of an ACK, as most control frames have.
const CONTROL_BYTES: u32 = 14;
