//! Explicit congestion notification between both ends (RFC 3168, section 6.1).

use airfair_core::{Span, Time};
use airfair_tcp::congestion::{AckEvent, Control, CustomControl, Loss, Reduction};
use airfair_tcp::profile::{NAMES, Profile, TcpName, settings};
use airfair_tcp::settings::{EcnEcho, Handshake, Recovery};
use airfair_tcp::{CongestionControl, Ecn, Flags, Receiver, Segment, Sender, SenderStats, Settings, Window};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const ROUND_TRIP: Span = Span::from_millis(100);

/// Both ends of a connection over a network that marks and loses packets on demand.
struct Connection {
    sender: Sender,
    receiver: Receiver,
    now: Time,
    /// The segments on their way.
    flight: Vec<Segment>,
    /// Sequence numbers of the segments with CWR, in the order of sending.
    answers: Vec<u64>,
}

fn connection(settings: &Settings) -> Connection {
    let mut sender = Sender::new(settings);
    sender.write_unbounded(Time::ZERO);
    let receiver = Receiver::new(settings);
    let mut connection =
        Connection { sender, receiver, now: Time::ZERO, flight: Vec::new(), answers: Vec::new() };
    connection.drain();
    connection
}

fn with_ecn(profile: Profile, tcp: &'static str) -> Settings {
    let settings = settings(profile, TcpName::named(tcp));
    Settings { ecn: true, delayed_ack: false, gro: false, receive_window: 64, ..settings }
}

impl Connection {
    fn drain(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            if segment.flags.cwr() {
                self.answers.push(segment.seq);
            }
            self.flight.push(segment);
        }
    }

    /// A round trip. `fate` says of each segment on its way, by its position, whether it is marked and whether it arrives.
    fn round(&mut self, fate: impl Fn(usize) -> (bool, bool)) {
        self.now += ROUND_TRIP;
        for (place, mut segment) in std::mem::take(&mut self.flight).into_iter().enumerate() {
            let (marked, arrives) = fate(place);
            if marked {
                assert!(segment.mark() || segment.retransmission, "{segment:?}");
            }
            if !arrives {
                continue;
            }
            self.receiver.on_segment(self.now, &segment);
            while let Some(ack) = self.receiver.poll_transmit() {
                self.sender.on_ack(self.now, &ack);
                self.drain();
            }
        }
    }

    fn quiet_rounds(&mut self, rounds: u32) {
        for _ in 0..rounds {
            self.round(|_| (false, true));
        }
    }

    fn cuts(&self) -> u64 {
        self.sender.stats().window_cuts
    }
}

#[test]
fn a_mark_cuts_as_a_loss_does_and_retransmits_nothing() {
    for profile in Profile::ALL {
        let settings = with_ecn(profile, "reno");
        let mut marked = connection(&settings);
        let mut lossy = connection(&settings);
        for connection in [&mut marked, &mut lossy] {
            connection.quiet_rounds(4);
        }
        let before = marked.sender.cwnd();
        marked.round(|place| (place == 2, true));
        lossy.round(|place| (false, place != 2));
        let stats = marked.sender.stats();
        assert_eq!(
            (stats.window_cuts, stats.retransmissions, stats.fast_retransmits),
            (1, 0, 0),
            "{profile:?}"
        );
        assert_eq!(lossy.cuts(), 1, "{profile:?}");
        // Both halve the window, at ACKs that are a few segments apart.
        let (left, lossy) = (marked.sender.ssthresh(), lossy.sender.ssthresh());
        assert!(
            (left - lossy).abs() <= 2.0 && left < 0.7 * before,
            "{profile:?}: {left} and {lossy} of {before}"
        );
    }
}

