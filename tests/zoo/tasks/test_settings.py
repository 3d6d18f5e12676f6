"""What a task is told, and what it says where that cannot be: one clear sentence."""

import json
import shutil

import keras
import numpy as np
import pytest

import export
import zoo
from tests.zoo.tasks.small_task import make_pairs, make_task
from zoo.errors import UserError
from zoo.tasks.text_to_text import TextToText

PAIRS = make_pairs()


def refused(action, *parts):
    """Checks that an action ends in one sentence that has these parts."""
    with pytest.raises(UserError) as actual:
        action()
    message = str(actual.value)
    assert "\n" not in message and len(message) < 500, message
    for part in parts:
        assert part in message, message


def test_the_seed_fixes_the_first_weights():
    tables = []
    for seed in (3, 3, 5):
        task = make_task(seed=seed)
        task.adapt(PAIRS)
        tables.append(task.model.get_weights()[0])
    np.testing.assert_array_equal(tables[0], tables[1])
    assert np.abs(tables[0] - tables[2]).max() > 0.01


def test_an_option_wins_over_the_preset_and_reaches_the_model():
    task = make_task(intermediate_dim=24, dtype="mixed_bfloat16")
    task.adapt(PAIRS)
    config = task.model.get_config()
    assert (config["intermediate_dim"], config["dtype"]) == (24, "mixed_bfloat16")
    assert config["attention_dropout"] == 0.0  # the preset's, or the class's
    assert config["source_vocabulary_size"] == task.tokenizer.vocabulary_size


BERT = {"hidden_dim": 16, "num_layers": 1, "num_heads": 2, "intermediate_dim": 16}
FILMS = [("a good film", "good"), ("so lovely", "good"), ("a bad film", "bad"), ("dull", "bad")] * 4
WAVE = np.sin(np.arange(60.0))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("make", "rows", "inputs"),
    [
        (
            lambda **how: zoo.TextClassifier("bert", **BERT, max_length=9, **how),
            FILMS,
            ["good", ""],
        ),
        (
            lambda **how: zoo.SeriesForecaster(horizon=2, context_length=5, encoder="conv", **how),
            [WAVE],
            [WAVE[:9]],
        ),
    ],
    ids=["classifier", "forecaster"],
)
def test_a_run_keeps_its_dtype_whatever_that_of_the_process(make, rows, inputs, tmp_path):
    """Of bfloat16: trained, saved, loaded, exported, and of finite numbers of 32 bits."""
    task = make(dtype="mixed_bfloat16")
    history = task.fit(rows, epochs=1, xla=False, verbose=False, folder=tmp_path / "run")
    task.save(tmp_path / "run")
    assert np.isfinite(history.history["loss"]).all()
    assert {weight.dtype for weight in task.model.weights} == {"float32"}
    expected = task.predict(inputs)
    for policy in ("float32", "mixed_bfloat16", "float64"):
        keras.config.set_dtype_policy(policy)
        try:
            again = zoo.load(tmp_path / "run")
        finally:
            keras.config.set_dtype_policy("float32")
        np.testing.assert_array_equal(again.predict(inputs), expected)
    report = export.saved_model(task, tmp_path / "saved")
    outputs = report.manifest["signatures"]["serving_default"]["outputs"]
    assert report.passed and "bfloat16" not in {each["dtype"] for each in outputs.values()}


def test_training_adapts_a_task_that_has_learned_from_no_data():
    rows = [("a fine film", "good"), ("a dull one", "bad")] * 4
    first, second = (zoo.TextClassifier(num_buckets=101) for _ in range(2))
    first.adapt(rows)
    histories = [
        task.fit(rows, epochs=2, xla=False, verbose=False).history["loss"]
        for task in (first, second)
    ]
    assert histories[0] == histories[1]
    assert second.predict(["fine", "dull"]) == first.predict(["fine", "dull"])
    before = second.tokenizer
    second.fit([("a fine film", "good"), ("another", "bad")], epochs=1, xla=False, verbose=False)
    assert second.tokenizer is before  # only once


@pytest.mark.parametrize(
    "action",
    [
        lambda task, folder: task.attention("one"),
        lambda task, folder: task.generate_ids([[4, 3]]),
        lambda task, folder: task.candidates(["one"]),
        lambda task, folder: task.evaluate(PAIRS),
        lambda task, folder: task.save(folder / "run"),
        lambda task, folder: task.export_parts("strings"),
    ],
)
def test_a_task_without_a_vocabulary_says_what_to_call(action, tmp_path):
    refused(lambda: action(make_task(), tmp_path), "call adapt(data) first")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "options", "parts"),
    [
        (["transfromer"], {}, ["'transfromer'", "attention_seq2seq", "transformer"]),
        (["transformer", "huge"], {}, ["preset", "'huge'", "tiny, base, big"]),
        (["transformer"], {"widht": 8}, ["no option 'widht'", "hidden_dim", "num_layers"]),
        (["attention_seq2seq"], {"window": 2}, ["no option 'window'", "units", "order"]),
        (["transformer"], {"target_vocabulary_size": 9}, ["no option 'target_vocabulary_size'"]),
        ([], {"max_source_length": 1}, ["max_source_length must be", "at least 2", "got 1"]),
        ([], {"max_target_length": 0}, ["max_target_length must be", "at least 2", "got 0"]),
        ([], {"tokenizer": "bpe"}, ["tokenizer", "'bpe'", "wordpiece", "characters"]),
        ([], {"vocabulary_size": 4}, ["vocabulary_size must be", "at least 5", "got 4"]),
        ([], {"vocabulary_size": 10**10}, ["vocabulary_size must be", "below 16777216"]),
        ([], {"seed": -1}, ["seed must be", "at least 0 and below 4294967296", "got -1"]),
        ([], {"seed": 2**32}, ["seed must be", "got 4294967296"]),
    ],
)
def test_a_wrong_option_shows_at_once_and_lists_the_choices(arguments, options, parts):
    refused(lambda: TextToText(*arguments, **options), *parts)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"cell": "rnn"},
            "cell must be one of elman, jordan, lstm, gru, orthogonal; received 'rnn'",
        ),
        ({"score": "euclid"}, "score must be one of"),
        ({"order": "keras"}, "order must be 'luong' or 'bahdanau'; received 'keras'"),
    ],
)
def test_a_wrong_value_of_the_model_names_itself(options, message):
    with pytest.raises(ValueError, match=message):
        TextToText("attention_seq2seq", "tiny", **options).adapt(PAIRS)


