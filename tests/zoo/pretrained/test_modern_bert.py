"""ModernBERT: what no other encoder has. Outputs of all its tasks: test_encoders."""

import json
import random
import unicodedata

import numpy as np
import pytest
from keras import ops

import zoo
from tests.zoo.pretrained.tiny_encoders import REFERENCES, RUNS, TINY, their_modern_bert, write
from zoo.errors import UserError

REFERENCE = np.load(REFERENCES / "encoders.npz")
LACKING = pytest.mark.filterwarnings("ignore:.* has no weights for")
FULL, SLIDING = "full_attention", "sliding_attention"
THETAS = {
    FULL: {"rope_type": "default", "rope_theta": 500.0},
    SLIDING: {"rope_type": "default", "rope_theta": 7.0},
}


def texts(count, seed=0):
    rng = random.Random(seed)
    parts = [
        "a",
        " man",
        " red",
        "hat",
        " dog's",
        "é",
        "🙂",
        "12",
        ".",
        "\n",
        "\t",
        "日本",
        "U\u0308",
    ]
    parts += [*RUNS, " ", " "]
    actual = ["".join(rng.choices(parts, k=rng.randrange(20))) for _ in range(count)]
    return [*(unicodedata.normalize("NFC", each) for each in actual), *(" " * k for k in range(30))]


def hidden(task):
    tiny = TINY["modernbert"]
    ids = ops.convert_to_tensor(tiny.ids.astype("int32"))
    mask = ops.convert_to_tensor(tiny.ids != tiny.special[2])
    inputs = {"token_ids": ids, "padding_mask": mask, "segment_ids": ops.zeros_like(ids)}
    return ops.convert_to_numpy(task.model.backbone(inputs)["sequence"])


def expected():
    return REFERENCE["modernbert/text-embedder/last_hidden_state"]


KEEP = TINY["modernbert"].ids != TINY["modernbert"].special[2]


