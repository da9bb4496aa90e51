//! The blocks of a pcapng file (draft-ietf-opsawg-pcapng). A file needs only four kinds of them.

use airfair_core::Time;

/// Block types (section 4).
const SECTION: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const NAMES: u32 = 4;
const PACKET: u32 = 6;

/// Link type of IEEE 802.11 frames with radiotap headers (from the registry of link types).
const IEEE802_11_RADIOTAP: u16 = 127;

/// Options of a section header (section 4.1) and of an interface description (section 4.2), and one of any block.
const END: u16 = 0;
const COMMENT: u16 = 1;
const SECTION_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_DESCRIPTION: u16 = 3;
const INTERFACE_RESOLUTION: u16 = 9;

/// Records of a name resolution block (section 4.5).
const NAME_OF_IPV4: u16 = 1;
const NAME_OF_EUI48: u16 = 3;

/// Resolution of timestamps: units of 10^-9 s.
const NANOSECONDS: u8 = 9;

/// Writes the section header, the first block of a file.
pub fn section(out: &mut Vec<u8>, application: &str, comment: &str) {
    block(out, SECTION, |out| {
        out.extend(0x1A2B_3C4D_u32.to_le_bytes());
        // Version 1.0, and a section of unknown length.
        out.extend([1, 0, 0, 0]);
        out.extend(u64::MAX.to_le_bytes());
        option(out, COMMENT, comment.as_bytes());
        option(out, SECTION_APPLICATION, application.as_bytes());
        option(out, END, &[]);
    });
}

/// Writes an interface. Interfaces are numbered in the order in which they are written.
pub fn interface(out: &mut Vec<u8>, name: &str, description: &str) {
    block(out, INTERFACE, |out| {
        out.extend(IEEE802_11_RADIOTAP.to_le_bytes());
        // A reserved field, and the limit of captured lengths: there is none.
        out.extend([0; 6]);
        option(out, INTERFACE_NAME, name.as_bytes());
        option(out, INTERFACE_DESCRIPTION, description.as_bytes());
        option(out, INTERFACE_RESOLUTION, &[NANOSECONDS]);
        option(out, END, &[]);
    });
}

/// Writes the names of the addresses of nodes.
pub fn names<'a>(out: &mut Vec<u8>, nodes: impl Iterator<Item = ([u8; 6], [u8; 4], &'a str)>) {
    block(out, NAMES, |out| {
        for (mac, ip, name) in nodes {
            let record = |address: &[u8]| [address, name.as_bytes(), &[0]].concat();
            option(out, NAME_OF_IPV4, &record(&ip));
            option(out, NAME_OF_EUI48, &record(&mac));
        }
        option(out, END, &[]);
    });
}

/// Writes a frame that began at `at` and is `length` bytes long, of which the file keeps `bytes`.
pub fn packet(out: &mut Vec<u8>, interface: u32, at: Time, bytes: &[u8], length: u32) {
    block(out, PACKET, |out| {
        out.extend(interface.to_le_bytes());
        out.extend(((at.0 >> 32) as u32).to_le_bytes());
        out.extend((at.0 as u32).to_le_bytes());
        out.extend((bytes.len() as u32).to_le_bytes());
        out.extend(length.max(bytes.len() as u32).to_le_bytes());
        out.extend(bytes);
    });
}

/// Writes a block: its type, its length, its body, its length again (section 3.1).
fn block(out: &mut Vec<u8>, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend(kind.to_le_bytes());
    out.extend([0; 4]);
    body(out);
    out.resize(out.len().next_multiple_of(4), 0);
    let length = ((out.len() - start + 4) as u32).to_le_bytes();
    out[start + 4..start + 8].copy_from_slice(&length);
    out.extend(length);
}

/// Writes an option (section 3.5) or a record of names, padded to a multiple of four bytes.
fn option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    // Lengths have 16 bits; names of nodes and networks are far shorter.
    let value = &value[..value.len().min(usize::from(u16::MAX))];
    out.extend(code.to_le_bytes());
    out.extend((value.len() as u16).to_le_bytes());
    out.extend(value);
    out.resize(out.len() + value.len().next_multiple_of(4) - value.len(), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_whole_words_and_say_their_length_twice() {
        let mut out = Vec::new();
        section(&mut out, "test", "a comment");
        interface(&mut out, "wlan", "802.11b");
        names(&mut out, [([2, 0, 0, 0, 0, 1], [10, 0, 0, 1], "ap")].into_iter());
        packet(&mut out, 0, Time(0x1_0000_0002), &[1, 2, 3], 100);
        let word = |at: usize| u32::from_le_bytes(out[at..at + 4].try_into().expect("four bytes"));
        let (mut at, mut kinds) = (0, Vec::new());
        while at < out.len() {
            let length = word(at + 4) as usize;
            assert_eq!(length % 4, 0);
            assert_eq!(word(at + length - 4) as usize, length);
            kinds.push(word(at));
            at += length;
        }
        assert_eq!(kinds, [SECTION, INTERFACE, NAMES, PACKET]);
        // Interface, time, bytes kept, length, bytes, padding, length of the block.
        let end = &out[out.len() - 28..];
        let expected = [0, 1, 2, 3, 100, 0x0003_0201, 36].map(u32::to_le_bytes).concat();
        assert_eq!(end, expected);
    }
}
