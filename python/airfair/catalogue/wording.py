"""Names of metrics and parameters as people write them: at axes, in legends, in tables."""

from __future__ import annotations

import unicodedata

#: Words at the end of a name that a label puts first, or last after a comma.
_BEFORE = {"total": "total", "mean": "mean", "median": "median", "stddev": "standard deviation of"}
_BEHIND = {
    "sent": "until sent",
    "acked": "until acknowledged",
    "delivered": "until delivered",
    "up": "upstream",
    "down": "downstream",
    "ip": "with headers",
    "persistent": "persistent flows",
    "intermittent": "intermittent flows",
    "lower": "lower bound",
}
#: Whole names, and words within others.
_NAMES = {
    "jain": "Jain's index",
    "sigma_over_mean": "σ / mean of throughput",
    "starved": "starved flows",
    "sessions_unfinished": "unfinished sessions",
    "segments_sent": "segments sent",
    "rexmit_fraction": "segments sent again, of all",
    "session_bytes": "session length",
    "segment_bytes": "segment payload",
    "cwnd": "congestion window",
    "eee": "extra energy expenditure",
    "uar": "unexploited resources",
    "agi": "achieved goodput index",
    "nagi": "normalised achieved goodput index",
}
#: Classes of characters that embed, override or isolate a direction, and marks that do so without a class of their own.
_DIRECTIONS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_MARKS = frozenset("\u200e\u200f\u061c")
_ACRONYMS = frozenset({"ap", "codel", "gaimd", "plcp", "red", "rtt", "rts", "tcp"})


def title(name: str) -> str:
    """A name at the start of a label: `finish_time_acked_mean` is `Mean finish time, until acknowledged`."""
    words, before = name.split("_"), ""
    behind: list[str] = []
    while name not in _NAMES and len(words) > 1 and words[-1] in (_BEFORE | _BEHIND):
        last = words.pop()
        if last in _BEFORE:
            before = f"{_BEFORE[last]} "
        else:
            behind.insert(0, _BEHIND[last])
        name = "_".join(words)
    plain = _NAMES.get(name) or " ".join(word.upper() if word in _ACRONYMS else word for word in words)
    text = ", ".join([before + plain, *behind])
    return text[:1].upper() + text[1:]


def family(name: str) -> str:
    """The name that variants of a metric share: `finish_time` for `finish_time_sent_mean`."""
    words = name.split("_")
    while len(words) > 1 and words[-1] in (_BEFORE | _BEHIND):
        words.pop()
    return "_".join(words)


def paragraphs(text: str) -> list[str]:
    """The paragraphs and list items (`- `) of a text, each joined into one line."""
    found: list[str] = []
    for part in text.strip().split("\n\n"):
        for number, line in enumerate(part.splitlines()):
            if number == 0 or line.startswith("- "):
                found.append(line.strip())
            else:
                found[-1] += f" {line.strip()}"
    return found


def visible(text: str) -> str:
    r"""Untrusted text with invisible characters escaped: an escape character is `\x1b`, a change of direction `\u202e`.

    XML 1.0 (Section 2.2) forbids most of these characters, and drawing libraries abort on them.
    """
    return "".join(_escape(char) if _acts_unseen(char) else char for char in text)


def _acts_unseen(char: str) -> bool:
    """Controls but line feed and tab, surrogates, line separators, controls of direction (UAX #9), noncharacters."""
    if char.isprintable() or char in "\n\t":
        return False
    return (
        unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}
        or unicodedata.bidirectional(char) in _DIRECTIONS
        or char in _MARKS
        or ord(char) & 0xFFFE == 0xFFFE
        or 0xFDD0 <= ord(char) <= 0xFDEF
    )


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
