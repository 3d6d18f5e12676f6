"""The language-model task from plain text to written text, and from a folder to the same task."""

import math

import numpy as np
import pytest
import tensorflow as tf

import export
import zoo
from tests.zoo.models.families import run as logits_of
from zoo.data.windows import token_stream
from zoo.demo.artifacts import ask_litert, ask_saved_model
from zoo.errors import UserError
from zoo.training.callbacks import EndEpoch

RANDOM = np.random.default_rng(0)
ANIMALS, PLACES = (RANDOM.choice(names, 160) for names in (["cat", "horse"], ["mat", "log", "hay"]))
TEXT = "".join(f"the {a} sat on the {b}.\n" for a, b in zip(ANIMALS, PLACES, strict=True))
OPTIONS = {
    "gpt": {
        "num_layers": 1,
        "hidden_dim": 32,
        "num_heads": 2,
        "intermediate_dim": 48,
        "dropout": 0.0,
    },
    "rnn_lm": {
        "embedding_dim": 24,
        "units": 32,
        "num_layers": 1,
        "dropout": 0.0,
        "cell": "gru",
        "stateful_batch_size": 4,
    },
}


def make_task(model="gpt", **options):
    settings = {"max_length": 29, "max_new_tokens": 9, **OPTIONS[model], **options}
    return zoo.CausalLM(model, "tiny", **settings)


def fit(task, epochs, **options):
    settings = {"batch_size": 4, "learning_rate": 0.01, "xla": False, "verbose": False}
    return task.fit([TEXT], epochs=epochs, **{**settings, **options})


@pytest.fixture(scope="module", params=["gpt", "rnn_lm"])
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / request.param
    task = make_task(request.param)
    task.adapt([TEXT])
    return task, fit(task, 8, validation_data=[TEXT[:100]], folder=folder), folder


def test_it_learns_its_text_by_heart(run):
    task, history, _ = run
    losses = history.history["loss"]
    assert losses[-1] < 0.5 < 3 < losses[0] and history.monitor == "val_perplexity"
    written = task.predict(["the cat sat on", "the horse sat o"], max_new_tokens=7)
    assert [text[:6] for text in written] == [" the " + written[0][5], "n the "]
    assert [len(text) for text in written] == [7, 7]


def test_scores_are_those_of_the_formula(run):
    task, _, _ = run
    text = TEXT[:60]
    scores = task.evaluate([text])
    ids, losses = token_stream([text], task.tokenizer), []
    # States that are carried make one window of all.
    length = len(ids) if task.settings.get("stateful_batch_size") else task.max_length
    assert task.max_length < len(ids)
    for start in range(0, len(ids) - 1, length):
        window = ids[start : start + length + 1]
        x = {"token_ids": window[None, :-1], "padding_mask": np.ones((1, len(window) - 1), bool)}
        logits = logits_of(task.model, x)[0].astype("float64")
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        losses += [-log_p[t, label] for t, label in enumerate(window[1:])]
    assert scores["loss"] == pytest.approx(np.mean(losses), rel=1e-4)
    assert scores["perplexity"] == pytest.approx(math.exp(np.mean(losses)), rel=1e-4)
    assert scores["bits_per_byte"] == pytest.approx(np.sum(losses) / math.log(2) / 61, rel=1e-4)
    assert task.metrics == scores


def test_the_best_epoch_is_chosen_by_what_evaluate_reports(run):
    """Also where states are carried; and those that training carries stay as they were."""
    task, history, _ = run
    layers = getattr(task.model, "recurrent", [])
    states = [np.array(state) for layer in layers for state in layer.states]
    assert any(np.any(state) for state in states) == bool(layers)
    scores = task.evaluate([TEXT[:100]])
    assert scores["perplexity"] == pytest.approx(history.best_value, rel=1e-4)
    assert history.history["val_perplexity"][history.best_epoch - 1] == history.best_value
    for before, state in zip(states, [s for layer in layers for s in layer.states], strict=True):
        np.testing.assert_array_equal(before, state)


