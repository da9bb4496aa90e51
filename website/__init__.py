"""The project's site, built from `docs/`, from the declarations in the package, and from the sources' documentation."""
