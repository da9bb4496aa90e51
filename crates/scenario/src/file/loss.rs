//! Random loss. Links and the air share the keys of the loss models; they differ in where and in which direction packets are lost.

use airfair_core::schema::{Kind, Range, Settings as _};
use airfair_core::{LossUnit, Span, settings, words};
use airfair_net::LossPosition;
use airfair_wifi::{FrameLossDirection, FrameLossPosition, LossyFrames};

use crate::file::Directions;
use crate::file::declared::table;
use crate::value::WordValue;

words! {
    /// A model of random loss.
    pub enum Model {
        /// Nothing is lost.
        None = "none",
        /// Each packet is lost with one probability, independently of all others.
        Bernoulli = "bernoulli",
        /// Each bit is in error with one probability; a packet is lost with one or more.
        PerBit = "per-bit",
        /// Losses come in bursts: a good and a bad state follow each other.
        GilbertElliott = "gilbert-elliott",
    }
}

settings! {
    /// The keys of a loss model, wherever it is used.
    #[derive(Clone, Copy, Debug)]
    pub struct ModelKeys[usual] {
        /// `bernoulli`: probability that a packet is lost; `per-bit`: that a bit is in error, so that a packet
        /// is lost with 1 - (1 - p)^(8 x its bytes on the wire).
        "probability" probability: Option<f64>, Kind::Fraction, [None];
        /// `gilbert-elliott`: probability of loss in the good state, 0 unless it is set.
        "good" good: Option<f64>, Kind::Fraction, [None];
        /// `gilbert-elliott`: probability of loss in the bad state.
        "bad" bad: Option<f64>, Kind::Fraction, [None];
        /// `gilbert-elliott`: mean time in the good state, which comes first (exponential).
        "mean_good" mean_good: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// `gilbert-elliott`: mean time in the bad state (exponential).
        "mean_bad" mean_bad: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// `gilbert-elliott`: the unit of `good` and `bad`.
        "of" of: LossUnit, Kind::Word(LossUnit::WORDS), [LossUnit::Packet];
    }
}

settings! {
    /// Where a link loses packets.
    #[derive(Clone, Copy, Debug)]
    pub struct LinkLossKeys[usual] {
        /// `before-queue`: a packet is lost on arrival, and takes neither room nor time; `after-queue`: it is lost when it has been
        /// transmitted.
        "position" position: LossPosition, Kind::Word(LossPosition::WORDS), [LossPosition::BeforeQueue];
    }
}

settings! {
    /// Which frames are lost on the air, and where.
    #[derive(Clone, Copy, Debug)]
    pub struct FrameLossKeys[usual] {
        /// `mac`: nobody answers a lost frame, and the MAC tries again up to its retry limit; `above-mac`: the MAC has acknowledged
        /// it, it is lost on its way up, and TCP has to notice.
        "position" position: FrameLossPosition, Kind::Word(FrameLossPosition::WORDS), [FrameLossPosition::Mac];
        /// `all`: RTS, CTS and ACK frames as well, each by itself, as in ns-2's error model of an interface (`mac` alone).
        "frames" frames: LossyFrames, Kind::Word(LossyFrames::WORDS), [LossyFrames::Data];
        /// `both`: frames to and from the station; `to`: those it receives (ns-2's `IncomingErrProc`).
        "direction" direction: FrameLossDirection, Kind::Word(FrameLossDirection::WORDS), [FrameLossDirection::Both];
    }
}

table! {
    /// Packets lost at random on a link. Each link of a group has its own.
    pub struct LinkLoss [ModelKeys::TABLE, LinkLossKeys::TABLE] {
        /// Which packets are lost.
        model: WordValue where words Model::WORDS,
        /// Directions that lose packets; both unless it is set.
        direction: Option<WordValue> where words Directions::WORDS,
    }
}

table! {
    /// Frames lost at random on the air, without a collision.
    pub struct FrameLoss [ModelKeys::TABLE, FrameLossKeys::TABLE] {
        /// Which frames are lost.
        model: WordValue where words Model::WORDS,
    }
}
