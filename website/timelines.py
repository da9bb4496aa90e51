"""Draw the timelines of the documentation again: `python -m website.timelines`.

Each is drawn twice, as wide as the column of a page and for telephones, so that no page makes its words smaller.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable
from functools import partial

from airfair.catalogue.parameters import setting
from airfair.figures import drawn
from airfair.figures.drawing import PIXELS, on_white
from airfair.figures.timeline.make import Asked, comparison, load, run
from airfair.figures.timeline.result import Timeline
from airfair.runs.loading import File
from website import gallery, pictures

#: The columns of pages on screens of 768 pixels and of 360.
COLUMN, TELEPHONE = 736, 326


def main() -> None:
    """Draw all of them."""
    for one in gallery.pictures():
        if one.file is None or not one.command.startswith("airfair timeline "):
            continue
        timeline = _asked(shlex.split(one.command)[2:])
        file, heading = gallery.IMAGES / one.file, (timeline.title, timeline._facts())
        beside = _fitted(partial(timeline._picture.svg, *heading), COLUMN)
        stacked = _fitted(partial(timeline._picture.narrow_svg, *heading), TELEPHONE)
        for path, svg in ((file, beside), (pictures.narrow(file), stacked)):
            path.write_bytes(drawn.png(on_white(svg), PIXELS))
            print(path)


def _asked(words: list[str]) -> Timeline:
    """The timeline that a command with these words draws."""
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario")
    parser.add_argument("--set", action="append", default=[])
    for option in ("--compare", "--from", "--to"):
        parser.add_argument(option)
    asked = parser.parse_args(words)
    settings = [setting("--set", one) for one in asked.set]
    ends = getattr(asked, "from"), asked.to
    question = Asked(File.of(asked.scenario), 1, settings, *ends, comparison(asked.compare))
    return Timeline(run(question, load(question)))


def _fitted(draw: Callable[[float], str], wide: int) -> str:
    """A picture of this width: that grows evenly with the length of the time axes, which `draw` takes."""

    def width(plot: float) -> float:
        found = re.search(r'<svg [^>]*viewBox="0 0 ([\d.]+) ', draw(plot))
        assert found
        return float(found[1])

    short, long = 100.0, 200.0
    return draw(short + (wide - width(short)) / (width(long) - width(short)) * (long - short))


if __name__ == "__main__":
    main()
