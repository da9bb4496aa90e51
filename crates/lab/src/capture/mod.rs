//! Frames on the air as a pcapng file with radiotap headers, which Wireshark opens.
//!
//! A simulator carries no payload: the file holds the headers, and says how long the frames are.

mod address;
mod frame;
mod packet;
mod pcapng;
mod radiotap;

use crate::{ENGINE_VERSION, MODEL_VERSION};
use airfair_core::Time;
use airfair_scenario::resolved::Scenario;
use airfair_sim::{Packet, Run, Side};
use airfair_wifi::phy::edca::AccessCategory;
use airfair_wifi::{LoggedBody, LoggedFrame, LoggedMpdu};
use frame::{Control, Data};
use packet::Packets;
use radiotap::{Radio, Subframe};
use std::collections::VecDeque;

/// Bytes of a frame check sequence, which is not part of the file.
const FCS: u32 = 4;

/// A capture file while its run goes on.
pub struct Capture<'a> {
    scenario: &'a Scenario,
    radios: Vec<Radio>,
    packets: Packets,
    /// Number of A-MPDUs so far.
    ampdus: u32,
    /// For each network the number of beacons and broadcasts so far, which its access point numbers together (IEEE 802.11-2020,
    /// 10.3.2.14).
    announcements: Vec<u64>,
    /// Bytes of the file that wait to be written.
    out: Vec<u8>,
    /// The record of the frame that is being added.
    frame: Vec<u8>,
    /// For each network the frames that wait for those of other networks.
    pending: Vec<VecDeque<LoggedFrame<Packet>>>,
    /// When the last frame added began. The next field is the end of the run.
    last: Time,
    end: Time,
}

