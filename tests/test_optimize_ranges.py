"""The values that the optimiser chooses from are those of a sweep's axis."""

import pytest

from airfair import InputError
from airfair.optimizer.ranges import read
from airfair.runs.loading import File

MIXED = File.of("jung/mixed")


def values(name, written, scenario=MIXED, alone=True):
    return list(read(name, written, scenario, alone=alone).values)


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("stations", "2..6", ["2", "4", "6"]),
        ("window", "2..4", ["2", "3", "4"]),
        ("max_window", "1..4:x2", ["1", "2", "4"]),
        ("basic_rate", "1,2, 5.5 Mb/s", ["1 Mb/s", "2 Mb/s", "5.5 Mb/s"]),
        ("tcp", "reno,vegas,reno", ["reno", "vegas"]),
        ("session_bytes", "1000 B, 1 kB, 2 kB", ["1000 B", "2 kB"]),
        ("link.delay", "10..30 ms:10 ms", ["10 ms", "20 ms", "30 ms"]),
        ("node.ap.queue.target", "5 ms", ["5 ms"]),
    ],
)
def test_values(name, written, expected):
    assert values(name, written) == expected


def test_words_have_no_order_and_numbers_have_a_unit():
    assert not read("tcp", "reno,vegas", MIXED, alone=True).ordered
    assert not read("max_window", "default,4", MIXED, alone=True).ordered
    delay = read("link.delay", "1,2 ms", MIXED, alone=True)
    assert delay.ordered
    assert delay.unit == "s"


def test_in_several_dimensions_reals_need_no_step():
    divided = values("wired_delay", "1..2 ms", alone=False)
    assert len(divided) == 101
    assert divided[:2] == ["1 ms", "1.01 ms"] and divided[-1] == "2 ms"


@pytest.mark.parametrize(
    ("name", "written", "message"),
    [
        ("window", "6..2", "empty"),
        ("wired_delay", "1..2 s", "needs a step, as in `1..2 s:100 ms`"),
        ("window", "1,,2", "a value is empty"),
        ("windwo", "1..2", "unknown parameter `windwo`; did you mean `window`?"),
        ("tcp.windwo", "1..2", "unknown setting `tcp.windwo`; did you mean `tcp.window`?"),
    ],
)
def test_bad_ranges_are_refused(name, written, message):
    with pytest.raises(InputError) as caught:
        values(name, written)
    assert message in str(caught.value)
