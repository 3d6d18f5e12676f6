"""ELECTRA's embeddings of their own width, and the encoder of its discriminator."""

import json

import numpy as np
import pytest
from keras import ops
from safetensors.numpy import load_file, save_file

import zoo
from tests.zoo.pretrained.tiny_encoders import REFERENCES, TINY, WIDTH, drawn, write
from zoo.errors import UserError

REFERENCE = np.load(REFERENCES / "encoders.npz")


def sequence(task):
    """The hidden states of the ids of which the references are."""
    ids = TINY["electra"].ids
    inputs = {
        "token_ids": ids.astype("int32"),
        "padding_mask": ids != 0,
        "segment_ids": TINY["electra"].segment_ids.astype("int32"),
    }
    inputs = {name: ops.convert_to_tensor(x) for name, x in inputs.items()}
    return ops.convert_to_numpy(task.model.backbone(inputs)["sequence"])[ids != 0]


def test_without_a_width_of_embeddings_it_is_the_encoder_of_bert(tmp_path):
    folder = write(tmp_path / "read", "bert")
    config = {
        **json.loads((folder / "config.json").read_text()),
        "architectures": ["ElectraModel"],
        "model_type": "electra",
        "embedding_size": WIDTH,
    }
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    task = zoo.from_pretrained(folder)
    assert task.model.backbone.embedding_projection is None
    expected = REFERENCE["bert/text-embedder/last_hidden_state"]
    keep = TINY["electra"].ids != 0
    np.testing.assert_allclose(sequence(task), expected[keep], atol=1e-5)
    written = zoo.to_pretrained(task, tmp_path / "written")
    again = json.loads((written / "config.json").read_text())
    assert (again["architectures"], again["embedding_size"]) == (["ElectraModel"], WIDTH)
    assert not any("project" in name for name in load_file(written / "model.safetensors"))


def test_of_a_discriminator_the_encoder_is_read(tmp_path):
    folder = write(tmp_path / "x", "electra", "masked-lm", architectures=["ElectraForPreTraining"])
    tensors = load_file(folder / "model.safetensors")
    kept = {name: each for name, each in tensors.items() if name.startswith("electra.")}
    head = {"discriminator_predictions.dense.weight": drawn("head", (WIDTH, WIDTH))}
    save_file({**kept, **head}, folder / "model.safetensors")
    task = zoo.from_pretrained(folder)
    assert task.name == "text-embedder"
    assert task.origin[0] == "only the encoder of ElectraForPreTraining was read"
    masked = write(tmp_path / "y", "electra", "masked-lm")
    with pytest.warns(UserWarning, match="has no weights for pooler and next_sentence"):
        np.testing.assert_array_equal(sequence(task), sequence(zoo.from_pretrained(masked)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"embedding_size": 11}, "embedding_size = 11, but the tensor .* has the shape"),
        ({"embedding_size": 0}, "embedding_size must be a positive integer, got 0"),
        ({"embedding_size": 5}, "embeddings.word_embeddings.weight has shape"),
        ({"vocab_size": 37}, "vocab_size = 37, but the tensor"),
        ({"hidden_size": 13}, "hidden_size = 13, but the tensor"),
    ],
)
def test_a_size_that_does_not_fit_is_refused(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path, "electra", **changes))


def test_a_projection_that_is_missing_is_named(tmp_path):
    folder = write(tmp_path, "electra", without=("embeddings_project.bias",))
    with pytest.raises(UserError, match="lacks the tensor embeddings_project.bias"):
        zoo.from_pretrained(folder)


def test_a_model_that_is_no_checkpoint_of_a_family_says_why(tmp_path):
    """A mixture of DistilBERT's and ELECTRA's options is none of either."""
    options = {"num_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8}
    options |= {"num_segments": 0, "pooler_activation": "gelu", "tokenizer": "words"}
    task = zoo.TextClassifier("bert", **options)
    task.adapt([("a red hat", "good"), ("a dog", "bad")])
    with pytest.raises(
        UserError, match="an ELECTRA checkpoint requires num_segments of at least 1"
    ):
        zoo.to_pretrained(task, tmp_path / "written")
    assert not (tmp_path / "written").exists()
    task = zoo.TextClassifier("bert", **{**options, "pooler_activation": "tanh"})
    task.adapt([("a red hat", "good"), ("a dog", "bad")])
    with pytest.raises(UserError, match="a BERT checkpoint requires num_segments of at least 1"):
        zoo.to_pretrained(task, tmp_path / "written")
