"""Every tokenizer, alone in a file of one shape, gives its ids in each runtime."""

import json

import pytest

from tests.browser import browsing
from tests.clients.compiled import Compiled
from tests.clients.inputs import one_text
from tests.clients.serving import needs_packages, sent_by
from tests.zoo.text.programs.litert import converted
from tests.zoo.text.programs.test_tokenizers import MADE
from tests.zoo.text.texts import CORPUS, HOSTILE

pytestmark = pytest.mark.thorough
SIZE = 97
TEXTS = [text for text in [*CORPUS, *HOSTILE] if len(text.encode()) <= SIZE]
DRIVER = """<!doctype html>
<script type="importmap">
{"imports": {"@litertjs/core": "./node_modules/@litertjs/core/dist/index.js",
             "@litertjs/wasm-utils": "./node_modules/@litertjs/wasm-utils/dist/index.js"}}
</script>
<script type="module">
import {loadLiteRt, loadAndCompile, Tensor} from "@litertjs/core";
await loadLiteRt("./node_modules/@litertjs/core/wasm/");
const calls = await (await fetch("calls.json")).json(), found = {};
for (const [file, texts] of Object.entries(calls)) {
  const model = await loadAndCompile(file, {accelerator: "wasm"});
  found[file] = [];
  for (const {text_bytes: [bytes], text_lengths} of texts) {
    const outputs = await model.run("serving_default", {
      text_bytes: new Tensor(Int32Array.from(bytes), [1, bytes.length]),
      text_lengths: new Tensor(Int32Array.from(text_lengths), [1])});
    const [count] = await outputs.counts.data();
    found[file].push([...(await outputs.token_ids.data()).slice(0, count)]);
  }
}
await fetch("found", {method: "POST", body: JSON.stringify(found)});
</script>"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files, and the ids of each text, by the kind of tokenizer."""
    folder, expected = tmp_path_factory.mktemp("tokenizers"), {}
    for kind, make in MADE.items():
        tokenizer = make()
        (folder / f"{kind}.tflite").write_bytes(converted(tokenizer, 1, SIZE))
        expected[kind] = tokenizer.tokenize(TEXTS).to_list()
    return folder, expected


def test_in_compiled_model(files):
    folder, expected = files
    for kind, rows in expected.items():
        answer = Compiled(folder / f"{kind}.tflite")
        for text, ids in zip(TEXTS, rows, strict=True):
            found = answer(one_text(text, SIZE))
            assert found["token_ids"][0, : found["counts"][0]].tolist() == ids, (kind, text)


@browsing
@needs_packages
def test_in_a_browser(files):
    folder, expected = files
    inputs = [{name: x.tolist() for name, x in one_text(text, SIZE).items()} for text in TEXTS]
    calls = {f"{kind}.tflite": inputs for kind in expected}
    (folder / "calls.json").write_text(json.dumps(calls))
    found = sent_by(folder, DRIVER)
    assert found == {f"{kind}.tflite": rows for kind, rows in expected.items()}
