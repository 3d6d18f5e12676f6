"""Which numbers of a file a precision changes, and how close the file stays."""

from collections import Counter

import keras
import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

import export
from export.worker import litert_model, lookups, recipes, static_int8
from export.worker.artifact import load
from export.worker.memory_and_error import main as measure
from export.worker.operators import litert_operators
from export.worker.precisions import PRECISIONS, SCOPES, Storage, check_storage
from export.worker.probes import SAMPLES, Probe, save_probes
from tests.litert import converted

pytest.importorskip("ai_edge_quantizer")

WORDS, WIDTH, UNEVEN = 1103, 256, 41  # a table of more than 256 KB, which is stored elsewhere
AI_EDGE = [name for name, each in PRECISIONS.items() if each.how in ("dynamic", "weight_only")]
BYTES = {"FLOAT32": 4, "INT8": 1, "INT4": 0.5}
IDS = np.random.default_rng(5).integers(0, WORDS, (3, 7)).astype("int32")


@pytest.fixture(scope="module")
def weights():
    random = np.random.default_rng(3)
    shapes = {
        "embedding": (WORDS, WIDTH),
        "query": (WIDTH, 64),
        "feed_forward": (64, UNEVEN),
        "output": (UNEVEN, WIDTH),
    }
    return {
        name: tf.Variable(random.normal(size=shape, scale=shape[0] ** -0.5).astype("float32"))
        for name, shape in shapes.items()
    }


@pytest.fixture(scope="module")
def function(weights):
    """A language model of one layer, whose output is tied to its embedding."""

    def logits(ids):
        with tf.name_scope("embedding_1"):
            x = 30 * tf.gather(weights["embedding"], ids)
        for name in ("query", "feed_forward", "output"):
            with tf.name_scope(f"{name}_1"):
                x = tf.tanh(tf.matmul(x, weights[name]) + 0.1)
        with tf.name_scope("embedding_2"):
            return {"logits": tf.matmul(x, weights["embedding"], transpose_b=True)}

    return logits


@pytest.fixture(scope="module")
def files(function, weights):
    specs = {"ids": tf.TensorSpec((None, None), "int32")}
    return converted(function, specs, list(weights.values()), ["int8"])


@pytest.fixture(scope="module")
def exact(files):
    return call(files[None])


def call(content, ids=IDS):
    runner = Interpreter(model_content=content).get_signature_runner("serving_default")
    return runner(ids=ids)["logits"]


def error(actual, wanted):
    return float(np.sqrt(np.mean((actual - wanted) ** 2) / np.mean(wanted**2)))


def matrices(content):
    """The number of stored matrices by type and shape, each buffer once."""
    model = litert_model.read_model(content)
    names = {code: name for name, code in vars(schema.TensorType).items() if name.isupper()}
    return Counter(
        {
            tensor.buffer: (names[tensor.type], tuple(map(int, tensor.shape)))
            for graph in model.subgraphs
            for tensor in graph.tensors
            if len(tensor.shape) == 2
            and model.buffers[tensor.buffer].data is not None
            and names[tensor.type] in BYTES
            and min(tensor.shape) > 9  # no scales of blocks
        }.values()
    )


TABLE, QUERY = (WORDS, WIDTH), (64, WIDTH)
HIDDEN, OUTPUT = (UNEVEN, 64), (WIDTH, UNEVEN)


@pytest.mark.parametrize(
    ("scope", "changed"),
    [
        ("all", [TABLE, QUERY, HIDDEN, OUTPUT]),
        ("embeddings", [TABLE]),
        ("attention", [QUERY]),
        ("feed_forward", [HIDDEN]),
    ],
)
@pytest.mark.parametrize(("quantize", "kind"), [("dynamic_int8", "INT8"), ("dynamic_int4", "INT4")])
def test_a_scope_changes_its_weights_alone(files, exact, quantize, kind, scope, changed):
    actual = recipes.quantized(files[None], Storage(quantize, scope))
    shapes = [TABLE, QUERY, HIDDEN, OUTPUT]
    assert matrices(actual) == Counter((kind if x in changed else "FLOAT32", x) for x in shapes)
    assert 0 < error(call(actual), exact) < (0.03 if kind == "INT8" else 0.3)


@pytest.mark.parametrize("quantize", AI_EDGE)
def test_each_precision_runs_with_its_bits_and_is_close(files, exact, quantize):
    actual = recipes.quantized(files[None], Storage(quantize))
    bits, _, block = PRECISIONS[quantize]
    kind = {8: "INT8", 4: "INT4"}[bits]
    assert {name for name, _ in matrices(actual)} == {kind}
    counts = litert_operators(actual)
    assert counts["EMBEDDING_LOOKUP"] == 1 and "GATHER" not in counts
    apart = error(call(actual), exact)
    # Rows that cannot be cut into blocks have one scale, and the others have more.
    assert apart < {8: 0.02, 4: 0.24 if block else 0.28}[bits]
    assert call(actual, IDS[:1, :1]).shape == (1, 1, WORDS)


def test_the_converter_stores_a_tied_embedding_twice_and_the_export_once(files, exact):
    content = files["int8"]
    assert matrices(content)["INT8", TABLE] == 1
    assert error(call(content), exact) < 0.02
    assert litert_operators(content)["EMBEDDING_LOOKUP"] == 1
    assert len(content) < 1.1 * sum(np.prod(x) for x in (TABLE, QUERY, HIDDEN, OUTPUT)) + 9000


