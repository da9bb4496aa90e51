"""The application, to which the other modules add commands, and what becomes of errors."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from airfair.cli.options import examples


class Commands(TyperGroup):
    """Turns the engine's errors into one message and an exit status: 2 bad input, 1 failed, 130 interrupted."""

    def invoke(self, ctx: Any) -> Any:
        """Call the command."""
        from airfair._engine import EngineError, InputError

        try:
            raise typer.Exit(super().invoke(ctx) or 0)
        except InputError as error:
            _tell(str(error))
            raise typer.Exit(2) from None
        except UnicodeEncodeError as error:
            _tell(f"{error.object}: its bytes are no UTF-8 text, and names of scenarios have to be")
            raise typer.Exit(2) from None
        except BrokenPipeError:
            raise
        except (EngineError, OSError) as error:
            _tell(str(error))
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(130) from None


def _tell(message: str) -> None:
    from airfair import console

    typer.echo(f"error: {console.one_line(message)}", err=True)


app = typer.Typer(
    cls=Commands,
    name="airfair",
    epilog=examples("airfair run jung/mixed --set tcp=vegas", "airfair reproduce jung --quick"),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: importing rich for it takes longer than all the rest
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
