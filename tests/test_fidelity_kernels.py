"""Recordings of the kernel in real time, in virtual time, and of an earlier version beside each other."""

from __future__ import annotations

import tomllib

from fidelity import kernel, kernels
from fidelity.references import HERE


def test_points_with_late_moments_differ_in_real_time():
    named = {row[0] for row in kernels.apart().rows}
    explanations = tomllib.loads((HERE / "explanations.toml").read_text())["kernel"]
    late = next(one["points"] for one in explanations if one["cause"] == "late moments")
    assert set(late) <= named


def test_versions_differ_less_than_the_bar_in_virtual_time():
    assert len(kernels.queues()) == 105
    assert abs(kernels.between_versions()[0]) < (kernel.METRICS["queue"].relative or 0)
