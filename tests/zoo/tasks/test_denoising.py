"""Denoising from plain text to restored text, and from a folder to the same task."""

import numpy as np
import pytest
from keras import ops

import zoo
from zoo.errors import UserError

pytestmark = pytest.mark.thorough

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
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "counting"
    task = make_task()
    task.adapt(TEXTS)
    return task, fit(task, 12, folder=folder), folder


def test_it_learns_to_restore(run):
    task, history, _ = run
    losses = history.history["val_loss"]
    assert history.monitor == "val_perplexity" and losses[-1] < 0.3 * losses[0]
    scores = task.evaluate(TEXTS[:4])
    assert scores == task.metrics and scores["loss"] == pytest.approx(np.log(scores["perplexity"]))
    # Chance is one in six words and a stop.
    assert scores["restored"] > 0.5 and scores["accuracy"] > 0.8
    # All tokens and those hidden, by hand.
    batches, _ = task._passages(TEXTS[:4], 16)
    counts = np.zeros((2, 2))
    for (x, labels), hidden in batches.with_hidden(shuffle=False):
        best = ops.convert_to_numpy(task.model(x)["logits"]).argmax(-1)
        for row, chosen in enumerate((labels != 0, hidden)):
            counts[row] += chosen.sum(), (best == labels)[chosen].sum()
    shares = counts[:, 1] / counts[:, 0]
    np.testing.assert_allclose([scores["accuracy"], scores["restored"]], shares, rtol=1e-5)


def test_masks_in_texts_are_filled(run):
    task, _, _ = run
    whole = "zero one two three four . one two three four five . two three four five zero ."
    texts = [whole.replace(" two three four five", " [MASK]", 1), "three [MASK]. one two", ""]
    filled = task.predict(texts)
    assert filled[0] == whole and "[MASK]" not in filled[1]
    assert filled == [task.predict([text])[0] for text in texts]
    with pytest.raises(ValueError, match="texts must be a list"):
        task.predict("a")


def test_a_mask_may_touch_a_word(run):
    task, _, _ = run
    apart, together = "zero one [MASK] four .", "zero one[MASK] four ."
    assert task.predict([apart]) == task.predict([together])
    assert task.candidates([apart], beams=2) == task.candidates([together], beams=2)
    maps = [task.attention(text) for text in (apart, together)]
    assert maps[0][0].source_tokens == maps[1][0].source_tokens
    assert "[MASK]" in maps[0][0].source_tokens


def test_a_run_folder_is_the_same_task(run):
    task, _, folder = run
    again = zoo.load(folder)
    assert isinstance(again, zoo.Denoising) and again.corrupt == task.corrupt
    assert again.predict(["two [MASK] four ."]) == task.predict(["two [MASK] four ."])
    assert "passages of up to 19 tokens" in (folder / "log.txt").read_text()


def test_mistakes_are_told_in_a_line(run):
    task, _, _ = run
    with pytest.raises(UserError, match="of token_masking, .*; got 'mask'"):
        make_task(corruptions=["mask"])
    with pytest.raises(UserError, match="unknown model for denoising 'transformer'"):
        zoo.Denoising("transformer")
    with pytest.raises(UserError, match="max_length must be at least 2, got 1"):
        make_task(max_length=1)
    with pytest.raises(UserError, match="more than the 19 positions of the model"):
        task.generate_ids([[5, 3]], max_new_tokens=20)
