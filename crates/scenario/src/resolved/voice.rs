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
        /// Opus (RFC 6716) in its wideband mode, at a constant rate, with concealment and without forward error correction.
        Opus = "opus",
    }
}

/// Bytes of the headers of RTP (RFC 3550, section 5.1), UDP and IPv4.
const HEADER_BYTES: u32 = 12 + 8 + 20;

impl VoiceCodec {
    /// Returns the bytes of a frame. G.711 has 64 kb/s (RFC 3551, section 4.5.14), Opus here 16 kb/s, the least that RFC 7587, section
    /// 3.1.1, recommends for wideband speech.
    pub const fn frame_bytes(self) -> u32 {
        match self {
            VoiceCodec::G711 | VoiceCodec::G711Plain => 160,
            VoiceCodec::Opus => 40,
        }
    }

    /// Returns the duration of the speech in a frame: the default of RFC 3551, section 4.2, Table 1, and of RFC 7587, section 6.1.
    pub const fn frame(self) -> Span {
        Span::from_millis(20)
    }

    /// Returns how much of the speech after a frame the coder must hear before it codes the frame. libopus reports 312 samples at 48 kHz
    /// (`OPUS_GET_LOOKAHEAD`).
    pub const fn look_ahead(self) -> Span {
        match self {
            VoiceCodec::G711 | VoiceCodec::G711Plain => Span::ZERO,
            VoiceCodec::Opus => Span::from_micros(6500),
        }
    }

    /// Whether the codec carries 50 to 7000 Hz and is rated by ITU-T G.107.1, in place of 300 to 3400 Hz and G.107.
    pub const fn is_wideband(self) -> bool {
        matches!(self, VoiceCodec::Opus)
    }

    /// Returns the equipment impairment factor Ie (of a wideband codec Ie,WB) and the packet-loss robustness factor Bpl.
    ///
    /// The values of G.711 are in ITU-T G.113, Appendix I, which has none for Opus. Alahmadi, Pocta & Melvin, "An adaptive bitrate switching
    /// algorithm for speech applications in context of WebRTC", ACM TOMM 17(4), 2021, derive values for libopus. The ones here are those of
    /// a constant 15 kb/s, the nearest rate at which they find Opus in its wideband mode, and of losses at random (18.06 and 18.74), rounded
    /// as in G.113.
    pub const fn impairment_and_robustness(self) -> (f64, f64) {
        match self {
            VoiceCodec::G711 => (0.0, 25.1),
            VoiceCodec::G711Plain => (0.0, 4.3),
            VoiceCodec::Opus => (18.1, 18.7),
        }
    }

    /// Returns the transport that sends one datagram for each frame, with ECT(1) if `ect1`.
    pub(crate) fn transport(self, ect1: bool) -> Transport {
        let bits = u64::from(self.frame_bytes()) * 8 * 1_000_000_000;
        Transport::Udp {
            datagram_bytes: self.frame_bytes(),
            header_bytes: HEADER_BYTES,
            ect1,
            rate: Rate::new(bits / self.frame().0).expect("a codec has a rate"),
        }
    }
}
