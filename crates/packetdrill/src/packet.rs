//! A TCP segment as a script writes it: `. 1:1001(1000) ack 1 win 257 <sack 2001:3001,nop,nop>`.

use crate::cursor::{Cursor, Fault};
use airfair_tcp::Ecn;
use std::fmt;

/// The reason why this runner cannot play a script, which is skipped then.
pub(crate) type NotModelled = String;

const MOST_SEQ: u64 = u32::MAX as u64;

/// Flags of a TCP header. PSH and URG are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub syn: bool,
    pub fin: bool,
    pub ack: bool,
    pub ece: bool,
    pub cwr: bool,
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = [(self.syn, "S"), (self.fin, "F"), (self.ece, "E"), (self.cwr, "W"), (self.ack, ".")];
        let shown: String = set.iter().filter(|(set, _)| *set).map(|(_, letter)| *letter).collect();
        f.write_str(if shown.is_empty() { "-" } else { &shown })
    }
}

/// TCP options. `nop` and the order are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub mss: Option<u32>,
    pub sack_ok: bool,
    pub scale: Option<u8>,
    /// Timestamp value and timestamp echo reply.
    pub timestamps: Option<(u32, u32)>,
    pub sack: Vec<(u64, u64)>,
}

/// A segment of the script. Sequence numbers count from the SYN of their side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    pub ecn: Option<Ecn>,
    pub flags: Flags,
    pub seq: u64,
    pub end: u64,
    pub ack: Option<u64>,
    pub window: Option<u64>,
    /// Options of the segment; `None`: any options match.
    pub options: Option<Options>,
}

/// Reads the segment behind `<` or `>`. The inner error says that such a segment is not modelled; the cursor is behind its
/// line then.
pub(crate) fn packet(cursor: &mut Cursor<'_>) -> Result<Result<Packet, NotModelled>, Fault> {
    let start = cursor.clone();
    let read = read(cursor)?;
    if read.is_err() {
        *cursor = start;
        cursor.rest_of_line();
    }
    Ok(read)
}

/// Like `?`, but returns the inner error, for something that is not modelled.
macro_rules! modelled {
    ($value:expr) => {
        match $value {
            Ok(value) => value,
            Err(reason) => return Ok(Err(reason)),
        }
    };
}

fn read(cursor: &mut Cursor<'_>) -> Result<Result<Packet, NotModelled>, Fault> {
    cursor.skip_space();
    let ecn = if cursor.eat("[") { modelled!(ip_field(cursor)?) } else { None };
    cursor.skip_space();
    let word = cursor.next_word();
    if ["udp", "icmp", "icmpv6", "ipv4", "ipv6", "gre", "GREv0", "mpls", "sctp", "raw", "psp", "esp", "encap"]
        .contains(&word)
    {
        return Ok(Err(format!("packets of {word} are not modelled")));
    }
    if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Err("several connections, told apart by ports, are not modelled".to_owned()));
    }
    let flags = modelled!(flags(cursor)?);
    let seq = cursor.number("a sequence number", MOST_SEQ)?;
    cursor.need(":")?;
    let end = cursor.number("the sequence number of the segment's end", MOST_SEQ)?;
    cursor.need("(")?;
    let len = cursor.number("the segment's length", MOST_SEQ)?;
    cursor.need(")")?;
    if seq + len != end {
        return Err(cursor.fault(format!("{seq}:{end}({len}) does not add up")));
    }
    let mut packet =
        Packet { ecn, flags, seq, end, ack: None, window: None, options: Some(Options::default()) };
    if wants(cursor, "ack") {
        packet.ack = Some(cursor.number("an acknowledgement number", MOST_SEQ)?);
    }
    if wants(cursor, "win") {
        packet.window = Some(cursor.number("a window", MOST_SEQ)?);
    }
    if wants(cursor, "urg") {
        return Ok(Err("urgent data are not modelled".to_owned()));
    }
    if packet.ack.is_none() && flags.ack {
        return Err(cursor.fault("the flag `.` without `ack`"));
    }
    if packet.ack.is_some() && !flags.ack {
        return Ok(Err("`ack` without the flag `.` is not modelled".to_owned()));
    }
    cursor.skip_space();
    if cursor.eat("<") {
        packet.options = modelled!(options(cursor)?);
    }
    Ok(Ok(packet))
}

