"""Where the instructions of a segment go: callgrind's counts by part of the engine.

callgrind counts the instructions executed at each address. The debug information names the source file of the code at
an address, and the files into which that code was inlined. The first of these files that belongs to a part gets the
count. The standard library and `crates/core` belong to none, so their inlined code counts for its callers.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from bench.programs import ROOT

#: The parts and their files below `crates`. A file belongs to the part with the longest path that leads to it.
PARTS = {
    "Schedule, and the loop over events": [
        *("sim/src/fast.rs", "sim/src/network.rs", "sim/src/schedule.rs", "sim/src/deadline_monitor.rs"),
        *("sim/src/timing.rs", "sim/src/lookahead.rs", "sim/src/engine.rs", "sim/src/driven.rs"),
    ],
    "Links, lines and routes": ["net", "sim"],
    "Flows: what joins an endpoint to its network": [
        *("sim/src/flow.rs", "sim/src/tcp.rs", "sim/src/udp.rs", "sim/src/session.rs"),
        *("sim/src/traffic.rs", "sim/src/video.rs", "sim/src/web.rs", "sim/src/external.rs"),
        *("sim/src/video_call.rs", "sim/src/gcc.rs", "sim/src/gcc"),
    ],
    "Queue disciplines": ["queue"],
    "TCP: receiver": ["tcp/src/receiver.rs", "tcp/src/gro.rs", "tcp/src/right_sizing.rs"],
    "TCP: sender": ["tcp"],
    "TCP: timers and round-trip times": ["tcp/src/timers.rs", "tcp/src/rtt.rs"],
    "TCP: congestion control": ["tcp/src/congestion", "tcp/src/window.rs", "tcp/src/restart.rs"],
    "TCP: pacing and samples of the delivery rate": [
        *("tcp/src/paced.rs", "tcp/src/pacing.rs", "tcp/src/delivery.rs", "tcp/src/small_queue.rs"),
        "tcp/src/core/bundles.rs",
    ],
    "TCP: losses and their recovery": [
        *("tcp/src/recovery", "tcp/src/scoreboard.rs", "tcp/src/ranges.rs", "tcp/src/outstanding.rs"),
        "tcp/src/search.rs",
        *("tcp/src/core/losses.rs", "tcp/src/core/marked.rs", "tcp/src/core/early.rs"),
    ],
    "Wi-Fi: stations (queues, backoffs, aggregates)": ["wifi"],
    "Wi-Fi: medium (who hears whom, exchanges)": ["wifi/src/medium"],
    "Wi-Fi: durations and errors": ["wifi/src/phy"],
}
#: Options of callgrind: write an address with each count, and names and addresses in full.
OPTIONS = ["--dump-instr=yes", "--compress-strings=no", "--compress-pos=no"]
#: The row for code that belongs to no part and was not inlined into one.
ELSEWHERE = "Library functions that are called, not inlined (sorting, copies of memory)"


@cache
def part_of(path: str) -> str | None:
    """The part that a source file belongs to; `None` if it only serves others.

    `path` is the file's path, with `crates` in it, or that of a library.
    """
    _, _, file = path.rpartition("/crates/")
    lengths = {
        len(start): part
        for part, starts in PARTS.items()
        for start in starts
        if file == start or file.startswith(f"{start}/")
    }
    return lengths[max(lengths)] if lengths else None


def by_part(costs: Mapping[int | None, int], binary: Path) -> Counter[str]:
    """Sum the instructions of each part, from the instructions at each address."""
    frames = inlined(binary, sorted(address for address in costs if address is not None))
    found: Counter[str] = Counter()
    for address, cost in costs.items():
        files = frames[address] if address is not None else []
        found[next((part for file in files if (part := part_of(file))), ELSEWHERE)] += cost
    return found


def by_address(lines: Iterable[str], binary: str) -> Counter[int | None]:
    """Add up the instructions executed at each address of the program, and at `None` those of shared libraries.

    `lines` are the lines of a profile that callgrind wrote with `OPTIONS`.
    """
    costs: Counter[int | None] = Counter()
    here = called = False
    for line in lines:
        if line.startswith("ob="):
            here = line == f"ob={binary}"
        elif line.startswith("calls="):
            called = True
        elif line.startswith("0x"):
            # The line after a call has the instructions of the callee, which the callee's own lines count already.
            if not called:
                address, *_, cost = line.split()
                costs[int(address, 16) if here else None] += int(cost)
            called = False
    return costs


def inlined(binary: Path, addresses: list[int]) -> dict[int, list[str]]:
    """The source files of the code at each address: its own file first, then the files into which it was inlined."""
    done = subprocess.run(
        ["addr2line", "--addresses", "--inlines", "--exe", str(binary)],
        input="\n".join(map(hex, addresses)),
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    return dict(_frames(done.stdout.splitlines()))


def _frames(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    files: list[str] = []
    for line in lines:
        if line.startswith("0x"):
            files = []
            yield int(line, 16), files
        else:
            files.append(line.rpartition(":")[0])
