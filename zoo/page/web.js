// Answers in the page itself, with the model beside it.
import { file, open } from "./model.js";

const facts = JSON.parse(document.getElementById("facts").textContent);
const ready = open();
let tokens = null;

// The model keeps the page busy: what it says before has to be drawn first.
const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

async function answer(row, signature) {
  await drawn();
  return (await ready)(row, signature);
}

// Writes what is new in a text that grows. An incomplete character at its end waits for the rest.
async function stream(text, write) {
  let answer = {};
  let shown = 0;
  for await (answer of (await ready).steps({ text })) {
    const whole = answer.ended ? answer.text : answer.text.replace(/\ufffd+$/, "");
    write(whole.slice(shown));
    shown = Math.max(shown, whole.length);
    await drawn();
  }
  return answer;
}

// The tokens of the rows and columns of each part, as the library names them.
function tokensOf(outputs) {
  const spelled = (ids) => ids.map((id) => tokens[id]);
  const written = spelled((outputs.token_ids ?? []).filter((id) => id !== facts.pad));
  const source = spelled((outputs.source_ids ?? []).slice(0, outputs.source_lengths));
  const before = [...spelled([facts.first]), ...written].slice(0, written.length);
  return {
    encoder: [source, source],
    decoder: outputs.token_ids ? [written, before] : [source, source],
    cross: [written, source],
  };
}

// What `browseHeads` shows of a text.
function browsed(text, outputs) {
  const axes = tokensOf(outputs);
  const parts = {};
  for (const [name, part] of Object.entries(facts.maps)) {
    const [rows, columns] = axes[part];
    const own = (parts[part] ??= { rows, columns, heads: outputs[name].length, layers: [], flat: [] });
    const kept = outputs[name].map((head) => head.slice(0, rows.length).map((row) => row.slice(0, columns.length)));
    own.layers.push(name);
    own.flat.push(Uint8Array.from(kept.flat(2), (weight) => Math.round(255 * weight)));
  }
  return [{ text, parts }];
}

// What `drawAttention` shows of an image.
function attentionByToken(outputs) {
  const [height, width] = facts.grid;
  const grid = (weights) => Array.from({ length: height }, (_, i) => weights.slice(i * width, (i + 1) * width));
  return tokensOf(outputs).cross[0].map((token, i) => ({ token, weights: grid(outputs.cross_0[0][i]) }));
}

async function attend(row) {
  tokens ??= JSON.parse(new TextDecoder().decode(await file("tokens.json")));
  const outputs = await answer(row, "attention");
  return facts.attention === "text" ? browsed(row.text, outputs) : attentionByToken(outputs);
}

openForm(facts, { ready, predict: answer, stream, attend });
