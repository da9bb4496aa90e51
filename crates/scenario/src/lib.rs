//! Scenarios: files in, plain data out.
//!
//! A scenario file is TOML (`docs/scenarios.md` is its guide). [`load`] and [`parse`] read one, set its parameters,
//! evaluate its expressions, check every value and find the flows' paths; the result is a
//! [`resolved::Scenario`] that an engine can run. Nothing else validates: the command line and Python pass raw strings.
//!
//! How the modules work together: `file` is the format as parsed, and `value` one value of it. `parameter` fills in the values set from
//! outside, `expression` evaluates, `reading` turns values into the engine's types, `resolve` builds the scenario, and `route` finds
//! paths. A `problem` carries a fault outwards, and each level adds its place; `error` reports it.

mod axis;
mod beside;
mod canonical;
mod choice;
mod declaration;
mod describe;
mod document;
mod engine_lists;
mod error;
mod expression;
mod file;
mod layout;
mod metric;
mod name;
mod not_modelled;
mod packaged;
mod packet_lengths;
mod parameter;
mod path;
mod plain;
mod problem;
mod quantity;
mod queue;
mod reading;
mod resolve;
pub mod resolved;
mod route;
pub mod rtcp;
mod scope;
mod setting;
mod shape;
mod share;
mod spelling;
mod template;
mod units;
mod value;
mod warnings;

use std::io::Read;
use std::path::Path;
use std::sync::{Arc, OnceLock};

pub use axis::{AxisValue, MOST_VALUES, axis_samples, axis_values, share};
pub use declaration::written_units;
pub use describe::{Description, ParameterDescription};
pub use error::Error;
pub use file::PriorityKeys;
pub use not_modelled::not_modelled;
pub use packaged::{Packaged, packaged};
pub use packet_lengths::too_long;
pub use parameter::{Override, Parameter, ParameterValue};
pub use problem::nearest;
pub use quantity::quantity;
pub use template::Template;

use airfair_core::{Rate, Span};

use file::File;
use problem::{Located, Problem};
use resolved::{FairShare, Flow, Traffic, Transport};

/// Most bytes of a scenario file, and of all the files together that it names.
const LONGEST_FILE: u64 = 16 << 20;

/// A scenario that is ready to run, with its source.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario as the engine takes it.
    pub scenario: resolved::Scenario,
    /// Every parameter with the value used, in the order of their names.
    pub parameters: Vec<Parameter>,
    /// Warnings of legal but hopeless settings, a sentence each.
    pub warnings: Vec<String>,
    /// Warnings of settings from outside that reach no flow, a sentence each. Among several scenarios with the same settings, a setting
    /// is useless only if it is useless in all of them.
    pub useless: Vec<String>,
    /// BLAKE3 hash of the canonical JSON, computed once: the key of every seed needs it.
    digest: OnceLock<blake3::Hash>,
    /// The file as read. Its text with the overrides in it is written only on request.
    template: Arc<Template>,
    overrides: Vec<Override>,
}

impl Loaded {
    /// Returns the scenario as canonical JSON: whole nanoseconds, SI units, sorted keys; without the scenario's name, which changes no
    /// result.
    pub fn canonical_json(&self) -> String {
        canonical::json(&self.scenario)
    }

    /// Returns the text of the file with the overrides in it, those of parameters as their defaults. It loads to the same scenario.
    pub fn toml(&self) -> String {
        self.template.with(&self.overrides)
    }

    /// Loads the file again with `settings` over the present overrides. A new setting replaces an override of the same value, whatever
    /// name either of them used. The reported metrics stay those of this scenario.
    ///
    /// # Errors
    /// When there is no such parameter or setting, or a value is not allowed.
    pub fn changed(&self, settings: &[Override]) -> Result<Loaded, Error> {
        let mut overrides = self.overrides.clone();
        overrides.retain(|other| !self.template.set_anew(other, settings));
        let kept = overrides.len();
        overrides.extend_from_slice(settings);
        let changed = self.template.load(&overrides);
        let mut changed = changed.map_err(|error| {
            match overrides[..kept].iter().any(|set| set.name == error.setting()) {
                true => error.noting("; it was set before: set it to `default` together with this"),
                false => error,
            }
        })?;
        changed.scenario.metrics.clone_from(&self.scenario.metrics);
        Ok(changed)
    }

    /// Describes the purpose and the parameters of the file, as [`describe()`] does, without reading it again.
    ///
    /// # Errors
    /// When a declaration in the file is wrong.
    pub fn describe(&self) -> Result<Description, Error> {
        self.template.describe()
    }

