"""The validation of an epoch that was stopped early, after its last trained batch."""

from typing import Any

import keras

from zoo.training.watch_batches import WatchBatches


def validate_epoch(
    model: keras.Model,
    validation: Any,
    callbacks: list[keras.callbacks.Callback],
    watch: WatchBatches,
    epoch: int,
) -> None:
    """Ends an epoch as `model.fit` does after its last batch.

    Args:
        model: The model, with the weights after that batch.
        validation: A dataset to evaluate it on, or None.
        callbacks: Those of the training, which restore the metrics of the epoch and end it.
        watch: The one of them that counts the batches, all of which it has skipped.
        epoch: Number of the epoch, counted from 0.
    """
    every = keras.callbacks.CallbackList(callbacks, model=model)
    every.on_train_begin()
    every.on_epoch_begin(epoch)
    watch.steps, watch.skipped = watch.skipped, 0
    logs = {name: float(value) for name, value in model.get_metrics_result().items()}
    if validation is not None:
        metrics = model.evaluate(validation, callbacks=every, return_dict=True, verbose=0)
        logs |= {f"val_{name}": value for name, value in metrics.items()}
    every.on_epoch_end(epoch, logs)
    every.on_train_end()
