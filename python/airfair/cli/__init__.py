"""The command `airfair`. Imports only typer, so that help and shell completion are fast."""

# In the order of the help.
from airfair.cli import scenarios, studies, optimize, sweeps, comparison, figures  # noqa: F401, I001
from airfair.cli.app import app


def main() -> None:
    """Entry point."""
    import gc
    import sys

    # At Python's own threshold of 700 new objects, looking for cycles, of which there are few, takes 4 % of a sweep of
    # short runs.
    gc.set_threshold(100_000)
    # Threads that come back from the engine wait this long for Python's lock at most, not 5 ms.
    sys.setswitchinterval(0.0005)
    app()
