"""Benchmarks of the engine: against other simulators, over sizes, against its own limit, and against the last run."""
