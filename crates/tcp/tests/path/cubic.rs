//! CUBIC beside a kernel: Linux 6.18.44, measured in network namespaces over a bottleneck in user space. Where nothing else is said: over 20 Mb/s
//! with 20 ms each way and a queue of 100 packets.

use crate::path::{Path, Shape};
use airfair_core::{Rate, Span, Time};
use airfair_tcp::profile::settings;
use airfair_tcp::settings::Pacing;
use airfair_tcp::{Profile, Sender, Settings, TcpName};

/// The kernel's window every half second (`tcp_probe`), from 121 segments after its second cut on: the plateau is where fast convergence put it.
const KERNEL: [f64; 15] =
    [121.0, 128.0, 134.0, 138.0, 140.0, 142.0, 142.0, 142.0, 144.0, 147.0, 150.0, 153.0, 156.0, 159.0, 161.0];
/// The windows before its first two cuts.
const PEAKS: [f64; 2] = [175.0, 168.0];

/// Windows every 10 ms for 20 s.
fn windows() -> Vec<f64> {
    let settings = settings(Profile::Linux, TcpName::named("cubic"));
    let shape = Shape {
        access: (Rate::from_hundred_kbps(10_000), Span::from_micros(1), 10_000),
        bottleneck: (Rate::from_hundred_kbps(200), Span::from_millis(20), 100),
    };
    let mut path = Path::new(&settings, Sender::new(&settings), &shape, 0, |_, _| false);
    path.start();
    let window = |step| {
        path.run(Time::ZERO + Span::from_millis(10) * step);
        path.sender.cwnd()
    };
    (0..2000).map(window).collect()
}

#[test]
fn the_window_between_two_cuts_is_that_of_linux() {
    let windows = windows();
    let cuts: Vec<usize> = (1..windows.len()).filter(|&at| windows[at] < 0.8 * windows[at - 1]).collect();
    for (cut, peak) in cuts.iter().zip(PEAKS) {
        let ours = windows[cut - 1];
        assert!((ours - peak).abs() <= 1.0, "{ours}, the kernel {peak}");
    }
    let from = (cuts[1]..).find(|&at| windows[at] >= KERNEL[0]).expect("it grows");
    for (number, kernel) in KERNEL.iter().enumerate() {
        let ours = windows[from + 50 * number];
        assert!((ours - kernel).abs() <= 1.0, "after {number} half seconds {ours}, the kernel {kernel}");
    }
}

/// The part of 2 Mb/s that Linux 6.18.44 uses in 60 s over 100 ms each way, by the number of packets in the queue from which on it marks; one run each.
const MARKED: [(usize, f64); 6] =
    [(8, 0.744), (12, 0.847), (15, 0.879), (20, 0.926), (25, 0.947), (30, 0.954)];

/// What goes out while a mark brings the window down meets the same queue, is marked, and cuts the window again.
#[test]
fn a_link_that_marks_is_used_as_by_linux() {
    let settings = Settings { ecn: true, ..settings(Profile::Linux, TcpName::named("cubic")) };
    let shape = Shape {
        access: (Rate::from_hundred_kbps(10_000), Span::from_micros(1), 10_000),
        bottleneck: (Rate::from_hundred_kbps(20), Span::from_millis(100), 100),
    };
    for (packets, kernel) in MARKED {
        let mut path = Path::new(&settings, Sender::new(&settings), &shape, 0, |_, _| false);
        path.mark_from(packets);
        path.start();
        path.run(Time::ZERO + Span::from_secs(60));
        let used = path.sender.acked_to() as f64 * 8.0 / 2e6 / 60.0;
        assert!((used - kernel).abs() < 0.01, "from {packets} on {used}, the kernel {kernel}");
    }
}

/// Below half of the bandwidth-delay product a window that is paced over half of a round trip (`tcp_pacing_ss_ratio`) waits nowhere, and its
/// ACKs take no longer than that: nothing for HyStart to find.
#[test]
fn a_paced_flow_starts_slowly_beyond_half_of_what_the_path_holds() {
    let settings = Settings { pacing: Pacing::Linux, ..settings(Profile::Linux, TcpName::named("cubic")) };
    let shape = Shape {
        access: (Rate::from_hundred_kbps(10_000), Span::from_micros(1), 10_000),
        bottleneck: (Rate::from_hundred_kbps(1000), Span::from_millis(50), 1000),
    };
    let mut path = Path::new(&settings, Sender::new(&settings), &shape, 0, |_, _| false);
    path.start();
    // Ten segments, and six doublings.
    path.run(Time::ZERO + Span::from_millis(900));
    let half = 0.5 * 100e6 * 0.1 / 8.0 / 1500.0;
    assert!(path.sender.cwnd() > half, "{} of {half}", path.sender.cwnd());
}
