//! Settings that the commands of a script make. No command is executed: this module knows the commands that real scripts have, and others are not
//! modelled.

use crate::packet::NotModelled;
use airfair_core::Span;
use airfair_core::schema::Value;
use airfair_tcp::congestion::Control;
use airfair_tcp::settings::{Pacing, Recovery, Restart};
use airfair_tcp::{Profile, Settings, TcpName, profile};

/// The settings of the stack that scripts change, by Linux's names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stack {
    pub congestion_control: TcpName,
    pub slow_start_after_idle: bool,
    /// `tcp_recovery`: whether RACK detects losses.
    pub rack: bool,
    pub hystart: bool,
    /// `tcp_early_retrans`: whether tail loss probes are sent.
    pub probes: bool,
    /// `tcp_ecn`: 0 never uses ECN, 1 asks for it and agrees to it, 2 agrees to it.
    pub ecn: u8,
    pub timestamps: bool,
    pub sack: bool,
    /// Whether the queue of the interface is `fq`, which paces.
    pub paces: bool,
}

/// Settings of Linux that are ignored, whatever their values: what they control is not modelled, or does not show in scripts that are.
const IRRELEVANT: &[&str] = &[
    "tcp_rmem",
    "tcp_wmem",
    "tcp_syn_retries",
    "tcp_synack_retries",
    "tcp_dsack",
    "tcp_frto",
    "tcp_fastopen",
    "tcp_fastopen_key",
    "tcp_syncookies",
    "tcp_notsent_lowat",
    "tcp_ecn_option",
    "tcp_no_metrics_save",
    // Segments are compared by their bytes, not by their division into segments.
    "tcp_min_tso_segs",
    "tcp_tso_win_divisor",
];

/// Settings that are modelled with these values alone.
const FIXED: &[(&str, &str)] = &[
    ("tcp_fack", "0"),
    ("tcp_reordering", "3"),
    ("tcp_pacing_ss_ratio", "200"),
    ("tcp_pacing_ca_ratio", "120"),
];

impl Stack {
    /// Returns Linux's defaults, with CUBIC.
    pub fn new() -> Stack {
        Stack {
            congestion_control: TcpName::named("cubic"),
            slow_start_after_idle: true,
            rack: true,
            hystart: true,
            probes: true,
            ecn: 2,
            timestamps: true,
            sack: true,
            paces: false,
        }
    }

    /// Applies commands. The error names the first one that is not known.
    pub fn take(&mut self, commands: &str) -> Result<(), NotModelled> {
        let joined = commands.replace("\\\n", " ");
        for command in joined.lines().flat_map(|line| line.split(';')) {
            let command = command.split_once(" #").map_or(command, |(command, _)| command).trim();
            if !command.is_empty() && !command.starts_with('#') {
                self.command(command)?;
            }
        }
        Ok(())
    }

