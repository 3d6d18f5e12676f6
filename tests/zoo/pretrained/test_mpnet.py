"""MPNet's tokenizer and its bias by distance, as Hugging Face's library has them."""

import json

import numpy as np
import pytest
from keras import ops
from safetensors.numpy import load_file, save_file

import zoo
from tests.zoo.pretrained.features import ids_of
from tests.zoo.pretrained.tiny_bert import as_sentence_encoder
from tests.zoo.pretrained.tiny_encoders import HEADS, write
from zoo.errors import UserError
from zoo.models.bert import Bert
from zoo.models.bucketed_bias import BucketedBias
from zoo.models.transformer_options import TransformerOptions
from zoo.preprocessing.byte_texts import as_bytes

TEXTS = [
    "A man in a red hat.",
    "a <mask> in  \n <mask>, <mask>s",
    "Über dogs! <MASK> < mask > <mas",
    "",
    " zebra\u3000你b e\u0301 😀 العربية\x00\x07",
    "hats " * 60,
]
PAIRS = [("a dog", "red <mask>"), ("", "a hat"), ("a", "")]


def theirs(folder):
    """The tokenizer of the vocabulary in a folder, in Hugging Face's library `tokenizers`."""
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces = (folder / "vocab.txt").read_text("utf-8").split("\n")[:-1]
    ids = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "[UNK]"])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    return tokenizer


def with_json(folder, **changes):
    """Puts `tokenizer.json` in the place of `vocab.txt`; `changes` replace facts of its parts."""
    whole = json.loads(theirs(folder).to_str())
    for name, change in changes.items():
        whole[name] |= change
    (folder / "tokenizer.json").write_text(json.dumps(whole), "utf-8")
    (folder / "vocab.txt").unlink()
    return folder


@pytest.mark.parametrize("form", ["vocab.txt", "tokenizer.json"])
def test_token_ids_are_theirs_with_marks(form, tmp_path):
    folder = write(tmp_path / "read", "mpnet")
    reference = theirs(folder)
    task = zoo.from_pretrained(with_json(folder) if form == "tokenizer.json" else folder)
    longest = task.settings.max_length
    expected = [reference.encode(text).ids for text in TEXTS]
    actual = [row[row != 1].tolist() for row in ids_of(task, TEXTS)]
    assert actual == [row if len(row) <= longest else [*row[: longest - 1], 2] for row in expected]
    ids, counts = task.tokenizer.program.encode(*as_bytes({"text": TEXTS}).values())
    inside = [row[:count].tolist() for row, count in zip(ids.numpy(), counts.numpy(), strict=True)]
    assert inside == [row[1:-1] for row in expected]
    again = zoo.from_pretrained(zoo.to_pretrained(task, tmp_path / "written"))
    assert again.tokenizer.facts() == task.tokenizer.facts()
    task.save(tmp_path / "run")
    assert zoo.load(tmp_path / "run").tokenizer.facts() == task.tokenizer.facts()


def test_pairs_have_two_end_tokens_between_them(tmp_path):
    folder = write(tmp_path, "mpnet", "text-classifier")
    task = zoo.from_pretrained(folder, pairs=True)
    inputs = dict(zip(("text", "second"), map(list, zip(*PAIRS, strict=True)), strict=True))
    ids = task.preprocessor.read(inputs)["token_ids"]
    reference = theirs(folder)
    assert [row[row != 1].tolist() for row in ids] == [reference.encode(*p).ids for p in PAIRS]


def test_a_sentence_encoder_is_one_whatever_its_base_was(tmp_path):
    """As of all-mpnet-base-v2, whose base was trained to predict masked tokens."""
    named = write(tmp_path / "x", "mpnet", architectures=["MPNetForMaskedLM"])
    task = zoo.from_pretrained(as_sentence_encoder(named))
    assert task.name == "text-embedder" and task.origin == []
    expected = zoo.from_pretrained(as_sentence_encoder(write(tmp_path / "y", "mpnet")))
    np.testing.assert_array_equal(task.embed(TEXTS), expected.embed(TEXTS))


