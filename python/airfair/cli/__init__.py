"""The command `airfair`. Imports typer alone, so that help and shell completion answer at once."""

# In the order in which the help lists the commands.
from airfair.cli import scenarios, studies, optimize, sweeps, figures  # noqa: F401, I001
from airfair.cli.app import app


def main() -> None:
    """Entry point."""
    app()
