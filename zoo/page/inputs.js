// What goes in: for each form of input, controls and a function that reads them as values by name.
const element = (tag, text = "", name = "") => {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (name) made.className = name;
  return made;
};

// The words of a text, as the library splits it: at ASCII whitespace and null characters, not at other spaces.
const wordsOf = (text) => text.match(/[^\0\t\n\v\f\r ]+/g) ?? [];
const withMasksApart = (text) => text.replace(/([^\0\t\n\v\f\r ])(?=\[MASK\])/g, "$1 ");

// A file that is dropped anywhere in the form is as one that was chosen.
const dropInto = (form, control) => {
  form.ondragover = (event) => (event.preventDefault(), control.classList.add("over"));
  form.ondragleave = () => control.classList.remove("over");
  form.ondrop = (event) => {
    event.preventDefault();
    control.classList.remove("over");
    control.files = event.dataTransfer.files;
    control.onchange();
  };
};

const MAX_SAMPLES = 1 << 26; // of a recording, an hour at 16,000 per second

// An image that the browser decodes, upright: PNG, JPEG, WebP, GIF, BMP and maybe others.
const bitmapOf = (file) =>
  createImageBitmap(file, { colorSpaceConversion: "none" }).catch(() => {
    throw new Error(`${file.name} is no image that the browser can decode: choose a PNG or JPEG file`);
  });

const pngOf = (image) => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
};

