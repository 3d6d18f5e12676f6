// Asks the server for answers: what is shown follows from the inputs and outputs of the model.
(() => {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const [ask, inputs, state, answer, attention, heads] = ["ask", "inputs", "state", "answer", "attention", "heads"].map(
    (id) => document.getElementById(id),
  );
  const base = `/v1/models/${encodeURIComponent(facts.name)}`;
  const button = ask.querySelector("button");
  const named = Object.fromEntries(facts.inputs.map((each) => [each.name, each]));
  const known = []; // texts and embeddings that were asked for before
  const lines = heads.innerHTML;

  function element(tag, text = "", name = "") {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (name) made.className = name;
    return made;
  }

  function field(title, control, ...more) {
    const label = element("label", title);
    label.append(control, ...more);
    inputs.append(label);
    return control;
  }

  // --- What goes in: for each form of input, a control and a function that reads it ---

  function textField({ name, meaning }) {
    const area = field(facts.inputs.length > 1 ? `${name}: ${meaning}` : meaning || "the text", element("textarea"));
    area.name = name;
    area.onkeydown = (event) => {
      if (event.key === "Enter" && !event.shiftKey) (event.preventDefault(), ask.requestSubmit());
    };
    return async () => area.value;
  }

  function fileField(title, accept, shown) {
    const control = element("input");
    control.type = "file";
    control.accept = accept;
    field(title, control, shown);
    control.ondragover = () => control.classList.add("over");
    control.ondragleave = control.ondrop = () => control.classList.remove("over");
    control.onchange = () => {
      if (control.files[0]) shown.src = URL.createObjectURL(control.files[0]);
    };
    return control;
  }

  function imageField({ meaning }) {
    const control = fileField(`an image: ${meaning}`, "image/png,image/jpeg", element("img"));
    return async () => {
      if (!control.files[0]) throw new Error("choose an image first");
      const bytes = new Uint8Array(await control.files[0].arrayBuffer());
      return { b64: btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join("")) };
    };
  }

  function soundFields() {
    const rate = Number(/(\d+) per second/.exec(named.waveform.meaning)?.[1] ?? 16000);
    const player = element("audio");
    player.controls = true;
    const control = fileField(`a recording, read at ${rate} samples per second`, "audio/*", player);
    const record = element("button", "Record", "second");
    record.type = "button";
    inputs.append(record);
    let recording = null;
    let recorded = null;
    record.onclick = async () => {
      if (recording) return recording.stop();
      try {
        const sound = await navigator.mediaDevices.getUserMedia({ audio: true });
        const pieces = [];
        recording = new MediaRecorder(sound);
        recording.ondataavailable = (event) => pieces.push(event.data);
        recording.onstop = () => {
          sound.getTracks().forEach((each) => each.stop());
          recorded = new Blob(pieces, { type: recording.mimeType });
          player.src = URL.createObjectURL(recorded);
          control.value = "";
          recording = null;
          record.textContent = "Record";
        };
        recording.start();
        record.textContent = "Stop";
      } catch (error) {
        fail(new Error(`no microphone: ${error.message}`));
      }
    };
    return async () => {
      const file = control.files[0] ?? recorded;
      if (!file) throw new Error("choose or record a sound first");
      // The browser decodes at the rate of the model.
      const audio = await new OfflineAudioContext(1, 1, rate).decodeAudioData(await file.arrayBuffer());
      const channels = [...Array(audio.numberOfChannels).keys()].map((i) => audio.getChannelData(i));
      const waveform = Array.from(channels[0], (_, i) => channels.reduce((sum, each) => sum + each[i], 0) / channels.length);
      return { waveform, lengths: waveform.length };
    };
  }

  function tableField({ name, meaning, axes }) {
    const area = field(`${name}, a step in each line: ${meaning}`, element("textarea"));
    return async () =>
      area.value
        .trim()
        .split(/\n+/)
        .map((line) => line.split(/[,;\t]/).map((each) => each.trim()))
        .filter((cells, row) => row > 0 || cells.some((each) => each === "" || !Number.isNaN(Number(each))))
        .map((cells) => cells.slice(-axes[2]).map((each) => (each === "" || Number.isNaN(Number(each)) ? null : Number(each))));
  }

  function jsonField({ name, meaning, axes }) {
    const shape = facts.rows ? axes.slice(1) : axes;
    const area = field(`${name} (${shape.join(" × ") || "a number"}), as JSON: ${meaning}`, element("textarea"));
    return async () => JSON.parse(area.value);
  }

  function reader() {
    if (named.waveform && named.lengths) return soundFields();
    const readers = facts.inputs.map((each) => {
      const form =
        each.name === "image_bytes" ? imageField
        : each.dtype === "string" ? textField
        : each.dtype === "float32" && facts.rows && each.axes.length === 3 ? tableField
        : jsonField;
      return [each.name, form(each)];
    });
    return async () => Object.fromEntries(await Promise.all(readers.map(async ([name, read]) => [name, await read()])));
  }

  // --- What comes out ---

  function bars(pairs) {
    const list = element("div", "", "bars");
    for (const [label, value] of pairs) {
      const bar = element("progress");
      bar.value = value;
      list.append(element("bdi", label), bar, element("span", value.toFixed(3), "number"));
    }
    answer.append(list);
  }

  function tagged(words, tags) {
    const line = element("p", "", "text tagged");
    const kinds = [...new Set(tags.map((each) => each.replace(/^[BIES]-/, "")))].filter((each) => each !== "O");
    words.forEach((word, i) => {
      const kind = tags[i].replace(/^[BIES]-/, "");
      const span = element("span", word, kind === "O" ? "" : "tag");
      span.style.setProperty("--hue", (kinds.indexOf(kind) * 137) % 360);
      span.append(element("small", kind === "O" ? "\u00a0" : tags[i]));
      line.append(span);
    });
    answer.append(line);
  }

  function neighbours(text, vector) {
    const size = (each) => Math.hypot(...each);
    const near = known.map((each) => [
      each.text,
      vector.reduce((sum, x, i) => sum + x * each.vector[i], 0) / (size(vector) * size(each.vector) || 1),
    ]);
    if (near.length) bars(near.sort((a, b) => b[1] - a[1]).slice(0, 10));
    answer.append(element("p", near.length ? "Cosine similarity to your earlier texts." : "Run further texts to compare them with this one."));
    known.push({ text, vector });
  }

  function show(row, found) {
    answer.replaceChildren();
    const outputs = found !== null && typeof found === "object" && !Array.isArray(found) ? found : { text: found };
    const words = (row.text ?? "").trim().split(/\s+/);
    const text = typeof outputs.text === "string" ? outputs.text : null;
    if (facts.task === "token-tagger" && text !== null) tagged(words, text.split(" "));
    else if (text !== null) answer.append(element("p", text, "text"));
    const score = outputs.score ?? outputs.confidence;
    if (typeof score === "number") answer.append(element("p", `score ${score.toFixed(3)}`, "score"));
    const scores = outputs.scores;
    if (Array.isArray(scores) && typeof scores[0] === "number") {
      const pairs = scores.map((value, i) => [facts.labels[i] ?? String(i), value]);
      bars(pairs.sort((a, b) => b[1] - a[1]).slice(0, 10));
    }
    const vector = outputs.embedding ?? (Array.isArray(found) && facts.task === "text-embedder" ? found : null);
    if (vector) neighbours(row.text, vector);
    else if (text === null && !scores) answer.append(element("pre", JSON.stringify(found, null, 1)));
  }

  // --- Between them ---

  async function post(verb, body) {
    const response = await fetch(`${base}:${verb}`, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error((await response.json()).error);
    return response;
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

  function fail(error) {
    state.className = "error";
    state.textContent = error.message;
  }

  const read = reader();
  ask.onsubmit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    state.className = "";
    state.textContent = "…";
    attention.hidden = true;
    const start = performance.now();
    try {
      const row = await read();
      if (facts.stream) await stream(row.text);
      else {
        const request = facts.rows ? { instances: [row] } : { inputs: row };
        const found = await (await post("predict", { signature_name: facts.signature, ...request })).json();
        show(row, facts.rows ? found.predictions[0] : found.outputs);
      }
      state.textContent = `${Math.round(performance.now() - start)} ms`;
      if (facts.attention) {
        const maps = await (await post("attention", { text: row.text })).json();
        heads.innerHTML = lines;
        if (maps.length) browseHeads(heads, maps);
        attention.hidden = !maps.length;
      }
    } catch (error) {
      fail(error);
    } finally {
      button.disabled = false;
    }
  };
})();
