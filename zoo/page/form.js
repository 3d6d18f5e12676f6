// Inputs that a click puts into the form, which then runs.
const exampleButtons = (rows, form) => {
  const list = element("p", "Examples: ", "examples");
  for (const row of rows) {
    const button = element("button", Object.values(row).join(" · "));
    button.type = "button";
    button.onclick = () => {
      for (const [name, value] of Object.entries(row)) form.elements[name].value = value;
      form.requestSubmit();
    };
    list.append(button);
  }
  return list;
};

// The form: what is given there goes to the model, and its answer is shown, with its attention.
const openForm = (facts, model) => {
  const [ask, inputs, state, answer, attention, heads] = ["ask", "inputs", "state", "answer", "attention", "heads"].map(
    (id) => document.getElementById(id),
  );
  const button = ask.querySelector("button");
  const lines = heads.innerHTML;

  function say(text, kind = "") {
    state.className = kind;
    state.textContent = text;
  }

  const fail = (error) => say(error.message, "error");

  async function stream(text) {
    answer.replaceChildren(element("p", text, "text"));
    const { truncated } = (await model.stream(text, (piece) => answer.firstChild.append(piece))) ?? {};
    if (truncated) answer.append(cutNote());
  }

  async function attend(row) {
    const maps = await model.attend(row);
    heads.innerHTML = lines;
    if (facts.attention !== "text") drawAttention(attention.querySelector("p"), heads, inputs.querySelector("img"), maps);
    else if (maps.length) browseHeads(heads, maps);
    attention.hidden = !maps.length;
  }

  // Runs one thing at a time, and says what it returns, or its error.
  async function run(work) {
    if (button.disabled) return;
    button.disabled = true;
    say("…");
    attention.hidden = true;
    try {
      say(await work());
    } catch (error) {
      answer.replaceChildren();
      fail(error);
    } finally {
      button.disabled = false;
    }
  }

  const seen = { notes: [], names: null };
  const { show, wholeTable } = answerView(facts, answer, seen);
  const isTable = !facts.stream && !facts.outputs.embedding; // whether answers have cells
  const view = { say, show: wholeTable };
  const several = (files, rowOf) => run(async () => `${await answerFiles(facts, model.predict, view, files, rowOf)} files`);
  const read = inputReader(facts, ask, inputs, fail, seen, isTable ? several : null);
  const isOfTexts = facts.inputs.every((each) => each.dtype === "string" && each.name !== "image_bytes");
  if (isOfTexts && isTable) inputs.after(tableField(facts, model.predict, view, ask, run));
  if (facts.examples?.length) ask.after(exampleButtons(facts.examples, ask));
  ask.onsubmit = (event) => {
    event.preventDefault();
    run(async () => {
      const start = performance.now();
      const row = await read();
      await (facts.stream ? stream(row.text) : model.predict(row).then((result) => show(row, result)));
      const spent = `${Math.round(performance.now() - start)} ms`;
      say(spent);
      if (facts.attention) await attend(row);
      return spent;
    });
  };
  if (model.ready) say("Loading the model …");
  Promise.resolve(model.ready).then(() => (say(""), (button.disabled = false)), fail);
};
