"""Runs: the executor, its workers, and results."""

#: Maximum number of seeds of commands that keep every run in memory. Declarations of options import only this module.
SEED_LIMIT = 1_000_000
