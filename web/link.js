// What the page shows, and its address: whoever opens the link sees the same.

/** The two settings. */
export const SIDES = ["a", "b"];

/** The state of an address's hash; what it does not say is as in `first`. */
export const fromHash = (hash, first) => {
  const state = structuredClone(first);
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  if (!given.has("scenario")) return state;
  for (const side of SIDES) state[side] = {};
  state.compare = false;
  for (const [name, value] of given) {
    const [side, parameter] = [name.slice(0, 1), name.slice(2)];
    if (name === "scenario") state.scenario = value;
    else if (name === "compare") state.compare = value === "1";
    else if (name === "seed" && /^\d{1,16}$/.test(value)) state.seed = Math.min(Number(value), Number.MAX_SAFE_INTEGER);
    else if (name === "seeds" && /^\d{1,3}$/.test(value)) state.seeds = Math.max(1, Number(value));
    else if (SIDES.includes(side) && name[1] === "." && parameter) state[side][parameter] = value;
  }
  return state;
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
