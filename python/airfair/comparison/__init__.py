"""Comparison of two runs, sweeps, studies or scenarios."""
