//! The headers of an IP packet: IPv4 (RFC 791), TCP (RFC 9293) and UDP (RFC 768).
//!
//! Checksums are computed as if payload were zeros.

use super::address;
use airfair_scenario::resolved::{Flow, Transport};
use airfair_sim::{Body, MediaPacket, Packet, Side};
use airfair_tcp::settings::EcnEcho;
use airfair_tcp::{ACE, Ack, Ecn, FIRST_ACE, Segment, Settings};
use airfair_wifi::phy::edca::Dscp;

/// Port at which the sink of the first flow listens. The sinks of other flows follow on the next ports.
const FIRST_SINK_PORT: u64 = 5001;
/// Port of the source of a flow's first connection (the first dynamic port, RFC 6335). Other connections follow on the next ports.
const FIRST_SOURCE_PORT: u64 = 49_152;

const IP_HEADER: usize = 20;
const TCP: u8 = 6;
const UDP: u8 = 17;
/// IP protocol number for experiments (RFC 3692).
const EXPERIMENT: u8 = 253;

/// Flags of TCP headers.
const SYN: u16 = 0x02;
const PSH: u16 = 0x08;
const ACK: u16 = 0x10;
const ECE: u16 = 0x40;
const CWR: u16 = 0x80;
/// Bit position of the ACE field: AE, CWR and ECE (RFC 9768, section 3.2.1).
const ACE_SHIFT: u32 = 6;
/// Value of the ACE field in the answer to a SYN that was not ECN-capable (RFC 9768, table 2).
const AGREED: u8 = 0b010;

/// Writes the headers of packets, with the state that they need from earlier packets of their flow.
pub struct Packets {
    /// For each flow the number of the last connection whose data have been seen, plus one; 0 if there is none.
    with_data: Vec<u32>,
}

impl Packets {
    pub fn new(flows: usize) -> Packets {
        Packets { with_data: vec![0; flows] }
    }

    /// Writes the headers of a packet. Returns the length of the whole packet.
    pub fn write(&mut self, out: &mut Vec<u8>, flow: &Flow, packet: &Packet) -> u32 {
        let number = packet.to.flow();
        let mut ports = [port(FIRST_SOURCE_PORT, packet.connection), port(FIRST_SINK_PORT, number)];
        let mut ends = [address::ip(flow.source), address::ip(flow.sink)];
        if packet.to.side() == Side::Sender {
            ports.reverse();
            ends.reverse();
        }
        let (protocol, mut header, payload, ecn) = match (&packet.body, &flow.transport) {
            (Body::Segment(segment), Transport::Tcp { settings, .. }) => {
                if segment.len > 0 {
                    self.with_data[number as usize] = packet.connection + 1;
                }
                (TCP, tcp_segment(ports, settings, segment), segment.len, ecn_of(segment.ecn))
            }
            (Body::Ack(ack), Transport::Tcp { settings, .. }) => {
                // An ACK of nothing before any data answers a SYN. So does a retransmitted one.
                let is_syn = ack.syn && ack.ack == 0 && self.with_data[number as usize] <= packet.connection;
                (TCP, tcp_ack(ports, settings, ack, is_syn), 0, 0)
            }
            (Body::Datagram { payload, ecn, .. }, _) => (UDP, udp(ports, *payload), *payload, ecn_of(*ecn)),
            (&Body::Media(MediaPacket { payload, .. }), _) | (&Body::Report { payload, .. }, _) => {
                (UDP, udp(ports, payload), payload, 0)
            }
            (body, _) => {
                let bytes = if let Body::Foreign { bytes, .. } = body { *bytes } else { 0 };
                (EXPERIMENT, Vec::new(), bytes, 0)
            }
        };
        // Without the options of real headers, the model's packets may be as long as IP allows.
        let length = ((IP_HEADER + header.len()) as u32 + payload).min(u32::from(u16::MAX));
        let rest = length - IP_HEADER as u32;
        let checksum_at = match protocol {
            TCP => Some(16),
            UDP => Some(6),
            _ => None,
        };
        if let Some(at) = checksum_at {
            let pseudo = [&ends[0][..], &ends[1], &[0, protocol], &(rest as u16).to_be_bytes()].concat();
            let sum = match checksum(&[&pseudo, &header]) {
                0 if protocol == UDP => u16::MAX, // 0 says that there is none (RFC 768)
                sum => sum,
            };
            header[at..at + 2].copy_from_slice(&sum.to_be_bytes());
        }
        let start = out.len();
        let dscp = flow.dscp.map_or(0, Dscp::code_point);
        out.extend([0x45, dscp << 2 | ecn]);
        out.extend((length as u16).to_be_bytes());
        // Identification 0, do not fragment (RFC 6864), time to live 64.
        out.extend([0, 0, 0x40, 0, 64, protocol, 0, 0]);
        out.extend(ends.concat());
        let sum = checksum(&[&out[start..]]).to_be_bytes();
        out[start + 10..start + 12].copy_from_slice(&sum);
        out.extend(header);
        length
    }
}

