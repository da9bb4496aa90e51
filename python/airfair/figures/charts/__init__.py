"""`airfair plot` and the figures of `airfair report`: any result by any axis, with its confidence intervals."""
