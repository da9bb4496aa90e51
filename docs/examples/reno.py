"""Reno's congestion control in Python, as docs/add-a-congestion-control.md has it: python docs/examples/reno.py."""

import airfair as af


class Reno(af.Control):
    """Slow start, then a segment more in a round trip; half of the window after a loss (RFC 5681)."""

    def on_ack(self, window: af.Window, ack: af.Ack) -> None:
        """Open the window."""
        if not ack.may_grow:
            return
        if window.in_slow_start:
            window.cwnd = min(window.cwnd + 1, window.maximum)
        else:
            window.cwnd = min(window.cwnd + 1 / window.cwnd, window.maximum)

    def on_loss(self, window: af.Window, loss: af.Loss) -> float:
        """Halve what the loss halves: the window in use, or the data outstanding."""
        return loss.base / 2


if __name__ == "__main__":
    mine = af.run("mamatas/dumbbell", tcp="sack", duration="20 s", control=Reno())
    built_in = af.run("mamatas/dumbbell", tcp="sack", duration="20 s")
    print(f"mine: {float(mine.metrics['goodput']) / 1e6:.3f} Mb/s")
    print(f"the engine's: {float(built_in.metrics['goodput']) / 1e6:.3f} Mb/s")
