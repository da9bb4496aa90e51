"""Two recordings of the kernel beside each other."""

from __future__ import annotations

import tomllib

from fidelity import kernels
from fidelity.references import HERE


def test_points_with_late_moments_differ_between_the_kernels():
    made, compared = kernels.apart()
    named = {row[0] for row in made.rows}
    explanations = tomllib.loads((HERE / "explanations.toml").read_text())["kernel"]
    late = next(one["points"] for one in explanations if one["cause"] == "late moments")
    assert compared == 105
    assert set(late) <= named
