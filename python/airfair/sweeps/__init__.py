"""Sweeps: many points of one scenario, in a directory that is its own store. `docs/sweeps.md` is the guide.

`spec` says what is asked for and `sweep_file` reads and writes it; `plan` finds the points; `seeding` decides how
many seeds each gets; `runner` has the executor compute them, here or by `on_ray`; `frames` makes the tables;
`directory` keeps them. `query` and `upkeep` are the commands `results` and `cache`.
"""
