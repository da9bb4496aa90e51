//! Plays the scripts of `fidelity/scripts`, unchanged and with faults.

use airfair_packetdrill::{Verdict, judge};
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;

/// Returns the name and the text of each script.
fn scripts() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fidelity/scripts");
    let entries = fs::read_dir(folder).expect("the scripts");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("text"))
    };
    paths.iter().map(read).collect()
}

fn verdict(text: &str) -> Verdict {
    judge(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault}"))
}

#[test]
fn our_scripts_pass() {
    let found = scripts();
    assert!(found.len() >= 15);
    for (name, text) in found {
        assert_eq!(verdict(&text), Verdict::Passed, "{name}");
    }
}

/// Returns a script that passes: it opens a connection, and then does `more`.
fn opened(more: &str) -> String {
    let (_, text) = scripts().into_iter().find(|(name, _)| name == "slow-start.pkt").expect("it is there");
    let opened = text.split("+0 write").next().expect("a part").to_owned();
    format!("{}{more}", opened.trim_end_matches(' '))
}

fn failed(more: &str) -> String {
    match verdict(&opened(more)) {
        Verdict::Failed(_, reason) => reason,
        other => panic!("{other:?}"),
    }
}

fn skipped(more: &str) -> String {
    match verdict(&opened(more)) {
        Verdict::Skipped(_, reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_differs_is_said() {
    let write = "+0 write(4, ..., 3000) = 3000\n";
    for (more, wanted) in [
        ("+0 > . 1:1001(1000) ack 1", "expected . 1:1001(1000) ack 1 at 0.1 s: nothing was sent"),
        (
            &format!("{write}+0 > . 1:4001(4000) ack 1"),
            "expected . 1:4001(4000) ack 1 at 0.1 s: nothing was sent beyond 3001",
        ),
        (
            &format!("{write}+0 > . 1001:3001(2000) ack 1"),
            "expected . 1001:3001(2000) ack 1 at 0.1 s: sent . 1:1001(1000) ack 1 at 0.1 s",
        ),
        (
            &format!("{write}+0 > . 1:3001(3000) ack 2"),
            "expected . 1:3001(3000) ack 2 at 0.1 s: sent . 1:1001(1000) ack 1 at 0.1 s, not with this acknowledgement",
        ),
        (
            &format!("{write}+0 > E. 1:3001(3000) ack 1"),
            "expected E. 1:3001(3000) ack 1 at 0.1 s: sent . 1:1001(1000) ack 1 at 0.1 s, not with the flags E.",
        ),
        (
            &format!("{write}+0 > [ect0] . 1:3001(3000) ack 1"),
            "expected . 1:3001(3000) ack 1 at 0.1 s: sent . 1:1001(1000) ack 1 at 0.1 s, as noecn",
        ),
        (
            &format!("{write}+.005 > . 1:3001(3000) ack 1"),
            "expected . 1:3001(3000) ack 1 at 0.105 s: sent . 1:1001(1000) ack 1 at 0.1 s, not within 0.101 s to 0.109 s",
        ),
        (
            &format!("{write}+0 > . 1:3001(3000) ack 1 <nop,nop,TS val 1 ecr 1>"),
            "expected . 1:3001(3000) ack 1 at 0.1 s: sent . 1:1001(1000) ack 1 at 0.1 s, without a timestamp",
        ),
        ("+0 %{ assert tcpi_snd_cwnd == 9, 'no' }%", "assert tcpi_snd_cwnd == 9: tcpi_snd_cwnd is 10"),
        ("0 %{ assert True }%", "due at 0 s, but it is 0.1 s already"),
        ("+0 read(4, ..., 10) = 10", "fewer than 10 bytes are there to be read"),
    ] {
        assert_eq!(failed(more), wanted, "{more}");
    }
}

#[test]
fn times_may_differ_by_the_tolerance_and_by_a_part_of_the_wait() {
    let write = "+0 write(4, ..., 3000) = 3000\n";
    for at in ["+0", "+.003", "+0~+.1", "*", "0.1", "0~0.2"] {
        let script = opened(&format!("{write}{at} > . 1:3001(3000) ack 1"));
        assert_eq!(verdict(&script), Verdict::Passed, "{at}");
    }
    let script =
        format!("--tolerance_usecs=20000\n{}", opened(&format!("{write}+.019 > . 1:3001(3000) ack 1")));
    assert_eq!(verdict(&script), Verdict::Passed);
}

#[test]
fn segments_are_compared_by_their_bytes() {
    let split = "+0 write(4, ..., 3000) = 3000\n+0 > . 1:1501(1500) ack 1\n+0 > P. 1501:3001(1500) ack 1";
    assert_eq!(verdict(&opened(split)), Verdict::Passed);
}

#[test]
fn options_of_a_syn_are_those_that_were_offered() {
    let script = opened("").replace("nop,nop,sackOK,nop,wscale 8", "nop,wscale 8");
    let Verdict::Failed(_, reason) = verdict(&script) else { panic!("it passes") };
    assert!(reason.ends_with("with the option sackOK"), "{reason}");
}

#[test]
fn what_is_not_modelled_is_skipped_before_anything_is_played() {
    for (more, wanted) in [
        ("+0 > . 7:7(0) ack 1\n+0 `reboot`", "the command `reboot` is not run"),
        ("+0 poll(4) = 1", "poll(4): the call is not modelled"),
        (
            "+0 write(4, ..., 3000) = -1 EAGAIN (later)",
            "write(4, ..., 3000): calls that fail are not modelled",
        ),
        ("+0 %{ assert tcpi_unknown == 1 }%", "`tcpi_unknown` is not modelled"),
        ("+0 < R. 1:1(0) ack 1 win 1", "a reset is not modelled"),
        ("+0 > icmp unreachable", "packets of icmp are not modelled"),
        (
            "+0 %{ import os }%",
            "more Python than assertions of whole numbers: `import` at the start of a statement",
        ),
    ] {
        assert_eq!(skipped(more), wanted, "{more}");
    }
}

#[test]
fn an_endless_script_ends() {
    // A window of a gigabyte, and enough data to fill it.
    let open = opened("").replace("wscale 7", "wscale 14").replace("win 320", "win 65535");
    let mut more = String::from("+0 write(4, ..., 4000000000) = 4000000000\n");
    for round in 0..40_u64 {
        more.push_str(&format!("+.1 < . 1:1(0) ack {} win 65535\n", 1 + 10_000 * ((1 << round.min(17)) - 1)));
    }
    let found = verdict(&format!("{open}{more}"));
    assert!(
        matches!(&found, Verdict::Skipped(_, reason) if reason.contains("segments sent"))
            || found == Verdict::Passed
    );
}

proptest! {
    /// Random bytes give a verdict or a fault.
    #[test]
    fn random_bytes_give_a_verdict_or_a_fault(text in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = judge(&text);
    }

    /// Random words of the language give a verdict or a fault.
    #[test]
    fn random_words_give_a_verdict_or_a_fault(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "+.1", "0", "*", "<", ">", ".", "S", "F.", "P.", "1:1001(1000)", "1:1(0)", "0:0(0)", "ack", "1", "win", "<mss 1000>",
                "<sack 1:2>", "<...>", "%{", "}%", "assert", "tcpi_rtt", "==", "(", ")", "`", "write(4, ..., 1000) = 1000", "\n", "//",
                "...", "~", "=", "connect(3, ..., ...) = 0", "listen(3, 1) = 0", "close(4) = 0", "accept(3, ..., ...) = 4",
            ]),
            0..60,
        ),
    ) {
        let _ = judge(words.join(" ").as_bytes());
    }

    /// A script with changed numbers, lines and bytes is played to some end.
    #[test]
    fn a_script_with_faults_gives_a_verdict_or_a_fault(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4), 1..6),
    ) {
        let found = scripts();
        let mut text = found[which.index(found.len())].1.clone().into_bytes();
        for (at, byte, kind) in changes {
            let at = at.index(text.len());
            match kind {
                0 => text[at] = byte,
                1 => text.truncate(at.max(1)),
                // Replacing a digit by a digit keeps the text a script.
                _ => {
                    let digits: Vec<usize> = (0..text.len()).filter(|at| text[*at].is_ascii_digit()).collect();
                    if let Some(&digit) = digits.get(at % digits.len().max(1)) {
                        text[digit] = b'0' + byte % 10;
                    }
                }
            }
        }
        let _ = judge(&text);
    }
}

/// RFC 2018, section 4: SACK blocks are about data that were sent.
#[test]
fn blocks_of_nothing_say_nothing() {
    for block in ["3001:0", "0:1001", "2001:2001", "2001:1001", "9001:12001", "4294967295:5"] {
        let script = format!(
            "+0 write(4, ..., 3000) = 3000\n+0 > P. 1:3001(3000) ack 1\n+.1 < . 1:1(0) ack 1 win 320 <sack {block},nop,nop>\n\
             +0 %{{ assert tcpi_sacked == 0 }}%\n"
        );
        assert_eq!(verdict(&opened(&script)), Verdict::Passed, "{block}");
    }
}
