//! JSON for people, with indentation.

use pyo3::prelude::*;

/// Lay out a JSON text without spaces as Python's `json.dumps(..., indent=2)` does; `depth` is the depth of the text in a
/// document. Python's own layout is written in Python, which is slow.
#[pyfunction]
#[pyo3(signature = (text, depth=0))]
pub fn indented(text: &str, mut depth: usize) -> String {
    let mut laid_out = String::with_capacity(2 * text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '[', ']', '{', '}', ',', ':']) {
        let mark = &rest[at..=at];
        laid_out += &rest[..at];
        rest = &rest[at + 1..];
        match mark {
            "\"" => {
                laid_out += mark;
                let end = end_of_string(rest);
                laid_out += &rest[..end];
                rest = &rest[end..];
            }
            "[" | "{" => {
                laid_out += mark;
                if !rest.starts_with([']', '}']) {
                    depth += 1;
                    new_line(&mut laid_out, depth);
                }
            }
            "]" | "}" => {
                if !laid_out.ends_with(['[', '{']) {
                    depth -= 1;
                    new_line(&mut laid_out, depth);
                }
                laid_out += mark;
            }
            "," => {
                laid_out += mark;
                new_line(&mut laid_out, depth);
            }
            _ => laid_out += ": ",
        }
    }
    laid_out + rest
}

/// Returns the length of the rest of a string, up to and with its closing quotation mark.
fn end_of_string(rest: &str) -> usize {
    let mut escaped = false;
    let closes = |byte: &u8| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    };
    rest.as_bytes().iter().position(closes).map_or(rest.len(), |at| at + 1)
}

fn new_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}
