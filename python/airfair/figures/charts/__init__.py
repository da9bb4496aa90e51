"""Figures of `airfair plot` and `airfair report`: any metric along any axis, with confidence intervals."""
