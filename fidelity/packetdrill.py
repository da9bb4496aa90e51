"""`python -m fidelity packetdrill`: packetdrill's scripts, played against AirFair's TCP.

Without a directory it plays the scripts of fidelity/scripts, which are written from the RFCs. A script passes, fails at
a line, or is skipped as a whole because it needs what is not modelled. The exchange of SYNs is taken as given, but for
its options. The exit status is 1 if a script fails or cannot be read. With `--kernel` the real packetdrill runs the
scripts against the kernel of this machine, as root and with the shell commands that they contain; AirFair's own player
runs no commands of a script.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from airfair import InputError, _engine
from fidelity import document, overview
from fidelity.references import HERE
from fidelity.report import Table

SCRIPTS = HERE / "scripts"
#: The most important of Google's scripts: what each tests, and why it does not pass.
FIRST = HERE / "first_scripts.toml"
#: The results of scripts, in the order of the summary.
RESULTS = ("passed", "failed", "skipped", "bad")
#: Seconds that a script may take against the kernel.
LONGEST = 180
TUN = Path("/dev/net/tun")
#: Runs a command in a network namespace of its own, so that its settings and addresses affect nothing else.
OWN_NETWORK = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"')
ADDRESSES = (
    "--ip_version=ipv4",
    "--local_ip=192.168.0.1",
    "--gateway_ip=192.168.0.2",
    "--remote_ip=192.0.2.1",
    "--netmask_ip=255.255.255.0",
)


@dataclass(frozen=True)
class Verdict:
    """The result of a script, one of `RESULTS`, and the reason."""

    result: str
    reason: str = ""

    def line(self, script: Path) -> str:
        """The verdict on a script as a line for a terminal."""
        return f"{self.result:7} {script}" + (f": {self.reason}" if self.reason else "")


Judge = Callable[[Path], Verdict]


def ours(script: Path) -> Verdict:
    """Play a script against AirFair's TCP."""
    try:
        result, line, reason = _engine.packetdrill(script.read_bytes())
    except (InputError, OSError) as error:
        return Verdict("bad", str(error))
    return Verdict(result, f"line {line}: {reason}" if reason else "")


