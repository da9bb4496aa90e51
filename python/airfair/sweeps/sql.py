"""Sandboxed SQL over one table: a query reads that table, writes one answer, and accesses nothing else."""

from __future__ import annotations

import atexit
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import polars

from airfair import _engine
from airfair.runs.signals import Terminated, ending
from airfair.runs.workers import default_jobs

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Limits of a query: memory, temporary files, threads, rows of its answer.
MEMORY = "2GB"
SPILL = "4GB"
THREADS = 4
ROWS = 10_000_000

#: DuckDB's message on a column that is not there.
_NO_COLUMN = re.compile(r'^Referenced column ("[^"]*") not found in FROM clause! Candidate bindings: (.*)$')
#: DuckDB's message on a text where a number is needed, which may come from a column.
_NO_NUMBER = re.compile(
    r"^Conversion Error: Could not convert string ('.*') to \w+(?: when casting from source column (.*))?$"
)

#: Types that Polars cannot read, even inside other types; and quoted names and words in DuckDB's text of a type.
_NOT_KEPT, _QUOTED = re.compile(r"\b(INTERVAL|VARIANT)\b"), re.compile(r"""'[^']*'|"[^"]*\"""")

#: Seconds to wait for an interrupted query to end. A function over one long list cannot be interrupted.
_GRACE = 0.5
#: Seconds between checks for Ctrl-C.
_LOOK = 0.1


def answer(table: str, source: Path | polars.DataFrame, sql: str) -> polars.DataFrame:
    """Return the answer to a SELECT over a table, which is a Parquet file or a frame.

    The answer passes through a file, which keeps types and needs no other library. Ctrl-C and SIGTERM end the query.

    Raises:
        InputError: The query is not a SELECT or exceeds the limits above, or the file is not a table.
    """
    with ending(), tempfile.TemporaryDirectory(prefix="airfair-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        connection = duckdb.connect(
            ":memory:",
            config={
                "memory_limit": MEMORY,
                "threads": str(min(THREADS, default_jobs())),
                # By default this is in the working directory, whose files could then be read.
                "temp_directory": str(folder / "spill"),
                "max_temp_directory_size": SPILL,
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "allow_community_extensions": "false",
            },
        )
        return _interruptible(connection, lambda: _answered(connection, folder, table, source, sql))


def _answered(
    connection: DuckDBPyConnection, folder: Path, table: str, source: Path | polars.DataFrame, sql: str
) -> polars.DataFrame:
    _fill(connection, folder, table, source)
    file = folder / "answer.parquet"
    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise _engine.InputError("SQL: conditions and columns are expected, not statements")
        for name, kind, *_ in connection.execute(f"DESCRIBE {sql}").fetchall():
            if _NOT_KEPT.search(_QUOTED.sub("", kind)):
                raise _engine.InputError(
                    f"SQL: {name} is of type {kind}, which the answer cannot hold: cast it to VARCHAR"
                )
        whole = f"SELECT * FROM ({sql}\n) LIMIT {ROWS + 1}"
        connection.execute(f"COPY ({whole}) TO {quoted(file)} (FORMAT parquet)").fetchall()
    except duckdb.OutOfMemoryException:
        limits = f"{MEMORY} of memory and {SPILL} of temporary files"
        raise _engine.InputError(f"SQL: the query takes more than {limits}") from None
    except duckdb.Error as error:
        raise _engine.InputError(f"SQL: {_first_line(str(error))}") from None
    found = polars.read_parquet(file, glob=False)
    if found.height > ROWS:
        raise _engine.InputError(f"SQL: the answer has more than {ROWS:,} rows")
    return found


def _fill(connection: DuckDBPyConnection, folder: Path, table: str, source: Path | polars.DataFrame) -> None:
    """Let SQL read this table and write the answer; disable all other access."""
    file = source
    if isinstance(source, polars.DataFrame):
        file = folder / "table.parquet"
        source.write_parquet(file)
    statements = (
        f"CREATE TABLE {table} AS FROM read_parquet({quoted(Path(escape(str(file))))})",
        f"SET allowed_directories = [{quoted(folder)}]",
        "SET enable_external_access = false",
        "SET lock_configuration = true",
    )
    try:
        for statement in statements:
            connection.execute(statement).fetchall()
    except duckdb.Error as error:
        raise _engine.InputError(f"{source}: it cannot be read as a table: {_first_line(str(error))}") from None


def _interruptible(connection: DuckDBPyConnection, work: Callable[[], polars.DataFrame]) -> polars.DataFrame:
    """Run `work` in another thread, since DuckDB notices Ctrl-C only when a query is done."""
    ended = threading.Event()
    found: list[polars.DataFrame] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)
        finally:
            connection.close()
            ended.set()

    threading.Thread(target=run, name="airfair-sql", daemon=True).start()
    try:
        # With a timeout: the SIGINT handler that Polars sets lets a wait continue (SA_RESTART).
        while not ended.wait(_LOOK):
            pass
    except (KeyboardInterrupt, Terminated) as error:
        connection.interrupt()
        if not ended.wait(_GRACE):
            atexit.register(_leave, ended, getattr(error, "code", 130))
        raise
    if failed:
        raise failed[0]
    return found[0]


def _leave(ended: threading.Event, status: int) -> None:
    """End the process although a query runs. Python would wait for it, or abort when it returns to freed memory."""
    if not ended.is_set():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def quoted(value: object) -> str:
    """A value as a text of SQL, in its quotes."""
    return "'" + str(value).replace("'", "''") + "'"


def _first_line(text: str) -> str:
    """DuckDB's message without its excerpt of the query; those on unknown columns and on texts are replaced."""
    line = " ".join(line.strip() for line in text.split("\n\nLINE")[0].splitlines() if line.strip())
    line = re.sub(r"^(Binder|Catalog|Parser) Error: ", "", line)
    return _NO_NUMBER.sub(_no_number, _NO_COLUMN.sub(_no_column, line))


def _no_column(found: re.Match[str]) -> str:
    word = found[1].strip('"')
    return f"there is no column {found[1]}; similar: {found[2]}; a text stands in single quotes: '{word}'"


def _no_number(found: re.Match[str]) -> str:
    text, column = found.groups()
    if column is None:
        return f"{text} is a text, and a number is needed"
    return f"the column {column} holds texts, such as {text}: a text stands in single quotes"
