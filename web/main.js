// The page: a story, and a laboratory whose state is in its address.
import { build } from "./controls.js";
import { byId, h, settled } from "./dom.js";
import { Engine, Superseded } from "./engine.js";
import { Plan } from "./home.js";
import { SIDES, command, fromHash, setting, toHash } from "./link.js";
import { showMetrics } from "./metrics.js";
import { tell } from "./story.js";
import { Timeline } from "./timeline.js";

const SCENARIOS = ["wifi/home", "jung/mixed", "blefari/hotspot"];
const SEEDS = [1, 5, 10, 20, 50];
/** What the page shows first: the same home with the queues of 2012 and with those of today. */
const FIRST = { scenario: "wifi/home", seed: 1, seeds: 5, compare: true, a: {}, b: { policy: "mac80211" } };

/** Of the story, and of differences, which need not wait for a run. */
const desk = new Engine(true);
const engines = { a: new Engine(), b: new Engine() };
/** Of the laboratory's picture, and of what is known about a scenario. */
const pictures = new Engine();
const timeline = new Timeline(byId("lab-timeline"), pictures);
const plans = Object.fromEntries(SIDES.map((side) => [side, new Plan(byId("home").appendChild(h("div", { class: "plan" })), (parameter, text) => change(side, parameter, text))]));

let state = fromHash(location.hash, FIRST);
let described = null;
let showControls = () => {};
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
  update();
};

const usual = (name) => described?.usual[name] ?? "";

const run = settled(120, () => shown().forEach(compute));
const paint = settled(400, () => paintTimeline());

/** Shows the state everywhere and computes what it needs. */
const update = () => {
  history.replaceState(null, "", toHash(state));
  showControls(state);
  const counts = [...new Set([...SEEDS, state.seeds])].sort((one, other) => one - other);
  byId("seeds").replaceChildren(...counts.map((count) => h("option", { value: count }, String(count))));
  for (const [id, value] of [["scenario", state.scenario], ["seed", state.seed], ["seeds", state.seeds]]) byId(id).value = value;
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
    if (!(error instanceof Superseded)) result.error = `${state.compare ? `${side.toUpperCase()}: ` : ""}${error.message}`;
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
  if (!described) return;
  const answers = Object.fromEntries(shown().map((side) => [side, results[side]?.answer ?? null]));
  showMetrics(byId("metrics"), described.metrics, answers, differences);
  trouble(shown().map((side) => results[side]?.error).filter(Boolean).join(" · "));
  const done = shown().map((side) => results[side]?.answer?.document.seeds.length ?? 0);
  const least = Math.min(...done);
  byId("progress").textContent = least < state.seeds ? `${least} of ${state.seeds} seeds` : `${state.seeds} seed${state.seeds === 1 ? "" : "s"}, from ${state.seed} on`;
  byId("metrics").dataset.seeds = least;
  const home = state.scenario === "wifi/home";
  byId("home").hidden = !home;
  for (const side of SIDES) {
    const visible = home && shown().includes(side);
    byId("home").children[SIDES.indexOf(side)].hidden = !visible;
    if (!visible) continue;
    const distances = { ...described.usual, ...state[side] };
    plans[side].show(side, state.compare ? `Setting ${side.toUpperCase()}: ` : "", distances, answers[side]);
  }
};

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
    if (!(error instanceof Superseded)) trouble(error.message);
    return;
  }
  const { title, description } = described.scenario;
  byId("title").textContent = title;
  byId("about").replaceChildren(...description.trim().split("\n\n").map((part) => h("p", {}, part.replaceAll("`", ""))));
  showControls = build(byId("controls"), described, change);
  update();
};

const restart = (next) => {
  const other = next.scenario !== state.scenario || !described;
  state = next;
  if (!SCENARIOS.includes(state.scenario)) state.scenario = SCENARIOS[0];
  if (!other) { update(); return; }
  results = {};
  described = null;
  describe();
};

byId("scenario").replaceChildren(...SCENARIOS.map((name) => h("option", { value: name }, name)));
byId("scenario").addEventListener("change", () => restart({ ...state, scenario: byId("scenario").value, a: {}, b: {} }));
byId("seed").addEventListener("change", () => { state.seed = Math.min(Math.max(0, Math.floor(Number(byId("seed").value) || 0)), Number.MAX_SAFE_INTEGER); update(); });
byId("seeds").addEventListener("change", () => { state.seeds = Number(byId("seeds").value); update(); });
byId("compare").addEventListener("change", () => { state.compare = byId("compare").checked; update(); });
byId("reset").addEventListener("click", () => { Object.assign(state, { a: {}, b: {} }); update(); });
byId("share").addEventListener("click", async () => { byId("shared").textContent = (await copy(location.href)) ? "The link is copied." : "Copy the address of this page."; });
addEventListener("hashchange", () => { if (location.hash !== toHash(state)) restart(fromHash(location.hash, FIRST)); });

new ResizeObserver(settled(150, render)).observe(byId("home"));
tell(desk, () => {
  restart({ ...FIRST, scenario: "jung/mixed", a: {}, b: { tcp: "vegas" } });
  byId("lab").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  byId("lab").focus({ preventScroll: true });
}, () => {
  if (begun) return;
  begun = true;
  describe();
});
restart(state);
