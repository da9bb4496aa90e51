//! Series cut to the time shown, and thinned out where no picture could show more.

use crate::outcome::SeriesRecord;
use serde::Serialize;

/// Values over time, each of which holds until the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Steps {
    /// Time from which the value holds, in seconds since the start of the run.
    pub time: Vec<f64>,
    /// The value from then on.
    pub value: Vec<f64>,
}

impl Steps {
    /// Cuts a series to the time from `from` to `to`; its value at `from` is the last one from before.
    pub(super) fn within(series: &SeriesRecord, from: f64, to: f64) -> Steps {
        let first = series.time.partition_point(|&time| time <= from).saturating_sub(1);
        let last = series.time.partition_point(|&time| time < to);
        let range = first.min(last)..last;
        let time = series.time[range.clone()].iter().map(|&time| time.max(from)).collect();
        Steps { time, value: series.value[range].to_vec() }
    }

    fn push(&mut self, time: f64, value: f64) {
        self.time.push(time);
        self.value.push(value);
    }

    /// Returns the times and sizes of a count's increases. Increases that are less than a column apart are added up, if the
    /// time until `to` has `columns` columns.
    pub(super) fn increments(&self, to: f64, columns: usize) -> Steps {
        let mut grown = Steps::default();
        let Some(&from) = self.time.first() else { return grown };
        let width = (to - from) / columns as f64;
        for (times, values) in self.time.windows(2).zip(self.value.windows(2)) {
            let (at, by) = (times[1], values[1] - values[0]);
            match (grown.time.last(), grown.value.last_mut()) {
                (Some(&last), Some(value)) if at - last < width => *value += by,
                _ => grown.push(at, by),
            }
        }
        grown
    }
}

/// Returns `columns` + 1 times from `from` to `to`, at equal distances.
pub(super) fn grid(from: f64, to: f64, columns: usize) -> Vec<f64> {
    (0..=columns).map(|column| from + (to - from) * column as f64 / columns as f64).collect()
}

/// Returns the values of a series at these times, which must be ascending; 0 before the first value.
pub(super) fn held_on(series: &SeriesRecord, times: &[f64]) -> Vec<f64> {
    let mut next = 0;
    let held = |&time: &f64| {
        while series.time.get(next).is_some_and(|&at| at <= time) {
            next += 1;
        }
        next.checked_sub(1).map_or(0.0, |last| series.value[last])
    };
    times.iter().map(held).collect()
}

/// Returns `steps` as they are if they are few enough, or else the first, the smallest, the largest and the last value of
/// each column, which draw the same line (M4: Jugel et al., VLDB 2014).
pub(super) fn reduced(steps: Steps, from: f64, to: f64, columns: usize) -> Steps {
    if steps.time.len() <= 4 * columns {
        return steps;
    }
    let column = |time: f64| (((time - from) / (to - from) * columns as f64) as usize).min(columns - 1);
    let mut kept = Steps::default();
    let mut start = 0;
    while start < steps.time.len() {
        let length =
            steps.time[start..].iter().take_while(|&&time| column(time) == column(steps.time[start])).count();
        let range = start..start + length;
        let by_value = |a: &usize, b: &usize| steps.value[*a].total_cmp(&steps.value[*b]);
        let mut chosen = vec![start, range.end - 1];
        chosen.extend(range.clone().min_by(by_value).into_iter().chain(range.clone().max_by(by_value)));
        chosen.sort_unstable();
        chosen.dedup();
        chosen.into_iter().for_each(|index| kept.push(steps.time[index], steps.value[index]));
        start = range.end;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(f64, f64)]) -> SeriesRecord {
        SeriesRecord {
            quantity: "queue".into(),
            unit: "packet".into(),
            subject: "ap".into(),
            time: points.iter().map(|point| point.0).collect(),
            value: points.iter().map(|point| point.1).collect(),
        }
    }

    #[test]
    fn what_held_at_the_start_still_does() {
        let steps = Steps::within(&series(&[(1.0, 5.0), (2.0, 6.0), (4.0, 7.0), (9.0, 8.0)]), 3.0, 9.0);
        assert_eq!((steps.time, steps.value), (vec![3.0, 4.0], vec![6.0, 7.0]));
        let later = Steps::within(&series(&[(5.0, 1.0)]), 3.0, 9.0);
        assert_eq!((later.time, later.value), (vec![5.0], vec![1.0]));
        assert_eq!(Steps::within(&series(&[(5.0, 1.0)]), 3.0, 4.0), Steps::default());
    }

    #[test]
    fn sampling_takes_the_value_that_holds() {
        let held = held_on(&series(&[(1.0, 5.0), (2.0, 6.0)]), &[0.5, 1.0, 1.5, 2.0, 3.0]);
        assert_eq!(held, [0.0, 5.0, 5.0, 6.0, 6.0]);
    }

    #[test]
    fn drops_close_to_each_other_are_added_up() {
        let steps = Steps { time: vec![0.0, 1.0, 1.5, 9.0], value: vec![3.0, 4.0, 6.0, 7.0] };
        let drops = steps.increments(10.0, 10);
        assert_eq!((drops.time, drops.value), (vec![1.0, 9.0], vec![3.0, 1.0]));
    }

    #[test]
    fn thinning_keeps_every_columns_extremes() {
        let time: Vec<f64> = (0..1000).map(f64::from).collect();
        let value: Vec<f64> = (0..1000).map(|n| f64::from(n % 7)).collect();
        let thin = reduced(Steps { time: time.clone(), value: value.clone() }, 0.0, 1000.0, 10);
        assert!(thin.time.len() <= 40 && thin.time.windows(2).all(|pair| pair[0] < pair[1]));
        for column in 0..10 {
            let within =
                thin.time.iter().zip(&thin.value).filter(|(time, _)| (**time / 100.0) as usize == column);
            let values: Vec<f64> = within.map(|(_, &value)| value).collect();
            assert!(values.contains(&0.0) && values.contains(&6.0));
        }
        let few = Steps { time: time[..40].to_vec(), value: value[..40].to_vec() };
        assert_eq!(reduced(few.clone(), 0.0, 1000.0, 10), few);
    }
}
