"""The console that draws tables, and lines on terminals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from airfair.catalogue.wording import INVISIBLE, visible


class Terminal(Console):
    """A console that prints names as they are: it makes control characters visible, and knows no markup."""

    def __init__(self, **options: Any) -> None:
        """Make a console with options of `Console`."""
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Escape the text of segments; keep rich's own control segments."""
        for segment in super().render(renderable, options):
            if segment.control or not INVISIBLE.search(segment.text):
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Let the command handle a closed pipe, instead of ending the process."""
        raise  # the `BrokenPipeError` that Rich handles