#[test]
fn a_window_of_marks_is_answered_once() {
    for profile in Profile::ALL {
        let mut connection = connection(&with_ecn(profile, "newreno"));
        connection.quiet_rounds(4);
        let outstanding = connection.sender.sent_to();
        connection.round(|_| (true, true));
        assert_eq!(connection.cuts(), 1, "{profile:?}");
        assert!(connection.answers.len() == 1 && connection.answers[0] >= outstanding, "{profile:?}");
        // The echo continues until CWR arrives, and is no new signal.
        connection.quiet_rounds(4);
        assert_eq!((connection.cuts(), connection.answers.len()), (1, 1), "{profile:?}");
        connection.round(|place| (place == 0, true));
        connection.quiet_rounds(1);
        assert_eq!((connection.cuts(), connection.answers.len()), (2, 2), "{profile:?}");
    }
}

#[test]
fn the_window_does_not_grow_while_a_mark_is_echoed() {
    let mut connection = connection(&with_ecn(Profile::Ns2, "reno"));
    connection.quiet_rounds(3);
    let before = connection.sender.cwnd();
    connection.round(|place| (place == 0, true));
    assert_eq!(connection.sender.cwnd(), before / 2.0);
}

/// A connection of Linux with a window of twenty segments, all of them on their way.
fn twenty_on_their_way(prr: bool) -> Connection {
    let twenty = Settings {
        prr,
        tso: false,
        handshake: Handshake::None,
        initial_window: 20.0,
        initial_ssthresh: Some(20.0),
        first_window: None,
        ..with_ecn(Profile::Linux, "sack")
    };
    let connection = connection(&twenty);
    assert_eq!(connection.flight.len(), 20);
    connection
}

/// Linux's `tcp_cwnd_reduction` in the state CWR: a mark does not silence the sender for half of a round trip, so that what it sends meets the same queue.
#[test]
fn with_proportional_rate_reduction_every_other_ack_after_a_mark_lets_a_segment_out() {
    for (prr, counts) in
        [(true, [[1, 0].repeat(9), vec![0, 1]].concat()), (false, [[0; 10], [1; 10]].concat())]
    {
        let mut connection = twenty_on_their_way(prr);
        let mut found = Vec::new();
        for (place, mut segment) in std::mem::take(&mut connection.flight).into_iter().enumerate() {
            connection.now = Time::ZERO + ROUND_TRIP + Span::from_micros(100) * place as u64;
            if place == 0 {
                segment.mark();
            }
            connection.receiver.on_segment(connection.now, &segment);
            while let Some(ack) = connection.receiver.poll_transmit() {
                let before = connection.flight.len();
                connection.sender.on_ack(connection.now, &ack);
                connection.drain();
                found.push(connection.flight.len() - before);
            }
        }
        assert_eq!((found, connection.answers.as_slice()), (counts, &[20 * 1448][..]), "{prr}");
        assert_eq!((connection.sender.cwnd(), connection.cuts()), (10.0, 1));
        connection.quiet_rounds(1);
        assert_eq!((connection.sender.cwnd(), connection.sender.ssthresh()), (11.0, 10.0), "{prr}");
    }
}

/// A loss, or the timer, while a mark brings the window down: the threshold answers the mark, and stays.
#[test]
fn a_loss_ends_what_a_mark_has_begun() {
    let mut connection = twenty_on_their_way(true);
    connection.round(|place| (place == 0, place != 8));
    let left = (connection.sender.cwnd(), connection.sender.ssthresh(), connection.cuts());
    assert_eq!((left, connection.sender.stats().fast_retransmits), ((10.0, 10.0, 1), 1));
    let mut connection = twenty_on_their_way(true);
    connection.round(|place| (place == 0, place < 8));
    // What is in the network, and what the last ACK let out.
    assert_eq!((connection.sender.cwnd(), connection.flight.len()), (16.0, 4));
    connection.flight.clear();
    while connection.sender.stats().timeouts == 0 {
        connection.now = connection.sender.next_deadline();
        connection.sender.on_timer(connection.now);
    }
    assert_eq!((connection.sender.cwnd(), connection.sender.ssthresh(), connection.cuts()), (1.0, 10.0, 1));
}

