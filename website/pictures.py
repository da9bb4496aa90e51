"""Pictures in pages: no word in them is smaller than 11 pixels on any screen."""

from __future__ import annotations

import re
import struct
from pathlib import Path

from airfair.figures.drawing import PIXELS

#: A picture as Sphinx writes it.
_WRITTEN = re.compile(r'<img alt="([^"]*)"[^>]*? src="([^"]*?_images/)([^"/]+)"[^>]*?>')
#: The screens that get a picture's twin.
_SMALL = "(max-width: 740px)"


def narrow(file: Path) -> Path:
    """Where a picture's twin for narrow screens is, if it has one."""
    return file.with_stem(f"{file.stem}-narrow")


def size(file: Path) -> tuple[int, int]:
    """Width and height at which a picture is meant to be seen, in pixels of a page."""
    contents = file.read_bytes()
    if file.suffix == ".png":
        wide, high = struct.unpack(">II", contents[16:24])
        return round(wide / PIXELS), round(high / PIXELS)
    box = re.search(rb'viewBox="0 0 (\d+) (\d+)"', contents)
    assert box is not None, f"{file}: no viewBox"
    return int(box[1]), int(box[2])


def framed(body: str, images: Path) -> str:
    """A page's HTML with each picture in a frame: it scrolls there before its words get too small (`site.css`)."""

    def frame(found: re.Match[str]) -> str:
        words, folder, name = found.groups()
        (wide, high), twin = size(images / name), narrow(images / name)
        kind, source = "", ""
        if twin.exists():
            thin, tall = size(twin)
            kind = " fixed"
            source = f'<source media="{_SMALL}" srcset="{folder}{twin.name}" width="{thin}" height="{tall}">'
        image = f'<img alt="{words}" src="{folder}{name}" width="{wide}" height="{high}" style="--natural: {wide}px">'
        return (
            f'<span class="picture{kind}" tabindex="0" role="group" aria-label="{words}">'
            f"<picture>{source}{image}</picture></span>"
        )

    return _WRITTEN.sub(frame, body)
