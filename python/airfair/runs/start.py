"""The body of `airfair init`: a scenario to start from, with comments."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import typer

from airfair import _engine, console
from airfair.catalogue.known import nearest
from airfair.command import Common, answer


class Kind(NamedTuple):
    """An answer to a question of `airfair init`: its meaning, and its part of the scenario file."""

    meaning: str
    toml: str
    #: Metrics that the file reports with this answer.
    metrics: Sequence[str] = ()


_WIRE = """\
# One link that all share, the bottleneck. `queue = "bdp"` would make its queue a bandwidth-delay product long.
[[node]]
name = "server"

[[node]]
name = "router"

[[node]]
name = "device{i}"
count = "devices"

[[link]]
from = "server"
to = "router"
rate = "20 Mb/s"
delay = "10 ms"
queue = 100

[[link]]
from = "router"
to = "device{i}"
count = "devices"
rate = "1 Gb/s"
delay = "1 ms"
queue = 1000
"""


def _air(phy: str, queue: int, channel: str = "", note: str = "") -> str:
    return f"""\
# A server beyond the access point, 10 ms away each way.
[[node]]
name = "server"

[[link]]
from = "server"
to = "ap"
rate = "1 Gb/s"
delay = "10 ms"
queue = 1000

# The air that all share. All devices hear each other.
[[wlan]]
name = "wlan"
ap = "ap"
phy = "{phy}"
{channel}queue = {queue}  # packets that the access point, and each device, hold at most
{note}
[[wlan.station]]
name = "device{{i}}"
count = "devices"
"""


def _aggregates(phy: str, width: str) -> str:
    """A WLAN that aggregates packets, with a channel of this width."""
    channel = (
        f'width = "{width}"\nnss = 2  # streams, as phones and laptops have them\n'
        'txop = "0 s"  # one PPDU at a time, as hostapd has it; the standard\'s limit is 2.528 ms\n'
    )
    note = """\
# Each device is near: nothing is lost, and all data have one rate. With distance = "10 m" below, the path decides the
# loss. With rate_control = "minstrel" here, devices then change their rates, as those with Linux do.
# The access point serves packets as they come. With these here it has Linux's queues, and shares the air:
#     ap_discipline = { kind = "mac80211" }
#     aql = "12 ms"
# Other disciplines need a driver that holds little, as with these here:
#     ap_discipline = { kind = "fq_codel" }
#     driver_queue = 128
"""
    return _air(phy, 1000, channel, note)


WIRE = "wire"
NETWORKS: Mapping[str, Kind] = {
    "802.11be": Kind("Wi-Fi 7", _aggregates("802.11be", "160 MHz")),
    "802.11ax": Kind("Wi-Fi 6", _aggregates("802.11ax", "80 MHz")),
    "802.11ac": Kind("Wi-Fi 5", _aggregates("802.11ac", "80 MHz")),
    "802.11n": Kind("Wi-Fi 4", _aggregates("802.11n", "20 MHz")),
    "802.11g": Kind("54 Mb/s", _air("802.11g", 100)),
    "802.11b": Kind("11 Mb/s", _air("802.11b", 100)),
    WIRE: Kind("one link that all share", _WIRE),
}

_DOWN = """\
# A transfer that never ends, to each device.
[[flow]]
name = "download{i}"
count = "devices"
from = "server"
to = "device{i}"
start = "0.1 s * i"
"""
_UP = """\
# A transfer that never ends, from each device.
[[flow]]
name = "upload{i}"
count = "devices"
from = "device{i}"
to = "server"
start = "0.1 s * i"
"""
_HALF_DOWN = """\
[[flow]]
name = "download{i}"
count = "ceil(devices / 2)"
from = "server"
to = "device{2 * i}"
start = "0.1 s * i"
"""
_MIXED = f"""\
# Every second device downloads all the time; the others fetch some bytes now and then.
{_HALF_DOWN}
[[flow]]
name = "fetch{{i}}"
count = "floor(devices / 2)"
from = "server"
to = "device{{2 * i + 1}}"
traffic = "intermittent"
session_bytes = "50 kB"
period = "5 s"
gap = "exponential"
"""
_PAGES = f"""\
# Every second device downloads all the time; the others load a page now and then.
{_HALF_DOWN}
[[flow]]
name = "page{{i}}"
count = "floor(devices / 2)"
from = "server"
to = "device{{2 * i + 1}}"
traffic = "web"
period = "8 s"
gap = "exponential"
"""
_STREAMS = f"""\
# Every second device downloads all the time; the others watch video.
{_HALF_DOWN}
[[flow]]
name = "stream{{i}}"
count = "floor(devices / 2)"
from = "server"
to = "device{{2 * i + 1}}"
traffic = "video"
spread = "4 s"
"""
_GAMES = f"""\
# Every second device downloads all the time; the others play an online game.
{_HALF_DOWN}
[[flow]]
name = "game{{i}}"
count = "floor(devices / 2)"
from = "device{{2 * i + 1}}"
to = "server"
traffic = "game"
spread = "20 ms"
"""
_CALLS = f"""\
# Every second device downloads all the time; the others are in a call, a voice in either direction.
{_HALF_DOWN}
[[flow]]
name = "hears{{i}}"
count = "floor(devices / 2)"
from = "server"
to = "device{{2 * i + 1}}"
traffic = "voice"
spread = "20 ms"