/// Section 6.1.2: one reduction for a window of data, whether a mark or a loss comes first.
#[test]
fn a_loss_beside_a_mark_costs_nothing_more() {
    for recovery in ["reno", "newreno", "sack"] {
        for (marked, lost) in [(0, 3), (3, 0)] {
            let mut connection = connection(&with_ecn(Profile::Rfc, recovery));
            connection.quiet_rounds(4);
            connection.round(|place| (place == marked, place != lost));
            connection.quiet_rounds(3);
            let SenderStats { window_cuts, fast_retransmits, retransmissions, timeouts, .. } =
                connection.sender.stats();
            let counts = (window_cuts, fast_retransmits, retransmissions, timeouts);
            assert_eq!(counts, (1, 1, 1, 0), "{recovery}: mark {marked}, loss {lost}");
        }
    }
}

/// RFC 3168, section 6.1.5; ns-2 does not comply.
#[test]
fn retransmissions_may_be_marked_in_ns2_alone() {
    for (profile, expected) in [(Profile::Rfc, Ecn::NotCapable), (Profile::Ns2, Ecn::Capable)] {
        let mut connection = connection(&with_ecn(profile, "newreno"));
        assert!(connection.flight[0].syn && connection.flight[0].ecn == Ecn::NotCapable);
        connection.quiet_rounds(4);
        assert!(connection.flight.iter().all(|segment| segment.ecn == Ecn::Capable));
        connection.round(|place| (false, place != 0));
        let again: Vec<_> = connection.flight.iter().filter(|segment| segment.retransmission).collect();
        assert_eq!(again.iter().map(|segment| segment.ecn).collect::<Vec<_>>(), [expected], "{profile:?}");
        // CWR announces a cut for a loss as well.
        assert_eq!(connection.answers.len(), 1);
    }
}

/// In one queue with the other data (RFC 9331, section 4.1).
#[test]
fn with_ect1_all_data_say_so() {
    let mut connection = connection(&Settings { ect1: true, ..with_ecn(Profile::Rfc, "newreno") });
    assert!(connection.flight[0].syn && connection.flight[0].ecn == Ecn::NotCapable);
    connection.quiet_rounds(4);
    connection.round(|place| (false, place != 0));
    assert!(connection.flight.iter().any(|segment| segment.retransmission));
    assert!(connection.flight.iter().all(|segment| segment.ecn == Ecn::Scalable));
}

#[test]
fn no_profile_has_it_unless_it_is_set() {
    for profile in Profile::ALL {
        // DCTCP and Prague are nothing without.
        let plain = NAMES.iter().copied().filter(|name| !["dctcp", "prague"].contains(name));
        for tcp in plain.map(TcpName::named) {
            let usual = settings(profile, tcp);
            let mut connection = connection(&Settings { delayed_ack: false, ..usual });
            connection.quiet_rounds(3);
            assert!(!connection.flight.is_empty());
            assert!(connection.flight.iter().all(|segment| segment.ecn == Ecn::NotCapable), "{tcp:?}");
        }
    }
}

#[test]
fn a_window_that_is_fixed_does_not_answer() {
    let mut connection = connection(&with_ecn(Profile::Ns2, "constant"));
    connection.quiet_rounds(2);
    for _ in 0..5 {
        connection.round(|_| (true, true));
    }
    assert_eq!((connection.cuts(), connection.answers.len(), connection.sender.cwnd()), (0, 0, 8.0));
}

/// Every control, in every profile: a path that marks half of the segments neither stops a connection nor causes a retransmission.
#[test]
fn marks_alone_lose_nothing() {
    for profile in Profile::ALL {
        for &tcp in NAMES {
            let mut connection = connection(&with_ecn(profile, tcp));
            connection.quiet_rounds(1);
            let mut rounds = 0;
            while connection.receiver.delivered_to() < 200_000 {
                if connection.flight.is_empty() {
                    // A window of less than a segment waits for the timer.
                    connection.now = connection.sender.next_deadline();
                    connection.sender.on_timer(connection.now);
                    connection.drain();
                }
                let capable: Vec<bool> =
                    connection.flight.iter().map(|segment| segment.ecn != Ecn::NotCapable).collect();
                connection.round(|place| (place % 2 == 0 && capable[place], true));
                rounds += 1;
                assert!(rounds < 2000, "{profile:?} {tcp}");
            }
            assert_eq!(connection.sender.stats().retransmissions, 0, "{profile:?} {tcp}");
        }
    }
}

