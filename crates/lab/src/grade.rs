//! Grades of devices from A to F: the rules, in one table.

use serde::Serialize;

/// Grades from the best to the worst.
const GRADES: [&str; 6] = ["A", "B", "C", "D", "E", WORST];
/// The grade of values that are worse than all limits.
pub const WORST: &str = "F";

/// How devices are graded for one application.
#[derive(Debug, PartialEq, Serialize)]
pub struct Rule {
    /// Name of the application.
    pub application: &'static str,
    /// The quantity that decides the grade.
    pub measure: &'static str,
    /// Unit of the quantity.
    pub unit: &'static str,
    /// Whether larger values are better.
    pub larger_is_better: bool,
    /// The worst values that still get A, B, C, D and E; anything worse is F.
    pub limits: [f64; 5],
    /// Source of the limits.
    pub source: &'static str,
}

/// Rule of a flow of voice, or a pair of them.
pub const CALL: Rule = Rule {
    application: "call",
    measure: "rating factor",
    unit: "1",
    larger_is_better: true,
    limits: [90.0, 80.0, 70.0, 60.0, 50.0],
    source: "ITU-T G.107, Table B.1: users very satisfied, satisfied, some dissatisfied, many dissatisfied, nearly all dissatisfied. Of G.711 these are \
             opinion scores of 4.34, 4.03, 3.60, 3.10 and 2.58. G.107.1 continues the scale for wideband codecs, so that Opus and G.711 can be compared.",
};

/// Rule of a flow of web traffic.
pub const PAGE: Rule = Rule {
    application: "page",
    measure: "mean page load time",
    unit: "s",
    larger_is_better: false,
    limits: [1.0, 2.0, 4.0, 8.0, 10.0],
    source: "1 s and 10 s: Nielsen, \"Usability engineering\", 1993, Section 5.5 (thought stays uninterrupted; attention is lost). 2 s and 4 s: ITU-T \
             G.1010, Table I.2 (web browsing: preferred, acceptable). 8 s: Zona Research, \"The need for speed\", 1999 (a third of shoppers leave).",
};

/// Rule of a flow of video.
pub const STREAM: Rule = Rule {
    application: "stream",
    measure: "rebuffer ratio",
    unit: "1",
    larger_is_better: false,
    limits: [0.002, 0.005, 0.01, 0.02, 0.05],
    source: "1 %: Krishnan & Sitaraman, \"Video stream quality impacts viewer behavior\", IMC 2012 (who waits so long watches 5 % less). The others are \
             AirFair's, each about twice the one before.",
};

/// Limit in seconds of a videophone's one-way delay: ITU-T G.1010, Table I.1, after G.114.
pub const VIDEOPHONE: f64 = 0.4;

/// Rule of a flow of a video call, or a pair of them.
pub const VIDEO_CALL: Rule = Rule {
    application: "video_call",
    measure: "95th percentile of the frame delay",
    unit: "s",
    larger_is_better: false,
    limits: [0.1, 0.15, 0.25, VIDEOPHONE, 0.8],
    source: "150 ms and 400 ms: ITU-T G.1010, Table I.1 (videophone, one way: preferred, limit), after G.114. 100 ms and 800 ms: ETSI EN 301 549, \
             6.5.1 (better and better down to; a conversation in signs is hindered from there on). 250 ms is AirFair's.",
};

/// Rule of a flow of intermittent traffic, or of a trace.
pub const REPORT: Rule = Rule {
    application: "report",
    measure: "mean finish time",
    unit: "s",
    larger_is_better: false,
    limits: [0.1, 0.25, 1.0, 2.0, 4.0],
    source: "0.1 s and 1 s: Nielsen, as for pages (at once; noticed, but no more). 250 ms: ITU-T G.1010, Table I.2 (command and control). 2 s and 4 s: \
             the same (transactions: preferred, acceptable).",
};

/// Rule of a flow of requests that are answered.
pub const REQUEST: Rule =
    Rule { application: "request", measure: "95th percentile of the response time", ..REPORT };

/// Rule of a player's flow of an online game.
pub const GAME: Rule = Rule {
    application: "game",
    measure: REQUEST.measure,
    unit: "s",
    larger_is_better: false,
    limits: [0.06, 0.1, 0.2, 0.5, 1.0],
    source: "100 ms, 500 ms and 1 s: Claypool & Claypool, \"Latency and player actions in online games\", Communications of the ACM 49(11), 2006 \
             (players do worse from there on in games seen by a first person, by a third person, from above). 60 ms and 200 ms: \
             draft-ietf-ippm-responsiveness-06 (good, fair).",
};

/// Rule of a persistent flow.
pub const BULK: Rule = Rule {
    application: "bulk",
    measure: "share of the fair rate",
    unit: "1",
    larger_is_better: true,
    limits: [0.8, 0.6, 0.4, 0.2, 0.1],
    source: "AirFair's: equal steps, and half of the last.",
};

/// All rules, in the order of the documentation.
pub const RULES: [&Rule; 8] = [&CALL, &VIDEO_CALL, &PAGE, &STREAM, &GAME, &REPORT, &REQUEST, &BULK];

impl Rule {
    /// Returns the grade of this value.
    pub fn grade(&self, value: f64) -> &'static str {
        let holds = |limit: f64| if self.larger_is_better { value >= limit } else { value <= limit };
        let place = self.limits.iter().position(|&limit| holds(limit));
        place.map_or(WORST, |place| GRADES[place])
    }

    /// Returns the worst value that is not an F.
    pub fn last_limit(&self) -> f64 {
        self.limits[self.limits.len() - 1]
    }

    /// Returns the rule of this application.
    pub fn of(application: &str) -> Option<&'static Rule> {
        RULES.into_iter().find(|rule| rule.application == application)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_belong_to_the_better_grade_and_fall_in_order() {
        for rule in RULES {
            let better = |a: f64, b: f64| if rule.larger_is_better { a > b } else { a < b };
            assert!(rule.limits.is_sorted_by(|a, b| better(*a, *b)), "{rule:?}");
            for (limit, grade) in rule.limits.into_iter().zip(GRADES) {
                assert_eq!(rule.grade(limit), grade, "{rule:?}");
            }
            let step = if rule.larger_is_better { -1e-9 } else { 1e-9 };
            let worse = rule.limits.map(|limit| rule.grade(limit + step));
            assert_eq!(worse, ["B", "C", "D", "E", "F"], "{rule:?}");
            assert!(rule.source.ends_with('.'));
        }
    }

    #[test]
    fn a_perfect_call_is_an_a() {
        assert_eq!((CALL.grade(93.2), CALL.grade(79.0), CALL.grade(0.0)), ("A", "C", "F"));
        assert_eq!((PAGE.grade(0.5), PAGE.grade(3.0)), ("A", "C"));
    }
}
