// A run over time that can be played, scrubbed and magnified. The picture itself is the engine's.
import { h, s, settled } from "./dom.js";
import { Superseded } from "./engine.js";

/** Room for names and scales in the engine's pictures: for all columns side by side, for all one above the other, and at the right of each. */
const MARGIN = 118;
const NARROW_MARGIN = 96;
const EACH = 126;
/** Time axes shorter than this are one above the other, and none is shorter than that. */
const SHORT_AXIS = 330;
const SHORTEST_AXIS = 100;
/** Seconds that playing the time shown takes. */
const LASTS = 9;
const SHORTEST = 0.002;

const at = (series, time) => {
  let value = null;
  for (let place = 0; place < series.time.length && series.time[place] <= time; place += 1) value = series.value[place];
  return value;
};

/** What happens in a run at a time, as rows of a name and words. */
const happening = (run, time) => {
  const rows = [];
  const exchange = run.exchanges.find(({ from, to }) => from <= time && time <= to);
  if (exchange) rows.push(["on the air", exchange.words]);
  else if (run.exchanges.length > 0) rows.push(["on the air", "nothing"]);
  else {
    for (const { bin, lanes } of run.air) {
      const place = Math.min(Math.floor((time - run.from) / bin), (lanes[0]?.bins.length ?? 1) - 1);
      const busy = lanes.filter(({ bins }) => bins[place] > 0.005).sort((one, other) => other.bins[place] - one.bins[place]);
      const words = busy.slice(0, 6).map(({ user, bins }) => `${user} ${Math.round(100 * bins[place])} %`);
      rows.push(["on the air", words.join(", ") || "nobody"]);
    }
  }
  for (const queue of run.queues) rows.push([`queue of ${queue.subject}`, `${at(queue.held, time) ?? 0} packets`]);
  const windows = run.windows.map((one) => [one.flow, at(one, time)]).filter(([, value]) => value !== null);
  if (windows.length > 0) rows.push(["windows in segments", windows.slice(0, 8).map(([flow, value]) => `${flow} ${+value.toFixed(2)}`).join(", ")]);
  return rows;
};

export class Timeline {
  #engine;
  #asked = null;
  #answer = null;
  #columns = [];
  #time = 0;
  #playing = 0;
  #count = 0;
  #drawn;

