"""The command `airfair`. Imports only typer, so that help and shell completion are fast."""

# In the order of the help.
from airfair.cli import scenarios, studies, optimize, sweeps, comparison, figures  # noqa: F401, I001
from airfair.cli.app import app


def main() -> None:
    """Entry point."""
    import gc

    # At Python's own threshold of 700 new objects, looking for cycles, of which there are few, takes 4 % of a sweep of
    # short runs.
    gc.set_threshold(20_000)
    app()
