"""Files on disk: output directories, their records, and stored outcomes."""
