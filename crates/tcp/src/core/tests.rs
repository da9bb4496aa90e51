//! The effect of single ACKs, segments and timeouts on states set by hand.

use super::*;
use crate::profile::{NAMES, Profile, TcpName, settings};
use crate::scoreboard::Scoreboard;
use crate::segment::{Ecn, SackBlocks, Segment};
use crate::settings::{Recovery, SendTimeStore, WindowUnit};

const ACK: Ack =
    Ack { ack: 0, window: 20, sack: SackBlocks::NONE, echo: Time::ZERO, syn: true, ece: false, ace: 0 };

/// A sender with unlimited data that has sent ten segments of 1000 bytes, one each nanosecond, and a window of 20 segments.
fn core(profile: Profile, tcp: &str, change: impl FnOnce(&mut Settings)) -> Core {
    let mut settings = Settings {
        segment_bytes: 1000,
        receive_window: 20,
        handshake: Handshake::None,
        ..settings(profile, TcpName::named(tcp))
    };
    change(&mut settings);
    let mut core = Core::new(Arc::new(settings));
    core.end = UNBOUNDED;
    core.window.set(20.0);
    for now in 1..=10 {
        let seq = core.advance();
        core.emit(Time(now), seq);
    }
    core
}

/// An ACK of everything before `ack`, 1 ms later.
fn arrival(raw: &Ack, ack: u64) -> Arrival<'_> {
    Arrival { now: Time(1_000_000), ack, echo: Time(1), raw }
}

#[test]
fn an_ack_moves_the_first_outstanding_byte() {
    let mut core = core(Profile::Rfc, "reno", |_| ());
    assert_eq!((core.flight(), core.stats().bytes_acked), (10_000, 0));
    core.accept_untold(&arrival(&ACK, 3000), true);
    assert_eq!((core.una, core.flight(), core.stats().bytes_acked), (3000, 7000, 3000));
}

#[test]
fn a_report_of_a_duplicate_tells_of_nothing_that_another_block_does_not() {
    let core = core(Profile::Rfc, "reno", |_| ());
    let news = |blocks: &[(u64, u64)]| {
        let mut sack = SackBlocks::NONE;
        blocks.iter().for_each(|&(start, end)| sack.push(0, start, end));
        Scoreboard::default().news(&core, &arrival(&Ack { sack, ..ACK }, 0))
    };
    assert_eq!(news(&[(2000, 3000), (1000, 4000)]), 3000);
    assert_eq!(news(&[(2000, 3000), (4000, 6000)]), 3000);
}

#[test]
fn only_data_outstanding_at_a_timeout_count_as_sent_again() {
    let after_timeout = |last_cut, recover| {
        let mut core = core(Profile::Rfc, "reno", |_| ());
        (core.last_cut, core.recover) = (last_cut, recover);
        core.accept_untold(&arrival(&ACK, 1000), true);
        core.window.after_timeout
    };
    assert!(after_timeout(LastCut::Timeout, 10_000));
    assert!(!after_timeout(LastCut::Timeout, 0));
    assert!(!after_timeout(LastCut::FastRetransmit, 10_000));
}

/// Linux's `tcp_slow_start` has no limit of its own. Recoveries in which data may count twice keep that of RFC 3465.
#[test]
fn where_data_count_once_an_ack_after_a_timeout_opens_by_all_that_it_covers() {
    let window = |profile, recovery| {
        let mut core = core(profile, "sack", |settings| {
            (settings.recovery, settings.grow_only_when_limited) = (recovery, false);
        });
        core.on_timeout(Time(1000));
        core.window.ssthresh = 10.0;
        core.accept_maybe_first(&arrival(&ACK, 3000), true);
        core.window.cwnd
    };
    let of = |profile| {
        [Recovery::Rack, Recovery::NewReno, Recovery::Sack].map(|recovery| window(profile, recovery))
    };
    assert_eq!(of(Profile::Linux), [4.0, 4.0, 2.0]);
    assert_eq!(of(Profile::Rfc), [2.0; 3]);
}

