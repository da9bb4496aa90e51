//! What TCP senders and links did.

use super::*;

pub(super) const METRICS: &[MetricInfo] = &[
    count(
        "segments_sent",
        "segment",
        None,
        "Segments that the senders handed to their interfaces in the measured window, retransmissions included.",
        COUNT,
    ),
    count("retransmissions", "segment", Some(false), "Segments sent again in the measured window.", COUNT),
    count("timeouts", "timeout", Some(false), "Retransmission timeouts in the measured window.", COUNT),
    count(
        "window_cuts",
        "cut",
        None,
        "Reductions of the congestion window by the senders in answer to loss, in the measured window.",
        COUNT,
    ),
    MetricInfo {
        name: "rexmit_fraction",
        unit: "1",
        range: FRACTION,
        larger_is_better: Some(false),
        definition: "Segments sent again over segments sent, of all TCP flows in the measured window.",
        source: COUNT,
        ..PLAIN
    },
    MetricInfo {
        name: "cwnd_mean",
        unit: "segment",
        range: FROM_ZERO,
        larger_is_better: None,
        definition: "Mean over the TCP flows of each one's congestion window averaged over time, from its start (or the \
                     end of the warm-up) to the end of the run, whether or not the flow has data to send. Without what \
                     fast recovery inflates it by.",
        source: COUNT,
        ..PLAIN
    },
    MetricInfo {
        name: "cwnd_persistent",
        unit: "segment",
        range: FROM_ZERO,
        larger_is_better: None,
        definition: "cwnd_mean of the persistent flows alone.",
        source: COUNT,
        ..PLAIN
    },
    MetricInfo {
        name: "gaimd_throughput",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: None,
        definition: "Payload that the GAIMD equation has the TCP flows send, retransmissions included, summed over them, \
                     each at what it met in the measured window: p = (fast retransmits + timeouts) / segments sent; RTT = \
                     mean time from the sending of a segment to the ACK of new data that it brought; T0 = mean \
                     timeout that started a series, without any the timeout at the end; b = segments per ACK, 1 where the \
                     window opens by bytes acknowledged. alpha and beta are the flow's own (Reno: 1 and 0.5). None where \
                     a flow has another control or met no loss.",
        source: "Yang & Lam, \"General AIMD congestion control\", ICNP 2000; equation (1) of Mamatas & Tsaoussidis.",
        ..PLAIN
    },
    MetricInfo {
        name: "loss_rate",
        unit: "1",
        range: FRACTION,
        larger_is_better: Some(false),
        definition: "Packets lost by errors or outages on wired links over packets offered, in the measured window: of the \
                     directions of links that have errors or outages, all together, acknowledgements included. 0 where none \
                     has.",
        source: COUNT,
        note: Some("by errors and outages of the wired links"),
        ..PLAIN
    },
    MetricInfo {
        name: "drop_rate",
        unit: "1",
        range: FRACTION,
        larger_is_better: Some(false),
        definition: "Packets dropped by the queues of wired links, full or by their discipline, over packets offered to them, in the measured \
                     window: of both directions of all links together, acknowledgements included, so that a packet over \
                     three links is offered three times.",
        source: COUNT,
        note: Some("at the queues of the wired links"),
        ..PLAIN
    },
    MetricInfo {
        name: "mark_rate",
        unit: "1",
        range: FRACTION,
        larger_is_better: None,
        definition: "Packets marked with Congestion Experienced (RFC 3168) by the queues of wired links over packets offered \
                     to them, in the measured window, counted as in drop_rate.",
        source: COUNT,
        note: Some("at the queues of the wired links"),
        ..PLAIN
    },
];
