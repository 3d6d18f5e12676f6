const cutNote = () => element("p", "The text is too long: a part of it was left out.", "score");
const unknownNote = () => element("p", "The text is empty, or the model knows nothing in it: the scores are the shares of the labels in its training data.", "score");

// What comes out: a text, scores as bars, tags over words, a forecast as a curve, maps over an image.
const answerView = (facts, answer, seen) => {
  const known = []; // texts and embeddings that were asked for before

  function bars(pairs) {
    const list = element("div", "", "bars");
    for (const [label, value] of pairs) {
      const bar = element("progress");
      bar.value = value;
      bar.setAttribute("aria-label", label);
      list.append(element("bdi", label), bar, element("span", value.toFixed(3), "number"));
    }
    answer.append(list);
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

  function table(head, rows) {
    const made = element("table");
    for (const cells of [head, ...rows]) {
      const row = made.insertRow();
      for (const cell of cells) row.append(element(cells === head ? "th" : "td", String(cell), "number"));
    }
    const scroll = element("div", "", "scroll");
    scroll.append(made);
    answer.append(scroll);
  }

  // The last values and, after them, the median of the forecast in the band of its outermost quantiles.
  function curve(title, past, forecast, levels) {
    const [width, height, shown] = [704, 190, past.slice(-4 * forecast.length - 20)];
    const middle = levels.indexOf(0.5) >= 0 ? levels.indexOf(0.5) : Math.floor(levels.length / 2);
    const numbers = [...shown, ...forecast.flat()].filter((each) => each !== null);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const x = (i) => (width * i) / Math.max(1, shown.length + forecast.length - 1);
    const y = (value) => height - 6 - ((height - 12) * (value - low)) / (high - low || 1);
    const at = (value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`;
    const after = (values) => values.map((each, i) => at(each, shown.length + i));
    const figure = element("figure", "", "forecast");
    figure.innerHTML = '<svg role="img"><polygon class="band"/><polyline class="past"/><polyline class="median"/></svg>';
    const [svg] = figure.children;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", `${title}: the last values and the forecast`);
    const side = (level) => after(forecast.map((each) => each[level]));
    const lines = {
      band: [...side(0), ...side(levels.length - 1).reverse()],
      past: shown.flatMap((each, i) => (each === null ? [] : [at(each, i)])),
      median: side(middle),
    };
    for (const [name, points] of Object.entries(lines)) svg.querySelector(`.${name}`).setAttribute("points", points.join(" "));
    figure.prepend(element("figcaption", title));
    answer.append(figure);
  }

  function forecasts({ values, next }, forecast) {
    const meaning = facts.outputs.forecast;
    const targets = facts.inputs.find((each) => each.name === "values")?.columns ?? [];
    const levels = /levels (.*)$/.exec(meaning)?.[1].split(", ").map(Number) ?? [];
    forecast[0].forEach((_, target) => {
      const title = targets[target] ?? String(target);
      const own = forecast.map((step) => step[target]);
      curve(title, values.map((row) => row[target]), own, levels);
      table(["step", ...levels], own.map((row, step) => [next(step), ...row.map((each) => each.toPrecision(4))]));
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

  return (row, result) => {
    answer.replaceChildren();
    for (const note of seen.notes) answer.append(element("p", note, "score"));
    const isNamed = result !== null && typeof result === "object" && !Array.isArray(result);
    const [only] = Object.keys(facts.outputs);
    const { text, score, confidence, scores, values, embedding, forecast, truncated, unknown, start, end } = isNamed ? result : { [only]: result };
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
      table(["node", "label", "score"], best.map((each, node) => [node, label(each), scores[node][each].toFixed(3)]));
    } else if (Array.isArray(values)) {
      const names = /in the order (.*)$/.exec(facts.outputs.values)?.[1].split(", ") ?? values.map((_, i) => i);
      table(names, [values.map((each) => each.toPrecision(4))]);
    } else if (scores?.some((each) => !Number.isFinite(each))) {
      answer.append(element("p", "The model gives no numbers for this input, as for an empty text.", "score"));
    } else if (scores) {
      bars(scores.map((value, i) => [label(i), value]).sort((a, b) => b[1] - a[1]).slice(0, 10));
    } else if (typeof text !== "string") plainly(isNamed ? result : { [only]: result });
  };
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
