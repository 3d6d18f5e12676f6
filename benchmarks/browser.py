"""The first answer of a page: a small text classifier in headless Chromium.

    make clients
    python -m benchmarks.browser --out browser.json

A turn starts Chromium with an empty profile, so that nothing is cached, and ends when the label of
a text is shown. The clock is the browser's, and begins when it asks for the page; the server is on
the same machine. The page that `export.web` writes is compared with one that calls MediaPipe.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import export
import zoo
from benchmarks.command import main
from benchmarks.startup import ROWS, TEXT
from tests.browser import CHROMIUM
from tests.clients.serving import PACKAGES, sent_by
from zoo.bench.timing import Result, compare

SEND = """\
const found = { label, ms: performance.now() };
await fetch("found", { method: "POST", body: JSON.stringify(found) });
</script>
"""
OF_WEB = f"""<!doctype html>
<iframe src="index.html" width="900" height="900"></iframe>
<script type="module">
const find = (name) => document.querySelector("iframe").contentDocument?.querySelector(name);
const until = async (test) => {{
  while (!test()) await new Promise((done) => setTimeout(done));
}};
await until(() => find("#ask button")?.disabled === false);
find("textarea").value = {json.dumps(TEXT)};
find("form").requestSubmit();
await until(() => find("#answer .text"));
const label = find("#answer .text").textContent;
{SEND}"""
OF_MEDIAPIPE = f"""<!doctype html>
<script type="module">
const folder = "./node_modules/@mediapipe/tasks-text";
const {{ FilesetResolver, TextClassifier }} = await import(`${{folder}}/text_bundle.mjs`);
const files = await FilesetResolver.forTextTasks(`${{folder}}/wasm`);
const classifier = await TextClassifier.createFromModelPath(files, "model.tflite");
const [{{ categories }}] = classifier.classify({json.dumps(TEXT)}).classifications;
const label = categories[0].categoryName;
{SEND}"""


def run(quick: bool) -> Iterable[Result]:
    if CHROMIUM is None or not PACKAGES.exists():
        sys.exit("needs Chromium, and the packages that `make clients` installs")
    with TemporaryDirectory() as name:
        web, mediapipe = Path(name) / "web", Path(name) / "mediapipe"
        mediapipe.mkdir()
        task = zoo.TextClassifier("bert", "tiny", tokenizer="words")
        task.adapt(ROWS)
        task.fit(ROWS, epochs=1, verbose=False)
        export.web(task, web)
        export.mediapipe(task, mediapipe / "model.tflite")
        pages = {"export.web": (web, OF_WEB), "MediaPipe": (mediapipe, OF_MEDIAPIPE)}
        (expected,) = task.predict([TEXT])
        seconds: dict[str, list[float]] = {contender: [] for contender in pages}
        for turn in range(1 + (2 if quick else 5)):
            for contender, (folder, page) in pages.items():
                found = sent_by(folder, page)
                assert found["label"] == expected, found
                if turn:  # the first one reads the files from the disk
                    seconds[contender].append(found["ms"] / 1e3)
        ratios = compare(seconds, {"MediaPipe / export.web": ("MediaPipe", "export.web")})
        yield Result("first answer of a page", seconds, ratios)


if __name__ == "__main__":
    main({"browser": run}, __doc__.splitlines()[0])
