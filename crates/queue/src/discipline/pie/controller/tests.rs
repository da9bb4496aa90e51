use super::*;

const RFC: Settings = Settings {
    pi: Pi { target: Span::from_millis(15), interval: Span::from_millis(15), alpha: 0.125, beta: 1.25 },
    max_burst: Span::from_millis(150),
    derandomize: true,
};

fn controller(settings: Settings) -> Controller {
    Controller::new(settings, Time::ZERO, Stream::new(1, "test"))
}

fn near(found: f64, wanted: f64) {
    assert!((found / wanted - 1.0).abs() < 1e-9, "{found}, not {wanted}");
}

/// A step is 0.125 Hz times what the delay is above 15 ms, and 1.25 Hz times its growth, divided by the number that
/// belongs to the probability before.
#[test]
fn the_probability_is_the_rfcs_step_by_step() {
    let mut controller = controller(RFC);
    let mut wanted = 0.0;
    for (delay, step, divisor) in [
        (30, 0.001_875 + 0.037_5, 2048.0),
        (30, 0.001_875, 128.0),           // 1.9e-5
        (130, 0.014_375 + 0.125, 128.0),  // 3.4e-5
        (130, 0.014_375, 8.0),            // 1.1e-3
        (1130, 0.139_375 + 1.25, 8.0),    // 2.9e-3
        (2130, LARGEST_STEP, 1.0),        // 0.177, where the step would be 1.514
        (2100, 0.260_625 - 0.037_5, 1.0), // 0.197: 0.223, and again no more than the largest step
        (2000, 0.248_125 - 0.125, 1.0),
        (1800, 0.223_125 - 0.25, 1.0), // 0.237, and down
    ] {
        controller.update(Span::from_millis(delay));
        wanted += f64::min(step / divisor, if wanted >= 0.1 { LARGEST_STEP } else { 1.0 });
        near(controller.probability(), wanted);
    }
    near(controller.probability(), 0.209716491699);
    controller.update(Span::ZERO);
    assert_eq!(controller.probability(), 0.0, "not below zero");
}

#[test]
fn small_probabilities_move_in_small_steps() {
    for (probability, divisor) in [
        (0.0, 2048.0),
        (0.99e-6, 2048.0),
        (1e-6, 512.0),
        (0.99e-5, 512.0),
        (1e-5, 128.0),
        (1e-4, 32.0),
        (1e-3, 8.0),
        (1e-2, 2.0),
        (0.0999, 2.0),
        (0.1, 1.0),
    ] {
        let delay = Span::from_millis(23);
        let mut controller = Controller { probability, old_delay: delay, ..controller(RFC) };
        controller.update(delay);
        near(controller.probability(), probability + 0.125 * 0.008 / divisor);
    }
}

/// Without delay the probability loses the step of -0.125 / s x 15 ms, and 2 % of what is left.
#[test]
fn without_delay_the_probability_decays() {
    let mut controller = Controller { probability: 0.5, ..controller(RFC) };
    controller.update(Span::ZERO);
    near(controller.probability(), (0.5 - 0.001_875) * 0.98);
    controller.update(Span(1));
    controller.update(Span::ZERO);
    let mut steps = 0;
    while controller.probability() > 0.0 {
        controller.update(Span::ZERO);
        steps += 1;
        assert!(steps < 400);
    }
}

/// The result does not depend on how many updates are made up for at once.
#[test]
fn updates_are_due_at_multiples_of_the_interval() {
    let mut often = controller(RFC);
    let mut at_once = controller(RFC);
    for (until, delay) in [(700, 60), (701, 3), (5000, 20), (90_000, 0), (90_020, 100), (700_000, 14)] {
        let (now, delay) = (Time::ZERO + Span::from_millis(until), Span::from_millis(delay));
        at_once.catch_up(now, delay);
        for millis in often.updated.0 / 1_000_000..=until {
            often.catch_up(Time::ZERO + Span::from_millis(millis), delay);
        }
        assert_eq!(format!("{often:?}"), format!("{at_once:?}"), "at {until} ms");
        assert_eq!(at_once.updated.0 / 1_000_000, until / 15 * 15);
    }
}

/// The allowance of 150 ms lasts for ten updates. It is back once the probability is zero and the delay is below half of
/// the target.
#[test]
fn a_burst_passes() {
    let mut controller = controller(Settings { derandomize: false, ..RFC });
    let first_pick = |controller: &mut Controller| {
        (0..).find(|_| {
            controller.update(Span::from_secs(1));
            controller.probability = 1.0;
            controller.picks()
        })
    };
    assert_eq!(first_pick(&mut controller), Some(9));
    controller.update(Span::from_micros(7500));
    controller.probability = 0.0;
    controller.update(Span::from_micros(7499));
    assert_eq!(controller.burst, RFC.max_burst, "the delay before was half of the target");
    controller.update(Span::from_micros(7499));
    assert_eq!((controller.burst, first_pick(&mut controller)), (Span::ZERO, Some(9)));
}

/// Below half of the target and a probability of 20 %, no packet is picked.
#[test]
fn a_short_delay_is_harmless() {
    let past = Controller { burst: RFC.max_burst, ..controller(Settings { derandomize: false, ..RFC }) };
    let picks = |delay: u64, probability: f64| {
        let mut controller = Controller { old_delay: Span::from_micros(delay), probability, ..past.clone() };
        (0..1000).any(|_| controller.picks())
    };
    assert_eq!([picks(7499, 0.199), picks(7500, 0.199), picks(7499, 0.2)], [false, true, true]);
}

/// With 1/8 there are at least seven packets to a drop and at most 68; drawn independently, there are fewer and more.
#[test]
fn derandomized_drops_keep_their_distance() {
    let gaps = |derandomize| {
        let settings = Settings { max_burst: Span::ZERO, derandomize, ..RFC };
        let mut controller =
            Controller { probability: 0.125, old_delay: RFC.pi.target, ..controller(settings) };
        let mut gaps: Vec<usize> =
            (0..100_000).map(|_| 1 + (0..).find(|_| controller.picks()).expect("a drop")).collect();
        gaps.sort_unstable();
        (gaps[0], gaps[99_999], gaps.iter().sum::<usize>() as f64 / 100_000.0)
    };
    let (least, most, mean) = gaps(true);
    // Six pass, and of each of those that follow an eighth is dropped.
    assert!(least == 7 && most == 68 && (13.7..14.3).contains(&mean), "{least} to {most}, {mean}");
    let (least, most, mean) = gaps(false);
    assert!(least == 1 && most > 68 && (7.8..8.2).contains(&mean), "{least} to {most}, {mean}");
}