/// Skips the keyword `word` if it is next, and returns whether it was.
fn wants(cursor: &mut Cursor<'_>, word: &str) -> bool {
    cursor.skip_space();
    cursor.next_word() == word && cursor.eat(word)
}

fn ip_field(cursor: &mut Cursor<'_>) -> Result<Result<Option<Ecn>, NotModelled>, Fault> {
    let field = cursor.until("]", "`[`")?.trim();
    let ecn = match field {
        "noecn" => Ecn::NotCapable,
        "ect0" => Ecn::Capable,
        "ect1" => Ecn::Scalable,
        "ce" => Ecn::CongestionExperienced,
        _ => return Ok(Err(format!("[{}] is not modelled", field.escape_debug()))),
    };
    Ok(Ok(Some(ecn)))
}

fn flags(cursor: &mut Cursor<'_>) -> Result<Result<Flags, NotModelled>, Fault> {
    let before = cursor.clone();
    let letters = cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
    if letters.is_empty() {
        return Err(cursor.expected("the flags of a TCP segment"));
    }
    let mut flags = Flags::default();
    for letter in letters.chars() {
        match letter {
            'S' => flags.syn = true,
            'F' => flags.fin = true,
            '.' => flags.ack = true,
            'E' => flags.ece = true,
            'W' => flags.cwr = true,
            'P' | '-' => {}
            'R' => return Ok(Err("a reset is not modelled".to_owned())),
            'U' => return Ok(Err("urgent data are not modelled".to_owned())),
            'A' | '0'..='7' => return Ok(Err("AccECN is not modelled".to_owned())),
            _ => return Err(before.fault(format!("`{letter}` in {} is no TCP flag", before.shown()))),
        }
    }
    Ok(Ok(flags))
}

fn options(cursor: &mut Cursor<'_>) -> Result<Result<Option<Options>, NotModelled>, Fault> {
    let mut options = Options::default();
    cursor.skip_space();
    if cursor.eat("...") {
        cursor.need(">")?;
        return Ok(Ok(None));
    }
    loop {
        cursor.skip_space();
        match cursor.word() {
            "nop" | "eol" => {}
            "sackOK" => options.sack_ok = true,
            "mss" => options.mss = Some(cursor.number("a segment size", 65_535)? as u32),
            "wscale" => options.scale = Some(cursor.number("a window scale", 14)? as u8),
            "TS" => {
                cursor.need("val")?;
                let value = cursor.number("a timestamp", MOST_SEQ)? as u32;
                cursor.need("ecr")?;
                options.timestamps = Some((value, cursor.number("a timestamp", MOST_SEQ)? as u32));
            }
            "sack" => sack_blocks(cursor, &mut options.sack)?,
            "" => return Err(cursor.expected("a TCP option")),
            other => return Ok(Err(format!("the TCP option `{other}` is not modelled"))),
        }
        cursor.skip_space();
        if cursor.eat(">") {
            return Ok(Ok(Some(options)));
        }
        if !cursor.eat(",") {
            return Err(cursor.expected("`,` or `>` behind a TCP option"));
        }
    }
}

fn sack_blocks(cursor: &mut Cursor<'_>, blocks: &mut Vec<(u64, u64)>) -> Result<(), Fault> {
    loop {
        let start = cursor.number("the start of a SACK block", MOST_SEQ)?;
        cursor.need(":")?;
        let end = cursor.number("the end of a SACK block", MOST_SEQ)?;
        blocks.push((start, end));
        if blocks.len() > 4 {
            return Err(cursor.fault("more than four SACK blocks (RFC 2018, section 3)"));
        }
        cursor.skip_space();
        if !cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Ok(());
        }
    }
}
