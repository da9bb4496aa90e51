// Why the sensor waited, in six steps on the timeline. All numbers are the engine's, of the run that is shown.
import { byId, h } from "./dom.js";
import { Timeline } from "./timeline.js";

const column = (title, ...set) => ({ title, setting: { scenario: "jung/mixed", set: [["duration", "20 s"], ...set] } });
const ONE = [column("")];
const TWO = [column("tcp = reno"), column("tcp = vegas", ["tcp", "vegas"])];

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Each step: its columns, the part of the time from the request to the last byte that it shows, and its words. */
const STEPS = [
  {
    title: "A sensor wakes",
    columns: ONE,
    text: ({ first }) => `Two stations, in grey, download without end. Then ${first.flow} wakes and asks for ${first.bytes}. At its fair share of the bandwidth that would take ${first.ideal}: the upright mark. Press play.`,
  },
  {
    title: "Others are ahead",
    columns: ONE,
    part: [-0.1, 0.5],
    text: ({ run }) => `All traffic to the stations passes one queue at the access point. When the sensor's first packet arrives there, ${plural(run.ahead, "packet")} of the downloads are in it already. First come, first served.`,
  },
  {
    title: "Every frame takes its turn",
    columns: ONE,
    part: [0, 0.12],
    text: () => "Only one station can talk at a time. Each packet needs its turn on the air, with a random wait before it and an acknowledgement after it. Point at a frame, touch it, or move the slider to see what it carries.",
  },
  {
    title: "A small window waits again and again",
    columns: ONE,
    part: [-0.1, 1.15],
    text: ({ first }) => `TCP starts carefully: a packet or two, then it waits for their acknowledgement before it sends more. So the sensor stands in the same queue not once but in each round trip. Its last byte leaves after ${first.sent}.`,
  },
  {
    title: "Who fills the queue?",
    columns: TWO,
    text: ({ runs }) => `The downloads do. Reno, as most TCPs of its time, sends more until a packet is lost, so the queue is always long. Vegas slows down as soon as packets wait. The sensor finds ${plural(runs[0].ahead, "packet")} ahead of it with Reno and ${plural(runs[1].ahead, "packet")} with Vegas.`,
  },
  {
    title: "Fair at every instant?",
    columns: TWO,
    text: ({ runs }) => `Over minutes, all stations get their share. For somebody who needs the air only now and then, that is no comfort. The index of instantaneous fairness (IF) is the time at the fair share over the time it took: ${runs[0].tables.sessions[0].fairness} for this session with Reno, ${runs[1].tables.sessions[0].fairness} with Vegas. Now see what changes it.`,
    last: true,
  },
];

/** Tells the story; `leave` is called when the reader wants to try, `computed` with each answer of the engine, before it is shown. */
export const tell = (engine, leave, computed) => {
  const [list, title, text, previous, next] = [document.querySelector(".steps"), byId("step-title"), byId("step-text"), byId("previous"), byId("next")];
  let place = 0;
  let waiting = true;
  /** When the sensor asks, and how long its last byte takes. */
  let session = null;

  // The words come with the first picture of a step; the reader may then look elsewhere.
  const told = { ask: (request) => { const answer = engine.ask(request); answer.then(computed, computed); return answer; } };
  const timeline = new Timeline("Timeline of the story", byId("story-timeline"), told, (asked, { runs }) => {
    session ??= runs[0].sessions[0];
    if (!waiting || asked.step !== place) return;
    waiting = false;
    text.textContent = STEPS[place].text({ run: runs[0], runs, first: runs[0].tables.sessions[0] });
  });
  const tabs = STEPS.map((step, number) => h("button", {
    type: "button", role: "tab", "aria-label": `Step ${number + 1}: ${step.title}`, title: step.title, click: () => go(number),
    keydown: (event) => {
      const to = { ArrowRight: number + 1, ArrowLeft: number - 1, Home: 0, End: STEPS.length - 1 }[event.key];
      if (to === undefined || !STEPS[to]) return;
      event.preventDefault();
      go(to);
      tabs[to].focus();
    },
  }, String(number + 1)));
  list.replaceChildren(...tabs.map((tab) => h("li", { role: "presentation" }, tab)));
  previous.addEventListener("click", () => go(place - 1));
  next.addEventListener("click", () => (STEPS[place].last ? leave() : go(place + 1)));

  const go = async (number) => {
    place = number;
    waiting = true;
    const step = STEPS[number];
    tabs.forEach((tab, other) => {
      tab.setAttribute("aria-selected", other === number);
      tab.tabIndex = other === number ? 0 : -1;
    });
    title.textContent = `${number + 1}. ${step.title}`;
    previous.disabled = number === 0;
    next.textContent = step.last ? "Try it" : "Next";
    if (step.part) session ??= (await engine.ask({ ask: "timeline", columns: ONE, seed: 1, axis: 300, beside: true })).runs[0].sessions[0];
    if (place !== number) return;
    const part = step.part ? { from: session.start + step.part[0] * session.sent, to: session.start + step.part[1] * session.sent } : {};
    await timeline.show({ columns: step.columns, seed: 1, step: number, ...part });
  };

  go(0);
};