    fn command(&mut self, command: &str) -> Result<(), NotModelled> {
        let unknown = || format!("the command `{}` is not run", command.escape_debug());
        let mut words = command.split_whitespace();
        let program = words.next().unwrap_or("");
        let words: Vec<&str> = words.collect();
        match program.rsplit('/').next().unwrap_or("") {
            "defaults.sh" => self.defaults(),
            "sysctl" | "set_sysctls.py" => return self.sysctls(command, program.len()),
            "tc" => match words[..] {
                ["qdisc", "add" | "replace", "dev", "tun0", "root", "fq"] => self.paces = true,
                ["qdisc", "add" | "replace", "dev", "tun0", "root", "pfifo"] => self.paces = false,
                _ => return Err(unknown()),
            },
            "echo" => match words[..] {
                [detect, ">", "/sys/module/tcp_cubic/parameters/hystart_detect"] => match detect {
                    "0" => self.hystart = false,
                    "3" => self.hystart = true,
                    _ => return Err(unknown()),
                },
                _ => return Err(unknown()),
            },
            "ip" if words.starts_with(&["tcp_metrics", "flush"]) => {}
            file if file.starts_with("sysctl_restore") => {}
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// Applies the settings of the file `defaults.sh`, which the scripts of Google and Linux share.
    fn defaults(&mut self) {
        *self = Stack { slow_start_after_idle: false, ecn: 0, ..Stack::new() };
    }

    /// Applies `name=value` for each setting; quotes hold values of several words together.
    fn sysctls(&mut self, command: &str, from: usize) -> Result<(), NotModelled> {
        let text = command[from..].split('>').next().unwrap_or("");
        let mut quoted = false;
        let words = text.split(|c: char| {
            quoted ^= c == '"';
            c.is_whitespace() && !quoted
        });
        for word in words.filter(|word| !word.is_empty() && !word.starts_with('-') && *word != "2") {
            let Some((name, value)) = word.split_once('=') else {
                return Err(format!("`{}` sets nothing", word.escape_debug()));
            };
            let name = name.trim_start_matches("/proc/sys/").replace('/', ".");
            let name = name.strip_prefix("net.ipv4.").unwrap_or(&name);
            self.set(name, value.trim_matches('"'))?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), NotModelled> {
        let not_modelled = || format!("{name}={} is not modelled", value.escape_debug());
        let flag = || match value {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(not_modelled()),
        };
        match name {
            "tcp_congestion_control" => self.choose(value)?,
            "tcp_slow_start_after_idle" => self.slow_start_after_idle = flag()?,
            "tcp_recovery" => self.rack = flag()?,
            "tcp_early_retrans" => match value {
                "0" => self.probes = false,
                "3" | "4" => self.probes = true,
                _ => return Err(not_modelled()),
            },
            "tcp_timestamps" => self.timestamps = flag()?,
            "tcp_sack" => self.sack = flag()?,
            "tcp_ecn" => match value {
                "0" | "1" | "2" => self.ecn = value.as_bytes()[0] - b'0',
                _ => return Err(not_modelled()),
            },
            _ if IRRELEVANT.contains(&name) || FIXED.contains(&(name, value)) => {}
            _ => return Err(not_modelled()),
        }
        Ok(())
    }

    /// Chooses the congestion control of this name.
    pub fn choose(&mut self, name: &str) -> Result<(), NotModelled> {
        let unknown = || format!("the congestion control `{}` is not modelled", name.escape_debug());
        self.congestion_control = TcpName::from_name(name).ok_or_else(unknown)?;
        Ok(())
    }

    /// Returns the settings of a connection with the options on which both ends agreed.
    pub fn settings(&self, agreed: &Agreed) -> Settings {
        let mut settings = profile::settings(Profile::Linux, self.congestion_control);
        // The packets of scripts come out of a TUN device, without GRO.
        settings.gro = false;
        // Google's scripts expect timers to the millisecond: they are written for kernels with 1000 ticks a second.
        settings.rto_granularity = Span::from_millis(1);
        settings.segment_bytes = agreed.segment_bytes;
        settings.timestamps = agreed.timestamps;
        settings.ecn |= agreed.ecn;
        settings.tail_loss_probe = self.probes;
        settings.recovery = match (agreed.sack, self.rack) {
            (true, true) => Recovery::Rack,
            (true, false) => Recovery::Sack,
            (false, _) => Recovery::NewReno,
        };
        if !self.slow_start_after_idle {
            settings.restart = Restart::None;
        }
        if self.paces {
            settings.pacing = Pacing::Linux;
        }
        if let (false, Control::BuiltIn(control)) = (self.hystart, &mut settings.control) {
            // Setting `hystart` fails for controls without HyStart, which is as good as off.
            let _ = control.set(&[("hystart", Value::Word("off"))]);
        }
        // Practically infinite: Linux's `TCP_INFINITE_SSTHRESH`, and a window that only the other end bounds.
        settings.initial_ssthresh = Some(INFINITE_SSTHRESH);
        (settings.first_window, settings.receive_window) = (None, MOST_WINDOW);
        settings
    }
}

/// The options on which both ends of a connection agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Agreed {
    pub segment_bytes: u32,
    pub timestamps: bool,
    pub sack: bool,
    pub ecn: bool,
}

const INFINITE_SSTHRESH: f64 = 0x7fff_ffff as f64;
/// Largest window in segments: no window of a script is larger (65535 bytes shifted by 14, RFC 7323, section 2.3, in segments of one byte).
const MOST_WINDOW: u32 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_that_matter_are_taken_in() {
        let mut stack = Stack::new();
        stack
            .take(
                "../common/defaults.sh\n# a note\nsysctl -q net.ipv4.tcp_congestion_control=reno net.ipv4.tcp_ecn=1 net.ipv4.tcp_early_retrans=0 # more\n\
                 sysctl -q net.ipv4.tcp_rmem=\"4096 87380 1\" > /dev/null 2>&1\n\
                 ../set_sysctls.py /proc/sys/net/ipv4/tcp_slow_start_after_idle=1 \\\n /proc/sys/net/ipv4/tcp_recovery=0\n\
                 echo 0 > /sys/module/tcp_cubic/parameters/hystart_detect\n\
                 tc qdisc replace dev tun0 root fq",
            )
            .expect("known");
        let wanted = Stack {
            congestion_control: TcpName::named("reno"),
            rack: false,
            hystart: false,
            probes: false,
            ecn: 1,
            paces: true,
            ..Stack::new()
        };
        assert_eq!(stack, wanted);
    }

    #[test]
    fn other_commands_are_not_run() {
        for command in [
            "rm -rf x",
            "sysctl tcp_ecn",
            "sysctl -q net.ipv4.tcp_x=1",
            "tc qdisc replace dev tun0 root pfifo limit 0",
            "sysctl tcp_reordering=9",
            "sysctl tcp_early_retrans=2",
        ] {
            assert!(Stack::new().take(command).is_err(), "{command}");
        }
    }

    #[test]
    fn hystart_can_be_switched_off() {
        let agreed = Agreed { segment_bytes: 1000, timestamps: false, sack: true, ecn: false };
        let stack = Stack { hystart: false, ..Stack::new() };
        let settings = stack.settings(&agreed);
        assert_eq!(settings.control.value("hystart"), Some(Value::Word("off")));
        assert_ne!(Stack::new().settings(&agreed).control.value("hystart"), Some(Value::Word("off")));
    }
}
