"""Reports of what strangers may have written: shown as it is written, never run."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

from tests.browser import browsing, visit
from tests.zoo.unanswered import Unanswered
from zoo.attention_map import AttentionMap, label
from zoo.errors import UserError
from zoo.models.attending import SENTENCES, WORDS
from zoo.report import figures, graphs, html, images, report, series, speech
from zoo.tasks.parts import PreviewRow

pytest.importorskip("matplotlib")

TAKEN = "document.title='taken'"
HOSTILE = {
    "handler": f'"><img src="x" onerror="{TAKEN}">',
    "math": r"$\frac",
    "surrogate": "half \ud83d of a pair",
    "controls": "\0\1\x1b[31m\x7f\x85\ufffe",
    "long": "x" * 10_000,
    "svg": '#010101 url(#a) id="b" xmlns="c" font-family: d; 1.23456 xlink:href="#e"',
    "hidden": "_hidden",
    "script": f"<script>{TAKEN}</script>",
    "ends": f'</script></style></title></bdi><svg onload="{TAKEN}">',
    "comment": "<!--<script>",
    "attribute": f"' autofocus onfocus={TAKEN} style='color: red",
    "dollars": "$$",
    "dollar": r"\$5 or $5",
    "lines": "a\nb\r\nc",
    "override": "\u202egpj.exe\u2066",
}
each = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


class Page(HTMLParser):
    """The elements, attributes and scripts of a page."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.text += data


class StrangeTask:
    """Says what strangers wrote, and looks at it."""

    parts = SimpleNamespace(
        preview="What strangers wrote.",
        answer=SimpleNamespace(
            aims=lambda settings: {},
            one_answer=True,
            marks_differences=True,
            is_judged=lambda settings: True,
        ),
        pictures=None,
    )
    settings = None
    model = SimpleNamespace(count_params=lambda: 7)

    def __init__(self, texts, folder=None, document=False):
        self.texts, self.folder, self.document, self.name = texts, folder, document, texts[0]

    def answered(self, data):
        rows = [PreviewRow(text, text, text[::-1], text) for text in self.texts]
        return Unanswered(lambda count: rows)

    def attention_parts(self, text):
        if self.document:
            return {WORDS: [one_row(text, WORDS)], SENTENCES: [one_row(text, SENTENCES)]}
        weights = np.full((2, 2, 2), 0.5)
        return {"cross": [AttentionMap(weights, [text, "."], [text, "."], f"cross_{text}")]}


def one_row(text, name):
    return AttentionMap(np.ones((1, 1, 1)), [text], ["row"], name)


