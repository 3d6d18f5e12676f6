"""What every task consists of: its settings, its preprocessor and its model."""

from pathlib import Path
from typing import Any

import keras

from zoo.models.create import create_model
from zoo.models.options import check_options
from zoo.preprocessing.base import Preprocessor
from zoo.registry import MODELS
from zoo.serving.programs import Programs
from zoo.tasks.definition import TaskDefinition
from zoo.tasks.parts import Pretrained
from zoo.text.tokenizer import Tokenizer


class BaseTask(TaskDefinition):
    """The settings, the preprocessor and the model of a task. `Task` describes the arguments."""

    def __init__(self, model: str | None = None, preset: str | None = None, **options: Any) -> None:
        named = {"model": model, "preset": preset}
        options |= {name: value for name, value in named.items() if value is not None}
        own = {name: options.pop(name) for name in self.Settings.names() if name in options}
        model = own.get("model", self.Settings.defaults()["model"])
        of_model = MODELS[model].settings if model in MODELS else {}
        self.settings: Any = self.Settings.of({**of_model, **own}, self.name)
        self.model_options = options
        self.check_settings()
        check_options(self.settings.model, self.settings.preset, options, self.name)
        self.folder: Path | None = None
        self.metrics: dict[str, float] = {}
        self.evaluated_on = ""  # names of the data of the metrics
        self.license: str | None = None  # of the model, for the model card, such as "apache-2.0"
        self.training: dict[str, Any] = {}  # options of the last `fit`
        self.files: dict[str, Any] = {}  # files that the last `fit` read, to resume it
        self.data: dict[str, str] = {}  # sha256 of the files that its weights come from
        self.examples: dict[str, list[Any]] = {}  # some raw inputs of the training data
        self.pretrained: Pretrained | None = None
        self.origin: list[str] = []  # log lines about where the initial weights come from
        self._programs = Programs()

    def build(self, preprocessor: Preprocessor) -> None:
        """Sets the preprocessor, and builds the model with random weights."""
        self._preprocessor, self._programs = preprocessor, Programs()
        keras.utils.set_random_seed(self.settings.seed)
        model, preset = self.settings.model, self.settings.preset
        options = {"dtype": self.settings.dtype, **self.model_sizes(), **self.model_options}
        self._model = create_model(model, preset, self.name, **options)
        self.check_model()

    def check_model(self) -> None:
        """Raises a `UserError` if a new model cannot read what the settings say."""
        self.parts.input.check_model(self.fitted)

    def use_tokenizer(self, tokenizer: Tokenizer) -> None:
        """Builds the model for an existing tokenizer."""
        self.build(self.parts.input.with_tokenizer(tokenizer, self.settings))

    @property
    def config(self) -> dict[str, Any]:
        """The arguments that recreate the task, as JSON types, and facts of its inputs."""
        return {**self.base_config, **self.parts.input.config(self.preprocessor)}

    @property
    def base_config(self) -> dict[str, Any]:
        """The arguments that recreate the task, as JSON types."""
        return {
            "task": self.name,
            "settings": self.settings.values(),
            "model_options": self.model_options,
        }
