//! Answers requests of pages.

use crate::fault::Fault;
use crate::request::{Column, Request, Setting};
use crate::{stops, words};
use airfair_lab::{
    Experiment, Heading, NoOutcome, Outcome, Picture, Quantity, TIMELINE_TRACES, metric, summary, window,
};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::convert::Infallible;

/// Most settings whose outcomes are kept: two side by side, and those from before a parameter was moved back.
const KEPT: usize = 4;

/// Answers requests, and keeps what it has computed of the last settings.
#[derive(Debug, Default)]
pub struct Desk {
    /// Results of settings; the one that was used last is last.
    computed: Vec<Computed>,
}

/// A setting and its outcomes.
#[derive(Debug)]
struct Computed {
    setting: Setting,
    experiment: Experiment,
    outcomes: Vec<Outcome>,
    /// An outcome with all that a timeline shows.
    traced: Option<Outcome>,
}

impl Desk {
    /// Returns the answer to a request, both in JSON: `{"ok": ...}`, or `{"error": message}` if the input is at fault, with
    /// `parameter` and `reason` if one parameter is.
    pub fn answer(&mut self, request: &str) -> String {
        let request = serde_json::from_str(request).map_err(|error| Fault::from(error.to_string()));
        match request.and_then(|request| self.answered(request)) {
            Ok(answer) => json!({ "ok": answer }),
            Err(fault) => fault.answer(),
        }
        .to_string()
    }

    fn answered(&mut self, request: Request) -> Result<Value, Fault> {
        match request {
            Request::Describe { scenario } => describe(&scenario),
            Request::Load { setting } => {
                let experiment = &self.computed(&setting)?.experiment;
                Ok(json!({ "toml": experiment.loaded.toml(), "warnings": experiment.warnings() }))
            }
            Request::Run { setting, seed, seeds } => {
                let computed = self.computed(&setting)?;
                let last = seed.checked_add(seeds).ok_or("a seed is at most 2^64 - 1")?;
                let outcomes = (seed..last).map(|seed| computed.outcome(seed).cloned());
                let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
                let document = summary(&computed.experiment, &outcomes);
                let of_seeds = |name: &String| {
                    let value = |outcome: &Outcome| outcome.metric(name).and_then(|metric| metric.value);
                    (name.clone(), json!(outcomes.iter().map(value).collect::<Vec<_>>()))
                };
                let metrics = &computed.experiment.loaded.scenario.metrics;
                Ok(json!({
                    "words": words::of_metrics(&document),
                    "devices": words::of_devices(&document),
                    "values": metrics.iter().map(of_seeds).collect::<Map<_, _>>(),
                    "document": document,
                }))
            }
            Request::Difference { metrics } => Ok(metrics.iter().map(words::difference).collect()),
            Request::Timeline { columns, seed, from, to, axis, beside } => {
                let draw = |picture: &Picture| {
                    if beside {
                        picture.svg(Heading::default(), Some(axis))
                    } else {
                        picture.narrow_svg(Heading::default(), axis)
                    }
                };
                self.timeline(&columns, seed, from.zip(to), draw)
            }
        }
    }

    fn timeline(
        &mut self,
        columns: &[Column],
        seed: u64,
        asked: Option<(f64, f64)>,
        draw: impl Fn(&Picture) -> String,
    ) -> Result<Value, Fault> {
        if columns.is_empty() || columns.len() > KEPT {
            return Err(format!("a timeline has from one to {KEPT} runs").into());
        }
        for column in columns {
            self.computed(&column.setting)?.trace(seed)?;
        }
        let mut runs = Vec::new();
        let (mut recorded, mut shown) = ((0.0, f64::MAX), (0.0, f64::MAX));
        let common = |a: (f64, f64), b: (f64, f64)| (f64::max(a.0, b.0), f64::min(a.1, b.1));
        for column in columns {
            let found = self.computed.iter().find(|computed| computed.setting == column.setting);
            let Some((computed, outcome)) = found.and_then(|it| Some((it, it.traced.as_ref()?))) else {
                continue;
            };
            let scenario = &computed.experiment.loaded.scenario;
            let (warmup, duration) = (scenario.warmup.as_secs(), scenario.duration.as_secs());
            recorded = common(recorded, (warmup, warmup + duration));
            shown = common(shown, window(scenario, &[outcome], None, None)?);
            runs.push((column.title.as_str(), scenario, outcome));
        }
        let (from, to) = common(asked.unwrap_or(shown), recorded);
        if to.is_nan() || from >= to {
            return Err("the runs have no time in common".into());
        }
        let picture = Picture::new(&runs, from, to);
        let details = picture.runs().iter().zip(picture.tables()).zip(picture.exchanges());
        let details = details.map(|((run, tables), exchanges)| {
            let mut document = run.document();
            document["finding"] = json!(run.finding);
            document["ahead"] = json!(run.ahead);
            document["tables"] = json!(tables);
            document["exchanges"] = json!(exchanges);
            document
        });
        let details: Vec<_> = details.collect();
        Ok(
            json!({ "svg": draw(&picture), "from": from, "to": to, "recorded": [recorded.0, recorded.1], "runs": details }),
        )
    }

