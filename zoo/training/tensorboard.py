"""Each epoch's numbers for TensorBoard, if it is installed."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from zoo.training.run_log import RunLog


class TensorBoardWriter:
    """Writes scalars by epoch. Keras's own callback waits for the device after every batch.

    Args:
        folder: The folder to point TensorBoard at.

    Raises:
        ImportError: when TensorFlow or TensorBoard is not installed.
    """

    def __init__(self, folder: Path) -> None:
        for package in ("tensorflow", "tensorboard"):
            if find_spec(package) is None:
                raise ImportError(f"{package} is not installed")
        import tensorflow as tf

        self._summary = tf.summary
        self._writer = tf.summary.create_file_writer(str(folder))

    def write(self, row: dict[str, Any]) -> None:
        """Writes one epoch's numbers under their own names, at the epoch's number."""
        with self._writer.as_default(step=row["epoch"]):
            for name, value in row.items():
                if name != "epoch" and value is not None:
                    self._summary.scalar(name, value)
        self._writer.flush()


def open_writer(run: Path, log: RunLog) -> TensorBoardWriter | None:
    """A writer for `tensorboard/` in the run folder; None, and a line in the log, without it."""
    try:
        return TensorBoardWriter(run / "tensorboard")
    except ImportError as error:
        log(f"nothing is written for TensorBoard: {error}")
        return None
