"""Compiled by XLA, a signature gives what its graph gives, at sizes between the buckets too."""

import numpy as np
import pytest
import tensorflow as tf

import export
from export.signatures import LiveSignature
from export.worker.artifact import load
from export.xla import _in_buckets, compiled
from tests.export.parts import Tensor, call, of_features
from tests.export.tasks import PAD, Graphs, Images, Tagger

RANDOM = np.random.default_rng(1)


def default(task, text=None):
    return LiveSignature("serving_default", task.signatures(text)["serving_default"])


def both(signature, calls):
    """What the traced signature gives for each call, as a graph and compiled."""
    graph, xla = signature.trace(), signature.trace(compiled([signature])["serving_default"])
    for inputs in calls:
        yield [
            {name: tensor.numpy() for name, tensor in function(**inputs).items()}
            for function in (graph, xla)
        ]


def assert_the_same(graph, xla):
    assert set(graph) == set(xla)
    for name, expected in graph.items():
        assert expected.shape == xla[name].shape and expected.dtype == xla[name].dtype
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(xla[name], expected, rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(xla[name], expected)


def ids(rows, length):
    """Rows of ids, each with padding from some place on."""
    actual = RANDOM.integers(0, PAD, (rows, length), "int32")
    ends = RANDOM.integers(1, length + 1, (rows, 1))
    return np.where(np.arange(length) < ends, actual, PAD).astype("int32")


SIZES = [(1, 1), (2, 16), (3, 5), (5, 17), (9, 33), (0, 4)]


def test_outputs_that_grow_with_the_length_are_cut_back():
    calls = [{"token_ids": ids(*size)} for size in SIZES]

    for size, (graph, xla) in zip(SIZES, both(default(Tagger()), calls), strict=True):
        assert_the_same(graph, xla)
        assert xla["scores"].shape == (*size, 3) and xla["class_id"].shape == size


def test_from_text_to_text():
    """More features than `infer` takes, tables, and rows without words."""
    texts = ["the red dog runs", "", "a", "é " * 20]
    signature = default(Tagger(), text="strings")

    for graph, xla in both(signature, [{"text": np.array(texts[:n])} for n in (1, 3, 4)]):
        assert_the_same(graph, xla)
    assert [len(text.split()) for text in xla["text"]] == [4, 0, 1, 20]


def test_only_what_may_be_padded_is():
    shapes = []

    def seen(signature, **inputs):
        def record(**features):
            shapes.append({name: tuple(x.shape) for name, x in features.items()})
            return signature.parts.infer(**features)

        tensors = {name: tf.constant(array) for name, array in inputs.items()}
        outputs = _in_buckets(record, signature)(**tensors)
        return {name: tuple(x.shape) for name, x in outputs.items()}

    token_ids, graph = ids(3, 17), Graphs().probes()["serving_default"][0]
    image = Images().probes()["serving_default"][0]

    assert seen(default(Tagger()), token_ids=token_ids)["scores"] == (3, 17, 3)
    assert seen(default(Tagger(("batch",))), token_ids=token_ids)["scores"] == (3, 17, 3)
    assert seen(default(Tagger(("padding",))), token_ids=token_ids)["scores"] == (3, 17, 3)
    assert seen(default(Tagger(())), token_ids=token_ids)["scores"] == (3, 17, 3)
    assert seen(default(Graphs()), **graph) == {"nodes": (3, 6), "weights": (7, 2)}
    assert seen(default(Images()), **image) == {"logits": (3, 4)}

    assert [each["token_ids"] for each in shapes[:4]] == [(4, 32), (4, 17), (3, 32), (3, 17)]
    assert shapes[4:] == [{"nodes": (16, 5), "edges": (2, 7)}, {"image": (4, 7, 11, 3)}]


def test_beyond_the_last_bucket_sizes_are_multiples_of_it():
    shapes = []
    feature = {"x": Tensor(("batch", "length"), "float32", -1.0)}
    parts = of_features(feature, lambda x: {"y": x}, {"y": ("batch", "length")})

    def record(x):
        shapes.append(tuple(x.shape))
        return {"y": x}

    for rows, length in ((64, 512), (65, 513), (130, 1024)):
        x = np.ones((rows, length), "float32")
        actual = _in_buckets(record, LiveSignature("x", parts))(x=x)["y"]
        np.testing.assert_array_equal(actual, x)

    assert shapes == [(64, 512), (128, 1024), (192, 1024)]


@pytest.mark.parametrize("task", [Graphs, Images])
def test_graphs_and_images(task):
    signature = default(task())

    for graph, xla in both(signature, task().probes()["serving_default"]):
        assert_the_same(graph, xla)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("task", "held"),
    [(Tagger, {"batch", "padding"}), (Graphs, {"padding"}), (Images, {"batch"})],
)
def test_the_artifact_is_verified(task, held, tmp_path):
    """Exported with and without, to both formats: what is promised was checked."""
    live = task()
    reports = [
        export.saved_model(live, tmp_path / "served", xla=True),
        export.litert(live, tmp_path / "ids.tflite"),
    ]

    for report in reports:
        actual = {c.name.split()[-1] for c in report.checks if " to " in c.name and c.passed}
        assert actual == held
    # The two signatures of the tagger share what is compiled.
    assert reports[0].manifest["operators"]["_XlaMustCompile"] == 1


@pytest.mark.thorough
def test_tags_from_a_compiled_artifact(tmp_path):
    live = Tagger()
    export.saved_model(live, tmp_path / "served", xla=True)

    artifact = load(tmp_path / "served" / "1", strings=True)
    texts = np.array(["the dog", "runs in a red hat the man runs", ""], object)
    expected = call(live.signatures(True)["serving_default"], text=texts)

    np.testing.assert_array_equal(
        artifact.run("serving_default", {"text": texts})["text"], expected["text"]
    )
    actual = artifact.run("tokens", {"token_ids": ids(3, 21)})
    assert actual["scores"].shape == (3, 21, 3)
