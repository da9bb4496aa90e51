"""Recognising AirFair's files by their contents, for directories without a record."""

from __future__ import annotations

import enum
import json
import struct
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import PurePath

#: The first line of every `sweep.toml`.
SWEEP_TOML = "# What this directory holds. `airfair sweep DIR` continues it, on any computer."

#: By file name, the keys that a command's JSON document has, or its entries if it is a list. Documents that are not
#: listed have the keys under the empty name.
_KEYS: Mapping[str, frozenset[str]] = {
    "": frozenset({"schema_version", "engine_version", "scenario"}),
    "manifest.json": frozenset({"schema_version", "commands"}),
    "reproduce.json": frozenset({"study", "figures", "claims"}),
    "show.json": frozenset({"scenario", "toml"}),
    "check.json": frozenset({"scenario", "valid", "parameters"}),
    "schema.json": frozenset({"$schema", "title", "properties"}),
    "scenarios.json": frozenset({"name", "title"}),
    "studies.json": frozenset({"name", "figures", "claims"}),
    "describe.json": frozenset({"name"}),
    "cache.json": frozenset({"model_version", "versions", "damaged"}),
    "init.json": frozenset({"file", "network", "devices", "traffic"}),
    "fair-share.json": frozenset({"scenario", "users", "flows", "fair_share"}),
    "diff.json": frozenset({"a", "b", "parameters", "metrics"}),
    "results.json": frozenset({"columns", "rows"}),
}
#: Columns of tables that earlier versions wrote without metadata.
_COLUMNS = (
    {"experiment", "scenario", "setup", "metric", "value"},
    {"feasible", "as_good", "reason"},
    {"seed", "flow"},
    {"seed", "station"},
    {"seed", "link"},
    {"seed", "quantity"},
    {"seed", "wlan"},
)
#: The type of a pcapng file's first block, and the end of the text that AirFair puts into it.
_CAPTURE, _CAPTURE_MARK = b"\n\r\r\n", b"\x04\0\x0d\0AirFair "
#: Number of bytes at the start of a file that show whether it is a capture, and who wrote it.
HEAD = 4096
#: Mark of an SVG: a comment at the end of the file.
_SVG_MARK = b"\n<!-- AirFair -->\n"
#: Mark of a PDF: a comment behind the end of the document.
_PDF_MARK = b"\n% AirFair\n"
#: Mark of a PNG: a text chunk after the 33-byte header.
_PNG_TEXT = b"tEXtSoftware\0AirFair"
_PNG_MARK = struct.pack(">I", len(_PNG_TEXT) - 4) + _PNG_TEXT + struct.pack(">I", zlib.crc32(_PNG_TEXT))
_PNG_HEADER = 33

_TABLES = ("results", "sessions", "failures", "timings", "flows", "stations", "links", "series", "air", "evaluations")
#: Names of the files that earlier versions, which kept no record, wrote beside the folder `figures`.
NAMES = (
    "sweep.toml",
    *(name for name in _KEYS if name),
    *("run.json", "sweep.json", "optimize.json", "timeline.json"),
    *(f"{table}.parquet" for table in _TABLES),
    *("report.html", "summary.md", "optimum.png", "optimum.svg"),
    *("timeline.html", "timeline.png", "timeline.svg"),
)


class Writer(enum.Enum):
    """Who wrote a file."""

    AIRFAIR = "AirFair"
    OTHERS = "others"
    #: The contents do not show who wrote the file: it is torn, of a kind without a mark, or an earlier version's.
    UNCLEAR = "unclear"


def writer(name: str, contents: bytes) -> Writer:
    """Judge by its name and contents who wrote a file."""
    if not contents.strip(b"\0"):
        return Writer.UNCLEAR  # empty, or zeros that a power failure before a sync has left
    suffix = PurePath(name).suffix
    if suffix == ".png":
        return Writer.AIRFAIR if contents[_PNG_HEADER:].startswith(_PNG_MARK) else Writer.UNCLEAR
    if suffix == ".svg":
        return Writer.AIRFAIR if contents.endswith(_SVG_MARK) else Writer.UNCLEAR
    if suffix == ".pdf":
        return Writer.AIRFAIR if contents.endswith(_PDF_MARK) else Writer.UNCLEAR
    if suffix in (".md", ".csv"):
        return Writer.UNCLEAR
    if suffix == ".parquet":
        return _of_table(contents)
    if suffix == ".json":
        return _of_document(PurePath(name).name, contents)
    if suffix == ".toml":
        return Writer.AIRFAIR if contents.startswith(SWEEP_TOML.encode()) else Writer.OTHERS
    if suffix == ".html":
        return Writer.AIRFAIR if b"AirFair</title>" in contents else Writer.OTHERS
    return Writer.OTHERS


def capture_writer(head: bytes) -> Writer | None:
    """Judge by its first `HEAD` bytes who wrote a capture of frames; `None` if the file is no capture."""
    if not head.startswith(_CAPTURE):
        return None
    return Writer.AIRFAIR if _CAPTURE_MARK in head else Writer.OTHERS


def mark(name: str, contents: bytes) -> bytes:
    """Add the mark of the file's kind to its contents, if that kind has one."""
    suffix = PurePath(name).suffix
    if writer(name, contents) is Writer.AIRFAIR:
        return contents
    if suffix == ".png":
        return contents[:_PNG_HEADER] + _PNG_MARK + contents[_PNG_HEADER:]
    return contents + {".svg": _SVG_MARK, ".pdf": _PDF_MARK}.get(suffix, b"")


def _of_table(contents: bytes) -> Writer:
    import polars

    try:
        if "airfair" in polars.read_parquet_metadata(BytesIO(contents)):
            return Writer.AIRFAIR
        columns = set(polars.read_parquet_schema(BytesIO(contents)))
    except (polars.exceptions.PolarsError, OSError, ValueError, RuntimeError):
        return Writer.UNCLEAR if contents.startswith(b"PAR1") else Writer.OTHERS
    return Writer.AIRFAIR if any(columns >= expected for expected in _COLUMNS) else Writer.OTHERS


def _of_document(name: str, contents: bytes) -> Writer:
    try:
        document = json.loads(contents)
    except (ValueError, RecursionError):
        return Writer.UNCLEAR if contents.lstrip().startswith((b"{", b"[")) else Writer.OTHERS
    if isinstance(document, list) and document:
        document = document[0]
    if not isinstance(document, dict):
        return Writer.OTHERS
    fits = _KEYS.get(name, _KEYS[""]) <= document.keys() or _KEYS[""] <= document.keys()
    return Writer.AIRFAIR if fits else Writer.OTHERS
