//! The key of a result knows all that decides it: every leaf of a scenario file is moved by its smallest step.

mod leaf;
mod schema;
mod spelling;
mod step;

use airfair_scenario::resolved::Scenario;
use airfair_scenario::{Loaded, parse};
use leaf::Leaf;
use schema::{Place, Schema};
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

const FILE: &str = "keys.toml";
/// More words of one place are not tried.
const WORDS: usize = 5;

/// Places of the format that decide no result, each with the reason. A file without them has the same key.
const PRESENTATION: [(&str, &str); 6] = [
    ("File.title", "is shown in lists"),
    ("File.description", "is shown by `describe`"),
    ("Declaration.help", "is shown by `describe`"),
    ("Declaration.min", "refuses values; one that is allowed decides the same"),
    ("Declaration.max", "refuses values"),
    ("Declaration.multiple_of", "refuses values"),
];

/// Places that no step moves by itself.
const NOT_ALONE: [(&str, &str); 7] = [
    ("Run.metrics", "selects what is reported of a run"),
    ("FlowGroup.traffic", "greedy flows have no sessions: `session_bytes` and `period` come and go with it"),
    ("Declaration.sets", "another name for a setting decides nothing by itself"),
    ("Declaration.choices", "one that is taken away was not the one in use"),
    ("Declaration.words", "one that is taken away was not the one in use"),
    ("Declaration.unit", "a default has to be written in it"),
    ("Declaration.optional", "what may be left unset is used so"),
];

/// Facts about all scenarios before their leaves are moved.
#[derive(Debug)]
pub struct Keys {
    schema: Schema,
    /// The words written at a place of the format: to move a word is to write another one.
    words: BTreeMap<String, BTreeSet<String>>,
}

impl Keys {
    /// With the words that these scenarios have.
    pub fn new(texts: &[String]) -> Keys {
        let mut keys = Keys { schema: Schema::read(), words: BTreeMap::new() };
        for leaf in texts.iter().flat_map(|text| leaf::all(&table(text))) {
            if let Value::String(word) = leaf.value {
                keys.words.entry(keys.schema.place(&leaf.path).name).or_default().insert(word);
            }
        }
        keys
    }

    /// Moves each leaf of a valid scenario: its key changes where, and only where, another scenario is resolved. Gives the places
    /// of the format at which it does.
    ///
    /// # Errors
    /// A leaf for which that does not hold, or something that is said to be for presentation alone and is not.
    ///
    /// # Panics
    /// When the scenario is not valid.
    pub fn check(&self, text: &str) -> Result<BTreeSet<String>, String> {
        let whole = parse(text, FILE, &[]).expect("the scenario is valid");
        let file = self.bare(&table(text));
        let at_rest = parse(&file.to_string(), FILE, &[]).map_err(|error| format!("bare: {error}"))?;
        if at_rest.scenario != whole.scenario || at_rest.key(1, 1) != whole.key(1, 1) {
            return Err("what is said to be for presentation alone decides results".to_owned());
        }
        spelling::check(&file, &at_rest)?;
        let mut moved = BTreeSet::new();
        for leaf in leaf::all(&file) {
            let place = self.schema.place(&leaf.path);
            if self.moves(&file, &at_rest, &leaf, &place)? {
                moved.insert(place.name);
            }
        }
        Ok(moved)
    }

    /// A file without the leaves for presentation.
    fn bare(&self, file: &Table) -> Table {
        let shown = |leaf: &Leaf| {
            let place = self.schema.place(&leaf.path).name;
            PRESENTATION.iter().any(|(name, _)| *name == place)
        };
        // The last ones first: elements of a list move up.
        let leaves = leaf::all(file).into_iter().rev().filter(shown);
        leaves.fold(file.clone(), |rest, leaf| leaf.replaced(&rest, None))
    }

    /// Whether a leaf decides something; of its steps, the first that does has to change the key.
    fn moves(&self, file: &Table, at_rest: &Loaded, leaf: &Leaf, place: &Place) -> Result<bool, String> {
        let words: Vec<String> = match place.kind {
            "NameKind" => leaf::all(file).into_iter().filter_map(|other| self.name(other)).collect(),
            _ => self.words.get(&place.name).into_iter().flatten().cloned().collect(),
        };
        let words = words.into_iter().filter(|word| leaf.value.as_str() != Some(word)).take(WORDS);
        for step in step::all(leaf, place, words) {
            let Ok(moved) = parse(&step.applied(file, leaf).to_string(), FILE, &[]) else { continue };
            let decides = run(&moved) != run(at_rest);
            let known = moved.key(1, 1) != at_rest.key(1, 1);
            match (decides, known) {
                (true, true) => return Ok(true),
                (false, false) => {}
                (true, false) => return Err(format!("the key does not know that {leaf} became {step}")),
                (false, true) => {
                    return Err(format!("the key changes when {leaf} becomes {step}, which is the same"));
                }
            }
        }
        Ok(false)
    }

    /// The thing that a leaf names.
    fn name(&self, leaf: Leaf) -> Option<String> {
        match (self.schema.place(&leaf.path).kind, leaf.value) {
            ("NameKind", Value::String(name)) => Some(name),
            _ => None,
        }
    }

    /// Places of the format that are not among those `moved`, and for which no reason is given.
    pub fn unmoved(&self, moved: &BTreeSet<String>) -> Vec<String> {
        let explained = |place: &String| PRESENTATION.iter().chain(&NOT_ALONE).any(|(name, _)| name == place);
        let places = self.schema.leaves().into_iter();
        places.filter(|place| !moved.contains(place) && !explained(place)).collect()
    }
}

/// All that a scenario says of its run. The metrics that are reported of it decide nothing: a stored result has them all.
fn run(loaded: &Loaded) -> Scenario {
    Scenario { metrics: Vec::new(), ..loaded.scenario.clone() }
}

fn table(text: &str) -> Table {
    text.parse().expect("the scenario is TOML")
}
