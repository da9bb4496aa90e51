//! MAC frames of IEEE 802.11-2020, clause 9, without their frame check sequences.

use super::address;
use airfair_core::{Span, Time};
use airfair_wifi::phy::edca::AccessCategory;
use airfair_wifi::{Announcement, BlockAck};

/// First bytes of the Frame Control field: type and subtype (table 9-1).
const BLOCK_ACK_REQUEST: u8 = 0x84;
const BLOCK_ACK: u8 = 0x94;
const RTS: u8 = 0xb4;
const CTS: u8 = 0xc4;
const ACK: u8 = 0xd4;
const BEACON: u8 = 0x80;
const DATA: u8 = 0x08;
const QOS_DATA: u8 = 0x88;

/// Flags of the Frame Control field.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const RETRY: u8 = 0x08;

/// LLC and SNAP headers of IPv4 (RFC 1042).
const LLC: [u8; 8] = [0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00];

/// LLC and SNAP headers of an Ethertype for experiments (IEEE 802, section 9.2.3).
const LLC_EXPERIMENTAL: [u8; 8] = [0xaa, 0xaa, 0x03, 0, 0, 0, 0x88, 0xb5];
/// Bytes of the MAC header of a frame with three addresses. The next constant is the frame check sequence, which captures leave out.
const MAC_HEADER: u32 = 24;
const FCS: u32 = 4;
const BROADCAST: [u8; 6] = [0xff; 6];
/// SSID of every network, for readers of captures.
const SSID: &[u8] = b"airfair";

/// A control frame's type, and whom it is to and from: nodes of the scenario.
pub enum Control<'a> {
    Rts,
    Cts,
    Ack,
    BlockAck(&'a BlockAck),
    BlockAckRequest(AccessCategory, u64),
}

/// Writes a control frame (section 9.3.1).
pub fn control(out: &mut Vec<u8>, kind: &Control, nav: Span, from: usize, to: usize) {
    let first = match kind {
        Control::Rts => RTS,
        Control::Cts => CTS,
        Control::Ack => ACK,
        Control::BlockAck(_) => BLOCK_ACK,
        Control::BlockAckRequest(..) => BLOCK_ACK_REQUEST,
    };
    out.extend([first, 0]);
    out.extend(duration(nav));
    out.extend(address::mac(to));
    if !matches!(kind, Control::Cts | Control::Ack) {
        out.extend(address::mac(from));
    }
    match kind {
        Control::BlockAck(block_ack) => bitmap(out, block_ack),
        Control::BlockAckRequest(category, first) => {
            out.extend(compressed(*category));
            out.extend(sequence(*first, 0));
        }
        Control::Rts | Control::Cts | Control::Ack => {}
    }
}

/// Writes the fields of a compressed block ack after its control field (section 9.3.1.8.2). The fragment number says how long the bitmap is (table
/// 9-31 there and in 802.11be-2024).
fn bitmap(out: &mut Vec<u8>, block_ack: &BlockAck) {
    let &BlockAck { category, first, bits, ref arrived } = block_ack;
    out.extend(compressed(category));
    let fragment = match bits {
        64 => 0,
        256 => 4,
        512 => 8,
        _ => 10,
    };
    out.extend(sequence(first, fragment));
    let mut bytes = vec![0; bits / 8];
    let places = arrived.iter().take(bits).enumerate().filter(|(_, arrived)| **arrived);
    places.for_each(|(place, _)| bytes[place / 8] |= 1 << (place % 8));
    out.extend(bytes);
}

/// Returns the control field of compressed block acks and block ack requests (figures 9-33 and 9-41).
fn compressed(category: AccessCategory) -> [u8; 2] {
    (0x0004 | u16::from(tid(category)) << 12).to_le_bytes()
}

