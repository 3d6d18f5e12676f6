"""TensorBoard logs of the metrics of each epoch."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from zoo.training.run_log import RunLog


class TensorBoardWriter:
    """Writes scalars by epoch. Unlike Keras's callback, it does not wait for the device each batch.

    Args:
        folder: Log folder for TensorBoard.

    Raises:
        ImportError: If TensorFlow or TensorBoard is not installed.
    """

    def __init__(self, folder: Path) -> None:
        for package in ("tensorflow", "tensorboard"):
            if find_spec(package) is None:
                raise ImportError(f"{package} is not installed")
        import tensorflow as tf

        self._summary = tf.summary
        self._writer = tf.summary.create_file_writer(str(folder))

    def write(self, row: dict[str, Any]) -> None:
        """Writes the metrics of one epoch under their own names, with the epoch as the step."""
        with self._writer.as_default(step=row["epoch"]):
            for name, value in row.items():
                if name != "epoch" and value is not None:
                    self._summary.scalar(name, value)
        self._writer.flush()


def open_writer(run: Path, log: RunLog) -> TensorBoardWriter | None:
    """Returns a writer to `tensorboard/` in the run folder, or logs that TensorBoard is missing."""
    try:
        return TensorBoardWriter(run / "tensorboard")
    except ImportError as error:
        log(f"no TensorBoard logs are written: {error}")
        return None
