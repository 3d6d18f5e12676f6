// Excel workbooks: the cells of the first visible sheet that has some, as CSV.
const MOST_BYTES = 1 << 26; // of a part of a workbook
const NO_TEXT = "this is a spreadsheet or an archive, not text: save its table as CSV";

const isArchive = ([a, b, c, d]) => a === 0x50 && b === 0x4b && c === 3 && d === 4;

// The parts of an archive by name: functions that return their text.
const partsOf = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [small, large] = [(at) => view.getUint16(at, true), (at) => view.getUint32(at, true)];
  let end = bytes.length - 22;
  while (end >= 0 && large(end) !== 0x06054b50) end--;
  if (end < 0) throw new Error(NO_TEXT);
  const parts = new Map();
  let at = large(end + 16);
  for (let left = small(end + 10); left > 0; left--) {
    if (large(at) !== 0x02014b50) throw new Error(NO_TEXT);
    const [method, size, start] = [small(at + 10), large(at + 20), large(at + 42)];
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + small(at + 28)));
    parts.set(name, async () => {
      const begin = start + 30 + small(start + 26) + small(start + 28);
      const packed = bytes.subarray(begin, begin + size);
      return method === 0 ? new TextDecoder().decode(packed) : inflated(packed);
    });
    at += 46 + small(at + 28) + small(at + 30) + small(at + 32);
  }
  return parts;
};

const inflated = async (packed) => {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    size += piece.value.length;
    if (size > MOST_BYTES) throw new Error("the workbook is too large for a page: save its table as CSV");
    text += decoder.decode(piece.value, { stream: true });
  }
  return text + decoder.decode();
};

// The elements with a name in XML, of whatever namespace.
const nodesOf = (node, name) => [...node.getElementsByTagNameNS("*", name)];

// For each style of cells, whether its numbers are dates or times.
const datesOf = (styles) => {
  if (!styles) return [];
  const codes = new Map(nodesOf(styles, "numFmt").map((each) => [each.getAttribute("numFmtId"), each.getAttribute("formatCode")]));
  const [formats] = nodesOf(styles, "cellXfs");
  return nodesOf(formats ?? styles, "xf").map((each) => {
    const id = each.getAttribute("numFmtId");
    const code = (codes.get(id) ?? "").replace(/"[^"]*"|\\.|\[[^\]]*\]/g, "");
    return (id >= 14 && id <= 22) || (id >= 45 && id <= 47) || /[dmyhs]/i.test(code);
  });
};

// Days since 1899-12-30, or since 1904, as the library writes them.
const dateOf = (days, since1904) => {
  const whole = new Date(Math.round((days - 25569 + (since1904 ? 1462 : 0)) * 86400) * 1000).toISOString();
  const [day, time] = [whole.slice(0, 10), whole.slice(11, 19)];
  if (days < 1) return time;
  return time === "00:00:00" ? day : `${day} ${time}`;
};

const workbookText = async (bytes) => {
  const parts = partsOf(bytes);
  const xml = async (name) => {
    if (!parts.has(name)) return null;
    const parsed = new DOMParser().parseFromString(await parts.get(name)(), "application/xml");
    if (parsed.querySelector("parsererror")) throw new Error("the workbook is damaged: save its table as CSV");
    return parsed;
  };
  const book = await xml("xl/workbook.xml");
  if (!book) throw new Error(NO_TEXT);
  const [links, strings, styles] = [await xml("xl/_rels/workbook.xml.rels"), await xml("xl/sharedStrings.xml"), await xml("xl/styles.xml")];
  const targets = new Map(nodesOf(links, "Relationship").map((each) => [each.getAttribute("Id"), each.getAttribute("Target")]));
  const texts = strings ? nodesOf(strings, "si").map(textOfRuns) : [];
  const dates = datesOf(styles);
  const since1904 = ["1", "true"].includes(nodesOf(book, "workbookPr")[0]?.getAttribute("date1904"));
  for (const sheet of nodesOf(book, "sheet")) {
    if (["hidden", "veryHidden"].includes(sheet.getAttribute("state"))) continue;
    const id = [...sheet.attributes].find((each) => each.localName === "id" && each.prefix)?.value;
    const target = targets.get(id) ?? "";
    const content = await xml(target.startsWith("/") ? target.slice(1) : `xl/${target}`);
    const rows = content ? rowsOf(content, texts, dates, since1904) : [];
    if (rows.length) return csvOf(rows);
  }
  throw new Error("the workbook has no cells");
};

// The text of a string without its phonetic readings.
const textOfRuns = (node) => nodesOf(node, "t").filter((each) => each.parentNode.localName !== "rPh").map((each) => each.textContent).join("");

const rowsOf = (sheet, texts, dates, since1904) => {
  const rows = nodesOf(sheet, "row")
    .filter((row) => row.getAttribute("hidden") !== "1")
    .map((row) => {
      const cells = [];
      for (const cell of nodesOf(row, "c")) {
        const letters = /^[A-Z]+/.exec(cell.getAttribute("r") ?? "")?.[0];
        const place = letters ? [...letters].reduce((sum, each) => 26 * sum + each.charCodeAt(0) - 64, 0) - 1 : cells.length;
        while (cells.length < place) cells.push("");
        const [kind, value] = [cell.getAttribute("t") ?? "n", nodesOf(cell, "v")[0]?.textContent ?? ""];
        const isDate = kind === "n" && value !== "" && dates[cell.getAttribute("s")];
        cells.push(
          kind === "s" ? (texts[value] ?? "") : kind === "inlineStr" ? textOfRuns(cell) : kind === "e" ? "" : kind === "b" ? (value === "1" ? "True" : "False") : isDate ? dateOf(Number(value), since1904) : value,
        );
      }
      return cells;
    })
    .filter((cells) => cells.some((each) => each.trim()));
  const width = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  return rows.map((cells) => [...cells, ...Array(width - cells.length).fill("")]);
};