/// Linux's `tcp_enter_loss`; RFC 5681, section 3.1, for a segment that a timeout has sent again before.
#[test]
fn in_linux_a_timeout_leaves_a_threshold_that_answers_the_same_data() {
    let threshold = |before: fn(&mut Core)| {
        let mut core = core(Profile::Linux, "reno", |_| ());
        core.window.ssthresh = 16.0;
        before(&mut core);
        core.window.cwnd = 8.0;
        core.on_timeout(Time(1));
        (core.window.ssthresh, core.stats.window_cuts)
    };
    let (lowered, kept) = ((4.0, 1), (16.0, 0));
    assert_eq!(threshold(|_| ()), lowered);
    assert_eq!(threshold(|core| core.begin_recovery(Time(0))), kept);
    assert_eq!(threshold(Core::note_answer), kept);
    let over = |core: &mut Core| {
        core.begin_recovery(Time(0));
        core.accept_untold(&arrival(&ACK, 10_000), true);
        let seq = core.advance();
        core.emit(Time(0), seq);
    };
    assert_eq!(threshold(over), lowered);
    let timed_out = |core: &mut Core| {
        core.on_timeout(Time(0));
    };
    assert_eq!(threshold(timed_out), (10.0, 1), "half of 20 segments, once");
    let advanced = |core: &mut Core| {
        core.on_timeout(Time(0));
        core.accept_untold(&arrival(&ACK, 1000), true);
    };
    assert_eq!(threshold(advanced), (4.0, 2));
}

/// Linux's `dctcp_react_to_loss`.
#[test]
fn dctcp_halves_what_a_reduction_for_a_mark_has_left() {
    let mut core = core(Profile::Linux, "dctcp", |_| ());
    assert!(core.on_echo(Time(11), 1000));
    assert_eq!((core.window.cwnd, core.window.ssthresh), (20.0, 10.0));
    core.window.cwnd = 16.0;
    core.cut(Time(12), false);
    assert_eq!((core.window.ssthresh, core.before_cut()), (8.0, None));
}

#[test]
fn an_echoed_mark_keeps_the_window_from_growing() {
    let may_grow = |ecn, ece| {
        let mut core = core(Profile::Rfc, "reno", |settings| settings.ecn = ecn);
        core.accept_untold(&arrival(&Ack { ece, ..ACK }, 1000), true).may_grow
    };
    assert!(!may_grow(true, true));
    assert!(may_grow(true, false) && may_grow(false, true) && may_grow(false, false));
}

#[test]
fn a_partial_ack_clears_the_slots_of_the_segments_it_covers() {
    let mut core = core(Profile::Ns2, "vegas", |settings| {
        (settings.recovery, settings.send_times) = (Recovery::NewReno, SendTimeStore::WindowRing);
    });
    core.accept_partial(&arrival(&ACK, 1000), None);
    core.accept_partial(&arrival(&ACK, 2000), None);
    assert_eq!((core.una, core.stats().bytes_acked), (2000, 2000));
    let sent = [0, 1000, 2000].map(|seq| core.outstanding.first(seq).and_then(|sent| sent.at));
    assert_eq!(sent, [None, None, Some(Time(3))]);
}

#[test]
fn a_loss_takes_its_part_of_the_congestion_window_alone_in_linux() {
    let base = |profile| {
        let mut core = core(profile, "reno", |_| ());
        core.window.cwnd = 30.0;
        core.loss_base(false)
    };
    assert_eq!(Profile::ALL.map(base), [20.0, 10.0, 30.0]);
}

/// `tcp_ack_update_rtt`: by the clock of timestamps.
#[test]
fn a_partial_ack_gives_a_round_trip_in_linux() {
    let smoothed = |profile| {
        let mut core = core(profile, "reno", |settings| settings.timestamps = true);
        let now = Time(41_600_000);
        core.accept_partial(&Arrival { now, ..arrival(&ACK, 1000) }, None);
        core.srtt()
    };
    assert_eq!([Profile::Rfc, Profile::Linux].map(smoothed), [None, Some(Span::from_millis(41))]);
}