/// Returns the port `number` places after `first`. After the last port, counting begins again at `first`.
fn port(first: u64, number: u32) -> u16 {
    (first + u64::from(number) % (65_536 - first)) as u16
}

fn ecn_of(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotCapable => 0,
        Ecn::Scalable => 0b01,
        Ecn::Capable => 0b10,
        Ecn::CongestionExperienced => 0b11,
    }
}

fn udp([from, to]: [u16; 2], payload: u32) -> Vec<u8> {
    let length = (8 + payload) as u16;
    [from, to, length, 0].map(u16::to_be_bytes).concat()
}

/// Whether the receiver reports the number of marks in the ACE field.
fn counts_marks(settings: &Settings) -> bool {
    settings.ecn && settings.ecn_echo == EcnEcho::Accurate
}

fn ace(value: u8) -> u16 {
    u16::from(value) << ACE_SHIFT
}

/// Returns the TCP header of a segment from the sender, whose initial sequence number is 0. Its first byte of data has the number 1,
/// whether or not it sent a SYN.
fn tcp_segment(ports: [u16; 2], settings: &Settings, segment: &Segment) -> Vec<u8> {
    // The sender receives no data that would let its window grow.
    let window = window_bytes(settings, settings.opening_window());
    let times = [segment.sent_at.0, 0];
    let counts = counts_marks(settings);
    if segment.syn {
        let asks = match settings.ecn {
            true if counts => ace(ACE),
            true => ECE | CWR,
            false => 0,
        };
        return tcp(ports, [0, 0], SYN | asks, window, opening_options(settings, times));
    }
    // No ACK is marked, so the sender's count of marks stays at its initial value.
    let says = if counts { ace(FIRST_ACE) } else { 0 };
    let cwr = if segment.flags.cwr() { CWR } else { 0 };
    let push = if segment.flags.push() { PSH } else { 0 };
    let flags = ACK | says | cwr | push;
    let number = segment.seq.wrapping_add(1) as u32;
    tcp(ports, [number, 1], flags, window >> scale(settings), timestamps(settings, times))
}

/// Returns the TCP header of an ACK from the receiver.
fn tcp_ack(ports: [u16; 2], settings: &Settings, ack: &Ack, is_syn: bool) -> Vec<u8> {
    let window = window_bytes(settings, ack.window);
    let times = [0, ack.echo.0];
    let counts = counts_marks(settings);
    if is_syn {
        let agrees = match settings.ecn {
            true if counts => ace(AGREED),
            true => ECE,
            false => 0,
        };
        return tcp(ports, [0, 1], SYN | ACK | agrees, window, opening_options(settings, times));
    }
    let echo = match ack.ece {
        _ if counts => ace(ack.ace),
        true => ECE,
        false => 0,
    };
    let mut options = timestamps(settings, times);
    let blocks = ack.sack.len();
    if blocks > 0 {
        options.extend([1, 1, 5, 2 + 8 * blocks as u8]);
        for (start, end) in ack.sack.iter(ack.ack) {
            options.extend([start, end].map(|at| (at.wrapping_add(1) as u32).to_be_bytes()).concat());
        }
    }
    let number = ack.ack.wrapping_add(1) as u32;
    tcp(ports, [1, number], ACK | echo, window >> scale(settings), options)
}

