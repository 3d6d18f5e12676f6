"""Language models: scores of running text, states that are carried, room, streams."""

import math

import numpy as np
import pytest

import zoo
from tests.zoo.models.families import run as logits_of
from tests.zoo.tasks.stand_in import StandIn
from zoo.data.batching.windows import token_stream
from zoo.errors import UserError
from zoo.training.end_epoch import EndEpoch

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
    task = zoo.CausalLM(model, "tiny", **settings)
    task.adapt([TEXT])
    return task


def fit(task, epochs, **options):
    settings = {"batch_size": 4, "learning_rate": 0.01, "xla": False, "verbose": False}
    return task.fit([TEXT], epochs=epochs, **{**settings, **options})


def ids_of(task, text):
    return task.preprocessor(text=[text])["token_ids"].numpy()


@pytest.fixture(scope="module", params=["gpt", "rnn_lm"])
def run(request):
    task = make_task(request.param)
    return task, fit(task, 8, validation_data=[TEXT[:100]])


@pytest.fixture
def task(run):
    return run[0]


@pytest.mark.thorough
def test_it_learns_its_text_by_heart(run):
    task, history = run
    losses = history.history["loss"]
    assert losses[-1] < 0.5 < 3 < losses[0] and history.monitor == "val_perplexity"
    written = task.predict(["the cat sat on", "the horse sat o"], max_new_tokens=7)
    assert [text[:6] for text in written] == [" the " + written[0][5], "n the "]
    assert [len(text) for text in written] == [7, 7]


@pytest.mark.thorough
@pytest.mark.parametrize("live", [True, False])
def test_scores_are_those_of_the_formula(task, live):
    text = TEXT[:60]
    scores = task.evaluate([text]) if live else task.evaluate_artifact(StandIn(task), [text])
    ids, losses = token_stream([text], task.tokenizer), []
    # States that are carried make one window of all; an artifact carries none.
    carried, length = task.model_options.get("stateful_batch_size"), task.settings.max_length
    assert length < len(ids)
    length = len(ids) if carried and live else length
    for start in range(0, len(ids) - 1, length):
        window = ids[start : start + length + 1]
        x = {"token_ids": window[None, :-1], "padding_mask": np.ones((1, len(window) - 1), bool)}
        logits = logits_of(task.model, x)[0].astype("float64")
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        losses += [-log_p[t, label] for t, label in enumerate(window[1:])]
    assert scores["loss"] == pytest.approx(np.mean(losses), rel=1e-4)
    assert scores["perplexity"] == pytest.approx(math.exp(np.mean(losses)), rel=1e-4)
    assert scores["bits_per_byte"] == pytest.approx(np.sum(losses) / math.log(2) / 61, rel=1e-4)


@pytest.mark.thorough
def test_the_best_epoch_is_chosen_by_what_evaluate_reports(run):
    """Also where states are carried; and those that training carries stay as they were."""
    task, history = run
    layers = getattr(task.model, "recurrent", [])
    states = [np.array(state) for layer in layers for state in layer.states]
    assert any(np.any(state) for state in states) == bool(layers)
    scores = task.evaluate([TEXT[:100]])
    assert scores["perplexity"] == pytest.approx(history.best_value, rel=1e-4)
    assert history.history["val_perplexity"][history.best_epoch - 1] == history.best_value
    for before, state in zip(states, [s for layer in layers for s in layer.states], strict=True):
        np.testing.assert_array_equal(before, state)


@pytest.mark.thorough
def test_a_stream_is_drawn_and_ruled_as_predictions_are(task):
    assert len(list(task.stream("the cat", max_new_tokens=5))) == 5
    drawn = ["".join(task.stream("the", temperature=2.0, seed=seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0] == task.predict(["the"], temperature=2.0, seed=1)[0]
    rules = {"no_repeat_ngram": 1, "min_new_tokens": 8, "bad_words": ["t", "a"]}
    (ruled,) = task.predict(["the"], **rules)
    assert "".join(task.stream("the", **rules)) == ruled != task.predict(["the"])[0]
    assert not {"t", "a"} & set(ruled) and len(set(ruled)) == len(ruled) == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 1.0, "top_p": 5.0}, "top_p must be above 0 and at most 1; received 5.0"),
        ({"temperature": -1.0}, "temperature must be a number of at least 0, got -1.0"),
        ({"min_new_tokens": 9}, "min_new_tokens must be below max_new_tokens, 9; received 9"),
        ({"widht": 9}, "has no option 'widht'"),
        ({"max_new_tokens": 0}, "max_new_tokens must be an integer of at least 1, got 0"),
    ],
)
def test_a_stream_refuses_at_once_what_predict_refuses(task, options, message):
    for ask in (lambda: task.stream("the", **options), lambda: task.predict(["the"], **options)):
        with pytest.raises(ValueError, match=message):
            ask()


def test_a_stream_has_no_beams(task):
    with pytest.raises(UserError, match="stream has no option 'beams'"):
        task.stream("the", beams=3)