#[test]
fn a_sender_is_limited_while_the_window_has_no_room_for_a_segment() {
    let mut core = core(Profile::Linux, "reno", |settings| settings.grow_to_twice_used = false);
    for (cwnd, limited) in [(9.0, true), (10.0, true), (10.9, true), (11.0, false), (15.0, false)] {
        core.window.cwnd = cwnd;
        assert_eq!(core.was_limited(core.flight()), limited, "{cwnd}");
    }
}

/// A flight of a slow start is half of the window that it ends with, so round trips that become longer would leave `pipeACK` below that.
#[test]
fn rfc7661_lets_a_window_grow_that_is_half_used_or_holds_the_sender_back() {
    let may_grow = |cwnd, pipe| {
        let mut core = core(Profile::Rfc, "reno", |_| ());
        core.window.cwnd = cwnd;
        core.idle.on_ack(Time(0), 0, Some(Span(1)));
        core.idle.on_ack(Time(1), pipe, Some(Span(1)));
        core.accept_untold(&arrival(&ACK, 1000), true).may_grow
    };
    assert!(may_grow(10.0, 1000) && !may_grow(11.0, 1000));
    assert!(may_grow(12.0, 6000) && !may_grow(12.0, 5000));
}

/// Linux's `tcp_is_cwnd_limited`: slow start goes on up to twice what was outstanding, and a window that was full once counts as full
/// until that flight is acknowledged.
#[test]
fn a_window_grows_to_twice_what_was_outstanding_in_the_flight() {
    let used = |cwnd, ssthresh, segments: u64, acked: u64| {
        let mut core = core(Profile::Linux, "reno", |settings| settings.handshake = Handshake::None);
        (core.una, core.nxt, core.max_sent, core.end) = (0, 0, 0, u64::MAX / 2);
        (core.window.cwnd, core.window.ssthresh, core.usage) = (cwnd, ssthresh, Usage::default());
        for _ in 0..segments {
            let seq = core.advance();
            core.emit(Time(1), seq);
        }
        core.note_usage(core.is_full());
        core.una = acked * core.segment();
        core.was_limited(core.flight())
    };
    assert!(used(10.0, 100.0, 6, 0) && !used(10.0, 100.0, 5, 0));
    assert!(!used(10.0, 10.0, 9, 0), "beyond slow start it has to be full");
    assert!(used(10.0, 10.0, 10, 0) && used(10.0, 10.0, 10, 5), "it was full");
}

#[test]
fn the_timer_runs_while_data_are_outstanding_or_the_window_lets_nothing_out() {
    let runs = |una, cwnd| {
        let mut core = core(Profile::Rfc, "reno", |_| ());
        (core.una, core.window.cwnd) = (una, cwnd);
        core.rearm(Time(20));
        core.timers.is_running(Timer::Retransmission)
    };
    assert!(runs(0, 5.0) && runs(9000, 5.0) && runs(10_000, 0.5));
    assert!(!runs(10_000, 1.0) && !runs(10_000, 5.0));
}

#[test]
fn only_new_data_may_be_marked() {
    let mut core = core(Profile::Rfc, "reno", |settings| settings.ecn = true);
    assert_eq!(core.emit(Time(20), 0).ecn, Ecn::NotCapable);
    assert_eq!(core.emit(Time(20), 10_000).ecn, Ecn::Capable);
}

#[test]
fn a_threshold_may_be_half_the_window_whatever_the_control_answers() {
    let threshold = |halve_threshold| {
        let mut core = core(Profile::Rfc, "reno", |settings| settings.halve_threshold = halve_threshold);
        core.cut(Time(20), false);
        core.window.ssthresh
    };
    // Reno answers half of the ten segments outstanding.
    assert_eq!((threshold(false), threshold(true)), (5.0, 10.0));
}

#[test]
fn a_recovery_lasts_to_the_end_of_the_data_sent() {
    let mut core = core(Profile::Rfc, "reno", |_| ());
    core.begin_recovery(Time(20));
    assert_eq!((core.recover, core.last_cut), (10_000, LastCut::FastRetransmit));
    assert_eq!((core.timed, core.stats.fast_retransmits), (UNTIMED, 1));
    assert_eq!(core.timers.due(Timer::Retransmission), Time(20) + core.timeout());
}

