// Tables of texts, and several files: each row goes to the model, and the table comes back with the answers as further
// columns.
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
  const columnOf = (name) => columns[name] ?? name;
  const [first, ...rest] = linesOf(text, names.map(columnOf)).map((each) => each.cells);
  if (!first) throw new Error("the table has no rows");
  const plain = first.map((each) => each.trim().toLowerCase());
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

// Asks the model for each row, and shows the table with what it answers. `cells` is a function from the number of a row
// to its answer as cells by name.
const answerRows = async ({ say, show }, head, rows, cells, name) => {
  if (rows.length > MOST_ROWS) throw new Error(`there are ${rows.length} rows; a page takes at most ${MOST_ROWS}`);
  const answers = [];
  for (let i = 0; i < rows.length; i++) {
    say(`row ${i + 1} of ${rows.length}`);
    answers.push(await cells(i));
  }
  const added = [...new Set(answers.flatMap(Object.keys))];
  show([...head, ...added], rows.map((own, i) => [...own, ...added.map((each) => answers[i][each] ?? "")]), name);
  return rows.length;
};

// A table of files, each with its answer, or with the reason why it has none.
const answerFiles = (facts, predict, view, files, rowOf) => {
  const cells = async (i) => {
    try {
      return cellsOf(facts, await predict(await rowOf(files[i])));
    } catch (error) {
      return { error: error.message };
    }
  };
  return answerRows(view, ["file"], files.map((each) => [each.name]), cells, "files");
};

// A control that takes a table, for pages whose inputs are texts. `run` runs what it is given, and shows its errors.
const tableField = (facts, predict, view, form, run) => {
  const names = facts.inputs.map((each) => each.name);
  const known = names.map((name) => facts.columns?.[name] ?? name);
  const label = element("label", `Or drop or choose a table with the column ${known.join(" and the column ")}: CSV, Excel, or a text in each line of a .txt file`, "table");
  const control = element("input");
  control.type = "file";
  control.accept = ".csv,.tsv,.txt,.xlsx,text/csv,text/plain";
  label.append(control);
  dropInto(form, control);
  control.onchange = () => {
    const [file] = control.files;
    if (!file) return;
    run(async () => {
      const { head, rows, indices } = textTable(await textOfFile(file), names, file.name.endsWith(".txt"), facts.columns);
      const inputs = (i) => Object.fromEntries(names.map((name, j) => [name, rows[i][indices[j]] ?? ""]));
      const count = await answerRows(view, head, rows, async (i) => cellsOf(facts, await predict(inputs(i))), file.name);
      return `${count} rows of ${file.name}`;
    }).finally(() => (control.value = ""));
  };
  return label;
};