def test_a_table_that_is_another_one_is_not_shared(files):
    """Not even if it has the shape of the projection, and as many rows."""
    model = litert_model.read_model(lookups.with_lookups(files[None]))
    (rows,) = (x for x in model.subgraphs[0].tensors if x.name.endswith(b"/rows"))
    assert list(rows.shape) == [1, WIDTH]
    first = litert_model.read_model(files["int8"])
    shared = [
        x
        for graph in first.subgraphs
        for x in graph.tensors
        if tuple(x.shape) == TABLE and x.quantization and len(x.quantization.scale) == WORDS
    ]
    numbers = np.frombuffer(bytes(first.buffers[shared[0].buffer].data), "int8").copy()
    other = schema.TensorT()
    other.shape, other.type = list(TABLE), schema.TensorType.INT8
    other.quantization = schema.QuantizationParametersT()
    scales = np.asarray(shared[0].quantization.scale)
    for change, same in ((0, True), (90, False)):
        rows = numbers.reshape(TABLE) * scales[:, None]
        rows[7, 5] += change * scales[7]
        scale = np.abs(rows).max() / 127
        other.quantization.scale, other.quantization.zeroPoint = [scale], [0]
        buffer = schema.BufferT()
        buffer.data = np.rint(rows / scale).astype("int8").reshape(-1).view("uint8")
        first.buffers.append(buffer)
        other.buffer = len(first.buffers) - 1
        assert (lookups._same_by_rows(first, other) is not None) is same


def test_a_scope_without_weights_is_refused(files):
    model = litert_model.read_model(files[None])
    for graph in model.subgraphs:
        for tensor in graph.tensors:
            tensor.name = tensor.name.replace(b"query", b"dense")
    with pytest.raises(ValueError, match="no weights in the scope 'attention'"):
        recipes.quantized(litert_model.write_model(model), Storage("dynamic_int8", "attention"))


# Another process calibrates when a task is exported.
@pytest.mark.filterwarnings("ignore:Warning. Enabling .experimental_preserve_all_tensors.")
def test_static_int8_keeps_weights_that_are_stored_behind_the_flatbuffer():
    kernel = np.random.default_rng(1).normal(size=(600, 600), scale=0.04).astype("float32")
    variable = tf.Variable(kernel)
    specs = {"x": tf.TensorSpec((None, 600), "float32")}

    def layer(x):
        with tf.name_scope("model_1/dense_1"):
            return {"y": tf.reshape(tf.matmul(x, variable), (-1, 600))}

    content = converted(layer, specs, [variable])[None]
    x = np.random.default_rng(2).normal(size=(64, 600)).astype("float32")
    samples = {f"{SAMPLES}serving_default": [Probe({"x": x}, {})]}
    actual = static_int8.static_int8(content, samples, ())
    assert matrices(actual)["INT8", (600, 600)] == 1
    runner = Interpreter(model_content=actual).get_signature_runner("serving_default")
    assert error(runner(x=x)["y"], x @ kernel) < 0.05


def test_the_worst_layer_is_the_one_that_was_broken(files, tmp_path):
    model = litert_model.read_model(files[None])
    graph = model.subgraphs[0]
    (place,) = (i for i, x in enumerate(graph.tensors) if tuple(x.shape) == HIDDEN)
    buffer = model.buffers[graph.tensors[place].buffer]
    buffer.data = (np.frombuffer(bytes(buffer.data), "float32") * -1).view("uint8")
    paths = [tmp_path / name for name in ("exact.tflite", "broken.tflite", "probes.npz")]
    paths[0].write_bytes(files[None])
    paths[1].write_bytes(litert_model.write_model(model))
    save_probes(paths[2], {"serving_default": [Probe({"ids": IDS}, {})]})
    job = {"file": paths[1], "float32": paths[0], "probes": paths[2], "strings": False}
    actual = measure({name: str(x) if name != "strings" else x for name, x in job.items()})
    assert actual["worst_layer"].startswith("feed_forward_1") and actual["worst_layer_error"] > 1
    assert actual["peak_memory_mb"] is None or actual["peak_memory_mb"] >= 0


@pytest.mark.parametrize(
    ("quantize", "scope", "message"),
    [
        ("int3", "all", "quantize must be one of .*'dynamic_int4'.*received 'int3'"),
        ("dynamic_int4", "head", "quantize_scope must be one of .*'attention'.*received 'head'"),
        ("float16", "attention", "quantize_scope needs a dynamic or a weight_only precision"),
        (None, "attention", "quantize_scope needs a dynamic or a weight_only precision"),
    ],
)
def test_names_that_are_no_storage(quantize, scope, message):
    with pytest.raises(ValueError, match=message):
        check_storage(quantize, scope)


@pytest.mark.thorough
def test_a_model_is_exported_by_scope(tmp_path):
    ids = keras.Input((None,), dtype="int32", name="ids")
    x = keras.layers.Embedding(301, 64, name="embedding")(ids)
    x = keras.layers.Dense(64, activation="tanh", name="query")(x)
    model = keras.Model(ids, keras.layers.Dense(5, name="output")(x))
    path = tmp_path / "x.tflite"
    report = export.litert(model, path, quantize="dynamic_int8", quantize_scope="embeddings")
    assert report.passed and report.manifest["quantize_scope"] == "embeddings"
    assert [row["file"] for row in report.files] == ["float32", "dynamic_int8-embeddings"]
    assert matrices(path.read_bytes())["INT8", (301, 64)] == 1
    assert export.verify(path).passed
    assert load(path).run("serving_default", {"ids": IDS % 301})


def test_every_scope_has_a_pattern():
    assert set(SCOPES) == {"all", "feed_forward", "attention", "embeddings"}
