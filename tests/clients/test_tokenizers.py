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


@pytest.fixture(scope="module", params=MADE)
def file(request, tmp_path_factory):
    """A tokenizer's file, and the ids of each text."""
    tokenizer = MADE[request.param]()
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.tflite"
    path.write_bytes(converted(tokenizer, 1, SIZE))
    return path, tokenizer.tokenize(TEXTS).to_list()


@pytest.mark.thorough(2)
def test_in_compiled_model(file):
    path, rows = file
    answer = Compiled(path)
    for text, ids in zip(TEXTS, rows, strict=True):
        actual = answer(one_text(text, SIZE))
        assert actual["token_ids"][0, : actual["counts"][0]].tolist() == ids, text


@browsing
@needs_packages
@pytest.mark.thorough(2)
def test_in_a_browser(file):
    path, rows = file
    calls = [{name: x.tolist() for name, x in one_text(text, SIZE).items()} for text in TEXTS]
    (path.parent / "calls.json").write_text(json.dumps({path.name: calls}))
    assert sent_by(path.parent, DRIVER) == {path.name: rows}
