// The engine in a worker. The first message is the compiled module; each one after that is a request, answered by its number.
let engine;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const read = (at) => decoder.decode(new Uint8Array(engine.memory.buffer, at, engine.length()));

const ask = (request) => {
  const bytes = encoder.encode(JSON.stringify(request));
  const at = engine.input(bytes.length); // the memory may move
  new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
  try {
    return JSON.parse(read(engine.answer()));
  } catch (error) {
    return { error: `the engine failed: ${read(engine.failure()) || error.message}` };
  }
};

let ready;
onmessage = async ({ data }) => {
  if (data.module) {
    ready = WebAssembly.instantiate(data.module).then((instance) => { engine = instance.exports; });
    return;
  }
  await ready;
  postMessage({ number: data.number, answer: ask(data.request) });
};
