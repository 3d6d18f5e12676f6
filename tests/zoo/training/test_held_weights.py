"""Epochs whose checkpoint is put off: fewer files are written, and no number changes."""

import json

import pytest

from tests.zoo.training.small_run import STEPS, build_model, data, run
from tests.zoo.training.test_termination import from_step, told
from tests.zoo.training.test_trainer import assert_same_numbers, values
from zoo.training import end_epoch

EPOCHS = 7


@pytest.fixture(autouse=True)
def few_checkpoints(monkeypatch):
    """As if all epochs after the second took no time."""
    monkeypatch.setattr(end_epoch, "FIRST", 2)
    monkeypatch.setattr(end_epoch, "SECONDS", 1e9)


def scored(*scores):
    """Validation with given scores, and a list of the weights of each epoch."""
    seen, left = [], list(scores)

    def evaluate(model, _):
        seen.append(values(model))
        return {"bleu": left[len(seen) - 1]}

    return {"evaluate": evaluate, "monitor": "bleu", "mode": "max", "validation": None}, seen


@pytest.mark.parametrize("folder", [True, False])
def test_the_best_of_the_epochs_between_is_kept(tmp_path, folder):
    settings, seen = scored(1.0, 2.0, 3.0, 5.0, 4.0, 4.5, 0.0)
    saved, model = [], build_model()
    history = run(
        model,
        epochs=EPOCHS,
        folder=tmp_path if folder else None,
        saved=lambda: saved.append(len(seen)),
        **settings,
    )
    assert saved == [1, 2, EPOCHS]  # of 7
    assert (history.best_epoch, history.epoch) == (4, [*range(1, EPOCHS + 1)])
    for now, best in zip(values(model), seen[3], strict=True):
        assert (now == best).all()


def test_saving_less_changes_no_number(tmp_path, monkeypatch):
    few, every = build_model(), build_model()
    history = run(few, epochs=EPOCHS, average=3, folder=tmp_path)
    assert len((tmp_path / "history.csv").read_text().split()) == EPOCHS + 1
    monkeypatch.setattr(end_epoch, "FIRST", EPOCHS)
    assert_same_numbers((few, history), (every, run(every, epochs=EPOCHS, average=3)))


def test_a_run_that_fails_resumes_from_the_checkpoint_before(tmp_path):
    def broken(start):
        return data(start).take(5 * STEPS + 3)

    with pytest.raises(Exception, match="ended after 3 of 8 batches in epoch 6"):
        run(build_model(), broken, epochs=EPOCHS, average=2, folder=tmp_path)
    state = json.loads((tmp_path / "checkpoints" / "state.json").read_text())
    assert (state["epoch"], len(state["history"])) == (2, 2)
    resumed, whole = build_model(), build_model()
    history = run(resumed, epochs=EPOCHS, average=2, folder=tmp_path, resume=True)
    assert_same_numbers((resumed, history), (whole, run(whole, epochs=EPOCHS, average=2)))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("method", "epoch", "batch", "place"),
    [
        ("on_train_batch_begin", 4, 0, (3, 0)),
        ("on_train_batch_begin", 5, 3, (4, 3)),
        ("on_test_begin", 4, None, (3, STEPS)),
    ],
)
def test_sigterm_saves_what_was_put_off(tmp_path, monkeypatch, method, epoch, batch, place):
    with monkeypatch.context() as patch:
        told(patch, method, epoch, batch)
        with pytest.raises(SystemExit):
            run(build_model(), from_step, epochs=EPOCHS, folder=tmp_path)
    state = json.loads((tmp_path / "checkpoints" / "state.json").read_text())
    assert (state["epoch"], state["step"]) == place
    assert len((tmp_path / "history.csv").read_text().split()) == place[0] + 1
    resumed, whole = build_model(), build_model()
    history = run(resumed, from_step, epochs=EPOCHS, folder=tmp_path, resume=True)
    assert_same_numbers((resumed, history), (whole, run(whole, from_step, epochs=EPOCHS)))