[[flow]]
name = "speaks{{i}}"
count = "floor(devices / 2)"
from = "device{{2 * i + 1}}"
to = "server"
traffic = "voice"
spread = "20 ms"
"""
TRAFFIC: Mapping[str, Kind] = {
    "download": Kind("all download all the time", _DOWN, ("throughput_total", "jain")),
    "upload": Kind("all upload all the time", _UP, ("throughput_total", "jain")),
    "mixed": Kind(
        "half download, half fetch some bytes now and then",
        _MIXED,
        (
            *("instantaneous_fairness_acked", "finish_time_acked_mean", "finish_time_acked_p95"),
            *("throughput_persistent", "sessions_unfinished"),
        ),
    ),
    "calls": Kind(
        "half download, half are in a call",
        _CALLS,
        ("throughput_persistent", "voice_mos_mean", "voice_mos_min", "voice_loss_max"),
    ),
    "pages": Kind(
        "half download, half load pages",
        _PAGES,
        ("throughput_persistent", "page_load_time_mean", "page_load_time_p95"),
    ),
    "streams": Kind(
        "half download, half watch video",
        _STREAMS,
        ("throughput_persistent", "join_time_mean", "rebuffer_ratio_mean", "video_bitrate_mean"),
    ),
    "games": Kind(
        "half download, half play an online game",
        _GAMES,
        ("throughput_persistent", "game_response_time_mean", "game_response_time_p95", "game_loss_mean"),
    ),
}

#: The answers if none are given and there is no terminal to ask at.
NETWORK, DEVICES, TRAFFIC_OF = "802.11ax", 4, "mixed"
MOST_DEVICES = 100

_HEAD = """\
# What is not said here has a default: docs/scenarios.md lists every key, `airfair schema` gives them to an editor.
#
#     airfair check {file}
#     airfair run {file} --seeds 10
#     airfair run {file} --set devices={more}
#     airfair sweep {file} --over devices=2..{most} --over tcp=cubic,reno,bbr3
title = "{title}"
{share}
# Parameters are what others set from outside; they go into any value below, as in count = "devices".
# A parameter may also be a short name for a key, as tcp is.
[parameters]
devices = {{ unit = "count", default = {devices}, min = 1, max = {limit}, help = "Number of devices." }}
tcp = "tcp.variant"
duration = "run.duration"

[run]
warmup = "5 s"     # before anything is measured
duration = "30 s"  # measured after that
metrics = [{metrics}]  # airfair describe metrics

{network}
# How all TCP connections behave: airfair describe tcp
[tcp]
profile = "linux"
variant = "cubic"

