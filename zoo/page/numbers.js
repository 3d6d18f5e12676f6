// Numbers as people have them: JSON, or a table whose columns and rows may have names.
const isNumeral = (cell) => cell.trim() !== "" && Number.isFinite(Number(cell));

// The cells of each line, at commas or other marks, or else at spaces.
const cellsIn = (text) => {
  const lines = linesOf(text);
  const atSpaces = lines.every(({ cells }) => cells.length === 1);
  return atSpaces ? lines.map(({ line, cells }) => ({ line, cells: cells[0].split(/\s+/) })) : lines;
};

// The values of an input with some axes, and the names of its rows, or null. A cell may be one of the `known` names,
// such as those of nodes, and stands for its place.
const numbersIn = (name, text, axes, known = null) => {
  if (!axes || /^\s*[[{]/.test(text)) {
    try {
      return { values: JSON.parse(text), names: null };
    } catch {
      throw new Error(`${name} is not JSON`);
    }
  }
  let lines = cellsIn(text);
  if (!lines.length) throw new Error(`${name} is empty`);
  const isKnown = (cell) => Boolean(known?.includes(cell));
  if (lines.length > 1 && !lines[0].cells.some((cell) => isNumeral(cell) || isKnown(cell))) lines = lines.slice(1);
  const isNamed = !known && axes > 1 && lines.every(({ cells }) => cells.length > 1 && !isNumeral(cells[0]));
  const names = isNamed ? lines.map(({ cells }) => cells[0]) : null;
  const rows = lines.map(({ line, cells }) =>
    cells.slice(isNamed ? 1 : 0).map((cell) => {
      if (isKnown(cell)) return known.indexOf(cell);
      if (!isNumeral(cell)) throw new Error(`${name}, line ${line}: ${cell || "an empty cell"} is not a number${known ? ", nor the name of a row" : ""}`);
      return Number(cell);
    }),
  );
  const odd = rows.findIndex((row) => row.length !== rows[0].length);
  if (axes > 1 && odd >= 0) throw new Error(`${name}, line ${lines[odd].line}: expected ${rows[0].length} numbers, got ${rows[odd].length}`);
  return { values: axes > 1 ? rows : rows.flat(), names };
};
