"""`python -m airfair` is the command `airfair`."""

from airfair.cli import main

main()