def test_no_pairs():
    refused(lambda: make_task().adapt([]), "data in memory contains no pairs")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A run folder, untrained."""
    folder = tmp_path_factory.mktemp("saved") / "run"
    task = make_task()
    task.adapt(PAIRS)
    task.save(folder)
    return folder


@pytest.fixture(scope="module")
def task(saved):
    return zoo.load(saved)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens must be an integer of at least 1, got 0"),
        ({"beams": 0}, "beams must be an integer of at least 1, got 0"),
        ({"temperature": -1.0}, "temperature must be a number of at least 0, got -1.0"),
        ({"top_k": -1, "temperature": 1.0}, "top_k must be an integer of at least 0, got -1"),
        ({"top_p": 0.0, "temperature": 1.0}, "top_p must be a number above 0, got 0.0"),
        ({"top_p": 2.0, "temperature": 1.0}, "top_p must be above 0 and at most 1; received 2.0"),
        ({"beams": 2, "temperature": 1.0}, "needs beams=1; received 2"),
        ({"early_stopping": "soon"}, "early_stopping must be true or false or one of never"),
        ({"beam": 3}, "text-to-text has no option 'beam'; did you mean beams.* Choose from max_"),
    ],
)
def test_generation_out_of_range_names_itself(task, options, message):
    for act in (task.predict, lambda _, **how: task.evaluate(PAIRS[:1], **how)):
        with pytest.raises(ValueError, match=message):
            act(["one"], **options)


def test_one_text_is_not_a_list_of_texts(task):
    with pytest.raises(ValueError, match="texts must be a list of strings"):
        task.predict("one")


# --- Run folders; the contract has those that are cut or lack a part ---


@pytest.fixture
def folder(saved, tmp_path):
    """A copy of it to do harm to."""
    return shutil.copytree(saved, tmp_path / "run")


def change(folder, section, **changes):
    path = folder / "config.json"
    config = json.loads(path.read_text())
    del config["sha256"]  # so that it is the changed value that is found
    (config[section] if section else config).update(changes)
    path.write_text(json.dumps(config))


def forget(folder, key):
    path = folder / "config.json"
    path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k != key}))


DAMAGES = {
    "config empty": (lambda f: (f / "config.json").write_text(""), ["config.json", "damaged"]),
    "config a list": (lambda f: (f / "config.json").write_text("[]"), ["config.json", "damaged"]),
    "config binary": (lambda f: (f / "config.json").write_bytes(b"\xff\xfe"), ["config.json"]),
    "task unknown": (
        lambda f: change(f, "", task="chess"),
        ["config.json", "'chess'", "text-to-text"],
    ),
    "task of another type": (lambda f: change(f, "", task=["x"]), ["config.json"]),
    "preset unknown": (lambda f: change(f, "settings", preset="huge"), ["'huge'", "tiny"]),
    "setting unknown": (lambda f: change(f, "settings", widht=3), ["config.json", "'widht'"]),
    "setting of another type": (
        lambda f: change(f, "settings", max_source_length="nine"),
        ["config.json", "damaged", "max_source_length", "'nine'"],
    ),
    "option unknown": (lambda f: change(f, "model_options", widht=3), ["'widht'", "hidden_dim"]),
    "option out of range": (
        lambda f: change(f, "model_options", num_heads=0),
        ["config.json", "num_heads"],
    ),
    "training unknown": (lambda f: change(f, "training", epoch=3), ["config.json", "'epoch'"]),
    **{
        f"{section} missing": (
            lambda f, section=section: forget(f, section),
            ["config.json", "damaged", section],
        )
        for section in ("settings", "model_options", "training", "data", "examples")
    },
    "weights empty": (
        lambda f: (f / "weights.weights.h5").write_bytes(b""),
        ["weights.weights.h5", "damaged"],
    ),
    "weights of another size": (
        lambda f: change(f, "model_options", hidden_dim=8),
        ["weights.weights.h5", "does not fit"],
    ),
    "weights of another depth": (
        lambda f: change(f, "model_options", num_layers=2),
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
