// Writes one-file.html: the page with its model and LiteRT.js inside, which opens without a web server, by a double
// click or from a message. Run it in this folder, after `npm install`:
//
//   npm run one-file
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIBRARY = "node_modules/@litertjs/core";
const FILES = {
  "model.js": "model.js",
  "page.js": "page.js",
  "model.tflite": "model.tflite",
  "tokens.json": "tokens.json",
  "utils.js": "node_modules/@litertjs/wasm-utils/dist/index.js",
  "core.js": `${LIBRARY}/dist/index.js`,
  "loader.js": `${LIBRARY}/wasm/litert_wasm_compat_internal.js`,
  "loader.wasm": `${LIBRARY}/wasm/litert_wasm_compat_internal.wasm`,
};
const OPTIONAL = ["tokens.json"]; // of pages that show where a model looks

const here = (name) => new URL(name, import.meta.url);

// Makes addresses of what is inside, and runs the page.
const BEGIN = `
const state = document.getElementById("state");
const inflated = async (name) => {
  const packed = Uint8Array.from(atob(document.getElementById("file " + name).textContent), (each) => each.charCodeAt(0));
  return new Uint8Array(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
};
const address = async (name, imports = {}) => {
  let text = new TextDecoder().decode(await inflated(name));
  for (const [from, to] of Object.entries(imports)) text = text.replaceAll(JSON.stringify(from), JSON.stringify(to));
  return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
};
try {
  const utils = await address("utils.js");
  self.Module = { wasmBinary: await inflated("loader.wasm") };
  globalThis.filesInside = {
    library: await address("core.js", { "@litertjs/wasm-utils": utils }),
    wasm: (await address("loader.js")) + "#.js",
    file: inflated,
  };
  await import(await address("page.js", { "./model.js": await address("model.js") }));
} catch (error) {
  state.textContent = "This browser cannot open the page: " + error.message;
  state.className = "error";
}
`;

const digest = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; script-src blob: 'wasm-unsafe-eval' ${digest(BEGIN)}; base-uri 'none'; form-action 'none'`;

const known = Object.entries(FILES).filter(([name, path]) => !OPTIONAL.includes(name) || existsSync(here(path)));
for (const [, path] of known) {
  if (!existsSync(here(path))) {
    console.error(`${path} is missing: run \`npm install\` in the folder of the page first.`);
    process.exit(1);
  }
}
const packed = known.map(([name, path]) => `<script type="text/plain" id="file ${name}">${gzipSync(readFileSync(here(path)), { level: 9 }).toString("base64")}</script>`);
const page = readFileSync(here("index.html"), "utf-8");
const [start, rest] = page.split(/<!-- The import map[^]*?<script type="importmap">[^<]*<\/script>/);
const [content, end] = (rest ?? "").split('<script type="module" src="page.js"></script>');
if (end === undefined) {
  console.error("index.html is not a page of this export: export it again.");
  process.exit(1);
}
const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<link rel="icon" href="data:,">\n<style>${readFileSync(here("page.css"), "utf-8")}</style>`;
const parts = [start, head, content, packed.join("\n"), `\n<script type="module">${BEGIN}</script>`, end];
writeFileSync(here("one-file.html.part"), parts.join(""));
renameSync(here("one-file.html.part"), here("one-file.html"));
console.log(`one-file.html: ${(parts.join("").length / 1e6).toFixed(1)} MB, which opens without a web server`);
