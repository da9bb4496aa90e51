"""The process that draws: reads a JSON request from each line of stdin, answers with a length and that many bytes."""

from __future__ import annotations

import json
import sys
from typing import Any

import vl_convert


def _drawn(request: dict[str, Any]) -> bytes:
    if "spec" in request:
        return vl_convert.vegalite_to_svg(request["spec"], vl_version=request["version"]).encode()
    if "pdf" in request:
        return vl_convert.svg_to_pdf(request["pdf"])
    return vl_convert.svg_to_png(request["svg"], scale=request["scale"])


def main() -> None:
    """Answer requests until stdin ends."""
    for line in sys.stdin.buffer:
        try:
            contents = _drawn(json.loads(line))
            head: dict[str, Any] = {"length": len(contents)}
        except Exception as error:
            contents, head = b"", {"error": " ".join(str(error).splitlines()[:2])}
        sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + contents)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