    /// Whether a rate of the fair share must be measured.
    pub fn measures_share(&self) -> bool {
        let share = self.scenario.fair_share;
        matches!(share, FairShare::Split { down, up, .. } if down.is_none() || up.is_none())
    }

    /// Returns one scenario for each TCP flow, in which it is alone and always has data to send: runs of `warmup` and `duration` that
    /// report `metric`. The first of a browser's connections stands for all of them. [`Loaded::toml`] of these scenarios gives the file
    /// of the whole scenario.
    pub fn users_alone(&self, times: (Span, Span), metric: &str) -> Vec<Loaded> {
        let is_user = |flow: &Flow| {
            let is_further = matches!(&flow.traffic, Traffic::Web { page, .. } if page.connection > 0);
            matches!(flow.transport, Transport::Tcp { .. }) && !is_further
        };
        let users = (0..self.scenario.flows.len()).filter(|&flow| is_user(&self.scenario.flows[flow]));
        let alone = |flow| Loaded {
            scenario: resolve::alone(&self.scenario, flow, times, metric),
            warnings: Vec::new(),
            useless: Vec::new(),
            digest: OnceLock::new(),
            ..self.clone()
        };
        users.map(alone).collect()
    }

    /// Fills in the rates of the fair share that had to be measured. The scenario's key stays as it was: measured rates follow from
    /// everything else.
    pub fn sharing(mut self, measured_down: Rate, measured_up: Rate) -> Loaded {
        self.digest();
        if let FairShare::Split { down, up, .. } = &mut self.scenario.fair_share {
            down.get_or_insert(measured_down);
            up.get_or_insert(measured_up);
        }
        self
    }

    /// Returns the BLAKE3 hash of [`Loaded::canonical_json`].
    pub fn digest(&self) -> &[u8; 32] {
        self.digest.get_or_init(|| blake3::hash(self.canonical_json().as_bytes())).as_bytes()
    }

    /// Checks that all metrics that the file asks for are `known` and that none is listed twice. A name with `{wlan}` becomes one name
    /// for each wireless network.
    ///
    /// # Errors
    /// When a name is unknown or listed twice; the error has the place of the first such name in the file.
    pub fn check_metrics<'a>(&mut self, known: impl Iterator<Item = &'a str> + Clone) -> Result<(), Error> {
        let checked = metric::checked(&self.scenario.metrics, self.scenario.wlans.len(), known).at("run");
        self.scenario.metrics = checked.map_err(|problem| self.template.located(&problem))?;
        Ok(())
    }

    /// Reports these metrics instead of those of the file.
    ///
    /// # Errors
    /// When there are no metrics, or one is not `known` or is listed twice.
    pub fn measuring<'a>(
        mut self,
        metrics: &[String],
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Loaded, Error> {
        let some = if metrics.is_empty() { Err(Problem::new("name at least one, or `all`")) } else { Ok(()) };
        let checked = some.and_then(|()| metric::checked(metrics, self.scenario.wlans.len(), known));
        self.scenario.metrics = checked.map_err(|problem| Error::whole("metrics", problem.to_string()))?;
        Ok(self)
    }

    /// Returns the key of the result of this scenario with this seed and version of the models: the same key everywhere, and another
    /// one when anything that decides a run differs. BLAKE3, in hexadecimal.
    pub fn key(&self, seed: u64, model_version: u32) -> String {
        key(self.digest(), seed, model_version)
    }
}

/// Returns [`Loaded::key`] of the scenario with this [`Loaded::digest`].
pub fn key(digest: &[u8; 32], seed: u64, model_version: u32) -> String {
    hashed(digest, seed, model_version).to_hex().to_string()
}

/// Returns [`key`] as bytes, not in hexadecimal.
pub fn key_bytes(digest: &[u8; 32], seed: u64, model_version: u32) -> [u8; 32] {
    *hashed(digest, seed, model_version).as_bytes()
}

fn hashed(digest: &[u8; 32], seed: u64, model_version: u32) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&model_version.to_le_bytes());
    hasher.update(&seed.to_le_bytes());
    hasher.update(digest);
    hasher.finalize()
}

/// Loads a packaged scenario by its name, or the file at a path.
///
/// # Errors
/// When there is no such scenario, or its file or an override is wrong.
pub fn load(source: &str, overrides: &[Override]) -> Result<Loaded, Error> {
    parse(&text_of(source)?, source, &beside::read(overrides)?)
}