/// RFC 8257: where a fifth is marked, a mark takes a tenth, and not half.
#[test]
fn dctcp_gives_up_half_of_the_part_that_is_marked() {
    for profile in Profile::ALL {
        // What remains of a window at the deepest cut, once alpha is what it is.
        let remains = |tcp| {
            let mut connection = connection(&with_ecn(profile, tcp));
            let sent = Cell::new(0u64);
            let mut remains = f64::INFINITY;
            for round in 0..150 {
                let before = connection.sender.cwnd();
                connection.round(|_| {
                    sent.set(sent.get() + 1);
                    (sent.get().is_multiple_of(5), true)
                });
                if round >= 100 {
                    remains = remains.min(connection.sender.cwnd() / before);
                }
            }
            remains
        };
        let (dctcp, reno) = (remains("dctcp"), remains("sack"));
        // Of so small a window Linux's whole numbers take nothing.
        let takes = dctcp < 1.0 || profile == Profile::Linux;
        assert!((0.8..=1.0).contains(&dctcp) && takes && reno < 0.75, "{profile:?}: {dctcp} and {reno}");
    }
}

/// RFC 8257, section 3.2: the last ACK of the unmarked ones goes out when a marked one comes, and the other way round.
#[test]
fn each_mark_is_echoed_where_that_is_asked_for() {
    let usual = settings(Profile::Rfc, TcpName::named("dctcp"));
    let settings =
        Settings { handshake: Handshake::None, delayed_ack: true, delayed_ack_segments: 3, ..usual };
    let mut receiver = Receiver::new(&settings);
    let mut echoes = Vec::new();
    for (number, marked) in [false, true, true, true, true, false, false, false].into_iter().enumerate() {
        let ecn = if marked { Ecn::CongestionExperienced } else { Ecn::Capable };
        let (seq, sent_at) = (1000 * number as u64, Time::ZERO);
        let segment =
            Segment { seq, len: 1000, syn: false, retransmission: false, ecn, flags: Flags::NONE, sent_at };
        receiver.on_segment(Time::ZERO, &segment);
        while let Some(ack) = receiver.poll_transmit() {
            echoes.push((ack.ack / 1000, ack.ece));
        }
    }
    assert_eq!(echoes, [(2, true), (5, true), (6, false)]);
}

/// A receiver that counts marks, acknowledging every `every` segments.
fn counting(every: u32) -> Settings {
    Settings {
        handshake: Handshake::None,
        delayed_ack: every > 1,
        delayed_ack_segments: every,
        segment_bytes: 1000,
        ..settings(Profile::Rfc, TcpName::named("prague"))
    }
}

/// RFC 9768, section 3.2.2.5.1: the first of several marks is acknowledged at once, and the second since an ACK.
#[test]
fn a_receiver_that_counts_tells_of_marks_at_once() {
    let mut receiver = Receiver::new(&counting(4));
    let mut counts = Vec::new();
    for (number, marked) in
        [false, true, true, true, true, false, false, true, true, false, false].into_iter().enumerate()
    {
        let ecn = if marked { Ecn::CongestionExperienced } else { Ecn::Scalable };
        let (seq, sent_at) = (1000 * number as u64, Time::ZERO);
        let segment =
            Segment { seq, len: 1000, syn: false, retransmission: false, ecn, flags: Flags::NONE, sent_at };
        receiver.on_segment(Time::ZERO, &segment);
        while let Some(ack) = receiver.poll_transmit() {
            assert!(!ack.ece);
            counts.push((ack.ack / 1000, ack.ace));
        }
    }
    // From 5 on, modulo 8.
    assert_eq!(counts, [(2, 6), (4, 0), (8, 2)]);
}