/// The segment that opens a connection goes alone again, also where the control keeps its window.
#[test]
fn a_held_window_holds_after_a_timeout_once_the_connection_is_open() {
    let whole = |settings: &mut Settings| {
        settings.handshake = Handshake::OneWay;
        let window = airfair_core::schema::Value::Word("window");
        settings.control.set(&[("after_timeout", window)]).expect("a parameter of it");
    };
    for (una, cwnd) in [(0, 1.0), (1000, 8.0)] {
        let mut core = core(Profile::Rfc, "constant", whole);
        core.una = una;
        assert!(core.on_timeout(Time(20)));
        assert_eq!(core.window.cwnd, cwnd, "{una}");
    }
}

#[test]
fn a_window_is_held_that_is_constant_or_goes_with_a_model_of_the_path() {
    for name in crate::profile::NAMES {
        let core = core(Profile::Rfc, name, |_| ());
        let holds = ["constant", "bbr", "bbr3"].contains(name);
        assert_eq!(core.window.is_held(), holds, "{name}");
    }
}

#[test]
fn an_echo_is_answered_once_for_the_data_outstanding() {
    let mut core = core(Profile::Rfc, "reno", |settings| settings.ecn = true);
    for (ack, cuts) in [(1000, 1), (10_000, 1), (10_001, 2)] {
        (core.una, core.max_sent) = (ack, ack.max(10_000));
        core.on_echo(Time(20), ack);
        assert_eq!(core.stats.window_cuts, cuts, "{ack}");
    }
}

/// Three cache lines, the third for few of its fields, whatever the rest takes.
#[test]
fn what_every_segment_touches_stays_together() {
    assert_eq!((std::mem::offset_of!(Core, una), std::mem::offset_of!(Core, budget)), (0, 128));
    assert!(std::mem::offset_of!(Core, control) < 192);
}

/// The short way for whole new segments leads where the long one does.
#[test]
fn whole_segments_go_out_as_far_as_window_data_and_budget_reach() {
    let sent = |short: bool, window_unit, cwnd, end, budget| {
        let mut core = core(Profile::Rfc, "reno", |settings| settings.window_unit = window_unit);
        (core.una, core.window.cwnd, core.end, core.budget) = (2000, cwnd, end, budget);
        let mut sent = Vec::new();
        if short {
            core.settle();
            sent.extend(std::iter::from_fn(|| core.has_whole().then(|| core.emit_whole(Time(20)))));
            assert!(sent.iter().all(|segment: &Segment| segment.len == 1000));
        }
        if !short || core.marked.is(Marked::IRREGULAR) {
            while core.budget > 0
                && let Some(seq) = core.next_in_window()
            {
                core.budget -= 1;
                sent.push(core.emit(Time(20), seq));
            }
        }
        (sent, core.nxt, core.max_sent, core.stats())
    };
    for unit in WindowUnit::ALL {
        for cwnd in [8.0, 9.0, 9.5, 10.0, 12.7, 25.0] {
            for end in [10_000, 10_400, 11_000, 13_700, UNBOUNDED] {
                for budget in [0, 1, 2, u32::MAX] {
                    let by = |short| sent(short, unit, cwnd, end, budget);
                    assert_eq!(by(true), by(false), "{unit:?} {cwnd} {end} {budget}");
                }
            }
        }
    }
}

#[test]
fn only_new_data_in_the_ordinary_course_are_expected() {
    let expects = |offset, ack: Ack, change: fn(&mut Core)| {
        let mut core = core(Profile::Rfc, "sack", |_| ());
        core.marked.set(Marked::RESTS, true);
        core.settle();
        change(&mut core);
        core.expects(offset, &ack)
    };
    let mut sack = SackBlocks::NONE;
    sack.push(1000, 2000, 3000);
    assert!(expects(1000, ACK, |_| ()));
    assert!(!expects(0, ACK, |_| ()));
    for other in [Ack { window: 19, ..ACK }, Ack { ece: true, ..ACK }, Ack { sack, ..ACK }] {
        assert!(!expects(1000, other, |_| ()), "{other:?}");
    }
    assert!(!expects(1000, ACK, |core| core.marked.set(Marked::RESTS, false)));
    assert!(!expects(1000, ACK, |core| core.marked.set(Marked::IRREGULAR, true)));
}

