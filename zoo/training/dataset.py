"""The training dataset from the epoch at which a run starts or resumes."""

from typing import Any

import keras


def from_epoch(dataset: Any, epoch: int, steps_per_epoch: int, step: int = 0) -> Any:
    """Returns the batches from a step of an epoch.

    Args:
        dataset: A `tf.data.Dataset`, or a function from the start epoch to a dataset.
        epoch: Start epoch, counted from 0.
        steps_per_epoch: Number of batches per epoch.
        step: First batch of the epoch, counted from 0.

    Returns:
        A `tf.data.Dataset`. If `dataset` is one, it is repeated, and earlier batches are skipped.
    """
    if callable(dataset):
        return dataset(epoch, step) if step else dataset(epoch)
    return dataset.repeat().skip(epoch * steps_per_epoch + step)


def build_metrics(model: keras.Model, dataset: Any, epoch: int, step: int = 0) -> None:
    """Builds losses and metrics from a batch that is not taken from the dataset of `fit`.

    On backends other than TensorFlow, `fit` takes that batch from its own dataset and then iterates
    it again from the start. A shuffled dataset counts how often it is iterated, so the order after
    a resume, which skips epochs, would differ.

    Args:
        model: A compiled model.
        dataset: See `from_epoch`.
        epoch: Start epoch, counted from 0.
        step: First batch of the epoch. Above 0, the metrics are restored before a batch is trained
            on, so that they have to be built.
    """
    if keras.backend.backend() == "tensorflow" and not step:
        return
    batches = dataset(epoch) if callable(dataset) else dataset
    for batch in batches.take(1).as_numpy_iterator():
        model.test_on_batch(*batch)
