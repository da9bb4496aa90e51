//! `send_jitter`: segments that the window allows wait, and segments sent for other reasons do not.

use airfair_core::{Span, Stream, Time};
use airfair_tcp::profile::settings;
use airfair_tcp::settings::Handshake;
use airfair_tcp::{Ack, Profile, SackBlocks, Segment, Sender, Settings, TcpName};

const JITTER: Span = Span::from_millis(5);

fn sender(send_jitter: Span, seed: u64) -> Sender {
    let usual = settings(Profile::Ns2, TcpName::named("newreno"));
    let settings = Settings { handshake: Handshake::None, initial_window: 4.0, send_jitter, ..usual };
    let mut sender = Sender::new(&settings).with_jitter(Stream::new(seed, "jitter"));
    sender.write_unbounded(Time::ZERO);
    sender
}

fn sent(sender: &mut Sender, now: Time) -> Vec<Segment> {
    std::iter::from_fn(|| sender.poll_transmit(now)).collect()
}

fn ack(sender: &mut Sender, now: Time, segments: u64) {
    let (sack, echo) = (SackBlocks::NONE, Time::ZERO);
    let ack = Ack { ack: 1000 * segments, window: 20, sack, echo, syn: true, ece: false, ace: 0 };
    sender.on_ack(now, &ack);
}

#[test]
fn a_window_waits_for_a_random_time_and_goes_out_together() {
    let delays: Vec<Span> = (0..200)
        .map(|seed| {
            let mut sender = sender(JITTER, seed);
            assert_eq!(sent(&mut sender, Time::ZERO), []);
            let due = sender.next_deadline();
            assert_eq!(sent(&mut sender, Time(due.0 - 1)), [], "before it is due");
            sender.on_timer(due);
            assert_eq!(sent(&mut sender, due).len(), 4);
            due.since(Time::ZERO)
        })
        .collect();
    let mean = delays.iter().map(|delay| delay.as_secs()).sum::<f64>() / delays.len() as f64;
    // Uniform from zero to 5 ms: standard error 0.1 ms.
    assert!((mean - 0.0025).abs() < 0.0004, "{mean}");
    assert!(delays.iter().all(|delay| *delay <= JITTER));
}

#[test]
fn an_ack_during_a_delay_starts_no_other_delay_and_adds_segments() {
    let mut sender = sender(JITTER, 1);
    sent(&mut sender, Time::ZERO);
    sender.on_timer(sender.next_deadline());
    sent(&mut sender, Time::ZERO + JITTER);
    let now = Time::ZERO + Span::from_millis(100);
    ack(&mut sender, now, 1);
    assert_eq!(sent(&mut sender, now), []);
    let due = sender.next_deadline();
    assert!(due <= now + JITTER);
    ack(&mut sender, Time(now.0 + 1), 2);
    assert_eq!(sent(&mut sender, Time(now.0 + 1)), []);
    assert_eq!(sender.next_deadline(), due);
    sender.on_timer(due);
    // Two for the acknowledged segments, and two more by slow start.
    assert_eq!(sent(&mut sender, due).len(), 4);
    // The next segments wait again.
    ack(&mut sender, due + JITTER, 3);
    assert_eq!(sent(&mut sender, due + JITTER), []);
}

#[test]
fn limited_transmit_and_fast_retransmit_do_not_wait() {
    let mut sender = sender(JITTER, 1);
    sent(&mut sender, Time::ZERO);
    sender.on_timer(sender.next_deadline());
    sent(&mut sender, Time::ZERO + JITTER);
    let now = Time::ZERO + Span::from_millis(100);
    let mut at_once = Vec::new();
    for _ in 0..3 {
        ack(&mut sender, now, 0);
        at_once.push(sent(&mut sender, now).iter().map(|segment| segment.seq).collect::<Vec<_>>());
    }
    assert_eq!(at_once, [[4000], [5000], [0]]);
}

#[test]
fn without_jitter_or_without_a_stream_nothing_waits() {
    assert_eq!(sent(&mut sender(Span::ZERO, 1), Time::ZERO).len(), 4);
    let settings = Settings { send_jitter: JITTER, ..settings(Profile::Ns2, TcpName::named("newreno")) };
    let mut unseeded = Sender::new(&settings);
    unseeded.write_unbounded(Time::ZERO);
    assert_eq!(sent(&mut unseeded, Time::ZERO).len(), 1);
}

/// ns-2's `Sack1` waits with an open window even where there is nothing to send in it, but only when something has come.
#[test]
fn polling_alone_begins_no_delay() {
    let usual = settings(Profile::Ns2, TcpName::named("sack"));
    let settings = Settings { handshake: Handshake::None, initial_window: 4.0, send_jitter: JITTER, ..usual };
    let mut sender = Sender::new(&settings).with_jitter(Stream::new(1, "jitter"));
    sender.write(Time::ZERO, 2000);
    assert_eq!(sent(&mut sender, Time::ZERO), []);
    let due = sender.next_deadline();
    sender.on_timer(due);
    assert_eq!(sent(&mut sender, due).len(), 2);
    let timeout = sender.next_deadline();
    assert!(timeout > due + JITTER);
    assert_eq!(sent(&mut sender, due + JITTER), []);
    assert_eq!(sender.next_deadline(), timeout);
}
