"""A headless Chromium for pages: one process, controlled by the DevTools protocol over a pipe."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
#: Seconds to wait for an answer of the browser.
PATIENCE = 60
#: Widths of the tested screens, from telephones to wide screens.
WIDTHS = (360, 420, 768, 1100, 1400, 1600)
#: Script that lists texts smaller than 11 px, and texts with too little contrast (WCAG 2, 1.4.3).
UNREADABLE = """(() => {
  const found = [], start = (one) => one.outerHTML.slice(0, 140);
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !one.checkVisibility()) continue;
    if (one.closest("script, style, title, desc, :disabled, .absent")) continue;
    const style = getComputedStyle(one), inside = one.closest("svg");
    const scale = inside ? inside.getBoundingClientRect().width / inside.viewBox.baseVal.width : 1;
    if (parseFloat(style.fontSize) * scale < 10.99) found.push(`${style.fontSize} x ${scale}: ${start(one)}`);
    if (inside) continue; // its own colours: tests/test_theme.py
    const [a, b] = [luminance(parse(style.color)), luminance(behind(one))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.push(`contrast ${((a + 0.05) / (b + 0.05)).toFixed(2)}: ${start(one)}`);
  }
  return found.slice(0, 5);
})()"""


def executable() -> str | None:
    """The browser's path, or None without a browser."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A running browser without a window."""

    def __init__(self, profile: Path) -> None:
        """Start it with an empty profile."""
        program = executable()
        assert program is not None
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        # DevTools reads from descriptor 3 and writes to 4. A shell moves the ends of the pipes there.
        shell = 'exec 3<&"$0" 4>&"$1"; shift; exec "$@"'
        arguments = [
            "--headless",
            "--no-sandbox",  # a sandbox fails as root and in containers; all pages are this project's
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
        ]
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", shell, str(theirs_in), str(theirs_out), program, *arguments],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._out = os.fdopen(ours_out, "wb", buffering=0)
        self._in = ours_in
        os.set_blocking(ours_in, False)
        self._rest = b""
        self._count = 0
        self.events: list[dict[str, Any]] = []

    def close(self) -> None:
        """Kill the browser."""
        self._out.close()
        os.close(self._in)
        self._process.kill()
        self._process.wait(PATIENCE)

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer. Events that arrive meanwhile go to `events`."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        self._out.write(json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0")
        for found in self._messages():
            if found.get("id") == self._count:
                assert "error" not in found, (method, found["error"])
                result: dict[str, Any] = found["result"]
                return result
        raise AssertionError(f"{method}: no answer")

    def _messages(self) -> Iterator[dict[str, Any]]:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            while b"\0" in self._rest:
                text, self._rest = self._rest.split(b"\0", 1)
                found = json.loads(text)
                if "method" in found:
                    self.events.append(found)
                yield found
            try:
                more = os.read(self._in, 1 << 20)
                assert more, "the browser has ended"
                self._rest += more
            except BlockingIOError:
                time.sleep(0.002)

    @contextmanager
    def page(self, path: Path, *, slow: float = 1) -> Iterator[Page]:
        """Open a page from a file. Its main thread is `slow` times slower than usual; its workers are not."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        try:
            for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
                page.call(f"{domain}.enable")
            page.call("Emulation.setCPUThrottlingRate", rate=slow)
            page.call("Page.navigate", url=path.resolve().as_uri())
            page.until("document.readyState === 'complete'")
            yield page
        finally:
            self.call("Target.closeTarget", targetId=target)


class Page:
    """An open page."""

    def __init__(self, browser: Browser, session: str) -> None:
        """Wrap a DevTools session."""
        self._browser = browser
        self._session = session

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command to the page."""
        return self._browser.call(method, self._session, **parameters)

    def evaluate(self, script: str) -> Any:
        """The value of an expression. A promise is awaited."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(condition):
            assert time.monotonic() < end, condition
            time.sleep(0.01)

    def width(self, wide: int, *, dark: bool = False, high: int = 1000) -> None:
        """Set the width of the screen."""
        self.call("Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def screenshot(self, file: Path, *, whole: bool = True) -> None:
        """Save a picture of the page."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))

    def press(self, key: str) -> None:
        """Press and release a key."""
        typed = {"Enter": "\r", " ": " "}.get(key)  # buttons and boxes respond to the character
        text = {"text": typed} if typed else {}
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key], **text)

    def tap(self, x: float, y: float) -> None:
        """Tap the screen at a position."""
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    @property
    def complaints(self) -> list[str]:
        """Errors, warnings and blocked contents from the console and the browser's log."""
        found = []
        for event in self._of("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            found.append(json.dumps(event["params"]))
        return found + [json.dumps(event["params"]) for event in self._of("Audits.issueAdded")]

    @property
    def requests(self) -> list[str]:
        """The addresses that the page has requested, except its own."""
        asked = [event["params"]["request"]["url"] for event in self._of("Network.requestWillBeSent")]
        return asked[1:]

    def _of(self, *methods: str) -> list[dict[str, Any]]:
        events = self._browser.events
        return [event for event in events if event.get("sessionId") == self._session and event["method"] in methods]


def on_paper(page: Page, least: float = 10.99) -> None:
    """Check that a page prints dark on white, even with a dark colour scheme, and no words smaller than `least` px."""
    dark = {"name": "prefers-color-scheme", "value": "dark"}
    page.call("Emulation.setEmulatedMedia", media="print", features=[dark])
    ground, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert ground == "rgb(255, 255, 255)" and max(map(int, re.findall(r"\d+", ink))) < 80, (ground, ink)
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    assert page.evaluate(UNREADABLE.replace("10.99", str(least))) == []


KEYS = {"+": 187, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "Escape": 27, "Enter": 13, " ": 32}


needs_browser = pytest.mark.skipif(executable() is None, reason=f"no browser here: none of {', '.join(NAMES)}")
