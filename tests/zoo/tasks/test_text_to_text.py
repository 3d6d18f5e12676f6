"""The text-to-text task from pairs to texts, and from a folder to the same task."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from zoo.text.codec import TextCodec

import zoo
from tests.zoo.tasks.small_task import LIMIT, fit, make_pairs, make_task
from zoo.decoding.generate import generate
from zoo.errors import UserError
from zoo.tasks.scores import score_texts
from zoo.text.special_tokens import END, PAD

PAIRS = make_pairs()
SOURCES, TARGETS = zip(*PAIRS, strict=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A task, its history and the folder that it was trained in."""
    folder = tmp_path_factory.mktemp("runs") / "digits"
    task = make_task()
    task.adapt(PAIRS)
    return task, fit(task, 30, validation_data=PAIRS[:8], folder=folder), folder


def test_it_learns(run):
    task, history, _ = run
    losses = history.history["val_loss"]
    assert history.monitor == "val_perplexity"
    assert history.best_value == min(history.history["val_perplexity"])
    assert losses[-1] < 0.2 * losses[0]
    written = task.predict(list(SOURCES))
    assert np.mean([a == b for a, b in zip(written, TARGETS, strict=True)]) >= 0.8


def test_scores_are_those_of_what_it_writes(run):
    task, _, _ = run
    reversed_ = [(source, target[::-1]) for source, target in PAIRS]
    scores = task.evaluate(reversed_)
    assert scores == score_texts([t for _, t in reversed_], task.predict(list(SOURCES)))
    assert set(scores) == {"bleu", "chrf", "exact_match"} and 0 < scores["exact_match"] < 0.5
    assert task.metrics == scores
    assert task.score_predictions(lambda texts: list(TARGETS), PAIRS)["exact_match"] == 1


def test_predictions_stand_where_their_texts_stood(run):
    task, _, _ = run
    texts = ["five", *SOURCES[:5], "one two three four five one", ""]
    together = task.predict(texts)
    assert together == task.predict(texts, batch_size=3) == [task.predict([t])[0] for t in texts]
    assert len(set(together[1:6]) & set(TARGETS[:5])) >= 3  # no vacuous order
    assert task.predict([]) == []


def test_predict_decodes_what_generate_ids_finds(run):
    task, _, _ = run
    ids = task.codec.encode(tf.constant(SOURCES[:7]))
    for options in ({}, {"beams": 3}, {"temperature": 2.0, "seed": 3}, {"max_new_tokens": 2}):
        found = task.generate_ids(ids.numpy(), **options)
        assert found.shape == (7, options.get("max_new_tokens", 5))
        texts = [text.decode() for text in task.codec.decode(found).numpy()]
        assert texts == task.predict(list(SOURCES[:7]), **options)


def test_candidates_are_the_outputs_of_the_search_with_their_scores(run):
    task, _, _ = run
    texts, how = list(SOURCES[:7]), {"length_penalty": 0.7}
    found = task.candidates(texts, beams=3, batch_size=4, **how)
    assert [[each.text for each in row][0] for row in found] == task.predict(texts, beams=3, **how)
    ids = keras.ops.convert_to_tensor(task.codec.encode(tf.constant(texts)))
    expected = generate(task.model, ids, 5, 3, special_tokens=task.tokenizer.special_tokens, **how)
    for rank in range(3):
        written = task.codec.decode(expected.token_ids[:, rank]).numpy()
        assert [row[rank].text for row in found] == [text.decode() for text in written]
    scores = [[each.score for each in row] for row in found]
    np.testing.assert_allclose(scores, expected.scores, rtol=1e-4, atol=1e-5)
    assert (np.diff(scores) <= 0).all()


def test_there_are_no_more_candidates_than_outputs(run):
    task, _, _ = run
    size = task.tokenizer.vocabulary_size
    found = task.candidates(["one two"], beams=size, max_new_tokens=1)[0]
    assert len(found) == size - 2  # padding and the start are never written


def test_a_seed_fixes_what_is_drawn(run):
    task, _, _ = run
    texts, options = list(SOURCES[:9]), {"temperature": 3.0}
    first, same, other = (task.predict(texts, seed=seed, **options) for seed in (3, 3, 4))
    assert first == same != other
    assert first == task.predict(texts, batch_size=2, seed=3, **options)
    assert task.predict(texts, **options) != task.predict(texts, **options)