{traffic}"""


#: The metric that needs a fair share, and the lines of the file that have the fair share measured.
_SHARES = "instantaneous_fairness_acked"
_SHARE = """
# The fair share of a device: what it gets alone, over their number. Each run measures it first; `--out` stores it.
# `airfair fair-share {file}` prints it as numbers, to stand here in place of the word.
fair_share = "measured"
"""


def metrics(network: str, traffic: str) -> list[str]:
    """The metrics that the file reports. A network without a WLAN has no fair shares."""
    return [name for name in TRAFFIC[traffic].metrics if name != _SHARES or network != WIRE]


def text(file: str, network: str, devices: int, traffic: str) -> str:
    """The text of the scenario file.

    Raises:
        InputError: There is no such network or traffic, or the number of devices is out of range.
    """
    for option, word, words in (("--network", network, NETWORKS), ("--traffic", traffic, TRAFFIC)):
        if word not in words:
            raise _engine.InputError(f"{option} {_unexpected(word, words)}")
    if not 1 <= devices <= MOST_DEVICES:
        raise _engine.InputError(f"--devices {devices}: expected 1 to {MOST_DEVICES}")
    quoted = console.one_line(shlex.quote(file))
    return _HEAD.format(
        file=quoted,
        share=_SHARE.format(file=quoted) if _SHARES in metrics(network, traffic) else "",
        more=min(2 * devices, MOST_DEVICES),
        most=min(max(2 * devices, 8), MOST_DEVICES),
        title=f"Devices on {'a wire' if network == WIRE else f'one {network} network'}: {TRAFFIC[traffic].meaning}",
        devices=devices,
        limit=MOST_DEVICES,
        metrics=", ".join(f'"{name}"' for name in metrics(network, traffic)),
        network=NETWORKS[network].toml,
        traffic=TRAFFIC[traffic].toml,
    )


def init(file: Path, network: str | None, devices: int | None, traffic: str | None, common: Common) -> int:
    """Write a scenario file, after asking at the terminal for what is not given. Returns the exit status.

    Raises:
        InputError: The file exists, or an answer is invalid.
    """
    if file.suffix != ".toml":
        raise _engine.InputError(f"{file}: the name of a scenario file ends in .toml")
    if os.path.lexists(file):
        raise _engine.InputError(f"{file}: it exists, and init never overwrites; give another name")
    watched = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    asks = watched and not common.json and not common.quiet
    network = network or _chosen("Which network?", NETWORKS, NETWORK, asks=asks)
    devices = _counted("How many devices?", DEVICES, asks=asks) if devices is None else devices
    traffic = traffic or _chosen("What do they do?", TRAFFIC, TRAFFIC_OF, asks=asks)
    contents = text(str(file), network, devices, traffic)
    scenario = _engine.Scenario.parse(contents, file.name)
    try:
        with file.open("x", encoding="utf-8") as new:
            try:
                new.write(contents)
                new.flush()
            except OSError:
                file.unlink()  # else the next attempt would find a file that it must not overwrite
                raise
    except OSError as error:
        raise _engine.InputError(f"{file}: cannot write there: {error.strerror or error}") from None
    document = {"file": str(file), "network": network, "devices": devices, "traffic": traffic, "toml": scenario.toml}

    def show() -> None:
        console.out.line("written: ", (str(file), "bold"))
        console.out.line(f"run it with: airfair run {shlex.quote(str(file))}")

    answer(common, "init.json", document, show)
    return 0


def _asked(question: str, default: str) -> str:
    try:
        return str(typer.prompt(question, default=default, err=True)).strip()
    except typer.Abort:
        raise KeyboardInterrupt from None


def _chosen(question: str, words: Mapping[str, Kind], default: str, *, asks: bool) -> str:
    if not asks:
        return default
    for word, kind in words.items():
        console.err.print(f"  {word:10}{kind.meaning}")
    while (word := _asked(question, default)) not in words:
        console.err.print(_unexpected(word, words))
    return word


def _unexpected(word: str, words: Mapping[str, Kind]) -> str:
    hint = f"; {reason}" if (reason := _engine.not_modelled(word)) else nearest(word, words)
    return f"{word}: expected {', '.join(words)}{hint}"


def _counted(question: str, default: int, *, asks: bool) -> int:
    while asks:
        given = _asked(question, str(default))
        if given.isdecimal() and 1 <= int(given) <= MOST_DEVICES:
            return int(given)
        console.err.print(f"{given}: expected a number from 1 to {MOST_DEVICES}")
    return default
