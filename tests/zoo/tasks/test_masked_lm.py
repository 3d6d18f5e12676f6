"""Masked language models: what fills a mask, and how masked tokens are scored."""

import json

import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import zoo
from tests.zoo.pretrained.tiny_gpt2 import END, MERGES, VOCABULARY
from tests.zoo.tasks.stand_in import StandIn, scramble
from zoo.data.pretraining.masking import NOT_CHOSEN
from zoo.errors import UserError
from zoo.tasks.answers import filled_masks
from zoo.tasks.learning import use_tokenizer
from zoo.text.byte_bpe import ByteBPETokenizer
from zoo.text.form import TextForm

MASK_ID = 4

TOPICS = [["cat", "purrs", "mat", "milk"], ["horse", "neighs", "field", "hay"], ["bird", "nest"]]
RANDOM = np.random.default_rng(0)


def document(topic, count=12):
    """Words of one topic at random: the others tell of which a masked one is."""
    return " ".join(" ".join(RANDOM.choice(topic, 4)) + "." for _ in range(count))


TEXTS = [document(topic) for topic in TOPICS * 6]


def make_task(**options):
    settings = {
        "num_layers": 1,
        "hidden_dim": 96,
        "num_heads": 2,
        "intermediate_dim": 96,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "max_length": 31,
        "vocabulary_size": 100,
    }
    return zoo.MaskedLM("bert", "tiny", **{**settings, **options})


@pytest.fixture(scope="module")
def task():
    task = make_task()
    task.adapt(TEXTS)
    scramble(task.model)
    return task


def outputs(task, token_ids):
    """What the model gives for ids, in float64."""
    ends = np.cumsum(token_ids == task.special_tokens.end, axis=1)
    segments = (ends - (token_ids == task.special_tokens.end) > 0) & (token_ids != 0)
    inputs = {"token_ids": token_ids, "padding_mask": token_ids != 0}
    inputs["segment_ids"] = segments.astype("int32")
    actual = task.model({name: ops.convert_to_tensor(x) for name, x in inputs.items()})
    return {name: ops.convert_to_numpy(x).astype("float64") for name, x in actual.items()}


@pytest.mark.long
def test_it_learns_what_stands_where():
    task = make_task()
    task.adapt(TEXTS)
    how = {"batch_size": 8, "learning_rate": 0.005, "xla": False, "verbose": False}
    history = task.fit(TEXTS, TEXTS[:3], epochs=70, **how)
    losses = history.history["loss"]
    assert losses[-1] < 0.5 * losses[0] and history.monitor == "val_loss"
    for topic in TOPICS:
        (actual,) = task.fill_mask(f"{topic[0]} [MASK] {topic[1]}.", top=len(topic))
        best, *_, last = actual
        foreign = {word for other in TOPICS if other is not topic for word in other}
        assert best.token in topic and not foreign & {each.token for each in actual}
        assert best.text == f"{topic[0]} {best.token} {topic[1]}." and best.score >= last.score
    assert task.evaluate(TEXTS[:4])["accuracy"] > 0.25  # chance among four words


def test_scores_are_those_of_the_formula(task):
    batches = task.batches(task.read(TEXTS[:5]), task.Training(batch_size=16))
    nats = right = tokens = follows = pairs = 0
    for columns in batches.columns(shuffle=False):
        actual, labels = outputs(task, columns["token_ids"]), columns["labels"]
        chosen = labels != NOT_CHOSEN
        logits = actual["mlm_logits"][chosen]
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        nats -= log_p[np.arange(len(log_p)), labels[chosen]].sum()
        right += (logits.argmax(-1) == labels[chosen]).sum()
        tokens += chosen.sum()
        follows += (actual["nsp_logits"].argmax(-1) == columns["is_random"]).sum()
        pairs += len(labels)
    expected = {"loss": nats / tokens, "perplexity": np.exp(nats / tokens)}
    expected |= {"accuracy": right / tokens, "nsp_accuracy": follows / pairs}
    scores = dict(task.compare(TEXTS[:5]).model)
    assert scores == pytest.approx(expected, rel=1e-4)
    artifact = StandIn(task)
    assert task.evaluate_artifact(artifact, TEXTS[:5]) == scores
    assert set(artifact.calls) == {"score"}


def test_probabilities_are_those_of_the_logits(task):
    text = "cat [MASK] [MASK] milk."
    ids = task.preprocessor(text=[text])["token_ids"].numpy()
    logits = outputs(task, ids)["mlm_logits"][0]
    logits[:, : MASK_ID + 1] = -np.inf
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    places = np.flatnonzero(ids[0] == MASK_ID)
    vocabulary = task.tokenizer.vocabulary
    for place, choices in zip(places, task.fill_mask(text, top=4), strict=True):
        best = np.argsort(-p[place])[:4]
        assert [choice.token for choice in choices] == [vocabulary[i] for i in best]
        assert [choice.token_id for choice in choices] == best.tolist()
        np.testing.assert_allclose([choice.score for choice in choices], p[place][best], rtol=1e-4)
    assert task.fill_mask(text)[0][0].text.count("[MASK]") == 1  # the other one stays


