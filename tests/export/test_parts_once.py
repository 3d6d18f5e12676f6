"""An export asks a task once for its parts, which makes each form of its signatures once."""

from collections import Counter

import pytest

import export
import zoo
from zoo.tasks import exporting

FILMS = [("a fine film", "good"), ("a dull one", "bad"), ("so fine", "good")]


@pytest.fixture(scope="module")
def task():
    made = zoo.TextClassifier("rnn_classifier", "tiny", embedding_dim=8, units=8, max_length=9)
    made.fit(FILMS, epochs=1, xla=False, verbose=False)
    return made


@pytest.fixture
def counts(monkeypatch, task):
    """How often parts were asked for, and signatures were built."""
    actual = Counter()

    def count(owner, name, key):
        whole = getattr(owner, name)

        def counted(*args, **options):
            actual[key] += 1
            return whole(*args, **options)

        monkeypatch.setattr(owner, name, counted)

    count(exporting, "build_signatures", "built")
    count(zoo.TextClassifier, "export_parts", "asked")
    return actual


@pytest.mark.parametrize(
    ("text", "forms"),
    [(None, 1), ("bytes", 2), ("strings", 2)],  # strings of LiteRT run in LiteRT only
)
def test_litert(text, forms, task, counts, tmp_path):
    assert export.litert(task, tmp_path / "films.tflite", text=text).passed
    assert counts == {"asked": 1, "built": forms}


@pytest.mark.parametrize(("text", "forms"), [(None, 1), ("strings", 1), ("bytes", 2)])
def test_saved_model(text, forms, task, counts, tmp_path):
    assert export.saved_model(task, tmp_path / "films", text=text).passed
    assert counts == {"asked": 1, "built": forms}


@pytest.mark.parametrize(("text", "forms"), [(None, 1), ("bytes", 2)])
def test_onnx(text, forms, task, counts, tmp_path):
    pytest.importorskip("tf2onnx")
    assert export.onnx(task, tmp_path / "films", text=text).passed
    assert counts == {"asked": 1, "built": forms}


def test_web(task, counts, tmp_path):
    assert export.web(task, tmp_path / "site").passed
    assert counts == {"asked": 1, "built": 2}


def test_sweep_with_calibration(task, counts, tmp_path):
    pytest.importorskip("ai_edge_quantizer")
    data = tmp_path / "films.tsv"
    data.write_text("".join(f"{text}\t{label}\n" for text, label in FILMS))
    options = {"precisions": ["int8", "static_int8"], "calibration": data}
    export.sweep(task, tmp_path / "sweep", data=data, **options)
    assert counts == {"asked": 1, "built": 1}
