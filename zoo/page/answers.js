const cutNote = () => element("p", "The text is too long: a part of it was left out.", "score");
const unknownNote = () => element("p", "The text is empty, or the model knows nothing in it: the scores are the shares of the labels in its training data.", "score");

const CLOSE = 0.1; // scores that differ by less are almost the same

// What comes out: a text, scores as bars, tags over words, a forecast as a curve, maps over an image.
const answerView = (facts, answer, seen) => {
  const known = []; // texts and embeddings that were asked for before

  // Values from 0 to 1 as bars, with a mark at the threshold, if there is one, from which a label is chosen.
  function bars(pairs, threshold = null) {
    const list = element("div", "", "bars");
    for (const [label, value] of pairs) {
      const bar = element("progress");
      bar.value = value;
      bar.setAttribute("aria-label", label);
      const track = element("span", "", "bar");
      track.append(bar);
      const name = element("bdi", label);
      if (threshold !== null) {
        const mark = element("i");
        mark.style.left = `${100 * threshold}%`;
        track.append(mark);
        name.classList.toggle("chosen", value >= threshold);
      }
      list.append(name, track, element("span", value.toFixed(3), "number"));
    }
    answer.append(list);
    if (threshold !== null) answer.append(element("p", `A label is chosen from ${threshold} on, where the marks are.`, "score"));
  }

  // Of one label of several: whether another one is almost as probable, or none is probable enough.
  function doubt(scores, classId) {
    if (scores.length < 2) return;
    const [first, second] = scores.map((value, i) => [value, label(i)]).sort((a, b) => b[0] - a[0]);
    const least = /(?:below|at least) (0?\.\d+)/.exec(facts.outputs.class_id)?.[1];
    if (classId < 0) answer.append(element("p", `Unsure: no label is probable enough${least ? `, from ${least} on` : ""}.`, "unsure"));
    else if (first[0] - second[0] < CLOSE) answer.append(element("p", `Unsure: ${first[1]} and ${second[1]} are almost as probable as one another.`, "unsure"));
  }

  function tagged(words, tags) {
    const line = element("p", "", "text tagged");
    const kinds = [...new Set(tags.map((each) => each.replace(/^[BIES]-/, "")))].filter((each) => each !== "O");
    words.forEach((word, i) => {
      const kind = (tags[i] ?? "O").replace(/^[BIES]-/, ""); // words that were left out have no tag
      const span = element("span", word, kind === "O" ? "" : "tag");
      span.style.setProperty("--hue", (kinds.indexOf(kind) * 137) % 360);
      span.append(element("small", kind === "O" ? "\u00a0" : tags[i]));
      line.append(span);
    });
    answer.append(line);
  }

  // A passage with the answer in it marked; its place is a number of characters, not of UTF-16 units.
  function marked(passage, start, end) {
    const characters = [...passage];
    const part = (from, to) => characters.slice(from, to).join("");
    const line = element("p", "", "text");
    line.append(part(0, start), element("mark", part(start, end)), part(end));
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

  function table(head, rows, kind = "number") {
    const made = element("table");
    for (const cells of [head, ...rows]) {
      const row = made.insertRow();
      for (const cell of cells) {
        const box = element(cells === head ? "th" : "td", String(cell), kind);
        if (cells === head) box.scope = "col";
        row.append(box);
      }
    }
    const scroll = element("div", "", "scroll");
    scroll.tabIndex = 0; // so that keys can scroll it
    scroll.setAttribute("role", "group"); // not a landmark, of which there may be several
    scroll.setAttribute("aria-label", "table");
    scroll.append(made);
    answer.append(scroll);
  }

  function download(text, head, rows, name) {
    const link = element("a", text);
    link.href = URL.createObjectURL(new Blob([csvOf([head, ...rows])], { type: "text/csv" }));
    link.download = name;
    const line = element("p");
    line.append(link);
    answer.append(line);
  }

  // A table that was given, with the answers, to look at and to download.
  function wholeTable(head, rows, name) {
    answer.replaceChildren();
    download("Download the table with the answers", head, rows, `${name.replace(/\.[^.]*$/, "")}.answers.csv`);
    table(head, rows.slice(0, SHOWN_ROWS), "");
    if (rows.length > SHOWN_ROWS) answer.append(element("p", `The first ${SHOWN_ROWS} of ${rows.length} rows.`, "score"));
  }

  // The median and the outermost quantiles as a chart and a table, and all of them to download.
  function forecasts({ values, next }, forecast) {
    const meaning = facts.outputs.forecast;
    const targets = facts.inputs.find((each) => each.name === "values")?.columns ?? [];
    const levels = /levels (.*)$/.exec(meaning)?.[1].split(", ").map(Number) ?? [];
    const time = shortly(next, [...forecast.keys(), -1]);
    const median = levels.indexOf(0.5);
    const shown = median > 0 && levels.length > 3 ? [0, median, levels.length - 1] : [...levels.keys()];
    const named = (i) => (i === median ? "median" : String(levels[i]));
    const digits = forecast[0].map((_, target) => digitsOf(values.map((row) => row[target])));
    const all = forecast.flatMap((step, i) => step.map((own, target) => [time(i), targets[target] ?? String(target), ...own.map((each) => each.toFixed(digits[target]))]));
    download("Download the forecasts", ["time", "target", ...levels.map(String)], all, "forecasts.csv");
    forecast[0].forEach((_, target) => {
      const title = targets[target] ?? String(target);
      const own = forecast.map((step) => step[target]);
      answer.append(chartOf(title, values.map((row) => row[target]), own, levels, time));
      table(["time", ...shown.map(named)], own.map((row, step) => [time(step), ...shown.map((i) => row[i].toFixed(digits[target]))]));
    });
  }

  // Outputs that no task has a form for: some numbers as a table, others as JSON.
  function plainly(outputs) {
    const named = Object.entries(outputs).filter(([name]) => !["truncated", "unknown"].includes(name));
    for (const [name, value] of named) {
      const cells = [value].flat();
      const isLine = cells.length <= 100 && cells.every((each) => typeof each === "number");
      if (!isLine) answer.append(element("pre", `${name} ${JSON.stringify(value, null, 1)}`));
      else table(cells.map((_, i) => (cells.length > 1 ? `${name} ${i + 1}` : name)), [cells.map((each) => each.toPrecision(4))]);
    }
  }

  const label = (i) => facts.labels[i] ?? String(i);

  const show = (row, result) => {
    answer.replaceChildren();
    for (const note of seen.notes) answer.append(element("p", note, "score"));
    const isNamed = result !== null && typeof result === "object" && !Array.isArray(result);
    const [only] = Object.keys(facts.outputs);
    const { text, score, confidence, scores, labels, class_id, values, embedding, forecast, truncated, unknown, start, end } = isNamed ? result : { [only]: result };
    if (typeof text === "string") {
      if (facts.task === "token-tagger") tagged(wordsOf(row.text), wordsOf(text));
      else if (typeof row.passage === "string") {
        answer.append(element("p", text || "(no answer)", "text"));
        if (text) marked(row.passage, start, end);
      } else answer.append(element("p", (facts.continues ? row.text + text : text) || "(an empty text)", "text"));
    }
    if (truncated) answer.append(cutNote());
    if (unknown) answer.append(unknownNote());
    for (const [name, value] of Object.entries({ score, confidence })) {
      if (typeof value === "number") answer.append(element("p", `${name} ${value.toFixed(3)}: ${facts.outputs[name].split(";")[0]}`, "score"));
    }
    if (embedding) neighbours(row.text, embedding);
    else if (forecast) forecasts(seen, forecast);
    else if (Array.isArray(scores?.[0])) {
      const best = scores.map((each) => each.indexOf(Math.max(...each)));
      table(["node", "label", "score"], best.map((each, node) => [seen.names?.[node] ?? node, label(each), scores[node][each].toFixed(3)]));
    } else if (Array.isArray(values)) {
      const names = /in the order (.*)$/.exec(facts.outputs.values)?.[1].split(", ") ?? values.map((_, i) => i);
      table(names, [values.map((each) => each.toPrecision(4))]);
    } else if (scores?.some((each) => !Number.isFinite(each))) {
      answer.append(element("p", "The model gives no numbers for this input, as for an empty text.", "score"));
    } else if (scores) {
      const least = /at least (\d[\d.]*)/.exec(facts.outputs.labels)?.[1];
      if (!labels && !unknown) doubt(scores, class_id);
      bars(scores.map((value, i) => [label(i), value]).sort((a, b) => b[1] - a[1]).slice(0, 10), labels && least ? Number(least) : null);
    } else if (typeof text !== "string") plainly(isNamed ? result : { [only]: result });
  };
  return { show, wholeTable };
};

// For each token of a caption, the image as bright as the model looks at it.
const drawAttention = (says, place, image, attentionByToken) => {
  says.textContent = "For each token, the image is bright where the model looks: brightest where the weight is the largest.";
  place.replaceChildren();
  for (const { token, weights } of attentionByToken) {
    const canvas = element("canvas");
    const [rows, columns] = [weights.length, weights[0].length];
    canvas.width = 128;
    canvas.height = Math.round((128 * image.naturalHeight) / image.naturalWidth);
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    const most = Math.max(...weights.flat());
    const [wide, high] = [canvas.width / columns, canvas.height / rows];
    weights.forEach((line, i) =>
      line.forEach((each, j) => {
        pen.fillStyle = `rgb(0 0 0 / ${0.8 * (1 - each / most)})`;
        pen.fillRect(j * wide, i * high, wide, high);
      }),
    );
    const figure = element("figure");
    figure.append(canvas, element("figcaption", token));
    place.append(figure);
  }
};