  /** `name` tells it from others on the page. `drawn` gets what was asked and the engine's answer, whenever a picture is shown. */
  constructor(name, box, engine, drawn = () => {}) {
    this.#engine = engine;
    this.#drawn = drawn;
    const button = (label, words, act) => h("button", { type: "button", "aria-label": label, title: label, click: act }, words);
    this.play = button("Play", "▶", () => this.#toggle());
    this.scrub = h("input", { type: "range", min: 0, max: 1000, value: 1000, "aria-label": "Time", input: () => { this.#stop(); this.#show(this.scrub.value / 1000); } });
    this.clock = h("output", {}, "");
    this.picture = h("div", { class: "picture", tabindex: 0, role: "region", "aria-label": `${name}: plus and minus zoom, arrow keys move`, keydown: (event) => this.#press(event) });
    this.readout = h("div", { class: "readout", "aria-live": "off" });
    this.tables = h("details", {}, h("summary", {}, "Sessions and shares of the air as tables"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${name}: tables` }));
    box.replaceChildren(
      h("div", { class: "player" }, this.play, this.scrub, this.clock,
        button("Zoom in", "+", () => this.#zoom(0.4)), button("Zoom out", "−", () => this.#zoom(2.5)),
        button("Earlier", "←", () => this.#pan(-0.5)), button("Later", "→", () => this.#pan(0.5)),
        button("The first session", "⤢", () => this.show({ ...this.#asked, from: null, to: null }))),
      this.picture, this.readout, this.tables);
    this.picture.addEventListener("pointermove", (event) => this.#point(event));
    this.picture.addEventListener("pointerdown", (event) => this.#point(event));
    let width = box.clientWidth;
    const again = settled(200, () => { if (this.#asked && Math.abs(box.clientWidth - width) > 24) { width = box.clientWidth; this.show(this.#asked); } });
    new ResizeObserver(again).observe(box);
  }

  /** Shows runs: `columns`, `seed`, and the time from `from` to `to`, or that of the first session. */
  async show(asked) {
    this.#asked = asked;
    this.#stop();
    this.#count += 1;
    const count = this.#count;
    this.picture.setAttribute("aria-busy", "true");
    const room = this.picture.clientWidth || 600;
    const plot = (room - MARGIN) / asked.columns.length - EACH;
    const beside = plot >= SHORT_AXIS;
    const axis = beside ? plot : Math.max(SHORTEST_AXIS, room - NARROW_MARGIN - EACH);
    try {
      const answer = await this.#engine.ask({ ask: "timeline", columns: asked.columns, seed: asked.seed, from: asked.from ?? null, to: asked.to ?? null, axis, beside });
      if (count !== this.#count) return;
      this.#draw(answer);
      this.#drawn(asked, answer);
    } catch (error) {
      if (!(error instanceof Superseded) && count === this.#count) this.picture.replaceChildren(h("p", { class: "trouble" }, error.message));
    } finally {
      if (count === this.#count) this.picture.removeAttribute("aria-busy");
    }
  }

  #draw(answer) {
    this.#answer = answer;
    // The engine escapes all words of its pictures.
    this.picture.innerHTML = answer.svg;
    const picture = this.picture.querySelector("svg");
    this.#columns = [...picture.querySelectorAll(".axis")].map((axis) => {
      const { left, right, top, bottom } = Object.fromEntries(Object.entries(axis.dataset).map(([name, value]) => [name, Number(value)]));
      const veil = s("rect", { y: top, height: bottom - top, class: "veil" });
      const line = s("line", { y1: top, y2: bottom, class: "cursor" });
      picture.append(veil, line);
      return { left, right, top, bottom, veil, line };
    });
    this.tables.lastChild.replaceChildren(...answer.runs.flatMap((run, place) => this.#table(run, this.#asked.columns[place].title)));
    this.readout.replaceChildren(h("p", {}, "Point at the picture, touch it, or move the slider."));
    this.#show(1, false);
  }

  #table(run, title) {
    const table = (heads, rows) => h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell))))));
    const { sessions, fair, air, edca } = run.tables;
    const parts = title ? [h("h4", {}, title)] : [];
    if (sessions.length > 0) {
      const where = (is, cell) => (is ? [cell] : []);
      parts.push(table(["Flow", "Asked for at (s)", "Length", ...where(fair, "At the fair share"), "Last byte sent after", "Acknowledged after", ...where(fair, "IF")],
        sessions.map((row) => [row.flow, row.start, row.bytes, ...where(fair, row.ideal), row.sent, row.acked, ...where(fair, row.fairness)])));
    }
    if (air.length > 0) {
      const facts = (row) => (edca ? [row.by, row.exchanges, row.block_acks, row.mpdus, row.rate, row.categories] : []);
      parts.push(table(["On the air", "Of the time shown", ...(edca ? ["Begun by", "Exchanges", "Block acks", "MPDUs", "Data rate", "Access categories"] : [])],
        air.map((row) => [row.name, row.share, ...facts(row)])));
    }
    return parts;
  }

  /** Shows the time up to a share of that in the picture. */
  #show(share, tell = true) {
    if (!this.#answer) return;
    const { from, to, runs } = this.#answer;
    this.#time = from + share * (to - from);
    this.scrub.value = Math.round(1000 * share);
    this.clock.textContent = `${this.#time.toFixed(4)} s`;
    this.scrub.setAttribute("aria-valuetext", this.clock.textContent);
    for (const { left, right, veil, line } of this.#columns) {
      const x = left + share * (right - left);
      veil.setAttribute("x", x);
      veil.setAttribute("width", right - x);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    }
    if (tell) this.#tell(runs, this.#time);
  }

  #tell(runs, time) {
    const blocks = runs.map((run, place) => {
      const title = this.#asked.columns[place].title;
      return h("dl", {}, ...(title ? [h("dt", { class: "title" }, title)] : []), ...happening(run, time).flatMap(([name, words]) => [h("dt", {}, name), h("dd", {}, words)]));
    });
    this.readout.replaceChildren(h("b", {}, `${time.toFixed(5)} s`), ...blocks);
  }

  #point(event) {
    if (!this.#answer || this.#playing) return;
    const picture = this.picture.querySelector("svg");
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    const column = this.#columns.find(({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom);
    if (!column) return;
    const { from, to, runs } = this.#answer;
    const share = (x - column.left) / (column.right - column.left);
    for (const { left, right, line } of this.#columns) {
      line.setAttribute("x1", left + share * (right - left));
      line.setAttribute("x2", left + share * (right - left));
    }
    this.#tell(runs, from + share * (to - from));
  }

  #press(event) {
    const acts = { "+": () => this.#zoom(0.4), "=": () => this.#zoom(0.4), "-": () => this.#zoom(2.5), ArrowLeft: () => this.#pan(-0.25), ArrowRight: () => this.#pan(0.25), " ": () => this.#toggle() };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  /** Shows this factor of the time, around the scrubber's. */
  #zoom(factor) {
    if (!this.#answer) return;
    const { from, to, recorded: [first, last] } = this.#answer;
    const length = Math.min(Math.max((to - from) * factor, SHORTEST), last - first);
    const middle = this.#time < to ? this.#time : (from + to) / 2;
    this.#move(middle - length / 2, length);
  }

  #pan(share) {
    if (!this.#answer) return;
    const { from, to } = this.#answer;
    this.#move(from + share * (to - from), to - from);
  }

  #move(from, length) {
    const [first, last] = this.#answer.recorded;
    const begin = Math.min(Math.max(from, first), last - length);
    this.show({ ...this.#asked, from: begin, to: begin + length });
  }

  #toggle() {
    if (this.#playing) { this.#stop(); return; }
    if (!this.#answer) return;
    const { from, to } = this.#answer;
    let share = this.#time >= to ? 0 : (this.#time - from) / (to - from);
    let before = performance.now();
    this.play.textContent = "⏸";
    this.play.setAttribute("aria-label", "Pause");
    const step = (now) => {
      share = Math.min(1, share + (now - before) / 1000 / LASTS);
      before = now;
      this.#show(share);
      if (share < 1) this.#playing = requestAnimationFrame(step);
      else this.#stop();
    };
    this.#playing = requestAnimationFrame(step);
  }

  #stop() {
    cancelAnimationFrame(this.#playing);
    this.#playing = 0;
    this.play.textContent = "▶";
    this.play.setAttribute("aria-label", "Play");
  }
}
