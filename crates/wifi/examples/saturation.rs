//! Saturation throughput of 1 to 50 stations as CSV: by the standard's rules, on the assumptions of Bianchi's model,
//! and as the model predicts.
//!
//! cargo run --release -p airfair-wifi --example saturation -- \[PHY\] \[DATA_RATE_MBPS\] \[MSDU_BYTES\]

use std::process::ExitCode;

use airfair_core::{Rate, Span};
use airfair_wifi::saturation::{bss, saturate, uplinks};
use airfair_wifi::{Phy, bianchi};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "802.11b".into());
    let mbps: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(11.0);
    let bytes: u32 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1500);
    let phy = Phy::by_name(&name, None);
    let rate = Rate::new((mbps * 1e6) as u64);
    let (Ok(phy), Some(rate)) = (phy, rate) else {
        eprintln!("known are {}, at rates above zero", Phy::NAMES.join(", "));
        return ExitCode::from(2);
    };
    if !phy.allows(rate) {
        eprintln!("{name} has no data rate of {mbps} Mb/s");
        return ExitCode::from(2);
    }
    println!(
        "phy,rate_mbps,msdu_bytes,rts,stations,mbps,collisions,ideal_mbps,ideal_collisions,model_mbps,model_collisions"
    );
    for rts in [false, true] {
        for stations in [1, 2, 5, 10, 20, 50] {
            let config = bss(phy.clone(), stations, rate, rts);
            let run = |config| saturate(config, &uplinks(stations), bytes, Span::from_secs(100), 1);
            let (real, ideal) = (run(&config), run(&bianchi::idealised(&config)));
            let model = bianchi::predict(&phy, rate, bytes, rts, stations);
            print!("{name},{mbps},{bytes},{rts},{stations}");
            for (frames_per_second, collisions) in [
                (real.frames_per_second, real.collision_rate),
                (ideal.frames_per_second, ideal.collision_rate),
                (model.frames_per_second, model.collision_rate),
            ] {
                print!(",{:.4},{collisions:.4}", frames_per_second * f64::from(bytes) * 8e-6);
            }
            println!();
        }
    }
    ExitCode::SUCCESS
}
