"""Compact columns of values that repeat."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Column(Generic[_T]):
    """A column of hashable values. Each distinct value is kept once; a column of one value stores no indices."""

    def __init__(self) -> None:
        """Start empty."""
        # The keys include the type, because 1, 1.0 and True are equal.
        self._numbers: dict[tuple[type, _T], int] = {}
        #: The distinct values, in the order in which they came.
        self.distinct: list[_T] = []
        self._places: array[int] | None = None
        self._size = 0

    def append(self, value: _T, times: int = 1) -> None:
        """Add a value at the end, `times` times."""
        number = self._numbers.setdefault((type(value), value), len(self._numbers))
        if number == len(self.distinct):
            self.distinct.append(value)
        if number and self._places is None:
            self._places = array("I", bytes(self._size * array("I").itemsize))
        if self._places is not None:
            self._places.extend(array("I", [number]) * times)
        self._size += times

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[_T]:
        return map(self.__getitem__, range(self._size))

    def __getitem__(self, place: int) -> _T:
        return self.distinct[self._places[place] if self._places is not None else 0]
