import csv
import json
import math
import os
import re
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

from tests.zoo.unanswered import Unanswered
from zoo.attention_map import AttentionMap, visible
from zoo.errors import UserError
from zoo.metrics.labels import LabelPredictions
from zoo.report import exports, figures, html, judged_labels, report, run_files, sections
from zoo.tasks.parts import PreviewRow

pytest.importorskip("matplotlib")

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """A page's text and elements; fails on tags that do not nest."""

    def __init__(self, source):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], ""
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def example_map(source, target, heads=1):
    rng = np.random.default_rng(7)
    shape = (heads, len(target) + 1, len(source) + 1)
    weights = rng.dirichlet(np.full(shape[-1], 0.2), size=shape[:-1])
    return AttentionMap(weights, [*source, "[END]"], [*target, "[END]"], "decoder <attention>")


class EchoModel:
    def count_params(self):
        return 1_234_567


class EchoTask:
    """Predicts the first ten characters of every text, with random attention."""

    name = "echo"
    parts = SimpleNamespace(
        preview="The first ten characters.",
        answer=SimpleNamespace(
            aims=lambda settings: {},
            one_answer=True,
            marks_differences=True,
            is_judged=lambda settings: True,
        ),
        pictures=None,
    )
    model = EchoModel()
    settings = folder = None
    heads = 1

    def answered(self, data):
        rows = [PreviewRow(text, text[:10], reference, text) for text, reference in data]
        return Unanswered(lambda count: rows[:count])

    def attention_parts(self, text):
        return {"cross": [example_map(text, text[:10], self.heads) for _ in range(2)]}


@pytest.fixture
def task(tmp_path):
    folder = tmp_path / "en <dates>"
    (folder / "checkpoints").mkdir(parents=True)
    settings = {"model": "attention_seq2seq", "preset": "tiny", "tokenizer": "characters"}
    settings["vocabulary_size"] = 8000  # the maximum, not what was learned
    config = {"task": "text-to-text", "settings": settings, "vocabulary_size": 1013}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "metrics.json").write_text('{"exact_match": 0.875, "file": "test.tsv"}')
    (folder / "checkpoints" / "state.json").write_text(
        '{"epoch": 3, "best_epoch": 2, "seconds": 754.2}'
    )
    with open(folder / "history.csv", "w", newline="") as file:
        writer = csv.DictWriter(
            file, ["epoch", "loss", "val_loss", "val_bleu", "tokens", "learning_rate"]
        )
        writer.writeheader()
        for epoch, bleu in ((1, ""), (2, 31.0), (3, 37.5)):
            writer.writerow(
                {
                    "epoch": epoch,
                    "loss": 3 / epoch,
                    "val_loss": 4 / epoch,
                    "val_bleu": bleu,
                    "tokens": 7,
                }
            )
    task = EchoTask()
    task.folder = folder
    return task


def test_attention_map_checks_its_tokens():
    with pytest.raises(ValueError, match=r"\(heads, 2, 3\).*not \(1, 3, 2\)"):
        AttentionMap(np.zeros((1, 3, 2)), ["a", "b", "c"], ["x", "y"], "layer")


def test_attention_map_mean_over_heads():
    weights = np.stack([np.eye(2, 3), np.full((2, 3), 0.5)])
    actual = AttentionMap(weights, list("abc"), list("xy"), "layer")
    assert actual.heads == 2
    np.testing.assert_allclose(actual.mean(), [[0.75, 0.25, 0.25], [0.25, 0.75, 0.25]])


