"""Descriptions of whatever has a name."""
