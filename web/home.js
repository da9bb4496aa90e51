// The home of `wifi/home`: how far each device is from the access point, and its grade.
import { h, s } from "./dom.js";

/** Groups of devices: the parameter of their distance, the first letters of their names, and which of them. */
const GROUPS = [
  { parameter: "call_distance", name: "Calls", devices: "caller" },
  { parameter: "sensor_distance", name: "Sensors", devices: "sensor" },
  { parameter: "page_distance", name: "Pages", devices: "phone" },
  { parameter: "stream_distance", name: "Video", devices: "tv" },
  { parameter: "download_distance", name: "Download", devices: "laptop", which: (number) => number === 0 },
  { parameter: "far_distance", name: "Far download", devices: "laptop", which: (number) => number > 0 },
  { parameter: "camera_distance", name: "Cameras", devices: "camera" },
];
const FARTHEST = 100;
const NEAREST = 1;
const ROW = 40;
const TOP = 26;
const LEFT = 96;
const RIGHT = 20;
/** Chips of grades beside a device's handle. */
const CHIP = 19;
const MOST = 4;

/** Metres of a text such as "6 m"; what the engine alone can read is `null`. */
const metres = (text) => (/^\s*(\d+(\.\d+)?)\s*m\s*$/.test(text) ? parseFloat(text) : null);

const belongs = ({ devices, which }, { device }) => {
  const number = device.slice(devices.length);
  return device.startsWith(devices) && /^\d+$/.test(number) && (!which || which(Number(number)));
};

/** How many devices have each grade, best first. */
const tally = (group, devices) => {
  const counts = {};
  for (const { grade } of devices.filter((device) => belongs(group, device))) counts[grade ?? "–"] = (counts[grade ?? "–"] ?? 0) + 1;
  return Object.entries(counts).sort();
};

/** One plan. `move` gets a parameter and its new text. */
export class Plan {
  #box;
  #move;
  #wide = 600;

  constructor(box, move) {
    this.#box = box;
    this.#move = move;
  }

  /** `distances` are texts by parameter; `none` says why there is no answer, if there is none. */
  show(side, title, distances, answer, none) {
    const focused = document.activeElement?.getAttribute?.("data-parameter");
    const within = this.#box.contains(document.activeElement);
    this.#wide = Math.max(300, Math.min(this.#box.clientWidth || 600, 900));
    const high = TOP + GROUPS.length * ROW + 26;
    const devices = answer?.document.devices ?? [];
    const parts = [this.#ground(high), ...GROUPS.map((group, row) => this.#lane(group, row, distances[group.parameter], devices))];
    const picture = s("svg", { viewBox: `0 0 ${this.#wide} ${high}`, width: this.#wide, height: high, role: "group", "aria-label": `${title}Distances from the access point` }, ...parts);
    const graded = devices.map((device, place) => `${device.device}: ${device.grade ?? "no grade"} (${device.measure ?? ""} ${answer.devices[place] ?? device.reason ?? ""})`);
    this.#box.replaceChildren(
      h("h3", { class: `of-${side}` }, `${title}Who is where, and how good is it?`),
      picture,
      h("p", { class: "hint" }, answer ? "Drag a device closer or farther, or focus it and use the arrow keys. Upright lines are walls. Letters are grades from A to F, with their numbers of devices." : none),
      h("details", {}, h("summary", {}, "Every device's grade"), h("ul", { class: "grades" }, ...graded.map((line) => h("li", {}, line)))));
    if (within && focused) this.#box.querySelector(`[data-parameter="${focused}"]`)?.focus();
  }

  #x(distance) {
    const room = this.#wide - LEFT - RIGHT;
    return LEFT + room * Math.sqrt(Math.min(Math.max(distance, 0), FARTHEST) / FARTHEST);
  }

  #ground(high) {
    const walls = [];
    for (let at = 5; at <= 50; at += 5) walls.push(s("line", { x1: this.#x(at), x2: this.#x(at), y1: TOP - 6, y2: high - 24, class: "wall" }));
    const marks = [0, 5, 10, 20, 40, 70, 100].map((at) => s("text", { x: this.#x(at), y: high - 8, class: "mark" }, at === 100 ? "100 m" : String(at)));
    return s("g", {}, ...walls, ...marks, s("text", { x: LEFT, y: 14, class: "mark" }, "access point"),
      s("line", { x1: LEFT, x2: LEFT, y1: TOP - 6, y2: high - 24, class: "point" }));
  }

  #lane(group, row, text, devices) {
    const y = TOP + row * ROW + ROW / 2;
    const distance = metres(text) ?? 10;
    const grades = tally(group, devices);
    const x = this.#x(distance);
    const name = s("text", { x: LEFT - 12, y: y + 4, class: "name" }, group.name);
    const rail = s("line", { x1: LEFT, x2: this.#wide - RIGHT, y1: y, y2: y, class: "rail" });
    if (devices.length > 0 && grades.length === 0) return s("g", { class: "absent" }, name, rail);
    const wide = Math.max(1, Math.min(grades.length, MOST)) * (CHIP + 26);
    const from = x + 16 + wide > this.#wide ? x - 16 - wide : x + 16;
    const chips = grades.slice(0, MOST).map(([grade, count], place) => {
      const left = from + place * (CHIP + 26);
      return s("g", { class: `grade of-${grade}` },
        s("rect", { x: left, y: y - CHIP / 2, width: CHIP, height: CHIP, rx: 4 }),
        s("text", { x: left + CHIP / 2, y: y + 4.5, class: "letter" }, grade),
        s("text", { x: left + CHIP + 3, y: y + 4, class: "count" }, count > 1 ? `×${count}` : ""));
    });
    const told = grades.map(([grade, count]) => `${count} with grade ${grade}`).join(", ");
    const handle = s("circle", {
      cx: x, cy: y, r: 10, class: "handle", tabindex: 0, role: "slider", "data-parameter": group.parameter,
      "aria-label": `${group.name}: distance`, "aria-valuemin": NEAREST, "aria-valuemax": FARTHEST, "aria-valuenow": distance,
      "aria-valuetext": `${text}${told ? `; ${told}` : ""}`,
      keydown: (event) => this.#press(event, group, distance),
      pointerdown: (event) => this.#drag(event, group),
    }, s("title", {}, `${group.name}: ${text}`));
    return s("g", {}, name, rail, s("text", { x, y: y - 13, class: "mark" }, text), handle, ...chips);
  }

  #press(event, group, distance) {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5, Home: -FARTHEST, End: FARTHEST };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.#move(group.parameter, `${Math.min(Math.max(distance + step, NEAREST), FARTHEST)} m`);
  }

  #drag(event, group) {
    event.preventDefault();
    const handle = event.target;
    handle.focus();
    const parameter = group.parameter;
    const follow = ({ clientX }) => {
      // The picture is drawn anew at each step.
      const box = this.#box.querySelector("svg").getBoundingClientRect();
      const x = ((clientX - box.left) / box.width) * this.#wide;
      const share = Math.min(Math.max((x - LEFT) / (this.#wide - LEFT - RIGHT), 0), 1);
      const distance = Math.max(NEAREST, Math.round(FARTHEST * share * share));
      this.#move(parameter, `${distance} m`);
    };
    const end = () => {
      removeEventListener("pointermove", follow);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
    };
    addEventListener("pointermove", follow);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }
}