def test_equal_texts_are_answered_by_chance_of_their_own(run):
    """In one batch and in another."""
    task, _, _ = run
    found = task.predict(["one two three"] * 12, batch_size=4, temperature=3.0, seed=3)
    assert len(set(found)) > 9


def test_another_seed_is_not_another_program(run, monkeypatch):
    task, _, _ = run
    traced, step = [], task.model.step
    monkeypatch.setattr(task.model, "step", lambda *inputs: traced.append(1) or step(*inputs))
    for seed in (1, 2, None, None):
        task.predict(["one two", "three"], temperature=1.9, top_k=5, seed=seed)
        assert len(traced) in (1, 2)  # of the loop, which may be traced twice to begin with


def test_without_a_seed_every_process_draws_anew(run):
    """Whatever loading a task has fixed."""
    task, _, _ = run
    found = []
    for _ in range(2):
        keras.utils.set_random_seed(0)
        found.append(task.predict(list(SOURCES[:9]), temperature=3.0))
    assert found[0] != found[1]
    keras.utils.set_random_seed(0)
    expected = float(keras.random.uniform(()))
    keras.utils.set_random_seed(0)
    task.predict(["one two"])
    assert float(keras.random.uniform(())) == expected


def test_attention_has_a_map_a_layer(run):
    task, _, _ = run
    (found,) = task.attention("three one four")
    assert found.name == "decoder_0" and found.heads == 2
    assert found.source_tokens == ["three", "one", "four", "[END]"]
    written = task.predict(["three one four"])[0].split()
    assert found.target_tokens == [*written, "[END]"] and len(written) == 3
    np.testing.assert_allclose(found.weights.sum(-1), 1, atol=1e-5)
    (short,) = task.attention("three one four", max_new_tokens=2)
    assert short.target_tokens == written[:2]
    np.testing.assert_allclose(short.weights, found.weights[:, :2], atol=1e-5)


def same(one, other):
    assert other.settings == {**one.settings, "vocabulary_size": one.tokenizer.vocabulary_size}
    assert other.tokenizer.vocabulary == one.tokenizer.vocabulary
    assert other.examples == one.examples
    for a, b in zip(one.model.weights, other.model.weights, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=a.path)
    assert other.predict(list(SOURCES[:9])) == one.predict(list(SOURCES[:9]))


def test_a_saved_task_is_the_same_task(run, tmp_path):
    task, _, _ = run
    scores = task.evaluate(PAIRS[:9])
    task.save(tmp_path / "saved")
    assert json.loads((tmp_path / "saved" / "metrics.json").read_text()) == scores
    again = zoo.load(tmp_path / "saved")
    same(task, again)
    again.save(tmp_path / "twice")
    for name in ("config.json", "tokenizer/tokenizer.json"):
        first, second = (tmp_path / folder / name for folder in ("saved", "twice"))
        assert first.read_bytes() == second.read_bytes()


def test_a_run_that_was_never_saved_has_its_best_weights(run):
    task, _, folder = run
    assert not (folder / "weights.weights.h5").exists()
    same(task, zoo.load(folder))


@pytest.mark.thorough
def test_a_run_resumed_from_its_folder_goes_on_as_if_uninterrupted(run, tmp_path):
    _, whole, _ = run
    task = make_task()
    task.adapt(PAIRS)
    options = {"validation_data": PAIRS[:8], "folder": tmp_path}
    fit(task, 1, **options)
    resumed = zoo.load(tmp_path)
    parts = fit(resumed, 3, resume=True, **options)
    assert parts.epoch == [1, 2, 3]
    for name in ("loss", "val_loss"):
        np.testing.assert_allclose(parts.history[name], whole.history[name][:3], rtol=1e-5)
    assert "resuming after epoch 1" in (tmp_path / "log.txt").read_text()


def test_a_run_is_not_spoiled_by_another(run):
    _, _, folder = run
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    other = make_task(max_source_length=7)
    other.adapt([("un deux", "I II"), ("deux", "II")])
    with pytest.raises(UserError, match="already holds a training run"):
        fit(other, 1, folder=folder)
    with pytest.raises(UserError, match="has another vocabulary"):
        fit(other, 1, folder=folder, resume=True)
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    log = folder / "log.txt"
    assert {**after, log: b""} == {**before, log: b""}