/// What a sender with a fixed window learns of marks: every one, although ACKs are delayed and, from the twentieth round trip on, seven
/// of eight are lost.
#[test]
fn a_sender_learns_how_many_segments_were_marked_though_acks_are_lost() {
    for share in [0u32, 1, 2, 3, 4] {
        let told = Arc::new(AtomicU64::new(0));
        let counts = Arc::clone(&told);
        let counts = CustomControl::new("counts", move |_| Box::new(Counts(Arc::clone(&counts))));
        let control = Control::Custom(counts);
        let settings = Settings { control, recovery: Recovery::NewReno, ..counting(2) };
        let (mut sender, mut receiver) = (Sender::new(&settings), Receiver::new(&settings));
        sender.write_unbounded(Time::ZERO);
        let (mut now, mut marked, mut sent, mut acks) = (Time::ZERO, 0u64, 0u32, 0u32);
        for round in 0..200 {
            let segments: Vec<_> = std::iter::from_fn(|| sender.poll_transmit(now)).collect();
            now += ROUND_TRIP;
            let last = segments.len() - 1;
            for (place, mut segment) in segments.into_iter().enumerate() {
                sent += 1;
                if sent % 4 < share {
                    marked += u64::from(segment.mark());
                }
                receiver.on_segment(now, &segment);
                while let Some(ack) = receiver.poll_transmit() {
                    acks += 1;
                    if round < 20 || acks.is_multiple_of(8) || place == last {
                        sender.on_ack(now, &ack);
                    }
                }
            }
            receiver.on_timer(receiver.next_deadline().min(now + ROUND_TRIP));
            while let Some(ack) = receiver.poll_transmit() {
                sender.on_ack(now, &ack);
            }
        }
        let told = told.load(Ordering::Relaxed);
        assert!(marked.abs_diff(told) <= marked / 50 + 1, "{share}: {told} of {marked}");
    }
}

/// A window of 32 segments, and a count of marked ones.
#[derive(Debug)]
struct Counts(Arc<AtomicU64>);

impl CongestionControl for Counts {
    fn on_open(&mut self, window: &mut Window) {
        window.cwnd = 32.0;
        window.hold();
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &AckEvent) {}

    fn on_loss(&mut self, window: &Window, _loss: &Loss) -> Reduction {
        Reduction::to(window.cwnd)
    }

    fn on_marked(&mut self, bytes: u64) {
        self.0.fetch_add(bytes / 1000, Ordering::Relaxed);
    }
}

/// RFC 9331, section 4.3, and RFC 8257, section 3.5: a loss is answered as a classic control answers it, even where a mark was answered just
/// before.
#[test]
fn scalable_controls_answer_a_loss_beside_a_mark() {
    for name in ["dctcp", "prague"] {
        answers_a_loss_beside_a_mark(name);
    }
}

fn answers_a_loss_beside_a_mark(name: &'static str) {
    let remains = |lost: bool| {
        // What the window allows goes out at once.
        let unpaced = Settings { pacing_quantum: Some(1000), tso: false, ..with_ecn(Profile::Linux, name) };
        let mut connection = connection(&unpaced);
        connection.quiet_rounds(2);
        // Alpha comes down from one.
        for number in 0..100 {
            connection.round(|place| (place == 0 && number % 10 == 0, true));
        }
        let before = connection.sender.cwnd();
        connection.round(|place| (place == 0, !lost || place != 1));
        for _ in 0..3 {
            connection.round(|_| (false, true));
        }
        (connection.sender.stats().fast_retransmits, connection.sender.ssthresh() / before)
    };
    let (marked, lossy) = (remains(false), remains(true));
    assert!(marked.0 == 0 && marked.1 > 0.9, "{name}: {marked:?}");
    assert!(lossy.0 == 1 && lossy.1 < 0.6, "{name}: {lossy:?}");
}

