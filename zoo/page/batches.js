// Tables of texts: each row goes to the model, and the table comes back with the answers as further columns.
const MOST_ROWS = 1000;
const SHOWN_ROWS = 50;

const csvOf = (rows) => {
  const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
};

// The names of a table, or null without such, its rows, and the cells of a row that are its texts. A text has the name
// of its input, or that of its column in the training data.
const textTable = (text, names, isPlain, columns = {}) => {
  if (isPlain && names.length === 1) {
    const lines = text.replace(/^\ufeff/, "").split(/\r\n?|\n/).filter((each) => each.trim());
    return { head: [names[0]], rows: lines.map((each) => [each]), indices: [0] };
  }
  const [first, ...rest] = linesOf(text).map((each) => each.cells);
  if (!first) throw new Error("the table has no rows");
  const plain = first.map((each) => each.trim().toLowerCase());
  const columnOf = (name) => columns[name] ?? name;
  const indexOf = (name) => plain.indexOf(name.trim().toLowerCase());
  const indices = names.map((name) => (indexOf(columnOf(name)) < 0 ? indexOf(name) : indexOf(columnOf(name))));
  if (indices.some((each) => each < 0)) {
    if (names.length > 1 || first.length > 1) throw new Error(`the table needs a column ${names.map(columnOf).join(" and a column ")}; its columns are ${first.join(", ")}`);
    return { head: [names[0]], rows: [first, ...rest], indices: [0] };
  }
  return { head: first, rows: rest, indices };
};

// What a table has of an answer, by the name of the column.
const cellsOf = (facts, result) => {
  const isNamed = result !== null && typeof result === "object" && !Array.isArray(result);
  const { text, scores, labels, values, score } = isNamed ? result : { [Object.keys(facts.outputs)[0]]: result };
  if (Array.isArray(values)) {
    const names = /in the order (.*)$/.exec(facts.outputs.values)?.[1].split(", ");
    return Object.fromEntries(values.map((each, i) => [names?.[i] ?? (values.length > 1 ? `prediction ${i + 1}` : "prediction"), String(each)]));
  }
  if (Array.isArray(scores) && typeof scores[0] === "number") {
    const best = scores.indexOf(Math.max(...scores));
    const cells = { prediction: typeof text === "string" ? text : (facts.labels[best] ?? String(best)) };
    return labels ? cells : { ...cells, score: scores[best].toFixed(4) };
  }
  if (typeof text === "string") return { prediction: text, ...(typeof score === "number" ? { score: score.toFixed(4) } : {}) };
  return { prediction: JSON.stringify(result) };
};

// A control that takes a table, for pages whose inputs are texts. `show` gets the table with its answers.
const tableField = (facts, predict, say, show) => {
  const names = facts.inputs.map((each) => each.name);
  const known = names.map((name) => facts.columns?.[name] ?? name);
  const label = element("label", `Or a table with the column ${known.join(" and the column ")}: CSV, or a text in each line of a .txt file`, "table");
  const control = element("input");
  control.type = "file";
  control.accept = ".csv,.tsv,.txt,text/csv,text/plain";
  label.append(control);
  control.onchange = async () => {
    const [file] = control.files;
    if (!file) return;
    try {
      const { head, rows, indices } = textTable(await textOfFile(file), names, file.name.endsWith(".txt"), facts.columns);
      if (rows.length > MOST_ROWS) throw new Error(`the table has ${rows.length} rows; a page takes at most ${MOST_ROWS}`);
      const answers = [];
      for (const [i, cells] of rows.entries()) {
        say(`row ${i + 1} of ${rows.length}`);
        answers.push(cellsOf(facts, await predict(Object.fromEntries(names.map((name, j) => [name, cells[indices[j]] ?? ""])))));
      }
      const added = [...new Set(answers.flatMap(Object.keys))];
      show([...head, ...added], rows.map((cells, i) => [...cells, ...added.map((name) => answers[i][name] ?? "")]), file.name);
      say(`${rows.length} rows of ${file.name}`);
    } catch (error) {
      say(error.message, "error");
    } finally {
      control.value = "";
    }
  };
  return label;
};
