"""The training data, from the epoch that a run starts or resumes with."""

from typing import Any

import keras


def from_epoch(dataset: Any, epoch: int, steps_per_epoch: int) -> Any:
    """The batches from the start of an epoch on.

    Args:
        dataset: A `tf.data.Dataset`, or a function that gives one from an epoch on.
        epoch: The epoch, counted from 0.
        steps_per_epoch: Batches in an epoch.

    Outputs: a `tf.data.Dataset`; a plain one is repeated, and what came before is skipped.
    """
    if callable(dataset):
        return dataset(epoch)
    return dataset.repeat().skip(epoch * steps_per_epoch)


def build_metrics(model: keras.Model, dataset: Any, epoch: int) -> None:
    """Builds losses and metrics from a batch that `fit` does not see.

    On other backends than TensorFlow `fit` would take that batch from its own dataset and then
    begin to iterate it again. A shuffled dataset counts how often it is iterated, and after a
    resume, with epochs to skip, the count would come out another one.

    Args:
        model: A compiled model.
        dataset: As for `from_epoch`.
        epoch: The epoch to start with, counted from 0.
    """
    if keras.backend.backend() == "tensorflow":
        return
    batches = dataset(epoch) if callable(dataset) else dataset
    for batch in batches.take(1).as_numpy_iterator():
        model.test_on_batch(*batch)
