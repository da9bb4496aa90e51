"""SVG elements, for pictures that a chart library cannot draw."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from airfair.catalogue.wording import visible
from airfair.theme import FONT, INK, PAPER

#: Average width of a character as a share of the font's size, to keep texts apart.
_CHARACTER = 0.5


def escape(words: str) -> str:
    """Escape text for XML."""
    return html.escape(visible(words))


def attributes(**values: Any) -> str:
    """Attributes, without those that are `None`; `_` stands for `-`."""
    given = ((name.rstrip("_").replace("_", "-"), value) for name, value in values.items() if value is not None)
    return "".join(f' {name}="{escape(_text(value))}"' for name, value in given)


def _text(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def element(tag: str, *children: str, tip: str | None = None, **values: Any) -> str:
    """An element; `tip` shows when the pointer rests on it."""
    inside = (f"<title>{escape(tip)}</title>" if tip else "") + "".join(children)
    return f"<{tag}{attributes(**values)}>{inside}</{tag}>" if inside else f"<{tag}{attributes(**values)}/>"


def text(x: float, y: float, words: str, *, size: float = 12, fill: str = INK, **values: Any) -> str:
    """One line of text, its baseline at `y`."""
    return f"<text{attributes(x=x, y=y, font_size=size, fill=fill, **values)}>{escape(words)}</text>"


def spans(x: float, y: float, parts: Iterable[tuple[str, dict[str, Any]]], *, size: float = 12, **values: Any) -> str:
    """One line of text in several styles."""
    inside = "".join(f"<tspan{attributes(**style)}>{escape(words)}</tspan>" for words, style in parts)
    return f'<text xml:space="preserve"{attributes(x=x, y=y, font_size=size, fill=INK, **values)}>{inside}</text>'


#: For text over lines: an outline in the background's colour.
HALO: dict[str, Any] = {
    "paint_order": "stroke",
    "stroke": PAPER,
    "stroke_width": 3.5,
    "stroke_linejoin": "round",
}


def width(words: str, size: float = 12) -> float:
    """The approximate width of a text."""
    return len(words) * size * _CHARACTER


def wrapped(words: str, room: float, size: float = 12) -> list[str]:
    """Wrap a text into lines of about this width."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def line(x1: float, y1: float, x2: float, y2: float, *, stroke: str = INK, **values: Any) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, **values)


def rect(x: float, y: float, wide: float, high: float, *, fill: str, tip: str | None = None, **values: Any) -> str:
    """A rectangle."""
    return element("rect", x=x, y=y, width=max(wide, 0.0), height=max(high, 0.0), fill=fill, tip=tip, **values)


def blocks(spans_: Iterable[tuple[float, float]], y: float, high: float, *, fill: str, tip: str, **values: Any) -> str:
    """Rectangles from one x to another in one row, as one path."""
    path = "".join(f"M{x1:.2f} {y:g}H{x2:.2f}V{y + high:g}H{x1:.2f}Z" for x1, x2 in spans_)
    return element("path", d=path, fill=fill, tip=tip, **values) if path else ""


def steps(
    xs: Sequence[float], ys: Sequence[float], end: float, *, stroke: str, tip: str | None = None, **values: Any
) -> str:
    """A step line: holds each y until the next x, the last one until `end`."""
    if not xs:
        return ""
    path = f"M{xs[0]:.2f} {ys[0]:.2f}" + "".join(f"H{x:.2f}V{y:.2f}" for x, y in zip(xs[1:], ys[1:], strict=True))
    shape: dict[str, Any] = {"fill": "none", "stroke_linejoin": "round"}
    return element("path", d=f"{path}H{end:.2f}", stroke=stroke, tip=tip, **shape, **values)


def area(
    xs: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    *,
    fill: str,
    tip: str | None = None,
    **values: Any,
) -> str:
    """The area between two step lines; `xs` also has the end of the last step."""
    upper = "".join(f"H{x:.2f}V{y:.2f}" for x, y in zip(xs[1:], [*high[1:], high[-1]], strict=True))
    lower = "".join(f"V{low[i]:.2f}H{xs[i]:.2f}" for i in range(len(low) - 1, -1, -1))
    return element("path", d=f"M{xs[0]:.2f} {high[0]:.2f}{upper}{lower}Z", fill=fill, tip=tip, **values)


def document(wide: float, high: float, *parts: str, title: str, description: str) -> str:
    """A whole picture."""
    # No title element: browsers show it at every position of the pointer.
    named = f"<desc>{escape(description)}</desc>"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" height="{high:g}" '
        f'font-family="{escape(FONT)}" role="img" aria-label="{escape(title)}">{named}{"".join(parts)}</svg>\n'
    )
