//! A position in a script, from which it is read.

use std::fmt;

/// The reason why a script cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Number of the line, counted from 1.
    pub line: usize,
    /// The fault that a message reports.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Reads a script from front to end.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a str,
    line: usize,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { rest: text, line: 1 }
    }

    pub fn line(&self) -> usize {
        self.line
    }

    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { line: self.line, message: message.into() }
    }

    /// Returns the next characters, for a message.
    pub fn shown(&self) -> String {
        let next: String = self.rest.chars().take_while(|c| !c.is_whitespace()).take(20).collect();
        if next.is_empty() { "the end of the line".to_owned() } else { format!("`{}`", next.escape_debug()) }
    }

    pub fn expected(&self, what: &str) -> Fault {
        self.fault(format!("expected {what}, found {}", self.shown()))
    }

    pub fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub fn at(&self, text: &str) -> bool {
        self.rest.starts_with(text)
    }

    /// Moves on by `bytes` bytes and returns the text passed.
    fn pass(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.matches('\n').count();
        self.rest = rest;
        passed
    }

    /// Skips white space and comments.
    pub fn skip_blank(&mut self) -> Result<(), Fault> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.pass(blank);
            if self.at("//") {
                self.rest_of_line();
            } else if self.at("/*") {
                let end = self.rest.find("*/").ok_or_else(|| self.fault("a comment `/*` does not end"))?;
                self.pass(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    /// Skips white space within the line.
    pub fn skip_space(&mut self) {
        let blank = self.rest.find(|c| c != ' ' && c != '\t').unwrap_or(self.rest.len());
        self.pass(blank);
    }

    pub fn rest_of_line(&mut self) -> &'a str {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        self.pass(end)
    }

    /// Skips `text` if it is next, and returns whether it was.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.pass(text.len());
        }
        found
    }

    /// Skips white space and then `text`, which must be next.
    pub fn need(&mut self, text: &str) -> Result<(), Fault> {
        self.skip_space();
        if self.eat(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    /// Returns the text up to `end`, and skips `end` as well. `what` names the text in messages.
    pub fn until(&mut self, end: &str, what: &str) -> Result<&'a str, Fault> {
        let bytes = self.rest.find(end).ok_or_else(|| self.fault(format!("{what} does not end")))?;
        let text = self.pass(bytes);
        self.pass(end.len());
        Ok(text)
    }

    /// Takes characters as long as `wanted` allows.
    pub fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        self.pass(end)
    }

    /// Takes letters, digits and underscores; the result may be empty.
    pub fn word(&mut self) -> &'a str {
        self.take_while(is_word)
    }

    /// Returns the next word without moving on.
    pub fn next_word(&self) -> &'a str {
        self.clone().word()
    }

    /// Takes a whole number of at most `most`.
    pub fn number(&mut self, what: &str, most: u64) -> Result<u64, Fault> {
        self.skip_space();
        let before = self.clone();
        let digits = self.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(before.expected(what));
        }
        let number = digits.parse().ok().filter(|number| *number <= most);
        number.ok_or_else(|| before.fault(format!("{what}: {digits} is more than {most}")))
    }
}
