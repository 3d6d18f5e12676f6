"""What a report says of labels: metrics beside baselines, and examples that are chosen."""

import csv
import re

import numpy as np
import pytest
from PIL import Image

import zoo
from zoo.data.examples import ExampleRow
from zoo.metrics.labels import LabelPredictions
from zoo.report import chosen, metrics, report
from zoo.tasks.comparison import Comparison, comparison_of
from zoo.tasks.provenance import names_of

SMALL = {"num_buckets": 64}


def table_of(page, title):
    """The cells of the first table of a section, as text."""
    section = re.search(rf"<h2>{title}</h2>.*?</section>", page, re.DOTALL).group()
    return [
        [re.sub("<.*?>", "", cell) for cell in re.findall("<t[hd].*?</t[hd]>", row)]
        for row in re.findall("<tr>.*?</tr>", section, re.DOTALL)
    ]


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """A classifier of texts that is sometimes wrong, its test data, and its page."""
    folder = tmp_path_factory.mktemp("films")
    kinds = {"good": ("fine", "lovely"), "bad": ("dull", "weak"), "odd": ("weird", "strange")}
    rows = [(f"a {word} film", label) for label, words in kinds.items() for word in words] * 6
    test = [
        *rows[:6],
        ("a fine fine film", "bad"),
        ("a dull lovely film", "good"),
        ("a weird", "bad"),
    ]
    for name, content in (("train", rows), ("test", test)):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("text", "label"), *content])
    task = zoo.TextClassifier(**SMALL)
    task.fit(folder / "train.csv", epochs=8, xla=False, verbose=False)
    task.save(folder / "run")
    page = report(task, folder / "page.html", folder / "test.csv", rows=6).read_text("utf-8")
    return task, folder / "test.csv", page


def test_metrics_are_beside_baselines_with_an_interval(films):
    task, data, page = films
    comparison = task.compare(data)
    header, accuracy, *others = table_of(page, "Metrics")
    baselines = comparison.of_baselines()
    assert header[:2] == ["metric", "model"] and header[-1] == "95 % interval"
    baselines = dict(sorted(baselines.items(), key=lambda each: -each[1]["accuracy"]))
    assert header[2:-1] == [metrics.formats.spell(name) for name in baselines]
    low, high = comparison.intervals["accuracy"]
    value = comparison.model["accuracy"]
    assert accuracy[:2] == ["accuracy", f"{100 * value:.1f} %"]
    assert accuracy[-1] == f"{100 * low:.1f} % to {100 * high:.1f} %"
    assert accuracy[2:-1] == [f"{100 * own['accuracy']:.1f} %" for own in baselines.values()]
    assert len(others) == len(comparison.model) - 1
    assert f'Measured on <bdi dir="auto">{names_of(data)}</bdi>.' in page
    numbers = re.search('<dl class="numbers">.*?</dl>', page, re.DOTALL).group()
    assert "majority" not in numbers and f"{100 * value:.1f} %" in numbers


def test_each_label_has_its_precision_and_recall(films):
    task, data, page = films
    texts, labels = zip(*[*csv.reader(data.read_text().splitlines())][1:], strict=True)
    answers = task.predict(list(texts))
    _, *rows = table_of(page, "Labels")
    assert [row[0] for row in rows] == ["bad", "good", "odd"]  # the most frequent first
    for label, precision, recall, count in rows:
        both = sum(a == b == label for a, b in zip(answers, labels, strict=True))
        assert precision == f"{100 * both / answers.count(label):.1f} %"
        assert recall == f"{100 * both / labels.count(label):.1f} %"
        assert int(count) == labels.count(label)


def test_examples_are_of_all_labels_and_not_compared_by_character(films):
    task, data, page = films
    section = re.search("<h2>Predictions</h2>.*?</section>", page, re.DOTALL).group()
    texts, labels = zip(*[*csv.reader(data.read_text().splitlines())][1:], strict=True)
    right = sum(a == b for a, b in zip(task.predict(list(texts)), labels, strict=True))
    assert f"{right} of {len(texts)} are right." in section and "<mark>" not in section
    titles = re.findall('<summary><bdi dir="auto">(.*?)</bdi>', section)
    assert (
        titles[:2] == ["Wrong, and most sure, of each label", "Least sure"]
        and titles[-1] == "Right"
    )
    wrong = section.split("</details>")[0]
    assert "a fine fine film" in wrong and "✓" not in wrong
    assert page.count("<h2>Predictions</h2>") == 1