@pytest.mark.parametrize("head", [None, 0, 1])
def test_plot_draws_each_visible_weight_where_it_belongs(head):
    actual = example_map("4 mai", "2021", heads=2)
    figure = figures.new_figure(3, 2)
    axes = actual.plot(figure.add_subplot(), head)
    weights = actual.mean() if head is None else actual.weights[head]
    (squares,) = axes.collections
    centres = [path.get_extents().get_points().mean(axis=0) for path in squares.get_paths()]
    drawn = np.zeros_like(weights)
    for (s, t), alpha in zip(centres, squares.get_alpha(), strict=True):
        drawn[round(t), round(s)] = alpha
    assert np.abs(drawn - weights).max() < 0.005
    assert [label.get_text() for label in axes.get_xticklabels()] == list("4␣mai") + ["⊣"]
    assert [label.get_text() for label in axes.get_yticklabels()] == list("2021") + ["⊣"]
    assert axes.get_ylim() == (4.5, -0.5), "the first row is on top"


def test_labels_of_words_are_turned_and_those_of_letters_are_not():
    turned = []
    for tokens in (["ein", "Hut"], ["e", " "]):
        actual = AttentionMap(np.ones((1, 1, 2)), tokens, ["x"], "layer")
        axes = actual.plot(figures.new_figure(3, 2).add_subplot())
        turned.append([label.get_rotation() for label in axes.get_xticklabels()])
    assert turned == [[90, 90], [0, 0]]
    assert visible("[UNK]") == "�"


@pytest.mark.parametrize("text", ["Do., 4. März", "الخميس", "गुरुवार 4", "2021年3月4日(木)", "<&>"])
def test_svg_is_well_formed_and_has_no_color_font_or_address_of_its_own(text):
    drawn = figures.svg(figures.attention(example_map(text, "2021-03-04")), "map-1")
    root = ET.fromstring(drawn)
    labels = ["".join(element.itertext()) for element in root.iter("text")]
    assert labels == [visible(c) for c in text] + ["⊣"] + list("2021-03-04") + ["⊣"]
    colors = set(re.findall(r'(?:fill|stroke)="([^"]+)"', drawn))
    assert colors <= {"none", "var(--ink)", "var(--faint)", "var(--accent)"}
    assert "var(--accent)" in colors
    assert "http" not in drawn and "font-family" not in drawn and "style" not in drawn


def test_svg_ids_are_unique_and_every_reference_has_one():
    actual = example_map("4 mai", "2021")
    drawn = "".join(figures.svg(figures.attention(actual), name) for name in ("map-0", "map-1"))
    ids = re.findall(r' id="([^"]+)"', drawn)
    assert ids and len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]+)\)", drawn)) <= set(ids)


def test_svg_is_the_same_each_time():
    actual = example_map("4 mai", "2021")
    first, second = (figures.svg(figures.attention(actual), "map-0") for _ in range(2))
    assert first == second


def test_curve_draws_both_lines_and_marks_the_best():
    nan = math.nan
    figure = figures.curve([1, 2, 3], [3.0, 2.0, 1.0], [nan, 2.5, 2.75], best=2)
    training, validation, dot = figure.axes[0].lines
    assert list(training.get_ydata()) == [3.0, 2.0, 1.0]
    np.testing.assert_array_equal(validation.get_ydata(), [nan, 2.5, 2.75])
    assert (list(dot.get_xdata()), list(dot.get_ydata())) == ([2], [2.5])
    assert len(figures.curve([1, 2], [3.0, 2.0], [nan, nan], best=9).axes[0].lines) == 2


def test_history_with_gaps(task):
    history = run_files.read_history(task.folder / "history.csv")
    assert history["loss"] == [3.0, 1.5, 1.0]
    assert math.isnan(history["val_bleu"][0]) and history["val_bleu"][1:] == [31.0, 37.5]
    assert list(run_files.measures(history)) == ["loss", "bleu"]


def test_a_history_of_someone_else(tmp_path):
    path = tmp_path / "history.csv"
    os.mkfifo(path)
    with pytest.raises(UserError, match="is not a regular file"):
        run_files.read_history(path)
    path.unlink()
    for content in (b"\xff,loss\n", b"epoch,loss\n1," + b"1" * 200_000):
        path.write_bytes(content)
        with pytest.raises(UserError, match=r"history\.csv"):
            run_files.read_history(path)


