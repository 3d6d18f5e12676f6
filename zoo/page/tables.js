// Tables of series: their columns by name, the numbers in them, and the steps that their times leave out.
const MISSING = ["", "nan", "na", "n/a", "null", "none", "?", "-", "--", "–", "—", ".", "..", ":", "<na>", "n.a.", "#n/a", "#div/0!", "#value!", "n/e", "n/d", "n.d.", "nd", "k.a.", "missing"];
const isMissing = (cell) => MISSING.includes(cell.toLowerCase());

// The text of a file in the encoding of its byte order mark, in UTF-8 or, if it is none, in that of Windows.
const textOfBytes = (bytes) => {
  const [a, b] = bytes;
  if (isArchive(bytes)) throw new Error(NO_TEXT);
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return new TextDecoder(a === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  if (bytes.subarray(0, 4096).includes(0)) throw new Error("this file is not text: choose a table as CSV");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
};
const textOfFile = async (file) => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return isArchive(bytes) ? workbookText(bytes) : textOfBytes(bytes);
};

const MOST_ABOVE = 50; // lines of a file above its table

// The lines of a table as { line, cells }, without blank ones and those above the names of the columns.
const linesOf = (text, names = []) => {
  const wanted = names.map((each) => each.trim().toLowerCase());
  const hasNames = (cells) => wanted.every((name) => cells.some((each) => each.trim().toLowerCase() === name));
  const whole = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  let rows = null;
  let failure = null;
  try {
    rows = parsedLines(whole, 0);
  } catch (error) {
    failure = error;
  }
  const isTitled = wanted.length && !(rows?.length && hasNames(rows[0].cells));
  const lines = whole.split("\n");
  const cellsOf = (line) => line.split(/[,;\t|]/).map((each) => each.trim().replace(/^"(.*)"$/, "$1"));
  const above = isTitled ? lines.slice(0, MOST_ABOVE + 1).findIndex((line) => hasNames(cellsOf(line))) : -1;
  if (above > 0) return parsedLines(lines.slice(above).join("\n"), above);
  if (failure) throw failure;
  return rows;
};

// Lines behind so many others, with quotes as in CSV.
const parsedLines = (plain, above) => {
  const first = plain.split("\n").find((each) => each.trim()) ?? "";
  const count = (mark) => first.split(mark).length;
  const mark = first.includes(",") && count(";") <= count(",") ? "," : ["\t", ";", "|"].reduce((a, b) => (count(b) > count(a) ? b : a));
  const rows = [];
  let [cells, cell, quoted, closed, line, begun] = [[], "", false, -2, above + 1, above + 1];
  const letters = [...`${plain}\n`]; // whole characters, two units of UTF-16 for some
  for (const [i, letter] of letters.entries()) {
    if (letter === "\n") line++;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else [quoted, closed] = [false, i];
    } else if (letter === '"' && (cell === "" || closed === i - 1)) {
      if (closed === i - 1) cell += letter; // two quotes are one
      quoted = true;
    } else if (letter === mark || letter === "\n") {
      cells.push(cell.trim());
      cell = "";
      if (letter === "\n") {
        if (cells.some((each) => each)) rows.push({ line: begun, cells });
        [cells, begun] = [[], line];
      }
    } else cell += letter;
  }
  if (quoted) throw new Error(`line ${begun}: a quote is not closed`);
  return rows;
};

// A number without its unit, such as °C, or a currency before it; in parentheses it is negative.
const withoutUnit = (cell) => {
  const currency = "(?:[$€£¥₩₹]|eur|usd|gbp|chf|jpy|fr\\.|kr\\.?|zł)?";
  const unit = "(?:[°º]\\s?[cf]|deg\\.?\\s?[cf]|[^\\s\\d.,'()+_-][^\\s\\d,()_]{0,14}[23²³]?)?";
  const parts = new RegExp(`^(\\()?([+-]?)${currency}\\s*([+-]?[\\d.](?:[\\d.,'e \u00a0\u202f+-]{0,50}[\\d.,])?)\\s*${unit}\\)?$`, "i").exec(cell.replace("−", "-"));
  return parts ? (parts[1] ? "-" : parts[2]) + parts[3] : cell;
};

