"""Bare Keras models: their inputs and outputs become a signature, and are proven."""

import keras
import numpy as np
import pytest
from keras import ops

import export
import keras_attn
from export.keras_model import model_inputs, read_model
from export.model_probes import model_probes
from export.precision import portable
from export.worker.artifact import load
from tests.export.models import (
    KEYS,
    graph,
    graphs,
    halved,
    image,
    jitter,
    reader,
    regressor,
    tagger,
)


def held(report):
    return {check.name.split()[-1] for check in report.checks if "invariant" in check.name}


@pytest.mark.thorough
def test_a_functional_model_keeps_its_names_in_both_formats(tmp_path):
    model = tagger()
    inputs = {
        "token_ids": np.array([[3, 9, 16, 1], [5, 0, 0, 0]], "int32"),
        "padding_mask": np.array([[1, 1, 1, 1], [1, 0, 0, 0]], bool),
    }
    expected = model(inputs)

    reports = [
        export.saved_model(model, tmp_path / "tagger"),
        export.litert(model, tmp_path / "tagger.tflite"),
    ]

    for report in reports:
        actual = load(report.path).run("serving_default", inputs)
        assert set(actual) == {"logits", "pooled"}
        np.testing.assert_allclose(actual["logits"], expected["logits"], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(actual["pooled"], expected["pooled"], rtol=1e-6, atol=1e-6)
        assert held(report) == {"batch", "padding"}
    assert reports[0].manifest["sha256"]["weights"] == reports[1].manifest["sha256"]["weights"]


def test_an_invariance_that_the_model_lacks_is_not_demanded(tmp_path):
    assert held(export.litert(tagger(masked=False), tmp_path / "x.tflite")) == {"batch"}


def test_a_sequential_model_without_names(tmp_path):
    model = regressor()
    x = np.linspace(-1, 1, 21, dtype="float32").reshape(3, 7)

    report = export.saved_model(model, tmp_path / "x", xla=True)

    assert report.manifest["operators"]["_XlaMustCompile"] >= 1
    actual = load(report.path).run("serving_default", {"input_0": x})
    np.testing.assert_allclose(actual["output_0"], model(x), rtol=1e-6, atol=1e-6)


def test_a_mixed_precision_model_is_exported_in_float32_and_left_as_it_was(tmp_path):
    half, full = tagger(dtype="mixed_float16"), tagger()
    inputs = {
        "token_ids": np.array([[3, 9, 16]], "int32"),
        "padding_mask": np.array([[1, 1, 0]], bool),
    }

    report = export.litert(half, tmp_path / "half.tflite")

    actual = load(report.path).run("serving_default", inputs)
    np.testing.assert_allclose(actual["pooled"], full(inputs)["pooled"], rtol=1e-6, atol=1e-6)
    assert half(inputs)["pooled"].dtype == "float16"
    assert half.get_layer(index=2).compute_dtype == "float16"


def test_cudnn_is_off_inside_and_as_before_outside():
    model = keras.Sequential([keras.Input((None, 3)), keras.layers.LSTM(5)])

    with portable(model):
        assert model.layers[0].cell is not None and model.layers[0].use_cudnn is False

    assert model.layers[0].use_cudnn == "auto"


def known(model):
    """The axes and padding of each input, the axes of each output, and what holds."""
    parts = read_model(model, 1e-4)[0].parts
    inputs = {name: (spec.shape, spec.padding) for name, spec in parts.inputs.items()}
    return inputs, dict(parts.outputs), parts.invariances


def test_ids_and_masks_may_be_padded_if_the_live_model_says_so():
    lengths = ("batch", "token_ids_1"), ("batch", "padding_mask_1")

    inputs, outputs, held = known(tagger())
    assert inputs == {"token_ids": (lengths[0], 0), "padding_mask": (lengths[1], False)}
    # Inputs in a dict come in the order of their names.
    assert outputs == {"logits": (*lengths[1], 5), "pooled": ("batch", 3)}
    assert held == ("batch", "padding")

    inputs, _, held = known(tagger(masked=False))
    assert inputs == {"token_ids": (lengths[0], None), "padding_mask": (lengths[1], None)}
    assert held == ("batch",)


def test_one_graph_has_nodes_and_edges_and_no_batch():
    edges = (2, "edges"), None

    inputs, outputs, held = known(graph())
    assert inputs == {"nodes": (("nodes", 3), 0.0), "edges": edges}
    assert outputs == {"output_0": ("nodes", 4)} and held == ("padding",)

    inputs, outputs, held = known(graph(pooled=True))  # a node more changes the mean
    assert inputs == {"nodes": (("nodes", 3), None), "edges": edges}
    assert outputs == {"output_0": (1, 4)} and held == ()


def test_edges_of_a_batch_of_graphs_are_padded_where_they_have_a_mask():
    edges, nodes = ("batch", 2, "edges"), ("batch", "nodes", 3)

    inputs, outputs, held = known(graphs())
    assert inputs == {
        "nodes": (nodes, 0.0),
        "edges": (edges, 0),
        "nodes_mask": (("batch", "nodes"), False),
        "edges_mask": (("batch", "edges"), False),
    }
    assert outputs == {"output_0": ("batch", "nodes", 4)} and held == ("batch", "padding")

    inputs, outputs, held = known(graphs(["nodes_mask"], pooled=True))
    assert inputs["nodes"] == (nodes, 0.0) and inputs["edges"] == (edges, None)
    assert outputs == {"output_0": ("batch", 4)} and held == ("batch", "padding")

    inputs, _, held = known(graphs([], pooled=True))  # a node more has the bias
    assert inputs == {"nodes": (nodes, None), "edges": (edges, None)} and held == ("batch",)


@pytest.mark.parametrize("model", [graph, graphs])
def test_probes_of_graphs_name_their_nodes(model):
    model = model()
    probes = model_probes(model, model_inputs(model))

    for probe in probes:
        nodes = probe["nodes"].shape[-2]
        assert probe["edges"].shape[-2:] == (2, 2 * nodes + 1)
        assert 0 <= probe["edges"].min() and nodes // 2 < probe["edges"].max() < nodes
    assert len({probe["nodes"].shape[-2] for probe in probes}) == len(probes)


@pytest.mark.thorough(1)
@pytest.mark.parametrize("model", [graph, graphs])
def test_files_take_graphs_of_any_size(model, tmp_path):
    """Of one node, and without edges, too."""
    live = model()
    reports = [export.saved_model(live, tmp_path / "x"), export.litert(live, tmp_path / "x.tflite")]

    random = np.random.default_rng(4)
    for nodes, edges in [(13, 41), (1, 3), (5, 0)]:
        leading = () if model is graph else (4,)
        x = {
            "nodes": random.normal(size=(*leading, nodes, 3)).astype("float32"),
            "edges": random.integers(0, nodes, (*leading, 2, edges), "int32"),
        }
        if leading:
            x["nodes_mask"] = np.arange(nodes) < random.integers(1, nodes + 1, (4, 1))
            x["edges_mask"] = np.arange(edges) < random.integers(0, edges + 1, (4, 1))
        expected = np.array(live(x))
        for report in reports:
            actual = load(report.path).run("serving_default", x)["output_0"]
            np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-5)


