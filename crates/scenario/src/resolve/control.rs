//! The parameters of a flow's congestion control, as the control states them.

use airfair_core::schema::{Kind, Refused, Value};
use airfair_tcp::congestion::{CONTROLS, Control, Description};

use crate::resolve::part::Part;

impl Part for Control {
    fn name(&self) -> &'static str {
        self.name()
    }

    fn parameters(&self) -> Vec<(&'static str, Kind)> {
        self.parameters().iter().map(|parameter| (parameter.name, parameter.kind)).collect()
    }

    fn set(&mut self, values: &[(&str, Value)]) -> Result<(), Refused> {
        self.set(values)
    }

    fn owners(parameter: &str) -> Vec<&'static str> {
        let has = |control: &&Description| control.parameter(parameter).is_some();
        CONTROLS.iter().filter(has).map(|control| control.name()).collect()
    }
}
