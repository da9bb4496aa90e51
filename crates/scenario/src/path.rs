//! Paths of settings: `tcp.window`, `link.server-ap.rate`, `node.ap.queue.target`.
//!
//! A path names tables by their keys and members of lists by their names; the name of a group is its pattern without the text in
//! braces. The only member of a list needs no name. Access points and stations are under `node` as well.

use crate::choice;
use crate::document::{Table, entries, inner};
use crate::file::FORMER_KEYS;
use crate::not_modelled;
use crate::problem::{Problem, Result, Step, nearest, shortened, unknown};
use crate::shape::{Child, FORMAT, Setting, Shape};

/// The place of a value in a file, whether or not the file has the value.
#[derive(Clone, Debug)]
pub struct Place {
    /// Steps from the root of the file to the place.
    pub steps: Vec<Step>,
    /// The declaration of the key at the place.
    pub setting: &'static Setting,
    /// Steps to the value where the settings of a parameter's choice have it; `None`: the value is at `steps`.
    pub within: Option<Vec<Step>>,
}

/// The keys by whose values members of lists are named.
const NAMES: [&str; 4] = ["name", "from", "to", "ap"];

impl Place {
    /// Whether a value here is a name, which decides where paths lead.
    pub fn is_of_a_name(&self) -> bool {
        matches!(self.steps.last(), Some(Step::Key(key)) if NAMES.contains(&key.as_str()))
    }

    /// Whether this is the same place as `other`.
    pub fn is_same(&self, other: &Place) -> bool {
        (&self.steps, &self.within) == (&other.steps, &other.within)
    }

    /// Returns the steps to where the value is written.
    pub fn written(&self) -> &[Step] {
        self.within.as_ref().unwrap_or(&self.steps)
    }
}

/// The keys that decide which other keys a table may have: messages name them first. A flow's `traffic` is none of them, since no
/// message lists the keys of a list's members.
const DECIDING: [&str; 3] = ["kind", "model", "repeat"];

/// A member of a list, or a node.
struct Member<'a> {
    name: String,
    shape: &'static Shape,
    table: &'a Table,
    steps: Vec<Step>,
}

/// The reason why there is no setting at a path.
enum Lost {
    /// The format has no such key, or the file has no such member.
    Unknown,
    /// The path ends at a table, or before the name of a member; the text is a hint.
    Unfinished(String),
}

/// Returns the places in `document` that `path` leads to: several if members of a list share a name.
pub fn find(document: &Table, path: &str) -> Result<Vec<Place>> {
    if let Some((choice, rest)) = choice::of_path(document, path) {
        let places = find(document, rest)?;
        let within = choice.written(document, &places, rest);
        let inside = |place| Place { within: Some(within.clone()), ..place };
        return Ok(places.into_iter().map(inside).collect());
    }
    let mut found = Vec::new();
    match walk(&FORMAT.file, Some(document), path, Vec::new(), &mut found) {
        Ok(()) => Ok(found),
        Err(lost) => {
            let hint = match lost {
                Lost::Unfinished(hint) => hint,
                Lost::Unknown if not_modelled::known_elsewhere("setting", path).is_some() => {
                    return Err(unknown("setting", path, []));
                }
                Lost::Unknown => match of_group(document, path) {
                    Some(group) => format!("the members of a group are set together: `{group}`"),
                    None => {
                        let mut known = all(document);
                        known.extend(named(document));
                        nearest(path, known.iter().map(String::as_str)).map_or_else(
                            || format!("the settings of this file begin with {}", beginnings(document)),
                            |near| format!("did you mean `{near}`?"),
                        )
                    }
                },
            };
            Err(Problem::new(format!("unknown setting `{}`; {hint}", shortened(path))))
        }
    }
}

/// Returns the path of a group's setting where `path` names a member, as results do: `flow.camera0.start`.
fn of_group(document: &Table, path: &str) -> Option<String> {
    let unnumbered = |step: &str| step.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let group = path.split('.').map(unnumbered).collect::<Vec<_>>().join(".");
    (group != path && find(document, &group).is_ok()).then_some(group)
}

