// What the page shows, and its address: whoever opens the link sees the same.

/** The two settings. */
export const SIDES = ["a", "b"];

/** The scenarios that the page has. */
export const SCENARIOS = ["wifi/home", "jung/mixed", "blefari/hotspot"];
/** The whole numbers of a state. */
const NUMBERS = {
  seed: { what: "A seed", least: 0, most: Number.MAX_SAFE_INTEGER },
  seeds: { what: "The number of seeds", least: 1, most: 999 },
};

/** The number in a text for `seed` or `seeds`; where there is none, `fault` says what is wanted. */
export const readNumber = (name, text) => {
  const { what, least, most } = NUMBERS[name];
  const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= most ? { number } : { fault: `${what} is a whole number from ${least} to ${most}.` };
};

/** A text of a link in a message. */
const cited = (text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** The state of an address's hash, and messages on what of it cannot be used; what it does not say is as in `first`. */
export const fromHash = (hash, first) => {
  const state = structuredClone(first);
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const scenario = given.get("scenario");
  if ([...given].length === 0) return { state, unused: [] };
  if (!SCENARIOS.includes(scenario)) {
    const why = scenario === null ? "no scenario" : `the scenario ${cited(scenario)}, which this page does not have`;
    return { state, unused: [`The link names ${why}, so nothing of it is used. Scenarios of this page: ${SCENARIOS.join(", ")}.`] };
  }
  const unused = [];
  for (const side of SIDES) state[side] = {};
  Object.assign(state, { scenario, compare: false });
  for (const [name, value] of given) {
    const [side, parameter] = [name.slice(0, 1), name.slice(2)];
    if (name in NUMBERS) {
      const { number, fault } = readNumber(name, value);
      if (fault) unused.push(`${name} = ${cited(value)} of the link is not used. ${fault}`);
      else state[name] = number;
    } else if (name === "compare" && /^[01]$/.test(value)) state.compare = value === "1";
    else if (SIDES.includes(side) && name[1] === "." && parameter) state[side][parameter] = value;
    else if (name !== "scenario") unused.push(`${cited(name)} = ${cited(value)} of the link is not used.`);
  }
  return { state, unused };
};

/** The hash of a state. */
export const toHash = (state) => {
  const words = new URLSearchParams({ scenario: state.scenario, seed: state.seed, seeds: state.seeds });
  if (state.compare) words.set("compare", "1");
  for (const side of SIDES) {
    if (side === "b" && !state.compare) continue;
    for (const [name, value] of Object.entries(state[side])) words.set(`${side}.${name}`, value);
  }
  return `#${words}`;
};

/** A setting for the engine. */
export const setting = (state, side) => ({ scenario: state.scenario, set: Object.entries(state[side]) });

/** The command that gives the same document. */
export const command = (state, side) => {
  const words = ["airfair", "run", state.scenario];
  for (const [name, value] of Object.entries(state[side])) words.push("--set", `${name}=${value}`);
  words.push("--seed", String(state.seed));
  if (state.seeds > 1) words.push("--seeds", String(state.seeds));
  return words.map(quoted).join(" ");
};

/** A word for a POSIX shell. */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
