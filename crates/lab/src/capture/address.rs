//! The addresses of nodes: those of the `n`-th node of a scenario, counted from 1, end in `n`.

/// The MAC address, a locally administered one.
pub fn mac(node: usize) -> [u8; 6] {
    let [a, b, c, d] = number(node);
    [0x02, 0, a, b, c, d]
}

/// The IPv4 address, a private one (RFC 1918).
pub fn ip(node: usize) -> [u8; 4] {
    let [_, b, c, d] = number(node);
    [10, b, c, d]
}

fn number(node: usize) -> [u8; 4] {
    (node as u32).wrapping_add(1).to_be_bytes()
}
