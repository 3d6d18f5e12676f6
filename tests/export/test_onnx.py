"""ONNX files of Keras models: names, shapes, operators, what is refused, and who else is there."""

import os
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import keras
import numpy as np
import onnx
import onnxruntime
import pytest
from keras import ops
from onnx import TensorProto, helper

import export
from export import extras, manifest, placement
from export.extras import check_extra
from export.serving import open_artifact
from export.worker import digest
from export.worker.artifact import load
from export.worker.onnx_files import operators_in, output_names
from keras_attn import (
    LSTM,
    LinearAttention,
    LocalAttention,
    MultiHeadAttention,
    RandomFeatureAttention,
)
from tests.export.models import jitter, regressor, tagger
from tests.faults.damage import forge
from tests.pages import said

ROOT = Path(__file__).parents[2]
FILE = "serving_default.onnx"


def session(folder):
    return onnxruntime.InferenceSession(folder / FILE)


def failed(path):
    return {check.name: check.detail for check in export.verify(path).failed}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    export.onnx(regressor(), folder / "lines")
    return folder


@pytest.fixture
def lines(exported, tmp_path):
    """A copy to spoil."""
    shutil.copytree(exported, tmp_path, dirs_exist_ok=True)
    return tmp_path / "lines"


def recurrent():
    ids = keras.Input((None,), dtype="int32", name="token_ids")
    x = keras.layers.Embedding(31, 13, mask_zero=True)(ids)
    x = keras.layers.Bidirectional(LSTM(7, return_sequences=True))(x)
    x = MultiHeadAttention(num_heads=2, key_dim=6, position="rotary")(x, x, use_causal_mask=True)
    x = keras.layers.Dense(11, activation="gelu")(x)
    return jitter(keras.Model(ids, {"token_ids": keras.layers.Dense(3)(x)}))


@pytest.mark.thorough
@pytest.mark.parametrize(("batch", "length"), [(1, 1), (5, 17), (2, 97), (0, 3), (3, 0)])
def test_layers_of_any_batch_and_length(batch, length, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "recurrent"
    model = recurrent()
    if not folder.exists():
        assert export.onnx(model, folder).passed
    ids = np.random.default_rng(3).integers(1, 31, size=(batch, length)).astype("int32")
    (output,) = session(folder).run(["output_token_ids"], {"token_ids": ids})
    expected = model(ids)["token_ids"] if ids.size else np.zeros((batch, length, 3), "float32")
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)


ONE_HEAD = {
    "of queries": MultiHeadAttention(num_heads=1, key_dim=5),
    "of keys and values": MultiHeadAttention(num_heads=4, key_dim=5, num_key_value_heads=1),
    "linear": LinearAttention(num_heads=1, key_dim=5),
    "random features": RandomFeatureAttention(num_heads=1, key_dim=5, num_features=8),
    "local": LocalAttention(num_heads=1, key_dim=5, window=3),
}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ONE_HEAD)
def test_attention_with_one_head(kind, tmp_path):
    """Its axis of size 1 turns transpositions into reshapes, which tf2onnx merges wrongly."""
    x = keras.Input((None, 7), name="x")
    model = jitter(keras.Model(x, {"y": ONE_HEAD[kind](x, x)}))
    assert export.onnx(model, tmp_path / "a").passed
    values = np.random.default_rng(5).normal(size=(3, 11, 7)).astype("float32")
    (output,) = session(tmp_path / "a").run(["y"], {"x": values})
    np.testing.assert_allclose(output, model(values)["y"], rtol=1e-4, atol=1e-5)


def test_what_is_in_the_folder(lines):
    assert {path.name for path in lines.iterdir()} == {FILE, "SIGNATURES.md"}
    page = (lines / "SIGNATURES.md").read_text("utf-8")
    assert open_artifact(lines).beside == {"SIGNATURES.md": page}
    entry = manifest.find(lines.parent, "lines")
    assert entry["format"] == "onnx" and entry["operators"]["MatMul"] == 1
    assert {"onnxruntime", "tf2onnx"} <= set(entry["versions"])
    (each,) = session(lines).get_inputs()
    assert (each.name, each.shape) == ("input_0", ["batch", 7])
    assert len(said(lines / "SIGNATURES.md", lines.parent)) == 1
    assert not failed(lines)


