//! Online games: delays of their updates and states.

use super::requests::{response_times, sent, unanswered};
use super::run::mean_of;
use super::*;
use crate::grade::GAME;
use airfair_core::Time;
use airfair_scenario::resolved::Traffic;
use airfair_sim::Session;

pub const FAMILIES: &[&[Metric]] = &[
    &[TIME.metric(
        "game_delay_mean",
        "Mean one-way delay, games",
        "Time from the sending of an update or of a state until it arrives, over all updates of all flows of `game` that are sent in the measured \
         window, and over the states that answer them, as far as they arrive by the end of the run.",
        "Usage of the field: RFC 7679 (one-way delay).",
        Compute::Run(|run| mean_of(&delays(run)?.finished, "updates and states that arrive")),
    )],
    &[TIME.metric(
        "game_response_time_mean",
        "Mean response time, games",
        "Time from the sending of an update until the state that answers it has come, over all updates of all flows of `game` that are sent in the \
         measured window and answered by the end of the run.",
        "Usage of the field: RFC 2681 (round-trip delay).",
        Compute::Run(|run| mean_of(&times(run)?.finished, "updates that are answered")),
    )],
    &[LOSS.metric(
        "game_loss_mean",
        "Unanswered updates, games",
        "Share of the updates sent in the measured window whose state does not come, since the one or the other is lost: as response_loss_mean, \
         but with 1 s if no state came. Mean over the flows of `game` with others.",
        "Usage of the field: RFC 6673 (round-trip packet loss).",
        Compute::Run(|run| mean_of(&unanswered(run, updates(run)?, &GAME), "updates that are answered or lost")),
    )],
];

/// Distributions with one value for each packet, or for each update.
pub const DISTRIBUTIONS: &[Distribution] = &[
    Distribution {
        name: "game_delay",
        title: "one-way delay, games",
        mean: "game_delay_mean",
        values: Values::Run("updates and states that are sent", delays),
    },
    Distribution {
        name: "game_response_time",
        title: "response time, games",
        mean: "game_response_time_mean",
        values: Values::Run("updates that are sent", times),
    },
];

fn updates<'a>(run: &Run<'a>) -> Result<Vec<Vec<&'a Session>>, Undefined> {
    sent(run, |flow| matches!(flow.traffic, Traffic::Game { .. }), "flows of games")
}

fn times(run: &Run<'_>) -> Result<Sample, Undefined> {
    Ok(response_times(updates(run)?))
}

/// Returns the delays of updates, and of the states that answer those updates that arrive.
fn delays(run: &Run<'_>) -> Result<Sample, Undefined> {
    let updates = updates(run)?;
    let ways = updates.iter().flatten().flat_map(|update| {
        let state = (update.delivered < Time::NEVER).then_some((update.delivered, update.acked));
        [Some((update.start, update.delivered)), state].into_iter().flatten()
    });
    let mut sample = Sample { finished: Vec::new(), unfinished: 0 };
    for (from, to) in ways {
        if to < Time::NEVER {
            sample.finished.push((to - from).as_secs());
        } else {
            sample.unfinished += 1;
        }
    }
    Ok(sample)
}

#[cfg(test)]
mod tests {
    use crate::metric::value;

    /// A game over a wire of 30 ms to the server and 10 ms back.
    const GAME: &str = r#"
[run]
duration = "10 s"
metrics = ["game_delay_mean"]
[[node]]
name = "player"
[[node]]
name = "server"
[[link]]
from = "player"
to = "server"
rate = "1 Gb/s"
delay = "30 ms"
reverse.delay = "10 ms"
[[flow]]
name = "game"
from = "player"
to = "server"
traffic = "game"
tick_rate = 50
"#;

    #[test]
    fn updates_and_states_take_their_ways() {
        // At 1 Gb/s, 108 B and 148 B take 0.864 us and 1.184 us.
        let [there, back] = [0.030_000_864, 0.010_001_184];
        // Each delay is of half of 500 updates, but for one update in flight at the end, and one state.
        assert!((value(GAME, "game_delay_mean").unwrap() - (there + back) / 2.0).abs() < 2e-5);
        assert!((value(GAME, "game_delay_p90").unwrap() - there).abs() < 1e-9);
        assert!((value(GAME, "game_response_time_p50").unwrap() - (there + back)).abs() < 1e-9);
        assert_eq!(value(GAME, "game_loss_mean"), Ok(0.0));
    }

    #[test]
    fn what_is_lost_either_way_is_not_answered() {
        let lossy =
            GAME.replace("rate = \"1 G", "loss = { model = \"bernoulli\", probability = 0.2 }\nrate = \"1 G");
        let share = value(&lossy, "game_loss_mean").unwrap();
        // The mean of 500 draws of 1 - 0.8^2, whose standard deviation is 0.02.
        assert!((share - 0.36).abs() < 0.08, "{share}");
        assert!(value(&lossy, "game_delay_p99").is_err(), "among those that are lost");
    }

    #[test]
    fn without_games_there_is_nothing() {
        let other = GAME.replace("\"game\"\ntick_rate = 50", "\"persistent\"");
        for name in ["game_delay_mean", "game_delay_p50", "game_response_time_mean", "game_loss_mean"] {
            assert_eq!(value(&other, name), Err("there are no flows of games".to_owned()), "{name}");
        }
    }
}
