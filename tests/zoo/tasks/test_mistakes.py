"""What people do wrong, and folders that something happened to: one clear sentence each."""

import json
import re
import shutil

import pytest

import zoo
from tests.zoo.tasks.small_task import make_pairs, make_task
from zoo.errors import UserError
from zoo.tasks.text_to_text import TextToText


def refused(action, *parts):
    """Checks that an action ends in one sentence that has these parts."""
    with pytest.raises(UserError) as found:
        action()
    message = str(found.value)
    assert "\n" not in message and len(message) < 500, message
    for part in parts:
        assert part in message, message


NO_VOCABULARY = "call adapt(data) first"


@pytest.mark.parametrize(
    "action",
    [
        lambda task, folder: task.predict(["one"]),
        lambda task, folder: task.evaluate(make_pairs()),
        lambda task, folder: task.attention("one"),
        lambda task, folder: task.generate_ids([[4, 3]]),
        lambda task, folder: task.fit(make_pairs()),
        lambda task, folder: task.save(folder / "run"),
        lambda task, folder: task.probes(),
        lambda task, folder: task.signatures(strings=True),
        lambda task, folder: task.model,
    ],
)
def test_a_task_without_a_vocabulary_says_what_to_call(action, tmp_path):
    refused(lambda: action(make_task(), tmp_path), NO_VOCABULARY)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "options", "parts"),
    [
        (["transfromer"], {}, ["'transfromer'", "attention_seq2seq", "transformer"]),
        (["transformer", "huge"], {}, ["preset", "'huge'", "tiny, base, big"]),
        (["transformer"], {"widht": 8}, ["no option 'widht'", "hidden_dim", "num_layers"]),
        (["attention_seq2seq"], {"num_heads": 2}, ["no option 'num_heads'", "units", "order"]),
        ([], {"max_source_length": 1}, ["max_source_length", "at least 2", "1"]),
        ([], {"max_target_length": 0}, ["max_target_length", "at least 2", "0"]),
    ],
)
def test_a_wrong_option_shows_at_once_and_lists_the_choices(arguments, options, parts):
    refused(lambda: TextToText(*arguments, **options), *parts)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"tokenizer": "bpe"}, ["tokenizer", "'bpe'", "wordpiece", "characters"]),
        ({"vocabulary_size": 4}, ["vocabulary_size", "at least 5", "4"]),
    ],
)
def test_a_wrong_tokenizer_lists_the_choices(options, parts):
    refused(lambda: make_task(**options).adapt(make_pairs()), *parts)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"cell": "rnn"},
            "cell must be one of elman, jordan, lstm, gru, orthogonal; received 'rnn'",
        ),
        ({"score": "euclid"}, "score must be one of"),
        ({"order": "keras"}, "order must be luong or bahdanau; received 'keras'"),
    ],
)
def test_a_wrong_value_of_the_model_names_itself(options, message):
    with pytest.raises(ValueError, match=message):
        TextToText("attention_seq2seq", "tiny", **options).adapt(make_pairs())


def test_no_pairs():
    refused(lambda: make_task().adapt([]), "there are no pairs")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A run folder, untrained."""
    folder = tmp_path_factory.mktemp("saved") / "run"
    task = make_task()
    task.adapt(make_pairs())
    task.save(folder)
    return folder


@pytest.fixture
def folder(saved, tmp_path):
    """A copy of it to do harm to."""
    return shutil.copytree(saved, tmp_path / "run")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens must be at least 1; received 0"),
        ({"beams": 0}, "beams must be at least 1; received 0"),
        ({"temperature": -1.0}, "temperature must be at least 0"),
        ({"top_k": -1, "temperature": 1.0}, "top_k must be at least 0"),
        ({"top_p": 2.0, "temperature": 1.0}, "top_p must be above 0 and at most 1"),
        ({"beams": 2, "temperature": 1.0}, "needs beams=1; received 2"),
    ],
)
def test_generation_out_of_range_names_itself(saved, options, message):
    with pytest.raises(ValueError, match=message):
        zoo.load(saved).predict(["one"], **options)


def test_one_text_is_not_a_list_of_texts(saved):
    with pytest.raises(ValueError, match="texts must be a list of texts"):
        zoo.load(saved).predict("one")


def cut(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def change(path, **changes):
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def forget(path, key):
    path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k != key}))


DAMAGES = {
    "config missing": (lambda f: (f / "config.json").unlink(), ["config.json", "run folder"]),
    "config cut": (lambda f: cut(f / "config.json"), ["config.json", "damaged"]),
    "config empty": (lambda f: (f / "config.json").write_text(""), ["config.json", "damaged"]),
    "config a list": (lambda f: (f / "config.json").write_text("[]"), ["config.json", "task"]),
    "config binary": (lambda f: (f / "config.json").write_bytes(b"\xff\xfe"), ["config.json"]),
    "task unknown": (
        lambda f: change(f / "config.json", task="chess"),
        ["config.json", "'chess'", "text-to-text"],
    ),
    "task of another type": (lambda f: change(f / "config.json", task=["x"]), ["config.json"]),
    "preset unknown": (lambda f: change(f / "config.json", preset="huge"), ["'huge'", "tiny"]),
    "option unknown": (lambda f: change(f / "config.json", widht=3), ["'widht'", "hidden_dim"]),
    "option of another type": (
        lambda f: change(f / "config.json", max_source_length="nine"),
        ["config.json", "damaged"],
    ),
    "option out of range": (lambda f: change(f / "config.json", num_heads=0), ["config.json"]),
    "width of another type": (lambda f: change(f / "config.json", hidden_dim="x"), ["config.json"]),
    "examples missing": (lambda f: forget(f / "config.json", "examples"), ["config.json"]),
    "tokenizer missing": (lambda f: shutil.rmtree(f / "tokenizer"), ["tokenizer"]),
    "tokenizer cut": (lambda f: cut(f / "tokenizer" / "tokenizer.json"), ["tokenizer.json"]),
    "weights cut": (lambda f: cut(f / "weights.weights.h5"), ["weights.weights.h5", "damaged"]),
    "weights empty": (
        lambda f: (f / "weights.weights.h5").write_bytes(b""),
        ["weights.weights.h5", "damaged"],
    ),
    "weights of another size": (
        lambda f: change(f / "config.json", hidden_dim=8),
        ["weights.weights.h5", "does not fit"],
    ),
    "weights of another depth": (
        lambda f: change(f / "config.json", num_layers=2),
        ["weights.weights.h5", "does not fit"],
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_says_what_is_damaged(folder, damage):
    act, parts = DAMAGES[damage]
    act(folder)
    refused(lambda: zoo.load(folder), *parts)


def test_no_folder(tmp_path):
    refused(lambda: zoo.load(tmp_path / "nowhere"), "nowhere", "config.json")


def test_the_undamaged_folder_loads(folder):
    assert re.fullmatch(r"text-to-text", zoo.load(folder).name)
