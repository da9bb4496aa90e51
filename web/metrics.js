// The table of metrics: means over the seeds so far, their intervals, and the difference of two settings.
import { h, s } from "./dom.js";

const GRAPH_WIDE = 150;
const GRAPH_HIGH = 26;

/** Intervals of the settings on one scale: a circle for A, a square for B. Each of `found` has a value and the ends of its interval, if it has one. */
const interval = (found) => {
  const shown = Object.entries(found).filter(([, { value }]) => value !== null).map(([side, { value, ends }]) => [side, value, ends ?? [value, value]]);
  const all = shown.flatMap(([, value, ends]) => [...ends, value]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  if (!(high > low)) return null;
  const x = (value) => 8 + ((value - low) / (high - low)) * (GRAPH_WIDE - 16);
  const marks = shown.flatMap(([side, value, ends], place) => {
    const y = shown.length === 1 ? GRAPH_HIGH / 2 : 7 + place * 12;
    const [from, to] = ends.map(x);
    const at = x(value);
    const mark = side === "a"
      ? s("circle", { cx: at, cy: y, r: 4.5 })
      : s("rect", { x: at - 4, y: y - 4, width: 8, height: 8 });
    return s("g", { class: `mark of-${side}` }, s("line", { x1: from, x2: to, y1: y, y2: y }), mark);
  });
  return s("svg", { viewBox: `0 0 ${GRAPH_WIDE} ${GRAPH_HIGH}`, width: GRAPH_WIDE, height: GRAPH_HIGH, "aria-hidden": "true" }, ...marks);
};

/** A value in words, with all its digits as data and what there is beside it; `none` where there is none yet. */
const value = (words, number, none) => [h("data", { value: number ?? "" }, words?.value ?? none),
  ...[words?.interval, words?.left_out].map((beside) => (beside ? h("span", { class: "between" }, beside) : null))];

/** A name that may be broken after each underscore. */
const parted = (name) => name.split(/(?<=_)/).flatMap((part) => [part, h("wbr")]);

/** The heads of rows by metric: a definition that somebody has opened stays open while seeds come in. */
const heads = new Map();
const head = (metric) => {
  if (!heads.has(metric.name)) {
    heads.set(metric.name, h("th", { scope: "row" }, h("details", {},
      h("summary", { "aria-label": `${metric.title}: definition` }, metric.title), h("p", {}, metric.definition)), h("code", {}, ...parted(metric.name))));
  }
  return heads.get(metric.name);
};

/** Shows the answers of the engine for each setting, and their differences by metric. No more answers come of those in `failed`. */
export const showMetrics = (table, descriptions, answers, differences, failed) => {
  const two = "b" in answers;
  const none = (...sides) => (sides.some((side) => failed.includes(side)) ? "–" : "…");
  const focused = document.activeElement;
  const columns = h("tr", {},
    h("th", { scope: "col" }, "Metric"),
    h("th", { scope: "col", class: "of-a" }, two ? "A" : "Mean"),
    two ? h("th", { scope: "col", class: "of-b" }, "B") : null,
    two ? h("th", { scope: "col" }, "B − A") : null,
    h("th", { scope: "col", class: "graph" }, "Interval"));
  const rows = descriptions.map((metric) => {
    const found = Object.fromEntries(Object.entries(answers)
      .map(([side, answer]) => [side, answer?.document.metrics[metric.name], answer?.words[metric.name]]).filter(([, entry]) => entry)
      .map(([side, { value }, { ends }]) => [side, { value, ends }]));
    const difference = differences?.[metric.name];
    const mean = (side) => h("td", {}, ...value(answers[side]?.words[metric.name], found[side]?.value, none(side)));
    return h("tr", {},
      head(metric),
      mean("a"),
      two ? mean("b") : null,
      two ? h("td", { class: difference?.certain ? "certain" : "open" }, ...(difference ? value(difference) : [none("a", "b")])) : null,
      h("td", { class: "graph" }, interval(found)));
  });
  table.replaceChildren(
    h("caption", {}, two ? "Means over the seeds with 95 % intervals; B − A by pairs of equal seeds, bold where its interval leaves out zero." : "Means over the seeds with 95 % intervals."),
    h("thead", {}, columns), h("tbody", {}, ...rows));
  if (table.contains(focused)) focused.focus({ preventScroll: true });
};
