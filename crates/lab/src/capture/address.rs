//! Addresses of nodes in captures. Those of the `n`-th node of a scenario, counted from 1, end in `n`.

/// Returns the MAC address of a node, a locally administered one.
pub fn mac(node: usize) -> [u8; 6] {
    let [a, b, c, d] = number(node);
    [0x02, 0, a, b, c, d]
}

/// Returns the IPv4 address of a node, a private one (RFC 1918).
pub fn ip(node: usize) -> [u8; 4] {
    let [_, b, c, d] = number(node);
    [10, b, c, d]
}

fn number(node: usize) -> [u8; 4] {
    (node as u32).wrapping_add(1).to_be_bytes()
}
