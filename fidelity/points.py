"""The points of `jung/table1` and `jung/mixed` that are compared: how each is called on either side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["download", "upload"]

#: ns-2's agent (under `Agent/TCP/`, or the name that ns2/wlan.tcl and ns2/path.tcl give it) for each `tcp`.
NS2_AGENT = {
    "tahoe": "Tahoe",
    "reno": "Reno",
    "reno-maxwin10": "Reno",
    "newreno": "Newreno",
    "sack": "Sack1",
    "vegas": "Vegas",
    "westwood": "Westwood",
}


@dataclass(frozen=True, order=True)
class Table1:
    """A cell of the paper's Table 1: all stations greedy."""

    protocol: str
    direction: Direction
    stations: int

    scenario = "jung/table1"

    @property
    def tcp(self) -> str:
        """What the pass rates are grouped by."""
        return "udp" if self.protocol == "udp" else "reno"

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters."""
        return {
            "profile": "ns2",
            "protocol": self.protocol,
            "direction": self.direction,
            "stations": self.stations,
        }

    @property
    def ns2_settings(self) -> dict[str, object]:
        """Settings of ns2/wlan.tcl."""
        return {
            "scenario": "table1",
            "protocol": self.protocol,
            "direction": self.direction,
            "stations": self.stations,
            "rate": f"{16 / self.stations:g}Mb",
            "duration": 40,
        }

    def __str__(self) -> str:
        """As tables name it."""
        return f"{self.protocol} {self.direction} n={self.stations}"


@dataclass(frozen=True, order=True)
class Mixed:
    """A point of the paper's mixed traffic: half of the stations persistent, half intermittent."""

    direction: Direction
    tcp: str
    stations: int
    session_bytes: int
    connection: str

    scenario = "jung/mixed"

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters."""
        return {
            "profile": "ns2",
            "direction": self.direction,
            "tcp": self.tcp,
            "stations": self.stations,
            "session_bytes": f"{self.session_bytes} B",
            "connection": self.connection,
        }

    @property
    def ns2_settings(self) -> dict[str, object]:
        """Settings of ns2/wlan.tcl."""
        return {
            "scenario": "mixed",
            "direction": self.direction,
            "tcp": NS2_AGENT[self.tcp],
            "max_window": 10 if self.tcp == "reno-maxwin10" else 0,
            "stations": self.stations,
            "session_bytes": self.session_bytes,
            "connection": self.connection,
        }

    @property
    def fair_share(self) -> float:
        """The paper's fair share of a user in byte/s: 620 and 860 kB/s over the number of users."""
        return (620e3 if self.direction == "download" else 860e3) / self.stations

    def __str__(self) -> str:
        """As tables name it."""
        kilobytes = self.session_bytes / 1000
        text = f"{self.direction} {self.tcp} n={self.stations} {kilobytes:g} kB"
        return text + (" renewed" if self.connection == "renewed" else "")


Point = Table1 | Mixed
