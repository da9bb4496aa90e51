"""The measured programs, each run as a separate process: AirFair, ns-2, ns-3, csg-htsim."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Directory of the headers of ns-3, as Debian's package has it.
NS3_HEADERS = Path("/usr/include/ns3")
NS3_LIBRARIES = [
    *("wifi", "internet", "network", "point-to-point", "applications"),
    *("traffic-control", "mobility", "propagation", "stats", "core"),
]
#: Environment variable with the directory of csg-htsim's sources, which no package contains.
HTSIM = "AIRFAIR_HTSIM"
#: A run of AirFair is repeated until its repetitions have taken this CPU time, in s. A single one of some milliseconds
#: may fall into a moment in which the machine is slow.
LEAST_S = 1.0
#: The sources of csg-htsim that a program with TCP, queues and delays needs.
HTSIM_SOURCES = [
    *("config", "eventlist", "logfile", "loggers", "network", "pipe", "route", "switch"),
    *("queue", "queue_lossless", "fairpullqueue", "tcp", "mtcp", "tcppacket", "ndppacket", "eth_pause_packet"),
]


@dataclass(frozen=True)
class Process:
    """Output and resource use of a finished process."""

    output: str
    cpu_s: float
    wall_s: float
    peak_bytes: int


def spawn(command: list[str], environment: dict[str, str] | None = None) -> Process:
    """Run a command to its end, and measure the resources that it and its children use."""
    begin = os.times().elapsed
    with (
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints, text=True, env=environment) as child,
    ):
        assert child.stdout is not None
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            complaints.seek(0)
            sys.exit(f"{complaints.read()}\n{' '.join(command)} ended with status {child.returncode}")
    wall_s = os.times().elapsed - begin
    return Process(output, usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss * 1024)


@dataclass(frozen=True)
class Cost:
    """One program's cost of one case: CPU time of whole processes, from their start to their end."""

    #: CPU time of a run in s, less that of an equal process that is stopped right after set-up.
    spent_s: float
    set_up_s: float
    segments: float
    peak_bytes: int
    goodput_bps: float

    @property
    def ns_per_segment(self) -> float:
        return self.spent_s * 1e9 / self.segments


@dataclass(frozen=True)
class AirFair:
    """The benchmark program."""

    binary: Path

    @staticmethod
    def build() -> AirFair:
        """Build the program with the profile of the wheels, and with line numbers, which `parts` needs."""
        command = ["cargo", "build", "--quiet", "--profile", "dist", "--package", "airfair-bench"]
        command.append("--message-format=json")
        environment = os.environ | {"CARGO_PROFILE_DIST_STRIP": "none"}
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, env=environment)
        lines = done.stdout.splitlines()
        messages = [json.loads(line) for line in lines]
        return AirFair(Path(next(m["executable"] for m in messages if m.get("executable"))))

    def report(self, *arguments: str) -> tuple[Process, dict[str, float]]:
        """Run the program and read its report."""
        process = spawn([str(self.binary), *arguments])
        return process, json.loads(process.output)

    def cost(self, scenario: str, settings: list[str], seconds: float) -> tuple[Cost, dict[str, float]]:
        """Measure a packaged scenario that runs for `seconds` after its warm-up."""
        runs = self.runs(scenario, settings, seconds)
        return mean(runs), runs[-1].report

    def runs(self, scenario: str, settings: list[str], seconds: float) -> list[Repetition]:
        """Run a scenario again and again, each time in a new process, until that has taken `LEAST_S`."""
        runs: list[Repetition] = []
        while sum(run.whole.cpu_s for run in runs) < LEAST_S:
            set_up, _ = self.report(scenario, *settings, "warmup=0 s", "duration=1 ns")
            runs.append(Repetition(set_up, *self.report(scenario, *settings, f"duration={seconds} s")))
        return runs


@dataclass(frozen=True)
class Repetition:
    """A run of AirFair, and another that was stopped right after set-up."""

    set_up: Process
    whole: Process
    report: dict[str, float]


def mean(runs: list[Repetition], *, delivered: bool = False) -> Cost:
    """The mean cost of equal runs.

    Segments and goodput count what is acknowledged or, with `delivered`, what has arrived, whether it is acknowledged
    or not.
    """
    set_up = statistics.mean(run.set_up.cpu_s for run in runs)
    spent = statistics.mean(run.whole.cpu_s for run in runs) - set_up
    segments, goodput = ("segments_delivered", "delivered_bps") if delivered else ("segments", "goodput_bps")
    last = runs[-1]
    return Cost(spent, set_up, last.report[segments], last.whole.peak_bytes, last.report[goodput])


def other(command: list[str], seconds: float, *more: int) -> Cost:
    """Measure another simulator."""
    rest = [str(number) for number in more]
    set_up = spawn([*command, "0.001", *rest])
    whole = spawn([*command, str(seconds), *rest])
    segments, goodput = next(
        line.split() for line in whole.output.splitlines() if line[:1].isdigit() and len(line.split()) == 2
    )
    return Cost(whole.cpu_s - set_up.cpu_s, set_up.cpu_s, int(segments), whole.peak_bytes, float(goodput))


def has_ns2() -> bool:
    return shutil.which("ns") is not None


def ns2(script: str, count: int, seconds: float, *more: int) -> Cost:
    """Measure ns-2 with a script."""
    return other(["ns", str(ROOT / "bench" / "ns2" / f"{script}.tcl"), str(count)], seconds, *more)


def has_ns3() -> bool:
    return (NS3_HEADERS / "wifi-module.h").exists() and shutil.which("g++") is not None


def build_ns3(script: str, folder: Path) -> Path:
    """Compile a program against the installed ns-3."""
    program = folder / f"ns3-{script}"
    source = ROOT / "bench" / "ns3" / f"{script}.cc"
    libraries = [f"-lns3-{library}" for library in NS3_LIBRARIES]
    subprocess.run(["g++", "-std=c++17", "-O3", "-DNDEBUG", source, "-o", program, *libraries], check=True)
    return program


def ns3(program: Path, count: int, seconds: float) -> Cost:
    """Measure ns-3 with a program that `build_ns3` made."""
    return other([str(program), str(count)], seconds)


def htsim_sources() -> Path | None:
    """The directory of csg-htsim's sources that the user names, or has a checkout in; `None` without it or g++."""
    named = Path(os.environ.get(HTSIM) or os.devnull)
    found = (folder for folder in (named / "sim", named) if (folder / "eventlist.h").is_file())
    return next(found, None) if shutil.which("g++") else None


def build_htsim(script: str, sources: Path, folder: Path) -> Path:
    """Compile a program and the parts of csg-htsim that it needs."""
    program = folder / f"htsim-{script}"
    own = ROOT / "bench" / "htsim" / f"{script}.cpp"
    theirs = [sources / f"{name}.cpp" for name in HTSIM_SOURCES]
    subprocess.run(["g++", "-std=c++17", "-O3", "-DNDEBUG", "-I", sources, own, *theirs, "-o", program], check=True)
    return program


def htsim(program: Path, count: int, seconds: float) -> Cost:
    """Measure csg-htsim with a program that `build_htsim` made."""
    return other([str(program), str(count)], seconds)
