// Asks the server for answers: what is shown follows from the inputs and outputs of the model.
(() => {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const [ask, inputs, state, answer, attention, heads] = ["ask", "inputs", "state", "answer", "attention", "heads"].map(
    (id) => document.getElementById(id),
  );
  const base = `/v1/models/${encodeURIComponent(facts.name)}`;
  const button = ask.querySelector("button");
  const lines = heads.innerHTML;

  async function post(verb, body) {
    const response = await fetch(`${base}:${verb}`, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error((await response.json()).error);
    return response;
  }

  async function predict(row) {
    const request = facts.rows ? { instances: [row] } : { inputs: row };
    const found = await (await post("predict", { signature_name: facts.signature, ...request })).json();
    show(row, facts.rows ? found.predictions[0] : found.outputs);
  }

  async function stream(text) {
    answer.replaceChildren(element("p", text, "text"));
    const [line] = answer.children;
    const pieces = (await post("stream", { text })).body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = "", next; !(next = await pieces.read()).done; ) {
      const found = (rest + next.value).split("\n");
      rest = found.pop();
      for (const piece of found.map((each) => JSON.parse(each))) {
        if (piece.error) throw new Error(piece.error);
        line.append(piece.text);
      }
    }
  }

  async function attend(row) {
    const maps = await (await post("attention", { [facts.attention]: row[facts.attention] })).json();
    heads.innerHTML = lines;
    if (facts.attention !== "text") drawLooks(attention.querySelector("p"), heads, inputs.querySelector("img"), maps);
    else if (maps.length) browseHeads(heads, maps);
    attention.hidden = !maps.length;
  }

  function fail(error) {
    state.className = "error";
    state.textContent = error.message;
  }

  const read = inputReader(facts, ask, inputs, fail);
  const show = answerView(facts, answer);
  ask.onsubmit = async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    state.className = "";
    state.textContent = "…";
    attention.hidden = true;
    const start = performance.now();
    try {
      const row = await read();
      await (facts.stream ? stream(row.text) : predict(row));
      state.textContent = `${Math.round(performance.now() - start)} ms`;
      if (facts.attention) await attend(row);
    } catch (error) {
      fail(error);
    } finally {
      button.disabled = false;
    }
  };
})();
