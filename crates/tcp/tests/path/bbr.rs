//! BBR, versions 1 and 3, alone on a path: 20 Mb/s, 40 ms, a queue of 100 packets unless a test says otherwise.

use crate::path::{Path, Shape};
use airfair_core::{Rate, Span, Time};
use airfair_tcp::Sender;
use airfair_tcp::profile::{Profile, TcpName, settings};

const RATE: f64 = 20e6;
/// Packets of 1500 bytes in 40 ms.
const BDP: f64 = 66.7;
const QUEUE: usize = 100;

struct Outcome {
    /// A part of the payload that the link carries.
    goodput: f64,
    /// Packets, the one in transmission included.
    mean_queue: f64,
    /// When the window was four segments or fewer, after the first seconds: start and length of each such time, in seconds.
    low: Vec<(f64, f64)>,
    timeouts: u64,
}

/// One packet in so many is lost; zero: none.
fn path(tcp: &str, queue: usize, losses: u64) -> Path {
    let settings = settings(Profile::Linux, TcpName::named(tcp));
    let access = Rate::new(1_000_000_000).expect("a rate above zero");
    let bottleneck = Rate::new(RATE as u64).expect("a rate above zero");
    let shape = Shape {
        access: (access, Span::ZERO, 10_000),
        bottleneck: (bottleneck, Span::from_millis(20), queue),
    };
    let lost = |number: u64, every: u64| {
        every > 0 && (number + 1).wrapping_mul(2_654_435_761) % (1 << 32) < (1 << 32) / every
    };
    Path::new(&settings, Sender::new(&settings), &shape, losses, lost)
}

/// From second `from` to second `to`.
fn run(tcp: &str, from: u64, to: u64) -> Outcome {
    let mut path = path(tcp, QUEUE, 0);
    path.start();
    path.run(Time::ZERO + Span::from_secs(from));
    let before = path.receiver.delivered_to();
    let (mut sum, mut low, mut since) = (0, Vec::new(), None);
    for millis in 1000 * from..1000 * to {
        path.run(Time::ZERO + Span::from_millis(millis));
        sum += path.queued();
        let now = millis as f64 / 1000.0;
        match (path.sender.cwnd() <= 4.0, since) {
            (true, None) => since = Some(now),
            (false, Some(start)) => {
                low.push((start, now - start));
                since = None;
            }
            _ => {}
        }
    }
    let seconds = (to - from) as f64;
    let carried = RATE / 8.0 * 1448.0 / 1500.0 * seconds;
    Outcome {
        goodput: (path.receiver.delivered_to() - before) as f64 / carried,
        mean_queue: sum as f64 / (1000.0 * seconds),
        low,
        timeouts: path.sender.stats().timeouts,
    }
}

/// Cardwell et al. 2016, Fig. 1: at the optimum the link is busy and the queue is not; what fills the buffer does so to the brim.
#[test]
fn they_fill_the_link_and_not_the_queue() {
    let reno = run("sack", 5, 65);
    assert!(reno.goodput > 0.99, "{}", reno.goodput);
    for tcp in ["bbr", "bbr3"] {
        let bbr = run(tcp, 5, 65);
        assert!(bbr.goodput > 0.95, "{tcp}: {}", bbr.goodput);
        assert!(bbr.mean_queue < BDP / 2.0, "{tcp}: {}", bbr.mean_queue);
        assert!(reno.mean_queue > 3.0 * bbr.mean_queue, "{tcp}: {} and {}", reno.mean_queue, bbr.mean_queue);
        assert_eq!((bbr.timeouts, reno.timeouts), (0, 0));
    }
}

/// draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.5: a window of four for 200 ms, ten seconds after the shortest round trip
/// was seen last.
#[test]
fn version_1_probes_the_round_trip_every_ten_seconds() {
    let low = run("bbr", 2, 64).low;
    assert!((4..=6).contains(&low.len()), "{low:?}");
    for pair in low.windows(2) {
        let apart = pair[1].0 - pair[0].0;
        assert!((10.0..10.6).contains(&apart), "{low:?}");
    }
    assert!(low.iter().all(|(_, length)| (0.2..0.35).contains(length)), "{low:?}");
}

/// Cardwell et al. 2016: losses that congestion does not cause do not stop it, below about 20 %.
#[test]
fn random_losses_do_not_stop_them() {
    let goodput = |tcp| {
        let mut path = path(tcp, QUEUE, 100);
        path.start();
        path.run(Time::ZERO + Span::from_secs(30));
        path.receiver.delivered_to() as f64 / (RATE / 8.0 * 30.0)
    };
    let (bbr, bbr3, reno) = (goodput("bbr"), goodput("bbr3"), goodput("sack"));
    // Of the rest most are timeouts: the recovery of RFC 6675 does not see that a retransmission is lost.
    assert!(bbr > 0.7 && bbr3 > 0.7 && reno < 0.3, "{bbr}, {bbr3} and {reno}");
}

/// draft-ietf-ccwg-bbr: losses bound what version 3 has in flight. With a queue of a fifth of the BDP version 1, which has two BDPs in flight
/// when it probes, loses far more.
#[test]
fn version_3_loses_less_where_the_queue_is_short() {
    let run = |tcp| {
        let mut path = path(tcp, 14, 0);
        path.start();
        path.run(Time::ZERO + Span::from_secs(60));
        let stats = path.sender.stats();
        let goodput = path.receiver.delivered_to() as f64 / (RATE / 8.0 * 60.0);
        (goodput, stats.retransmissions as f64 / stats.segments as f64)
    };
    let ((first, first_resent), (third, third_resent)) = (run("bbr"), run("bbr3"));
    assert!(third > 0.8, "{third}, {first}");
    assert!(third_resent < first_resent / 2.0, "{third_resent} and {first_resent}");
}