def test_differences_are_marked_and_escaped():
    assert html.differing("a<b", "a<b") == '<bdi dir="auto">a&lt;b</bdi>'
    assert html.differing("aa<c", "aa-b") == '<bdi dir="auto">aa<mark>&lt;c</mark></bdi>'


def test_what_has_little_in_common_has_no_marks():
    assert html.differing("abcxyz", "abcuvw").count("<mark>") == 1  # exactly a half
    assert html.differing("abcxyzz", "abcuvw") == '<bdi dir="auto">abcxyzz</bdi>'
    assert html.differing("", "abc") == '<bdi dir="auto"></bdi>'


def test_correct_predictions_are_counted():
    written = [("1. mai", "05-01", "05-01"), ("2. mai", "05-01", "05-02"), ("3. mai", "", "05-03")]
    rows = [PreviewRow(*row, None) for row in written]
    page = Page(sections.predictions(rows, "Dates."))
    assert "1 of 3 match the reference exactly" in page.text
    assert (page.text.count("✓"), page.text.count("✗")) == (1, 2)
    assert rows[0][1] in page.text and "<mark>1</mark>" in sections.predictions(rows, "Dates.")
    mixed = Page(
        sections.predictions([PreviewRow("4. mai", "05-04", None, None), rows[0]], "Dates.")
    )
    assert "1 of 1 match" in mixed.text and "✗" not in mixed.text
    assert "<mark>" not in sections.predictions(rows, "Texts.", marked=False)
    free = sections.predictions(rows, "Captions.", one_answer=False)
    assert rows[0][2] in free and not any(part in free for part in ("match", "✗", "<mark>"))
    alone = Page(sections.predictions([PreviewRow("1. mai", "05-01", None, None)], "Dates."))
    assert "reference" not in alone.text and "05-01" in alone.text


def test_maps_of_many_tokens_are_counted_and_left_out(tmp_path):
    class LongTask(EchoTask):
        def attention_parts(self, text):
            return {"encoder": [example_map(text, text)]}

    data = [("a" * 70, None), ("ab", None), ("b" * 64, None), ("abc", None), ("abcd", None)]
    page = report(LongTask(), tmp_path / "report.html", data=data, maps=2).read_text("utf-8")
    # Two of two that fit; with [END], the third has 65 tokens.
    assert page.count("<figure>") == 2 and "Not shown: 2 maps of more than 64 rows." in page


def test_layers_are_counted_from_one_on_the_page():
    actual = AttentionMap(np.ones((1, 1, 1)), ["a"], ["b"], "cross_0")
    assert actual.title == "cross attention, layer 1"


def test_up_to_four_heads_have_a_figure_each():
    examples = [("one", example_map("abc", "xy", heads=7)), ("two", example_map("abc", "xy"))]
    page = Page(sections.attention(examples))
    assert page.tags.count("svg") == 5
    assert "decoder <attention>, head 4" in page.text and "head 5" not in page.text