def oracle(x, biases, start=0, max_distance=128, causal=False):
    """The scores with biases, distance by distance, in float64."""
    half = len(biases) if causal else len(biases) // 2
    exact = half // 2
    y = x.astype("float64")
    for t, s in np.ndindex(*x.shape[-2:]):
        distance = min(s - t - start, 0) if causal else s - t - start
        n = abs(distance)
        if n >= exact:
            grown = np.log(n / exact) / np.log(max_distance / exact) * (half - exact)
            n = min(half - 1, exact + int(grown + 1e-6))
        y[..., t, s] += biases[n + half * (distance > 0)]
    return y


@pytest.mark.parametrize(("number", "most"), [(32, 128), (10, 11), (4, 7)])
@pytest.mark.parametrize("start", [0, 3, 140])
@pytest.mark.parametrize("causal", [False, True])
def test_a_bias_is_that_of_the_bucket(number, most, start, causal):
    layer = BucketedBias(number, most, causal=causal)
    scores = np.random.default_rng(3).normal(size=(2, HEADS, 13, 149)).astype("float32")
    layer.build(scores.shape)
    biases = np.random.default_rng(5).normal(size=(number, HEADS)).astype("float32")
    layer.biases.assign(biases)
    actual = ops.convert_to_numpy(layer(scores, start_index=start))
    np.testing.assert_allclose(actual, oracle(scores, biases, start, most, causal), atol=1e-5)
    again = BucketedBias.from_config(layer.get_config())
    assert (again.num_buckets, again.max_distance, again.causal) == (number, most, causal)


def test_all_blocks_share_the_biases(tmp_path):
    import keras

    sizes = {"num_layers": 3, "hidden_dim": 14, "num_heads": 2, "intermediate_dim": 13}
    model = Bert(23, **sizes, num_segments=0, relative_attention_num_buckets=8)
    plain = Bert(23, **sizes, num_segments=0)
    assert len(model.weights) == len(plain.weights) + 1
    assert len(model.trainable_variables) == len(plain.trainable_variables) + 1
    assert len({id(block.attention.position) for block in model.blocks}) == 1
    model.relative_bias.biases.assign(np.random.default_rng(3).normal(size=(8, 2)))
    ids = np.array([[2, 7, 9, 8, 3]], "int32")
    inputs = {"token_ids": ids, "padding_mask": ids > 0, "segment_ids": ids * 0}
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again(inputs)["sequence"], model(inputs)["sequence"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"relative_attention_num_buckets": 5}, "num_buckets must be even and at least 4"),
        (
            {"relative_attention_num_buckets": 32, "relative_attention_max_distance": 8},
            "max_distance must be more than a quarter of num_buckets=32; received 8",
        ),
    ],
)
def test_a_bias_that_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Bert(23, 1, 14, 2, 13, **options)


def test_there_is_one_kind_of_positions_in_attention():
    options = TransformerOptions(position="alibi")
    with pytest.raises(ValueError, match="requires attention='full' and no other positions inside"):
        Bert(23, 1, 14, 2, 13, relative_attention_num_buckets=8, options=options)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"relative_attention_num_buckets": 10}, "relative_attention_num_buckets = 10 is not supp"),
        ({"pad_token_id": 31}, "pad_token_id must be an id of the 31 rows"),
        ({"pad_token_id": 2}, "pad_token_id = 2, but the padding token of the tokenizer is 1"),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused(changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path, "mpnet", **changes))


def test_biases_of_another_shape_and_another_frame_are_refused(tmp_path):
    folder = write(tmp_path / "bias", "mpnet")
    tensors = load_file(folder / "model.safetensors")
    name = "encoder.relative_attention_bias.weight"
    save_file({**tensors, name: tensors[name][:10]}, folder / "model.safetensors")
    with pytest.raises(UserError, match=f"{name} has shape \\(10, 3\\), expected \\(32, 3\\)"):
        zoo.from_pretrained(folder)
    folder = with_json(write(tmp_path / "frame", "mpnet"), post_processor={"sep": ["<s>", 0]})
    with pytest.raises(UserError, match="expected RobertaProcessing with '<s>' and '</s>'"):
        zoo.from_pretrained(folder)
    folder = write(tmp_path / "names", "mpnet")
    (folder / "tokenizer_config.json").write_text('{"sep_token": "[SEP]"}', "utf-8")
    with pytest.raises(UserError, match=r"the vocabulary lacks the token '\[SEP\]'"):
        zoo.from_pretrained(folder)
