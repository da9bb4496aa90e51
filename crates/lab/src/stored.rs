//! The form in which outcomes are stored.

use crate::MODEL_VERSION;
use crate::outcome::Outcome;
use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::io;

/// Compression level of stored outcomes. Level 2 takes 60 % of the time of level 6, and 10 to 13 % more space. Level 1 would take
/// half of the time of level 2, and a quarter more space.
const LEVEL: Compression = Compression::new(2);

/// When and where an outcome was computed. This is not part of the outcome.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Origin<'a> {
    /// Wall time of the run in seconds.
    pub seconds: f64,
    /// Name of the computer.
    pub host: &'a str,
    /// The time at which the run ended, in ISO 8601 (UTC).
    pub finished: &'a str,
}

/// The first line of a stored outcome, which describes it.
#[derive(Serialize)]
struct Facts<'a> {
    key: &'a str,
    model_version: u32,
    origin: Origin<'a>,
    sha256: String,
}

/// Returns an outcome as it is stored, and its size before compression in bytes. The form is two compressed lines of JSON: the
/// first describes the outcome, the second is the outcome.
///
/// # Errors
/// When memory runs out.
pub fn packed(outcome: &Outcome, key: &str, origin: Origin<'_>) -> io::Result<(Vec<u8>, usize)> {
    let second = serde_json::to_vec(outcome)?;
    let digits =
        |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]));
    let sha256 = Sha256::digest(&second).iter().flat_map(digits).collect();
    let mut text = serde_json::to_vec(&Facts { key, model_version: MODEL_VERSION, origin, sha256 })?;
    text.push(b'\n');
    text.extend(second);
    text.push(b'\n');
    Ok((compressed(&text)?, text.len()))
}

/// The first bytes of each header in a segment.
pub const MARK: &[u8; 8] = b"\x89airfair";

/// Appends an outcome that is packed under this key to a segment, behind a header: [`MARK`], the key, the length of `packed`, and
/// the CRC-32 of these.
pub fn append(segment: &mut Vec<u8>, key: &[u8; 32], packed: &[u8]) {
    let start = segment.len();
    segment.extend_from_slice(MARK);
    segment.extend_from_slice(key);
    segment.extend_from_slice(&(packed.len() as u64).to_le_bytes());
    let mut checksum = Crc::new();
    checksum.update(&segment[start..]);
    segment.extend_from_slice(&checksum.sum().to_le_bytes());
    segment.extend_from_slice(packed);
}

thread_local! {
    /// The compressor, which is kept because its tables are large: for a short text, to make them takes longer than to compress.
    static GZIP: RefCell<Compress> = RefCell::new(Compress::new_gzip(LEVEL, 15));
}

fn compressed(text: &[u8]) -> io::Result<Vec<u8>> {
    GZIP.with_borrow_mut(|gzip| {
        gzip.reset();
        let mut packed = Vec::with_capacity(text.len() / 4 + 64);
        loop {
            let read = gzip.total_in() as usize;
            if gzip.compress_vec(&text[read..], &mut packed, FlushCompress::Finish)? == Status::StreamEnd {
                return Ok(packed);
            }
            packed.reserve(packed.capacity());
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;
    use airfair_scenario::Override;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn a_text_that_does_not_get_shorter_comes_back_each_time() {
        let noise: Vec<u8> =
            (0..100_000_u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u8).collect();
        for text in [&noise[..], &[], &noise[..7]] {
            let mut read = Vec::new();
            GzDecoder::new(&compressed(text).unwrap()[..]).read_to_end(&mut read).unwrap();
            assert!(read == text);
        }
    }

    #[test]
    fn an_outcome_comes_back() {
        let short = Override { name: "duration".into(), value: "10 s".into() };
        let outcome = Experiment::load("jung/mixed", &[short]).unwrap().run(1, &[]);
        let origin =
            Origin { seconds: 0.5, host: "here \"there\"", finished: "2026-01-01T00:00:00.000+00:00" };
        let (bytes, size) = packed(&outcome, "ab", origin).unwrap();
        let mut text = String::new();
        GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text.len(), size);
        let [first, second] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        assert_eq!(second, serde_json::to_string(&outcome).unwrap());
        let facts: serde_json::Value = serde_json::from_str(first).unwrap();
        assert_eq!(facts["key"], "ab");
        assert_eq!(facts["model_version"], MODEL_VERSION);
        assert_eq!(facts["origin"]["host"], "here \"there\"");
        assert_eq!(facts["sha256"].as_str().unwrap().len(), 64);
    }
}
