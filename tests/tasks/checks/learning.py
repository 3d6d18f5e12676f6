"""What a task learns, keeps and goes on with."""

from typing import Any
from unittest import mock

import numpy as np
import pytest

from keras_attn.right_padding import is_promised
from tests.tasks import api
from tests.tasks.harness import Subject, same_weights
from zoo.errors import UserError
from zoo.tasks import training_run

PASSING = ("seconds", "tokens_per_second")  # what no two runs have in common


def adapt(subject: Subject) -> None:
    """Without a vocabulary the task says so; with one its model is the same each time."""
    task = subject.new()
    if task.pretrained is None:
        with pytest.raises(UserError, match=r"call adapt\(data\) first"):
            served = api.served(task, subject.case.head)
            subject.case.output.predict(served, subject.case.texts)
    task.adapt(subject.data)
    assert task.model.count_params() > 100
    again, learned = subject.adapted(), subject.case.output.learned
    assert learned(again) == learned(task)
    same_weights(again, task)


def fit(subject: Subject) -> None:
    """The loss falls, every weight that is trained moves, and predictions differ."""
    losses = subject.history.history["loss"]
    assert subject.history.epoch == list(range(1, subject.case.epochs + 1))
    assert np.isfinite(losses).all() and losses[-1] < subject.case.left * losses[0]
    trained = {weight.path for weight in subject.task.model.trainable_weights}
    moved = {
        weight.path
        for weight, before in zip(subject.task.model.weights, subject.weights_before, strict=True)
        if not np.array_equal(np.array(weight), before)
    }
    assert len(moved & trained) > 0.9 * len(trained)
    assert len({str(each) for each in subject.predictions}) > 1


def right_padding(subject: Subject) -> None:
    """Batches are padded on the right only, as training promises to the kernels of GPUs."""
    masks = []

    def stand_in(model: Any, data: Any, *_: Any) -> None:
        assert is_promised()
        for batches in (data.dataset(0), data.validation):
            for inputs, *_ in batches.take(3) if batches is not None else []:
                masks.extend(x.numpy() for x in inputs.values() if x.dtype == "bool")
        raise InterruptedError

    with mock.patch.object(training_run, "train", stand_in), pytest.raises(InterruptedError):
        subject.fit(subject.adapted(), 1, validation_data=subject.data)
    assert not any((mask[..., 1:] > mask[..., :-1]).any() for mask in masks)


def resume(subject: Subject) -> None:
    """A run that goes on ends with the numbers and weights of one that never stopped."""
    folder, task = subject.folder / "resumed", subject.adapted()
    subject.fit(task, subject.case.epochs // 2, folder=folder)
    again = api.load(folder)
    history = subject.fit(again, subject.case.epochs, folder=folder, resume=True)
    assert history.epoch == subject.history.epoch
    assert set(history.history) == set(subject.history.history)
    for name, values in subject.history.history.items():
        if name not in PASSING:
            np.testing.assert_allclose(history.history[name], values, rtol=1e-5, err_msg=name)
    same_weights(again, subject.task, tolerance=1e-5)


def save_and_load(subject: Subject) -> None:
    """The folder that `save` writes and that of the run give the same task."""
    for folder in (subject.saved, subject.run):
        task = api.load(folder)
        assert type(task) is type(subject.task)
        assert api.chosen(task) == api.chosen(subject.task)
        assert task.training == subject.task.training and task.data == subject.task.data
        same_weights(task, subject.task)
        served = api.served(task, subject.case.head)
        actual = subject.case.output.predict(served, subject.case.texts)
        subject.case.output.same(actual, subject.predictions)