def test_dtypes_axes_and_rows(tmp_path):
    model = tagger()
    report = export.onnx(model, tmp_path / "tagger")
    names = {check.name for check in report.checks}
    assert {
        "serving_default: invariant to padding",
        "serving_default: refuses other ranks",
    } <= names
    inputs = {
        each.name: (each.type, each.shape) for each in session(tmp_path / "tagger").get_inputs()
    }
    assert inputs == {
        "token_ids": ("tensor(int32)", ["batch", "token_ids_1"]),
        "padding_mask": ("tensor(bool)", ["batch", "padding_mask_1"]),
    }
    given = {"token_ids": np.array([[3, 5, 7]], "int32"), "padding_mask": np.ones((1, 3), bool)}
    actual = load(tmp_path / "tagger").run("serving_default", given)
    expected = model(given)
    for name in ("logits", "pooled"):
        np.testing.assert_allclose(actual[name], expected[name], rtol=1e-5, atol=1e-6)


def test_a_newer_export_takes_the_place_of_the_older(lines):
    link = lines.with_name("current")
    link.symlink_to(lines.name)
    model = regressor()
    model.layers[0].kernel.assign(model.layers[0].kernel + 1.0)
    report = export.onnx(model, link)
    x = np.ones((2, 7), "float32")
    np.testing.assert_allclose(session(lines).run(None, {"input_0": x})[0], model(x), rtol=1e-5)
    assert link.is_symlink() and not failed(lines) and not failed(link)
    names = {"lines", "current", "manifest.json", report.manifest["probes"]}
    assert set(os.listdir(lines.parent)) == names


@pytest.mark.thorough
@pytest.mark.parametrize("moves", range(5))
def test_whenever_it_is_stopped_the_folder_in_its_place_verifies(lines, monkeypatch, moves):
    """Probes, manifest, folder and manifest again are moved in this order."""
    before, left = digest.sha256(lines), iter([True] * moves)

    def stopping(step):
        def stop_or(*paths):
            if not next(left, False):
                raise KeyboardInterrupt
            step(*paths)

        return stop_or

    for name in ("_move", "replace"):
        monkeypatch.setattr(placement, name, stopping(getattr(placement, name)))
    with pytest.raises(KeyboardInterrupt) if moves < 4 else nullcontext():
        export.onnx(regressor(width=11), lines)
    monkeypatch.undo()
    assert (digest.sha256(lines) == before) == (moves < 3)
    assert not failed(lines)
    assert {name for name in os.listdir(lines.parent) if name.startswith(".")} == set()


EXPORT = """
import sys, export
from tests.export.models import regressor
try:
    export.onnx(regressor(), sys.argv[1])
except ValueError as error:
    sys.exit(str(error))
"""