/// Returns a TCP header without its checksum.
fn tcp(ports: [u16; 2], [seq, ack]: [u32; 2], flags: u16, window: u64, options: Vec<u8>) -> Vec<u8> {
    let mut header = ports.map(u16::to_be_bytes).concat();
    header.extend([seq, ack].map(u32::to_be_bytes).concat());
    header.extend(((((20 + options.len()) / 4) << 12) as u16 | flags).to_be_bytes());
    header.extend((window.min(u64::from(u16::MAX)) as u16).to_be_bytes());
    header.extend([0; 4]);
    header.extend(options);
    header
}

/// Returns the bytes of a window that is counted in segments.
fn window_bytes(settings: &Settings, segments: u32) -> u64 {
    u64::from(segments) * u64::from(settings.segment_bytes)
}

/// Returns the window scale (RFC 7323, section 2): the least one with which the receive window fits its field.
fn scale(settings: &Settings) -> u32 {
    let window = window_bytes(settings, settings.receive_window);
    (0..14).find(|&scale| window >> scale <= u64::from(u16::MAX)).unwrap_or(14)
}

/// Returns the options of a SYN, in Linux's order.
fn opening_options(settings: &Settings, times: [u64; 2]) -> Vec<u8> {
    let mut times = timestamps(settings, times);
    // The MSS counts fixed headers alone: the sender subtracts the options of each segment (RFC 6691, section 2).
    let whole = settings.segment_bytes as usize + times.len();
    let mut options = [&[2, 4][..], &u16::try_from(whole).unwrap_or(u16::MAX).to_be_bytes()].concat();
    if settings.recovery.uses_sack() {
        let permitted = [4, 2];
        match times.first_chunk_mut() {
            Some(padding) => *padding = permitted,
            None => options.extend([&[1, 1][..], &permitted].concat()),
        }
    }
    options.extend(times);
    if scale(settings) > 0 {
        options.extend([1, 3, 3, scale(settings) as u8]);
    }
    options
}

/// Returns the timestamps option of RFC 7323 in milliseconds if it is used. The model has the time of a segment and the time that an
/// ACK echoes; the two other values are 0.
fn timestamps(settings: &Settings, times: [u64; 2]) -> Vec<u8> {
    let millis = |nanos: u64| ((nanos / 1_000_000) as u32).to_be_bytes();
    if settings.timestamps { [&[1, 1, 8, 10][..], &times.map(millis).concat()].concat() } else { Vec::new() }
}

