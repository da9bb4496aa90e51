//! A script as a list of events.

use crate::code::{self, Statement};
use crate::cursor::{Cursor, Fault};
use crate::packet::{self, NotModelled, Packet};
use airfair_core::Span;

/// Most bytes of a script; longer ones are refused.
const MOST_BYTES: usize = 1 << 20;
/// Latest time that a script may state.
const LATEST: Span = Span::from_secs(24 * 3600);

/// The time of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// `*`: any time.
    Any,
    /// `0.1`: since the start.
    Absolute(Span),
    /// `+.1`: since the event before.
    Relative(Span),
    /// `0.1~0.2`: a range of times since the start.
    AbsoluteRange(Span, Span),
    /// `+.1~+.2`: a range of times since the event before.
    RelativeRange(Span, Span),
}

/// A system call: `write(4, ..., 1000) = 1000`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub name: String,
    pub arguments: Vec<String>,
    /// Return value of the call. The next field is the name of an error, if there is one.
    pub result: i64,
    pub error: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// A segment arrives.
    Inject(Packet),
    /// A segment must be sent.
    Expect(Packet),
    Call(Call),
    /// Commands for a shell.
    Shell(String),
    /// Statements about `tcp_info`.
    Code(Vec<Statement>),
    /// Something that cannot be played.
    Foreign(NotModelled),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub line: usize,
    pub at: At,
    pub action: Action,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Script {
    /// Options such as `--name=value`, each with its line, name and value.
    pub options: Vec<(usize, String, String)>,
    pub events: Vec<Event>,
}

impl Script {
    /// Reads a script.
    pub fn parse(text: &[u8]) -> Result<Script, Fault> {
        let first = |message: String| Fault { line: 1, message };
        if text.len() > MOST_BYTES {
            return Err(first(format!("a script of more than {MOST_BYTES} bytes")));
        }
        let text = std::str::from_utf8(text).map_err(|error| {
            let line = 1 + text[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            Fault { line, message: "not UTF-8 text".to_owned() }
        })?;
        let mut cursor = Cursor::new(text);
        let mut script = Script::default();
        loop {
            cursor.skip_blank()?;
            if cursor.at("--") {
                let line = cursor.line();
                let option = cursor.rest_of_line().trim();
                let (name, value) = option.split_once('=').unwrap_or((option, ""));
                script.options.push((line, name.to_owned(), value.trim().to_owned()));
            } else if cursor.peek().is_none() {
                break;
            } else {
                script.events.push(event(&mut cursor)?);
            }
        }
        if script.events.is_empty() {
            return Err(first("a script without events".to_owned()));
        }
        Ok(script)
    }
}

fn event(cursor: &mut Cursor<'_>) -> Result<Event, Fault> {
    let line = cursor.line();
    // Commands before the first event and after the last one have no time.
    let (at, blocks) = if cursor.at("`") { (At::Relative(Span::ZERO), false) } else { at(cursor)? };
    cursor.skip_blank()?;
    let action = match cursor.peek() {
        Some('<') => {
            cursor.eat("<");
            packet::packet(cursor)?.map_or_else(Action::Foreign, Action::Inject)
        }
        Some('>') => {
            cursor.eat(">");
            packet::packet(cursor)?.map_or_else(Action::Foreign, Action::Expect)
        }
        Some('`') => {
            cursor.eat("`");
            Action::Shell(cursor.until("`", "a command in backquotes")?.to_owned())
        }
        Some('%') if cursor.eat("%{") => {
            let line = cursor.line();
            let text = cursor.until("}%", "the code `%{`")?;
            code::parse(text, line).map_or_else(Action::Foreign, Action::Code)
        }
        Some(c) if c.is_ascii_alphabetic() || c == '_' => match call(cursor)? {
            // `connect` may block: the connection is open before anything else can happen.
            call if blocks && call.name != "connect" => {
                Action::Foreign(format!("{}: calls that block are not modelled", call.name))
            }
            call => Action::Call(call),
        },
        _ => {
            return Err(cursor.expected("`<`, `>`, a system call, `%{` or a command in backquotes"));
        }
    };
    Ok(Event { line, at, action })
}

/// Reads the time of an event, and whether a call may block until a later one.
fn at(cursor: &mut Cursor<'_>) -> Result<(At, bool), Fault> {
    if cursor.eat("*") {
        return Ok((At::Any, false));
    }
    let relative = cursor.eat("+");
    let from = time(cursor)?;
    cursor.skip_space();
    let at = if cursor.eat("~") {
        cursor.skip_space();
        if cursor.eat("+") != relative {
            return Err(cursor.fault("both ends of a range of times are relative, or none is"));
        }
        let to = time(cursor)?;
        if to < from {
            return Err(cursor.fault("a range of times ends before it begins"));
        }
        if relative { At::RelativeRange(from, to) } else { At::AbsoluteRange(from, to) }
    } else if relative {
        At::Relative(from)
    } else {
        At::Absolute(from)
    };
    cursor.skip_space();
    let blocks = cursor.eat("...");
    if blocks {
        cursor.skip_space();
        cursor.eat("+");
        time(cursor)?;
    }
    Ok((at, blocks))
}

/// Reads a time in seconds, exact to the nanosecond.
fn time(cursor: &mut Cursor<'_>) -> Result<Span, Fault> {
    cursor.skip_space();
    let before = cursor.clone();
    let whole = cursor.take_while(|c| c.is_ascii_digit());
    // In `0...1`, the end of a range follows `0`.
    let has_part = cursor.at(".") && !cursor.at("..");
    let part = if has_part && cursor.eat(".") { cursor.take_while(|c| c.is_ascii_digit()) } else { "" };
    if whole.is_empty() && part.is_empty() {
        return Err(before.expected("a time"));
    }
    let nanos = format!("{:0<9.9}", part).parse().unwrap_or(0);
    let seconds = if whole.is_empty() { Some(0) } else { whole.parse().ok() };
    let span = seconds
        .filter(|seconds| *seconds < LATEST.0)
        .map(|seconds| Span(seconds.min(1 << 32) * 1_000_000_000 + nanos));
    span.filter(|span| *span <= LATEST).ok_or_else(|| before.fault(format!("a time beyond {LATEST}")))
}

fn call(cursor: &mut Cursor<'_>) -> Result<Call, Fault> {
    let name = cursor.word().to_owned();
    cursor.need("(")?;
    let arguments = arguments(cursor)?;
    cursor.need("=")?;
    cursor.skip_space();
    let text = cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '-' || c == '?');
    let result = match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None if text == "?" => Some(0),
        None => text.parse().ok(),
    };
    let result = result.ok_or_else(|| cursor.fault(format!("`{text}` is no result of a call")))?;
    cursor.skip_space();
    let error = cursor.word().to_owned();
    cursor.skip_space();
    if cursor.eat("(") {
        cursor.until(")", "the text of an error")?;
    }
    Ok(Call { name, arguments, result, error: (!error.is_empty()).then_some(error) })
}

