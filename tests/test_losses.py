"""The packaged scenario `tcp/losses`: a given number of losses in one window, and the response of each recovery."""

import polars
import pytest

import airfair


def episode(profile, tcp, losses):
    """The flow's counters, and the packets lost and dropped on all links."""
    result = airfair.run("tcp/losses", profile=profile, tcp=tcp, losses=losses)
    links = polars.DataFrame(result.outcomes[0].links)
    [flow] = polars.DataFrame(result.flows).iter_rows(named=True)
    lost = int(links["lost_outage"].sum())
    assert links["dropped"].sum() == 0 and links["lost_errors"].sum() == 0
    return lost, flow["timeouts"], flow["retransmissions"], flow["window_cuts"]


@pytest.mark.parametrize("profile", ["rfc", "ns2"])
@pytest.mark.parametrize("losses", [1, 2, 3, 4])
def test_each_recovery_answers_in_its_own_way(profile, losses):
    told_apart = {tcp: episode(profile, tcp, losses) for tcp in ("tahoe", "reno", "newreno", "sack")}
    assert {lost for lost, *_ in told_apart.values()} == {losses}
    # Tahoe: no timeout, but segments that have arrived are sent again.
    _, timeouts, retransmissions, cuts = told_apart["tahoe"]
    assert (timeouts, cuts) == (0, 1) and retransmissions == 2 * losses - 1
    # Reno: the second hole waits for a timeout.
    assert told_apart["reno"][1] == (0 if losses == 1 else 1)
    # SACK: fills every hole once, and cuts the window once.
    assert told_apart["sack"][1:] == (0, losses, 1)
    # NewReno too, but one hole per round trip: too slow for the timer of ns-2, which restarts only once.
    if (profile, losses) == ("ns2", 4):
        assert told_apart["newreno"][1] == 1
    else:
        assert told_apart["newreno"][1:] == (0, losses, 1)
