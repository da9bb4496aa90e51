//! F-RTO (RFC 5682, section 3: the version for SACK): finds out whether a timeout was needless, without timestamps. Details are as in
//! Linux's `tcp_process_loss`.
//!
//! The first unacknowledged segment is retransmitted. If its ACK advances, new data follow instead of what counts as lost. If only the
//! ACKs were late, ACKs of data that were sent once come next; if data are lost, the new data are SACKed above a gap.

use crate::core::Core;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Off,
    /// Step 1: the first unacknowledged segment was retransmitted.
    Resent,
    /// Step 2b: new data go out.
    Probing,
}

/// Watches what ACKs after a timeout acknowledge.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frto {
    wanted: bool,
    step: Step,
    /// The data outstanding at the last timeout.
    first: u64,
    sent_to: u64,
    /// The end of the retransmissions since that timeout.
    resent_to: u64,
}

/// What an ACK shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    /// The cumulative ACK advances.
    pub advances: bool,
    /// Data arrived that were sent once, before the timeout.
    pub original: bool,
    /// A SACK block reports something new.
    pub sacks: bool,
}

impl Frto {
    pub fn new(wanted: bool) -> Frto {
        Frto { wanted, ..Frto::default() }
    }

    /// Begins after a timeout with data outstanding. `recovers`: it came in fast recovery. While a known loss is being repaired, only a timeout
    /// of the same segment as before may be needless.
    pub fn on_timeout(&mut self, core: &Core, recovers: bool) {
        let mends = recovers || core.una < self.sent_to;
        let again = core.una == self.first && core.una < self.sent_to;
        self.step = if self.wanted && (!mends || again) { Step::Resent } else { Step::Off };
        (self.first, self.sent_to, self.resent_to) = (core.una, core.max_sent, core.una);
    }

    pub fn is_on(&self) -> bool {
        self.step != Step::Off
    }

    /// Whether what counts as lost waits while new data go out.
    pub fn is_probing(&self) -> bool {
        self.step == Step::Probing
    }

    /// Notes a retransmission that ends at `end`.
    pub fn on_resend(&mut self, end: u64) {
        self.resent_to = self.resent_to.max(end);
    }

    /// There is nothing new to send. Returns whether no new data have been sent yet, so that what counts as lost goes out.
    pub fn finds_nothing_new(&mut self, core: &Core) -> bool {
        if core.max_sent > self.sent_to {
            return false;
        }
        self.step = Step::Off;
        true
    }

    /// Whether some of `start..end`, which has arrived, was sent once, before the timeout. A retransmission may reach into the segment after it.
    pub fn is_original(&self, core: &Core, start: u64, end: u64) -> bool {
        let mut at = start;
        while let Some(found) = core.outstanding.of(at).filter(|_| at < end) {
            let once = found.transmissions == 1 && found.start >= self.resent_to;
            if once && found.end <= end.min(self.sent_to) {
                return true;
            }
            at = found.end;
        }
        false
    }

    /// Judges by an ACK that was processed. Returns whether the timeout was needless.
    pub fn on_ack(&mut self, core: &Core, shown: Shown) -> bool {
        let sends_new = core.max_sent > self.sent_to;
        self.step = match self.step {
            Step::Off => return false,
            _ if shown.original => {
                self.forgive();
                return true;
            }
            _ if core.una >= self.sent_to => Step::Off,
            // Step 3a: the loss was real.
            Step::Probing if sends_new && (shown.sacks || !shown.advances) => Step::Off,
            Step::Probing => Step::Probing,
            Step::Resent if sends_new => Step::Off,
            // A duplicate shows nothing yet.
            Step::Resent if !shown.advances => Step::Resent,
            Step::Resent if core.has_new() => Step::Probing,
            Step::Resent => Step::Off,
        };
        false
    }

    /// Forgets the timeout, which was taken back.
    pub fn forgive(&mut self) {
        (self.step, self.sent_to) = (Step::Off, 0);
    }
}