@pytest.mark.long
def test_exports_at_the_same_time(tmp_path):
    """Two to one folder, of which one may be refused, and one to a folder beside it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", EXPORT, tmp_path / name],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("lines", "lines", "others")
    ]
    errors = [each.communicate()[1] for each in running]

    codes = [each.returncode for each in running]
    assert codes[2] == 0 and 0 in codes[:2], errors
    for code, error in zip(codes, errors, strict=True):
        assert code == 0 or "Another process is exporting to" in error
    for name in ("lines", "others"):
        assert export.verify(tmp_path / name).passed
    assert set(manifest.read(tmp_path)["artifacts"]) == {"lines", "others"}


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda path: path.write_text("notes"), "is a file: ONNX files need a folder"),
        (lambda path: (path.mkdir(), (path / "notes").write_text("")), "holds files that were not"),
        (lambda path: export.saved_model(regressor(), path), "holds files that were not"),
    ],
)
def test_what_is_not_replaced(tmp_path, make, match):
    make(tmp_path / "place")
    with pytest.raises(ValueError, match=match):
        export.onnx(regressor(), tmp_path / "place")


def test_arguments_that_are_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match='text must be "bytes", or None for token ids'):
        export.onnx(regressor(), tmp_path / "lines", text="strings")
    monkeypatch.setitem(
        extras.EXTRAS, "onnx", ("ONNX", {"onnx": "onnx", "gone": "tf2onnx_missing"})
    )
    with pytest.raises(ValueError, match=r"tf2onnx_missing: pip install 'keras-attn\[onnx\]'"):
        check_extra("onnx")
    assert not any(tmp_path.iterdir())


def test_an_operator_that_onnx_lacks_is_named_with_its_layer(tmp_path):
    signal = keras.Input((16,), name="signal")
    layer = keras.layers.Lambda(lambda x: ops.erfinv(ops.tanh(x)), name="odd_layer")
    with pytest.raises(
        export.VerificationError, match=r"no operator for: Erfinv \(.*odd_layer"
    ) as e:
        export.onnx(keras.Model(signal, layer(signal)), tmp_path / "odd")
    assert [check.name for check in e.value.report.failed] == ["conversion"]
    assert os.listdir(tmp_path) == ["odd.report.json"]


# --- Files of strangers ---


def changed(folder: Path, change):
    """Changes the model, and makes the manifest agree."""
    model = onnx.load(folder / FILE)
    change(model)
    (folder / FILE).write_bytes(model.SerializeToString())
    forge(folder)


def test_a_changed_file_is_not_read(lines):
    (lines / FILE).write_bytes(b"\x08\x09" * 99)
    assert set(failed(lines)) == {"sha256 artifact"}
    forge(lines)
    assert set(failed(lines)) == {"operators"}


def test_a_changed_weight_is_found(lines):
    def change(model):
        (weights,) = [x for x in model.graph.initializer if len(x.dims) == 2]
        weights.raw_data = bytes(len(weights.raw_data))

    changed(lines, change)
    assert set(failed(lines)) == {"serving_default: output_0"}


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(("operator", "domain"), [("Gelu", "com.microsoft"), ("Read", "")])
def test_an_operator_that_is_not_of_onnx_is_refused(lines, operator, domain, inside):
    node = helper.make_node(operator, ["input_0"], ["odd"], domain=domain)
    if inside:
        body = helper.make_graph([node], "body", [], [])
        node = helper.make_node("If", ["yes"], [], then_branch=body, else_branch=body)
    changed(lines, lambda model: model.graph.node.append(node))
    name = f"{domain}.{operator}".strip(".")
    assert failed(lines) == {"operators": f"not allowed: custom:{name}"}


def test_weights_in_another_file_are_refused(lines):
    def change(model):
        tensor = model.graph.initializer[0]
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="../../secret")

    changed(lines, change)
    assert failed(lines)["operators"].endswith(f"{FILE} reads weights from another file")


def test_a_folder_that_would_be_loaded_as_another_format_is_refused(lines):
    export.saved_model(regressor(), lines.parent / "saved")
    shutil.copy(lines.parent / "saved" / "1" / "saved_model.pb", lines)
    forge(lines, format="saved_model")
    (why,) = failed(lines).values()
    assert "saved_model.pb is not UTF-8 text" in why


def test_two_outputs_never_share_a_name():
    with pytest.raises(ValueError, match="'output_ids' beside that input"):
        output_names(["ids"], ["ids", "output_ids"])


def test_operators_have_the_names_of_their_nodes():
    node = helper.make_node("Add", ["a", "a"], ["b"], name="sum")
    graph = helper.make_graph([node], "g", [], [])
    assert operators_in(helper.make_model(graph).SerializeToString(), "f") == [("Add", "sum")]
