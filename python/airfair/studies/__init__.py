"""Studies: published papers as data, and their reproduction."""
