//! CUBIC beside a kernel: Linux 6.18.44 over 20 Mb/s with 20 ms each way and a queue of 100 packets, measured in network namespaces over a
//! bottleneck in user space.

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
