"""A flow's sending rate under random loss according to theory, in segments per second."""

from __future__ import annotations

import math

#: Coefficients of equation 29: consecutive timeouts double, up to 64 times the first one.
BACKOFFS = (1, 1, 2, 4, 8, 16, 32)


def padhye(loss: float, rtt: float, timeout: float, max_window: float, per_ack: float = 1) -> float:
    """Reno's send rate, by the full model of Padhye, Firoiu, Towsley & Kurose, SIGCOMM 1998, equation 32.

    `loss` is the probability that a segment is lost if no earlier segment of its round is. `timeout` is T0, the first
    timeout of a series; `per_ack` is b, the number of segments that an ACK acknowledges.
    """
    offset = (2 + per_ack) / (3 * per_ack)
    # Equation 13: the window at the end of a period between losses.
    unlimited = offset + math.sqrt(8 * (1 - loss) / (3 * per_ack * loss) + offset**2)
    if unlimited < max_window:
        window, rounds = unlimited, per_ack / 2 * unlimited + 1
    else:
        window, rounds = max_window, per_ack / 8 * max_window + (1 - loss) / (loss * max_window) + 2
    by_timeout = timeout_probability(loss, window)
    segments = (1 - loss) / loss + window + by_timeout / (1 - loss)
    # Equation 29.
    backoff = sum(factor * math.pow(loss, i) for i, factor in enumerate(BACKOFFS))
    return segments / (rtt * rounds + by_timeout * backoff * timeout / (1 - loss))


def timeout_probability(loss: float, window: float) -> float:
    """The probability Q that a loss with this window leads to a timeout (Padhye et al., equation 22)."""
    kept = 1 - loss
    three = kept**3
    return min(1.0, (1 - three) * (1 + three * (1 - math.pow(kept, window - 3))) / (1 - math.pow(kept, window)))


def gaimd(loss: float, rtt: float, timeout: float, alpha: float, beta: float, per_ack: float = 1) -> float:
    """The send rate of TCP(alpha, beta), by Yang & Lam, ICNP 2000; equation 1 of Mamatas & Tsaoussidis, 2007.

    `beta` is the share of the window that remains after a loss.
    """
    avoidance = rtt * math.sqrt(2 * per_ack * (1 - beta) * loss / (alpha * (1 + beta)))
    by_timeout = min(1.0, 3 * math.sqrt((1 - beta**2) * per_ack * loss / (2 * alpha)))
    return 1 / (avoidance + timeout * by_timeout * loss * (1 + 32 * loss**2))
