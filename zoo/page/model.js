// Runs model.tflite with LiteRT.js: values by name go in, and come out. In a page of your own:
//
//   import { open } from "./model.js";
//   const run = await open();
//   const { text } = await run({ text: "two dogs" });
//
// That page needs the import map of index.html, and `npm install` in this folder once.
const at = (path) => new URL(path, import.meta.url).href;
const BYTES = "_bytes";
const LENGTHS = "_lengths";

let loading = null; // of LiteRT.js, which loads once for all models of a page

// What `one_file.mjs` put into a page; null where the files are beside it.
const inside = globalThis.filesInside ?? null;

async function library() {
  try {
    return await import(inside ? inside.library : "@litertjs/core");
  } catch {
    throw new Error("LiteRT.js is missing: run `npm install` in the folder of this page, and load it again.");
  }
}

async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} cannot be read: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

// The bytes of a file of the page.
export const file = (name) => (inside ? inside.file(name) : read(at(name)));

// The numbers of an input, in an array of its only size: 0 after shorter ones, nothing beyond it.
function numbersOf({ name, dtype, shape }, row) {
  const size = shape.reduce((product, each) => product * each, 1);
  const numbers = new (dtype === "float32" ? Float32Array : Int32Array)(size);
  const stem = [BYTES, LENGTHS].find((end) => name.endsWith(end));
  const text = stem && row[name.slice(0, -stem.length)];
  let values;
  if (typeof text === "string") {
    const bytes = new TextEncoder().encode(text);
    values = stem === BYTES ? bytes : [bytes.length];
  } else if (name in row) {
    values = [row[name]].flat(Infinity).map((each) => (each === null ? NaN : Number(each)));
  } else throw new Error(`${name} is missing`);
  numbers.set(values.slice(0, size));
  return numbers;
}

// Numbers as arrays in arrays, as their shape says.
function nested(numbers, shape) {
  if (!shape.length) return numbers[0];
  const size = numbers.length / shape[0];
  return Array.from({ length: shape[0] }, (_, i) => nested(numbers.slice(i * size, (i + 1) * size), shape.slice(1)));
}

// Frees tensors.
const drop = (tensors) => Object.values(tensors).forEach((each) => each?.delete());

async function answerOf(tensors) {
  const arrays = {};
  for (const [name, tensor] of Object.entries(tensors)) {
    arrays[name] = { data: await tensor.data(), shape: Array.from(tensor.type.layout.dimensions) };
  }
  return named(arrays);
}

// Outputs by name, with texts in place of their bytes.
function named(arrays) {
  const outputs = {};
  for (const [name, { data, shape }] of Object.entries(arrays)) {
    const stem = name.endsWith(BYTES) ? name.slice(0, -BYTES.length) : "";
    const lengths = arrays[stem + LENGTHS];
    if (stem && lengths) outputs[stem] = new TextDecoder().decode(Uint8Array.from(data.slice(0, lengths.data[0])));
    else outputs[name] = nested(data, shape.slice(1));
  }
  return outputs;
}

// Loads the model. Returns a function from values by name to answers by name. Of a model that streams,
// `run.steps(row)` is an asynchronous iterator over the answers so far, one for each token.
export async function open(path = null) {
  const { loadLiteRt, loadAndCompile, Tensor } = await library();
  await (loading ??= loadLiteRt(inside ? inside.wasm : at("node_modules/@litertjs/core/wasm/")));
  const content = await (path === null ? file("model.tflite") : read(path));
  const model = await loadAndCompile(content, { accelerator: "wasm" });

  const detailsOf = (signature) => model.signatures[signature].getInputDetails();

  async function call(signature, row) {
    const numbers = detailsOf(signature).map((each) => [each, numbersOf(each, row)]);
    const given = Object.fromEntries(numbers.map(([{ name, shape }, own]) => [name, new Tensor(own, Array.from(shape))]));
    const outputs = await model.run(signature, given);
    drop(given);
    return outputs;
  }

  async function run(row, signature = "serving_default") {
    const outputs = await call(signature, row);
    const answer = await answerOf(outputs);
    drop(outputs);
    return answer;
  }

  // What the model knows between two steps stays in its own tensors.
  run.steps = async function* (row) {
    const known = await call("stream_start", row);
    const { truncated } = await answerOf({ truncated: known.truncated });
    try {
      for (let ended = 0; !ended; ) {
        const given = Object.fromEntries(detailsOf("stream_step").map(({ name }) => [name, known[name]]));
        const outputs = await model.run("stream_step", given);
        drop(Object.fromEntries(Object.keys(outputs).map((name) => [name, known[name]])));
        Object.assign(known, outputs);
        const states = (name) => name.startsWith("state_");
        const answer = await answerOf(Object.fromEntries(Object.entries(outputs).filter(([name]) => !states(name))));
        ended = answer.ended;
        yield { ...answer, truncated };
      }
    } finally {
      drop(known);
    }
  };

  return run;
}
