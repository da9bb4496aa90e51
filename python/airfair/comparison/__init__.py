"""Comparison of two runs, sweeps or scenarios."""