    /// Returns what has been computed of a setting, which may be nothing yet.
    fn computed(&mut self, setting: &Setting) -> Result<&mut Computed, Fault> {
        let found = self.computed.iter().position(|computed| computed.setting == *setting);
        let computed = match found {
            Some(place) => self.computed.remove(place),
            None => Computed::new(setting)?,
        };
        if self.computed.len() == KEPT {
            self.computed.remove(0);
        }
        let last = self.computed.len();
        self.computed.push(computed);
        Ok(&mut self.computed[last])
    }
}

impl Computed {
    fn new(setting: &Setting) -> Result<Computed, Fault> {
        let overrides = setting.overrides();
        let experiment = match &setting.text {
            Some(text) => Experiment::parse(text, &setting.scenario, &overrides),
            None => Experiment::load(&setting.scenario, &overrides),
        };
        let experiment = shared(experiment?)?;
        Ok(Computed { setting: setting.clone(), experiment, outcomes: Vec::new(), traced: None })
    }

    fn outcome(&mut self, seed: u64) -> Result<&Outcome, String> {
        let place = match self.outcomes.iter().position(|outcome| outcome.seed == seed) {
            Some(place) => place,
            None => {
                self.outcomes.push(run(&self.experiment, seed, &[])?);
                self.outcomes.len() - 1
            }
        };
        Ok(&self.outcomes[place])
    }
}

impl Computed {
    /// Runs this seed with all that a timeline shows.
    fn trace(&mut self, seed: u64) -> Result<(), String> {
        if self.traced.as_ref().is_none_or(|outcome| outcome.seed != seed) {
            self.traced = Some(run(&self.experiment, seed, &TIMELINE_TRACES)?);
        }
        Ok(())
    }
}

fn run(experiment: &Experiment, seed: u64, traces: &[Quantity]) -> Result<Outcome, String> {
    experiment.run_unless(seed, traces, go_on).map_err(too_much)
}

/// Returns the experiment with its users' fair share, which is measured now if that is needed.
fn shared(experiment: Experiment) -> Result<Experiment, String> {
    experiment.shared_unless(go_on).map(Cow::into_owned).map_err(too_much)
}

fn go_on() -> Result<(), Infallible> {
    Ok(())
}

fn too_much(why: NoOutcome<Infallible>) -> String {
    match why {
        NoOutcome::Stopped(never) => match never {},
        NoOutcome::TooManySamples => "the run records more than the memory holds".to_owned(),
    }
}

