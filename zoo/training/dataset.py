"""The training dataset from the epoch at which a run starts or resumes."""

from typing import Any

import keras


def from_epoch(dataset: Any, epoch: int, steps_per_epoch: int) -> Any:
    """Returns the batches from the start of an epoch.

    Args:
        dataset: A `tf.data.Dataset`, or a function from the start epoch to a dataset.
        epoch: Start epoch, counted from 0.
        steps_per_epoch: Number of batches per epoch.

    Returns:
        A `tf.data.Dataset`. If `dataset` is one, it is repeated, and earlier batches are skipped.
    """
    if callable(dataset):
        return dataset(epoch)
    return dataset.repeat().skip(epoch * steps_per_epoch)


def build_metrics(model: keras.Model, dataset: Any, epoch: int) -> None:
    """Builds losses and metrics from a batch that is not taken from the dataset of `fit`.

    On backends other than TensorFlow, `fit` takes that batch from its own dataset and then iterates
    it again from the start. A shuffled dataset counts how often it is iterated, so the order after
    a resume, which skips epochs, would differ.

    Args:
        model: A compiled model.
        dataset: See `from_epoch`.
        epoch: Start epoch, counted from 0.
    """
    if keras.backend.backend() == "tensorflow":
        return
    batches = dataset(epoch) if callable(dataset) else dataset
    for batch in batches.take(1).as_numpy_iterator():
        model.test_on_batch(*batch)
