//! The declaration of a parameter.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::value::Scalar;

/// What a parameter measures, and what it may be. Values here are literal: no expressions.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// `bit/s`, `s`, `byte`, `fraction`, `count`, `packet`, `segment` or `number`; none for words and flags.
    pub unit: Option<String>,
    /// Its value unless set otherwise. Without a default it must be set, unless `optional`.
    pub default: Option<Scalar>,
    /// The least value allowed.
    pub min: Option<Scalar>,
    /// The largest value allowed.
    pub max: Option<Scalar>,
    /// The only values allowed.
    pub choices: Option<Vec<Scalar>>,
    /// Words allowed in place of a number.
    pub words: Option<Vec<String>>,
    /// The value must be a multiple of this.
    pub multiple_of: Option<Scalar>,
    /// It may be left unset: then it is `none` in expressions, and a key set to it is as if not there.
    pub optional: Option<bool>,
    /// One sentence on what it does.
    pub help: Option<String>,
}
