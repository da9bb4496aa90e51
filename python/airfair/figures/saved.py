"""Pictures that can be saved as files."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from airfair._engine import InputError
from airfair.runs.arguments import taken
from airfair.store.files import write_bytes

#: The formats of a picture; it has an attribute for each.
FORMATS = ("png", "svg", "pdf", "html")


class Saved:
    """A picture that notebooks show and that can be saved."""

    @property
    def pdf(self) -> bytes:
        """The picture as PDF."""
        from airfair.figures import drawn  # the process that draws

        return drawn.pdf(self.contents("svg").decode())

    def contents(self, kind: str) -> bytes:
        """The picture's file in one of `FORMATS`."""
        drawn: str | bytes = getattr(self, kind)
        return drawn if isinstance(drawn, bytes) else drawn.encode()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file: .png, .svg, .pdf or .html.

        Raises:
            InputError: The path has another suffix, or is none.
        """
        contents = self.contents(suffix(path))
        write_bytes(Path(path), contents)

    def _repr_svg_(self) -> str:
        return self.contents("svg").decode()


def suffix(path: str | PathLike[str], formats: Sequence[str] = FORMATS) -> str:
    """The one of `formats` that a file's name ends in.

    Raises:
        InputError: The name ends in none of them, or `path` is no path.
    """
    kind = Path(taken("path", path)).suffix.removeprefix(".").lower()
    if kind not in formats:
        raise InputError(f"{path}: expected a name that ends in .{', .'.join(formats)}")
    return kind
