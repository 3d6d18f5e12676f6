"""What a report says of values and of vectors: largest errors, and similarities."""

import csv
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import zoo
from tests.zoo.test_report_labels import table_of
from zoo.metrics.values import ValueRows
from zoo.report import figures, report
from zoo.report.judged_values import largest_errors

PRICES = {"cup": 1.0, "hat": 3.0, "car": 11.0}


def write(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def test_values_have_a_figure_and_the_largest_errors(tmp_path):
    rows = [(f"a {color} {thing}", PRICES[thing]) for thing in PRICES for color in ("red", "blue")]
    data = write(tmp_path / "train.csv", ("text", "price"), rows * 5)
    odd = [*rows, ("a red <cup>", 211.0), ("a blue car", -95.0)]
    test = write(tmp_path / "test.csv", ("text", "price"), odd)
    task = zoo.TextRegressor(num_buckets=64)
    task.fit(data, epochs=3, xla=False, verbose=False)
    page = report(task, tmp_path / "page.html", test).read_text("utf-8")
    header, first, second, *others = table_of(page, "Predicted and correct values")
    assert header == ["text", "prediction", "reference"] and len(others) == 4
    predicted = task.predict(["a red <cup>", "a blue car"])
    assert first == ["a red &lt;cup&gt;", f"{predicted[0]:.4g}", "211"]
    assert second == ["a blue car", f"{predicted[1]:.4g}", "-95"]
    assert page.count('<figcaption><bdi dir="auto">price</bdi></figcaption>') == 1
    without = report(task, tmp_path / "other.html").read_text("utf-8")
    assert "Predicted and correct values" not in without


def test_errors_are_compared_in_standard_deviations_of_their_column():
    true = np.array([[1.0, 100.0], [2.0, 300.0], [3.0, 500.0], [4.0, 700.0]])
    given = true + np.array([[0.0, 50.0], [2.0, 0.0], [0.0, 0.0], [0.0, 90.0]])
    assert largest_errors(ValueRows(true, given, ["a", "b"]), 3) == [1, 3, 0]
    constant = ValueRows(np.ones((2, 1)), np.array([[1.0], [3.0]]), ["a"])
    assert largest_errors(constant, 9) == [1, 0]


def test_each_row_is_a_dot():
    drawn = figures.svg(figures.scatter([1.0, 2.0, 5.0], [1.5, 2.0, 4.0]), "dots")
    dots = [each for each in ET.fromstring(drawn).iter() if each.tag.endswith("use")]
    assert len(dots) >= 3


def test_pairs_have_their_similarities_and_no_marks_inside_texts(tmp_path):
    pairs = [("a red hat", "red hats"), ("cold tea", "tea that is cold"), ("a fast car", "cars")]
    task = zoo.TextEmbedder(num_layers=1, hidden_dim=14, num_heads=2, intermediate_dim=13)
    task.fit(pairs * 4, epochs=1, xla=False, verbose=False)
    data = write(tmp_path / "test.csv", ("source", "target"), pairs)
    page = report(task, tmp_path / "page.html", data).read_text("utf-8")
    header, *rows = table_of(page, "Predictions")
    assert header == ["", "text", "prediction", "reference", "similarity", "of the reference"]
    assert len(rows) == len(pairs) and "<mark>" not in page.split("<h2>Predictions</h2>")[1]
    cosines = task.similarity(*(list(side) for side in zip(*pairs, strict=True)))
    for number, (_, source, best, own, highest, of_own) in enumerate(rows):
        assert (source, own) == pairs[number]
        assert best == pairs[cosines[number].argmax()][1]
        assert float(highest) == pytest.approx(cosines[number].max(), abs=6e-4)
        assert float(of_own) == pytest.approx(cosines[number, number], abs=6e-4)