impl<'a> Capture<'a> {
    /// Begins the file of a run with its head.
    pub fn new(scenario: &'a Scenario, seed: u64) -> Capture<'a> {
        let mut out = Vec::new();
        let application = format!("AirFair {ENGINE_VERSION}");
        let comment = format!("{}, seed {seed}, model version {MODEL_VERSION}", scenario.name);
        pcapng::section(&mut out, &application, &comment);
        for wlan in &scenario.wlans {
            pcapng::interface(&mut out, &wlan.name, wlan.bss.phy.name);
        }
        let nodes = scenario.nodes.iter().enumerate();
        pcapng::names(
            &mut out,
            nodes.map(|(node, it)| (address::mac(node), address::ip(node), it.name.as_str())),
        );
        Capture {
            scenario,
            radios: scenario.wlans.iter().map(Radio::new).collect(),
            packets: Packets::new(scenario.flows.len()),
            ampdus: 0,
            announcements: vec![0; scenario.wlans.len()],
            out,
            frame: Vec::new(),
            pending: scenario.wlans.iter().map(|_| VecDeque::new()).collect(),
            last: Time::ZERO,
            end: Time::ZERO + scenario.warmup + scenario.duration,
        }
    }

    /// Adds the frames that the run has sent since the last call, those of all networks in the order of their starts. Until the run
    /// is over, the last frames wait for frames of other networks that may begin before them.
    pub fn follow(&mut self, run: &mut Run, is_over: bool) {
        let from = run.take_frames(|wlan, frame| self.pending[wlan].push_back(frame));
        // The end of the run may cut off an exchange that is known beyond it; frames that begin after the end are left out.
        let until = if is_over { self.end } else { from };
        loop {
            let waiting = self.pending.iter().enumerate();
            let first = waiting.filter_map(|(wlan, frames)| Some((frames.front()?.start, wlan))).min();
            let Some((start, wlan)) = first.filter(|(start, _)| *start < until) else { break };
            debug_assert!(start >= self.last, "a frame comes late");
            self.last = start;
            if let Some(frame) = self.pending[wlan].pop_front() {
                self.add(wlan, &frame);
            }
        }
    }

    /// Removes the bytes that wait to be written.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Returns the number of bytes that wait to be written.
    pub fn waiting(&self) -> usize {
        self.out.len()
    }

    /// Adds a frame of a wireless network.
    fn add(&mut self, wlan: usize, on_air: &LoggedFrame<Packet>) {
        let members = &self.scenario.wlans[wlan].members;
        let [from, to] = [on_air.from, on_air.to].map(|station| members[station as usize]);
        let kind = match &on_air.body {
            LoggedBody::Data { category, is_aggregate, mpdus } => {
                return self.add_data(wlan, on_air, (*category, *is_aggregate), mpdus);
            }
            LoggedBody::Announcement(announcement) => {
                self.begin(wlan, on_air, on_air.lost, None);
                let head = self.frame.len() as u32;
                let place = (self.announcements[wlan], on_air.start);
                self.announcements[wlan] += 1;
                let length = frame::announcement(&mut self.frame, announcement, place, from);
                return self.end(wlan, on_air, head + length);
            }
            LoggedBody::Rts => Control::Rts,
            LoggedBody::Cts => Control::Cts,
            LoggedBody::Ack => Control::Ack,
            LoggedBody::BlockAck(block_ack) => Control::BlockAck(block_ack),
            LoggedBody::BlockAckRequest(category, first) => Control::BlockAckRequest(*category, *first),
        };
        self.begin(wlan, on_air, on_air.lost, None);
        frame::control(&mut self.frame, &kind, on_air.nav, from, to);
        let length = self.frame.len() as u32;
        self.end(wlan, on_air, length);
    }

    fn add_data(
        &mut self,
        wlan: usize,
        on_air: &LoggedFrame<Packet>,
        (category, is_aggregate): (Option<AccessCategory>, bool),
        mpdus: &[LoggedMpdu<Packet>],
    ) {
        self.ampdus = self.ampdus.wrapping_add(u32::from(is_aggregate));
        for (place, mpdu) in (1..).zip(mpdus) {
            let is_last = place == mpdus.len();
            let subframe = is_aggregate.then_some(Subframe { ampdu: self.ampdus, is_last });
            self.begin(wlan, on_air, on_air.lost || mpdu.lost, subframe);
            let head = self.frame.len() as u32;
            let length = self.mpdu(wlan, on_air, category, mpdu);
            self.end(wlan, on_air, head + length.max(mpdu.bytes - FCS));
        }
    }

    /// Writes the headers of an MPDU. Returns the length that the headers state; in the model the MPDU may be longer.
    fn mpdu(
        &mut self,
        wlan: usize,
        on_air: &LoggedFrame<Packet>,
        category: Option<AccessCategory>,
        mpdu: &LoggedMpdu<Packet>,
    ) -> u32 {
        let Capture { scenario, packets, frame: out, .. } = self;
        let members = &scenario.wlans[wlan].members;
        let is_from_access_point = on_air.from == 0;
        let station = if is_from_access_point { on_air.to } else { on_air.from };
        let ends = |packet: &Packet| {
            let flow = &scenario.flows[packet.to.flow() as usize];
            let ends = (flow.source, flow.sink);
            (flow, if packet.to.side() == Side::Receiver { ends } else { (ends.1, ends.0) })
        };
        let start = out.len();
        let Some(first) = mpdu.msdus.first() else { return 0 };
        let (_, (source, destination)) = ends(&first.payload);
        let is_amsdu = mpdu.msdus.len() > 1;
        frame::data(
            out,
            &Data {
                access_point: members[0],
                is_from_access_point,
                station: members[station as usize],
                beyond: if is_from_access_point { source } else { destination },
                nav: on_air.nav,
                retry: mpdu.retry,
                number: mpdu.number,
                category,
                is_amsdu,
            },
        );
        let body = out.len();
        let mut end = body;
        for msdu in &mpdu.msdus {
            let (flow, (source, destination)) = ends(&msdu.payload);
            if is_amsdu {
                // A subframe begins behind the payload of the one before it, which stays zero: readers step over it.
                out.resize(body + (end - body).next_multiple_of(4), 0);
                frame::subframe(out, source, destination);
            }
            let msdu_start = out.len();
            frame::llc(out);
            let packet = out.len();
            end = packet + packets.write(out, flow, &msdu.payload) as usize;
            if is_amsdu {
                let length = ((end - msdu_start) as u16).to_be_bytes();
                out[msdu_start - 2..msdu_start].copy_from_slice(&length);
            }
        }
        (end - start) as u32
    }

    /// Begins the record of a frame.
    fn begin(&mut self, wlan: usize, on_air: &LoggedFrame<Packet>, lost: bool, subframe: Option<Subframe>) {
        self.frame.clear();
        self.radios[wlan].write(&mut self.frame, &on_air.sent, lost, subframe);
    }

    /// Ends the record of a frame that is `length` bytes long, with its radiotap header.
    fn end(&mut self, wlan: usize, on_air: &LoggedFrame<Packet>, length: u32) {
        pcapng::packet(&mut self.out, wlan as u32, on_air.start, &self.frame, length);
    }
}
