"""Imports every module with commands, which makes all commands known."""

# In the order of the help.
from airfair.cli import scenarios, studies, optimize, sweeps, comparison, figures  # noqa: F401, I001
from airfair.cli.app import app

__all__ = ["app"]
