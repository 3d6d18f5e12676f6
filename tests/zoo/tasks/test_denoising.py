"""Denoising: restored texts, and the shares of tokens that are restored."""

import numpy as np
import pytest
from keras import ops

import zoo
from zoo.errors import UserError

WORDS = ["zero", "one", "two", "three", "four", "five"]
# Counting up: what stands behind a mask is told by its neighbours.
TEXTS = [
    " ".join(" ".join(WORDS[(start + i) % 6] for i in range(5)) + " ." for start in range(n, n + 9))
    for n in range(12)
]


def make_task(**options):
    settings = {
        "num_layers": 1,
        "hidden_dim": 24,
        "num_heads": 2,
        "intermediate_dim": 32,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "max_length": 19,
        "vocabulary_size": 60,
        "corruptions": ["text_infilling"],
    }
    return zoo.Denoising("bart", "tiny", **{**settings, **options})


def fit(task, epochs, **options):
    settings = {"batch_size": 4, "learning_rate": 0.01, "xla": False, "verbose": False}
    return task.fit(TEXTS, TEXTS[:3], epochs=epochs, **{**settings, **options})


@pytest.fixture(scope="module")
def untrained():
    task = make_task()
    task.adapt(TEXTS)
    return task


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "counting"
    task = make_task()
    task.adapt(TEXTS)
    return task, fit(task, 12, folder=folder), folder


@pytest.mark.long
def test_it_learns_to_restore(run):
    task, history, folder = run
    losses = history.history["val_loss"]
    assert history.monitor == "val_perplexity" and losses[-1] < 0.3 * losses[0]
    scores = task.evaluate(TEXTS[:4])
    # Chance is one in six words and a stop.
    assert scores["restored"] > 0.5 and scores["accuracy"] > 0.8
    whole = "zero one two three four . one two three four five . two three four five zero ."
    (filled,) = task.predict([whole.replace(" two three four five", " [MASK]", 1)])
    assert filled == whole
    assert "passages of up to 19 tokens" in (folder / "log.txt").read_text()


def test_scores_are_those_of_the_formula(untrained):
    """Of all tokens of the originals, and of those that the corruption took away."""
    task = untrained
    batches = task.batches(task.read(TEXTS[:4]), task.Training(batch_size=3))
    nats, counts = 0.0, np.zeros((2, 2))
    for columns in batches.columns(shuffle=False):
        source, target = columns["source_ids"], columns["target_ids"]
        assert not np.isin(target, task.special_tokens.mask).any()
        read = np.pad(target[:, :-1], ((0, 0), (1, 0)), constant_values=task.special_tokens.start)
        inputs = {"source_ids": source, "target_ids": np.where(target > 0, read, 0)}
        inputs |= {"source_mask": source != 0, "target_mask": target != 0}
        given = {name: ops.convert_to_tensor(x) for name, x in inputs.items()}
        logits = ops.convert_to_numpy(task.model(given)["logits"]).astype("float64")
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        nats -= np.take_along_axis(log_p, target[..., None], -1)[..., 0][target > 0].sum()
        for row, chosen in enumerate((target > 0, columns["restored"] == 1)):
            counts[row] += chosen.sum(), (logits.argmax(-1) == target)[chosen].sum()
    loss, (accuracy, restored) = nats / counts[0, 0], counts[:, 1] / counts[:, 0]
    expected = {"loss": loss, "perplexity": np.exp(loss), "accuracy": accuracy}
    assert task.evaluate(TEXTS[:4]) == pytest.approx({**expected, "restored": restored}, rel=1e-5)


@pytest.mark.thorough
def test_a_mask_may_touch_a_word(untrained):
    task = untrained
    apart, together = "zero one [MASK] four .", "zero one[MASK] four ."
    for text in (together, apart):
        raw = task.parts.input.raw([text], task.settings, task.preprocessor)
        assert raw == {"text": [apart]}
    assert task.predict([apart]) == task.predict([together])
    assert "[MASK]" in task.attention(together)[0].source_tokens


def test_a_loaded_task_corrupts_alike(untrained, tmp_path):
    untrained.save(tmp_path)
    again = zoo.load(tmp_path)
    actual, expected = (
        next(task.batches(task.read(TEXTS), task.Training(batch_size=5)).columns(epoch=1))
        for task in (again, untrained)
    )
    for name, array in expected.items():
        np.testing.assert_array_equal(actual[name], array, err_msg=name)
    assert (expected["source_ids"] == again.special_tokens.mask).any()


def test_mistakes_are_told_in_a_line(untrained):
    with pytest.raises(UserError, match="of token_masking, .* got 'mask'"):
        make_task(corruptions=["mask"])
    with pytest.raises(UserError, match="unknown model 'transformer' for denoising"):
        zoo.Denoising("transformer")
    with pytest.raises(UserError, match="max_length must be an integer of at least 2, got 1"):
        make_task(max_length=1)
    message = "sources of 2 tokens and targets of 20 tokens exceed the 19 positions of the model"
    for act in (
        lambda: untrained.generate_ids([[5, 3]], max_new_tokens=20),
        lambda: untrained.attention("two", max_new_tokens=20),
    ):
        with pytest.raises(UserError, match=message):
            act()
