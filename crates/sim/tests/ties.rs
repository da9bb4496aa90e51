//! Packets that arrive at the very instant at which others arrive or leave.

use airfair_scenario::parse;
use airfair_scenario::resolved::Scenario;
use airfair_sim::{Engine, Record, Recordings};
use std::collections::BTreeMap;

fn scenario(text: &str) -> Scenario {
    parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}")).scenario
}

/// Returns the record of a run, after a check that both engines give the same.
fn run(scenario: &Scenario, seed: u64) -> Record {
    let [fast, plain] = Engine::ALL.map(|engine| engine.run(scenario, seed, Recordings::default()));
    assert!(fast == plain, "the engines differ, seed {seed}");
    fast
}

fn named(kind: &str, name: &str) -> String {
    format!("[[{kind}]]\nname = \"{name}\"\n")
}

fn link(from: &str, to: &str, rate: &str, delay: &str, queue: u32) -> String {
    format!(
        "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate}\"\ndelay = \"{delay}\"\nqueue = {queue}\n"
    )
}

/// Returns a network of `flows` flows that share a buffer; `listed` sets the order of everything in the file.
fn dumbbell(buffer: u32, flows: u32, tcp: &str, listed: impl Fn(&mut [String])) -> Scenario {
    let mut nodes = vec![named("node", "R1"), named("node", "R2")];
    let mut links = vec![link("R1", "R2", "9.1 Mb/s", "12 ms", buffer)];
    let mut tables = Vec::new();
    for flow in 0..flows {
        let (source, sink) = (format!("s{flow}"), format!("d{flow}"));
        nodes.extend([named("node", &source), named("node", &sink)]);
        links.push(link(&source, "R1", "97.3 Mb/s", "3 ms", 5000));
        links.push(link("R2", &sink, "97.3 Mb/s", "5 ms", 5000));
        let ends = format!("from = \"{source}\"\nto = \"{sink}\"\n");
        tables.push(named("flow", &format!("f{flow}")) + &ends + "start = \"0.7 s\"\n");
    }
    [&mut nodes, &mut links, &mut tables].into_iter().for_each(|part| listed(part));
    let tcp = format!("[tcp]\nprofile = \"ns2\"\nvariant = \"newreno\"\nwindow = 100\n{tcp}\n");
    let run = "[run]\nwarmup = \"5 s\"\nduration = \"30 s\"\n".to_owned();
    scenario(&(run + &tcp + &[nodes, links, tables].concat().concat()))
}

/// Returns the throughput of all flows together in Mb/s, averaged over some seeds.
fn throughput(scenario: &Scenario) -> f64 {
    const SEEDS: u64 = 8;
    let bytes = |seed| run(scenario, seed).counts.flows.iter().map(|flow| flow.acked_bytes).sum::<u64>();
    (1..=SEEDS).map(bytes).sum::<u64>() as f64 * 8e-6 / 30.0 / SEEDS as f64
}

/// ns-2 with up to 10 us of jitter for each packet gives 1.04 Mb/s. If departures always come first it is 6.65 Mb/s here, if
/// arrivals do 0.66.
#[test]
fn a_buffer_of_two_packets_carries_what_it_does_with_jitter() {
    let [exact, jittered] =
        ["", "send_jitter = \"10 us\""].map(|tcp| throughput(&dumbbell(2, 1, tcp, |_| {})));
    assert!((0.9..1.15).contains(&exact), "{exact}");
    assert!((exact / jittered - 1.0).abs() < 0.15, "{exact} without jitter, {jittered} with it");
}

/// A link with a drop-tail discipline, in which each departure is an event, ties as the arithmetic one does.
#[test]
fn ties_at_a_queue_are_those_of_arithmetic() {
    for (buffer, flows) in [(2, 1), (4, 5)] {
        let arithmetic = dumbbell(buffer, flows, "", |_| {});
        let mut queued = arithmetic.clone();
        queued.links[0].forward.discipline = Some(Box::default());
        for seed in 1..=3 {
            let [one, other] = [&arithmetic, &queued].map(|scenario| run(scenario, seed).counts.flows);
            assert!(one == other, "buffer {buffer}, {flows} flows, seed {seed}");
        }
    }
}

