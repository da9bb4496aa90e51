"""Captures of the frames on the air, read by a reader of their own."""

import contextlib
import itertools
import shutil
import signal
import struct
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars
import pytest
from conftest import ENDLESS, call, execute, limited, needs_proc, rest_of, start, until

#: Everything counts, and RTS frames go first.
RUN = ["run", "jung/mixed", "--set", "run.warmup=0 s", "--set", "duration=13 s"]
#: MAC frames that one station sends to another without data, by their first byte.
CONTROL = {0xB4: "RTS", 0xC4: "CTS", 0xD4: "ACK", 0x84: "BAR", 0x94: "BA"}


@dataclass
class Frame:
    """A frame on the air."""

    interface: int
    #: Nanoseconds since the start of the run.
    at: int
    #: Fields of the radiotap header, by their bits.
    radio: dict[int, bytes]
    mac: bytes
    #: Bytes of the whole frame behind the radiotap header.
    length: int

    @property
    def kind(self) -> str:
        """RTS, CTS, ACK, BAR, BA or data."""
        return CONTROL.get(self.mac[0], "data")

    @property
    def lost(self) -> bool:
        """Whether its receiver could not decode it."""
        return bool(self.radio[1][0] & 0x40)

    @property
    def duration(self) -> int:
        """Microseconds that it reserves."""
        (duration,) = struct.unpack_from("<H", self.mac, 2)
        return int(duration)

    @property
    def packet(self) -> bytes:
        """The headers of the IP packet in a data frame that is no A-MSDU."""
        header = {0x08: 24, 0x88: 26}[self.mac[0]]
        assert self.mac[header : header + 8] == bytes([0xAA, 0xAA, 3, 0, 0, 0, 8, 0])
        return self.mac[header + 8 :]


