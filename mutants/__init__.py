"""Mutation testing: small faults put into the code one at a time, each of which some test has to find."""
