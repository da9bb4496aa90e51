"""Runs: the executor, its workers, and results."""

#: Maximum number of seeds where each run is held in memory. The command line's declarations import this alone.
SEED_LIMIT = 1_000_000