/// Flows that start at the same instant, over paths that take equally long, tie all the time.
#[test]
fn ties_do_not_depend_on_the_order_in_which_things_are_listed() {
    let flows = |listed: fn(&mut [String])| {
        let scenario = dumbbell(4, 5, "", listed);
        let counts = run(&scenario, 1).counts.flows;
        let names = scenario.flows.iter().map(|flow| flow.name.clone());
        names.zip(counts).map(|(name, flow)| (name, format!("{flow:?}"))).collect::<BTreeMap<_, _>>()
    };
    let listed = flows(|_| {});
    assert_ne!(listed["f0"], listed["f1"]);
    assert_eq!(listed, flows(|part| part.reverse()));
    assert_eq!(listed, flows(|part| part.rotate_left(3.min(part.len() - 1))));
}

/// Which of several flows that tie comes first depends on the seed: no flow always does.
#[test]
fn of_flows_that_tie_each_is_first_at_times() {
    let scenario = dumbbell(4, 2, "", |_| {});
    let is_ahead = |seed| {
        let flows = run(&scenario, seed).counts.flows;
        flows[0].acked_bytes > flows[1].acked_bytes
    };
    let ahead = (1..=20).filter(|&seed| is_ahead(seed)).count();
    assert!((3..=17).contains(&ahead), "flow 0 is ahead with {ahead} of 20 seeds");
}

/// A station that always has datagrams to send, through an access point without delay, over a link at which each takes `micros`.
fn uploads(phy: &str, queue: &str, micros: f64) -> Scenario {
    let rate = (8e9 / micros).round();
    scenario(&format!(
        "[run]\nduration = \"2 s\"\n[[node]]\nname = \"server\"\n\
         [[link]]\nfrom = \"ap\"\nto = \"server\"\nrate = \"{rate} b/s\"\ndelay = \"1 ms\"\nqueue = {queue}\n\
         [[wlan]]\nname = \"w\"\nap = \"ap\"\nhost_delay = \"0 s\"\nphy = {phy}\n[[wlan.station]]\nname = \"s\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"s\"\nto = \"server\"\nudp = {{ rate = \"100 Mb/s\", datagram_bytes = \"972 B\" }}\n"
    ))
}

/// Each datagram takes 1254 us of 802.11b, and 20 us more for each slot of backoff. Where it takes 1254 us on the wire, too, it often leaves as
/// the next one comes off the air, and makes room for that in any case. In 802.11ax three datagrams mostly take 414.4 us together.
#[test]
fn what_comes_off_the_air_goes_on_behind_all_that_leaves() {
    const ONE: &str = "\"802.11b\"";
    const THREE: &str = "\"802.11ax\"\nampdu = \"4000 B\"";
    for queue in ["1", "\"1000 B\""] {
        let links = run(&uploads(ONE, queue, 1254.0), 1).counts.links;
        assert_eq!(links[0].packets.dropped, 0, "queue {queue}");
    }
    for (phy, queue, micros) in [
        (ONE, "1", 1254.0),
        (ONE, "1", 1314.0),
        (ONE, "2", 1554.0),
        (ONE, "5", 1594.0),
        (ONE, "\"3 kB\"", 1594.0),
        (THREE, "2", 207.2),
        (THREE, "7", 207.2),
    ] {
        let arithmetic = uploads(phy, queue, micros);
        let mut queued = arithmetic.clone();
        queued.links[0].forward.discipline = Some(Box::default());
        let [one, other] = [&arithmetic, &queued].map(|scenario| run(scenario, 1).counts);
        assert!(one.flows == other.flows && one.links == other.links, "{phy}, queue {queue}, {micros} us");
    }
}
