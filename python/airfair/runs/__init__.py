"""Runs: the executor, its workers, and results."""