/// A window of 32 segments, and the bytes that the control is told to be acknowledged and marked.
#[derive(Debug)]
struct Sums(Arc<[AtomicU64; 2]>);

impl CongestionControl for Sums {
    fn on_open(&mut self, window: &mut Window) {
        window.cwnd = 32.0;
        window.hold();
    }

    fn on_ack(&mut self, _window: &mut Window, ack: &AckEvent) {
        self.0[0].store(ack.una, Ordering::Relaxed);
    }

    fn on_loss(&mut self, window: &Window, _loss: &Loss) -> Reduction {
        Reduction::to(window.cwnd)
    }

    fn on_marked(&mut self, bytes: u64) {
        self.0[1].fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Bytes acknowledged and marked, as a control is told, where two segments are lost in every tenth round trip; and segments that were marked.
fn told_in_recoveries(settings: Settings, marked: fn(u64) -> bool) -> (u64, u64, u64) {
    let sums: Arc<[AtomicU64; 2]> = Arc::default();
    let theirs = Arc::clone(&sums);
    let control = CustomControl::new("sums", move |_| Box::new(Sums(Arc::clone(&theirs))));
    let mut connection =
        connection(&Settings { control: Control::Custom(control), handshake: Handshake::None, ..settings });
    let (sent, count) = (Cell::new(0u64), Cell::new(0u64));
    for number in 0..200 {
        connection.round(|place| {
            sent.set(sent.get() + 1);
            let (marks, lost) = (marked(sent.get()), number % 10 == 5 && (place == 3 || place == 9));
            count.set(count.get() + u64::from(marks && !lost));
            (marks, !lost)
        });
    }
    assert!(connection.sender.stats().fast_retransmits >= 15);
    (sums[0].load(Ordering::Relaxed), sums[1].load(Ordering::Relaxed), count.get())
}

/// RFC 8257, section 3.3: partial ACKs count as any. What arrived ahead of a gap is marked as the ACKs said that came then, as in Linux
/// (`delivered_ce`): the retransmission that fills it is not ECN-capable.
#[test]
fn the_marked_part_is_right_while_losses_are_mended() {
    for profile in [Profile::Rfc, Profile::Linux] {
        for recovery in [Recovery::Sack, Recovery::Rack, Recovery::NewReno] {
            for ecn_echo in [EcnEcho::Classic, EcnEcho::Each, EcnEcho::Accurate] {
                let with = Settings { recovery, ecn_echo, ..with_ecn(profile, "dctcp") };
                for (marked, least, most) in
                    [((|_| true) as fn(u64) -> bool, 0.97, 1.0), (|number| number % 5 == 0, 0.17, 0.23)]
                {
                    if ecn_echo == EcnEcho::Classic && least < 0.9 {
                        continue;
                    }
                    let (acked, told, _) = told_in_recoveries(with.clone(), marked);
                    let part = told as f64 / acked as f64;
                    assert!((least..=most).contains(&part), "{profile:?} {recovery:?} {ecn_echo:?}: {part}");
                }
            }
        }
    }
}

/// RFC 9768, section 3.2.2.5.1 and appendix A.2: behind a gap, too, where acknowledgements wait for more data, or where duplicates tell of no more
/// than that something has arrived.
#[test]
fn a_sender_learns_of_marks_behind_a_gap() {
    for recovery in [Recovery::Sack, Recovery::Rack, Recovery::NewReno] {
        for sack_compression in [false, true] {
            let usual = with_ecn(Profile::Rfc, "prague");
            let settings = Settings { recovery, sack_compression, delayed_ack: true, ..usual };
            let segment = u64::from(settings.segment_bytes);
            let (_, told, marked) = told_in_recoveries(settings, |_| true);
            // What is on its way, and one that a delayed ACK waits for.
            assert!(
                (marked - 64..=marked).contains(&(told / segment)),
                "{recovery:?}: {told} {segment} of {marked}"
            );
        }
    }
}
