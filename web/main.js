// The page: a story, and a laboratory whose state is in its address.
import { build } from "./controls.js";
import { byId, h, settled, showFault } from "./dom.js";
import { Engine, Superseded } from "./engine.js";
import { Plan } from "./home.js";
import { SCENARIOS, SIDES, command, fromHash, readNumber, setting, toHash } from "./link.js";
import { showMetrics } from "./metrics.js";
import { tell } from "./story.js";
import { Timeline } from "./timeline.js";

const SEEDS = [1, 5, 10, 20, 50];
/** What the page shows first: the same home with the queues of 2012 and with those of today. */
const FIRST = { scenario: "wifi/home", seed: 1, seeds: 5, compare: true, a: {}, b: { policy: "mac80211" } };

/** Of the story, and of differences, which need not wait for a run. */
const desk = new Engine(true);
const engines = { a: new Engine(), b: new Engine() };
/** Of the laboratory's picture, and of what is known about a scenario. */
const pictures = new Engine();
const timeline = new Timeline("Timeline of the laboratory", byId("lab-timeline"), pictures);
const plans = Object.fromEntries(SIDES.map((side) => [side, new Plan(byId("home").appendChild(h("div", { class: "plan" })), (parameter, text) => change(side, parameter, text))]));

let state = structuredClone(FIRST);
/** What of the link cannot be used, until the reader changes something. */
let unused = [];
let described = null;
let controls = { show: () => {}, showFaults: () => {} };
/** Of each setting: what was asked, and the last answer to it. */
let results = {};
let differences = null;
/** Whether the story's first picture is computed. Workers that begin at once compile the same functions twice; those that begin later find them compiled. */
let begun = false;

const shown = () => (state.compare ? SIDES : ["a"]);
const key = (side) => JSON.stringify([setting(state, side), state.seed]);

/** Sets a parameter, or gives it its default back. */
const change = (side, name, text) => {
  if (text === null || text === usual(name)) delete state[side][name];
  else state[side][name] = text;
  changed();
};

const usual = (name) => described?.usual[name] ?? "";

const run = settled(120, () => shown().forEach(compute));
const paint = settled(400, () => paintTimeline());

/** The state of the page becomes that of its address; `anew` leaves the one before to the browser's Back. */
const write = (anew = false) => {
  unused = [];
  const hash = toHash(state);
  if (hash !== location.hash) history[anew ? "pushState" : "replaceState"](null, "", hash);
};

/** After a change by the reader. */
const changed = () => {
  write();
  update();
};

/** Shows the state everywhere and computes what it needs. */
const update = () => {
  controls.show(state);
  const counts = [...new Set([...SEEDS, state.seeds])].sort((one, other) => one - other);
  byId("seeds").replaceChildren(...counts.map((count) => h("option", { value: count }, String(count))));
  for (const [id, value] of [["scenario", state.scenario], ["seeds", state.seeds]]) byId(id).value = value;
  if (byId("seed-fault").hidden) byId("seed").value = state.seed;
  byId("settings").textContent = `${seedsInWords()}. ${shown().map((side) => title(side) || "defaults").join(". ")}.`;
  byId("compare").checked = state.compare;
  for (const side of SIDES) if (!shown().includes(side) || results[side]?.key !== key(side)) delete results[side];
  differences = null;
  render();
  elsewhere();
  run();
  compare();
  if (shown().every((side) => results[side]?.answer)) paint();
};

/** One seed after the other, until there are enough or the setting has changed. The picture comes after the first result. */
const compute = async (side) => {
  const wanted = key(side);
  if (results[side]?.key === wanted && (results[side].busy || results[side].answer?.document.seeds.length === state.seeds)) return;
  if (results[side]?.key !== wanted) engines[side].supersede();
  const result = (results[side] = { key: wanted, busy: true, answer: null });
  try {
    for (let seeds = 1; seeds <= state.seeds && key(side) === wanted && results[side] === result; seeds += 1) {
      const answer = await engines[side].ask({ ask: "run", setting: setting(state, side), seed: state.seed, seeds });
      if (results[side] !== result) return;
      result.answer = answer;
      if (seeds === 1 && shown().every((other) => results[other]?.answer)) paint();
      render();
      compare();
    }
    if (result.answer && result.answer.document.seeds.length > state.seeds) {
      result.answer = await engines[side].ask({ ask: "run", setting: setting(state, side), seed: state.seed, seeds: state.seeds });
    }
  } catch (error) {
    if (!(error instanceof Superseded)) result.error = error;
    if (result.error) paint();
  } finally {
    result.busy = false;
    render();
  }
};