/// Returns the problem that `name` is none of the `known` parameters. It has a hint at the parameter or the path that is probably
/// meant.
pub fn no_parameter<'a>(
    document: &Table,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Problem {
    const FEW: usize = 4;
    let paths: Vec<String> = all(document)
        .into_iter()
        .filter(|path| path.rsplit_once('.').is_some_and(|(_, key)| key == name))
        .collect();
    // People may write `cameras` for the parameter `cameras_count`.
    let number = format!("{}_count", name.strip_suffix('s').unwrap_or(name));
    let hint = match (paths.as_slice(), known.clone().find(|known| *known == number)) {
        (_, Some(number)) => format!("did you mean `{number}`?"),
        ([only], None) => format!("it is a key: set it by its path, `{only}`"),
        ([_, ..], None) if paths.len() <= FEW => {
            format!("it is a key: set it by one of its paths, `{}`", paths.join("`, `"))
        }
        _ => match same_end(name, known.clone()).as_slice() {
            [] => return unknown("parameter", name, known),
            alike => format!("known: {}", alike.join(", ")),
        },
    };
    Problem::new(format!("unknown parameter `{name}`; {hint}"))
}

/// Returns the known names with the last word of `name`, where none is near: `laptop_count` asks for one of the counts.
fn same_end<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Vec<&'a str> {
    let end = |name: &str| name.rsplit_once('_').map(|(_, end)| end.to_owned());
    match end(name) {
        Some(word) if nearest(name, known.clone()).is_none() => {
            known.filter(|other| end(other).as_ref() == Some(&word)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the paths of all settings of `document`, the shortest one for each setting.
pub fn all(document: &Table) -> Vec<String> {
    let mut paths = Vec::new();
    list(&FORMAT.file, Some(document), "", true, &mut paths);
    paths
}

/// Returns the paths of all settings, in which the only member of a list is named as well.
fn named(document: &Table) -> Vec<String> {
    let mut paths = Vec::new();
    list(&FORMAT.file, Some(document), "", false, &mut paths);
    paths
}

fn beginnings(document: &Table) -> String {
    let mut firsts: Vec<String> =
        all(document).iter().map(|path| path.split('.').next().unwrap_or_default().to_owned()).collect();
    firsts.dedup();
    firsts.iter().map(|first| format!("`{first}`")).collect::<Vec<_>>().join(", ")
}

fn walk(
    shape: &'static Shape,
    table: Option<&Table>,
    rest: &str,
    steps: Vec<Step>,
    found: &mut Vec<Place>,
) -> std::result::Result<(), Lost> {
    let Shape::Table(keys) = shape else { return Err(Lost::Unknown) };
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let former = |key: &str| {
        FORMER_KEYS.iter().filter(|(_, former)| *former == key).find_map(|(new, _)| keys.get(new))
    };
    let key = &rest[..end];
    let Some(Child { name, keys, shape }) = keys.get(key).or_else(|| former(key)) else {
        return Err(Lost::Unknown);
    };
    let behind = rest[end..].strip_prefix('.').unwrap_or(&rest[end..]);
    let mut steps = steps;
    steps.extend(keys.iter().map(|&key| Step::Key(key.to_owned())));
    match shape {
        Shape::Setting(setting) if behind.is_empty() => {
            found.push(Place { steps, setting, within: None });
            Ok(())
        }
        Shape::Setting(_) => Err(Lost::Unknown),
        Shape::Table(inside) if behind.is_empty() => {
            // The keys that decide which others the table may have come first: they are most likely meant.
            let (deciding, others): (Vec<_>, Vec<_>) =
                inside.iter().map(|child| child.name).partition(|key| DECIDING.contains(key));
            let keys = some(deciding.into_iter().chain(others));
            Err(Lost::Unfinished(format!("`{name}` is a table: name one of its keys, {keys}")))
        }
        Shape::Table(_) => walk(shape, table.and_then(|table| inner(table, keys)), behind, steps, found),
        Shape::List(_) => {
            let members = members(name, shape, table, &steps);
            // A wired node and an access point may share a name under different conditions. Each has its own keys.
            let mut lost = None;
            let before = found.len();
            for (member, rest) in select(name, &members, behind)? {
                lost =
                    walk(member.shape, Some(member.table), rest, member.steps.clone(), found).err().or(lost);
            }
            lost.filter(|_| found.len() == before).map_or(Ok(()), Err)
        }
    }
}

/// Returns the members of the list `key` whose name `rest` begins with, each with the rest of the path behind the name.
fn select<'a, 'm>(
    key: &str,
    members: &'m [Member<'a>],
    rest: &'m str,
) -> std::result::Result<Vec<(&'m Member<'a>, &'m str)>, Lost> {
    if let Some((index, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("]."))
        && let Ok(index) = index.parse::<usize>()
    {
        return members.get(index).map(|member| vec![(member, behind)]).ok_or(Lost::Unknown);
    }
    let behind = |member: &Member| rest.strip_prefix(&member.name)?.strip_prefix('.').map(str::len);
    let named = members.iter().filter(|member| !member.name.is_empty());
    let shortest = named.clone().filter_map(behind).min();
    if let Some(length) = shortest {
        let chosen = named.filter(|member| behind(member) == Some(length));
        return Ok(chosen.map(|member| (member, &rest[rest.len() - length..])).collect());
    }
    match members {
        [only] if !rest.is_empty() && key != "node" => Ok(vec![(only, rest)]),
        [] => Err(Lost::Unfinished(format!("this file has no `{key}`"))),
        _ => {
            let exact = members.iter().any(|member| member.name == rest);
            let is_key = |member: &Member| match member.shape {
                Shape::Table(keys) => keys.get(rest.split(['.', '[']).next().unwrap_or_default()).is_some(),
                _ => false,
            };
            if exact || rest.is_empty() {
                return Err(Lost::Unfinished(format!(
                    "it is a table: name one of its keys, as in `{key}.NAME.KEY`"
                )));
            }
            if members.iter().any(is_key) {
                let names = some(members.iter().map(|member| member.name.as_str()));
                return Err(Lost::Unfinished(format!("say which `{key}`, as in `{key}.NAME.KEY`: {names}")));
            }
            Err(Lost::Unknown)
        }
    }
}

/// Returns the tables of the list `key` in `table`, with their names.
fn members<'a>(
    key: &str,
    shape: &'static Shape,
    table: Option<&'a Table>,
    steps: &[Step],
) -> Vec<Member<'a>> {
    let (Shape::List(shape), Some(table)) = (shape, table) else { return Vec::new() };
    let here = |(index, entry): (usize, &'a Table)| {
        let steps = steps.iter().cloned().chain([Step::Index(index)]).collect();
        Member { name: name_of(entry), shape, table: entry, steps }
    };
    let mut members: Vec<Member> = entries(table, key).into_iter().enumerate().map(here).collect();
    if key == "node" {
        for (number, wlan) in entries(table, "wlan").into_iter().enumerate() {
            let steps = vec![Step::Key("wlan".to_owned()), Step::Index(number)];
            let name = text(wlan, "ap").map(without_braces).unwrap_or_default();
            let stations = steps.iter().cloned().chain([Step::Key("station".to_owned())]).collect::<Vec<_>>();
            members.push(Member { name, shape: &FORMAT.access_point, table: wlan, steps });
            if let Some(station) = station() {
                members.extend(self::members("station", station, Some(wlan), &stations));
            }
        }
    }
    members
}

fn station() -> Option<&'static Shape> {
    let Shape::Table(file) = &FORMAT.file else { return None };
    let Shape::List(wlan) = &file.get("wlan")?.shape else { return None };
    let Shape::Table(wlan) = wlan.as_ref() else { return None };
    Some(&wlan.get("station")?.shape)
}