// The pixels of an image in another size, (H, W, C) from 0 to 255: each is the mean of those that fall
// together, weighted by a triangle as wide as the scale, as in Pillow and tf.image.resize.
const pixelsOf = (image, height, width, channels) => {
  const canvas = element("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const { data } = pen.getImageData(0, 0, image.width, image.height);

  function weightsOf(from, to) {
    const scale = from / to;
    const reach = Math.max(scale, 1);
    return Array.from({ length: to }, (_, index) => {
      const center = (index + 0.5) * scale;
      const first = Math.max(0, Math.ceil(center - reach - 0.5));
      const last = Math.min(from - 1, Math.floor(center + reach - 0.5));
      const own = Array.from({ length: last - first + 1 }, (_, i) => Math.max(0, 1 - Math.abs(first + i + 0.5 - center) / reach));
      const sum = own.reduce((total, each) => total + each, 0);
      return own.map((each, i) => [first + i, each / sum]);
    });
  }

  const gray = (at) => 0.2989 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
  const value = channels === 1 ? gray : (at, channel) => data[at + channel];
  const lines = weightsOf(image.height, height).map((row) => {
    const line = new Float32Array(image.width * channels);
    for (const [y, weight] of row) {
      for (let x = 0; x < image.width; x++) {
        for (let channel = 0; channel < channels; channel++) {
          line[channels * x + channel] += weight * value(4 * (y * image.width + x), channel);
        }
      }
    }
    return line;
  });
  const columns = weightsOf(image.width, width);
  const mix = (line, column, channel) => column.reduce((sum, [x, weight]) => sum + weight * line[channels * x + channel], 0);
  return lines.map((line) => columns.map((column) => Array.from({ length: channels }, (_, channel) => mix(line, column, channel))));
};

// `seen` takes notes about a table, its values, and a function from a step after it to the time of this step. `several`
// takes files and a function from a file to its inputs; it is null where a page shows one answer only.
const inputReader = (facts, form, place, fail, seen, several) => {
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
    // A mask is always a separate word, even without a space before it.
    return async () => (facts.masked ? withMasksApart(area.value) : area.value);
  }

  // A file that is chosen or dropped is given to `use`; several, whose inputs are those of `rowOf`, become a table.
  function fileField(title, accept, use, rowOf = null) {
    const control = field(title, element("input"));
    control.type = "file";
    control.accept = accept;
    control.multiple = Boolean(several && rowOf);
    dropInto(form, control);
    control.onchange = () => {
      const files = [...control.files];
      if (files.length === 1) use(files[0]);
      else if (files.length && control.multiple) several(files, rowOf);
      else if (files.length) fail(new Error("choose one file at a time"));
    };
    return control;
  }

  // An image as a file, or as the pixels that a model takes.
  function imageField({ name, axes }) {
    const shown = element("img");
    shown.alt = "the image";
    shown.onerror = () => shown.removeAttribute("src");
    let chosen = null;
    const use = (file) => {
      chosen = file;
      shown.src = URL.createObjectURL(file);
      form.requestSubmit();
    };
    async function valueOf(file) {
      if (name === "image") return pixelsOf(await bitmapOf(file), ...axes.slice(1));
      const known = ["image/png", "image/jpeg"].includes(file.type) ? file : await pngOf(await bitmapOf(file));
      const bytes = new Uint8Array(await known.arrayBuffer());
      return { b64: btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join("")) };
    }
    const title = `Drop an image here, or choose a file${several ? "; several give a table" : ""}`;
    const control = fileField(title, "image/*", use, async (file) => ({ [name]: await valueOf(file) }));
    if (navigator.mediaDevices) cameraButton(place, (file) => ((control.value = ""), use(file)), fail);
    place.append(shown);
    return async () => {
      if (!chosen) throw new Error("choose an image first");
      return valueOf(chosen);
    };
  }

  function soundFields() {
    const rate = Number(/(\d+) per second/.exec(named.waveform.meaning)?.[1] ?? 16000);
    const most = Number(named.waveform.axes[1]) || Infinity; // of a file that takes one length
    const limit = most < Infinity ? `, of at most ${Math.round((10 * most) / rate) / 10} seconds` : "";
    const tooLong = () => new Error(`the recording is too long: choose one${limit || " that is shorter"}`);
    const player = element("audio");
    player.controls = true;
    // The seconds that a file declares, before all of it is decoded; those of a record just made are not known.
    const declared = (sound) =>
      new Promise((done) => {
        const probe = element("audio");
        probe.onloadedmetadata = probe.onerror = () => done(probe.duration);
        probe.src = URL.createObjectURL(sound);
      });
    async function rowOf(sound) {
      const seconds = await declared(sound);
      if (Number.isFinite(seconds) && seconds * rate > 1.1 * Math.min(most, MAX_SAMPLES)) throw tooLong();
      // The browser decodes at the rate of the model.
      const audio = await new OfflineAudioContext(1, 1, rate).decodeAudioData(await sound.arrayBuffer());
      const channels = [...Array(audio.numberOfChannels).keys()].map((i) => audio.getChannelData(i));
      const waveform = Array.from(channels[0], (_, i) => channels.reduce((sum, each) => sum + each[i], 0) / channels.length);
      if (waveform.length > most) throw tooLong();
      return { waveform, lengths: waveform.length };
    }
    let chosen = null;
    const use = (sound) => {
      chosen = sound;
      player.src = URL.createObjectURL(sound);
      form.requestSubmit();
    };
    const title = `Drop a recording here, or choose a file${limit}${several ? "; several give a table" : ""}`;
    const control = fileField(title, "audio/*", use, rowOf);
    // Browsers record for pages of this computer, and for those that are encrypted.
    if (navigator.mediaDevices) place.append(recordButton((sound) => ((control.value = ""), use(sound))));
    place.append(player);
    return async () => {
      if (!chosen) throw new Error("choose or record a sound first");
      return rowOf(chosen);
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

  function seriesField({ name, axes, columns: known }) {
    const columns = known ?? Array.from({ length: axes[2] }, (_, i) => `value ${i + 1}`);
    const area = element("textarea");
    area.name = name;
    area.placeholder = `a step in each line, oldest first: ${columns.join(", ")}; nothing where a value is missing`;
    const needed = known ? ` with the column${known.length > 1 ? "s" : ""} ${known.join(", ")}, and times` : "";
    fileField(`Drop a CSV or Excel file${needed} here, or choose one`, ".csv,.tsv,.txt,.xlsx,text/csv", async (file) => {
      try {
        area.value = await textOfFile(file);
        form.requestSubmit();
      } catch (error) {
        fail(error);
      }
    });
    field("Or write the series here", area);
    return async () => {
      const table = readTable(area.value, columns, facts.series, Boolean(known));
      const future = facts.outputs.forecast && name !== "known"; // steps without a value at the end are forecast
      while (future && table.rows.length > 1 && table.rows.at(-1).every((each) => each === null)) table.rows.pop();
      seen.notes.push(...table.notes);
      if (name !== "known") Object.assign(seen, { values: table.rows, next: table.next });
      return lastOf(table.rows, axes[1]);
    };
  }

  // The last steps of a series, for a model that takes one length; missing ones before a shorter one.
  function lastOf(rows, count) {
    if (typeof count !== "number") return rows;
    const missing = Array.from({ length: Math.max(0, count - rows.length) }, () => rows[0].map(() => null));
    return [...missing, ...rows.slice(-count)];
  }

  // Numbers as JSON or, of lists and tables of numbers, also as a table.
  function numbersField({ name, dtype, meaning, axes, columns }) {
    const shape = facts.rows ? axes.slice(1) : axes;
    const isTable = shape.length === 1 || shape.length === 2;
    const forms = isTable ? `as a table or as JSON, ${shape.join(" × ")}` : `as JSON, ${shape.join(" × ") || "a number"}`;
    const area = field(`${plain(name)} ${forms}: ${meaning}`, element("textarea"));
    area.name = name;
    if (columns?.length) area.placeholder = columns.join(", ");
    if (name === "seed") area.value = Math.floor(2 ** 31 * Math.random());
    return async () => {
      const known = dtype === "float32" ? null : seen.names;
      const { values, names } = numbersIn(name, area.value, isTable ? shape.length : 0, known);
      seen.names ??= names;
      return values;
    };
  }

  if (named.waveform && named.lengths) return soundFields();
  const readers = facts.inputs.map((each) => {
    const make =
      each.name === "image_bytes" || (each.name === "image" && facts.rows && each.axes.length === 4) ? imageField
      : each.dtype === "string" ? textField
      : each.dtype === "float32" && facts.rows && each.axes.length === 3 ? seriesField
      : numbersField;
    return [each.name, make(each)];
  });
  return async () => {
    Object.assign(seen, { notes: [], names: null });
    return Object.fromEntries(await Promise.all(readers.map(async ([name, read]) => [name, await read()])));
  };
};