/// Writes the headers of a frame from an access point to all stations, the `number`th one. For a beacon, which begins at `start`, it also
/// writes the fields of fixed length and an SSID. Returns the length that the headers state.
pub fn announcement(
    out: &mut Vec<u8>,
    announcement: &Announcement,
    (number, start): (u64, Time),
    access_point: usize,
) -> u32 {
    let &Announcement { kind, interval, bytes, .. } = announcement;
    let bss = address::mac(access_point);
    let (first, way) = if kind.is_beacon() { (BEACON, 0) } else { (DATA, FROM_DS) };
    out.extend([first, way, 0, 0]);
    out.extend([BROADCAST, bss, bss].concat());
    out.extend(sequence(number, 0));
    if !kind.is_beacon() {
        out.extend(LLC_EXPERIMENTAL);
        return MAC_HEADER + LLC_EXPERIMENTAL.len() as u32 + bytes;
    }
    // Timestamp in us, interval in units of 1024 us, capabilities: an infrastructure network (section 9.3.3.2).
    out.extend((start.0 / 1000).to_le_bytes());
    out.extend(
        (interval.0 / 1_024_000).min(u64::from(u16::MAX)).to_le_bytes().first_chunk::<2>().unwrap_or(&[0; 2]),
    );
    out.extend([0x01, 0]);
    out.extend([0, SSID.len() as u8]);
    out.extend(SSID);
    bytes - FCS
}

/// A data frame between a station and its access point.
pub struct Data {
    /// The access point, as a node of the scenario.
    pub access_point: usize,
    /// Whether the access point is the sender.
    pub is_from_access_point: bool,
    /// The station at the other end, as a node of the scenario.
    pub station: usize,
    /// The node behind the access point from which the packet comes, or to which it goes.
    pub beyond: usize,
    pub nav: Span,
    pub retry: bool,
    pub number: u64,
    pub category: Option<AccessCategory>,
    pub is_amsdu: bool,
}

/// Writes the MAC header of a data frame (section 9.3.2.1).
pub fn data(out: &mut Vec<u8>, data: &Data) {
    let first = if data.category.is_some() { QOS_DATA } else { DATA };
    let way = if data.is_from_access_point { FROM_DS } else { TO_DS };
    out.extend([first, way | if data.retry { RETRY } else { 0 }]);
    out.extend(duration(data.nav));
    let [bss, station, beyond] = [data.access_point, data.station, data.beyond].map(address::mac);
    // The subframes of an A-MSDU carry these addresses, so its header does not (table 9-30).
    let beyond = if data.is_amsdu { bss } else { beyond };
    let addresses = if data.is_from_access_point { [station, bss, beyond] } else { [bss, station, beyond] };
    out.extend(addresses.concat());
    out.extend(sequence(data.number, 0));
    if let Some(category) = data.category {
        // Ack policy 0: an ACK or a block ack follows at once.
        out.extend([tid(category) | if data.is_amsdu { 0x80 } else { 0 }, 0]);
    }
}

/// Writes the header of an A-MSDU subframe from one node to another, and leaves its length zero (section 9.3.2.2.2).
pub fn subframe(out: &mut Vec<u8>, from: usize, to: usize) {
    out.extend([address::mac(to), address::mac(from)].concat());
    out.extend([0; 2]);
}

/// Writes the headers between a MAC header and an IPv4 packet.
pub fn llc(out: &mut Vec<u8>) {
    out.extend(LLC);
}

/// Returns the Duration field: whole microseconds, rounded up (section 9.2.4.2).
fn duration(nav: Span) -> [u8; 2] {
    (nav.0.div_ceil(1000).min(32_767) as u16).to_le_bytes()
}

/// Returns the Sequence Control field.
fn sequence(number: u64, fragment: u16) -> [u8; 2] {
    ((number as u16 & 0x0fff) << 4 | fragment).to_le_bytes()
}

/// Returns the user priority that Linux gives frames of a category (table 10-1 has two for each).
fn tid(category: AccessCategory) -> u8 {
    match category {
        AccessCategory::Background => 1,
        AccessCategory::BestEffort => 0,
        AccessCategory::Video => 5,
        AccessCategory::Voice => 6,
    }
}