def test_groups_against_an_exhaustive_choice():
    random = np.random.default_rng(0)
    scores = random.dirichlet(np.ones(4), 200)
    names = ["a", "b", "c", "d"]
    true = random.integers(0, 4, 200)
    rows = LabelPredictions(
        [names[i] for i in true], [names[i] for i in scores.argmax(1)], names, scores
    )
    by_title = {group.title: group.rows for group in chosen.groups(rows, 8)}
    every = [number for numbers in by_title.values() for number in numbers]
    assert len(every) == len(set(every)) == 32
    right = true == scores.argmax(1)
    surest = by_title["Wrong, and most sure, of each label"]
    assert not right[surest].any() and sorted(true[surest]) == sorted([*range(4)] * 2)
    best = scores.max(1)
    for label in range(4):  # the two surest of each label
        wrong = np.flatnonzero(~right & (true == label))
        assert {*wrong[np.argsort(-best[wrong])][:2]} == {n for n in surest if true[n] == label}
    assert (np.diff(best[surest]) <= 0).all()
    taken = [*surest]
    least = [n for n in np.argsort(best)[:8] if n not in taken]
    assert by_title["Least sure"] == least
    assert right[by_title["Right"]].all() and sorted(true[by_title["Right"]]) == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        3,
    ]


def test_long_texts_can_be_opened():
    rows = LabelPredictions(["a", "b"], ["a", "b"], ["a", "b"])
    named = [ExampleRow("x" * 5000, "", "a"), ExampleRow("y", "", "b")]
    page = chosen.section(rows, named, chosen.groups(rows, 2), "", "text")
    assert f"{'x' * 240}</bdi> …</summary>" in page and "x" * 1001 not in page


def test_metrics_of_a_file_are_told_from_those_of_baselines():
    actual = comparison_of(
        {
            "accuracy": 0.5,
            "macro_f1": 0.25,
            "tfidf_accuracy": 0.75,
            "tfidf_macro_f1": 1,
            "data": "a",
        }
    )
    assert actual.of_baselines() == {"tfidf": {"accuracy": 0.75, "macro_f1": 1.0}}
    page = metrics.section(actual)
    assert table_of(page, "Metrics") == [
        ["metric", "model", "tfidf"],
        ["accuracy", "50.0 %", "75.0 %"],
        ["macro F1", "0.25", "1"],
    ]
    (verdict,) = re.findall('<p class="verdict">(.*?)</p>', metrics.headline(actual))
    assert verdict == (
        '<bdi dir="auto">The model is no better than a baseline: accuracy 0.5, and that of tfidf '
        "is 0.75.</bdi>"
    )
    assert re.findall("<b>(.*?)</b>", page) == ["75.0 %", "1"]
    assert metrics.section(Comparison({"loss": 1.0})) == ""


def test_the_best_value_of_a_row_is_bold():
    model = {"mae": 0.25, "mae_of_a": 0.5, "coverage": 0.71, "mase": 0.9001, "f1": 0.5}
    linear = {"mae": 0.5, "mae_of_a": 0.25, "coverage": 0.95, "mase": 0.9, "f1": 0.25}
    naive = {"mae": 1.0, "coverage": 0.83}
    baselines = {f"linear_{name}": x for name, x in linear.items()}
    baselines |= {f"naive_{name}": x for name, x in naive.items()}
    page = metrics.section(Comparison(model, baselines, aims={"coverage": 0.8}), "a.csv: 2 of 3")
    bold = [re.findall("<b>(.*?)</b>", row) for row in page.split("<tr>")[2:]]
    assert bold == [["0.25"], ["0.25"], ["0.83"], ["0.9", "0.9"], ["0.5"]]
    assert (
        'Measured on <bdi dir="auto">a.csv: 2 of 3</bdi>. Baselines are simple methods that '
        in page
    )
    assert (
        "learned from the training data. The best value of a row is bold. Coverage should be 0.8."
        in page
    )
    assert "no better than" not in page


@pytest.mark.thorough
def test_images_are_shown_in_the_table(tmp_path):
    for label, x in (("left", 1), ("right", 9)):
        (tmp_path / label).mkdir()
        for number in range(3):
            image = np.zeros((13, 13), np.uint8)
            image[2 + number : 5 + number, x : x + 3] = 255
            Image.fromarray(image).save(tmp_path / label / f"{label}{number}.png")
    small = {"layers": [[4, 3], [4, 3]], "localization": [[2, 3]]}
    task = zoo.ImageClassifier("stn_classifier", "affine", **small)
    task.fit(tmp_path, epochs=1, xla=False, verbose=False)
    page = report(task, tmp_path / "page.html", tmp_path).read_text("utf-8")
    section = re.search("<h2>Predictions</h2>.*?</section>", page, re.DOTALL).group()
    assert section.count("data:image/png") == 6
    assert "left0.png" in section and "right2.png" in section