def test_the_seed_fixes_the_first_weights():
    first, same, other = (make_task(seed=seed) for seed in (3, 3, 5))
    for task in (first, same, other):
        task.adapt(PAIRS)
    tables = [task.model.get_weights()[0] for task in (first, same, other)]
    np.testing.assert_array_equal(tables[0], tables[1])
    assert np.abs(tables[0] - tables[2]).max() > 0.01


def test_an_option_wins_over_the_preset_and_reaches_the_model():
    task = make_task(intermediate_dim=24, dtype="mixed_bfloat16")
    task.adapt(PAIRS)
    config = task.model.get_config()
    assert (config["intermediate_dim"], config["dtype"]) == (24, "mixed_bfloat16")
    assert config["attention_dropout"] == 0.0  # the preset's, or the class's
    assert config["source_vocabulary_size"] == task.tokenizer.vocabulary_size


@pytest.fixture(scope="module")
def codec():
    task = make_task()
    task.adapt(PAIRS)
    return task.codec


def test_sources_end_in_the_end_token_and_are_padded(codec):
    ids = codec.encode(tf.constant(["one two", "", "one", "six"])).numpy()
    one, two = (codec.tokenizer.vocabulary.index(word) for word in ("one", "two"))
    assert ids.dtype == np.int32
    assert ids[:3].tolist() == [
        [one, two, END, *[PAD] * (ids.shape[1] - 3)],
        [END, *[PAD] * (ids.shape[1] - 1)],
        [one, END, *[PAD] * (ids.shape[1] - 2)],
    ]
    assert (ids == END).sum(axis=1).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("words", [LIMIT - 2, LIMIT - 1, LIMIT, 3 * LIMIT])
def test_what_is_too_long_is_cut_and_still_ends(codec, words):
    ids = codec.encode(tf.constant([" ".join(["one"] * words), "two"])).numpy()
    assert ids.shape == (2, min(words + 1, LIMIT))
    one = codec.tokenizer.vocabulary.index("one")
    assert ids[0].tolist() == [one] * min(words, LIMIT - 1) + [END]
    assert ids[1, 1] == END and (ids[1, 2:] == PAD).all()


def test_texts_come_back(codec):
    texts = tf.constant(["one two three", "4 5", ""])
    back = codec.decode(codec.encode(texts)).numpy()
    assert [text.decode() for text in back] == ["one two three", "4 5", ""]


def test_pieces_are_named_without_padding(codec):
    ids = codec.encode(tf.constant(["one", "one two"])).numpy()
    assert codec.pieces(ids[0]) == ["one", "[END]"]


def test_a_limit_of_one_leaves_the_end_alone(codec):
    ids = TextCodec(codec.tokenizer, 1).encode(tf.constant(["one two", ""]))
    assert ids.numpy().tolist() == [[END], [END]]


def test_the_log_describes_the_data(run):
    _, _, folder = run
    assert "50 pairs in 10 batches" in (folder / "log.txt").read_text()


def test_a_cut_text_is_read_up_to_the_cut(run):
    task, _, _ = run
    kept = " ".join(["two"] * (LIMIT - 1))
    assert task.predict([kept + " five five"]) == task.predict([kept])


@pytest.mark.parametrize("data", [PAIRS, "file"])
def test_pairs_come_from_lists_and_files_alike(data, tmp_path):
    if data == "file":
        data = tmp_path / "pairs.tsv"
        data.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    task = make_task()
    task.adapt(data)
    assert {"one", "five", "0", "3"} <= set(task.tokenizer.vocabulary)
    assert task.examples == list(SOURCES[:8])
    assert keras.tree.flatten(task.model.output)[0].shape[-1] == task.tokenizer.vocabulary_size


def test_artifacts_are_verified_with_a_text_beyond_the_limit(run):
    task, _, _ = run
    texts = task.probes()["serving_default"][0]["text"]
    sizes = task.tokenizer.tokenize(list(texts)).row_lengths()
    assert int(max(sizes)) > task.codec.limit and "" in texts
