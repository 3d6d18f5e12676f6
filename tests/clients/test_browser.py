"""The page among the examples gives the task's answers, in headless Chromium."""

import json
import queue
import shutil
import subprocess
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.browser import CHROMIUM, browsing
from tests.clients.conftest import SIZE

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / ".clients" / "node_modules"
pytestmark = [
    pytest.mark.thorough,
    browsing,
    pytest.mark.skipif(not PACKAGES.exists(), reason="`make clients` has not been run"),
]
SECONDS = 120
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


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder, and keeps what is sent to it."""

    def __init__(self, *arguments, found, **options):
        self.found = found
        super().__init__(*arguments, **options)

    def do_POST(self):
        self.found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def shown(folder, texts):
    """What the page shows for each text."""
    found = queue.Queue()
    (folder / "texts.json").write_text(json.dumps(texts))
    (folder / "driver.html").write_text(DRIVER)
    handler = partial(Handler, directory=folder, found=found)
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        address = f"http://127.0.0.1:{server.server_port}/driver.html"
        with subprocess.Popen([CHROMIUM, *options, address], stderr=subprocess.DEVNULL) as browser:
            try:
                return found.get(timeout=SECONDS)
            finally:
                browser.kill()
                server.shutdown()


def test_texts_typed_into_the_page(exported, tmp_path):
    shutil.copy(ROOT / "examples" / "text.html", tmp_path)
    shutil.copy(exported.path, tmp_path / "model.tflite")
    (tmp_path / "node_modules").symlink_to(PACKAGES)
    found = shown(tmp_path, [*exported.answers, "a " * SIZE])
    assert [text for text, _ in found[:-1]] == [*exported.answers.values()]
    assert [note for _, note in found if "too long" in note] == [found[-1][1]]
