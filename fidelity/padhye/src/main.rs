//! Prints, as CSV, the send rate of AirFair's TCP under random loss beside what Padhye et al. predict.

mod model;
mod path;

use airfair_core::Span;
use airfair_tcp::{Profile, Settings, TcpName, profile};
use model::Path;
use path::{Loss, Losses, send};

/// The model's parameters; one segment an ACK, as the `ns2` profile has it.
const PATH: Path = Path { rtt: 0.1, timeout: 0.2, segments_per_ack: 1.0, max_window: 1000.0 };
const LOSSES: [f64; 9] = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2];
const MAX_WINDOWS: [u32; 2] = [1000, 32];
const SEEDS: u64 = 5;
/// Losses in one run, so that every rate is known equally well.
const LOSSES_IN_A_RUN: f64 = 1000.0;

const COLUMNS: [(&str, TcpName, Losses); 5] = [
    ("reno", TcpName::Reno, Losses::Independent),
    ("newreno", TcpName::NewReno, Losses::Independent),
    ("sack", TcpName::Sack, Losses::Independent),
    ("reno_rest_of_round", TcpName::Reno, Losses::RestOfRound),
    ("sack_rest_of_round", TcpName::Sack, Losses::RestOfRound),
];

fn main() {
    let names: Vec<_> = COLUMNS.iter().map(|(name, ..)| *name).collect();
    println!("max_window,loss,model,{}", names.join(","));
    for max_window in MAX_WINDOWS {
        let path = Path { max_window: f64::from(max_window), ..PATH };
        for loss in LOSSES {
            let model = path.send_rate(loss);
            let rates = COLUMNS.map(|(_, tcp, kind)| format!("{:.2}", rate(tcp, path, kind, loss, model)));
            println!("{max_window},{loss},{model:.2},{}", rates.join(","));
        }
    }
}

/// Mean send rate over the seeds, in segments per second, retransmissions included as in the model.
fn rate(tcp: TcpName, path: Path, kind: Losses, loss: f64, expected: f64) -> f64 {
    let settings = Settings {
        receive_window: path.max_window as u32,
        // The model has neither.
        limited_transmit: false,
        delayed_ack: None,
        ..profile::settings(Profile::Ns2, tcp)
    };
    let seconds = LOSSES_IN_A_RUN / loss / expected;
    let segments: u64 = (0..SEEDS)
        .map(|seed| {
            let duration = Span::from_secs_f64(seconds);
            send(&settings, Span::from_secs_f64(path.rtt), duration, Loss::new(kind, loss, seed)).segments
        })
        .sum();
    segments as f64 / (SEEDS as f64 * seconds)
}