def test_the_page_shows_the_whole_run_and_needs_no_other_file(task, tmp_path):
    manifest = tmp_path / "served" / "manifest.json"
    manifest.parent.mkdir()
    entry = {
        "format": "litert",
        "bytes": 1_234_567,
        "timing": {"latency_ms": 12.34},
        "signatures": {"serving_default": {}, "tokens": {}},
        "checks": [
            {"name": "loads", "passed": True, "detail": ""},
            {"name": "isolated", "passed": True, "detail": "no keras, no keras_attn"},
        ],
    }
    broken = {**entry, "checks": [{"name": "loads", "passed": False}]}
    files = [
        {"file": "float32", "size_mb": 5.0, "metrics": {"exact_match": 0.75}},
        {"file": "int8", "size_mb": 1.5, "metrics": {"exact_match": 0.25}},
    ]
    small = {**entry, "files": files}
    artifacts = {"7": entry, "bad.tflite": broken, "small.tflite": small}
    manifest.write_text(json.dumps({"artifacts": artifacts}))
    data = [("2021-03-04 <b>", "2021-03-04"), ("الخميس 4", "2021"), ("no reference", None)]
    data.append(("the fourth row", "is not shown"))

    path = report(task, data=data, manifests=[manifest.parent], rows=3, maps=2)

    assert path == task.folder / "report.html"
    source = path.read_text(encoding="utf-8")
    page = Page(source)
    for expected in (
        "en <dates>",
        "87.5 %",
        "attention_seq2seq · tiny",
        "1,234,567",
        "characters",
        "1,013",
        "12 min 34 s",
        "epoch 2, whose weights were kept",
        "1 of 2 match the reference exactly",
        "2021-03-04 <b>",
        "1.2 MB",
        "served/7LiteRTfloat32✓ 2 checks1.2 MB12.3 ms",
        "bad.tfliteLiteRTfloat32✗ 0 of 1 checks1.2 MB",
        "small.tfliteLiteRTfloat32for comparison5.0 MB75.0 %",
        "small.tfliteLiteRTint8✓ 2 checks1.5 MB25.0 %",
        "Checks of small.tflite",
    ):
        assert expected in page.text, expected
    assert "the fourth row" not in page.text
    assert page.tags.count("svg") == 4  # loss, BLEU, two maps
    assert not {"link", "img", "iframe", "object"} & set(page.tags)
    links = [value for name, value in page.attributes if name in ("src", "href")]
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"https?:|//\w|@import|url\((?!#)", source)
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert not list(task.folder.glob("*partial*"))


def test_a_bare_task_needs_a_path_and_makes_a_short_page(tmp_path):
    with pytest.raises(UserError, match="`path` is required"):
        report(EchoTask())
    page = Page(report(EchoTask(), tmp_path / "new" / "page.html").read_text(encoding="utf-8"))
    assert "1,234,567" in page.text
    assert "section" not in page.tags


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("metrics.json", "{", "metrics.json is not a file of the run: Expecting"),
        (
            "metrics.json",
            "[1]",
            "metrics.json is not a file of the run: expected an object, got list",
        ),
    ],
)
def test_broken_files_are_named(task, name, content, message):
    (task.folder / name).write_text(content)
    with pytest.raises(UserError, match=message):
        report(task)


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(UserError, match="contains no config.json"):
        report(tmp_path)


def test_a_missing_manifest_is_refused(tmp_path):
    with pytest.raises(UserError, match="export the run first"):
        exports.section([tmp_path])


def test_without_matplotlib_the_error_names_the_extra(task, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match=r"keras-attn\[report\]"):
        report(task)


def test_labels_have_a_confusion_matrix_and_a_curve_of_coverage():
    scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.4, 0.6]])
    rows = LabelPredictions(["<a>", "b", "b", "b"], ["<a>", "b", "<a>", ""], ["<a>", "b"], scores)
    page = judged_labels.confusion(rows)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page)
    texts = [re.sub("<[^>]*>", "", cell) for cell in cells]
    assert texts == ["b", "1", "1", "1", "&lt;a&gt;", "", "1", "", "(none)", "", "", ""]
    assert judged_labels.curve(rows, rows.scores) == ""  # four rows say nothing of 99 %
    true, predicted = ["<a>", "b", "b", "b"] * 5, ["<a>", "b", "<a>", "b"] * 5
    rows = LabelPredictions(true, predicted, ["<a>", "b"], np.tile(scores, (5, 1)))
    page = judged_labels.curve(rows, rows.scores)
    assert "<svg" in page and "the fewer of the 20 rows get an answer" in page
    cells = re.findall(r'<td class="number">(.*?)</td>', page)
    # All but the third row are right: of the two surest, all.
    same = ["0.8000", "10", "50.0 %"]
    assert cells == ["90 %", *same, "95 %", *same, "99 %", *same]
