"""The application, to which the other modules add commands, and its handling of errors."""

import inspect
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from airfair.cli.advice import UsageError, advise
from airfair.cli.defaults import BadDefaultError, defaults, place_of
from airfair.cli.options import common, examples
from airfair.cli.values import read_quickly


class _Command(TyperCommand):
    """Reads its options quickly."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read options."""
        parameters = self.get_params(ctx)
        read_quickly(parameters)
        given = list(args)  # Click empties the list
        try:
            return super().parse_args(ctx, args)
        except UsageError as error:
            advise(error, parameters, given, ctx.find_root().command.commands)
            raise


class Commands(TyperGroup):
    """Turns errors into one message and an exit status: 2 bad input, 1 failed, 128 and its number after a signal."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read options."""
        read_quickly(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Call the command, with the defaults of the environment and of `airfair.toml`."""
        from airfair._engine import EngineError, InputError
        from airfair.runs.signals import Terminated

        places: dict[tuple[str, str], str] = {}
        try:
            ctx.default_map, places = defaults(self.commands)
            status = super().invoke(ctx) or 0
            sys.stdout.flush()  # at its end Python would tell of errors in its own words
            raise typer.Exit(status)
        except BadDefaultError as error:
            _tell(str(error))
            raise typer.Exit(2) from None
        except typer.BadParameter as error:
            if (place := place_of(error, places)) is None:
                raise
            _tell(f"{place}: {error.message}")
            raise typer.Exit(2) from None
        except InputError as error:
            _tell(str(error))
            raise typer.Exit(2) from None
        except UnicodeEncodeError as error:
            _tell(f"{error.object}: not valid UTF-8, which names of scenarios must be")
            raise typer.Exit(2) from None
        except EngineError as error:
            _tell(str(error))
            raise typer.Exit(1) from None
        except ModuleNotFoundError as error:
            if (library := _library(error.name or "")) is None:
                raise
            _tell(f"this needs the Python package {library}: pip install {library}")
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(130) from None
        except Terminated:
            typer.echo("terminated", err=True)
            raise


def refused(error: OSError) -> None:
    """Say what the operating system refuses."""
    reason = error.strerror or str(error)
    _tell(f"{error.filename}: {reason}" if error.filename else reason)


def _tell(message: str) -> None:
    from airfair import console

    typer.echo(f"error: {console.one_line(message)}", err=True)


def _library(module: str) -> str | None:
    """The requirement of this package that has the module, for installs that leave some of them out."""
    from importlib.metadata import requires

    names = [requirement.split(">")[0] for requirement in requires("airfair") or ()]
    top = module.partition(".")[0].replace("_", "-")
    return next((name for name in names if top and name.startswith(top)), None)


app = typer.Typer(
    cls=Commands,
    name="airfair",
    epilog=examples("airfair run jung/mixed --set tcp=vegas", "airfair reproduce jung --quick"),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: importing rich would take longer than everything else
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from airfair._engine import MODEL_VERSION, __version__

        typer.echo(f"airfair {__version__}, model version {MODEL_VERSION}")
        raise typer.Exit


@app.callback()
def _airfair(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the versions of the package and of its models, and exit.",
        ),
    ] = False,
) -> None:
    """A laboratory for fairness on shared air: how fast a device gets its fair share when it wakes."""


def command(
    *shown: str,
    short_help: str | None = None,
    seed: str | None = "The first seed.",
    set: bool = True,
    out: str = "Write the results below DIR.",
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Make a function a command. `shown` are its examples; for `seed`, `set` and `out` see `options.common`.

    The options that all commands share are added after its own, and passed as `common`. A function may declare one of
    them itself; then it also receives that one.
    """

    def made(body: Callable[..., int]) -> Callable[..., int]:
        own = dict(inspect.signature(body).parameters)
        del own["common"]
        shared = {
            name: inspect.Parameter(
                name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation
            )
            for name, (annotation, default) in common(seed, set, out).items()
        }
        shared |= {name: own[name] for name in shared if name in own}
        parameters = {name: parameter for name, parameter in own.items() if name not in shared} | shared

        def called(**given: Any) -> int:
            from airfair import console
            from airfair.command import Common
            from airfair.store.output import check_name

            console.quieten(given["quiet"])
            if given["out"] is not None:
                check_name(given["out"])
            chosen = {name: given[name] for name in shared}
            chosen["set"] = tuple(chosen["set"] or ())
            if chosen["seed"] is None:
                del chosen["seed"]
            return body(**{name: given[name] for name in own}, common=Common(**chosen))

        called.__name__, called.__doc__ = body.__name__, body.__doc__
        called.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
        called.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
        return app.command(cls=_Command, short_help=short_help, epilog=examples(*shown))(called)

    return made
