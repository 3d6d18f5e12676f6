"""The page among the examples gives the task's answers, in headless Chromium."""

import json
import shutil
from pathlib import Path

import pytest

from tests.browser import browsing
from tests.clients.conftest import SIZE
from tests.clients.serving import needs_packages, sent_by

PAGE = Path(__file__).parents[2] / "examples" / "text.html"
pytestmark = [pytest.mark.thorough, browsing, needs_packages]
# Types each text into the page, as a user would, and sends what the page shows then.
DRIVER = """<!doctype html><iframe src="text.html?model=model.tflite"></iframe>
<script type="module">
const frame = document.querySelector("iframe");
const until = async test => { while (!test()) await new Promise(done => setTimeout(done, 20)); };
await new Promise(done => frame.onload = done);
const page = frame.contentDocument, [button, output, note] = ["button", "output", "small"]
  .map(name => page.querySelector(name)), found = [];
await until(() => !button.disabled);
for (const text of await (await fetch("texts.json")).json()) {
  page.querySelector("textarea").value = text;
  note.textContent = "";
  button.click();
  await until(() => note.textContent);
  found.push([output.textContent, note.textContent]);
}
await fetch("found", {method: "POST", body: JSON.stringify(found)});
</script>"""


@pytest.mark.thorough(1)
def test_texts_typed_into_the_page(exported, tmp_path):
    shutil.copy(PAGE, tmp_path)
    shutil.copy(exported.path, tmp_path / "model.tflite")
    (tmp_path / "texts.json").write_text(json.dumps([*exported.answers, "a " * SIZE]))
    found = sent_by(tmp_path, DRIVER)
    assert [text for text, _ in found[:-1]] == [*exported.answers.values()]
    assert [note for _, note in found if "too long" in note] == [found[-1][1]]


def test_the_page_is_short():
    assert len(PAGE.read_text().splitlines()) <= 60
