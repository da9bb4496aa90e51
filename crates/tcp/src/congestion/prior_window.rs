//! The window that BBR restores after a recovery or PROBE_RTT.

use crate::window::Window;

/// The window from before a recovery or PROBE_RTT, in segments: it comes back when that is over. The drafts of both versions call the two steps
/// `SaveCwnd` and `RestoreCwnd`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PriorWindow(f64);

impl PriorWindow {
    /// Saves `cwnd`. If the window is `cut` already, saves it only if it is larger than what was saved before.
    pub fn save(&mut self, cwnd: f64, cut: bool) {
        self.0 = if cut { self.0.max(cwnd) } else { cwnd };
    }

    /// Opens the window to the saved one, if it is smaller.
    pub fn restore(self, window: &mut Window) {
        window.cwnd = window.cwnd.max(self.0).min(window.maximum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::window::tests::window;

    #[test]
    fn the_largest_window_of_a_cut_comes_back_within_the_bound() {
        let mut window = window(Profile::Linux, 4.0, 1e9);
        let mut prior = PriorWindow::default();
        prior.save(30.0, false);
        prior.save(20.0, false);
        assert_eq!(prior.0, 20.0);
        prior.save(10.0, true);
        prior.save(25.0, true);
        prior.restore(&mut window);
        assert_eq!(window.cwnd, 25.0);
        window.cwnd = 40.0;
        prior.restore(&mut window);
        assert_eq!(window.cwnd, 40.0);
        (window.cwnd, window.maximum) = (4.0, 8.0);
        prior.restore(&mut window);
        assert_eq!(window.cwnd, 8.0);
    }
}
