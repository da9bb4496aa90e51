//! The Python extension module `airfair._engine`: thin over `airfair-lab`.
//!
//! Strings are passed on unread, and JSON or Arrow comes out; the crates below validate. `_engine.pyi` beside the Python
//! package states the interface.

mod axes;
mod batch;
mod checks;
mod control;
mod definitions;
mod errors;
mod indent;
mod kept;
mod keys;
mod listing;
mod outcome;
mod packetdrill;
mod panics;
mod parameters;
mod parquet_writer;
mod picture;
mod places;
mod readable;
mod rows;
mod scenario;
mod seed;
mod statistics;
mod stop_flag;
mod table;
mod tables;
mod template;
mod world;
mod worlds;

use mimalloc::MiMalloc;
use pyo3::prelude::*;

/// To load a scenario and to pack an outcome takes many allocations: the system's allocator would take a third of the time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The engine of AirFair, compiled. Use it through `airfair`.
#[pymodule]
mod _engine {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::axes::{Axis, axis_values_json, latin_hypercube, points_json, scenario_text, share};
    #[pymodule_export]
    use crate::batch::{Computed, Results, compute};
    #[pymodule_export]
    use crate::checks::{Checks, check_all};
    #[pymodule_export]
    use crate::control::{Ack, Loss, Window};
    #[pymodule_export]
    use crate::definitions::{
        agi, congestion_epoch, eee, friendly_alpha, gaimd_throughput, jain, nagi, overhead,
        predicted_time_to_fairness, uar, window_share,
    };
    #[pymodule_export]
    use crate::errors::{ControlError, EngineError, InputError, LimitError};
    #[pymodule_export]
    use crate::indent::indented;
    #[pymodule_export]
    use crate::kept::Kept;
    #[pymodule_export]
    use crate::keys::{key, keys};
    #[pymodule_export]
    use crate::listing::{
        counters_json, describe_json, describe_metric_json, grades_json, methods_json, metrics_json, nearest,
        not_modelled, packaged_json, paths, quantity, schema_json, within_range,
    };
    #[pymodule_export]
    use crate::outcome::Outcome;
    #[pymodule_export]
    use crate::packetdrill::packetdrill;
    #[pymodule_export]
    use crate::parquet_writer::ParquetWriter;
    #[pymodule_export]
    use crate::picture::Picture;
    #[pymodule_export]
    use crate::places::{Keys, Places, framed};
    #[pymodule_export]
    use crate::readable::{interval, left_out, number, plural, readable_quantity, scale};
    #[pymodule_export]
    use crate::rows::{Ready, Rows, table_of};
    #[pymodule_export]
    use crate::scenario::{Scenario, alone, check, description_json, shared_rates};
    #[pymodule_export]
    use crate::statistics::{mean_ci95, paired_difference};
    #[pymodule_export]
    use crate::stop_flag::StopFlag;
    #[pymodule_export]
    use crate::table::{Table, table_of_ipc};
    #[pymodule_export]
    use crate::template::Template;
    #[pymodule_export]
    use crate::world::World;
    #[pymodule_export]
    use crate::worlds::Worlds;

    /// Adds the colours and the font of figures.
    fn theme(module: &Bound<'_, PyModule>) -> PyResult<()> {
        use airfair_lab::theme::{AREA, EMPTY, FONT, GREYS, GRID, INK, PALETTE, PAPER, QUIET, shades};
        use airfair_scenario::resolved::Direction;
        module.add("PALETTE", pyo3::types::PyTuple::new(module.py(), PALETTE)?)?;
        module.add("GREYS", pyo3::types::PyTuple::new(module.py(), GREYS)?)?;
        let shades = Direction::ALL.map(shades);
        module.add("SHADES", pyo3::types::PyTuple::new(module.py(), shades)?)?;
        let words = [
            ("PAPER", PAPER),
            ("INK", INK),
            ("QUIET", QUIET),
            ("GRID", GRID),
            ("EMPTY", EMPTY),
            ("AREA", AREA),
            ("FONT", FONT),
        ];
        words.into_iter().try_for_each(|(name, word)| module.add(name, word))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::panics::keep_reasons();
        module.add("__version__", airfair_lab::ENGINE_VERSION)?;
        module.add("MODEL_VERSION", airfair_lab::MODEL_VERSION)?;
        module.add("ALONE_WARMUP", airfair_lab::ALONE_WARMUP.as_secs())?;
        module.add("ALONE_DURATION", airfair_lab::ALONE_DURATION.as_secs())?;
        module.add("ALONE_SEEDS", airfair_lab::ALONE_SEEDS.collect::<Vec<u64>>())?;
        module.add("SEGMENT_MARK", pyo3::types::PyBytes::new(module.py(), airfair_lab::MARK))?;
        module.add("MOST_VALUES", airfair_scenario::MOST_VALUES)?;
        module.add("ENGINES", airfair_lab::Engine::WORDS.to_vec())?;
        module.add("COUNTED_THINGS", airfair_lab::readable::THINGS)?;
        module.add("WRITTEN_UNITS", airfair_scenario::written_units().collect::<Vec<_>>())?;
        theme(module)?;
        module.add("TRACES", airfair_lab::Quantity::WORDS.to_vec())?;
        module.add("TIMELINE_TRACES", airfair_lab::TIMELINE_TRACES.map(|quantity| quantity.word()))
    }
}
