"""A checkpoint is read from a folder or from the hub; what is missing or damaged is named."""

import hashlib
import json
import os
import pickle

import numpy as np
import pytest

import zoo
from tests.zoo.pretrained import tiny_bart, tiny_bert, tiny_gpt2, tiny_llama
from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.vocabulary import refuse_added_tokens
from zoo.registry import MODELS


class Trap:
    """Leaves a file where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return type(self.path).touch, (self.path,)


def test_a_pickle_is_refused_and_never_read(tmp_path):
    folder = tiny_bert.write(tmp_path / "checkpoint")
    (folder / "model.safetensors").unlink()
    sprung = tmp_path / "sprung"
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Trap(sprung)))
    with pytest.raises(UserError, match=r"has no model.safetensors. Pickled weights \(.bin\) are"):
        zoo.from_pretrained(folder)
    assert not sprung.exists()
    pickle.loads((folder / "pytorch_model.bin").read_bytes())
    assert sprung.exists()


def test_the_digests_of_its_files_stay(tmp_path):
    folder = tiny_bert.write(tmp_path / "checkpoint", shards=2)
    digests = {
        f"checkpoint/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.glob("*.safetensors")
    }
    zoo.from_pretrained(folder).save(tmp_path / "run")
    task = zoo.load(tmp_path / "run")
    assert len(digests) == 2 and task.data == task.export_parts().config["data"] == digests


@pytest.mark.long
def test_the_digests_of_its_files_stay_when_it_is_trained(tmp_path):
    folder = tiny_bert.write(tmp_path / "checkpoint")
    (tmp_path / "data.tsv").write_text("a hat\tgood\na dog\tbad\n" * 2)
    task = zoo.from_pretrained(folder, "text-classifier")
    task.adapt(tmp_path / "data.tsv")
    options = {"xla": False, "verbose": False}
    task.fit(tmp_path / "data.tsv", folder=tmp_path / "run", epochs=1, **options)
    task.save(tmp_path / "run")
    names = {"checkpoint/model.safetensors", "data.tsv"}
    again = zoo.load(tmp_path / "run")
    assert set(again.data) == names
    again.fit(folder=tmp_path / "run", resume=True, epochs=2, **options)
    assert set(again.data) == names


def test_a_missing_shard_is_named(tmp_path):
    folder = tiny_bert.write(tmp_path, shards=3)
    (folder / "model-00002-of-00003.safetensors").unlink()
    with pytest.raises(UserError, match="lacks model-00002-of-00003.safetensors, which model.safe"):
        zoo.from_pretrained(folder)


def test_a_tensor_that_its_shard_lacks_is_named(tmp_path):
    folder = tiny_gpt2.write(tmp_path, shards=2)
    file = folder / "model.safetensors.index.json"
    index = json.loads(file.read_text())
    places = index["weight_map"]
    name = "transformer.wpe.weight"
    (places[name],) = set(places.values()) - {places[name]}
    file.write_text(json.dumps(index))
    with pytest.raises(UserError, match=f"{places[name]} is damaged: .*{name}"):
        zoo.from_pretrained(folder)


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("content", [b"", b"no tensors at all", None])
def test_a_damaged_file_is_named(shards, content, tmp_path):
    folder = tiny_bert.write(tmp_path, shards=shards)
    file = sorted(folder.glob("*.safetensors"))[-1]
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if content is None else content)
    with pytest.raises(UserError, match=f"{file} is damaged: "):
        zoo.from_pretrained(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.txt", "config.json"])
def test_pipes_and_folders_are_refused(name, tmp_path):
    folder = tiny_bert.write(tmp_path)
    for make in (os.mkfifo, os.mkdir):
        path = folder / name
        path.unlink(missing_ok=True)
        make(path)
        with pytest.raises(UserError, match=rf"{path}"):
            zoo.from_pretrained(folder)
        path.rmdir() if path.is_dir() else path.unlink()


@pytest.mark.parametrize(
    ("tiny", "missing", "message"),
    [
        (tiny_bert, "vocab.txt", "has neither tokenizer.json nor vocab.txt"),
        (tiny_gpt2, "vocab.json", "has neither tokenizer.json nor vocab.json"),
        (tiny_gpt2, "merges.txt", "has no merges.txt"),
        (tiny_gpt2, "config.json", "has no config.json: it is not a checkpoint"),
    ],
)
def test_a_missing_file_is_named(tiny, missing, message, tmp_path):
    folder = tiny.write(tmp_path)
    (folder / missing).unlink()
    with pytest.raises(UserError, match=f"{tmp_path} {message}"):
        zoo.from_pretrained(folder)


def test_a_name_is_asked_of_the_hub(tmp_path, monkeypatch):
    folder, asked = tiny_bert.write(tmp_path / "hub"), []

    def download(name, allow_patterns):
        asked.append((name, allow_patterns))
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    monkeypatch.chdir(tmp_path)
    actual = zoo.from_pretrained("someone/tiny-bert").embed(["a red hat"])
    np.testing.assert_array_equal(actual, zoo.from_pretrained(folder).embed(["a red hat"]))
    assert asked == [("someone/tiny-bert", ["*.json", "*.safetensors", "*.txt"])]  # and no pickle


def test_what_the_hub_does_not_give_is_told_in_a_sentence(monkeypatch):
    def fail(*_args, **_kwargs):
        raise OSError("no such model\nand much more")

    monkeypatch.setattr("huggingface_hub.snapshot_download", fail)
    message = r"nobody/nothing is neither a folder nor a model on the hub \(no such model\)"
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained("nobody/nothing")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("special_tokens_map.json", {"pad_token": {"content": "[PAD]"}}),
        ("tokenizer_config.json", {"pad_token": "[PAD]", "add_bos_token": False}),
        ("tokenizer_config.json", {"additional_special_tokens": ["[PAD]"]}),
        (
            "tokenizer_config.json",
            {"added_tokens_decoder": {"313": {"content": "[PAD]", "special": True}}},
        ),
        ("special_tokens_map.json", {"eos_token": "[END]"}),
    ],
)
def test_added_tokens_may_be_marks_by_what_stands_beside_them(name, content, tmp_path):
    folder = tiny_gpt2.write(tmp_path)
    (folder / "added_tokens.json").write_text('{"[PAD]": 313}', "utf-8")
    (folder / name).write_text(json.dumps(content), "utf-8")
    checkpoint = Checkpoint(folder)
    if "PAD" in json.dumps(content):
        refuse_added_tokens(checkpoint, tiny_gpt2.VOCABULARY, ())
    else:
        with pytest.raises(UserError, match=r"the added token '\[PAD\]' is not supported, since"):
            refuse_added_tokens(checkpoint, tiny_gpt2.VOCABULARY, ())
    refuse_added_tokens(checkpoint, tiny_gpt2.VOCABULARY, (313,))


@pytest.mark.parametrize("tiny", [tiny_bert, tiny_gpt2, tiny_bart, tiny_llama])
def test_no_preset_adds_an_option_to_a_checkpoint(tmp_path, tiny):
    """Such as the dropout of a preset, with which a model fine-tuned far from what it was."""
    task = zoo.from_pretrained(tiny.write(tmp_path))
    preset = MODELS[task.settings.model].presets[task.settings.preset]
    assert {*preset} - {"max_sequence_length"} <= {*task.model_options}  # which the task has


def test_llama_is_trained_without_dropout(tmp_path):
    task = zoo.from_pretrained(tiny_llama.write(tmp_path))
    inputs = {"token_ids": np.array([[3, 4, 5, 6]]), "padding_mask": np.ones((1, 4), bool)}
    expected = task.model(inputs)["logits"]
    np.testing.assert_allclose(task.model(inputs, training=True)["logits"], expected, atol=1e-6)
