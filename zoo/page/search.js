// Searches documents in the page itself: an embedder finds the nearest, and a reranker sorts these.
import { open } from "./model.js";

const facts = JSON.parse(document.getElementById("facts").textContent);
const [ask, state, answer] = ["ask", "state", "answer"].map((id) => document.getElementById(id));
const button = ask.querySelector("button");

const say = (text, kind = "") => ((state.className = kind), (state.textContent = text));
const fail = (error) => say(error.message, "error");
// A model keeps the page busy: what it says before has to be drawn first.
const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} cannot be read: ${response.status} ${response.statusText}`);
  return response;
}

async function load() {
  const documents = await (await read("documents.json")).json();
  const vectors = new Float32Array(await (await read("vectors.bin")).arrayBuffer());
  return { documents, vectors, embed: await open("embedder/model.tflite"), score: await open("reranker/model.tflite") };
}

// The documents with the largest cosine similarity to the query, best first.
async function nearest({ documents, vectors, embed }, query) {
  const { embedding } = await embed({ text: query });
  const length = Math.hypot(...embedding) || 1;
  const results = documents.map((text, i) => {
    const start = i * embedding.length;
    const similarity = embedding.reduce((sum, x, j) => sum + x * vectors[start + j], 0) / length;
    return { text, similarity };
  });
  return results.sort((a, b) => b.similarity - a.similarity).slice(0, facts.top);
}

const SHORT = 300; // characters of a document that are shown at first

// An element with a text, which a document cannot make anything else.
function element(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}

// The document, of which a long one is cut off until its button is pressed.
function shown(text) {
  const row = document.createElement("li");
  row.append(element("p", text));
  if (text.length > SHORT) {
    const button = Object.assign(element("button", "more"), { type: "button", className: "second" });
    button.ariaExpanded = "false";
    row.className = "cut";
    button.onclick = () => {
      const cut = row.classList.toggle("cut");
      [button.textContent, button.ariaExpanded] = cut ? ["more", "false"] : ["less", "true"];
    };
    row.append(button);
  }
  row.append(element("small", ""));
  return row;
}

function number({ row, similarity, score }) {
  row.lastChild.textContent = `similarity ${similarity.toFixed(3)}` + (score === undefined ? "" : `, score ${score.toFixed(4)}`);
}

function show(results) {
  answer.replaceChildren(...results.map((each) => each.row));
}

async function search(ready, query) {
  const results = await nearest(ready, query);
  for (const each of results) {
    each.row = shown(each.text);
    number(each);
  }
  show(results);
  for (const [i, each] of results.entries()) {
    say(`reading ${i + 1} of ${results.length} …`);
    await drawn();
    [each.score] = (await ready.score({ text: query, second: each.text })).values;
    number(each);
  }
  show(results.sort((a, b) => b.score - a.score));
}

say("Loading the models …");
const loading = load();
loading.then(() => (say(""), (button.disabled = false)), fail);
ask.onsubmit = async (event) => {
  event.preventDefault();
  if (button.disabled) return;
  button.disabled = true;
  const start = performance.now();
  try {
    await search(await loading, ask.querySelector("[name=query]").value);
    say(`${Math.round(performance.now() - start)} ms`);
  } catch (error) {
    fail(error);
  } finally {
    button.disabled = false;
  }
};
