"""What a notebook shows of histories, comparisons, attention maps and reports."""

import io
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import zoo
from export.report import Check, Report
from zoo import notebook
from zoo.attention_map import AttentionMap
from zoo.attention_maps import AttentionMaps
from zoo.tasks.comparison import Comparison
from zoo.training.history import History
from zoo.training.updating_line import UpdatingLine

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


def test_attention_maps_are_shown_one_below_the_other(capsys):
    one = AttentionMap(np.eye(2)[None], ["c", "a"], ["C", EVIL], "cross_0")
    two = AttentionMap(np.full((3, 1, 2), 0.5), ["x", "y"], ["z"], "cross_1")
    maps = AttentionMaps([one, two])
    assert maps == [one, two] and maps[-1] is two
    page = parsed(maps._repr_html_())
    assert [each.text or each[0].text for each in page.findall("p")] == [
        "cross attention, layer 1",
        "cross attention, layer 2",
    ]
    maps.show()
    said = capsys.readouterr().out
    assert "z ▒▒▒▒\n" in said and f"C{' ' * 24} ██" in said
    assert parsed(AttentionMaps()._repr_html_()).find("p").text == "no attention"


def in_notebook(monkeypatch, shown):
    """Lets this process seem to serve a notebook."""
    display = SimpleNamespace(display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=display))
    monkeypatch.setattr("rich.console.Console.is_jupyter", True, raising=False)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)


def test_a_notebook_displays_attention_maps(monkeypatch, capsys):
    shown = []
    in_notebook(monkeypatch, shown)
    maps = AttentionMaps([AttentionMap(np.eye(1)[None], ["c"], ["C"], "cross_0")])
    maps.show()
    assert shown == [maps] and capsys.readouterr().out == ""


ROWS = [(f"{a} film {i}", b) for i in range(13) for a, b in (("fine", "good"), ("dull", EVIL))]


def facts_of(task):
    """The rows of the table of a task."""
    rows = parsed(task._repr_html_()).iter("tr")
    return dict(["".join(cell.itertext()) for cell in row] for row in rows)


def test_a_task_is_a_table_before_and_after_its_training(tmp_path):
    task = zoo.TextClassifier(num_buckets=64)
    assert facts_of(task) == {
        "text-classifier": "",
        "model": "ngram_classifier · tiny",
        "trained": "not yet: call fit(data)",
    }
    task.fit(ROWS, ROWS[:6], epochs=1, xla=False, verbose=False)
    facts = facts_of(task)
    assert EVIL not in task._repr_html_() and facts["num_classes"] == "2"
    assert facts["parameters"] == f"{task.model.count_params():,}"
    assert float(facts["accuracy"]) == pytest.approx(task.metrics["accuracy"], abs=1e-4)


def test_a_training_in_a_notebook_is_one_line_that_is_written_again(monkeypatch, capsys):
    in_notebook(monkeypatch, [])
    task = zoo.TextClassifier(num_buckets=64)
    history = task.fit(ROWS, ROWS[:6], epochs=29, xla=False)
    out, err = capsys.readouterr()
    assert "epoch" not in err
    (line,) = [each for each in out.split("\n") if "\repoch" in each]
    states = line.split("\r")[1:]
    assert len(states) <= history.seconds + 2
    assert states[-1].startswith("epoch 29/29: ") and "val_accuracy" in states[-1]
    assert sum(each.startswith("training ngram_classifier") for each in out.split("\n")) == 1


def test_a_line_is_written_once_in_a_second(monkeypatch):
    stream, now = io.StringIO(), [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    line = UpdatingLine(stream)
    for step in range(31):
        line.show(f"epoch 1/1: {step} of 31 batches")
        now[0] += 0.125
    line.write("warning: a\n")
    drawn = stream.getvalue().split("\r")[1:]
    assert [each.split()[2] for each in drawn] == ["0", "8", "16", "24", "30"]
    assert drawn[-1] == "epoch 1/1: 30 of 31 batches\nwarning: a\n"
    now[0] += 1
    line.show("epoch 2/2: long")
    line.show("epoch")
    line.end()
    assert stream.getvalue().endswith("\repoch 2/2: long\repoch          \n")
