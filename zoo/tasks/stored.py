"""A task in its run folder."""

from pathlib import Path
from typing import Self

from zoo.locking import locked
from zoo.tasks import folder as run_folder
from zoo.tasks.base import BaseTask
from zoo.tasks.config import (
    check_config,
    check_files,
    damage,
    read_config,
    refuse_checkpoints,
    weights_file,
)
from zoo.tasks.saving import replacing_run
from zoo.training.weights import load_weights, save_weights


class StoredTask(BaseTask):
    """A task that is saved to a run folder, and loaded from it."""

    def save(self, folder: str | Path) -> None:
        """Writes a folder that `zoo.load` loads: config, preprocessor, weights, metrics.

        A run in the folder is replaced in one step.

        Raises:
            UserError: If the folder contains checkpoints of another run, another process is writing
                to it, or the disk is full.
        """
        folder = Path(folder)
        with locked(folder):
            if self.folder is None or self.folder.resolve() != folder.resolve():
                refuse_checkpoints(folder)
            self.save_files(folder)
            if self.metrics:
                run_folder.write_metrics(folder, self.metrics, self.evaluated_on)

    def save_files(self, folder: Path, weights: bool = True) -> None:
        """Saves everything except the metrics, in one step.

        Args:
            folder: The folder.
            weights: Whether to save the weights, too. Otherwise, they are those of the checkpoints.
        """
        facts = {"training": self.training, "files": self.files}
        facts |= {"data": self.data, "examples": self.examples}
        with replacing_run(folder, {**self.config, **facts}) as new:
            self.save_parts(new)
            if weights:
                save_weights(self.model, new / run_folder.WEIGHTS)
        self.folder = folder

    @classmethod
    def load(cls, folder: str | Path, check_digests: bool = True) -> Self:
        """Loads the task of a run folder, with the saved weights or else the best checkpoint.

        Args:
            folder: The folder.
            check_digests: See `zoo.load`.

        Raises:
            UserError: If the folder is damaged, or is not a run folder.
        """
        folder = Path(folder)
        config = read_config(folder)
        if check_digests:
            check_files(folder, config)
        with damage(folder / run_folder.CONFIG):
            task = cls(**config["settings"], **config["model_options"])
            task.examples, task.data = dict(config["examples"]), dict(config["data"])
            task.files = dict(config["files"])
            if config["training"]:  # empty if the task was never trained
                task.training = task.Training.of(config["training"], cls.name).values()
            task.folder = folder
            task.metrics, task.evaluated_on = run_folder.read_metrics(folder)
        if check_digests:  # after the values, whose errors say more
            check_config(folder, config)
        preprocessor = task.load_preprocessor(folder)
        with damage(folder / run_folder.CONFIG):
            task.build(preprocessor)
        weights = weights_file(folder, config)
        is_checked = weights.name in config.get(run_folder.DIGESTS, {})
        load_weights(task.model, weights, check_digest=check_digests and not is_checked)
        task.load_parts(folder)
        return task
