"""A BART checkpoint's weights give what Hugging Face's library gives for them."""

import json
from pathlib import Path

import numpy as np
import pytest
from keras import ops
from safetensors.numpy import save_file

from zoo.catalog import create_model
from zoo.errors import UserError
from zoo.pretrained.bart import bart_config, load_model
from zoo.pretrained.checkpoint import Checkpoint

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "bart.npz")
CONFIG = json.loads(str(REFERENCE["config"]))
SOURCES, TARGETS = REFERENCE["sources"].astype("int32"), REFERENCE["targets"].astype("int32")
MASK = SOURCES != CONFIG["pad_token_id"]


def checkpoint(folder, rename=lambda name: name):
    """A folder as Hugging Face's library would write; tensors renamed to None are left out."""
    (folder / "config.json").write_text(json.dumps(CONFIG))
    tensors = {name: REFERENCE[name] for name in REFERENCE.files if name.startswith("tensor/")}
    named = {rename(name.removeprefix("tensor/")): tensor for name, tensor in tensors.items()}
    save_file({k: v for k, v in named.items() if k}, folder / "model.safetensors")
    return Checkpoint(folder)


def loaded(found, **options):
    config = {**bart_config(found.config), **options}
    model = create_model("bart", vocabulary_size=CONFIG["vocab_size"], **config)
    load_model(model, found)
    return model


def run(model):
    inputs = {
        "source_ids": SOURCES,
        "source_mask": MASK,
        "target_ids": TARGETS,
        "target_mask": np.ones_like(TARGETS, bool),
    }
    inputs = {name: ops.convert_to_tensor(value) for name, value in inputs.items()}
    sequence = ops.convert_to_numpy(model.encode(inputs)["sequence"])
    return ops.convert_to_numpy(model(inputs)["logits"]), sequence[MASK]


def test_outputs_are_those_of_hugging_face(tmp_path):
    logits, sequence = run(loaded(checkpoint(tmp_path)))
    assert REFERENCE["logits"].std() > 0.5
    np.testing.assert_allclose(sequence, REFERENCE["sequence"][MASK], atol=1e-5)
    np.testing.assert_allclose(logits, REFERENCE["logits"], atol=1e-5)


def test_without_heads_and_with_fewer_positions(tmp_path):
    """As the model alone is saved: no bias of logits, no prefix, another of the tied names."""

    def rename(name):
        name = name.removeprefix("model.").replace("shared", "encoder.embed_tokens")
        return None if name == "final_logits_bias" else name

    logits, sequence = run(loaded(checkpoint(tmp_path, rename), max_length=9))
    np.testing.assert_allclose(sequence, REFERENCE["sequence"][MASK], atol=1e-5)
    expected = REFERENCE["logits"] - REFERENCE["tensor/final_logits_bias"]
    np.testing.assert_allclose(logits, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"activation_function": "mish"}, "activation 'mish' is not supported"),
        ({"scale_embedding": True}, "scale_embedding is not supported"),
        ({"decoder_ffn_dim": 7}, r"hidden_width must be the same .* got \[19, 7\]"),
    ],
)
def test_what_the_model_has_not_is_named(changes, message):
    with pytest.raises(UserError, match=message):
        bart_config({**CONFIG, **changes})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model.shared.weight", "lacks the tensor model.shared.weight"),
        ("model.encoder.layers.1.fc1.bias", "lacks the tensor model.encoder.layers.1.fc1.bias"),
    ],
)
def test_what_is_missing_is_named(name, message, tmp_path):
    found = checkpoint(tmp_path, lambda each: None if each == name else each)
    with pytest.raises(UserError, match=message):
        loaded(found)


def test_more_positions_than_there_are_is_refused(tmp_path):
    with pytest.raises(
        UserError, match=r"embed_positions.weight has shape \(25, 12\), expected \(31, "
    ):
        loaded(checkpoint(tmp_path), max_length=29)
