"""What a notebook shows of histories, comparisons, attention maps and reports."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from export.report import Check, Report
from zoo import notebook
from zoo.attention_map import AttentionMap
from zoo.tasks.comparison import Comparison
from zoo.training.history import History

EVIL = "<script>alert(1)</script>"


def parsed(html):
    return ET.fromstring(f"<div>{html}</div>")


def history(**changes):
    facts = {
        "epoch": [1, 2, 3, 4],
        "history": {"loss": [4.0, 2.0, 1.0, 0.5], "val_loss": [3.0, None, 2.0, 2.5]},
        "best_epoch": 3,
        "monitor": "val_loss",
        "best_value": 2.0,
        "averaged": False,
        "stopped": "finished",
        "seconds": 12.3,
    }
    return History(**(facts | changes))


def test_the_curves_of_a_history_are_at_their_values():
    page = parsed(history()._repr_html_())
    assert page.find("p").text == "4 epochs in 12 s, finished, best val_loss 2, at epoch 3"
    lines = [
        np.array([each.split(",") for each in line.get("points").split()], float)
        for line in page.iter("polyline")
    ]
    assert [len(each) for each in lines] == [4, 3]  # an epoch was not validated
    (loss, validation) = lines
    steps = (loss[:, 0] - loss[0, 0]) / (loss[-1, 0] - loss[0, 0])
    np.testing.assert_allclose(steps, [0, 1 / 3, 2 / 3, 1], atol=1e-3)
    heights = (loss[-1, 1] - loss[:, 1]) / (loss[-1, 1] - loss[0, 1])
    np.testing.assert_allclose(heights, (np.array([4, 2, 1, 0.5]) - 0.5) / 3.5, atol=1e-3)
    np.testing.assert_allclose(validation[:, 0], loss[[0, 2, 3], 0])
    assert [each.text for each in page.iter("text")] == ["4", "0.5", "loss", "val_loss"]


@pytest.mark.parametrize(
    "changes",
    [
        {"epoch": [], "history": {}},
        {"epoch": [1], "history": {"loss": [3.0]}, "monitor": None, "best_value": None},
        {"epoch": [1, 2], "history": {"loss": [float("nan"), float("inf")]}, "monitor": None},
        {"epoch": [1, 2], "history": {"loss": [2.0, 2.0], "val_loss": [None, None]}},
    ],
)
def test_histories_with_little_in_them(changes):
    html = history(**changes)._repr_html_()
    assert "nan" not in html and "inf" not in html.replace("inf,", "")
    assert parsed(html).find("p") is not None


def test_a_comparison_is_a_table():
    shown = Comparison({"accuracy": 0.91234, "f1": 0.5}, {"majority_accuracy": 0.25})
    rows = [[cell.text for cell in row] for row in parsed(shown._repr_html_()).iter("tr")]
    assert rows[0] == ["metric", "model", "majority"]
    assert [row[1:] for row in rows[1:]] == [["0.9123", "0.25"], ["0.5", None]]


def test_an_attention_map_has_a_square_for_each_weight():
    weights = np.random.default_rng(0).dirichlet(np.ones(5), (3, 2)).astype("float32")
    shown = AttentionMap(weights, ["[START]", "a", EVIL, "שלום", " "], ["x", "\n"], "cross_0")
    html = shown._repr_html_()
    assert "<script" not in html and "cross attention, layer 1" in html
    squares = [each.get("title") for each in parsed(html).iter("td") if each.get("title")]
    np.testing.assert_allclose(np.array(squares, float).reshape(2, 5), weights.mean(0), atol=5.1e-4)
    assert re.findall(r"rgba\(76,120,200,([\d.]+)\)", html) == squares
    names = [each[0].text for each in parsed(html).iter("th")]
    assert names[0] == "⊢" and names[4:] == ["␣", "x", "⏎"]


def test_a_large_map_is_cut_and_says_so():
    weights = np.full((1, 90, 70), 1 / 70, np.float32)
    html = AttentionMap(weights, ["a"] * 70, ["b"] * 90, "encoder_1")._repr_html_()
    page = parsed(html)
    assert len([x for x in page.iter("td") if x.get("title")]) == notebook.MOST**2
    assert page.find(".//caption").text == f"the first {notebook.MOST} tokens"


def test_a_report_is_its_text():
    report = Report(Path("m.tflite"), [Check("outputs", False, EVIL)])
    assert parsed(report._repr_html_()).find("pre").text == str(report)
