"""Runs the TCP of the running Linux kernel over a bottleneck of ours in real time.

Two network namespaces have a TUN device each. Between the devices is a link of AirFair, which the program in kernel/
runs in real time: packets of the kernel meet the queue, rate, delay and random loss that packets of a simulation meet.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any

from fidelity.references import HERE

ENDPOINT = HERE / "kernel" / "endpoint.py"
#: How late the bottleneck may hand over packets, in s: 99 % of them, and any of them. HyStart responds to 4 ms; if a
#: packet is very late, the machine has stopped the bottleneck. No write may be later than any packet, either.
LATEST = {"p99": 1e-3, "worst": 1e-2}
#: The same where BBR is alone. It takes the fastest delivery of ten round trips for the bandwidth, so that one stop of
#: the machine decides how much it sends for as long.
LATEST_OF_BBR = {**LATEST, "worst": 4e-3}
ATTEMPTS = 20
#: Priorities of SCHED_FIFO. The bottleneck comes before the endpoints, and both before everything else.
PRIORITIES = {"bottleneck": 20, "endpoint": 10}
#: Times in s: between two readings of the queue or of TCP_INFO; the most that a start or an end takes; how long the
#: bottleneck stays awake at first, so that a handshake does not wait until it wakes.
INTERVAL, LEEWAY, AWAKE = 0.01, 30, 0.5


def latest(controls: Iterable[str]) -> Mapping[str, float]:
    """How late packets may be in a run of flows with these controls, in s."""
    return LATEST_OF_BBR if set(controls) == {"bbr"} else LATEST


class LateError(RuntimeError):
    """The machine was too busy: packets were late in every attempt."""


def unavailable() -> str:
    """A sentence on why the kernel's TCP cannot be run here, without its full stop; empty if it can."""
    reason = _obstacle()
    return reason and f"the kernel's TCP cannot be run here: {reason}"


def _obstacle() -> str:
    if sys.platform != "linux":
        return "this is not Linux"
    if missing := [name for name in ("ip", "unshare", "cargo") if shutil.which(name) is None]:
        return f"not installed: {', '.join(missing)}"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "/dev/net/tun cannot be opened"
    if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode != 0:
        return "network namespaces are not allowed (be root, or begin with `unshare --user --map-root-user`)"
    return ""


@cache
def bottleneck() -> str:
    """Build the program in kernel/ and return its path."""
    build = ["cargo", "build", "--quiet", "--release", "--package", "airfair-bottleneck", "--message-format=json"]
    made = subprocess.run(build, cwd=HERE.parent, capture_output=True, text=True, check=False)
    for line in made.stdout.splitlines():
        if (program := json.loads(line).get("executable")) and Path(program).name == "airfair-bottleneck":
            return str(program)
    raise RuntimeError(f"the bottleneck cannot be built: {made.stderr.strip()}")


def run(
    link: Mapping[str, object], flows: Sequence[Mapping[str, object]], duration: float, interval: float = INTERVAL
) -> dict[str, Any]:
    """Run the kernel's TCP; returns what endpoints and bottleneck recorded. Runs with late packets are repeated.

    A flow has `control`, `start`, and `writes`: the time of each in s and its bytes, or none for data without end. The
    link has the bottleneck's `rate_bps`, `delay_ns`, `queue_packets`, `loss`, `outage_ns`, `period_ns` and `seed`.
    """
    late = []
    allowed = latest(str(flow["control"]) for flow in flows)
    awake = {**link, "awake_ns": int(AWAKE * 1e9)}
    for _ in range(ATTEMPTS):
        found = attempt(bottleneck(), awake, flows, duration, interval)
        lateness = {name: found["link"]["lateness"][f"{name}_ns"] / 1e9 for name in LATEST}
        lateness["worst"] = max(lateness["worst"], *(flow["late"] for flow in found["flows"]))
        if all(lateness[name] <= most for name, most in allowed.items()):
            return found
        late.append(", ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in lateness.items()))
    raise LateError(f"packets were late in {ATTEMPTS} attempts: {'; '.join(late)}")


def attempt(
    program: str,
    link: Mapping[str, object],
    flows: Sequence[Mapping[str, object]],
    duration: float,
    interval: float,
) -> dict[str, Any]:
    """Run once, whether packets are late or not, with `program` as the bottleneck. The link also has `awake_ns`."""
    shared = {"duration": duration, "interval": interval, "flows": flows}
    with ExitStack() as stack:
        controls: list[socket.socket] = []
        devices: list[int] = []
        processes: list[subprocess.Popen[bytes]] = []
        for role in ("sender", "receiver"):
            ours, theirs = socket.socketpair()
            controls.append(stack.enter_context(ours))
            words = [sys.executable, "-I", str(ENDPOINT), json.dumps({"role": role, **shared})]
            process = stack.enter_context(subprocess.Popen(words, stdin=theirs.fileno(), stdout=subprocess.PIPE))
            stack.callback(process.kill)
            theirs.close()
            ours.settimeout(LEEWAY)
            _, received, _, _ = socket.recv_fds(ours, 16, 1)
            if not received:
                raise RuntimeError(f"the {role} has made no network")
            devices += received
            _prefer(process, "endpoint")
            processes.append(process)
        # The bottleneck runs longer than the senders, before and after.
        setup = {**link, "duration_ns": int((duration + 1) * 1e9), "interval_ns": int(interval * 1e9)}
        between = stack.enter_context(
            subprocess.Popen([program, json.dumps(setup)], stdin=devices[0], stdout=devices[1], stderr=subprocess.PIPE)
        )
        stack.callback(between.kill)
        _prefer(between, "bottleneck")
        for device in devices:
            os.close(device)
        for control in reversed(controls):
            control.sendall(b"!")
        sent, _ = processes[0].communicate(timeout=duration + LEEWAY)
        _, reported = between.communicate(timeout=LEEWAY)
        if processes[0].returncode or between.returncode:
            raise RuntimeError(f"the sender or the bottleneck failed: {reported.decode().strip()}")
    return {**json.loads(sent), "link": json.loads(reported)}


def _prefer(process: subprocess.Popen[bytes], what: str) -> None:
    """Let a process run before the machine's other work, if that is allowed."""
    with suppress(PermissionError):
        os.sched_setscheduler(process.pid, os.SCHED_FIFO, os.sched_param(PRIORITIES[what]))
