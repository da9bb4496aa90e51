"""The quickest rows of the matrix that BBR's authors test with."""

from __future__ import annotations

from fidelity import bbr3


def test_version_3_shares_with_cubic_at_any_buffer():
    rows = bbr3.coexist().rows
    assert len(rows) == 6
    assert all(row[-1] == "pass" for row in rows)
