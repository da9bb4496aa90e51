//! `pacing`: segments that the window allows leave at the pacing rate, and segments sent for other reasons do not wait.

use airfair_core::{Span, Time};
use airfair_tcp::profile::settings;
use airfair_tcp::settings::{Handshake, Pacing};
use airfair_tcp::{Ack, Profile, SackBlocks, Sender, Settings, TcpName};

fn ms(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

fn ack(segments: u64, at: u64) -> Ack {
    let (sack, echo) = (SackBlocks::NONE, Time::ZERO + Span::from_millis(at));
    Ack { ack: 1000 * segments, window: 100, sack, echo, syn: true, ece: false, ace: 0 }
}

/// A sender with four segments in flight at time zero, in congestion avoidance.
fn sender(pacing: Pacing) -> Sender {
    let usual = settings(Profile::Rfc, TcpName::named("newreno"));
    let settings = Settings {
        handshake: Handshake::None,
        segment_bytes: 1000,
        receive_window: 100,
        initial_window: 4.0,
        initial_ssthresh: Some(2.0),
        pacing,
        pacing_quantum: Some(2),
        ..usual
    };
    let mut sender = Sender::new(&settings);
    sender.write_unbounded(Time::ZERO);
    // There is no round trip yet.
    assert_eq!(sent(&mut sender, Time::ZERO), 4);
    sender
}

fn sent(sender: &mut Sender, now: Time) -> usize {
    std::iter::from_fn(|| sender.poll_transmit(now)).count()
}

#[test]
fn what_one_ack_lets_out_leaves_in_bursts_at_the_rate() {
    let mut sender = sender(Pacing::Linux);
    sender.on_ack(ms(120), &ack(4, 0));
    let mut now = ms(120);
    let mut bursts = Vec::new();
    while bursts.len() < 3 {
        bursts.push((now.since(ms(120)).0 / 1_000_000, sent(&mut sender, now)));
        now = sender.next_deadline();
        sender.on_timer(now);
    }
    // A window of five and a round trip of 120 ms: at 6/5 of the window in a round trip a burst of two takes 40 ms.
    assert_eq!(bursts, [(0, 2), (40, 2), (80, 1)]);
}

#[test]
fn without_pacing_it_leaves_at_once() {
    let mut sender = sender(Pacing::Off);
    sender.on_ack(ms(120), &ack(4, 0));
    assert_eq!(sent(&mut sender, ms(120)), sender.cwnd() as usize);
}

#[test]
fn a_fast_retransmission_does_not_wait() {
    let mut sender = sender(Pacing::Linux);
    sender.on_ack(ms(120), &ack(1, 0));
    assert_eq!(sent(&mut sender, ms(120)), 1);
    for duplicate in 1..=3 {
        sender.on_ack(ms(120), &ack(1, 0));
        let segment = sender.poll_transmit(ms(120));
        assert_eq!(segment.is_some_and(|segment| segment.retransmission), duplicate == 3, "{segment:?}");
    }
}

/// Linux hands a device what it is to cut up: one retransmission, or new data, but not both (`tcp_xmit_retransmit_queue`, `tcp_write_xmit`).
#[test]
fn an_offloaded_burst_has_no_retransmission_with_new_data() {
    for (tso, together) in [(true, 1), (false, 2)] {
        let usual = settings(Profile::Linux, TcpName::named("bbr"));
        let settings = Settings {
            handshake: Handshake::None,
            segment_bytes: 1000,
            initial_window: 100.0,
            unpaced_segments: None,
            tso,
            ..usual
        };
        let mut sender = Sender::new(&settings);
        sender.write_unbounded(Time::ZERO);
        let first = sent(&mut sender, Time::ZERO) as u64;
        assert!(first >= 10, "{first}");
        let at = ms(100);
        let mut sack = SackBlocks::NONE;
        sack.push(1000, 2000, 1000 * first);
        sender.on_ack(at, &Ack { sack, ..ack(1, 0) });
        let next = sender.poll_transmit(at).map(|segment| (segment.seq, segment.retransmission));
        assert_eq!(next, Some((1000, true)));
        assert_eq!(1 + sent(&mut sender, at), together);
    }
}
