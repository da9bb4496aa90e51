"""`python -m fidelity packetdrill`: packetdrill's scripts, played against AirFair's TCP.

Without a directory the scripts are those of fidelity/scripts, written from the RFCs. A script passes, fails at a line,
or is skipped as a whole because it needs what is not modelled. The exchange of SYNs is taken as given, but for its
options. Exit status 1: a script fails, or cannot be read. With `--kernel` the same scripts are run against the kernel
of this machine by the real packetdrill, as root and with the shell commands that they contain; AirFair's own player
runs nothing of a script.
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
#: Of Google's scripts those that matter first: what each tests, and why it does not pass.
FIRST = HERE / "first_scripts.toml"
#: The results, in the order of the sum.
RESULTS = ("passed", "failed", "skipped", "bad")
#: Seconds that a script may take against the kernel.
LONGEST = 180
TUN = Path("/dev/net/tun")
#: A network namespace of its own, so that settings and addresses are nobody else's.
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
    """What became of a script, and why."""

    result: str
    reason: str = ""

    def line(self, script: Path) -> str:
        """One line for a terminal."""
        return f"{self.result:7} {script}" + (f": {self.reason}" if self.reason else "")


Judge = Callable[[Path], Verdict]


def ours(script: Path) -> Verdict:
    """The verdict of AirFair's TCP."""
    try:
        result, line, reason = _engine.packetdrill(script.read_bytes())
    except (InputError, OSError) as error:
        return Verdict("bad", str(error))
    return Verdict(result, f"line {line}: {reason}" if reason else "")


def kernel(binary: Path) -> Judge:
    """The verdict of the kernel of this machine, by the real packetdrill."""

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
    """The line in which packetdrill says what is wrong; an assertion is in the line before its traceback's end."""
    found = next((line for line in said if line.startswith(f"{name}:")), said[-1] if said else "it says nothing")
    asserted = next((line.strip() for line in said if line.strip().startswith("assert")), "")
    return f"line {found.removeprefix(f'{name}:')}" + (f": {asserted}" if asserted else "")


def cannot_run(binary: Path) -> str | None:
    """Why the real packetdrill cannot run here."""
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
    """The scripts in these directories, and files. Raises `InputError`."""
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
    """Judge each, and print a line for each and the sum."""
    verdicts = {}
    for script in found:
        verdicts[script] = judge(script)
        print(verdicts[script].line(script), flush=True)
    counts = Counter(verdict.result for verdict in verdicts.values())
    told = [f"{counts[result]} {result}" for result in RESULTS if counts[result] or result == "passed"]
    print(f"{', '.join(told)}, of {len(found)} scripts")
    return verdicts


def about(script: Path) -> str:
    """What a script of ours tests: the comment that it begins with."""
    lines = []
    for line in script.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").strip())
    return " ".join(lines)


def own_table(by_us: Mapping[str, str], by_kernel: Mapping[str, str]) -> Table:
    """Our scripts, judged by both: results by the names of rows."""
    table = Table("Our scripts", ["script", "what it tests", "AirFair", "kernel"])
    for script in scripts([SCRIPTS]):
        name = row_name(script)
        table.rows.append([name, about(script), by_us[name], by_kernel.get(name, "not run")])
    return table


def row_name(script: Path) -> str:
    """The first cell of a script's row."""
    return f"`{script.stem}`"


def first_table(verdicts: Mapping[Path, Verdict]) -> Table | None:
    """Google's scripts that matter first, if they are among the scripts."""
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
    """Judge the scripts that the arguments name."""
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
    """Write the tables all of whose scripts were judged; whether there was one."""
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
    """The kernel that the table of our scripts was written beside, and its results."""
    told = document.text("packetdrill-own").splitlines()[0]
    rows = document.table("packetdrill-own").rows
    return told.partition("Kernel: ")[2].removesuffix("."), {row[0]: row[-1] for row in rows}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