def test_edges_are_not_even_tried():
    """What an edge more does, no probe can tell: here one from 0 to 0 changes nothing."""
    nodes = keras.Input((3,), name="nodes")
    edges = keras.Input(batch_shape=(2, None), dtype="int32", name="edges")
    ends = [ops.take(nodes, edges[side], axis=0) for side in (0, 1)]
    longest = ops.max(ops.abs(ends[0] - ends[1]), keepdims=True)
    model = keras.Model({"nodes": nodes, "edges": edges}, longest)

    assert known(model)[0]["edges"] == ((2, "edges"), None)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("shape", "held"),
    [((1, 13), ()), ((None, 13), ("batch",)), ((1, None), ("padding",)), ((5, 13), ())],
)
def test_axes_that_are_fixed(shape, held, tmp_path):
    """Probes respect them, and each invariance that is left is checked; the report says why not."""
    live = reader(shape)

    inputs, outputs, actual = known(live)
    (axes, _), kept = inputs["token_ids"], actual
    assert [axis for axis in axes if isinstance(axis, int)] == [x for x in shape if x]
    assert outputs == {"logits": (*axes, 5), "total": (axes[0], 3)} and kept == held

    for export_to, path in ((export.saved_model, "x"), (export.litert, "x.tflite")):
        report = export_to(live, tmp_path / path)
        reasons = report.manifest["not_applicable"]["serving_default"]
        assert report.passed and {*reasons} == {"batch", "padding"} - {*held}
        assert all(f"invariant to {name}" in str(report) for name in ("batch", "padding"))
        probes = np.load(report.path.parent / report.manifest["probes"])
        ids = [probes[key] for key in probes.files if key.endswith("in/token_ids")]
        assert all(x.max() > 5 and x.min() >= 1 for x in ids)


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_images_are_not_padded(dtype):
    inputs, outputs, held = known(image(dtype))

    assert inputs == {"pixels": (("batch", "pixels_1", "pixels_2", 3), None)}
    assert outputs == {"output_0": ("batch", 2)}
    assert held == ("batch",)


