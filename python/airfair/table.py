"""Tables of results, handed to whichever data library is installed through the Arrow PyCapsule interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars


class Table:
    """One table of results. Any library that reads the Arrow PyCapsule interface takes it without a copy.

    ``polars.DataFrame(table)``, ``pyarrow.table(table)`` and DuckDB's ``from table`` work; AirFair needs none of them
    installed. pandas reads Arrow through PyArrow only; without it there is `to_pandas`.
    """

    def __init__(self, source: Any) -> None:
        """Wrap an object with ``__arrow_c_stream__``."""
        self._source = source

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export as an Arrow C stream. May be called any number of times."""
        return self._source.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Export the schema alone."""
        return self._source.__arrow_c_schema__()

    def to_polars(self) -> polars.DataFrame:
        """The table as a Polars data frame. Needs the package `polars`."""
        import polars

        return polars.DataFrame(self._source)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame, a copy. Needs the package `pandas` alone."""
        import pandas

        return pandas.DataFrame(self.to_pydict())

    def to_pydict(self) -> dict[str, list[Any]]:
        """The columns as lists of Python values, by name. Needs no package; copies."""
        columns: dict[str, list[Any]] = self._source.to_pydict()
        return columns

    def __len__(self) -> int:
        return len(self._source)

    def __repr__(self) -> str:
        return repr(self._source)
