"""Mutation testing: put small faults into the code, one at a time, and check that some test finds each."""
