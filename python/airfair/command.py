"""The options that all commands share, and the way they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from airfair import _engine, console
from airfair.catalogue.parameters import setting

if TYPE_CHECKING:
    from airfair.store.output import Output

#: The first fields of every JSON document. `schema_version` rises when a field changes its meaning or goes away.
HEAD: dict[str, Any] = {"schema_version": 1, "engine_version": _engine.__version__}


class Common(NamedTuple):
    """The options that every command takes."""

    json: bool = False
    out: Path | None = None
    seed: int = 1
    set: Sequence[str] = ()
    #: Whether to print only errors on stderr: no progress, notes or warnings.
    quiet: bool = False
    #: Whether to replace files that AirFair has not written, too.
    force: bool = False

    @property
    def overrides(self) -> list[tuple[str, str]]:
        """The `--set NAME=VALUE` options as the engine takes them."""
        return [setting("--set", text) for text in self.set]


def output(common: Common, path: Path, names: Iterable[str] = (), *, cache: Path | None = None) -> Output:
    """The directory that a command writes to, after checking that these files may be written there.

    Raises:
        InputError: A file may not or cannot be written.
    """
    from airfair.store.output import Output

    return Output.made(common.out or path, names, force=common.force, cache=cache)


def capture_file(common: Common, path: Path) -> Output:
    """The directory of a capture, after checking that the file may be written.

    Raises:
        InputError: The file may not or cannot be written.
    """
    from airfair.store.output import Output, check_capture

    check_capture(path)
    return Output.made(path.parent, [path.name], force=common.force, captures=True)


def answer(common: Common, name: str, document: Any, show: Callable[[], None], into: Output | None = None) -> None:
    """Write a command's answer: first to the file `name` in the output directory, then as JSON or text on stdout."""
    text = document if isinstance(document, str) else console.json_text(document)
    if into is None and common.out is not None:
        into = output(common, common.out)
    if into is not None:
        into.publish({name: f"{text}\n".encode()})
    if common.json:
        console.write(text + "\n")
    else:
        show()
