"""The application, to which the other modules add commands, and its handling of errors."""

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any

import typer
from typer import _completion_shared
from typer.core import TyperCommand, TyperGroup

from airfair.cli.advice import UsageError, advise
from airfair.cli.bash_completion import SCRIPT
from airfair.cli.defaults import BadDefaultError, bad_default, defaults, place_of
from airfair.cli.options import common, examples
from airfair.cli.values import read_quickly


class _Command(TyperCommand):
    """A command that reads its options quickly, and whose help shows the defaults in force."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read options."""
        parameters: list[Any] = self.get_params(ctx)
        for parameter in parameters:
            if parameter.name in (ctx.default_map or ()):
                parameter.show_default = True  # show the value instead of the words on what holds without a value
        read_quickly(parameters)
        given = list(args)  # Click empties the list
        try:
            return super().parse_args(ctx, args)
        except UsageError as error:
            from airfair.catalogue.wording import visible

            commands = ctx.find_root().command.commands
            advise(error, parameters, given, {name: listed.whole for name, listed in commands.items()})
            error.message = visible(error.message)
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        from airfair._engine import InputError

        try:
            return super().invoke(ctx)
        except InputError as error:
            if (bad := bad_default(str(error), ctx)) is None:
                raise
            raise bad from None


class Listed(TyperCommand):
    """A command in a list of commands: its name and its help, without its options.

    The options are made when the command is called: making those of all commands takes as long as a short run.
    """

    def __init__(self, name: str, help: str | None, short_help: str | None, make: Callable[[], Any]) -> None:
        """`make` returns the command with its options."""
        super().__init__(name, help=help, short_help=short_help)
        self._make = make

    @cached_property
    def whole(self) -> Any:
        """The command with its options."""
        return self._make()


#: All commands, in the order of the help.
_commands: dict[str, Listed] = {}


class Commands(TyperGroup):
    """The group of all commands. Turns errors into one message and an exit status.

    The status is 2 for bad input, 1 for a failure, and 128 and the number of the signal after a signal.
    """

    def __init__(self, **given: Any) -> None:
        """Take the commands that `command` has made."""
        super().__init__(**given | {"commands": _commands})
        #: For each option with a user's default: where that default is set.
        self._places: dict[str, str] = {}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read options."""
        read_quickly(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the command, and its defaults in the environment and in `airfair.toml`."""
        name, listed, rest = super().resolve_command(ctx, args)
        if name is None or not isinstance(listed, Listed):
            return name, listed, rest
        if not ctx.resilient_parsing:
            values, self._places = defaults(name, _commands)
            ctx.default_map = {name: values}
        return name, listed.whole, rest

    def invoke(self, ctx: Any) -> Any:
        """Call the command."""
        from airfair._engine import EngineError, InputError
        from airfair.runs.signals import Terminated

        try:
            status = super().invoke(ctx) or 0
            sys.stdout.flush()  # Python flushes at exit, too, and would report errors in its own words
            raise typer.Exit(status)
        except BadDefaultError as error:
            _tell(str(error))
            raise typer.Exit(2) from None
        except typer.BadParameter as error:
            if (place := place_of(error, self._places)) is None:
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
    """Print an error of the operating system."""
    reason = error.strerror or str(error)
    _tell(f"{error.filename}: {reason}" if error.filename else reason)


def _tell(message: str) -> None:
    from airfair import console

    typer.echo(f"error: {console.one_line(message)}", err=True)


def _library(module: str) -> str | None:
    """The required package that provides a module, for installations that leave some requirements out."""
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


_completion_shared._completion_scripts["bash"] = SCRIPT


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
    out: str | None = None,
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Make a function a command. `shown` are its examples; for `seed`, `set` and `out` see `options.common`.
    By default `out` names the file of the JSON document.

    The options that all commands share are added after those of the function, and passed as `common`. A function that
    declares one of the shared options itself also receives it as an argument.
    """

    def made(body: Callable[..., int]) -> Callable[..., int]:
        name = body.__name__.replace("_", "-")

        def whole() -> Any:
            alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            registered = alone.command(name, cls=_Command, short_help=short_help, epilog=examples(*shown))
            registered(_with_shared_options(body, common(seed, set, out or f"Write {name}.json below DIR.")))
            return typer.main.get_command(alone)

        _commands[name] = Listed(name, body.__doc__, short_help, whole)
        return body

    return made


def _with_shared_options(body: Callable[..., int], options: Mapping[str, tuple[Any, Any]]) -> Callable[..., int]:
    """Wrap the function of a command so that Typer passes it the shared `options` as `common`."""
    own = dict(inspect.signature(body).parameters)
    del own["common"]
    shared = {
        name: inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    }
    shared |= {name: own[name] for name in shared if name in own}
    parameters = {name: parameter for name, parameter in own.items() if name not in shared} | shared

    def called(**given: Any) -> int:
        from airfair import console
        from airfair.command import Common

        console.quieten(given["quiet"])
        if given["out"] is not None:
            from airfair.store.output import check_name

            check_name(given["out"])
        chosen = {name: given[name] for name in shared}
        chosen["set"] = tuple(chosen["set"] or ())
        if chosen["seed"] is None:
            del chosen["seed"]
        return body(**{name: given[name] for name in own}, common=Common(**chosen))

    called.__name__, called.__doc__ = body.__name__, body.__doc__
    called.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    called.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return called
