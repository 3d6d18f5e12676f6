"""Tasks become checkpoints that are read again, and that Hugging Face's library reads."""

import json
import os

import numpy as np
import pytest
from keras import ops

import zoo
from tests.zoo.pretrained import tiny_bart, tiny_bert, tiny_gpt2
from tests.zoo.pretrained.features import ids_of, inputs_of
from zoo.errors import UserError
from zoo.models.bert import Bert
from zoo.options import values_of
from zoo.pretrained.encoders.bert import BERT
from zoo.pretrained.encoders.config import written_config
from zoo.tasks.learning import use_tokenizer
from zoo.text import train_tokenizer

TEXTS = ["A man in a red hat.", "Über dogs!", "zebra 你b"]
MODULES = {
    "BertModel": "AutoModel",
    "BertForPreTraining": "AutoModelForPreTraining",
    "BertForSequenceClassification": "AutoModelForSequenceClassification",
    "GPT2LMHeadModel": "AutoModelForCausalLM",
    "BartForConditionalGeneration": "AutoModelForSeq2SeqLM",
}
TINY = {"GPT2LMHeadModel": tiny_gpt2, "BartForConditionalGeneration": tiny_bart}


@pytest.fixture(scope="module", params=MODULES)
def task(request, tmp_path_factory):
    """A task of a checkpoint whose weights are no longer those of the checkpoint."""
    tiny = TINY.get(request.param, tiny_bert)
    made = zoo.from_pretrained(tiny.write(tmp_path_factory.mktemp("checkpoint"), request.param))
    rng = np.random.default_rng(7)
    for weight in made.model.weights:
        weight.assign(weight + 0.1 * rng.normal(size=weight.shape))
    return made


@pytest.fixture(scope="module")
def folder(task, tmp_path_factory):
    return zoo.to_pretrained(task, tmp_path_factory.mktemp("written") / "model")


def test_what_is_written_is_read_again(task, folder):
    again = zoo.from_pretrained(folder)
    assert type(again) is type(task)
    assert again.tokenizer.facts() == task.tokenizer.facts()
    assert again.model.get_config() == task.model.get_config()
    kept = {"preset", "vocabulary_size", "tokenizer", "examples"}
    before, after = ({**values_of(t.settings), **t.model_options} for t in (task, again))
    differ = {key for key in before if after.get(key) != before[key]}
    assert differ <= kept
    assert len(task.model.weights) > 20
    for ours, theirs in zip(task.model.weights, again.model.weights, strict=True):
        np.testing.assert_array_equal(ours, theirs, err_msg=ours.path)


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_who_may_read_it_is_for_the_user_to_say(task, tmp_path, umask):
    before = os.umask(umask)
    try:
        folder = zoo.to_pretrained(task, tmp_path / "model")
    finally:
        os.umask(before)
    for each in [folder, *folder.rglob("*")]:
        most = 0o777 if each.is_dir() else 0o666
        assert each.stat().st_mode & 0o777 == most & ~umask, each
    assert [each.name for each in tmp_path.iterdir()] == ["model"]


def test_hugging_face_reads_what_is_written(task, folder):
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    architecture = json.loads((folder / "config.json").read_text())["architectures"][0]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    automatic = getattr(transformers, MODULES[architecture])
    model, facts = automatic.from_pretrained(folder, output_loading_info=True)
    assert type(model).__name__ == architecture
    assert not any(facts[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))

    ids = ids_of(task, TEXTS)
    pad, actual = (
        task.tokenizer.special_tokens.pad,
        [tokenizer(text)["input_ids"] for text in TEXTS],
    )
    assert [row[row != pad].tolist() for row in ids] == actual
    kept = ids != pad
    given = {
        "input_ids": torch.tensor(np.where(kept, ids, 0)),
        "attention_mask": torch.tensor(kept.astype(int)),
    }
    inputs = inputs_of(task, ids)
    inputs["padding_mask"] = ops.convert_to_tensor(kept)
    if task.name == "text-to-text":
        given["decoder_input_ids"] = given["input_ids"]
        inputs |= {"target_ids": ops.convert_to_tensor(ids), "target_mask": inputs["source_mask"]}
        del inputs["padding_mask"]
    with torch.no_grad():
        theirs = model.eval()(**given)
    ours = task.model(inputs)
    if task.name == "text-embedder":  # of which Hugging Face's library has the encoder alone
        ours = task.model.backbone(inputs)
    names = {"sequence": "last_hidden_state", "pooled": "pooler_output", "logits": "logits"}
    names |= {"mlm_logits": "prediction_logits", "nsp_logits": "seq_relationship_logits"}
    compared = 0
    for name, other in names.items():
        if name in ours and other in theirs:
            pair = [ops.convert_to_numpy(ours[name]), theirs[other].numpy()]
            pair = [each[kept] if each.shape[:2] == kept.shape else each for each in pair]
            np.testing.assert_allclose(*pair, atol=2e-5)
            compared += 1
    assert compared


def test_a_folder_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    task = zoo.from_pretrained(tiny_gpt2.write(tmp_path / "checkpoint"))
    zoo.to_pretrained(task, tmp_path / "new" / "model")
    with pytest.raises(UserError, match="model already exists: choose another folder"):
        zoo.to_pretrained(task, tmp_path / "new" / "model")

    def full(*_args, **_kwargs):
        raise OSError("No space left on device")

    monkeypatch.setattr("safetensors.numpy.save_file", full)
    with pytest.raises(OSError, match="No space left"):
        zoo.to_pretrained(task, tmp_path / "new" / "other")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["model"]


def test_an_embedding_of_matches_is_refused():
    sizes = {"num_layers": 1, "hidden_dim": 14, "num_heads": 2, "intermediate_dim": 13}
    model = Bert(23, **sizes, exact_match=True)
    with pytest.raises(UserError, match="has no exact_match: train with exact_match=false"):
        written_config(BERT, model, pad=0)


def small(task, **options):
    """A task with a vocabulary of its own."""
    made = task(
        **{"hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8, "num_layers": 1, **options}
    )
    use_tokenizer(made, train_tokenizer("bytes", [], 300))
    return made


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (
            zoo.TextToText("transformer", "tiny"),
            "a text-to-text with the model transformer cannot be",
        ),
        (zoo.CausalLM("rnn_lm", "tiny"), "a causal-lm with the model rnn_lm cannot be conver"),
        (small(zoo.CausalLM), "requires a byte-bpe tokenizer; this task has a b"),
        (small(zoo.MaskedLM), "requires a bert-wordpiece tokenizer; this task has a"),
    ],
)
def test_what_hugging_face_has_not_is_refused(task, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.to_pretrained(task, tmp_path / "model")
    assert not list(tmp_path.iterdir())
