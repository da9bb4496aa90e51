// Workers that run the engine, and what they are asked.

const hired = () => {
  const address = URL.createObjectURL(new Blob([document.getElementById("worker").textContent], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
};

/** The engine, compiled once for all workers. */
let compiled;

/** Compiles in a worker: the page's own thread has enough to do at the start. */
const compile = () => new Promise((resolve, reject) => {
  const compiler = hired();
  compiler.onmessage = ({ data }) => {
    compiler.terminate();
    if (data.module) resolve(data.module);
    else reject(new Error(data.error));
  };
  compiler.postMessage({ packed: document.getElementById("engine").firstChild.data });
});

/** Asked for something that a later request has made needless. */
export class Superseded extends Error {}

/** One worker. It answers one request after the other. */
export class Engine {
  #worker = null;
  #number = 0;
  #waiting = new Map();

  async #start() {
    compiled ??= compile();
    const module = await compiled;
    if (this.#worker) return;
    this.#worker = hired();
    this.#worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.#waiting.get(data.number);
      this.#waiting.delete(data.number);
      if (data.answer.error === undefined) resolve(data.answer.ok);
      else reject(new Error(data.answer.error));
    };
    this.#worker.postMessage({ module });
  }

  /** The answer to a request; rejected with the engine's message where the input is at fault. */
  async ask(request) {
    const number = (this.#number += 1);
    const answer = new Promise((resolve, reject) => this.#waiting.set(number, { resolve, reject }));
    answer.catch(() => {}); // also when it is superseded before the worker has started
    await this.#start();
    if (this.#waiting.has(number)) this.#worker.postMessage({ number, request });
    return answer;
  }

  /** Ends all that is under way: a run cannot be told to stop. */
  supersede() {
    if (this.#waiting.size === 0) return;
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(new Superseded());
    this.#waiting.clear();
  }
}