def test_a_length_that_the_output_does_not_follow_is_not_padded():
    inputs, outputs, held = known(halved())

    assert inputs == {"ids": (("batch", "ids_1"), None)}
    assert outputs == {"output_0": ("batch", None, 5)}
    assert held == ("batch",)


@pytest.mark.quick(1)
@pytest.mark.parametrize("model", [graph, image, halved, tagger])
def test_compiled_by_xla_it_gives_what_it_gives(model, tmp_path):
    """At sizes that no probe has, too."""
    live = model()
    report = export.saved_model(live, tmp_path / "x", xla=True)
    run, random = load(report.path).run, np.random.default_rng(4)
    calls = {
        "graph": {
            "nodes": random.normal(size=(7, 3)).astype("float32"),
            "edges": random.integers(0, 7, (2, 19), "int32"),
        },
        "image": {"pixels": random.normal(size=(5, 8, 13, 3)).astype("float32")},
        "halved": {"ids": random.integers(1, KEYS, (5, 13), "int32")},
        "tagger": {
            "token_ids": random.integers(1, KEYS, (5, 19), "int32"),
            "padding_mask": np.arange(19) < random.integers(1, 20, (5, 1)),
        },
    }
    inputs = calls[model.__name__]
    expected = live(inputs if len(inputs) > 1 else next(iter(inputs.values())))
    expected = expected if isinstance(expected, dict) else {"output_0": expected}

    for name, array in run("serving_default", inputs).items():
        np.testing.assert_allclose(array, expected[name], rtol=1e-5, atol=1e-5)


def test_probes_are_ids_of_the_smallest_table_and_masks_that_end_somewhere():
    model = tagger()
    probes = model_probes(model, model_inputs(model))

    assert len({probe["token_ids"].shape for probe in probes}) == len(probes)
    for probe in probes:
        ids, mask = probe["token_ids"], probe["padding_mask"]
        assert ids.min() >= 1 and ids.max() < KEYS
        assert mask[:, 0].all()
        assert (np.diff(mask.astype(int), axis=1) <= 0).all()
    assert not all(probe["padding_mask"].all() for probe in probes)


def test_source_and_target_differ_in_length():
    source = keras.Input((None,), dtype="int32", name="source_ids")
    target = keras.Input((None,), dtype="int32", name="target_ids")
    total = ops.sum(source, axis=1) + ops.sum(target, axis=1)
    model = keras.Model({"source_ids": source, "target_ids": target}, total)

    for probe in model_probes(model, model_inputs(model)):
        assert probe["source_ids"].shape[1] != probe["target_ids"].shape[1]


def test_what_a_bare_model_cannot_do(tmp_path):
    class Unknown(keras.Model):
        def call(self, x):
            return x

    with pytest.raises(ValueError, match="does not know its inputs"):
        export.saved_model(Unknown(), tmp_path / "x")
    with pytest.raises(ValueError, match=r"\['beams'\] need a task"):
        export.saved_model(regressor(), tmp_path / "x", beams=3)
    with pytest.raises(ValueError, match="text='strings' needs a task"):
        export.litert(regressor(), tmp_path / "x.tflite", text="strings")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("make", [keras.layers.LSTM, keras_attn.LSTM])
def test_a_stateful_layer_is_refused_with_the_reason(make, tmp_path):
    inner = keras.Sequential([keras.Input(batch_shape=(2, 5, 7)), make(3, stateful=True, name="c")])
    inputs = keras.Input(batch_shape=(2, 5, 7))
    model = keras.Model(inputs, inner(inputs))
    for write, name in ((export.litert, "model.tflite"), (export.saved_model, "model")):
        with pytest.raises(ValueError, match="Layer 'c' is stateful: .* with stateful=False; sta"):
            write(model, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_a_layer_over_steps_of_unknown_number(tmp_path):
    """Keras's own is refused, with the name of ours, which converts."""

    def model(wrapper):
        inputs = keras.Input((None, None, 3), name="words")
        return keras.Model(inputs, wrapper(keras_attn.LSTM(4), name="sentences")(inputs))

    report = export.litert(model(keras_attn.TimeDistributed), tmp_path / "ours.tflite")
    assert report.passed
    with pytest.raises(export.VerificationError, match=r"use keras_attn\.TimeDistributed"):
        export.litert(model(keras.layers.TimeDistributed), tmp_path / "keras.tflite")


def test_jitter_left_no_weight_at_zero():
    assert all(np.abs(weight.numpy()).max() > 0 for weight in jitter(regressor()).weights)
