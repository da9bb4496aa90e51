//! Those that listen: each station for itself, or in a crowd.
//!
//! Where all stations hear each other alike, most only look on while a few exchange frames. All that look on have the same view of
//! the air, which is kept once for all of a standard; those with a frame to send count their backoffs by it. A station leaves its crowd when it
//! takes part in an exchange, and comes back when its view is that of the crowd again.

use airfair_core::Time;

use super::GraphMedium;
use super::view::View;
use crate::mac::Payload;

/// Those that frames reach, and the power at which, in mW. They are named by their views, of which stations have one each, and the crowds
/// further ones behind those.
#[derive(Debug)]
pub(super) enum Audience {
    /// All hear each other alike: the crowds, and the stations in none.
    Alike(Vec<(u32, f64)>),
    /// For each station, those that its frames reach.
    Each(Vec<Vec<(u32, f64)>>),
}

/// Where all hear each other, each frame has this power.
pub(super) const ALIKE: f64 = 1.0;

impl Audience {
    /// That of stations with these views, and by which view each looks on. `listeners` are those of each station; `None`: all hear each
    /// other alike, and the views of their crowds come behind them.
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

    /// Those that the frames of `sender` reach, and perhaps itself: a caller that changes each of them takes the list out and puts it back.
    pub fn of(&mut self, sender: u32) -> &mut Vec<(u32, f64)> {
        match self {
            Audience::Alike(all) => all,
            Audience::Each(listeners) => &mut listeners[sender as usize],
        }
    }
}

impl<P: Payload> GraphMedium<P> {
    /// How a station perceives the air.
    pub(super) fn view(&self, station: u32) -> &View {
        &self.views[self.nodes[station as usize].listens_by as usize]
    }

    /// A station to which something happens now, or with every frame.
    pub(super) fn attend_if_occupied(&mut self, station: u32) {
        if self.nodes[station as usize].is_occupied() {
            self.attend(station);
        }
    }

    /// A station does something: it listens for itself from now on.
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

    /// Stations that do nothing any more look on with their crowd again.
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