def test_filling_is_traced_once_for_a_number_of_tokens(task, monkeypatch):
    (first,) = task.fill_mask("cat [MASK] milk.", top=3)
    monkeypatch.setattr(filled_masks, "best_tokens", None)
    assert task.fill_mask("cat [MASK] milk.", top=3) == [first]


def test_an_artifact_says_how_likely_its_text_is(task):
    """All masks together; and of each its five best tokens."""
    texts = ["cat [MASK] mat.", "nest [MASK] bird [MASK].", "", "hay"]
    signatures = task.export_parts(text="strings").signatures
    whole = signatures["serving_default"]
    features = whole.preprocess(text=texts)
    actual = whole.infer(token_ids=features["token_ids"])
    scores = whole.postprocess(actual, features)["score"].numpy()
    expected = [np.prod([each[0].score for each in task.fill_mask(text)]) for text in texts[:2]]
    np.testing.assert_allclose(scores, [*expected, 1, 1], rtol=1e-4)
    (row, place), *_ = np.argwhere(features["token_ids"].numpy() == MASK_ID)
    pieces = [task.tokenizer.vocabulary[i] for i in actual["token_ids"][row, place].numpy()]
    assert pieces == [each.token for each in task.fill_mask(texts[0])[0]]


def test_predict_fills_masks_and_leaves_the_rest(task):
    filled = task.predict(["cat [MASK] mat.", "nest", "", "a([MASK])"])
    assert filled[1:3] == ["nest", ""] and "[MASK]" not in "".join(filled)
    assert filled[0] == task.fill_mask("cat [MASK] mat.")[0][0].text


def test_documents_come_as_json_lines_and_words_whole(tmp_path):
    path = tmp_path / "news.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in enumerate(TEXTS)))
    task = make_task(whole_words=True, vocabulary_size=30)
    task.adapt(path)
    continues = np.array([piece.startswith("##") for piece in task.tokenizer.vocabulary])
    examples = task.read(path)
    batches = task.batches(examples, task.Training(batch_size=7))
    assert "18 documents" in str(examples) and "pairs of up to 31 tokens" in str(batches)
    begun = going_on = 0
    for columns in batches.columns():
        chosen = columns["labels"] != NOT_CHOSEN
        ids = np.where(chosen, columns["labels"], columns["token_ids"])
        # A piece inside a word is chosen with the piece before it, or not at all; a pair that was
        # too long may begin inside one.
        inner = continues[ids[:, 1:]] & (ids[:, :-1] > MASK_ID)
        np.testing.assert_array_equal(chosen[:, 1:][inner], chosen[:, :-1][inner])
        going_on += (chosen[:, 1:] & inner).sum()
        begun += (chosen & ~continues[ids]).sum()
    assert begun > 13 and going_on > 13


def test_mistakes_are_told_in_a_line(task):
    with pytest.raises(UserError, match=r"no \[MASK\] in its first 31 tokens"):
        task.fill_mask("cat " * 30 + "[MASK]")
    with pytest.raises(UserError, match="unknown model 'gpt' for masked-lm; choose from bert"):
        zoo.MaskedLM("gpt")
    with pytest.raises(UserError, match="at least two sentences"):
        task.fit(["one"], verbose=False)


def test_the_first_token_of_a_vocabulary_may_fill_a_mask():
    """Id 0 is a token like any other where padding has another id."""
    special = {"start": END, "end": END, "mask": len(VOCABULARY)}
    tokenizer = ByteBPETokenizer([*VOCABULARY, "[MASK]"], MERGES, special)
    assert tokenizer.special_tokens.pad != 0
    task = make_task(max_length=11)
    use_tokenizer(task, tokenizer)
    bias = np.zeros(tokenizer.vocabulary_size, "float32")
    bias[0] = 50.0
    task.model.bias.set_weights([bias])
    ids = np.array([[END, 5, len(VOCABULARY), END]], "int32")
    outputs = task.program("tokens")({"token_ids": ids})
    assert outputs["token_ids"][0, 2, 0] == 0
    actual = task.head.postprocess(
        {name: tf.constant(x) for name, x in outputs.items()},
        {"token_ids": tf.constant(ids)},
        TextForm.STRINGS,
    )
    assert actual["text"].numpy()[0] == bytes([5, 0])
    assert float(actual["score"][0]) == pytest.approx(float(outputs["scores"][0, 2, 0]), rel=1e-5)