def kernel(binary: Path) -> Judge:
    """A judge that plays scripts against this machine's kernel, by the real packetdrill."""

    def judge(script: Path) -> Verdict:
        command = [*OWN_NETWORK, str(binary.resolve()), *ADDRESSES, script.name]
        try:
            done = subprocess.run(
                command,
                cwd=script.parent,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Verdict("failed", f"it takes more than {LONGEST} s")
        if done.returncode == 0:
            return Verdict("passed")
        said = [line for line in done.stdout.decode(errors="replace").splitlines() if line.strip()]
        return Verdict("failed", _reason(script.name, said))

    return judge


def _reason(name: str, said: Sequence[str]) -> str:
    """The reason why a script failed, from packetdrill's output: its message, and the assertion that failed, if any."""
    found = next((line for line in said if line.startswith(f"{name}:")), said[-1] if said else "it says nothing")
    asserted = next((line.strip() for line in said if line.strip().startswith("assert")), "")
    return f"line {found.removeprefix(f'{name}:')}" + (f": {asserted}" if asserted else "")


def cannot_run(binary: Path) -> str | None:
    """The reason why the real packetdrill cannot run here; `None` if it can."""
    if not binary.is_file() or not os.access(binary, os.X_OK):
        return f"{binary} is no program"
    if os.geteuid() != 0:
        return "the real packetdrill needs root"
    if not TUN.exists():
        return f"the real packetdrill needs {TUN}"
    if missing := [tool for tool in ("unshare", "ip") if shutil.which(tool) is None]:
        return f"{missing[0]} is not installed"
    if subprocess.run([*OWN_NETWORK, "true"], capture_output=True, check=False).returncode != 0:
        return "this machine allows no network namespace"
    return None


def scripts(places: Sequence[Path]) -> list[Path]:
    """The scripts among these files and in these directories. Raises `InputError` if there are none in one of them."""
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            inside = sorted(place.rglob("*.pkt"))
            if not inside:
                raise InputError(f"{place}: no scripts (*.pkt) in this directory")
            found += inside
        elif place.is_file():
            found.append(place)
        else:
            raise InputError(f"{place}: no such file or directory")
    return found


def judge_all(found: Sequence[Path], judge: Judge) -> dict[Path, Verdict]:
    """Judge scripts; prints a line for each and a summary."""
    verdicts = {}
    for script in found:
        verdicts[script] = judge(script)
        print(verdicts[script].line(script), flush=True)
    counts = Counter(verdict.result for verdict in verdicts.values())
    told = [f"{counts[result]} {result}" for result in RESULTS if counts[result] or result == "passed"]
    print(f"{', '.join(told)}, of {len(found)} scripts")
    return verdicts


def about(script: Path) -> str:
    """What one of our scripts tests, from the comment at its beginning."""
    lines = []
    for line in script.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").strip())
    return " ".join(lines)


def own_table(by_us: Mapping[str, str], by_kernel: Mapping[str, str]) -> Table:
    """The table of our scripts with results of AirFair and of the kernel, which are given by the names of rows."""
    table = Table("Our scripts", ["script", "what it tests", "AirFair", "kernel"])
    for script in scripts([SCRIPTS]):
        name = row_name(script)
        table.rows.append([name, about(script), by_us[name], by_kernel.get(name, "not run")])
    return table


def row_name(script: Path) -> str:
    """The name of a script's row, in its first cell."""
    return f"`{script.stem}`"


def first_table(verdicts: Mapping[Path, Verdict]) -> Table | None:
    """The table of the most important of Google's scripts; `None` unless all of them were judged."""
    entries = tomllib.loads(FIRST.read_text())
    table = Table("Google's scripts", ["script", "what it tests", "AirFair", "reason"])
    for name, entry in entries.items():
        verdict = next((one for script, one in verdicts.items() if script.as_posix().endswith(f"/{name}.pkt")), None)
        if verdict is None:
            return None
        reason = "" if verdict.result == "passed" else verdict.reason
        if reason and "cause" in entry:
            reason = f"{entry['cause']} ({reason})"
        table.rows.append([f"`{name}`", entry["tests"], verdict.result, reason.replace("|", "\\|")])
    return table


def main(given: Sequence[str]) -> int:
    """Judge the scripts that the arguments name, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m fidelity packetdrill", description=__doc__)
    parser.add_argument("places", nargs="*", type=Path, metavar="DIR", help="directories of scripts, or scripts")
    parser.add_argument("--kernel", type=Path, metavar="BINARY", help="the real packetdrill: judge the kernel")
    parser.add_argument("--write", action="store_true", help="write the tables into the documents")
    arguments = parser.parse_args(given)
    binary: Path | None = arguments.kernel
    try:
        found = scripts(arguments.places or [SCRIPTS])
    except InputError as error:
        parser.error(str(error))
    if binary is not None and (reason := cannot_run(binary)):
        print(f"skipped: {reason}")
        return 0
    verdicts = judge_all(found, kernel(binary) if binary else ours)
    if arguments.write and not _write(verdicts, binary):
        print("nothing is written: a table needs all of its scripts", file=sys.stderr)
        return 2
    return int(any(verdict.result in ("failed", "bad") for verdict in verdicts.values()))


def _write(verdicts: Mapping[Path, Verdict], binary: Path | None) -> bool:
    """Write the tables all of whose scripts were judged; returns whether there was any."""
    today = datetime.now(UTC).date().isoformat()
    written = {}
    judged = {row_name(script): one.result for script, one in verdicts.items() if script.resolve().parent == SCRIPTS}
    if len(judged) == len(scripts([SCRIPTS])):
        if binary:
            system = os.uname()
            by_us = {row_name(script): ours(script).result for script in scripts([SCRIPTS])}
            beside, by_kernel = f"{system.sysname} {system.release}, {today}", judged
        else:
            by_us, (beside, by_kernel) = judged, kernels()
        dated = f"AirFair: {today}. Kernel: {beside}."
        written["packetdrill-own"] = f"{dated}\n\n{own_table(by_us, by_kernel).markdown('---')}"
    if binary is None and (table := first_table(verdicts)):
        passed = sum(row[2] == "passed" for row in table.rows)
        written["packetdrill-first"] = f"{today}: {passed} of {len(table.rows)} pass.\n\n{table.markdown('---')}"
    if written:
        overview.write(written)
    return bool(written)


def kernels() -> tuple[str, dict[str, str]]:
    """The kernel in the present table of our scripts, and its results by row."""
    told = document.text("packetdrill-own").splitlines()[0]
    rows = document.table("packetdrill-own").rows
    return told.partition("Kernel: ")[2].removesuffix("."), {row[0]: row[-1] for row in rows}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
