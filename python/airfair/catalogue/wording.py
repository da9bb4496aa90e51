"""Names of metrics and parameters as people write them: at axes, in legends, in tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from airfair.catalogue.known import every_metric

#: Parameters whose names are not the words that people use.
_PARAMETERS = {"session_bytes": "session length", "segment_bytes": "segment payload", "cwnd": "congestion window"}
#: Invisible characters: controls but line feed and tab, line separators, direction controls (Unicode Standard
#: Annex 9), surrogates, which stand for bytes of a file's name that are not UTF-8, and noncharacters.
INVISIBLE = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)
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


def counted(count: int, noun: str) -> str:
    """A count with its noun, in the plural unless it is 1: `1 run`, `2 runs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def of_seeds(seeds: Sequence[int]) -> str:
    """Consecutive seeds as text: `seed 1`, `seeds 1 to 10`."""
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"


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

    Invisible characters could control a terminal. XML 1.0 (Section 2.2) forbids most of them, and drawing libraries
    abort on them.
    """
    return INVISIBLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def in_all(lists: Sequence[Sequence[str]]) -> list[str]:
    """The texts that each list has, in the order of the first."""
    return [text for text in lists[0] if all(text in other for other in lists)] if lists else []
