"""Operators of a SavedModel: those that compute are allowed, all others are not."""

import keras
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

import export
from export.worker.allowed import ALLOWED, RESTORING, SAVING
from export.worker.operators import GRAPH, saved_model_operators
from tests.export.models import regressor


def calling(operation):
    """A model that calls an operator beside what it computes."""

    class Beside(keras.layers.Layer):
        def call(self, x):
            with tf.control_dependencies([operation()]):
                return tf.identity(x)

    x = keras.Input((3,))
    return keras.Model(x, Beside()(x))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("name", "operate"),
    [
        ("WriteFile", lambda path: tf.io.write_file(path, "x")),
        ("ReadFile", lambda path: tf.io.read_file(__file__)),
        ("MatchingFiles", lambda path: tf.io.matching_files("/*")),
        ("PrintV2", lambda path: tf.print("x", output_stream=f"file://{path}")),
        ("SaveV2", lambda path: tf.raw_ops.SaveV2(
            prefix=path, tensor_names=["x"], shape_and_slices=[""], tensors=[tf.zeros(3)]
        )),
    ],
)  # fmt: skip
def test_what_is_more_than_computing_is_refused(name, operate, tmp_path):
    file = str(tmp_path / "written")

    with pytest.raises(export.VerificationError, match=f"not allowed: {name}"):
        export.saved_model(calling(lambda: operate(file)), tmp_path / "served")


def everyday():
    """A model of text whose operators no task has."""
    text = keras.Input((1,), dtype="string")
    words = keras.layers.TextVectorization(vocabulary=["red", "dog"], output_sequence_length=5)
    x = keras.layers.Embedding(4, 3)(words(text))
    return keras.Model(text, keras.layers.Dense(2)(keras.layers.GRU(3)(x)))


def test_the_models_of_users_are_made_of_allowed_operators():
    model = everyday()
    call = tf.function(lambda x: model(x), autograph=False)
    graph = call.get_concrete_function(tf.TensorSpec((None, 1), "string")).graph.as_graph_def()
    nodes = [*graph.node, *(node for each in graph.library.function for node in each.node_def)]
    actual = {node.op for node in nodes}

    assert {"StringSplitV2", "LookupTableFindV2", "StaticRegexReplace"} <= actual <= ALLOWED


def test_all_are_operators_of_tensorflow():
    actual = {name for name in ALLOWED | SAVING | RESTORING if not name.startswith("Xla")}

    assert actual <= set(dir(tf.raw_ops))
    assert not ALLOWED & (SAVING | RESTORING)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    path = tmp_path_factory.mktemp("operators") / "lines"
    export.saved_model(regressor(), path)
    return path / "1"


def test_weights_are_saved_by_nothing_but_the_saver(served, tmp_path):
    counts = saved_model_operators(served)
    assert counts["SaveV2 of weights"] == counts["RestoreV2 of weights"] == 1

    saved = saved_model_pb2.SavedModel.FromString((served / GRAPH).read_bytes())
    meta = saved.meta_graphs[0]
    (node,) = (x for x in meta.graph_def.node if f"{x.name}:0" == meta.saver_def.save_tensor_name)
    again = meta.graph_def.node.add()
    again.CopyFrom(node)
    again.name = "again"
    (tmp_path / GRAPH).write_bytes(saved.SerializeToString())

    counts = saved_model_operators(tmp_path)
    assert counts["SaveV2"] == counts["ShardedFilename"] == counts["RestoreV2 of weights"] == 1
    assert "SaveV2 of weights" not in counts


def test_a_second_graph_is_an_error(served, tmp_path):
    (tmp_path / GRAPH).write_bytes((served / GRAPH).read_bytes())
    (tmp_path / "saved_model.cpb").write_bytes(b"")

    with pytest.raises(ValueError, match="saved_model.cpb may be loaded in place"):
        saved_model_operators(tmp_path)
