//! Random loss: the same words for links and for the air, beside where and in which direction each of them loses.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::value::{FractionValue, TimeValue, WordValue};

/// The keys of a loss model, wherever it is used.
#[derive(Clone, Copy)]
pub struct ModelKeys<'a> {
    pub model: &'a WordValue,
    pub probability: &'a Option<FractionValue>,
    pub good: &'a Option<FractionValue>,
    pub bad: &'a Option<FractionValue>,
    pub mean_good: &'a Option<TimeValue>,
    pub mean_bad: &'a Option<TimeValue>,
    pub of: &'a Option<WordValue>,
}

/// Declares a table with the keys of a loss model and its own.
macro_rules! loss_table {
    ($(#[$meta:meta])* $name:ident { $($(#[$own_meta:meta])* $own:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// `none`, `bernoulli`, `per-bit` or `gilbert-elliott`.
            pub model: WordValue,
            /// `bernoulli`: probability that a packet is lost; `per-bit`: that a bit is in error, so that a packet
            /// is lost with 1 - (1 - p)^(8 x its bytes on the wire).
            pub probability: Option<FractionValue>,
            /// `gilbert-elliott`: probability of loss in the good state (0).
            pub good: Option<FractionValue>,
            /// `gilbert-elliott`: probability of loss in the bad state.
            pub bad: Option<FractionValue>,
            /// `gilbert-elliott`: mean time in the good state, which comes first (exponential).
            pub mean_good: Option<TimeValue>,
            /// `gilbert-elliott`: mean time in the bad state (exponential).
            pub mean_bad: Option<TimeValue>,
            /// `gilbert-elliott`: the unit of `good` and `bad`, a `packet` (the default) or a `bit`.
            pub of: Option<WordValue>,
            $($(#[$own_meta])* pub $own: Option<WordValue>,)*
        }

        impl $name {
            /// The keys of its model.
            pub fn model(&self) -> ModelKeys<'_> {
                let $name { model, probability, good, bad, mean_good, mean_bad, of, .. } = self;
                ModelKeys { model, probability, good, bad, mean_good, mean_bad, of }
            }
        }
    };
}

loss_table! {
    /// Packets lost at random on a link. Each link of a group has its own.
    LinkLoss {
        /// `before-queue` (the default): a packet is lost on arrival, and takes neither room nor time; `after-queue`: it is lost
        /// when it has been transmitted.
        position,
        /// `both` (the default), `forward` (from `from` to `to`) or `backward`.
        direction,
    }
}

loss_table! {
    /// Frames lost at random on the air, without a collision.
    FrameLoss {
        /// `mac` (the default): nobody answers a lost frame, and the MAC tries again up to its retry limit; `above-mac`: the MAC has
        /// acknowledged it, it is lost on its way up, and TCP has to notice.
        position,
        /// `data` (the default), or `all`: RTS, CTS and ACK frames as well, each by itself, as in ns-2's error model of an interface
        /// (`mac` alone).
        frames,
        /// `both` (the default): frames to and from the station; `to`: those it receives (ns-2's `IncomingErrProc`).
        direction,
    }
}
