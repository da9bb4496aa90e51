//! The listeners of frames: each station for itself, or in a crowd.
//!
//! Where all stations hear each other alike, most only look on while a few exchange frames. All that look on have the same view of the air,
//! which is kept once for all stations of a standard. Those with a frame to send count their backoffs by it. A station leaves its crowd when it
//! takes part in an exchange, and comes back when its view is that of the crowd again.

use airfair_core::Time;

use super::GraphMedium;
use super::view::View;
use crate::mac::Payload;

/// The listeners that frames reach, each with the power in mW at which they arrive. Listeners are named by their views: each station has one,
/// and the views of crowds come behind those of the stations.
#[derive(Debug)]
pub(super) enum Audience {
    /// All stations hear each other alike: the listeners are the crowds, and the stations in none.
    Alike(Vec<(u32, f64)>),
    /// For each station, the listeners that its frames reach.
    Each(Vec<Vec<(u32, f64)>>),
}

/// Power of each frame where all stations hear each other alike.
pub(super) const ALIKE: f64 = 1.0;

impl Audience {
    /// Returns the audience of stations with these views, and for each station the view by which it looks on. `listeners` are those of each
    /// station; `None`: all hear each other alike, and the views of their crowds are added to `views`.
    pub fn new(listeners: Option<Vec<Vec<(u32, f64)>>>, views: &mut Vec<View>) -> (Audience, Vec<u32>) {
        let stations = views.len();
        if let Some(listeners) = listeners {
            return (Audience::Each(listeners), (0..stations as u32).collect());
        }
        let crowd_of = |station: usize| {
            let known = (stations..views.len()).find(|&crowd| views[crowd].hears_like(&views[station]));
            let crowd = known.unwrap_or_else(|| {
                views.push(views[station].of_crowd());
                views.len() - 1
            });
            crowd as u32
        };
        let crowd_of_each = (0..stations).map(crowd_of).collect();
        let crowds = (stations..views.len()).map(|crowd| (crowd as u32, ALIKE));
        (Audience::Alike(crowds.collect()), crowd_of_each)
    }

    /// Returns the listeners that the frames of `sender` reach, perhaps with itself. A caller that changes each of them takes the list out and
    /// puts it back.
    pub fn of(&mut self, sender: u32) -> &mut Vec<(u32, f64)> {
        match self {
            Audience::Alike(all) => all,
            Audience::Each(listeners) => &mut listeners[sender as usize],
        }
    }
}

impl<P: Payload> GraphMedium<P> {
    /// Returns the view by which a station perceives the air.
    pub(super) fn view(&self, station: u32) -> &View {
        &self.views[self.nodes[station as usize].listens_by as usize]
    }

    /// Takes a station out of its crowd if frames change it by itself: see [`Node::is_occupied`](super::node::Node::is_occupied).
    pub(super) fn attend_if_occupied(&mut self, station: u32) {
        if self.nodes[station as usize].is_occupied() {
            self.attend(station);
        }
    }

    /// Takes a station that does something out of its crowd: it listens for itself from now on.
    pub(super) fn attend(&mut self, station: u32) {
        let node = &mut self.nodes[station as usize];
        if node.listens_by == station {
            return;
        }
        node.listens_by = station;
        let views = self.views.get_disjoint_mut([station as usize, node.crowd as usize]);
        let [own, crowd] = views.expect("a crowd is no station");
        own.follow(crowd);
        if let Some(idle) = own.idle.filter(|_| self.reservations.iter().any(|(_, of)| *of == node.crowd)) {
            node.set_access(idle, &mut self.access_from);
        }
        if let Audience::Alike(all) = &mut self.audience {
            all.push((station, ALIKE));
        }
    }

    /// Returns stations that do nothing any more to their crowds.
    pub(super) fn disperse(&mut self) {
        let GraphMedium { audience: Audience::Alike(all), nodes, views, reservations, .. } = self else {
            return;
        };
        all.retain(|&(listener, _)| {
            let Some(node) = nodes.get_mut(listener as usize) else { return true };
            let agrees = views[listener as usize].agrees_with(&views[node.crowd as usize]);
            let returns = agrees && !node.is_occupied();
            if returns {
                node.listens_by = node.crowd;
                if reservations.iter().any(|(_, of)| *of == node.crowd) {
                    node.access_at = Time::NEVER;
                }
            }
            !returns
        });
    }
}