/// Returns the name of a list's member; for a link without a name, it is made from its ends.
fn name_of(table: &Table) -> String {
    match (text(table, "name"), text(table, "from"), text(table, "to")) {
        (Some(name), ..) => without_braces(name),
        (None, Some(from), Some(to)) => format!("{}-{}", without_braces(from), without_braces(to)),
        _ => String::new(),
    }
}

fn text<'a>(table: &'a Table, key: &str) -> Option<&'a str> {
    table.get(key)?.as_str()
}

/// Removes the braces and their content from a pattern: `sta{i}` becomes `sta`.
fn without_braces(pattern: &str) -> String {
    let mut name = String::new();
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once('{') {
        name += before;
        rest = behind.split_once('}').map_or("", |(_, rest)| rest);
    }
    name + rest
}

fn list(shape: &'static Shape, table: Option<&Table>, before: &str, short: bool, paths: &mut Vec<String>) {
    let Shape::Table(keys) = shape else { return };
    for Child { name, keys, shape } in keys.iter() {
        let path = format!("{before}{name}");
        match shape {
            // Members of a list may share a name, and then a path.
            Shape::Setting(_) if paths.contains(&path) => {}
            Shape::Setting(_) => paths.push(path),
            Shape::Table(_) => {
                let inside = table.and_then(|table| inner(table, keys));
                list(shape, inside, &format!("{path}."), short, paths);
            }
            Shape::List(_) => {
                let members = members(name, shape, table, &[]);
                for member in &members {
                    let before = match (short && members.len() == 1 && *name != "node", &member.name) {
                        (true, _) => format!("{path}."),
                        (false, name) if name.is_empty() => continue,
                        (false, name) => format!("{path}.{name}."),
                    };
                    list(member.shape, Some(member.table), &before, short, paths);
                }
            }
        }
    }
}

fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    names.dedup();
    let more = names.len() > 12;
    names.truncate(12);
    names.join(", ") + if more { ", ..." } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        run.duration = "1 s"
        node = [{ name = "server" }, { name = "host{i}", count = 2 }, { name = "ap", when = "false" }]
        flow = [
            { name = "up{i}", from = "a", to = "b" },
            { name = "up{i}", from = "c", to = "d" },
            { name = "up.fast", from = "a", to = "b" },
        ]
        [[link]]
        from = "server"
        to = "ap"
        [[link]]
        name = "host{i}-in"
        [[wlan]]
        name = "home"
        ap = "ap"
        station = [{ name = "sta{i}" }]
    "#;

    fn places(path: &str) -> String {
        let document = crate::error::document(FILE);
        let found = match find(&document, path) {
            Ok(found) => found,
            Err(problem) => return problem.to_string(),
        };
        let shown = found.iter().map(|place| {
            let end = place.steps.iter().rev();
            end.fold(Problem::new(""), |problem, step| problem.under(step.clone()))
                .steps()
                .map(show)
                .rev_joined()
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    fn show(step: &Step) -> String {
        match step {
            Step::Key(key) => key.clone(),
            Step::Index(index) => index.to_string(),
        }
    }

    trait Joined: Iterator<Item = String> + Sized {
        fn rev_joined(self) -> String {
            let mut all: Vec<String> = self.collect();
            all.reverse();
            all.join("/")
        }
    }
    impl<I: Iterator<Item = String>> Joined for I {}

    #[test]
    fn paths_lead_to_places() {
        for (path, wanted) in [
            ("run.warmup", "run/warmup"),
            ("tcp.control.beta", "tcp/control/beta"),
            ("node.host.count", "node/1/count"),
            ("link.server-ap.rate", "link/0/rate"),
            ("link.host-in.loss.bad", "link/1/loss/bad"),
            ("link[1].rate", "link/1/rate"),
            ("wlan.rts_threshold", "wlan/0/rts_threshold"),
            ("wlan.home.rts_threshold", "wlan/0/rts_threshold"),
            ("wlan.station.queue", "wlan/0/station/0/queue"),
            ("wlan.home.station.sta.queue", "wlan/0/station/0/queue"),
            ("node.sta.queue", "wlan/0/station/0/queue"),
            ("node.ap.queue.length", "wlan/0/ap_queue"),
            ("node.ap.when", "node/2/when"),
            ("node.ap.queue.target", "wlan/0/ap_discipline/target"),
            ("node.ap.policer.rate", "wlan/0/policer/rate"),
            ("node.ap.limiter.bucket", "wlan/0/policer/burst"),
            ("flow.up.start", "flow/0/start flow/1/start"),
            ("flow.up.fast.start", "flow/2/start"),
            ("flow.up.tcp.window", "flow/0/tcp/window flow/1/tcp/window"),
        ] {
            assert_eq!(places(path), wanted, "{path}");
        }
    }

    #[test]
    fn a_wrong_path_says_what_is_near() {
        for (path, wanted) in [
            ("tcp.windwo", "unknown setting `tcp.windwo`; did you mean `tcp.window`?"),
            ("wlan.rts_treshold", "did you mean `wlan.rts_threshold`?"),
            ("wlan.home.rts_treshold", "did you mean `wlan.home.rts_threshold`?"),
            ("node.app.queue.target", "did you mean `node.ap.queue.target`?"),
            ("link.rate", "say which `link`, as in `link.NAME.KEY`: server-ap, host-in"),
            ("node.ap.queue", "`queue` is a table: name one of its keys, kind, "),
            ("link.host-in.outage", "`outage` is a table: name one of its keys, repeat, "),
            ("tcp", "`tcp` is a table"),
            ("flow.up", "name one of its keys, as in `flow.NAME.KEY`"),
            ("flow.up1.start", "the members of a group are set together: `flow.up.start`"),
            ("link[7].rate", "unknown setting"),
            ("run.warmup.more", "did you mean `run.warmup`?"),
            ("parameters.x.max", "unknown setting"),
            ("", "unknown setting ``"),
        ] {
            let message = places(path);
            assert!(message.contains(wanted), "{path}: {message}");
        }
    }

    #[test]
    fn every_path_offered_is_one() {
        let document = crate::error::document(FILE);
        let offered = all(&document);
        assert!(offered.len() > 100 && offered.iter().any(|path| path == "node.ap.queue.target"));
        for path in offered.iter().chain(&named(&document)) {
            assert!(find(&document, path).is_ok(), "{path}");
        }
    }
}