@LACKING
@pytest.mark.parametrize(
    "config",
    [
        {"rope_parameters": {FULL: THETAS[SLIDING], SLIDING: THETAS[FULL]}},
        {"local_attention": 6},
        {"layer_types": [FULL, SLIDING, FULL, SLIDING]},
        {"layer_types": [SLIDING] * 4},
        {"hidden_activation": "silu"},
        {"norm_eps": 0.3},
    ],
)
def test_each_option_matters(config, tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", "modernbert", **config))
    assert np.abs(hidden(task) - expected())[KEEP].max() > 0.005
    again = zoo.from_pretrained(zoo.to_pretrained(task, tmp_path / "written"))
    np.testing.assert_array_equal(hidden(again), hidden(task))


@LACKING
def test_older_files_say_the_same(tmp_path):
    older = {"layer_types": None, "rope_parameters": None, "global_attn_every_n_layers": 3}
    older |= {"global_rope_theta": 500.0, "local_rope_theta": 7.0}
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", "modernbert", **older))
    np.testing.assert_allclose(hidden(task)[KEEP], expected()[KEEP], atol=2e-5)


@LACKING
def test_missing_keys_are_those_of_the_published_files(tmp_path):
    older = {"layer_types": None, "rope_parameters": None}
    folder = write(tmp_path / "checkpoint", "modernbert", **older)
    facts = json.loads((folder / "config.json").read_text("utf-8"))
    del facts["local_attention"]
    (folder / "config.json").write_text(json.dumps(facts), "utf-8")
    config = zoo.from_pretrained(folder).model.backbone.get_config()
    published = {"rope_theta": 160_000, "local_rope_theta": 10_000, "sliding_window": 65}
    published |= {"global_layer_interval": 3}
    assert {name: config[name] for name in published} == published


@LACKING
def test_ids_are_theirs(tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", "modernbert"))
    some, whole = texts(1000), their_modern_bert()
    ids = task.tokenizer.tokenize(some).to_list()
    theirs = [whole.encode(text, add_special_tokens=False).ids for text in some]
    assert not [x for x in zip(some, ids, theirs, strict=True) if x[1] != x[2]]
    spelled = [each.decode() for each in task.tokenizer.detokenize(
        task.tokenizer.tokenize(some)).numpy()]  # fmt: skip
    assert spelled == some
    masked = "a [MASK]  man  [MASK]"
    assert task.tokenizer.tokenize([masked]).to_list() == [
        whole.encode(masked, add_special_tokens=False).ids
    ]


@LACKING
def test_written_files_give_the_same_ids(tmp_path):
    from tokenizers import Tokenizer

    task = zoo.from_pretrained(write(tmp_path / "checkpoint", "modernbert"))
    folder = zoo.to_pretrained(task, tmp_path / "written")
    written, whole = Tokenizer.from_file(str(folder / "tokenizer.json")), their_modern_bert()
    for text in texts(100):
        assert written.encode(text).ids == whole.encode(text).ids
        assert written.encode(text, "a  man").ids == whole.encode(text, "a  man").ids
    assert zoo.from_pretrained(folder).tokenizer.facts() == task.tokenizer.facts()


@LACKING
def test_a_run_reads_texts_as_before(tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", "modernbert"))
    task.save(tmp_path / "run")
    again = zoo.load(tmp_path / "run")
    np.testing.assert_array_equal(hidden(again), hidden(task))
    assert again.tokenizer.tokenize(["a  man"]).to_list() == [
        their_modern_bert().encode("a  man", add_special_tokens=False).ids
    ]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"norm_bias": True}, "norm_bias = True is not supported; expected False"),
        ({"classifier_bias": True}, "classifier_bias = True is not supported"),
        ({"decoder_bias": False}, "decoder_bias = False is not supported"),
        ({"classifier_activation": "silu"}, "classifier_activation = silu is not supported"),
        ({"classifier_pooling": "max"}, "classifier_pooling = 'max' is not supported"),
        ({"local_attention": 0}, "local_attention must be a positive integer, got 0"),
        ({"layer_types": [SLIDING, FULL] * 2}, "for every n-th, from the first on"),
        ({"layer_types": ["other"] * 4}, "layer_types with 'other' is not supported"),
        ({"global_attn_every_n_layers": 0}, "must be a positive integer, got 0"),
        ({"rope_parameters": [3]}, "rope_parameters must be an object"),
        (
            {"rope_parameters": {**THETAS, FULL: {"rope_type": "linear", "factor": 2.0}}},
            "rope_type = 'linear' is not supported; expected default",
        ),
        ({"max_position_embeddings": 10**12}, "must be an integer from 1 to"),
        ({"pad_token_id": 3}, "pad_token_id = 3, but the padding token of the tokenizer is 1"),
    ],
)
def test_what_is_not_supported_is_named(config, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path / "checkpoint", "modernbert", **config))


def test_other_special_tokens_are_refused(tmp_path):
    folder = write(tmp_path / "checkpoint", "modernbert")
    whole = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    whole["post_processor"]["pair"] = whole["post_processor"]["single"]
    (folder / "tokenizer.json").write_text(json.dumps(whole), "utf-8")
    with pytest.raises(UserError, match=r"special tokens must be '\[CLS\]' before a text"):
        zoo.from_pretrained(folder)


def test_a_classifier_begins_with_the_hidden_layer_of_what_fills_masks(tmp_path, recwarn):
    """As `ModernBertForSequenceClassification.from_pretrained` does, whose names are the same."""
    from safetensors.numpy import load_file

    folder = write(tmp_path / "checkpoint", "modernbert", "masked-lm")
    task = zoo.from_pretrained(folder, "text-classifier", labels=["no", "yes"])
    task.adapt([("a man", "no"), ("red hat", "yes")])
    kernel = ops.convert_to_numpy(task.model.backbone.pooler.kernel)
    tensors = load_file(folder / "model.safetensors")
    np.testing.assert_array_equal(kernel, tensors["head.dense.weight"].T)
    assert not [each for each in recwarn if "no weights for" in str(each.message)]
