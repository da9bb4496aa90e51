"""What the options and the help of several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

#: Seeds at most: each run is held in memory.
SEED_LIMIT = 1_000_000


def offers(what: str) -> Callable[[str], list[str]]:
    """A function of `completion`, imported when the shell asks."""

    def complete(incomplete: str) -> list[str]:
        from airfair.cli import completion

        offered: list[str] = getattr(completion, what)(incomplete)
        return offered

    return complete


def examples(*commands: str) -> str:
    """The end of a command's help: each example on lines of its own, which stay as they are, to be copied."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)


Scenario = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO", help="A packaged scenario's name, or a file.", autocompletion=offers("scenarios")
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout; everything else on stderr.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write the results below DIR.")]
Force = Annotated[
    bool, typer.Option("--force", help="Replace files that AirFair has not written where results of the same name go.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="S", min=0, help="The first seed.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Set a parameter; repeat for more.", autocompletion=offers("settings")
    ),
]
# Every command takes them, so that scripts can pass the same options to all; where they change nothing, help and
# completion do not offer them.
UnusedSeed = Annotated[int, typer.Option("--seed", min=0, hidden=True)]
UnusedSet = Annotated[list[str] | None, typer.Option("--set", hidden=True)]
Metrics = Annotated[
    str,
    typer.Option(
        "--metrics",
        metavar="NAMES",
        help="Report these instead of the scenario's own: A,B or all.",
        autocompletion=offers("metrics_listed"),
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", metavar="N", min=1, help="Runs at the same time.  [default: one a core]", show_default=False
    ),
]
Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a sweep.")]


def common_options(json: bool, out: Path | None, seed: int, set_: list[str] | None, force: bool) -> Any:
    """The options that every command takes, as the bodies of the commands take them."""
    from airfair.command import Common

    return Common(json, out, seed, tuple(set_ or ()), force)