#[test]
fn slow_start_is_measured_until_a_loss_and_from_a_timeout_on() {
    let mut core = core(Profile::Rfc, "cubic", |_| ());
    let transmissions = |core: &Core| core.outstanding.of(0).map(|found| found.transmissions);
    assert!(core.marked.is(Marked::MEASURES) && transmissions(&core) == Some(1));
    core.cut(Time(20), false);
    core.emit(Time(20), 0);
    assert!(!core.marked.is(Marked::MEASURES) && transmissions(&core).is_none());
    core.on_timeout(Time(30));
    core.emit(Time(30), 0);
    // Not by a segment that may be an earlier transmission's answer.
    assert!(core.marked.is(Marked::MEASURES) && transmissions(&core) == Some(2));
}

/// draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.1: `BBRInit`.
#[test]
fn the_handshake_is_a_round_trip_unless_its_syn_was_sent_again() {
    for again in [false, true] {
        let mut core = Core::new(Arc::new(settings(Profile::Linux, TcpName::named("bbr"))));
        assert!(core.emit(Time::ZERO, 0).syn);
        if again {
            core.stop_timing();
        }
        let answer = Arrival { ack: core.origin(), ..arrival(&ACK, 0) };
        core.before_sample(&answer);
        let sample = core.outstanding.sample(answer.now, Some(std::iter::empty()), 1448);
        assert_eq!(sample.rtt, (!again).then_some(Span::from_millis(1)));
    }
}

/// A connection whose SYN times out `times` times before it is answered: when each SYN went out in s, and the sender then.
/// The answer is to the last of them, or to the `first`.
fn after_timeouts_of_syns(
    profile: Profile,
    times: usize,
    first: bool,
    change: impl FnOnce(&mut Settings),
) -> (Vec<f64>, Core) {
    let mut settings = settings(profile, TcpName::named("reno"));
    change(&mut settings);
    let mut core = Core::new(Arc::new(settings));
    let mut now = Time::ZERO;
    let mut sent = Vec::new();
    for time in 0..=times {
        assert!(core.emit(now, 0).syn);
        core.nxt = core.origin();
        sent.push(now.as_secs());
        if time < times {
            now = core.timers.due(Timer::Retransmission);
            assert!(core.on_timeout(now));
        }
    }
    let echo = if first { Time::ZERO } else { now };
    let answer = Arrival { now: now + Span::from_millis(1), ack: core.origin(), echo, raw: &ACK };
    core.accept_maybe_first(&answer, true);
    (sent, core)
}

fn after_lost_syns(profile: Profile, times: usize, change: impl FnOnce(&mut Settings)) -> (Vec<f64>, Core) {
    after_timeouts_of_syns(profile, times, false, change)
}

#[test]
fn the_ack_of_a_syn_brings_the_initial_window_whatever_repairs_losses() {
    for word in Recovery::WORDS.iter() {
        for handshake in [Handshake::OneWay, Handshake::ThreeWay] {
            let settings = Settings {
                recovery: Recovery::from_word(word).expect("a recovery"),
                handshake,
                initial_window: 4.0,
                ..settings(Profile::Rfc, TcpName::named("reno"))
            };
            let mut sender = crate::Sender::new(&settings);
            sender.write_unbounded(Time::ZERO);
            let sent =
                |sender: &mut crate::Sender| std::iter::from_fn(|| sender.poll_transmit(Time(1))).count();
            assert_eq!(sent(&mut sender), 1);
            sender.on_ack(Time(1), &Ack { window: 44, ..ACK });
            assert_eq!((sender.cwnd(), sent(&mut sender)), (4.0, 4), "{word} {handshake:?}");
        }
    }
}

#[test]
fn a_lost_syn_costs_the_initial_window() {
    let windows = |profile, times| {
        let (_, core) = after_lost_syns(profile, times, |_| ());
        (core.window.cwnd, core.window.ssthresh, core.stats().window_cuts)
    };
    let threshold = settings(Profile::Linux, TcpName::named("reno")).initial_ssthresh.expect("there is one");
    assert_eq!(windows(Profile::Rfc, 1), (1.0, 2.0, 1));
    // `tcp_init_transfer`, `tcp_init_metrics`.
    assert_eq!(windows(Profile::Linux, 1), (10.0, threshold, 0));
    assert_eq!(windows(Profile::Linux, 2), (1.0, threshold, 0));
}

