//! Differences between Tahoe, Reno, NewReno and SACK with one to four losses in a window (Fall & Floyd,
//! "Simulation-based comparisons of Tahoe, Reno, and SACK TCP", ACM CCR 26(3), 1996, section 4).

use crate::path::{Path, Shape};
use airfair_core::{Rate, Span, Time};
use airfair_tcp::profile::{Profile, TcpName, settings};
use airfair_tcp::{Sender, SenderStats, Settings};

/// The first of the lost packets: the window is 16 then, and the path holds no more than a part of it.
const FIRST: u64 = 60;

/// Every other packet is lost, starting with the first, this many in all.
fn lost(number: u64, losses: u64) -> bool {
    number >= FIRST && (number - FIRST).is_multiple_of(2) && (number - FIRST) / 2 < losses
}

#[derive(Debug)]
struct Episode {
    stats: SenderStats,
    /// Round trips until everything that was outstanding at the first loss is acknowledged.
    round_trips: f64,
}

fn episode(profile: Profile, tcp: TcpName, losses: u64) -> Episode {
    let settings =
        Settings { receive_window: 16, segment_bytes: 1000, delayed_ack: false, ..settings(profile, tcp) };
    let rate = Rate::new(10_000_000).expect("a rate above zero");
    let shape =
        Shape { access: (rate, Span::from_millis(25), 100), bottleneck: (rate, Span::from_millis(25), 100) };
    let mut path = Path::new(&settings, Sender::new(&settings), &shape, losses, lost);
    path.start();
    let mut began = None;
    let mut now = Time::ZERO;
    loop {
        now += Span::from_millis(1);
        path.run(now);
        if began.is_none() && path.sender.sent_to() > FIRST * 1000 {
            began = Some(now);
        }
        if path.sender.acked_to() >= (FIRST + 16) * 1000 {
            let began = began.expect("sent before it was acknowledged");
            let round_trips = now.since(began).as_secs() / 0.102;
            return Episode { stats: path.sender.stats(), round_trips };
        }
    }
}

const PROFILES: [Profile; 2] = [Profile::Ns2, Profile::Rfc];

#[test]
fn one_loss_is_mended_by_all_of_them_with_one_retransmission() {
    for profile in PROFILES {
        for tcp in [TcpName::named("tahoe"), TcpName::named("reno"), TcpName::named("newreno")] {
            let stats = episode(profile, tcp, 1).stats;
            assert_eq!((stats.timeouts, stats.fast_retransmits, stats.retransmissions), (0, 1, 1), "{tcp:?}");
            assert_eq!(stats.window_cuts, 1);
        }
    }
}

/// Section 3.1: Tahoe starts over from the first hole, and resends segments that have arrived.
#[test]
fn tahoe_needs_no_timeout_but_resends_arrived_segments() {
    for profile in PROFILES {
        for losses in 2..=4 {
            let stats = episode(profile, TcpName::named("tahoe"), losses).stats;
            assert_eq!((stats.timeouts, stats.fast_retransmits), (0, 1));
            assert!(stats.retransmissions > losses, "{stats:?}");
        }
    }
}

/// Section 3.2: the first new ACK ends Reno's recovery, and with the window halved and full there are not
/// enough duplicates for another.
#[test]
fn reno_waits_for_the_timer_with_more_than_one_loss() {
    for profile in PROFILES {
        for losses in 2..=4 {
            assert_eq!(episode(profile, TcpName::named("reno"), losses).stats.timeouts, 1);
        }
    }
}

/// Section 3.3: NewReno fills one hole per round trip.
#[test]
fn newreno_mends_one_hole_a_round_trip_without_a_timeout() {
    let one = episode(Profile::Rfc, TcpName::named("newreno"), 1).round_trips;
    for losses in 2..=4 {
        let episode = episode(Profile::Rfc, TcpName::named("newreno"), losses);
        assert_eq!((episode.stats.timeouts, episode.stats.retransmissions), (0, losses));
        let more = episode.round_trips - one;
        // The segments sent within recovery bring the last hole's round trip forward.
        assert!((more - (losses as f64 - 2.0)).abs() < 0.2, "{losses}: {more} round trips more");
    }
}

/// The impatient variant restarts the timer on the first partial ACK only: with ns-2's 200 ms a third hole at
/// 100 ms each is too late.
#[test]
fn newreno_of_ns2_runs_into_its_timer_with_three_holes() {
    let timeouts = |losses| episode(Profile::Ns2, TcpName::named("newreno"), losses).stats.timeouts;
    assert_eq!([timeouts(2), timeouts(3), timeouts(4)], [0, 1, 1]);
}

/// Section 3.4: SACK knows all holes, and fills them within one round trip.
#[test]
fn sack_mends_four_holes_as_fast_as_one() {
    for profile in PROFILES {
        let one = episode(profile, TcpName::named("sack"), 1);
        for losses in 2..=4 {
            let episode = episode(profile, TcpName::named("sack"), losses);
            assert_eq!(episode.stats.timeouts, 0);
            assert_eq!(episode.stats.retransmissions, one.stats.retransmissions + losses - 1);
            assert!(episode.round_trips - one.round_trips < 0.1, "{episode:?}");
        }
    }
}
