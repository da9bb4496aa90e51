"""Names of metrics and parameters as people write them: at axes, in legends, in tables."""

from __future__ import annotations

import unicodedata
from functools import cache

from airfair.catalogue.known import every_metric

#: Parameters whose names are not the words that people use.
_PARAMETERS = {"session_bytes": "session length", "segment_bytes": "segment payload", "cwnd": "congestion window"}
#: Classes of characters that embed, override or isolate a direction, and marks that do so without a class of their own.
_DIRECTIONS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_MARKS = frozenset("\u200e\u200f\u061c")
_ACRONYMS = frozenset({"ap", "codel", "gaimd", "plcp", "red", "rtt", "rts", "tcp"})


def title(name: str) -> str:
    """A name at the start of a label: a metric's title, or the words of a parameter's name. A path stays as it is."""
    if "." in name:
        return name
    words = (word.upper() if word in _ACRONYMS else word for word in name.split("_"))
    text = _titles().get(name) or _PARAMETERS.get(name) or " ".join(words)
    # The small sigma is a symbol; its capital would be another one.
    return text if text.startswith("σ") else text[:1].upper() + text[1:]


@cache
def _titles() -> dict[str, str]:
    """The titles of metrics, and of the quantities whose quantiles are metrics."""
    metrics = every_metric().values()
    values = (metric["values"] for metric in metrics if metric["values"])
    return {entry["name"]: entry["title"] for entry in [*values, *metrics]}


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
