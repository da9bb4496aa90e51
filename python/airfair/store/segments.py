"""Segments: files of packed outcomes, one after the other.

Each outcome follows a header with its key and its length. The header has a checksum, and packed outcomes have their
own. Damage costs only the outcomes that it touches: the next one is found by the mark of its header.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from airfair import _engine
from airfair.store.entries import MOST_BYTES

#: The names of segments. Later segments have larger numbers; the rest of the name differs between processes.
NAME = re.compile(r"(?P<number>\d{6,12})-[0-9a-f]{8}\.segment")
#: Size at which a process begins another segment, so that rewriting one takes little memory.
LARGEST = 64 * 1024 * 1024

_MARK = _engine.SEGMENT_MARK
#: The header of an outcome: the mark, the key, and the length of the packed outcome. Its CRC-32 follows.
_HEADER = struct.Struct(f"<{len(_MARK)}s32sQ")
_CHECKSUM = struct.Struct("<L")
_SIZE = _HEADER.size + _CHECKSUM.size
#: Number of bytes that are searched for a mark at a time.
_PIECE = 1024 * 1024


class Part(NamedTuple):
    """A part of a segment: an entry or, without a key, bytes that are not one."""

    #: The key in hexadecimal digits; `None` for bytes that are not an entry.
    key: str | None
    start: int
    end: int
    #: Whether these bytes are the beginning of an entry that a killed process has not finished.
    torn: bool = False


@dataclass(frozen=True, slots=True)
class Entries:
    """Packed outcomes with their headers, as they stand in a segment."""

    #: Keys of the outcomes, one after the other.
    keys: bytes
    #: Length of each outcome with its header.
    lengths: Sequence[int]
    contents: bytes

    def __len__(self) -> int:
        return len(self.lengths)


def framed(key: str, contents: bytes) -> bytes:
    """Put the header before a packed outcome."""
    return _engine.framed(bytes.fromhex(key), contents)


def together(entries: Iterable[tuple[str, bytes]]) -> Entries:
    """Put packed outcomes, each with its key, one after the other."""
    found = list(entries)
    pieces = [framed(*entry) for entry in found]
    return Entries(bytes.fromhex("".join(key for key, _ in found)), [*map(len, pieces)], b"".join(pieces))


def parts(file: BinaryIO) -> Iterator[Part]:
    """Yield all parts of a segment in order, without reading the outcomes."""
    size = os.fstat(file.fileno()).st_size
    at = 0
    while at < size:
        found = _entry(file, at)
        if found is not None and found.end <= size:
            yield found
            at = found.end
            continue
        following = _next(file, at + 1, size)
        begun = found is not None or (size - at < _SIZE and _MARK.startswith(_at(file, at, len(_MARK))))
        yield Part(None, at, following, torn=begun and following == size)
        at = following


def contents(file: BinaryIO, key: str, start: int) -> bytes | None:
    """Read the packed outcome with this key whose header is at `start`; `None` if there is no such header."""
    found = _entry(file, start)
    if found is None or found.key != key:
        return None
    return _at(file, start + _SIZE, found.end - start - _SIZE)


def whole(file: BinaryIO, part: Part) -> bytes:
    """Read a part of a segment, including its header."""
    return _at(file, part.start, part.end - part.start)


def _entry(file: BinaryIO, at: int) -> Part | None:
    """The entry whose header is at position `at`; `None` if no valid header is there."""
    head = _at(file, at, _SIZE)
    if len(head) < _SIZE or _CHECKSUM.unpack_from(head, _HEADER.size)[0] != zlib.crc32(head[: _HEADER.size]):
        return None
    mark, key, length = _HEADER.unpack_from(head)
    # A packed outcome is never longer than the largest text that can be packed.
    return Part(key.hex(), at, at + _SIZE + length) if mark == _MARK and length <= MOST_BYTES else None


def _next(file: BinaryIO, at: int, size: int) -> int:
    """The position of the next entry from `at` on, or the end of the file."""
    for start in range(at, size, _PIECE):
        piece = _at(file, start, _PIECE + len(_MARK) - 1)
        place = piece.find(_MARK)
        while place >= 0:
            found = _entry(file, start + place)
            if found is not None and found.end <= size:
                return start + place
            place = piece.find(_MARK, place + 1)
    return size


def _at(file: BinaryIO, at: int, length: int) -> bytes:
    file.seek(at)
    return file.read(length)