/// Reads the arguments of a call. They are separated by commas outside brackets and texts.
fn arguments(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Fault> {
    let start = cursor.clone();
    let mut arguments = vec![String::new()];
    let mut depth = 0_usize;
    loop {
        let Some(c) = cursor.peek() else { return Err(start.fault("the arguments of a call do not end")) };
        cursor.eat(c.encode_utf8(&mut [0; 4]));
        match c {
            '"' => {
                let text = cursor.until("\"", "a text in quotes")?;
                push(&mut arguments, &format!("\"{text}\""));
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                for argument in &mut arguments {
                    *argument = argument.trim().to_owned();
                }
                return Ok(arguments);
            }
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            _ => {}
        }
        push(&mut arguments, c.encode_utf8(&mut [0; 4]));
    }
}

fn push(arguments: &mut [String], text: &str) {
    if let Some(last) = arguments.last_mut() {
        last.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Script, String> {
        Script::parse(text.as_bytes()).map_err(|fault| fault.to_string())
    }

    fn times(text: &str) -> Vec<At> {
        parse(text).expect("a script").events.iter().map(|event| event.at).collect()
    }

    #[test]
    fn times_are_absolute_relative_ranges_or_any() {
        let ms = Span::from_millis;
        let found = times(
            "0 f()=0\n+.1 f()=0\n 1.5 f()=0\n*f()=0\n.3~.303 f()=0\n+.3 ~ +.31 f()=0\n+0...0.2 connect() = 0",
        );
        let wanted = [
            At::Absolute(ms(0)),
            At::Relative(ms(100)),
            At::Absolute(ms(1500)),
            At::Any,
            At::AbsoluteRange(ms(300), ms(303)),
            At::RelativeRange(ms(300), ms(310)),
            At::Relative(ms(0)),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_call_has_arguments_and_a_result() {
        let script =
            parse("0 connect(3, {a=\"x,)\", b=[1,2]}, ...) = -1 EINPROGRESS (Operation now in progress)")
                .unwrap();
        let Action::Call(call) = &script.events[0].action else { panic!("no call") };
        assert_eq!((&*call.name, call.result, call.error.as_deref()), ("connect", -1, Some("EINPROGRESS")));
        assert_eq!(call.arguments, ["3", "{a=\"x,)\", b=[1,2]}", "..."]);
    }

    #[test]
    fn each_fault_has_one_message_with_its_line() {
        for (text, wanted) in [
            ("", "line 1: a script without events"),
            ("// nothing\n/* more", "line 2: a comment `/*` does not end"),
            ("0 > . 1:2(3) ack 1", "line 1: 1:2(3) does not add up"),
            ("0 > . 1:1(0)", "line 1: the flag `.` without `ack`"),
            ("\n+x f() = 0", "line 2: expected a time, found `x`"),
            (
                "0 > . 1:1(0) ack 1 <nop;nop>",
                "line 1: expected `,` or `>` behind a TCP option, found `;nop>`",
            ),
            ("0 > . 1:1(0) ack 1 <sack 1>", "line 1: expected `:`, found `>`"),
            ("0 > Q 1:1(0)", "line 1: `Q` in `Q` is no TCP flag"),
            (
                "0 > . 1:99999999999(0)",
                "line 1: the sequence number of the segment's end: 99999999999 is more than 4294967295",
            ),
            ("0 f(1", "line 1: the arguments of a call do not end"),
            ("0 f() = so", "line 1: `so` is no result of a call"),
            ("0 `sysctl", "line 1: a command in backquotes does not end"),
            ("0 %{ assert", "line 1: the code `%{` does not end"),
            ("+.2~+.1 f() = 0", "line 1: a range of times ends before it begins"),
            ("+.2~.3 f() = 0", "line 1: both ends of a range of times are relative, or none is"),
            ("99999999999999999999 f() = 0", "line 1: a time beyond 86400 s"),
            ("0 ?", "line 1: expected `<`, `>`, a system call, `%{` or a command in backquotes, found `?`"),
        ] {
            assert_eq!(parse(text).map(|_| ()), Err(wanted.to_owned()), "{text}");
        }
        assert_eq!(Script::parse(b"0 f()=0\n\xff").unwrap_err().to_string(), "line 2: not UTF-8 text");
    }
}
