// What goes in: for each form of input, controls and a function that reads them as a row of a request.
const element = (tag, text = "", name = "") => {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (name) made.className = name;
  return made;
};

const inputReader = (facts, form, place, fail) => {
  const named = Object.fromEntries(facts.inputs.map((each) => [each.name, each]));

  function field(title, control, ...more) {
    const label = element("label", title);
    label.append(control, ...more);
    place.append(label);
    return control;
  }

  const plain = (name) => name.replaceAll("_", " ").replace(/^./, (each) => each.toUpperCase());

  function textField({ name, meaning }) {
    const area = field(plain(name), element("textarea"));
    area.name = name;
    area.placeholder = `${meaning}; Enter runs it, Shift+Enter begins a line`;
    area.onkeydown = (event) => {
      if (event.key === "Enter" && !event.shiftKey) (event.preventDefault(), form.requestSubmit());
    };
    return async () => area.value;
  }

  // A file that is chosen, or dropped anywhere in the form, is given to `use`.
  function fileField(title, accept, use) {
    const control = field(title, element("input"));
    control.type = "file";
    control.accept = accept;
    form.ondragover = (event) => (event.preventDefault(), control.classList.add("over"));
    form.ondragleave = () => control.classList.remove("over");
    form.ondrop = (event) => {
      event.preventDefault();
      control.classList.remove("over");
      control.files = event.dataTransfer.files;
      control.onchange();
    };
    control.onchange = () => control.files[0] && use(control.files[0]);
    return control;
  }

  function imageField() {
    const shown = element("img");
    shown.alt = "the image";
    let chosen = null;
    fileField("Drop an image here, or choose a PNG or JPEG file", "image/png,image/jpeg", (file) => {
      chosen = file;
      shown.src = URL.createObjectURL(file);
      form.requestSubmit();
    });
    place.append(shown);
    return async () => {
      if (!chosen) throw new Error("choose an image first");
      const bytes = new Uint8Array(await chosen.arrayBuffer());
      return { b64: btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join("")) };
    };
  }

  function soundFields() {
    const rate = Number(/(\d+) per second/.exec(named.waveform.meaning)?.[1] ?? 16000);
    const player = element("audio");
    player.controls = true;
    let chosen = null;
    const use = (sound) => {
      chosen = sound;
      player.src = URL.createObjectURL(sound);
      form.requestSubmit();
    };
    const control = fileField("Drop a recording here, or choose a file", "audio/*", use);
    // Browsers record for pages of this computer, and for those that are encrypted.
    if (navigator.mediaDevices) place.append(recordButton((sound) => ((control.value = ""), use(sound))));
    place.append(player);
    return async () => {
      if (!chosen) throw new Error("choose or record a sound first");
      // The browser decodes at the rate of the model.
      const audio = await new OfflineAudioContext(1, 1, rate).decodeAudioData(await chosen.arrayBuffer());
      const channels = [...Array(audio.numberOfChannels).keys()].map((i) => audio.getChannelData(i));
      const waveform = Array.from(channels[0], (_, i) => channels.reduce((sum, each) => sum + each[i], 0) / channels.length);
      return { waveform, lengths: waveform.length };
    };
  }

  function recordButton(use) {
    const button = element("button", "Record", "second");
    button.type = "button";
    let recorder = null;
    button.onclick = async () => {
      if (recorder) return recorder.stop();
      try {
        const sound = await navigator.mediaDevices.getUserMedia({ audio: true });
        const pieces = [];
        recorder = new MediaRecorder(sound);
        recorder.ondataavailable = (event) => pieces.push(event.data);
        recorder.onstop = () => {
          sound.getTracks().forEach((each) => each.stop());
          use(new Blob(pieces, { type: recorder.mimeType }));
          recorder = null;
          button.textContent = "Record";
        };
        recorder.start();
        button.textContent = "Stop";
      } catch (error) {
        fail(new Error(`no microphone: ${error.message}`));
      }
    };
    return button;
  }

  function seriesField({ name, meaning, axes }) {
    const columns = /of (.+), NaN where missing$/.exec(meaning)?.[1].split(", ") ?? [];
    const area = element("textarea");
    area.name = name;
    area.placeholder = `a step in each line, oldest first: ${columns.join(", ")}; nothing where a value is missing`;
    fileField("Drop a CSV file here, or choose one", ".csv,.tsv,.txt,text/csv", async (file) => {
      area.value = await file.text();
      form.requestSubmit();
    });
    field("Or write the series here", area);
    return async () => table(area.value, columns, axes[2]);
  }

  // Rows of numbers; the columns are found by their names in the first line, or are the last ones.
  function table(text, columns, count) {
    const lines = text.replace(/\s+$/, "").split(/\r?\n/);
    const rows = lines.map((line) => line.split(/[,;\t]/).map((each) => each.trim().replace(/^"(.*)"$/, "$1")));
    const isHead = rows[0].some((each) => each !== "" && Number.isNaN(Number(each)));
    const places = columns.map((each) => rows[0].indexOf(each));
    const named = isHead && places.length === count && places.every((each) => each >= 0);
    return rows.slice(isHead ? 1 : 0).map((cells, row) => {
      const own = named ? places.map((each) => cells[each] ?? "") : cells.slice(-count);
      return own.map((each) => {
        if (each === "" || each.toLowerCase() === "nan") return null;
        if (Number.isNaN(Number(each))) throw new Error(`line ${row + 1 + isHead}: ${each} is not a number`);
        return Number(each);
      });
    });
  }

  function jsonField({ name, meaning, axes }) {
    const shape = facts.rows ? axes.slice(1) : axes;
    const area = field(`${plain(name)} as JSON, ${shape.join(" × ") || "a number"}: ${meaning}`, element("textarea"));
    area.name = name;
    if (name === "seed") area.value = Math.floor(2 ** 31 * Math.random());
    return async () => {
      try {
        return JSON.parse(area.value);
      } catch {
        throw new Error(`${name} is not JSON`);
      }
    };
  }

  if (named.waveform && named.lengths) return soundFields();
  const readers = facts.inputs.map((each) => {
    const make =
      each.name === "image_bytes" ? imageField
      : each.dtype === "string" ? textField
      : each.dtype === "float32" && facts.rows && each.axes.length === 3 ? seriesField
      : jsonField;
    return [each.name, make(each)];
  });
  return async () => Object.fromEntries(await Promise.all(readers.map(async ([name, read]) => [name, await read()])));
};