/// Returns the Internet checksum of parts of even length (RFC 1071).
fn checksum(parts: &[&[u8]]) -> u16 {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let sum: u32 =
        words.map(|word| u32::from(word[0]) << 8 | u32::from(word.get(1).copied().unwrap_or(0))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::Time;
    use airfair_tcp::{Profile, SackBlocks, TcpName, profile};

    const PORTS: [u16; 2] = [49_152, 5001];

    fn linux() -> Settings {
        profile::settings(Profile::Linux, TcpName::named("sack"))
    }

    fn segment(syn: bool) -> Segment {
        let (seq, len) = if syn { (0, 0) } else { (2896, 1448) };
        let sent_at = Time(7_000_000);
        Segment {
            seq,
            len,
            syn,
            retransmission: false,
            ecn: Ecn::NotCapable,
            flags: airfair_tcp::Flags::NONE,
            sent_at,
        }
    }

    #[test]
    fn a_syn_agrees_on_size_sack_timestamps_and_scale() {
        let syn = tcp_segment(PORTS, &linux(), &segment(true));
        assert_eq!(
            (syn[12] >> 4, syn[13].into(), u16::from_be_bytes([syn[14], syn[15]])),
            (10, SYN, 45 * 1448)
        );
        // 1448 bytes and 12 of timestamps. 2715 segments of 1448 bytes are 3.9 MB: 60 times the field's most, so scaled by 64.
        let options = [2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 7, 0, 0, 0, 0, 1, 3, 3, 6];
        assert_eq!(syn[20..], options);
        let without = tcp_segment(PORTS, &Settings { timestamps: false, ..linux() }, &segment(true));
        assert_eq!(without[20..], [2, 4, 0x05, 0xa8, 1, 1, 4, 2, 1, 3, 3, 6]);
    }

    #[test]
    fn windows_are_scaled_behind_the_syn() {
        let data = tcp_segment(PORTS, &linux(), &segment(false));
        let window = u16::from_be_bytes([data[14], data[15]]);
        assert_eq!(u64::from(window), 45 * 1448 / 64);
        assert_eq!((&data[4..8], data[13].into()), (&2897_u32.to_be_bytes()[..], ACK));
    }

    #[test]
    fn the_end_of_what_was_written_has_psh() {
        let last = Segment { flags: airfair_tcp::Flags::new(false, true), ..segment(false) };
        assert_eq!(u16::from(tcp_segment(PORTS, &linux(), &last)[13]), ACK | PSH);
    }

    #[test]
    fn blocks_and_echoes_are_those_of_the_acknowledgement() {
        let mut sack = SackBlocks::NONE;
        sack.push(1448, 2896, 4344);
        let ack = Ack { ack: 1448, window: 10, sack, echo: Time(9_000_000), syn: true, ece: true, ace: 0 };
        let header = tcp_ack(PORTS, &linux(), &ack, false);
        assert_eq!((&header[8..12], header[13].into()), (&1449_u32.to_be_bytes()[..], ACK | ECE));
        assert_eq!(&header[20..32], &[1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 9]);
        assert_eq!(&header[32..36], &[1, 1, 5, 10]);
        assert_eq!(&header[36..], &[2897_u32, 4345].map(u32::to_be_bytes).concat()[..]);
        assert_eq!(usize::from(header[12] >> 4) * 4, header.len());
    }

    /// RFC 9768, section 3.1.2 and figure 3: AE is the bit before CWR.
    #[test]
    fn a_count_of_marks_stands_in_the_ace_field() {
        let settings = profile::settings(Profile::Linux, TcpName::named("prague"));
        let field = |header: Vec<u8>| (u16::from_be_bytes([header[12], header[13]]) >> 6) & 7;
        let (sack, echo) = (SackBlocks::NONE, Time(0));
        let ack = Ack { ack: 1448, window: 10, sack, echo, syn: true, ece: false, ace: 6 };
        assert_eq!(field(tcp_segment(PORTS, &settings, &segment(true))), 0b111);
        assert_eq!(field(tcp_segment(PORTS, &settings, &segment(false))), 0b101);
        assert_eq!(field(tcp_ack(PORTS, &settings, &ack, true)), 0b010);
        assert_eq!(field(tcp_ack(PORTS, &settings, &ack, false)), 0b110);
    }

    #[test]
    fn ports_begin_again_after_the_last_one() {
        assert_eq!(
            [0, 16_383, 16_384].map(|number| port(FIRST_SOURCE_PORT, number)),
            [49_152, 65_535, 49_152]
        );
        assert_eq!(port(FIRST_SINK_PORT, 60_535), 5001);
    }

    /// The example of RFC 1071, section 3.
    #[test]
    fn checksums_are_the_internets() {
        assert_eq!(checksum(&[&[0x00, 0x01, 0xf2, 0x03], &[0xf4, 0xf5, 0xf6, 0xf7]]), !0xddf2);
    }
}
