"""Studies: published papers as data, reproduced."""
