"""The process that draws. Each line of stdin is a JSON request; the answer is a length and that many bytes."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from typing import Any

import vl_convert


def _drawn(request: dict[str, Any]) -> bytes:
    if "spec" in request:
        return vl_convert.vegalite_to_svg(request["spec"], vl_version=request["version"]).encode()
    if "pdf" in request:
        return vl_convert.svg_to_pdf(request["pdf"])
    return packed(vl_convert.svg_to_png(request["svg"], scale=request["scale"]))


def packed(png: bytes) -> bytes:
    """Compress the pixels of a PNG well: the drawing library compresses them quickly, to four times the size."""
    head, pixels, at = b"", b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, chunk = png[at + 4 : at + 8], png[at : at + 12 + length]
        if kind == b"IDAT":
            pixels += chunk[8:-4]
        elif kind != b"IEND":
            head += chunk
        at += len(chunk)
    pixels = b"IDAT" + zlib.compress(zlib.decompress(pixels))
    checked = struct.pack(">I", len(pixels) - 4) + pixels + struct.pack(">I", zlib.crc32(pixels))
    return png[:8] + head + checked + png[-12:]


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
