//! Reading all settings of a component without knowing its type.

use super::value::Value;

/// A component whose settings can be enumerated: the keys of results are made from them.
pub trait Component {
    /// Gives the settings that identify the component, and every part, to `visitor`, under the keys that it declares.
    fn visit(&self, visitor: &mut dyn Visitor);
}

/// Receives the settings of a [`Component`].
pub trait Visitor {
    /// A setting.
    fn setting(&mut self, key: &'static str, value: Value);

    /// A part with settings of its own.
    fn part(&mut self, key: &'static str, part: &dyn Component);
}
