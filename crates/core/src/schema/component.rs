//! Reading all settings of a component without knowing its type.

use super::value::Value;

/// A component whose settings can be enumerated, as for the keys of results.
pub trait Component {
    /// Passes the settings that identify the component, and every part, to `visitor`, under the keys that the component
    /// declares.
    fn visit(&self, visitor: &mut dyn Visitor);
}

/// Receives the settings of a [`Component`].
pub trait Visitor {
    /// Receives a setting.
    fn setting(&mut self, key: &'static str, value: Value);

    /// Receives a part, which has settings of its own.
    fn part(&mut self, key: &'static str, part: &dyn Component);
}
