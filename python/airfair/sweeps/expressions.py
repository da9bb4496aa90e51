"""Splitting a list of SQL expressions into aggregates and values of a row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import duckdb

from airfair import _engine


@dataclass(frozen=True)
class Expression:
    """One expression of a list after SELECT."""

    sql: str
    #: Whether the expression aggregates rows, as `max(x)` and `quantile_cont(x, 0.9)` do.
    aggregate: bool


def split(written: str) -> list[Expression]:
    """Split a list of expressions such as `jain, max(throughput_total) AS most`.

    Raises:
        InputError: The text is not a list of expressions.
    """
    with duckdb.connect(":memory:") as connection:
        query = "SELECT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'"
        aggregates = {name for (name,) in connection.execute(query).fetchall()}
        tree = _tree(connection, written)
        node = tree["statements"][0]["node"]
        expressions = []
        for part in node["select_list"]:
            node_of_one = {**tree["statements"][0], "node": {**node, "select_list": [part]}}
            text = _one(connection, "SELECT json_deserialize_sql(?)", json.dumps({**tree, "statements": [node_of_one]}))
            names = set(_functions(part))
            expressions.append(Expression(text.removeprefix("SELECT "), bool(names & aggregates)))
    return expressions


def _tree(connection: duckdb.DuckDBPyConnection, written: str) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(_one(connection, "SELECT json_serialize_sql(?)", f"SELECT {written}\n"))
    if tree["error"] and tree["error_type"] != "not implemented":
        raise _engine.InputError(f"SQL: {tree['error_message']}")
    alone = not tree["error"] and len(tree["statements"]) == 1  # DuckDB serialises only SELECT
    if not alone or tree["statements"][0]["node"].get("from_table", {}).get("type") != "EMPTY":
        raise _engine.InputError("SQL: conditions and columns are expected, not statements")
    return tree


def _one(connection: duckdb.DuckDBPyConnection, query: str, value: str) -> str:
    try:
        found = connection.execute(query, [value]).fetchone()
    except duckdb.Error as error:
        raise _engine.InputError(f"SQL: {str(error).splitlines()[0]}") from None
    return str(found[0]) if found else ""


def _functions(node: Any) -> Iterator[str]:
    """Yield the functions in an expression, except in subqueries and windows, which do not aggregate its rows."""
    if isinstance(node, list):
        for part in node:
            yield from _functions(part)
    elif isinstance(node, dict) and node.get("class") not in ("SUBQUERY", "WINDOW"):
        if node.get("class") == "FUNCTION":
            yield str(node.get("function_name"))
        for part in node.values():
            yield from _functions(part)