@pytest.mark.parametrize("tokenizer", ["wordpiece", "sentencepiece", "characters", "bytes"])
def test_the_first_word_written_keeps_its_space(tokenizer):
    """It stands behind a text, and is not the first of one."""
    task = make_task(tokenizer=tokenizer, vocabulary_size=60)
    ids = task.tokenizer.tokenize(["the cat sat"])
    (prompt,) = task.tokenizer.tokenize(["the cat"]).to_list()
    rest = ids[:, len(prompt) :]
    assert ids[0, : len(prompt)].numpy().tolist() == prompt
    assert task.preprocessor.detokenize(rest).numpy()[0] == b" sat"


def test_a_prompt_is_read_to_its_end(task):
    """Longer than the model's limit, its beginning is left out."""
    long = "mat log " * 9 + "the cat sat on"
    assert task.predict([long]) == task.predict([long[-20:]])


@pytest.mark.long
def test_a_run_that_was_interrupted_goes_on(run, tmp_path, monkeypatch):
    """As if it never was, with states that are carried and with validation."""
    task, history = run
    end = EndEpoch.on_epoch_end

    def interrupt(self, epoch, logs=None):
        end(self, epoch, logs)
        if epoch % 2 == 0:  # after the first, and after the third
            raise KeyboardInterrupt

    monkeypatch.setattr(EndEpoch, "on_epoch_end", interrupt)
    stopped = make_task(task.settings.model)
    before = fit(stopped, 8, validation_data=[TEXT[:100]], folder=tmp_path)
    assert before.stopped == "interrupted" and len(before.epoch) == 1
    resumed = zoo.load(tmp_path)
    again = fit(resumed, 8, validation_data=[TEXT[:100]], folder=tmp_path, resume=True)
    assert again.epoch == [1, 2, 3]
    for name in ("loss", "val_perplexity"):
        np.testing.assert_allclose(again.history[name], history.history[name][:3], rtol=1e-4)


@pytest.mark.thorough
def test_what_learned_positions_do_not_reach_is_refused():
    """Past the end of the table there is nothing; a recurrence or ALiBi has no end."""
    task, endless = make_task(), make_task(position="alibi")
    assert len(task.generate_ids(ids_of(task, "the cat"), 23)[0]) == 23
    assert len(endless.generate_ids(ids_of(endless, "the cat"), 40)[0]) == 40
    message = "a prompt of 7 tokens and 24 new tokens exceed the maximum of 29 tokens of the model"
    with pytest.raises(UserError, match=message):
        task.generate_ids(ids_of(task, "the cat"), 24)
    # Of texts, so much is read that there is room for what is asked for, and it is said.
    written = task.predict(["the cat"], max_new_tokens=24)
    assert written == task.predict(["e cat"], max_new_tokens=24) and len(written[0]) > 9
    assert "".join(task.stream("the cat", max_new_tokens=24)) == written[0]
    (candidates,) = task.candidates(["the cat"], beams=2, max_new_tokens=24)
    assert candidates == task.candidates(["e cat"], beams=2, max_new_tokens=24)[0]
    for call in (task.predict, task.candidates, lambda texts, **how: task.stream(texts[0], **how)):
        with pytest.raises(UserError, match="max_new_tokens must be below max_length, 29; got 29"):
            call(["the cat"], max_new_tokens=29)


def test_an_artifact_leaves_room_for_what_it_writes():
    """Its prompts are truncated accordingly."""
    task = make_task()
    for length, kept in ((None, 20), (3, 26), (28, 1)):
        signature = task.export_parts(text="strings", max_new_tokens=length).signatures[
            "serving_default"
        ]
        (ids,) = signature.preprocess(text=["the cat " * 9])["token_ids"].numpy()
        assert (ids != 0).sum() == kept
    with pytest.raises(UserError, match="max_new_tokens must be below max_length, 29; got 29"):
        task.export_parts("strings", max_new_tokens=29)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_new_tokens": 29}, "max_new_tokens must be below max_length, 29; got 29"),
        ({"tokenizer": "byte"}, "unknown tokenizer 'byte'"),
        ({"name": "mine"}, "gpt has no option 'name'"),
    ],
)
def test_mistakes_are_told_in_a_line(options, message):
    with pytest.raises(UserError, match=message):
        make_task(**options)


def test_rows_that_are_carried_are_those_of_a_batch():
    with pytest.raises(UserError, match="batch_size must be stateful_batch_size, 4; got 3"):
        fit(make_task("rnn_lm"), 1, batch_size=3)


@pytest.mark.long
def test_a_preset_says_how_many_rows_are_carried():
    task = zoo.CausalLM(
        "rnn_lm", "ptb_medium", embedding_dim=7, units=11, max_length=29, max_new_tokens=9
    )
    task.adapt([TEXT])
    history = fit(task, 1, batch_size=None, validation_data=[TEXT[:100]])
    assert task.model.recurrent[0].states[0].shape == (20, 11)
    scores = task.evaluate([TEXT[:100]])
    assert scores["perplexity"] == pytest.approx(history.best_value, rel=1e-4)


@pytest.mark.parametrize(
    ("max_length", "given", "expected"), [(256, None, 64), (32, None, 16), (2, None, 1), (32, 5, 5)]
)
def test_new_tokens_fit_where_no_number_is_given(max_length, given, expected):
    task = zoo.CausalLM(max_length=max_length, max_new_tokens=given)
    assert task.max_new_tokens == expected
