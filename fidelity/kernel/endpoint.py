"""One end of a path of the running kernel: a network namespace with a TUN device, and TCP connections over it.

`endpoint.py '{...}'` has a Unix socket as standard input. It hands over the device and waits for a byte. Then it
receives, or it sends and prints the TCP_INFO of each connection over time. Times are seconds of CLOCK_MONOTONIC.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import math
import os
import select
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
DEVICE, PORT = "tun0", 5001
ADDRESSES = {"sender": "10.0.0.1", "receiver": "10.0.0.2"}
#: Number of packets that the device holds while the bottleneck is not scheduled.
DEVICE_QUEUE = 10_000
#: Settings with which the receiver's buffer never limits a flow.
ROOM = {"net/ipv4/tcp_rmem": "4096 33554432 33554432"}
#: Settings with which the sender's buffer never limits a flow, no metrics are kept of earlier connections, and only the
#: test sends packets.
SYSCTLS = {
    "net/ipv4/tcp_wmem": "4096 16777216 33554432",
    "net/ipv4/tcp_no_metrics_save": "1",
    "net/ipv6/conf/all/disable_ipv6": "1",
}
CHUNK = bytes(1 << 18)

#: Offset and format of fields of struct tcp_info (include/uapi/linux/tcp.h).
FIELDS = {
    "unacked": (24, "I"),
    "srtt_us": (68, "I"),
    "ssthresh": (76, "I"),
    "cwnd": (80, "I"),
    "retransmitted": (100, "I"),
    "acked": (120, "Q"),
    "min_rtt_us": (148, "I"),
    "sent": (156, "I"),
}
TCP_INFO_BYTES = 248


def main() -> None:
    """Set up the namespace, hand over its device, and receive or send."""
    settings = json.loads(sys.argv[1])
    control = socket.socket(fileno=0)
    usual = all(flow.get("usual_receiver", False) for flow in settings["flows"])
    device = _namespace(ADDRESSES[settings["role"]], SYSCTLS if usual else {**SYSCTLS, **ROOM})
    if settings["role"] == "receiver":
        listener = socket.create_server((ADDRESSES["receiver"], PORT), backlog=16)
    socket.send_fds(control, [b"ready"], [device])
    os.close(device)
    if not control.recv(1):
        return
    if settings["role"] == "receiver":
        _receive(listener, control)
    else:
        json.dump(_send(settings), sys.stdout)


def _namespace(address: str, sysctls: dict[str, str]) -> int:
    """Enter a new network namespace with nothing but a TUN device; returns the device."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "no network namespace can be made")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
    for name, value in sysctls.items():
        # The kernel may lack IPv6.
        if (setting := Path("/proc/sys") / name).exists():
            setting.write_text(value)
    for words in (
        ["link", "set", DEVICE, "mtu", "1500", "txqueuelen", str(DEVICE_QUEUE), "up"],
        ["address", "add", f"{address}/24", "dev", DEVICE],
    ):
        subprocess.run(["ip", *words], check=True)
    return device


def _receive(listener: socket.socket, control: socket.socket) -> None:
    """Read all data as soon as they arrive, until the other side of `control` closes."""
    poller = select.poll()
    connections = {listener.fileno(): listener}
    poller.register(listener, select.POLLIN)
    poller.register(control, select.POLLIN)
    room = bytearray(1 << 20)
    while True:
        for number, _ in poller.poll():
            if number == control.fileno():
                return
            if number == listener.fileno():
                connection, _ = listener.accept()
                connections[connection.fileno()] = connection
                poller.register(connection, select.POLLIN)
            elif not connections[number].recv_into(room):
                poller.unregister(number)


class _Flow:
    """A connection with `writes`, each a time in s after the SYN and a number of bytes; if none, without end."""

    def __init__(self, settings: dict[str, Any], begin: float) -> None:
        self.control = settings["control"]
        self.start = begin + settings["start"]
        self.writes: list[tuple[float, int]] = settings["writes"]
        #: The number of writes that have begun, and their bytes.
        self.begun = self.asked = 0
        #: How late a write has begun at most, in s.
        self.late = 0.0
        self.written = 0
        self.rows: list[list[float]] = []
        self.socket: socket.socket | None = None

    def open(self) -> socket.socket:
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.control.encode())
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # The last ACK of the handshake waits for the first data, as in a simulation: packets have the same numbers.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, 1)
        self.start = time.monotonic()
        self.socket.connect_ex((ADDRESSES["receiver"], PORT))
        return self.socket

    def wanted(self, now: float) -> int:
        """Bytes that the application wants to have written by `now`."""
        if not self.writes:
            return self.written + len(CHUNK)
        while (due := self.next_write()) <= now:
            self.late = max(self.late, now - due)
            self.asked += self.writes[self.begun][1]
            self.begun += 1
        return self.asked

    def next_write(self) -> float:
        """When the next write begins."""
        return self.start + self.writes[self.begun][0] if self.begun < len(self.writes) else math.inf

    def write(self, now: float) -> None:
        """Write all bytes wanted by `now` for which the socket has room."""
        assert self.socket is not None
        with suppress(BlockingIOError):
            while (room := self.wanted(now) - self.written) > 0:
                self.written += self.socket.send(CHUNK[:room])

    def sample(self, now: float) -> None:
        assert self.socket is not None
        info = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_BYTES)
        self.rows.append([now - self.start, *(struct.unpack_from(form, info, at)[0] for at, form in FIELDS.values())])


def _send(settings: dict[str, Any]) -> dict[str, Any]:
    begin, interval = time.monotonic(), settings["interval"]
    end, next_sample = begin + settings["duration"], begin
    flows = [_Flow(flow, begin) for flow in settings["flows"]]
    opened: dict[socket.socket, _Flow] = {}
    while (now := time.monotonic()) < end:
        opened |= {flow.open(): flow for flow in flows if flow.socket is None and flow.start <= now}
        if now >= next_sample:
            for flow in opened.values():
                flow.sample(time.monotonic())
            next_sample = max(next_sample + interval, now)
        writers = [one for one, flow in opened.items() if flow.wanted(now) > flow.written]
        wake = min(next_sample, end, *(flow.next_write() if flow.socket else flow.start for flow in flows))
        # Unlike poll(), select() waits for less than 1 ms, too.
        _, ready, _ = select.select([], writers, [], max(0.0, wake - time.monotonic()))
        for one in ready:
            opened[one].write(time.monotonic())
    for flow in opened.values():
        flow.sample(time.monotonic())
    ended = [{"start": flow.start, "late": flow.late, "rows": flow.rows} for flow in flows]
    return {"columns": ["t", *FIELDS], "flows": ended}


if __name__ == "__main__":
    main()
