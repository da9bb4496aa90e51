"""Two runs, sweeps or scenarios beside each other."""
