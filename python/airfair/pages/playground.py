"""The playground: the engine, compiled to WebAssembly, in one page. Its sources are in `web/`."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from airfair import console
from airfair._engine import InputError
from airfair.command import Common, answer

#: The page; `make playground` builds it, and published wheels contain it.
PAGE = Path(__file__).with_name("playground.html")


def playground(common: Common, *, browser: bool) -> int:
    """Print where the page is, and open it in a browser if asked to."""
    if not PAGE.is_file():
        raise InputError(
            "this installation has no playground: in a clone of the sources, `make playground` builds it (with Rust's "
            "target wasm32-unknown-unknown)"
        )
    opened = browser and webbrowser.open(PAGE.as_uri())
    if browser and not opened:
        console.warn(["no browser could be opened: open the file yourself"])
    answer(common, "playground.json", {"page": str(PAGE)}, lambda: console.out.line(f"playground: {PAGE}"))
    return 0
