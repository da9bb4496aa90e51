"""The packaged scenario `wifi/saturation` with the older standards."""

from __future__ import annotations

import pytest

import airfair


def throughput(**given: object) -> float:
    run = airfair.run("wifi/saturation", warmup="0.2 s", duration="1 s", **given)
    return float(run.metrics["throughput_total"])


@pytest.mark.parametrize(("standard", "band"), [("802.11b", "2.4 GHz"), ("802.11g", "2.4 GHz"), ("802.11a", "5 GHz")])
def test_older_standards_take_what_they_have_anyway(standard, band):
    assert throughput(standard=standard, band=band, txop="0 s") == throughput(standard=standard)


@pytest.mark.parametrize(("name", "value"), [("band", "6 GHz"), ("txop", "1 ms")])
def test_older_standards_refuse_what_would_change_something(name, value):
    with pytest.raises(airfair.InputError, match=f"{name}: it belongs to"):
        throughput(standard="802.11g", **{name: value})


@pytest.mark.parametrize("standard", ["802.11a", "802.11g"])
def test_noise_destroys_frames_of_older_standards(standard):
    """EDCA in the category best effort then: near the access point they carry what that carries."""
    near = throughput(standard=standard, distance="2 m")
    assert near == throughput(standard=standard, access_category="be") != throughput(standard=standard)
    with pytest.warns(airfair.ScenarioWarning, match="noise destroys nearly all"):
        assert throughput(standard=standard, distance="200 m") < 0.1 * near