/// `tcp_try_undo_spurious_syn`.
#[test]
fn timestamps_tell_a_lost_syn_from_a_late_answer() {
    let window = |first, timestamps| {
        let change = |settings: &mut Settings| settings.timestamps = timestamps;
        after_timeouts_of_syns(Profile::Linux, 2, first, change).1.window.cwnd
    };
    assert_eq!(
        [(true, true), (true, false), (false, true)].map(|(first, on)| window(first, on)),
        [10.0, 1.0, 1.0]
    );
}

#[test]
fn timeouts_of_syns_double_the_timer() {
    let sent = |profile| after_lost_syns(profile, 6, |_| ()).0;
    assert_eq!(sent(Profile::Rfc), [0.0, 1.0, 3.0, 7.0, 15.0, 31.0, 63.0]);
    // `tcp_syn_linear_timeouts`.
    assert_eq!(sent(Profile::Linux), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0]);
}

/// RFC 6298, (5.7).
#[test]
fn data_behind_a_lost_syn_wait_three_seconds() {
    let timeout =
        |profile, times, change: fn(&mut Settings)| after_lost_syns(profile, times, change).1.timeout();
    assert_eq!(timeout(Profile::Rfc, 1, |_| ()), Span::from_secs(3));
    assert_eq!(timeout(Profile::Rfc, 0, |_| ()), Span::from_secs(1));
    // With timestamps the answer gives a round trip, of 1 ms; the timeout is a whole number of jiffies.
    assert_eq!(timeout(Profile::Linux, 1, |_| ()), Span::from_millis(204));
    assert_eq!(timeout(Profile::Linux, 1, |settings| settings.timestamps = false), Span::from_secs(3));
}

#[test]
fn the_maximum_of_the_window_holds_from_the_start_and_when_it_changes() {
    for name in ["reno", "cubic", "westwood", "dctcp"] {
        for profile in Profile::ALL {
            let bounded =
                |most| Settings { max_window: Some(most), ..settings(profile, TcpName::named(name)) };
            let mut core = Core::new(Arc::new(bounded(2.0)));
            assert!(core.initial_window <= 2.0 && core.window.cwnd <= 2.0, "{name} {profile:?}");
            core.window.cwnd = 2.0;
            core.adopt(Arc::new(bounded(1.0)));
            assert_eq!(core.window.cwnd, 1.0, "{name} {profile:?}");
        }
    }
}

/// RFC 5681, section 3.2, step 2.
#[test]
fn what_limited_transmit_has_sent_is_not_halved() {
    let mut core = core(Profile::Rfc, "reno", |_| ());
    let flight = core.loss_base(false);
    core.window.cwnd = flight;
    core.end = UNBOUNDED;
    for dupacks in 1..=2 {
        core.dupacks = dupacks;
        core.limited_transmit();
        assert_eq!(core.pending, Pending::New);
        core.nxt += core.segment();
        core.max_sent = core.nxt;
    }
    core.dupacks = 3;
    assert_eq!([core.loss_base(false), core.loss_base(true)], [flight, flight + 2.0]);
    // The next duplicates are the first again.
    (core.dupacks, core.end) = (1, core.nxt);
    core.limited_transmit();
    assert_eq!(core.loss_base(false), flight + 2.0);
}

/// An initial window above the receive window, too: pacing shows it.
#[test]
fn settings_that_are_the_same_change_nothing() {
    for profile in [Profile::Ns2, Profile::Rfc, Profile::Linux] {
        for name in NAMES {
            for receive_window in [1, 4, 100] {
                let settings =
                    Arc::new(Settings { receive_window, ..settings(profile, TcpName::named(name)) });
                let mut core = Core::new(Arc::clone(&settings));
                let before = format!("{core:?}");
                core.adopt(settings);
                assert_eq!(format!("{core:?}"), before, "{profile:?} {name} {receive_window}");
            }
        }
    }
}