// The numbers of a column, null where they are missing: with decimal points, or else decimal commas.
const numbersOfColumn = (written, lines) => {
  const cells = written.map((each) => (isMissing(each) || !Number.isNaN(Number(each)) ? each : withoutUnit(each)));
  const [point, comma] = [/^[+-]?(\d{1,3}([ \u00a0\u202f']\d{3})+|[1-9]\d{0,2}(,\d{3})+|\d+)(\.\d*)?$/, /^[+-]?(\d{1,3}([ .\u00a0\u202f']\d{3})+|\d+)(,\d*)?$/];
  const others = cells.filter((each) => !isMissing(each) && Number.isNaN(Number(each)));
  const fits = (style) => others.filter((each) => style.test(each)).length;
  const [points, commas] = [fits(point), fits(comma)];
  return cells.map((cell, i) => {
    if (isMissing(cell)) return null;
    let plain = cell;
    if (commas > points && comma.test(cell)) plain = cell.replaceAll(".", "").replace(",", ".");
    else if (points > commas && point.test(cell)) plain = cell.replaceAll(",", "");
    else if (points && points === commas && cell.includes(",")) throw new Error(`line ${lines[i]}: ${cell} can have a decimal comma, or one between thousands`);
    const number = Number(plain.replace(/(?<=\d)[ \u00a0\u202f'](?=\d)/g, ""));
    if (!Number.isFinite(number)) throw new Error(`line ${lines[i]}: ${cell} is not a number`);
    return number;
  });
};

// The numbers of a column, null instead of one that marks missing values and is far from all others.
const withoutMarkers = (numbers, name, { markers, far }, notes) => {
  const there = markers.filter((each) => numbers.includes(each));
  const others = numbers.filter((each) => each !== null && !there.includes(each));
  const marks = there.filter((each) => others.length && others.every((other) => -Math.sign(each) * other > -Math.abs(each) / far));
  if (marks.length) notes.push(`${name}: ${marks.join(", ")} was read as missing.`);
  return numbers.map((each) => (marks.includes(each) ? null : each));
};

// The mean of the numbers that are not missing; null without one.
const meanOf = (numbers) => {
  const there = numbers.filter((each) => each !== null);
  return there.length ? there.reduce((sum, each) => sum + each, 0) / there.length : null;
};

// The rows of a table in the order of the columns of a model, and what there is to say about it. Without names in
// the table, or of the model, columns are taken by position.
const readTable = (text, columns, series, named = true) => {
  const lines = linesOf(text, named ? columns : []);
  if (!lines.length) throw new Error("write a series, or choose a file, first");
  const isNumber = (cell) => isMissing(cell) || !Number.isNaN(Number(withoutUnit(cell).replace(",", ".")));
  const isHead = lines[0].cells.some((each) => columns.includes(each)) || lines[0].cells.every((each) => each === "" || !(isNumber(each) || isDate(each, series)));
  const names = isHead && named ? lines[0].cells : [];
  let rows = lines.slice(isHead ? 1 : 0);
  if (!rows.length) throw new Error("the table has no rows of numbers");
  const own = columns.map((each) => names.indexOf(each)).filter((place) => place >= 0);
  const hasUnits = ({ cells }) => own.some((place) => cells[place]) && own.every((place) => !cells[place] || !isNumber(cells[place]));
  const units = [];
  while (units.length < 3 && rows.length > 3 && hasUnits(rows[0])) units.push(rows.shift());
  const width = lines[0].cells.length;
  const odd = rows.find((row) => row.cells.length !== width);
  if (odd) throw new Error(`line ${odd.line}: expected ${width} cells, got ${odd.cells.length}`);
  const column = (index) => rows.map((row) => row.cells[index]);
  const isTurned = newestFirst(names, column, width, series);
  if (isTurned) rows = [...rows].reverse();
  const where = rows.map((row) => row.line);
  const absent = columns.filter((each) => names.length && !names.includes(each));
  if (absent.length) throw new Error(`the table has no column ${absent.join(", ")}; its columns are ${names.join(", ")}`);
  const times = timesOf(names, column, width, series);
  let indices = columns.map((each) => names.indexOf(each));
  if (!names.length) {
    indices = [...Array(width).keys()].filter((index) => !times?.indices.includes(index));
    if (indices.length !== columns.length) throw new Error(`line ${where[0]}: expected ${columns.length} numbers (${columns.join(", ")}), got ${indices.length}`);
  }
  const several = names.indexOf(series?.layout.series);
  const others = several < 0 ? [] : [...new Set(column(several))];
  if (others.length > 1) throw new Error(`the table has several series (${names[several]}: ${others.slice(0, 5).join(", ")}): leave the rows of one`);
  const used = [...indices, ...(times?.indices ?? []), several];
  const unused = names.filter((each, index) => each && !used.includes(index));
  const notes = unused.length ? [`Not used: ${unused.join(", ")}.`] : [];
  const [{ line: begin }] = lines;
  const above = text.split("\n").slice(0, begin - 1).filter((each) => each.trim()).length;
  if (above) notes.push(`Not read: ${above > 1 ? `${above} lines` : "a line"} above the table.`);
  if (units.length) notes.push(`Not read, as units: ${units.map(({ cells }) => cells.filter((each) => each).join(", ")).join("; ")}.`);
  if (isTurned) notes.push("The rows, which were newest first, were put in order.");
  const numbers = indices.map((index, i) => {
    const read = numbersOfColumn(column(index), where);
    return series ? withoutMarkers(read, columns[i], series, notes) : read;
  });
  let values = rows.map((_, i) => numbers.map((each) => each[i]));
  let counts = times && times.counts(where);
  if (times && !counts) notes.push(`The times of ${times.name} are not ${times.words}, as in training: steps are numbered.`);
  if (counts) {
    const steps = counts.map((each) => (each - counts[0]) / series.clock.step);
    const length = steps.reduce((a, b) => Math.max(a, b)) + 1; // an hour that comes twice may be last
    if (length > 10 * steps.length + 10) throw new Error(`${steps.length} rows for ${length} times ${times.words}; expected regular times`);
    const there = Array.from({ length }, () => []);
    steps.forEach((step, i) => there[step].push(values[i]));
    const twice = there.filter((each) => each.length > 1).length;
    if (twice) notes.push(`Clocks were put back: the mean of both rows was read for ${twice} time${twice > 1 ? "s" : ""}.`);
    values = there.map((each) => columns.map((_, i) => meanOf(each.map((row) => row[i]))));
  }
  const next = (step) => (counts ? times.label(counts[0] + (values.length + step) * series.clock.step) : String(step + 1));
  return { rows: values, notes, next };
};
