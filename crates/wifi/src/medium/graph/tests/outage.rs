//! What follows a time without signal, in which a sender gives up frames and block ack requests.

use super::*;

/// Returns how long after the end of an outage the first frame reaches the layer above its receiver, in milliseconds. A frame comes every `gap`
/// milliseconds, before the outage of `length` milliseconds as well.
fn silence_after(length: u64, gap: u64) -> f64 {
    let aggregation = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
    let mut config = noisy(LinkSnr { up: 40.0, down: 40.0, variation: None }, HT7, aggregation);
    let end = Span::from_millis(100 + length);
    let points = [(Span::ZERO, 40.0), (Span::from_millis(100), -20.0), (end, 40.0)];
    let points = points.map(|(from, snr)| SnrPoint { from, snr });
    config.stations[1].qos.as_mut().expect("it has EDCA").snr_trace = Arc::from(points);
    let mut medium = GraphMedium::new(&[&config], 1);
    let frames: Vec<_> = (0..500 / gap).map(|n| (Time(n * gap * 1_000_000), 1, 0, 1500)).collect();
    let enqueue = |medium: &mut GraphMedium<_>, now, from, frame| {
        medium.enqueue(now, from, None, frame);
    };
    let arrivals = arrivals_in(&mut medium, &frames, enqueue, GraphMedium::next_deadline, act_graph);
    let behind = arrivals.iter().map(|&(at, ..)| at).filter(|&at| at >= Time::ZERO + end);
    behind.min().expect("frames arrive again").since(Time::ZERO + end).as_secs() * 1e3
}

/// The receiver waits 100 ms for frames that the sender has given up, unless somebody tells it of that. After the longest backoff, 1023 slots of 9 us,
/// and the next frame, which comes within 5 ms, a request tells it: the one under way as the signal returns, or a new one.
#[test]
fn a_receiver_does_not_wait_for_frames_that_were_given_up() {
    let silences: Vec<f64> = (5..200).step_by(5).map(|length| silence_after(length, 5)).collect();
    assert!(silences.iter().all(|&silence| silence < 15.0), "{silences:.1?}");
}
