//! SVG elements.

use crate::readable::{general, without_zeros};
use crate::theme::{FONT, INK, PAPER};
use std::fmt::Write;

/// Average width of a character as a share of the font's size, to keep texts apart.
const CHARACTER: f64 = 0.5;

/// The value of an attribute.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    Number(f64),
    Word(&'a str),
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(word: &'a str) -> Self {
        Value::Word(word)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(word: &'a String) -> Self {
        Value::Word(word)
    }
}

/// Names and values of attributes, in order.
pub type Attributes<'a> = [(&'a str, Value<'a>)];

/// Makes a list of attributes: `attributes!["x": 1.0, "fill": INK]`.
macro_rules! attributes {
    ($($name:literal: $value:expr),* $(,)?) => { &[$(($name, $crate::timeline::draw::svg::Value::from($value))),*][..] };
}
pub(crate) use attributes;

/// Attributes of text over lines: an outline in the background's colour.
pub const HALO: &Attributes<'static> = &[
    ("paint-order", Value::Word("stroke")),
    ("stroke", Value::Word(PAPER)),
    ("stroke-width", Value::Number(3.5)),
    ("stroke-linejoin", Value::Word("round")),
];

/// Escapes text for XML. Characters that act without being visible are written out.
pub fn escape(words: &str) -> String {
    let mut escaped = String::with_capacity(words.len());
    for character in words.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#x27;",
            _ if acts_unseen(character) => {
                let code = character as u32;
                let _ = match code {
                    0..=0xff => write!(escaped, "\\x{code:02x}"),
                    0x100..=0xffff => write!(escaped, "\\u{code:04x}"),
                    _ => write!(escaped, "\\U{code:08x}"),
                };
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Whether a character acts without being visible: controls except line feed and tab, line separators, controls of direction
/// (Unicode Standard Annex 9) and noncharacters. XML 1.0 (Section 2.2) forbids most of them, and drawing libraries abort on them.
fn acts_unseen(character: char) -> bool {
    let code = character as u32;
    matches!(
        character,
        '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fdd0}'..='\u{fdef}'
    ) || code & 0xfffe == 0xfffe
}

/// Writes a number with at most two digits behind the point.
fn short(number: f64) -> String {
    without_zeros(&format!("{number:.2}")).to_owned()
}

fn written(lists: &[&Attributes<'_>]) -> String {
    let mut text = String::new();
    for (name, value) in lists.iter().copied().flatten() {
        let _ = match value {
            Value::Number(number) => write!(text, " {name}=\"{}\"", short(*number)),
            Value::Word(word) => write!(text, " {name}=\"{}\"", escape(word)),
        };
    }
    text
}

/// Draws an element; `tip` shows when the pointer rests on it.
pub fn element(tag: &str, lists: &[&Attributes<'_>], tip: &str) -> String {
    let attributes = written(lists);
    if tip.is_empty() {
        format!("<{tag}{attributes}/>")
    } else {
        format!("<{tag}{attributes}><title>{}</title></{tag}>", escape(tip))
    }
}

/// Draws one line of text with its baseline at `y`.
pub fn text(x: f64, y: f64, words: &str, size: f64, fill: &str, more: &[&Attributes<'_>]) -> String {
    let own = attributes!["x": x, "y": y, "font-size": size, "fill": fill];
    format!("<text{}{}>{}</text>", written(&[own]), written(more), escape(words))
}

/// A part of a line of text in one style.
pub type Span<'a> = (&'a str, &'a Attributes<'a>);

/// Draws one line of text in several styles.
pub fn spans(x: f64, y: f64, parts: &[Span<'_>], size: f64, more: &[&Attributes<'_>]) -> String {
    let own = attributes!["x": x, "y": y, "font-size": size, "fill": INK];
    let mut inside = String::new();
    for (words, style) in parts {
        let _ = write!(inside, "<tspan{}>{}</tspan>", written(&[style]), escape(words));
    }
    format!("<text xml:space=\"preserve\"{}{}>{inside}</text>", written(&[own]), written(more))
}

/// Returns the approximate width of a text.
pub fn width(words: &str, size: f64) -> f64 {
    words.chars().count() as f64 * size * CHARACTER
}

/// Breaks a text into lines of about the width `room`.
pub fn wrapped(words: &str, room: f64, size: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split_whitespace() {
        let last = lines.len() - 1;
        let longer = format!("{} {word}", lines[last]).trim().to_owned();
        if !lines[last].is_empty() && width(&longer, size) > room {
            lines.push(word.to_owned());
        } else {
            lines[last] = longer;
        }
    }
    lines
}

/// Draws a straight line.
pub fn line(from: (f64, f64), to: (f64, f64), stroke: &str, more: &Attributes<'_>) -> String {
    let own = attributes!["x1": from.0, "y1": from.1, "x2": to.0, "y2": to.1, "stroke": stroke];
    element("line", &[own, more], "")
}

/// Draws a rectangle, given by x, y, width and height.
pub fn rect(at: [f64; 4], fill: &str, tip: &str, more: &Attributes<'_>) -> String {
    let [x, y, wide, high] = at;
    let own = attributes!["x": x, "y": y, "width": wide.max(0.0), "height": high.max(0.0), "fill": fill];
    element("rect", &[own, more], tip)
}

/// Draws rectangles from one x to another in one row, as one path.
pub fn blocks(
    spans: impl IntoIterator<Item = (f64, f64)>,
    y: f64,
    high: f64,
    fill: &str,
    tip: &str,
) -> String {
    let (top, bottom) = (general(y, 6), general(y + high, 6));
    let mut path = String::new();
    for (x1, x2) in spans {
        let _ = write!(path, "M{x1:.2} {top}H{x2:.2}V{bottom}H{x1:.2}Z");
    }
    if path.is_empty() { path } else { element("path", &[attributes!["d": &path, "fill": fill]], tip) }
}

/// Draws a step line: it holds each y until the next x, and the last one until `end`.
pub fn steps(xs: &[f64], ys: &[f64], end: f64, stroke: &str, thick: f64, tip: &str) -> String {
    let (Some(first), Some(start)) = (xs.first(), ys.first()) else { return String::new() };
    let mut path = format!("M{first:.2} {start:.2}");
    for (x, y) in xs.iter().zip(ys).skip(1) {
        let _ = write!(path, "H{x:.2}V{y:.2}");
    }
    let _ = write!(path, "H{end:.2}");
    let shape = attributes!["d": &path, "stroke": stroke, "fill": "none", "stroke-linejoin": "round", "stroke-width": thick];
    element("path", &[shape], tip)
}

/// Draws the area between two step lines; `xs` also has the end of the last step.
pub fn area(xs: &[f64], low: &[f64], high: &[f64], fill: &str, tip: &str, more: &Attributes<'_>) -> String {
    let (Some(first), Some(start)) = (xs.first(), high.first()) else { return String::new() };
    let mut path = format!("M{first:.2} {start:.2}");
    for (place, x) in xs.iter().enumerate().skip(1) {
        let y = high.get(place).unwrap_or(&high[high.len() - 1]);
        let _ = write!(path, "H{x:.2}V{y:.2}");
    }
    for (y, x) in low.iter().zip(xs).rev() {
        let _ = write!(path, "V{y:.2}H{x:.2}");
    }
    path.push('Z');
    element("path", &[attributes!["d": &path, "fill": fill], more], tip)
}

/// Returns a whole picture.
pub fn document(wide: f64, high: f64, parts: &[String], title: &str, description: &str) -> String {
    // There is no title element, because browsers show it at every position of the pointer.
    let (wide, high) = (general(wide, 6), general(high, 6));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" \
         font-family=\"{}\" role=\"img\" aria-label=\"{}\"><desc>{}</desc>{}</svg>\n",
        escape(FONT),
        escape(title),
        escape(description),
        parts.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_words_are_plain_text() {
        for (words, plain) in [
            ("</script><script>harm()", "&lt;/script&gt;&lt;script&gt;harm()"),
            ("\"><img onerror='x'>", "&quot;&gt;&lt;img onerror=&#x27;x&#x27;&gt;"),
            ("&lt;b&gt; ]]> <!--", "&amp;lt;b&amp;gt; ]]&gt; &lt;!--"),
            (
                "\u{202e}a\u{2069}\x1b[31m\0\x7f\u{9b}\u{fffe}\u{1ffff}",
                "\\u202ea\\u2069\\x1b[31m\\x00\\x7f\\x9b\\ufffe\\U0001ffff",
            ),
            ("line\nfeed\ttab × σ", "line\nfeed\ttab × σ"),
        ] {
            assert_eq!(escape(words), plain);
            let drawn = text(0.0, 0.0, words, 12.0, INK, &[attributes!["data-name": words]])
                + &element("g", &[], words)
                + &document(9.0, 9.0, &[], words, words);
            assert_eq!(drawn.matches(plain).count(), 5, "{drawn}");
        }
    }

    #[test]
    fn shapes_are_drawn_as_steps() {
        let (xs, ys) = ([1.0, 2.0], [5.0, 7.0]);
        assert!(steps(&xs, &ys, 3.0, INK, 1.0, "").contains("d=\"M1.00 5.00H2.00V7.00H3.00\""));
        let area = area(&[1.0, 2.0, 3.0], &[0.0, 0.0], &ys, INK, "", &[]);
        assert!(area.contains("d=\"M1.00 5.00H2.00V7.00H3.00V7.00V0.00H2.00V0.00H1.00Z\""), "{area}");
        assert_eq!(blocks([], 0.0, 1.0, INK, ""), "");
        assert_eq!(wrapped("a bb ccc", 30.0, 12.0), ["a bb", "ccc"]);
    }
}
