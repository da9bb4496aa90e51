"""Pictures from Vega-Lite and SVG.

The library that draws aborts its process on what it does not expect, so it has one of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from typing import Any

from airfair._engine import EngineError


class _Helper:
    """The process, started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, **request: Any) -> bytes:
        """What `_draws.py` answers.

        Raises:
            EngineError: It could not, or it has died of the question.
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
                self._end()  # interrupted: what it still says would be taken for the next answer
                raise
            if "length" in head and len(contents) == head["length"]:
                return contents
            if "error" not in head:
                status = self._end()
                head["error"] = f"the library that draws ended with status {status}"
        raise EngineError(f"cannot draw the figure: {head['error']}")

    def close(self) -> None:
        """Let it go, at the end."""
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
    # -P: a file in the current directory must not stand in for a module.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "airfair.figures._draws"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        start_new_session=True,  # Ctrl-C is for this process, which then ends that one
    )


_helper = _Helper()
atexit.register(_helper.close)


def svg(spec: dict[str, Any], version: str) -> str:
    """A chart as SVG."""
    return _helper.ask(spec=spec, version=version).decode()


def png(picture: str, scale: float) -> bytes:
    """An SVG as PNG."""
    return _helper.ask(svg=picture, scale=scale)
