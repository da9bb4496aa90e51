"""Runs the TCP of User-mode Linux over the same bottleneck as linux.py, in virtual time.

User-mode Linux is a kernel that runs as a program. With `time-travel=inf-cpu` its clock stands still while anything
computes, and goes on when everything waits: no packet is late, however busy the machine is. The namespaces, the
devices, the endpoints and the bottleneck are those of linux.py, as processes of that kernel. references/README.md says
how to build it; AIRFAIR_UML is its path.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from fidelity import linux
from fidelity.references import HERE

#: Environment variable with the path of the kernel, which is a program.
VARIABLE = "AIRFAIR_UML"
#: Most real time that one run may take, in s.
PATIENCE = 1800
#: Devices in /dev that the endpoints need: name, major and minor number.
DEVICES = {"null": (1, 3), "zero": (1, 5), "urandom": (1, 9), "net/tun": (10, 200)}
#: Cores for runs in turn. A kernel and its processes switch at each system call, which is quickest on one core.
CORES = cycle(sorted(os.sched_getaffinity(0)))
#: RB_POWER_OFF (include/uapi/linux/reboot.h).
POWER_OFF = 0x4321FEDC

INSTALL = f"User-mode Linux cannot be run here: it needs taskset, and {VARIABLE} (fidelity/references/README.md)"


def unavailable() -> str:
    """A sentence on why User-mode Linux cannot be run, without its full stop; empty if it can."""
    can = os.access(os.environ.get(VARIABLE, ""), os.X_OK) and shutil.which("taskset") is not None
    return "" if can else INSTALL


def run(
    link: Mapping[str, object], flows: Sequence[Mapping[str, object]], duration: float, interval: float = linux.INTERVAL
) -> dict[str, Any]:
    """Run User-mode Linux; returns what :func:`fidelity.linux.run` does."""
    with tempfile.TemporaryDirectory() as place:
        job, result = Path(place) / "job.json", Path(place) / "result.json"
        asked = [linux.bottleneck(), {**link, "awake_ns": 0}, flows, duration, interval]
        job.write_text(json.dumps(asked))
        words = [
            *("taskset", "--cpu-list", str(next(CORES))),
            *(os.environ[VARIABLE], "rootfstype=hostfs", "rootflags=/", "rw", "mem=2G", "time-travel=inf-cpu", "quiet"),
            *("con=null", "con0=null,fd:1", f"uml_dir={place}", f"PYTHONPATH={HERE.parent}", f"init={sys.executable}"),
            *("--", "-m", "fidelity.virtual", str(job), str(result)),
        ]
        said = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        if not result.exists():
            raise RuntimeError(f"User-mode Linux has no result: {said.stdout.strip()}")
        return dict(json.loads(result.read_text()))


def _init(job: Path, result: Path) -> None:
    """Be the first process of the kernel: run the job, write its result, and switch off."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        for kind, at in (("proc", "/proc"), ("tmpfs", "/dev")):
            if libc.mount(kind.encode(), at.encode(), kind.encode(), 0, None) != 0:
                raise OSError(ctypes.get_errno(), f"{at} cannot be mounted")
        for name, numbers in DEVICES.items():
            device = Path("/dev") / name
            device.parent.mkdir(exist_ok=True)
            os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(*numbers))
        found = json.dumps(linux.attempt(*json.loads(job.read_text())))
        result.write_text(found)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.sync()
        libc.reboot(POWER_OFF)


if __name__ == "__main__":
    _init(Path(sys.argv[1]), Path(sys.argv[2]))
