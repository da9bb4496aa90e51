//! The wired part of a packet's way, as far as no event is needed.

use crate::flow::{Flow, Side};
use crate::links::Links;
use crate::packet::Course;
use crate::route::{Leg, Routes, Step, Stop};
use crate::tracer::Tracer;
use airfair_core::{Moment, Time};
use airfair_net::{Link, Transit};

/// The links, and the paths over them.
#[derive(Debug)]
pub struct Wires {
    /// The next instant at which the run pauses, or counts are read; no packet advances beyond it.
    horizon: Time,
    /// Until this instant links alone decide what happens to a packet: the horizon, or time zero in a run with a tracer.
    clear_until: Time,
    pub routes: Routes,
    pub links: Links,
    /// A link that no packet crosses. It stands in for the one that is [taken out](Wires::take_link).
    spare: Option<Link>,
    /// Records time series.
    pub tracer: Option<Box<Tracer>>,
}

impl Wires {
    /// Returns the wires at time zero.
    pub fn new(routes: Routes, links: Links, tracer: Option<Box<Tracer>>) -> Wires {
        let spare = links.drop_tail.first().cloned();
        Wires { horizon: Time::ZERO, clear_until: Time::ZERO, routes, links, spare, tracer }
    }

    /// Takes out the shared link behind a line; `None` if the line leads to something else. Only packets that enter it by the caller may cross it
    /// until [`Wires::put_back`].
    #[inline]
    pub fn take_link(&mut self, line: usize) -> Option<Link> {
        let link = self.links.drop_tail.get_mut(self.routes.link_behind(line) as usize)?;
        Some(std::mem::replace(link, self.spare.take()?))
    }

    /// Puts back the link behind a line.
    #[inline]
    pub fn put_back(&mut self, line: usize, link: Link) {
        let place = &mut self.links.drop_tail[self.routes.link_behind(line) as usize];
        self.spare = Some(std::mem::replace(place, link));
    }

    /// Returns the next instant at which the run pauses, or counts are read.
    #[inline]
    pub fn horizon(&self) -> Time {
        self.horizon
    }

    /// Returns the instant until which links alone decide what happens to a packet.
    #[inline]
    pub fn clear_until(&self) -> Time {
        self.clear_until
    }

    /// Lets packets advance up to this instant.
    pub fn set_horizon(&mut self, horizon: Time) {
        self.horizon = horizon;
        self.clear_until = if self.tracer.is_some() { Time::ZERO } else { horizon };
    }

    /// See [`Links::go_last`].
    #[inline]
    pub fn go_last(&mut self, now: Time, at: u32) {
        self.links.go_last(now, at, &self.routes);
    }

    /// Lets a packet enter its merge point, then advances it as far as possible without an event. `shared` is the link there, if it is one.
    #[inline(always)]
    pub fn pass_merge_point(&mut self, course: &mut Course, shared: Option<&mut Link>) -> Stop {
        let (Some(shared), Step::SharedLink { link, leg, .. }) = (shared, self.routes.step(course.at)) else {
            return Stop::QUEUE;
        };
        let arrival = if course.due.at < self.clear_until {
            shared.carry(course.due, course.bytes)
        } else {
            carry_traced(shared, link as usize, course.due, course.bytes, self.tracer.as_deref_mut())
        };
        let Some(due) = arrival else { return Stop::LOST };
        (course.due, course.at) = (due, course.at + 1);
        self.fly(course, leg, false)
    }

    /// Lets a packet cross a shared link that was taken out, before [`Wires::clear_until`], then a link of its flow's own right before its endpoint.
    /// Returns its arrival there; the error says where it stops, and when, if that is between the links.
    #[inline(always)]
    pub fn cross(
        &mut self,
        shared: &mut Link,
        own: u32,
        mut course: Course,
        side: Side,
    ) -> Result<Moment, (Moment, Stop)> {
        debug_assert!(course.due.at < self.clear_until);
        // ACKs are short, and mostly find the link free.
        let carried = match side {
            Side::Sender => shared.carry(course.due, course.bytes),
            Side::Receiver => shared.carry_busily(course.due, course.bytes),
        };
        let Some(due) = carried else { return Err((course.due, Stop::LOST)) };
        (course.due, course.at) = (due, course.at + 1);
        match self.enter(own, &mut course, false) {
            None => Ok(course.due),
            Some(stop) => Err((course.due, stop)),
        }
    }

    /// Advances a packet as far as possible without an event. Returns where it stops; the caller lets it wait there. Mostly that is after
    /// one leg. `is_clear`: whether the caller knows that the packet sets out before [`Wires::clear_until`].
    #[inline(always)]
    pub fn fly(&mut self, course: &mut Course, leg: Leg, is_clear: bool) -> Stop {
        if let Some(stop) = self.enter(leg.link, course, is_clear) {
            return stop;
        }
        if leg.then != Stop::LINK {
            return leg.then;
        }
        let (further, stop) = self.fly_on(*course);
        *course = further;
        stop
    }

    #[inline(never)]
    fn fly_on(&mut self, mut course: Course) -> (Course, Stop) {
        while let Step::Link(leg) = self.routes.step(course.at) {
            if let Some(stop) = self.enter(leg.link, &mut course, false) {
                return (course, stop);
            }
        }
        (course, Stop::before(self.routes.step(course.at)))
    }

    /// Whether a packet that reaches its endpoint at `due` can be delivered at once: the endpoint has nothing to do before, and the run
    /// does not pause.
    #[inline(always)]
    pub fn is_ready(&self, flow: &Flow, due: Time, side: Side) -> bool {
        due < self.horizon && flow.is_idle_until(due, side)
    }

    /// Lets a packet cross a link, if there is one with this number. Returns where the packet stops if the run pauses before, or if the link drops
    /// or loses it. `is_clear` is as in [`Wires::fly`].
    #[inline(always)]
    fn enter(&mut self, link: u32, course: &mut Course, is_clear: bool) -> Option<Stop> {
        let crossed = self.links.drop_tail.get_mut(link as usize)?;
        debug_assert!(!is_clear || course.due.at < self.clear_until);
        let arrival = if is_clear || course.due.at < self.clear_until {
            crossed.carry(course.due, course.bytes)
        } else if course.due.at < self.horizon {
            self.enter_traced(link as usize, course.due, course.bytes)
        } else {
            return Some(Stop::HORIZON);
        };
        let Some(due) = arrival else { return Some(Stop::LOST) };
        (course.due, course.at) = (due, course.at + 1);
        None
    }

    #[cold]
    #[inline(never)]
    fn enter_traced(&mut self, link: usize, due: Moment, bytes: u32) -> Option<Moment> {
        carry_traced(&mut self.links.drop_tail[link], link, due, bytes, self.tracer.as_deref_mut())
    }
}

/// Lets a packet cross a link, whose number is `link`, and traces it if there is a tracer.
fn carry_traced(
    crossed: &mut Link,
    link: usize,
    due: Moment,
    bytes: u32,
    tracer: Option<&mut Tracer>,
) -> Option<Moment> {
    let transit = crossed.offer(due, bytes);
    if let Some(tracer) = tracer {
        tracer.note_drops(due.at, link, crossed.stats().dropped);
        if let Some(transit) = transit {
            tracer.note_transit(due.at, link, transit);
        }
    }
    let Transit { arrives, phase, .. } = transit?;
    arrives.map(|at| Moment::new(at, phase))
}
