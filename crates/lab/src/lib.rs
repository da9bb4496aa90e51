//! From a scenario to its metrics: load, run, measure, summarise over seeds.

mod capture;
mod counted;
mod devices;
mod experiment;
mod flent;
mod grade;
mod measure;
mod methods;
mod metric;
mod outcome;
pub mod readable;
mod records;
mod sample;
mod share;
mod stored;
mod summary;
pub mod theme;
mod timeline;
mod window;
mod world;

pub use airfair_sim::{Engine, Quantity, Side};
pub use capture::Capture;
pub use counted::{Counted, counters};
pub use experiment::{Experiment, MOST_SAMPLES, NoOutcome, Running, parse_traces};
pub use flent::Test as FlentTest;
pub use grade::{RULES, Rule};
pub use methods::methods;
pub use metric::{Bounds, Description, Metric, Stage, listed_or_not, metric, metrics, unlisted};
pub use outcome::{
    AirRecord, DeviceRecord, FlowRecord, LinkRecord, MetricValue, Outcome, SeriesRecord, SessionRecord,
    StationRecord,
};
pub use sample::{MOST_COORDINATES, latin_hypercube};
pub use share::{ALONE_DURATION, ALONE_SEEDS, ALONE_WARMUP, Alone};
pub use stored::{MARK, Origin, append, packed};
pub use summary::summary;
pub use timeline::{
    AirPanel, AirRow, Backlog, Bar, Crowd, Exchanges, FlowFacts, FlowWindow, Heading, Lane, Picture,
    QueuePanel, SessionRow, Shown, TIMELINE_TRACES, Tables, Timeline, Told, Way, timeline,
};
pub use window::window;
pub use world::{Watched, World};

/// Version of this engine.
pub const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Version of the models. It is raised whenever the same scenario and seed give other results than before; results that were
/// kept under an older version are then computed again. The golden outputs in this crate's tests detect such changes.
pub const MODEL_VERSION: u32 = 26;