def write_run(folder, texts):
    """The files of a run in which every name and value is a stranger's."""
    folder.mkdir()
    facts = {"model": texts[0], "tokenizer": texts[-1]}
    (folder / "config.json").write_text(json.dumps(readable(facts)))
    (folder / "metrics.json").write_text(json.dumps(readable(dict.fromkeys(texts, 0.5))))
    with open(folder / "history.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        names = [name.replace("\0", "") for name in readable(texts)]
        writer.writerow(["epoch", *names, *(f"val_{name}" for name in names)])
        writer.writerows([[1] * (1 + 2 * len(names)), [2] * (1 + 2 * len(names))])
    check = {"passed": False}
    entry = {
        "format": texts[0],
        "bytes": 7,
        "checks": [{"name": text, "detail": text, **check} for text in readable(texts)],
        "files": [{"file": text, "size_mb": 1, "metrics": {text: 1}} for text in readable(texts)],
    }
    manifest = {"artifacts": dict.fromkeys(readable(texts), readable(entry))}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def readable(value):
    """Without halves of surrogate pairs, which no file of a run may have."""
    return json.loads(re.sub(r"\\ud83d", "", json.dumps(value)))


def write_page(folder, texts, document=False):
    write_run(folder, texts)
    task = StrangeTask(texts, folder, document)
    return report(task, data=[], manifests=[folder], maps=len(texts))


def shown(text):
    """A text as a page shows it."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "�", text)


@pytest.mark.quick(15)
@each
@pytest.mark.parametrize("document", [False, True], ids=["tokens", "document"])
def test_a_page_has_its_own_elements_only(text, document, tmp_path):
    source = write_page(tmp_path / "run", [text], document).read_text("utf-8")
    page, plain = Page(source), Page(write_page(tmp_path / "plain", ["a"], document).read_text())
    assert set(page.tags) <= {*plain.tags, "mark"}
    assert page.tags.count("script") == plain.tags.count("script")
    assert page.tags.count("style") == 1
    names = {name for name, _ in page.attributes}
    assert names == {name for name, _ in plain.attributes} and "style" not in names
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids)) and all(re.fullmatch(r"[\w-]+", each) for each in ids)
    assert shown(text).replace("\r", "") in page.text.replace("\r", "")
    assert source == shown(source)


@pytest.mark.quick(7)
@each
def test_tokens_are_drawn_as_they_are_written(text):
    actual = AttentionMap(np.ones((1, 1, 2)), [text, "."], [text], "cross_0")
    assert labels(figures.svg(figures.attention(actual), "map"))[:2] == [label(text), "."]


def test_tokens_on_axes_of_the_caller_are_no_formulas():
    figure = figures.new_figure(2, 2)
    AttentionMap(np.ones((1, 1, 1)), ["$$"], [r"$\frac"], "cross_0").plot(figure.add_subplot())
    figure.savefig(io.BytesIO())


@pytest.mark.quick(7)
@each
def test_names_of_series_are_drawn_as_they_are_written(text):
    task = SimpleNamespace(
        preprocessor=SimpleNamespace(
            horizon=1,
            context=2,
            targets=[text],
            clock=SimpleNamespace(label=lambda _: text),
        ),
        settings=SimpleNamespace(quantiles=[0.5]),
    )
    values = np.arange(4.0)[:, None]

    class Series(SimpleNamespace):
        def __len__(self):
            return len(self.values)

    own = Series(name=f"1{text}", values=values, start=0)
    task.preprocessor.clock.step = 1
    drawn = labels(figures.svg(series.picture(task, own, np.ones((1, 1, 1)), 1), "series"))
    assert f"{label(f'1{text}')}: {label(text)}" in drawn and label(text) in drawn


@pytest.mark.quick(7)
@each
def test_characters_of_speech_are_drawn_as_they_are_written(text):
    actual = SimpleNamespace(
        seconds=(0.1, 0.1),
        spectrogram=np.ones((4, 3)),
        probabilities=np.full((4, 2), 0.6),
        characters=[SimpleNamespace(start=0.1, character=text)],
    )
    drawn = labels(figures.svg(speech.picture(actual, [text]), "speech"))
    assert drawn.count(label(text)) == 2


@pytest.mark.quick(7)
@each
def test_labels_of_nodes_are_drawn_as_they_are_written(text):
    pytest.importorskip("sklearn")

    class Graph(SimpleNamespace):
        def __len__(self):
            return len(self.labels)

    graph = Graph(labels=np.array([text, "a"], object), multi_label=False)
    edges = SimpleNamespace(edges=np.array([[0], [1]]), weights=np.ones((1, 1)))
    task = SimpleNamespace(hidden=lambda _: np.eye(2), edge_attention=lambda _: [edges])
    assert label(text) in labels(figures.svg(graphs.picture(task, graph), "graph"))


def labels(drawn):
    """The texts of a picture, which has no style of its own."""
    root = ET.fromstring(drawn)
    assert not any(element.get("style") for element in root.iter())
    return ["".join(element.itertext()) for element in root.iter("text")]


def test_long_texts_are_compared_in_little_time():
    page = html.differing("ab" * 5000 + "c", "ba" * 5000 + "c")
    assert page.endswith("</mark>c</bdi>")


@pytest.mark.parametrize(
    "entry",
    [
        [],
        {"checks": {"a": 1}},
        {"checks": [{"name": "a"}]},
        {"checks": [{"name": 1, "passed": True}]},
        {"format": []},
        {"files": [{"file": 3, "size_mb": 1}]},
        {"files": [{"file": "a", "size_mb": "1"}]},
        {"files": [{"file": "a", "size_mb": 1, "metrics": {"loss": "low"}}]},
        {"timing": {"latency_ms": "fast"}},
        {"bytes": 10**400},
    ],
)
def test_strange_manifests_are_named(entry, tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({"artifacts": {"a": entry}}))
    with pytest.raises(UserError, match="manifest.json is not a (manifest|file of the run): "):
        report(StrangeTask(["a"]), tmp_path / "page.html", manifests=[tmp_path])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", '{"settings": []}'),
        ("config.json", '{"vocabulary_size": "many"}'),
        ("checkpoints/state.json", '{"seconds": "few"}'),
        ("checkpoints/state.json", '{"best_epoch": "<script>"}'),
        ("metrics.json", f'{{"loss": 1{400 * "0"}}}'),
        ("history.csv", f"epoch,loss\n1,{'2' * 200_000}"),
        ("history.csv", b"epoch,\xff\n1,2"),
    ],
)
def test_strange_files_of_a_run_are_named(name, content, tmp_path):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(UserError, match=f"{path.name} is not a file of the run: "):
        report(StrangeTask(["a"], tmp_path), tmp_path / "page.html")


@pytest.mark.parametrize(
    "history", ["loss\n2\n1", "epoch,loss\nnan,1", "epoch,loss\n1,inf\n2,-1e308\n3,1"]
)
def test_strange_histories_have_curves(history, tmp_path):
    (tmp_path / "history.csv").write_text(history)
    page = report(StrangeTask(["a"], tmp_path), tmp_path / "page.html").read_text("utf-8")
    assert page.count('class="curve"') == 1


@pytest.mark.thorough(1)
@browsing
@pytest.mark.parametrize("document", [False, True], ids=["tokens", "document"])
def test_a_browser_runs_nothing_of_it(document, tmp_path):
    texts = list(HOSTILE.values())
    actual = visit(write_page(tmp_path / "run", texts, document))
    assert actual.console == [] and "<title>run, " in actual.dom
    if not document:  # the page's own script ran
        assert '<option value="0">' in actual.dom and "</script></style></title></bdi>" not in (
            actual.dom
        )


def add(page, inside):
    source = page.read_text("utf-8")
    page.write_text(source.replace("<main>", f"<main>{inside}"), "utf-8")


@browsing
def test_the_policy_of_a_page_refuses_what_is_not_its_own(tmp_path):
    strange = [
        f"<script>{TAKEN}</script>",
        f'<img src="data:image/png;base64,x" onerror="{TAKEN}">',
        '<p style="color: red">',
        "<style>p { color: red }</style>",
        '<img src="http://localhost:9/spy.png">',
        '<iframe src="data:text/html,a"></iframe>',
        '<base href="http://localhost:9/">',
    ]
    page = write_page(tmp_path / "run", ["a"])
    add(page, "".join(strange))
    actual = visit(page)
    refused = re.findall(r"Content Security Policy directive:? [\"'](\S+)", "".join(actual.console))
    own = {"script-src": 2, "style-src": 2, "img-src": 1, "default-src": 1, "base-uri": 1}
    assert Counter(refused) == own
    assert "<title>run, " in actual.dom and '<option value="0">' in actual.dom


@browsing
def test_pictures_with_images_keep_to_the_policy(tmp_path):
    shown = html.section("Images", "", images.picture(np.zeros((4, 4, 3)), [np.zeros((3, 2))]))
    page = write_page(tmp_path / "run", ["a"])
    add(page, shown)
    assert visit(page).console == []