/** Shows the difference of both settings over the seeds that both have. */
const compare = async () => {
  const [a, b] = SIDES.map((side) => results[side]?.answer);
  if (!described || !state.compare || !a || !b) return;
  const names = described.metrics.map(({ name }) => name).filter((name) => name in a.values);
  const metrics = names.map((name) => {
    const pairs = a.values[name].map((value, seed) => [value, b.values[name]?.[seed] ?? null]).filter((pair) => !pair.includes(null));
    return { unit: a.document.metrics[name].unit, a: pairs.map(([value]) => value), b: pairs.map(([, value]) => value) };
  });
  const found = await desk.ask({ ask: "difference", metrics });
  if (!SIDES.every((side, place) => results[side]?.answer === [a, b][place])) return;
  differences = Object.fromEntries(names.map((name, place) => [name, found[place]]));
  render();
};

const render = () => {
  const failed = shown().filter((side) => results[side]?.error);
  const faults = failed.map((side) => `${state.compare ? `${side.toUpperCase()}: ` : ""}${results[side].error.message}`);
  trouble([...unused, ...faults].join(" · "));
  if (!described) return;
  controls.showFaults(Object.fromEntries(failed.map((side) => [side, results[side].error])));
  const answers = Object.fromEntries(shown().map((side) => [side, results[side]?.answer ?? null]));
  showMetrics(byId("metrics"), described.metrics, answers, differences, failed);
  byId("progress").textContent = progress();
  byId("metrics").dataset.seeds = Math.min(...shown().map(done));
  const home = state.scenario === "wifi/home";
  byId("home").hidden = byId("rule").hidden = !home;
  for (const side of SIDES) {
    const visible = home && shown().includes(side);
    byId("home").children[SIDES.indexOf(side)].hidden = !visible;
    if (!visible) continue;
    const distances = { ...described.usual, ...state[side] };
    const none = failed.includes(side) ? "There is no result: it was not run." : "The first result is on its way.";
    plans[side].show(side, state.compare ? `Setting ${side.toUpperCase()}: ` : "", distances, answers[side], none);
  }
};

/** How many seeds of a setting are computed. */
const done = (side) => results[side]?.answer?.document.seeds.length ?? 0;

/** How far the runs are. */
const progress = () => {
  const counted = (side) => `${done(side)} of ${state.seeds} seeds`;
  if (shown().some((side) => results[side]?.error)) {
    const far = (side) => (!results[side]?.error ? counted(side) : done(side) === 0 ? "not run" : `ended after ${counted(side)}`);
    const words = shown().map((side) => `${state.compare ? `${side.toUpperCase()}: ` : ""}${far(side)}`).join("; ");
    return words[0].toUpperCase() + words.slice(1);
  }
  const least = shown().reduce((one, other) => (done(other) < done(one) ? other : one));
  return done(least) < state.seeds ? counted(least) : seedsInWords();
};

const seedsInWords = () => `${state.seeds} seed${state.seeds === 1 ? "" : "s"}, from ${state.seed} on`;

const trouble = (message) => {
  byId("trouble").hidden = message === "";
  if (byId("trouble").textContent !== message) byId("trouble").textContent = message;
};

/** The parameters in which a setting differs from the defaults. */
const title = (side) => {
  const set = Object.entries(state[side]).map(([name, value]) => `${name} = ${value}`).join(", ");
  return state.compare ? `${side.toUpperCase()}: ${set || "defaults"}` : set;
};

const paintTimeline = () => {
  if (!described) return; // the scenario has changed meanwhile
  pictures.supersede();
  timeline.show({ columns: shown().map((side) => ({ title: title(side), setting: setting(state, side) })), seed: state.seed, ...(state.scenario === "wifi/home" ? HOME : {}) });
};
/** A home has sessions without end; its picture shows one second. */
const HOME = { from: 6, to: 7 };

