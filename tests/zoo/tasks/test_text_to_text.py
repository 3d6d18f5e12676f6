"""Text to text: what is written, by search or by chance, and how it is scored."""

import json
from dataclasses import replace

import keras
import numpy as np
import pytest
import tensorflow as tf

from benchmarks.servers import answers
from tests.scores import score_texts
from tests.zoo.server.serving import serving
from tests.zoo.server.test_server import LENGTHS
from tests.zoo.tasks.small_task import LIMIT, fit, make_pairs, make_task
from zoo.decoding.generate import generate
from zoo.errors import UserError
from zoo.server.opening import streams_of
from zoo.server.servable import Servable

PAIRS = make_pairs()
SOURCES, TARGETS = zip(*PAIRS, strict=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A task, its history and the folder that it was trained in."""
    folder = tmp_path_factory.mktemp("runs") / "digits"
    task = make_task()
    task.adapt(PAIRS)
    return task, fit(task, 6, repeats=5, validation_data=PAIRS[:8], folder=folder), folder


@pytest.fixture(scope="module")
def task(run):
    return run[0]


def ids_of(task, texts):
    return task.preprocessor(text=tf.constant(texts))["token_ids"].numpy()


def texts_of(task, ids):
    return [text.decode() for text in task.preprocessor.detokenize(ids).numpy()]


@pytest.mark.thorough
def test_it_learns_and_keeps_the_epoch_of_the_least_perplexity(run):
    task, history, folder = run
    assert history.monitor == "val_perplexity"
    assert history.best_value == min(history.history["val_perplexity"])
    written = task.predict(list(SOURCES))
    assert np.mean([a == b for a, b in zip(written, TARGETS, strict=True)]) >= 0.6
    assert "250 pairs in 50 batches" in (folder / "log.txt").read_text()


@pytest.mark.thorough
def test_scores_are_those_of_what_it_writes(task):
    reversed_ = [(source, target[::-1]) for source, target in PAIRS]
    scores = task.compare(reversed_).model
    assert scores == score_texts([t for _, t in reversed_], task.predict(list(SOURCES)))
    assert set(scores) == {"bleu", "chrf", "exact_match"} and 0 < scores["exact_match"] < 0.5


@pytest.mark.thorough
def test_predict_decodes_what_generate_ids_finds(task):
    ids = ids_of(task, SOURCES[:7])
    for options in ({}, {"beams": 3}, {"temperature": 2.0, "seed": 3}, {"max_new_tokens": 2}):
        actual = task.generate_ids(ids, **options)
        assert actual.shape == (7, options.get("max_new_tokens", 5))
        assert texts_of(task, actual) == task.predict(list(SOURCES[:7]), **options)


@pytest.mark.thorough
def test_candidates_are_the_outputs_of_the_search_with_their_scores(task):
    texts, how = list(SOURCES[:7]), {"length_penalty": 0.7}
    actual = task.candidates(texts, beams=3, batch_size=4, **how)
    assert [[each.text for each in row][0] for row in actual] == task.predict(texts, beams=3, **how)
    inputs = task.parts.input.reader(task.fitted).prepare({"token_ids": ids_of(task, texts)})
    expected = generate(task.model, inputs, 5, 3, special_tokens=task.special_tokens, **how)
    for rank in range(3):
        written = texts_of(task, expected.token_ids[:, rank])
        assert [row[rank].text for row in actual] == written
    scores = [[each.score for each in row] for row in actual]
    np.testing.assert_allclose(scores, expected.scores, rtol=1e-4, atol=1e-5)
    assert (np.diff(scores) <= 0).all()


@pytest.mark.long
def test_there_are_no_more_candidates_than_outputs(task):
    size = task.tokenizer.vocabulary_size
    actual = task.candidates(["one two"], beams=size, max_new_tokens=1)[0]
    assert len(actual) == size - 2  # padding and the start are never written


def test_the_score_of_what_it_writes_is_that_of_its_tokens(task):
    """Nearly: generation leaves padding and the start, which it never writes, out of the sum."""
    ids = ids_of(task, SOURCES[:7])
    actual = task.runner()("tokens", {"token_ids": ids})
    scored = task.program("score")({"source_ids": ids, "target_ids": actual["token_ids"]})
    log_p, written = scored["log_probabilities"], actual["token_ids"] != task.special_tokens.pad
    np.testing.assert_allclose(log_p.sum(axis=1), actual["scores"], rtol=0, atol=5e-3)
    assert (log_p.sum(axis=1) < actual["scores"]).all()
    np.testing.assert_array_equal(log_p != 0, written)
    np.testing.assert_array_equal(scored["predicted_ids"][written], actual["token_ids"][written])


def test_bad_words_are_never_written(task):
    """Given as texts or as ids, also where they stand behind others."""
    texts = list(SOURCES[:17])
    assert "5" in "".join(task.predict(texts))
    number = task.tokenizer.vocabulary.index("5")
    written = task.predict(texts, bad_words=["5"])
    assert written == task.predict(texts, bad_words=[[number]])
    assert "5" not in "".join(written) and all(written)
    with pytest.raises(ValueError, match="bad_words contains ' ', which has no tokens"):
        task.predict(texts, bad_words=[" "])


def test_a_seed_fixes_what_is_drawn(task):
    texts, options = list(SOURCES[:9]), {"temperature": 3.0}
    first, same, other = (task.predict(texts, seed=seed, **options) for seed in (3, 3, 4))
    assert first == same != other
    assert first == task.predict(texts, batch_size=2, seed=3, **options)
    assert task.predict(texts, **options) != task.predict(texts, **options)


def test_equal_texts_are_answered_by_chance_of_their_own(task):
    """In one batch and in another."""
    actual = task.predict(["one two three"] * 12, batch_size=4, temperature=3.0, seed=3)
    assert len(set(actual)) > 9


def test_another_seed_is_not_another_program(task, monkeypatch):
    traced, step = [], task.model.step
    monkeypatch.setattr(task.model, "step", lambda *inputs: traced.append(1) or step(*inputs))
    for seed in (1, 2, None, None):
        task.predict(["one two", "three"], temperature=1.9, top_k=5, seed=seed)
        assert len(traced) in (1, 2)  # of the loop, which may be traced twice to begin with


def test_without_a_seed_every_process_draws_anew(task):
    """Whatever loading a task has fixed."""
    actual = []
    for _ in range(2):
        keras.utils.set_random_seed(0)
        actual.append(task.predict(list(SOURCES[:9]), temperature=3.0))
    assert actual[0] != actual[1]
    keras.utils.set_random_seed(0)
    expected = float(keras.random.uniform(()))
    keras.utils.set_random_seed(0)
    task.predict(["one two"])
    assert float(keras.random.uniform(())) == expected


def test_an_artifact_draws_by_the_seed_of_each_text(task):
    texts, how = list(SOURCES[:9]), {"temperature": 3.0, "max_new_tokens": 3}
    ids, seeds = ids_of(task, texts), np.arange(5, 5 + len(texts), dtype="int32")
    infer = task.export_parts(text=None, **how).signatures["serving_default"].infer
    actual = infer(token_ids=ids, seed=seeds)["token_ids"].numpy()
    alone = [
        task.generate_ids(row[None], seed=int(seed), **how)[0]
        for row, seed in zip(ids, seeds, strict=True)
    ]
    np.testing.assert_array_equal(actual, alone)
    others = infer(token_ids=ids, seed=seeds + 99)["token_ids"].numpy()
    assert (actual != others).any()


@pytest.mark.thorough
def test_a_server_streams_what_is_predicted(task):
    path, body = "/v1/models/model:stream", b'{"text": "one two three"}'
    rules = {"no_repeat_ngram": 1, "max_new_tokens": 4}
    with serving(
        Servable("model", {"serving_default": LENGTHS}, **streams_of(task, rules))
    ) as client:
        (answer,) = answers(client.port, path, [(0, body)], 1)
    pieces = [json.loads(line)["text"] for line in answer.body.splitlines()]
    assert "".join(pieces) == task.predict(["one two three"], **rules)[0]
    assert answer.status == 200 and len(pieces) > 1
    by_beams = Servable("model", {"serving_default": LENGTHS}, **streams_of(task, {"beams": 2}))
    with serving(by_beams) as client:
        (answer,) = answers(client.port, path, [(0, body)], 1)
    message = "beam search cannot stream: use :predict, or serve the run without --beams"
    assert (answer.status, json.loads(answer.body)) == (404, {"error": message})


def test_attention_is_traced_once_for_a_length(task, monkeypatch):
    task.attention("three one", max_new_tokens=3)
    monkeypatch.setattr(task.model, "step", None)
    assert len(task.attention("four", max_new_tokens=3)[0].target_tokens) <= 3


def test_export_decodes_once_for_text_ids_and_attention(task, monkeypatch):
    signatures = task.export_parts(text="strings").signatures
    ids = tf.constant(ids_of(task, ["three one", "four"]))
    actual = signatures["tokens"].infer(token_ids=ids)
    monkeypatch.setattr(task.model, "step", None)
    for name in ("serving_default", "attention"):
        again = signatures[name].infer(token_ids=ids)
        np.testing.assert_array_equal(again["token_ids"], actual["token_ids"])


def test_a_saved_model_has_the_texts_of_all_beams(task):
    texts = ["three one", "four", ""]
    served = task.export_parts(text="strings", beams=3).signatures["serving_default"]
    features = served.preprocess(text=tf.constant(texts))
    actual = served.postprocess(served.infer(**features), features)
    for row, candidates in enumerate(task.candidates(texts, beams=3)):
        written = [text.decode() for text in actual["beam_texts"].numpy()[row]]
        assert written[: len(candidates)] == [each.text for each in candidates]
        assert written[0] == actual["text"].numpy()[row].decode()
        scores = actual["beam_scores"].numpy()[row]
        np.testing.assert_allclose(scores[: len(candidates)], [x.score for x in candidates], 1e-4)
    assert {"beam_texts", "beam_scores"} <= served.meanings.keys()
    greedy = task.export_parts(text="strings").signatures["serving_default"]
    assert "beam_texts" not in greedy.postprocess(greedy.infer(**features), features)


@pytest.mark.thorough
def test_attention_names_what_is_read_and_written(task):
    (actual,) = task.attention("three one four")
    assert actual.name == "cross_0" and actual.heads == 2
    assert actual.source_tokens == ["three", "one", "four", "[END]"]
    written = task.predict(["three one four"])[0].split()
    assert actual.target_tokens == [*written, "[END]"] and len(written) == 3
    (own,) = task.attention("three one four", part="decoder")
    assert own.target_tokens == [*written, "[END]"] and own.source_tokens == ["[START]", *written]
    (short,) = task.attention("three one four", max_new_tokens=2)
    assert short.target_tokens == written[:2]
    np.testing.assert_allclose(short.weights, actual.weights[:, :2], atol=1e-5)


def test_attention_refuses_options_that_it_does_not_take(task):
    with pytest.raises(UserError, match="attention of text-to-text has no option 'beams'"):
        task.attention("three", beams=4)


def test_an_empty_text_is_answered_with_an_empty_text(task):
    """In artifacts too, which are all verified with one."""
    assert [*map(bool, task.predict(["", "three one", " \t"]))] == [False, True, False]
    for candidates in task.candidates(["", " "], beams=3):
        assert [(each.text, each.score) for each in candidates] == [("", 0.0)]
    assert list(task.stream("")) == []
    (shown,) = task.attention("")
    assert shown.weights.shape == (2, 0, 1)


def test_a_truncated_text_is_read_as_far_as_it_fits(task):
    kept = " ".join(["two"] * (LIMIT - 1))
    assert task.predict([kept + " five five"]) == task.predict([kept])


def test_pairs_come_from_lists_and_files_alike(task, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    of_file = make_task()
    of_file.adapt(path)
    assert of_file.tokenizer.facts() == task.tokenizer.facts()
    assert of_file.examples == task.examples == {"text": list(SOURCES[:8])}


def test_artifacts_are_verified_with_a_text_beyond_the_limit(task):
    probes = task.export_parts().probes
    texts = probes["serving_default"][0]["text"]
    sizes = task.tokenizer.tokenize(list(texts)).row_lengths()
    assert int(max(sizes)) > task.preprocessor.max_length and "" in texts
    np.testing.assert_array_equal(probes["tokens"][0]["token_ids"], ids_of(task, texts))


def padded(rows, pad):
    """Rows of several lengths as one array."""
    length = max(map(len, rows))
    return np.array([np.pad(row, (0, length - len(row)), constant_values=pad) for row in rows])


def unpadded(ids, pad):
    return [[i for i in row if i != pad] for row in ids.tolist()]


def test_bpe_dropout_splits_training_texts_anew_and_nothing_else():
    task = make_task(tokenizer="byte-bpe", vocabulary_size=290, max_source_length=31)
    task.adapt(PAIRS)
    examples = task.parts.format.read(PAIRS, task.settings, None)
    training = task.Training(bpe_dropout=0.3, batch_tokens=40)
    recipe, fitted, head = task.parts.recipe, task.fitted, task.head
    drawn, held_out, usual = (
        recipe.batches(examples, fitted, head, replace(training, bpe_dropout=rate), validating)
        for rate, validating in ((0.3, False), (0.3, True), (0.0, True))
    )
    pad = task.special_tokens.pad
    sources, tokens = [], []
    for epoch in range(2):
        every = [ids for batch in drawn.columns(epoch) for ids in batch["source_ids"]]
        sources.append(sorted(text for text in texts_of(task, padded(every, pad)) if text))
        tokens.append(sorted(tuple(row[row != pad]) for row in every))
    assert sources[0] == sources[1] == sorted(SOURCES)
    assert tokens[0] != tokens[1]
    both = zip(held_out.columns(shuffle=False), usual.columns(shuffle=False), strict=True)
    for one, other in both:
        np.testing.assert_array_equal(one["source_ids"], other["source_ids"])
        np.testing.assert_array_equal(one["target_ids"], other["target_ids"])
    fit(task, 1, bpe_dropout=0.3)
    usual_ids = task.tokenizer.tokenize(list(SOURCES)).to_list()
    assert [row[:-1] for row in unpadded(ids_of(task, SOURCES), pad)] == usual_ids


def test_bpe_dropout_is_refused_where_it_has_no_merges_or_no_texts(tmp_path):
    task = make_task()
    task.adapt(PAIRS)
    with pytest.raises(UserError, match="bpe_dropout needs a byte-bpe tokenizer .* wordpiece"):
        fit(task, 1, bpe_dropout=0.1)
    other = make_task(tokenizer="byte-bpe", vocabulary_size=290)
    other.prepare(PAIRS, tmp_path / "shards", processes=1, verbose=False)
    other.adapt(tmp_path / "shards")
    with pytest.raises(UserError, match="is prepared: train on the texts themselves"):
        other.fit(tmp_path / "shards", epochs=1, bpe_dropout=0.1, xla=False, verbose=False)