def test_a_stream_writes_what_predict_writes(run):
    task, _, _ = run
    for text in ("the dog", "t", ""):
        assert "".join(task.stream(text)) == task.predict([text])[0]
    pieces = list(task.stream("the cat", max_new_tokens=5))
    assert len(pieces) == 5
    drawn = ["".join(task.stream("the", temperature=2.0, seed=seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0] == task.predict(["the"], temperature=2.0, seed=1)[0]


@pytest.mark.parametrize("tokenizer", ["wordpiece", "sentencepiece", "characters", "bytes"])
def test_the_first_word_written_keeps_its_space(tokenizer):
    """It stands behind a text, and is not the first of one."""
    task = make_task(tokenizer=tokenizer, vocabulary_size=60)
    task.adapt([TEXT])
    ids = task.tokenizer.tokenize(["the cat sat"])
    (prompt,) = task.tokenizer.tokenize(["the cat"]).to_list()
    rest = ids[:, len(prompt) :]
    assert ids[0, : len(prompt)].numpy().tolist() == prompt
    assert task.codec.decode(rest).numpy()[0] == b" sat"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 1.0, "top_p": 5.0}, "top_p must be above 0 and at most 1; received 5.0"),
        ({"temperature": -1.0}, "temperature must be at least 0; received -1.0"),
        ({"min_new_tokens": 9}, "min_new_tokens must be below max_new_tokens, 9; received 9"),
    ],
)
def test_a_stream_refuses_at_once_what_predict_refuses(run, options, message):
    task, _, _ = run
    for ask in (lambda: task.stream("the", **options), lambda: task.predict(["the"], **options)):
        with pytest.raises(ValueError, match=message):
            ask()


def test_a_prompt_is_read_to_its_end(run):
    """Longer than the model's limit, its beginning is left out."""
    task, _, _ = run
    long = "mat log " * 9 + "the cat sat on"
    assert task.predict([long]) == task.predict([long[-20:]])


def test_predictions_stand_where_their_texts_stood(run):
    task, _, _ = run
    texts = ["the", "", "the cat sat on the mat", "dog"]
    assert task.predict(texts) == [task.predict([text])[0] for text in texts]


def test_a_saved_task_is_the_same_task(run, tmp_path):
    task, _, _ = run
    task.save(tmp_path / "again")
    again = zoo.load(tmp_path / "again")
    assert isinstance(again, zoo.CausalLM) and again.settings["model"] == task.settings["model"]
    assert again.predict(["the cat"]) == task.predict(["the cat"])


@pytest.mark.thorough
def test_a_run_resumed_goes_on_as_if_uninterrupted(run, tmp_path, monkeypatch):
    task, history, _ = run
    stopped, end = make_task(task.settings["model"]), EndEpoch.on_epoch_end

    def interrupt(self, epoch, logs=None):
        end(self, epoch, logs)
        if epoch % 2 == 0:  # after the first, and after the third
            raise KeyboardInterrupt

    monkeypatch.setattr(EndEpoch, "on_epoch_end", interrupt)
    stopped.adapt([TEXT])
    before = fit(stopped, 8, validation_data=[TEXT[:100]], folder=tmp_path)
    assert before.stopped == "interrupted" and len(before.epoch) == 1
    resumed = zoo.load(tmp_path)
    again = fit(resumed, 8, validation_data=[TEXT[:100]], folder=tmp_path, resume=True)
    assert again.epoch == [1, 2, 3]
    np.testing.assert_allclose(again.history["loss"], history.history["loss"][:3], rtol=1e-4)


