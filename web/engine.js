// Workers that run the engine, and what they are asked.

const hired = () => {
  const address = URL.createObjectURL(new Blob([document.getElementById("worker").textContent], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
};

/** The packed engine, when the page has been read so far. */
const packed = new Promise((resolve) => {
  const give = () => resolve(document.getElementById("engine").firstChild.data);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", give);
  else give();
});

/** The engine, compiled once for all workers, and in a worker: the page's own thread has enough to do at the start. */
const compiled = new Promise((resolve, reject) => {
  const compiler = hired();
  compiler.onmessage = ({ data }) => {
    compiler.terminate();
    if (data.module) resolve(data.module);
    else reject(new Error(data.error));
  };
  packed.then((text) => compiler.postMessage({ packed: text }));
});

/** Asked for something that a later request has made needless. */
export class Superseded extends Error {}

/** One worker. It answers one request after the other. */
export class Engine {
  #worker = null;
  #number = 0;
  #waiting = new Map();

  /** The first engine that is asked begins at once; others begin when it has been compiled, before they are asked. */
  constructor(first = false) {
    if (first) this.#start();
    else compiled.then(() => this.#start(), () => {});
  }

  #start() {
    if (this.#worker) return;
    const worker = hired();
    worker.onmessage = ({ data }) => {
      const asked = this.#waiting.get(data.number);
      this.#waiting.delete(data.number);
      if (data.answer.error === undefined) asked?.resolve(data.answer.ok);
      else asked?.reject(Object.assign(new Error(data.answer.error), { parameter: data.answer.parameter, reason: data.answer.reason }));
    };
    this.#worker = worker;
    compiled.then((module) => worker.postMessage({ module }), () => {});
  }

  /** The answer to a request; rejected with the engine's message where the input is at fault, and with the `parameter` and the `reason` where one is. */
  ask(request) {
    const number = (this.#number += 1);
    this.#start();
    this.#worker.postMessage({ number, request });
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      compiled.catch(reject);
    });
  }

  /** Ends all that is under way: a run cannot be told to stop. */
  supersede() {
    if (this.#waiting.size === 0) return;
    this.#worker.terminate();
    this.#worker = null;
    this.#start();
    for (const { reject } of this.#waiting.values()) reject(new Superseded());
    this.#waiting.clear();
  }
}
