"""What docs/captures.md and docs/scenarios.md say about files of other programs holds: tshark's captures, hostapd's."""

import re
import shutil
import struct
from pathlib import Path

import pytest
from conftest import execute

DOCS = Path(__file__).parent.parent / "docs"
needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")
HOME = """\
run.duration = "10 s"
run.metrics = ["throughput_total"]
node = [{ name = "server" }]
link = [{ from = "server", to = "ap", rate = "1 Gb/s", delay = "10 ms" }]
[[wlan]]
name = "home"
ap = "ap"
phy = "802.11ax"
[[wlan.station]]
name = "television"
"""
UPLOAD = """\
[[flow]]
name = "upload"
from = "television"
to = "server"
"""


def recipe(output):
    """The command in the guide that writes this file."""
    blocks = re.findall(r"(?:^    .*\n)+", (DOCS / "captures.md").read_text(), re.MULTILINE)
    [found] = [block for block in blocks if block.endswith(f"> {output}\n")]
    return found


def do(command, place):
    execute(["sh", "-c", command], cwd=place, check=True)


@needs_tshark
def test_a_capture_gives_traffic(airfair, answer, tmp_path):
    # Pieces of a stream of TCP over Ethernet: 1,000 bytes every 30 ms, the tenth one sent twice.
    contents = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for number, piece in enumerate(sorted([*range(50), 9])):
        tcp = struct.pack(">HHIIBBHHH", 443, 50000, 1 + 1000 * piece, 1, 5 << 4, 0x10, 1000, 0, 0) + bytes(1000)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, b"\x0a\0\0\1", b"\x0a\0\0\2")
        frame = bytes(12) + b"\x08\0" + ip + tcp
        seconds, micros = divmod(30_000 * number, 1_000_000)
        contents += struct.pack("<IIII", 100 + seconds, micros, len(frame), len(frame)) + frame
    (tmp_path / "home.pcap").write_bytes(contents)
    do(recipe("film.csv").replace("tcp.stream == 3", "tcp.stream == 0"), tmp_path)
    [flow] = re.findall(r"```toml\n(\[\[flow\]\].*?)```", (DOCS / "captures.md").read_text(), re.DOTALL)
    (tmp_path / "mine.toml").write_text(HOME + flow)
    assert airfair("check", "mine.toml").stderr == ""
    sessions = (tmp_path / "film.csv").read_text().splitlines()
    assert sessions[0] == "0, 4000" and sum(int(line.split(",")[1]) for line in sessions) == 50_000
    assert answer("run", "mine.toml")["sessions"]["count"] == len(sessions) == 16


@needs_tshark
def test_a_capture_gives_signals(airfair, tmp_path):
    contents = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 127)
    for number in range(200):
        radiotap = struct.pack("<BBHIb", 0, 0, 9, 1 << 5, -50 - number // 20)
        frame = radiotap + b"\x88\1\0\0" + b"".join(bytes([2, 0, 0, 0, 0, last]) for last in (1, 2, 3)) + bytes(40)
        seconds, micros = divmod(13_000 * number, 1_000_000)
        contents += struct.pack("<IIII", 100 + seconds, micros, len(frame), len(frame)) + frame
    (tmp_path / "air.pcap").write_bytes(contents)
    do(recipe("walk.csv"), tmp_path)
    points = [line.split(", ") for line in (tmp_path / "walk.csv").read_text().splitlines()]
    assert len(points) == 26 and (points[0][1], points[-1][1]) == ("44", "35")
    (tmp_path / "mine.toml").write_text(f'{HOME}snr_trace = "walk.csv"\n{UPLOAD}')
    assert airfair("check", "mine.toml").stderr == ""


def test_what_hostapd_has_is_written_as_the_table_says(airfair, tmp_path):
    text = (DOCS / "scenarios.md").read_text()
    [table] = re.findall(r"<!-- hostapd:begin -->\n(.*?)<!-- hostapd:end -->", text, re.DOTALL)
    keys = [key for row in table.splitlines()[2:] for key in re.findall(r"`(\w[\w.]* = [^`]+)`", row)]
    assert len(keys) == 12
    (tmp_path / "mine.toml").write_text(HOME.replace('phy = "802.11ax"', "\n".join(keys)) + UPLOAD)
    checked = airfair("check", "mine.toml")
    assert checked.returncode == 0, checked.stderr
