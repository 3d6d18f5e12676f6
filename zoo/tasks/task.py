"""Base class of the tasks: adapt, fit, evaluate, predict, save, load, export."""

from pathlib import Path
from typing import Any

from zoo.tasks.definition import PROBES
from zoo.tasks.exportable import ExportableTask
from zoo.tasks.fitting import fit
from zoo.tasks.preparing import prepare
from zoo.tasks.stored import StoredTask
from zoo.tasks.views import Views
from zoo.training.history import History


class Task(Views, ExportableTask, StoredTask):
    """A model with its data reader and preprocessing, which you train, save and export.

    This class is independent of the modality. Subclasses override the methods of `TaskDefinition`.

    Args:
        model: Name of the model.
        preset: Name of a preset of the model.
        **options: Fields of the task's `Settings`. All others are options of the model, such as
            `dropout`, which override the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.
    """

    def adapt(self, data: Any) -> None:
        """Fits the preprocessor, such as the tokenizer and the labels, and builds the model.

        A task created from a checkpoint keeps the vocabulary and the weights of the checkpoint.

        Args:
            data: The training data, in the form that `fit` takes.
        """
        self.check_readable(data)
        examples = self.read_to_learn(data)
        self.examples = self.sample_inputs(examples, PROBES)
        self.build(self.learn(examples))
        if self.pretrained is not None:
            self.pretrained.load(self.model)
        else:
            self.adapt_model(examples)

    def prepare(
        self, data: Any, folder: str | Path, processes: int | None = None, verbose: bool = True
    ) -> int:
        """Tokenizes data into a folder, from which `adapt` and `fit` read it with constant memory.

        Args:
            data: The data, in the form that `fit` takes.
            folder: The folder.
            processes: Number of processes. Default: the number of cores.
            verbose: Show progress.

        Returns:
            The number of rows.

        Raises:
            UserError: If the data of the task is read into memory; and see
                `zoo.tasks.preparing.prepare`.
        """
        return prepare(self, data, folder, processes, verbose)

    def fit(self, data: Any = None, validation_data: Any = None, **options: Any) -> History:
        """Trains the model, and leaves it with the weights of the best epoch.

        A task that has learned from no data yet is adapted to the training data first.

        Args:
            data: The training data: a file, a list of `pathlib.Path`, or a list of examples. When
                resuming, it defaults to the files of the run.
            validation_data: Data in the same form to select the best epoch, or the fraction of the
                training data to hold out as such, for example 0.1. When resuming, it defaults to
                that of the run.
            **options: Training options of the task, and `zoo.training.options.SessionOptions`.

        Returns:
            The `History` of the run.
        """
        if self._model is None and data is not None and not options.get("resume"):
            self.adapt(data)
        return fit(self, data, validation_data, options)
