"""The disk: output directories, their records, stored outcomes."""
