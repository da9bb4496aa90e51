//! Speech on its way.

use airfair_core::{Rate, Span, words};

use super::Transport;

words! {
    /// How speech is coded, and what becomes of frames that are lost.
    pub enum VoiceCodec {
        /// ITU-T G.711 with the packet loss concealment of its Appendix I.
        G711 = "g711",
        /// G.711 without concealment.
        G711Plain = "g711-plain",
    }
}

/// Bytes of the headers of RTP (RFC 3550, section 5.1), UDP and IPv4.
const HEADER_BYTES: u32 = 12 + 8 + 20;

impl VoiceCodec {
    /// Bytes of a frame. G.711 has 64 kb/s (RFC 3551, section 4.5.14).
    pub const fn frame_bytes(self) -> u32 {
        match self {
            VoiceCodec::G711 | VoiceCodec::G711Plain => 160,
        }
    }

    /// Speech in a frame: the default of RFC 3551, section 4.2, Table 1.
    pub const fn frame(self) -> Span {
        match self {
            VoiceCodec::G711 | VoiceCodec::G711Plain => Span::from_millis(20),
        }
    }

    /// Equipment impairment factor Ie and packet-loss robustness factor Bpl of ITU-T G.113, Appendix I.
    pub const fn impairment_and_robustness(self) -> (f64, f64) {
        match self {
            VoiceCodec::G711 => (0.0, 25.1),
            VoiceCodec::G711Plain => (0.0, 4.3),
        }
    }

    /// One datagram for each frame.
    pub(crate) fn transport(self) -> Transport {
        let bits = u64::from(self.frame_bytes()) * 8 * 1_000_000_000;
        Transport::Udp {
            datagram_bytes: self.frame_bytes(),
            header_bytes: HEADER_BYTES,
            ect1: false,
            rate: Rate::new(bits / self.frame().0).expect("a codec has a rate"),
        }
    }
}
