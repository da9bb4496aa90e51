"""Comparisons of AirFair with ns-2 and theory: `python -m fidelity`, shown in docs/fidelity.md and docs/fidelity/."""
