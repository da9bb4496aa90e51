"""Sweeps: many points of one scenario, in a directory that is its own store. `docs/sweeps.md` is the guide.

`spec` defines a sweep, `sweep_file` reads and writes it; `grid` expands its axes, `plan` checks its points;
`seeding` decides the number of seeds of each point; `runner` computes the points, here or by `on_ray`; `frames` makes
the tables and `directory` keeps them. `query` and `upkeep` are the commands `results` and `cache`.
"""
