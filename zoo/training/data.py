"""Data of a training run: training batches from any step of the run, and validation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import keras

if TYPE_CHECKING:
    import tensorflow as tf

BeforeBatch = Callable[[], None]
Evaluate = Callable[[keras.Model, BeforeBatch], dict[str, float]]


@dataclass(frozen=True, kw_only=True)
class TrainingData:
    """Data of a training run.

    Args:
        dataset: A `tf.data.Dataset` of (inputs, labels), which is repeated as needed, or a function
            `dataset(start_epoch, start_step)` that returns one beginning with that batch of that
            epoch (both counted from 0). To resume with the same results, the seeds for shuffling
            must be fixed.
        validation: A finite dataset, evaluated after each epoch, or None.
        evaluate: A function from the model to further metrics, for example `{"bleu": 27.3}`, or
            None. It calls its second argument before each batch, which raises an exception if
            training must end.
        shared: Whether the datasets have only the rows of this process, of several.
        notes: Lines for the log, such as data statistics.
    """

    dataset: "tf.data.Dataset | Callable[..., tf.data.Dataset]"
    validation: "tf.data.Dataset | None" = None
    evaluate: Evaluate | None = None
    shared: bool = False
    notes: Sequence[str] = ()

    @property
    def by_epoch(self) -> bool:
        """Whether the batches are a function of the epoch, which may be called several times."""
        return callable(self.dataset)

    def start_at(self, epoch: int, step: int, steps_per_epoch: int) -> "tf.data.Dataset":
        """The training batches from a step of an epoch.

        Args:
            epoch: Start epoch, counted from 0.
            step: First batch of the epoch, counted from 0.
            steps_per_epoch: Number of batches per epoch.
        """
        if callable(self.dataset):
            return self.dataset(epoch, step) if step else self.dataset(epoch)
        return self.dataset.repeat().skip(epoch * steps_per_epoch + step)


def build_metrics(model: keras.Model, data: TrainingData, epoch: int, step: int = 0) -> None:
    """Builds losses and metrics from a batch that is not taken from the dataset of `fit`.

    On backends other than TensorFlow, `fit` takes that batch from its own dataset and then iterates
    it again from the start. A shuffled dataset counts how often it is iterated, so the order after
    a resume, which skips epochs, would differ.

    Args:
        model: A compiled model.
        data: The data of the run.
        epoch: Start epoch, counted from 0.
        step: First batch of the epoch. Above 0, the metrics are restored before a batch is trained
            on, so that they have to be built.
    """
    if keras.backend.backend() == "tensorflow" and not step:
        return
    batches = data.dataset(epoch) if callable(data.dataset) else data.dataset
    for batch in batches.take(1).as_numpy_iterator():
        model.test_on_batch(*batch)