@pytest.mark.thorough
def test_saved_model_and_litert_write_what_the_task_writes(run, tmp_path):
    task, _, _ = run
    prompts = ["the cat", "", "the dog sat on the lo"]
    written = task.predict(prompts)
    if task.settings["model"] == "gpt":  # one is enough of what does not know the model
        export.saved_model(task, tmp_path / "served")
        assert ask_saved_model(tmp_path / "served" / "1", prompts) == written
    export.litert(task, tmp_path / "model.tflite")
    from ai_edge_litert.interpreter import Interpreter

    runner = Interpreter(str(tmp_path / "model.tflite")).get_signature_runner("serving_default")
    ids = task.codec.encode(tf.constant(prompts)).numpy()
    np.testing.assert_array_equal(runner(token_ids=ids)["token_ids"], task.generate_ids(ids))


@pytest.mark.thorough
def test_text_in_text_out_in_a_litert_file(tmp_path):
    task = make_task("gpt", tokenizer="wordpiece", vocabulary_size=60)
    task.adapt([TEXT])
    for weight in task.model.weights:  # any will do that do not always write the same
        weight.assign(np.random.default_rng(5).normal(size=weight.shape))
    export.litert(task, tmp_path / "model.tflite", strings=True)
    prompts = ["the cat sat", "the dog"]
    written = task.predict(prompts)
    assert written[0] != written[1] and all(len(text) > 5 for text in written)
    assert ask_litert(tmp_path / "model.tflite", prompts) == written


def test_what_learned_positions_do_not_reach_is_refused():
    """Past the end of the table there is nothing; a recurrence or ALiBi has no end."""
    task, endless = make_task(), make_task(position="alibi")
    for each in (task, endless):
        each.adapt([TEXT])
    assert len(task.generate_ids(task.codec.encode(["the cat"]).numpy(), 23)[0]) == 23
    assert len(endless.generate_ids(endless.codec.encode(["the cat"]).numpy(), 40)[0]) == 40
    message = "a prompt of 7 tokens and 24 new ones are more than the 29 that the model can see"
    with pytest.raises(UserError, match=message):
        task.generate_ids(task.codec.encode(["the cat"]).numpy(), 24)
    # Of texts, so much is read that there is room for what is asked for, and it is said.
    written = task.predict(["the cat"], max_new_tokens=24)
    assert written == task.predict(["e cat"], max_new_tokens=24) and len(written[0]) > 9
    assert "".join(task.stream("the cat", max_new_tokens=24)) == written[0]
    with pytest.raises(UserError, match="max_new_tokens must be below max_length, 29; got 29"):
        task.predict(["the cat"], max_new_tokens=29)
    with pytest.raises(UserError, match="a prompt of 20 tokens and 11 new ones"):
        task.signatures(strings=False, max_new_tokens=11)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_new_tokens": 29}, "at least 1 and below max_length, 29; got 29"),
        ({"model": "rnn_lm", "num_heads": 2}, "rnn_lm has no option 'num_heads'"),
        ({"tokenizer": "byte"}, "unknown tokenizer 'byte'"),
        ({"name": "mine"}, "gpt has no option 'name'"),
        ({"seed": -1}, "seed must be an integer from 0"),
    ],
)
def test_mistakes_are_told_in_a_line(options, message):
    with pytest.raises(UserError, match=message):
        make_task(**options).adapt([TEXT])


def test_rows_that_are_carried_are_those_of_a_batch():
    task = make_task("rnn_lm")
    task.adapt([TEXT])
    with pytest.raises(UserError, match="batch_size must be stateful_batch_size, 4; got 3"):
        fit(task, 1, batch_size=3)


def test_a_preset_says_how_many_rows_are_carried():
    task = zoo.CausalLM(
        "rnn_lm", "ptb_medium", embedding_dim=7, units=11, max_length=29, max_new_tokens=9
    )
    task.adapt([TEXT])
    history = fit(task, 1, batch_size=None, validation_data=[TEXT[:100]])
    assert task.model.recurrent[0].states[0].shape == (20, 11)
    scores = task.evaluate([TEXT[:100]])
    assert scores["perplexity"] == pytest.approx(history.best_value, rel=1e-4)
