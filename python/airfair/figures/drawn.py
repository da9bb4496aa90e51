"""Rendering Vega-Lite and SVG in a process of its own, because the drawing library aborts on unexpected input."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from typing import Any

from airfair._engine import EngineError


class _Helper:
    """The process that draws, started on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, **request: Any) -> bytes:
        """Send a request to `_draws.py` and return its answer.

        Raises:
            EngineError: Drawing failed, or ended the process.
        """
        with self._lock:
            process = self._process = self._process or _started()
            try:
                assert process.stdin and process.stdout
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
                head = json.loads(process.stdout.readline() or "{}")
                contents = process.stdout.read(head.get("length", 0))
            except BrokenPipeError:
                head, contents = {}, b""
            except BaseException:
                self._end()  # interrupted: a late answer would be taken for that to the next request
                raise
            if "length" in head and len(contents) == head["length"]:
                return contents
            if "error" not in head:
                status = self._end()
                head["error"] = f"the library that draws ended with status {status}"
        raise EngineError(f"cannot draw the figure: {head['error']}")

    def forked(self) -> None:
        """After a fork, leave the drawing process to the parent, so that this process starts another on first use."""
        if self._process:
            for pipe in (self._process.stdin, self._process.stdout):
                pipe.raw.close()  # type: ignore[union-attr]  # without a flush: the buffer's contents are the parent's
            self._process.returncode = 0  # this process cannot wait for it
        self._lock = threading.Lock()
        self._process = None

    def close(self) -> None:
        """End the process."""
        if self._process:
            self._end()

    def _end(self) -> int:
        assert self._process is not None
        process, self._process = self._process, None
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(BrokenPipeError):
                assert pipe is not None
                pipe.close()
        try:
            return process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def _started() -> subprocess.Popen[bytes]:
    if importlib.util.find_spec("vl_convert") is None:
        raise ModuleNotFoundError("vl_convert draws figures, and is not installed", name="vl_convert")
    # -P: do not import modules from the current directory.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "airfair.figures._draws"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        start_new_session=True,  # Ctrl-C goes to this process only, which then ends that one
    )


_helper = _Helper()
atexit.register(_helper.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helper.forked)


def svg(spec: dict[str, Any], version: str) -> str:
    """A chart as SVG."""
    return _helper.ask(spec=spec, version=version).decode()


def png(picture: str, scale: float) -> bytes:
    """An SVG as PNG."""
    return _helper.ask(svg=picture, scale=scale)


def pdf(picture: str) -> bytes:
    """An SVG as PDF, of the SVG's size."""
    return _helper.ask(pdf=picture)
