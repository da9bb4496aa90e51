// The engine in a worker. A message is the module, packed, which is compiled and answered; or the module, compiled, to be run; or a
// request, which may come before the module and is answered by its number.
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

const compiled = (text) => {
  const bytes = atob(text.trim());
  const packed = new Uint8Array(bytes.length);
  for (let place = 0; place < bytes.length; place += 1) packed[place] = bytes.charCodeAt(place);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }));
};

let begin;
const ready = new Promise((resolve) => { begin = resolve; });
onmessage = async ({ data }) => {
  if (data.packed) {
    compiled(data.packed).then((module) => postMessage({ module }), (error) => postMessage({ error: `the engine cannot be compiled here: ${error.message}` }));
    return;
  }
  if (data.module) {
    begin(WebAssembly.instantiate(data.module).then((instance) => { engine = instance.exports; }));
    return;
  }
  await ready;
  postMessage({ number: data.number, answer: ask(data.request) });
};