/// Describes a scenario: its own description, that of each metric that it reports, and for each parameter its default and
/// the stops of a slider, as text.
fn describe(scenario: &str) -> Result<Value, Fault> {
    let description = airfair_scenario::describe(scenario)?;
    let experiment = Experiment::load(scenario, &[])?;
    let names = experiment.loaded.scenario.metrics.iter();
    let metrics: Vec<_> = names.filter_map(|name| metric(name)).map(|it| it.description()).collect();
    let stops = description.parameters.iter().map(|it| (it.name.clone(), json!(stops::stops(it))));
    let stops: Map<_, _> = stops.collect();
    let usual = description.parameters.iter().map(|it| (it.name.clone(), json!(stops::usual(it))));
    let usual: Map<_, _> = usual.collect();
    Ok(json!({ "scenario": description, "metrics": metrics, "usual": usual, "stops": stops }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: &str = r#"{"scenario": "jung/mixed", "set": [["duration", "20 s"]]}"#;

    fn ok(desk: &mut Desk, request: &str) -> Value {
        let mut answer: Value = serde_json::from_str(&desk.answer(request)).unwrap();
        assert!(answer["error"].is_null(), "{answer}");
        answer["ok"].take()
    }

    #[test]
    fn a_run_is_the_document_of_the_command() {
        let set = [airfair_scenario::Override { name: "duration".into(), value: "20 s".into() }];
        let experiment = Experiment::load("jung/mixed", &set).unwrap();
        let outcomes: Vec<_> = (2..5).map(|seed| experiment.run(seed, &[])).collect();
        let mut desk = Desk::default();
        // Seeds come in one by one; none is lost or counted twice.
        for seeds in 1..4 {
            let found = ok(
                &mut desk,
                &format!(r#"{{"ask": "run", "setting": {SHORT}, "seed": 2, "seeds": {seeds}}}"#),
            );
            assert_eq!(found["document"], summary(&experiment, &outcomes[..seeds]));
            assert_eq!(found["values"]["jain_persistent"].as_array().unwrap().len(), seeds);
        }
        assert_eq!(desk.computed[0].outcomes.len(), 3);
    }

    #[test]
    fn faults_of_the_input_are_told_and_the_next_request_is_answered() {
        let mut desk = Desk::default();
        for (request, told) in [
            ("nonsense", "expected"),
            (r#"{"ask": "describe", "scenario": "jung/mixd"}"#, "jung/mixed"),
            (
                r#"{"ask": "load", "setting": {"scenario": "jung/mixed", "set": [["tcp", "vegass"]]}}"#,
                "vegas",
            ),
        ] {
            let answer: Value = serde_json::from_str(&desk.answer(request)).unwrap();
            assert!(answer["error"].as_str().unwrap().contains(told), "{answer}");
        }
        let loaded = ok(&mut desk, &format!(r#"{{"ask": "load", "setting": {SHORT}}}"#));
        assert!(loaded["toml"].as_str().unwrap().contains(r#"duration = "20 s""#));
        let text = json!({"ask": "load", "setting": {"scenario": "mine.toml", "text": loaded["toml"]}});
        assert_eq!(ok(&mut desk, &text.to_string())["warnings"], json!([]));
    }

    #[test]
    fn a_timeline_is_drawn_where_it_is_asked_for() {
        let mut desk = Desk::default();
        let setting =
            |tcp: &str| json!({"scenario": "jung/mixed", "set": [["duration", "20 s"], ["tcp", tcp]]});
        let columns =
            json!([{"title": "a", "setting": setting("reno")}, {"title": "b", "setting": setting("vegas")}]);
        let whole = ok(
            &mut desk,
            &json!({"ask": "timeline", "columns": columns, "seed": 1, "axis": 300.0, "beside": true})
                .to_string(),
        );
        assert_eq!(whole["recorded"], json!([20.0, 40.0]));
        assert!(whole["svg"].as_str().unwrap().starts_with("<svg"));
        assert!(whole["runs"][0]["ahead"].as_f64() > whole["runs"][1]["ahead"].as_f64());
        let asked = json!({"ask": "timeline", "columns": columns, "seed": 1, "from": 10.0, "to": 20.1, "axis": 200.0, "beside": false});
        let part = ok(&mut desk, &asked.to_string());
        assert_eq!((&part["from"], &part["to"]), (&json!(20.0), &json!(20.1)));
        // Every turn in so short a time is described.
        let exchanges = part["runs"][0]["exchanges"].as_array().unwrap();
        assert!(exchanges.iter().any(|it| it["words"].as_str().unwrap().contains("1 MPDU")), "{exchanges:?}");
        let none = json!({"ask": "timeline", "columns": [], "seed": 1, "axis": 200.0, "beside": false});
        assert!(desk.answer(&none.to_string()).contains("from one to"));
    }

    #[test]
    fn differences_have_signs_and_intervals() {
        let mut desk = Desk::default();
        let request = r#"{"ask": "difference", "metrics": [{"unit": "s", "a": [1.0, 1.5], "b": [2.0, 2.4]}, {"unit": "1", "a": [], "b": []}]}"#;
        let found = ok(&mut desk, request);
        assert_eq!(found[0]["value"], "+950 ms");
        assert_eq!(found[0]["certain"], true);
        assert_eq!(found[1], Value::Null);
    }

    #[test]
    fn the_settings_used_last_are_kept() {
        let mut desk = Desk::default();
        for stations in [2, 4, 6, 8, 2, 10] {
            let request = json!({"ask": "load", "setting": {"scenario": "jung/mixed", "set": [["stations", stations.to_string()]]}});
            ok(&mut desk, &request.to_string());
        }
        let kept: Vec<_> = desk.computed.iter().map(|computed| computed.setting.set[0].1.as_str()).collect();
        assert_eq!(kept, ["6", "8", "2", "10"]);
    }
}