def blocks(contents: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(contents):
        kind, length = struct.unpack_from("<II", contents, at)
        assert length % 4 == 0 and struct.unpack_from("<I", contents, at + length - 4) == (length,)
        yield kind, contents[at + 8 : at + length - 4]
        at += length


def options(body: bytes) -> dict[int, bytes]:
    found, at = {}, 0
    while True:
        code, length = struct.unpack_from("<HH", body, at)
        if code == 0:
            assert at + 4 == len(body)
            return found
        found[code] = body[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4


#: Alignment and length of the fields of radiotap headers. The last one is a list of items, of U-SIG and of EHT.
FIELDS = {1: (1, 1), 2: (1, 1), 3: (2, 4), 19: (1, 3), 20: (4, 8), 21: (2, 12), 23: (2, 12), 28: (4, 16 + 48)}


def radiotap(contents: bytes) -> tuple[dict[int, bytes], int]:
    version, _, length, present = struct.unpack_from("<BBHI", contents)
    assert version == 0
    fields, at = {}, 8
    for bit in (bit for bit in range(32) if present >> bit & 1):
        alignment, size = FIELDS[bit]
        at = (at + alignment - 1) // alignment * alignment
        fields[bit] = contents[at : at + size]
        at += size
    assert at == length
    return fields, length


def read(path: Path) -> tuple[list[str], list[Frame]]:
    """The names of the interfaces, and all frames."""
    found = list(blocks(path.read_bytes()))
    assert found[0][0] == 0x0A0D0D0A and found[0][1].startswith(struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    assert [kind for kind, _ in found].count(0x0A0D0D0A) == 1
    interfaces, frames = [], []
    for kind, body in found[1:]:
        if kind == 1:
            assert struct.unpack_from("<HHI", body) == (127, 0, 0) and not frames
            assert options(body[8:])[9] == b"\x09"
            interfaces.append(options(body[8:])[2].decode())
        elif kind == 6:
            interface, high, low, captured, length = struct.unpack_from("<IIIII", body)
            assert interface < len(interfaces) and captured <= length
            assert len(body) == 20 + (captured + 3) // 4 * 4
            radio, head = radiotap(body[20 : 20 + captured])
            mac = body[20 + head : 20 + captured]
            frames.append(Frame(interface, high << 32 | low, radio, mac, length - head))
        else:
            assert kind == 4
    return interfaces, frames


def checksum(contents: bytes) -> int:
    """The Internet checksum: 0 over a header that has its own right."""
    total = sum(struct.unpack(f">{len(contents) // 2}H", contents))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with its capture."""
    place = tmp_path_factory.mktemp("captured")
    finished = call(*RUN, "--out", "results", "--pcap", "run.pcapng", cwd=place)
    assert finished.returncode == 0, finished.stderr
    return place


def test_frames_are_those_that_the_stations_count(captured):
    interfaces, frames = read(captured / "run.pcapng")
    assert interfaces == ["wlan"]
    stations = polars.read_parquet(captured / "results" / "stations.parquet")
    sent = Counter((frame.kind, frame.lost) for frame in frames)
    # The end of the run cuts at most one exchange off.
    assert 0 <= stations["attempts"].sum() - sent["RTS", False] - sent["RTS", True] <= 1
    assert 0 <= stations["collisions"].sum() - sent["RTS", True] <= 2
    assert sent["data", False] - stations["delivered"].sum() in (0, 1)
    assert sent["RTS", True] > 0 and not sent["CTS", True] and not sent["ACK", True]


def test_frames_of_an_exchange_follow_each_other_within_the_time_that_they_reserve(captured):
    _, frames = read(captured / "run.pcapng")
    assert [frame.at for frame in frames] == sorted(frame.at for frame in frames)
    followers = {"RTS": "CTS", "CTS": "data", "data": "ACK"}
    answered = [pair for pair in itertools.pairwise(frames) if not pair[0].lost and pair[0].kind != "ACK"]
    for frame, following in answered:
        assert following.kind == followers[frame.kind]
        assert 0 < following.at - frame.at < 2_000_000
    exchange = [frame for frame in frames if not frame.lost][:4]
    # At 1 or 11 Mb/s behind 192 us: the reservation of an RTS ends with the ACK.
    end = {frame.kind: frame.at + 192_000 + frame.length * 8 * 1000 // (frame.radio[2][0] // 2) for frame in exchange}
    assert abs(exchange[0].duration * 1000 + exchange[0].at - end["ACK"]) < 500_000


def test_tcp_streams_are_whole(captured):
    _, frames = read(captured / "run.pcapng")
    delivered: dict[tuple[bytes, bytes], int] = {}
    synchronised, numbers = 0, {}
    for frame in frames:
        if frame.kind != "data":
            continue
        packet = frame.packet
        length = struct.unpack_from(">H", packet, 2)[0]
        assert checksum(packet[:20]) == 0 and packet[9] == 6
        pseudo = packet[12:20] + struct.pack(">HH", 6, length - 20)
        assert checksum(pseudo + packet[20:]) == 0  # payload is zeros
        # The frame is as long as the packet says; its station adds a header of 20 bytes, as ns-2's does.
        assert 0 <= frame.length - 32 - length <= 20
        seq, ack = struct.unpack_from(">II", packet, 24)
        flags, header = packet[33], packet[32] >> 4 << 2
        assert header == len(packet) - 20
        synchronised += flags & 0x02 > 0
        ends = (packet[12:16] + packet[20:22], packet[16:20] + packet[22:24])
        payload = length - 20 - header
        if payload:
            assert flags == 0x10 and ack == 1
            delivered[ends] = max(delivered.get(ends, 1), seq + payload)
        elif not flags & 0x02:
            assert ack <= delivered[ends[::-1]], "an acknowledgement of data that nobody has sent"
        # A retransmission by the MAC has the number of the frame before, and its flag.
        number, retry = struct.unpack_from("<H", frame.mac, 22)[0] >> 4, bool(frame.mac[1] & 0x08)
        sender = frame.mac[10:16]
        assert sender not in numbers or number == (numbers[sender] + (not retry)) % 4096
        numbers[sender] = number
    assert len(delivered) > 1 and synchronised == 2 * len(delivered)
    flows = polars.read_parquet(captured / "results" / "flows.parquet")
    assert sum(delivered.values()) - len(delivered) >= flows["delivered_bytes"].sum() > 0


def test_both_engines_capture_the_same(captured, tmp_path):
    finished = call(*RUN, "--engine", "plain", "--pcap", "plain.pcapng", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert (tmp_path / "plain.pcapng").read_bytes() == (captured / "run.pcapng").read_bytes()


def test_results_are_those_of_a_run_without_a_capture(captured, tmp_path):
    finished = call(*RUN, "--out", "results", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    results = {path.name for path in (tmp_path / "results").iterdir() if path.name != "manifest.json"}
    assert all(
        (tmp_path / "results" / name).read_bytes() == (captured / "results" / name).read_bytes() for name in results
    )


@pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")
def test_wireshark_finds_nothing_wrong(captured):
    checks = ["-o", "ip.check_checksum:TRUE", "-T", "fields", "-e", "frame.number"]
    wrong = "_ws.malformed || ip.checksum.status == 0 || tcp.analysis.ack_lost_segment || radiotap.length.invalid"
    finished = execute(["tshark", "-r", "run.pcapng", *checks, "-Y", wrong], cwd=captured)
    assert finished.returncode == 0 and finished.stdout == "", finished.stdout + finished.stderr


def test_a_capture_replaces_a_capture_and_no_other_file(tmp_path):
    (tmp_path / "run.pcapng").write_text("mine")
    refused = call(*RUN, "--pcap", "run.pcapng", cwd=tmp_path)
    assert refused.returncode == 2 and refused.stdout == ""
    assert (
        "error: --pcap run.pcapng: it is no capture that AirFair has written; give another name, or replace it"
        in refused.stderr
    )
    assert (tmp_path / "run.pcapng").read_text() == "mine"
    for force in (["--force"], []):
        assert call(*RUN, "--pcap", "run.pcapng", *force, cwd=tmp_path).returncode == 0
    # A capture by another program.
    foreign = (tmp_path / "run.pcapng").read_bytes().replace(b"AirFair ", b"dumpcap ")
    (tmp_path / "run.pcapng").write_bytes(foreign)
    assert call(*RUN, "--pcap", "run.pcapng", cwd=tmp_path).returncode == 2
    assert (tmp_path / "run.pcapng").read_bytes() == foreign
    assert [path.name for path in tmp_path.iterdir()] == ["run.pcapng"]


def test_a_capture_replaces_no_results(tmp_path):
    assert call(*RUN, "--out", "mine", cwd=tmp_path).returncode == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()}
    for name in before:
        refused = call(*RUN, "--pcap", f"mine/{name}", cwd=tmp_path)
        assert refused.returncode == 2 and f"error: --pcap mine/{name}: " in refused.stderr
    (tmp_path / "copy").write_bytes(before["run.json"])
    assert "--pcap copy: it is no capture that AirFair has" in call(*RUN, "--pcap", "copy", cwd=tmp_path).stderr
    assert "a file is needed" in call(*RUN, "--pcap", "-", cwd=tmp_path).stderr
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "mine"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([*RUN, "--seeds", "2", "--pcap", "run.pcapng"], "--pcap run.pcapng: a file holds the frames of one run"),
        (["run", "lee/path", "--pcap", "run.pcapng"], "lee/path has no wireless network"),
        ([*RUN, "--pcap", "."], "--pcap"),
        ([*RUN, "--pcap", "run.pcapng.gz"], "--pcap run.pcapng.gz: a capture is not compressed"),
        ([*RUN, "--pcap", "/proc/nowhere/run.pcapng"], "--pcap /proc/nowhere"),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(arguments, expected, tmp_path):
    finished = call(*arguments, "--out", "results", cwd=tmp_path)
    assert finished.returncode == 2 and finished.stdout == "", finished.stderr
    assert finished.stderr.count("\n") == 1 and expected in finished.stderr, finished.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def edca(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Frame], polars.DataFrame]:
    """The frames of a network with 802.11n, two fast stations and a slow one, and what its stations count."""
    place = tmp_path_factory.mktemp("edca")
    run = ["run", "wifi/anomaly", "--set", "run.warmup=0 s", "--set", "duration=1 s", "--set", "direction=both"]
    finished = call(*run, "--out", "results", "--pcap", "run.pcapng", cwd=place)
    assert finished.returncode == 0, finished.stderr
    _, frames = read(place / "run.pcapng")
    return frames, polars.read_parquet(place / "results" / "stations.parquet")


def ppdus(frames: list[Frame]) -> list[list[Frame]]:
    """Frames by their PPDUs: the MPDUs of an A-MPDU together."""
    grouped = itertools.groupby(enumerate(frames), lambda it: it[1].radio[20][:4] if 20 in it[1].radio else it[0])
    return [[frame for _, frame in group] for _, group in grouped]


def test_aggregates_are_numbered_and_sent_in_their_stations_modes(edca):
    frames, _ = edca
    all_ppdus = ppdus(frames)
    aggregates = [ppdu for ppdu in all_ppdus if 20 in ppdu[0].radio]
    references = [struct.unpack_from("<IH", ppdu[0].radio[20])[0] for ppdu in aggregates]
    assert references == list(range(1, len(aggregates) + 1)) and max(map(len, aggregates)) > 10
    modes = set()
    for ppdu in aggregates:
        flags = [struct.unpack_from("<IH", frame.radio[20])[1] for frame in ppdu]
        assert flags == [0x0004] * (len(ppdu) - 1) + [0x000C]
        assert len({(frame.at, frame.mac[4:16], frame.radio[19], frame.duration) for frame in ppdu}) == 1
        assert all(frame.mac[:1] == b"\x88" and frame.mac[24:26] == b"\0\0" for frame in ppdu)
        modes.add((ppdu[0].radio[19][2], ppdu[0].radio[19][1]))
    # MCS 15 and MCS 0, both with the short guard interval; control frames have a rate of 802.11a.
    assert modes == {(15, 0x04), (0, 0x04)}
    assert {frame.radio[2][0] // 2 for frame in frames if frame.kind != "data"} <= {6, 12, 24}


def test_block_acks_tell_what_has_arrived(edca):
    frames, stations = edca
    all_ppdus = ppdus(frames)
    arrived: set[tuple[bytes, bytes, int]] = set()
    told = 0
    for ppdu, following in itertools.pairwise(all_ppdus):
        answer = following[0]
        for frame in ppdu:
            if frame.kind == "data" and not frame.lost:
                arrived.add((frame.mac[4:10], frame.mac[10:16], struct.unpack_from("<H", frame.mac, 22)[0] >> 4))
        if answer.kind != "BA":
            continue
        control, start = struct.unpack_from("<HH", answer.mac, 16)
        assert control == 0x0004 and start & 0xF == 0 and len(answer.mac) == 28
        (bitmap,) = struct.unpack_from("<Q", answer.mac, 20)
        receiver, sender = answer.mac[10:16], answer.mac[4:10]
        for place in range(64):
            number = ((start >> 4) + place) % 4096
            if bitmap >> place & 1:
                assert (receiver, sender, number) in arrived
                told += 1
        for frame in ppdu:
            number = struct.unpack_from("<H", frame.mac, 22)[0] >> 4
            assert frame.lost != bool(bitmap >> (number - (start >> 4)) % 4096 & 1)
    assert told > 500
    delivered = {
        (frame.mac[4:16], frame.mac[22:24], frame.packet[20:52])
        for frame in frames
        if frame.kind == "data" and not frame.lost
    }
    # Of what the end of the run cuts off, the stations do not count it.
    assert 0 <= len(delivered) - stations["delivered"].sum() <= 64


def test_a_home_has_he_frames_and_access_categories(tmp_path):
    run = ["run", "wifi/home", "--set", "run.warmup=0 s", "--set", "duration=2 s"]
    finished = call(*run, "--set", "wlan.access_category=vi", "--pcap", "home.pcapng", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    interfaces, frames = read(tmp_path / "home.pcapng")
    data = [frame for frame in frames if frame.kind == "data"]
    assert len(interfaces) == 1 and {frame.mac[24] for frame in data} == {5}
    assert any(23 in frame.radio for frame in data)
    datagrams = [frame.packet for frame in data if frame.packet[9] == 17]
    for packet in datagrams:
        length = struct.unpack_from(">H", packet, 2)[0]
        assert checksum(packet[:20]) == 0 and struct.unpack_from(">H", packet, 24) == (length - 20,)
        assert checksum(packet[12:20] + struct.pack(">HH", 17, length - 20) + packet[20:28]) == 0
    assert datagrams


def test_frames_of_802_11be_tell_their_mode_in_items(tmp_path):
    air = 'phy = "802.11be"\nband = "6 GHz"\nwidth = "320 MHz"\nguard_interval = "1600 ns"\nnss = 2\nmcs = 13'
    (tmp_path / "be.toml").write_text(
        f'[run]\nduration = "200 ms"\n[[wlan]]\nname = "w"\nap = "ap"\n{air}\n[[wlan.station]]\nname = "sta"\n'
        '[[flow]]\nname = "f"\nfrom = "ap"\nto = "sta"\nudp = { rate = "100 Mb/s", datagram_bytes = "1472 B" }\n'
    )
    finished = call("run", "be.toml", "--pcap", "be.pcapng", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    _, frames = read(tmp_path / "be.pcapng")
    data = [struct.unpack("<HH3IHH11I", frame.radio[28]) for frame in frames if frame.kind == "data"]
    assert len(data) > 1000 and len(set(data)) == 1
    (u_sig, signal_length, signal, _, _, eht, eht_length, _, guard_interval, *_, user) = data[0]
    assert (u_sig, signal_length, eht, eht_length) == (33, 12, 34, 44)
    # 320 MHz, 1.6 us, MCS 13, two streams less one.
    assert (signal >> 15 & 7, guard_interval >> 7 & 3, user >> 20 & 15, user >> 24 & 15) == (4, 1, 13, 1)
    answers = {(len(frame.mac), frame.mac[18] & 0xF) for frame in frames if frame.kind == "BA"}
    assert answers == {(20 + 128, 10)}, "a bitmap of 1024 bits"


def test_packets_carry_the_code_point_of_their_flow(tmp_path):
    run = ["run", "wifi/home", "--set", "run.warmup=0 s", "--set", "duration=1 s", "--set", "call_dscp=ef"]
    finished = call(*run, "--pcap", "home.pcapng", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    _, frames = read(tmp_path / "home.pcapng")
    data = [frame for frame in frames if frame.kind == "data"]
    # EF is 46 (RFC 3246), and its packets go as voice, whose TID is 6; all others have none.
    assert {(frame.mac[24] & 0xF, frame.packet[1] >> 2) for frame in data} == {(6, 46), (0, 0)}
    assert all(checksum(frame.packet[:20]) == 0 for frame in data)


def test_beacons_and_broadcasts_are_for_all_and_of_the_length_that_is_set(tmp_path):
    run = ["run", "wifi/home", "--set", "run.warmup=0 s", "--set", "duration=2 s"]
    beacons = ["--set", "wlan.beacon_interval=102.4 ms", "--set", "wlan.beacon_bytes=200 B"]
    broadcasts = ["--set", "wlan.broadcast_interval=50 ms", "--set", "wlan.broadcast_bytes=90 B"]
    finished = call(*run, *beacons, *broadcasts, "--pcap", "home.pcapng", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    _, frames = read(tmp_path / "home.pcapng")
    for first, number, length in [(0x80, 20, 200 - 4), (0x08, 40, 24 + 8 + 90)]:
        found = [frame for frame in frames if frame.mac[0] == first and frame.mac[4:10] == b"\xff" * 6]
        assert number - 1 <= len(found) <= number
        assert {(frame.duration, frame.length) for frame in found} == {(0, length)}
    # One counter for both (IEEE 802.11-2020, 10.3.2.14), and a beacon tells its time.
    to_all = [frame for frame in frames if frame.mac[4:10] == b"\xff" * 6]
    assert [struct.unpack_from("<H", frame.mac, 22)[0] >> 4 for frame in to_all] == list(range(len(to_all)))
    beacons = [frame for frame in to_all if frame.mac[0] == 0x80]
    assert [struct.unpack_from("<Q", beacon.mac, 24)[0] for beacon in beacons] == [
        beacon.at // 1000 for beacon in beacons
    ]


TWO = """
[run]
warmup = "0 s"
duration = "1 s"
metrics = ["throughput_total"]
[[node]]
name = "router"
[[link]]
from = "router"
to = "ap{i}"
count = 2
rate = "100 Mb/s"
delay = "1 ms"
"""
for _number, _phy in enumerate(["802.11b", "802.11ax"]):
    TWO += f"""
[[wlan]]
name = "net{_number}"
ap = "ap{_number}"
phy = "{_phy}"
{'data_rate = "11 Mb/s"' * (_number == 0)}
[[wlan.station]]
name = "sta{_number}"
[[flow]]
name = "f{_number}"
from = "sta{_number}"
to = "router"
"""


def test_each_network_has_an_interface_of_its_own(tmp_path):
    (tmp_path / "two.toml").write_text(TWO)
    finished = call("run", "two.toml", "--pcap", "two.pcapng", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    interfaces, frames = read(tmp_path / "two.pcapng")
    assert interfaces == ["net0", "net1"]
    kinds = Counter((frame.interface, frame.kind, 23 in frame.radio) for frame in frames)
    assert kinds[0, "data", False] > 100 and kinds[1, "data", True] > 100 and kinds[1, "BA", False] > 10
    assert not kinds[0, "data", True] and not kinds[1, "data", False]
    assert [frame.at for frame in frames] == sorted(frame.at for frame in frames)
    finished = call("run", "two.toml", "--engine", "plain", "--pcap", "plain.pcapng", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert (tmp_path / "plain.pcapng").read_bytes() == (tmp_path / "two.pcapng").read_bytes()


def is_writing(process: subprocess.Popen[str], place: Path) -> bool:
    """Whether frames go into a file without a name."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for handle in Path(f"/proc/{process.pid}/fd").iterdir():
            if str(handle.readlink()).startswith(f"{place}/") and handle.stat().st_size > 0:
                return True
    return False


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path):
    ended = call("run", "jung/mixed", "--pcap", "frames.pcapng", cwd=tmp_path, preexec_fn=limited(100_000))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "error: frames.pcapng: File too large\n"
    assert list(tmp_path.iterdir()) == []


@needs_proc
@pytest.mark.parametrize(("cause", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_leaves_nothing(cause, status, tmp_path):
    process = start("run", "jung/mixed", *ENDLESS, "--pcap", "run.pcapng", cwd=tmp_path)
    assert until(lambda: is_writing(process, tmp_path), process)
    process.send_signal(cause)
    _, errors = rest_of(process)
    assert process.returncode == status and "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []
