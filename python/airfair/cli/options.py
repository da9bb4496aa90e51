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
Metrics = Annotated[
    str,
    typer.Option(
        "--metrics",
        metavar="NAMES",
        help="Report these instead of the scenario's own: A,B or all.",
        autocompletion=offers("metrics_listed"),
    ),
]
Where = Annotated[str, typer.Option("--where", metavar="SQL", help="Only rows for which this holds; values are in SI.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", metavar="N", min=1, help="Runs at the same time.  [default: one a core]", show_default=False
    ),
]
Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a sweep.")]


def common(seed: str | None, set_: bool, out: str) -> dict[str, tuple[Any, Any]]:
    """The options that every command takes, so that scripts can pass the same ones to all: type and default by name.

    `out` and `seed` are their help. Help and completion do not offer `--seed` and `--set` where they change nothing.
    """
    return {
        "json": (
            Annotated[bool, typer.Option("--json", help="One JSON document on stdout; everything else on stderr.")],
            False,
        ),
        "out": (Annotated[Path | None, typer.Option("--out", metavar="DIR", help=out)], None),
        "force": (
            Annotated[
                bool,
                typer.Option(
                    "--force",
                    help="Replace files that AirFair has not written where results of the same name go.",
                ),
            ],
            False,
        ),
        "seed": (Annotated[int, typer.Option("--seed", metavar="S", min=0, help=seed, hidden=seed is None)], 1),
        "set": (
            Annotated[
                list[str] | None,
                typer.Option(
                    "--set",
                    metavar="NAME=VALUE",
                    help="Set a parameter; repeat for more.",
                    autocompletion=offers("settings"),
                    hidden=not set_,
                ),
            ],
            None,
        ),
    }