/** The words of a command, which break between lines, and not behind their hyphens. */
const whole = (line) => line.split(/(?<= )/).map((word) => h("span", {}, word));

/** The commands and the files of the settings. */
const elsewhere = () => {
  const copied = (text) => {
    const button = h("button", { type: "button", click: async () => { button.textContent = (await copy(text)) ? "Copied" : "Select and copy it"; } }, "Copy");
    return button;
  };
  byId("elsewhere").replaceChildren(...shown().flatMap((side) => {
    const line = command(state, side);
    const file = h("pre", { tabindex: 0 }, "");
    const more = h("details", { toggle: async () => {
      if (!more.open || file.textContent) return;
      try {
        const { toml } = await engines[side].ask({ ask: "load", setting: setting(state, side) });
        file.textContent = toml;
        file.before(copied(toml));
      } catch (error) {
        file.textContent = error instanceof Superseded ? "" : error.message;
      }
    } }, h("summary", {}, "As a scenario file (TOML)"), file);
    return [state.compare ? h("h4", { class: `of-${side}` }, `Setting ${side.toUpperCase()}`) : null, h("p", { class: "command" }, h("code", {}, ...whole(line)), copied(line)), more].filter(Boolean);
  }));
};

/** Puts text on the clipboard; pages from files may not be allowed to. */
const copy = (text) => navigator.clipboard?.writeText(text).then(() => true, () => false) ?? Promise.resolve(false);

/** Shows another scenario's controls, while its runs are under way. */
const describe = async () => {
  if (!begun) return;
  shown().forEach(compute);
  pictures.supersede();
  try {
    described = await pictures.ask({ ask: "describe", scenario: state.scenario });
  } catch (error) {
    if (error instanceof Superseded) return;
    unused = [error.message];
    render();
    return;
  }
  const { title, description } = described.scenario;
  byId("title").textContent = title;
  byId("about").replaceChildren(...description.trim().split("\n\n").map((part) => h("p", {}, part.replaceAll("`", ""))));
  controls = build(byId("controls"), described, change);
  update();
};

const restart = (next) => {
  const other = next.scenario !== state.scenario || !described;
  state = next;
  showFault([byId("seed")], byId("seed-fault"), null);
  if (!other) { update(); return; }
  results = {};
  described = null;
  describe();
};

/** Shows what the address asks for. An address of which something cannot be used stays until the reader changes something. */
const read = () => {
  const found = fromHash(location.hash, FIRST);
  unused = found.unused;
  restart(found.state);
  if (unused.length === 0) write();
  render();
};

/** Shows another finding. The browser's Back brings the one before. */
const leaveFor = (next) => {
  unused = [];
  restart(next);
  write(true);
};

const goToLaboratory = () => {
  byId("lab").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  byId("lab").focus({ preventScroll: true });
};

byId("scenario").replaceChildren(...SCENARIOS.map((name) => h("option", { value: name }, name)));
byId("scenario").addEventListener("change", () => leaveFor({ ...state, scenario: byId("scenario").value, a: {}, b: {} }));
byId("seed").addEventListener("change", () => {
  const { number, fault } = readNumber("seed", byId("seed").value);
  showFault([byId("seed")], byId("seed-fault"), fault ? `${fault} The one before still counts.` : null);
  if (fault) return;
  state.seed = number;
  changed();
});
byId("seeds").addEventListener("change", () => { state.seeds = Number(byId("seeds").value); changed(); });
byId("compare").addEventListener("change", () => { state.compare = byId("compare").checked; changed(); });
byId("reset").addEventListener("click", () => leaveFor({ ...state, a: {}, b: {} }));
byId("share").addEventListener("click", async () => { byId("shared").textContent = (await copy(new URL(toHash(state), location.href).href)) ? "The link is copied." : "Copy the address of this page."; });
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); goToLaboratory(); });
addEventListener("hashchange", () => { if (location.hash !== toHash(state)) read(); });

new ResizeObserver(settled(150, render)).observe(byId("home"));
tell(desk, () => {
  leaveFor({ ...FIRST, scenario: "jung/mixed", a: {}, b: { tcp: "vegas" } });
  goToLaboratory();
}, () => {
  if (begun) return;
  begun = true;
  describe();
});
read();