/// Loads the file at `path`, never a packaged scenario.
///
/// # Errors
/// When the file cannot be read, or it or an override is wrong.
pub fn check(path: &str, overrides: &[Override]) -> Result<Loaded, Error> {
    if packaged::text(path).is_some() && !Path::new(path).exists() {
        let message = format!(
            "it is a packaged scenario, and only files are checked: `airfair show {path} > FILE` makes one of it"
        );
        return Err(Error::whole(path, message));
    }
    parse(&read_file(path)?, path, &beside::read(overrides)?)
}

/// Loads a scenario from the text of a file; `file` names it in messages and results.
///
/// # Errors
/// When the text or an override is wrong.
pub fn parse(text: &str, file: &str, overrides: &[Override]) -> Result<Loaded, Error> {
    Template::new(file, text)?.load(overrides)
}

/// Describes the purpose and the parameters of a scenario; `source` as in [`load`].
///
/// # Errors
/// When there is no such scenario, or its file or a declaration in it is wrong.
pub fn describe(source: &str) -> Result<Description, Error> {
    template_of(source)?.describe()
}

/// Describes the settings at these paths of a scenario as if they were parameters; `source` as in [`load`].
///
/// # Errors
/// When there is no such scenario or setting, or a parameter of the scenario has no default.
pub fn describe_settings(source: &str, paths: &[String]) -> Result<Vec<ParameterDescription>, Error> {
    template_of(source)?.describe_settings(paths)
}

/// Returns the paths of all settings of a scenario, which can be set beside its parameters; `source` as in [`load`].
///
/// # Errors
/// When there is no such scenario, or its file is wrong.
pub fn paths(source: &str) -> Result<Vec<String>, Error> {
    Ok(template_of(source)?.paths())
}

fn template_of(source: &str) -> Result<Arc<Template>, Error> {
    Template::new(source, &text_of(source)?)
}

/// Returns the message that no metric has this name; it suggests the nearest one that is `known`.
pub fn unknown_metric<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    metric::unknown(name, known).to_string()
}

/// Returns the JSON Schema of scenario files, for editors.
pub fn json_schema() -> String {
    format!("{:#}", schemars::schema_for!(File).to_value())
}

/// Returns the text of a packaged scenario by its name, or of the file at a path.
///
/// # Errors
/// When there is no such scenario or it cannot be read.
pub fn text_of(source: &str) -> Result<String, Error> {
    if let Some(text) = packaged::text(source) {
        return Ok(text.to_owned());
    }
    if source.is_empty() {
        let message = "a name or the path of a file is needed, and this one is empty";
        return Err(Error::whole("scenario", message));
    }
    let path = Path::new(source);
    if path.is_dir() {
        let message =
            "it is a directory; a scenario is a file that ends in .toml, or a name of `airfair scenarios`";
        return Err(Error::whole(source, message));
    }
    if path.extension().is_some_and(|extension| extension == "toml") || path.is_file() {
        return read_file(source);
    }
    Err(Error::whole(source, format!("unknown scenario; {}", meant_scenario(source))))
}

/// Returns a hint at the scenario or the file that is probably meant by a name that no scenario has.
fn meant_scenario(name: &str) -> String {
    let file = format!("{name}.toml");
    if Path::new(&file).is_file() {
        return format!("did you mean the file `{file}`?");
    }
    // People may write `home` for `wifi/home`.
    let mut meant: Vec<&str> =
        packaged::names().filter(|known| known.ends_with(&format!("/{name}"))).collect();
    if meant.is_empty() {
        meant.extend(nearest(name, packaged::names()));
    }
    if meant.is_empty() {
        "`airfair scenarios` lists them, and the path of a file ends in `.toml`".to_owned()
    } else {
        format!("did you mean `{}`?", meant.join("` or `"))
    }
}

/// Reads a scenario file, and the files that it names.
fn read_file(path: &str) -> Result<String, Error> {
    let text = contents_of(Path::new(path)).map_err(|reason| Error::whole(path, reason))?;
    beside::inlined(text, path)
}

/// Reads a file; the error is the reason why that failed.
fn contents_of(path: &Path) -> Result<String, String> {
    let cannot = |error: std::io::Error| {
        let told = error.to_string();
        let words = told.split_once(" (os error").map_or(told.as_str(), |(words, _)| words);
        format!("it cannot be read: {words}")
    };
    if path.is_dir() {
        return Err("it is a directory, and a file is needed".to_owned());
    }
    // A pipe or a device might never end.
    if path.exists() && !path.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .map_err(cannot)?
        .take(LONGEST_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(format!("it is longer than {LONGEST_FILE} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}
