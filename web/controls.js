// A control for each parameter of a scenario, as its declaration has it.
import { h, showFault } from "./dom.js";
import { SIDES } from "./link.js";

/** Parameters that people turn first; the others are one click away. */
const TURNED_FIRST = {
  "wifi/home": ["policy", "shaper", "download_count", "camera_count", "call_count", "sensor_count", "page_count", "stream_count", "wan_down", "wan_up", "tcp", "standard"],
  "jung/mixed": ["stations", "tcp", "direction", "session_bytes", "period", "queue", "window", "wired_delay"],
  "blefari/hotspot": ["policy", "up", "down", "rtt", "buffer", "window", "limiter_rate", "tcp"],
};

/** The control of one parameter for one setting. `change` gets the new text, or `null` for the default. */
const control = (parameter, usual, stops, side, change) => {
  const id = `${side}-${parameter.name}`;
  const label = `${parameter.name}, setting ${side.toUpperCase()}`;
  if (parameter.choices || typeof parameter.default === "boolean") {
    const choices = (parameter.choices ?? [false, true]).map(String);
    const words = parameter.optional || parameter.default === null ? ["", ...choices] : choices;
    const options = [...words, ...parameter.words].map((word) => h("option", { value: word }, word || "unset"));
    const select = h("select", { id, "aria-label": label, change: () => change(select.value === usual ? null : select.value) }, ...options);
    return { parts: [select], show: (text) => { select.value = text ?? usual; } };
  }
  const field = h("input", {
    id, type: "text", autocomplete: "off", spellcheck: "false", "aria-label": label,
    placeholder: parameter.optional ? "unset" : null, change: () => change(field.value.trim() || null),
  });
  if (stops.length < 2) return { parts: [field], show: (text) => { field.value = text ?? usual; } };
  const slider = h("input", {
    type: "range", min: 0, max: stops.length - 1, step: 1, "aria-label": `${label}, slider`,
    input: () => {
      field.value = stops[slider.value];
      slider.setAttribute("aria-valuetext", field.value);
      change(field.value === usual ? null : field.value);
    },
  });
  return {
    parts: [slider, field],
    show: (text) => {
      field.value = text ?? usual;
      const place = stops.indexOf(field.value);
      if (place >= 0) slider.value = place;
      slider.setAttribute("aria-valuetext", field.value || "unset");
    },
  };
};

/** Fills the form with the controls of a scenario; returns functions that show a state in them, and faults: of each setting a `parameter` and the `reason`. */
export const build = (form, { scenario, usual, stops }, change) => {
  const first = TURNED_FIRST[scenario.name] ?? [];
  const shows = [];
  /** What can tell a fault, by setting and parameter. */
  const tellers = {};
  const row = (parameter) => {
    const cells = SIDES.map((side) => {
      const made = control(parameter, usual[parameter.name], stops[parameter.name], side, (text) => change(side, parameter.name, text));
      shows.push((state) => made.show(state[side][parameter.name]));
      const note = h("p", { class: "fault", id: `${side}-${parameter.name}-fault`, hidden: true });
      tellers[`${side}-${parameter.name}`] = (reason) => {
        showFault(made.parts, note, reason);
        if (reason && form.contains(document.activeElement)) note.scrollIntoView({ block: "nearest" });
      };
      return h("div", { class: `value of-${side}` }, ...made.parts, note);
    });
    const element = h("div", { class: "parameter", title: parameter.help },
      h("label", { for: `a-${parameter.name}` }, parameter.name.replaceAll("_", " ")),
      ...cells, h("p", { class: "help" }, parameter.help));
    shows.push((state) => element.classList.toggle("moved", SIDES.some((side) => (side === "a" || state.compare) && parameter.name in state[side])));
    return element;
  };
  const named = Object.fromEntries(scenario.parameters.map((parameter) => [parameter.name, parameter]));
  const rest = scenario.parameters.filter(({ name }) => !first.includes(name));
  let shown;
  /** Builds the others, which takes a slow processor longer than the first ones: nobody sees them before. */
  const fill = () => {
    const before = shows.length;
    more.append(...rest.splice(0).map(row));
    shows.slice(before).forEach((show) => show(shown));
  };
  const more = h("details", { id: "more", toggle: fill }, h("summary", {}, `${rest.length} more parameters`));
  const heads = h("div", { class: "heads", "aria-hidden": "true" }, h("span"), h("span", { class: "of-a" }, "A"), h("span", { class: "of-b" }, "B"));
  form.replaceChildren(heads, ...first.filter((name) => named[name]).map((name) => row(named[name])), more);
  form.onsubmit = (event) => event.preventDefault();
  const show = (state) => {
    shown = state;
    form.classList.toggle("two", state.compare);
    shows.forEach((show) => show(state));
    // A link may set what is not at the top.
    if (rest.some(({ name }) => name in state.a || (state.compare && name in state.b))) {
      fill();
      more.open = true;
    }
  };
  let told = {};
  const showFaults = (faults) => {
    const wanted = Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault?.parameter in named)
      .map(([side, { parameter, reason }]) => [`${side}-${parameter}`, reason]));
    for (const field of Object.keys(told)) if (!(field in wanted)) tellers[field]?.(null);
    for (const [field, reason] of Object.entries(wanted)) {
      if (told[field] === reason) continue;
      if (!tellers[field]) {
        fill();
        more.open = true;
      }
      tellers[field](reason);
    }
    told = wanted;
  };
  return { show, showFaults };
};
