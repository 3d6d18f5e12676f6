"""What every task is: a model, a tokenizer and settings, in memory or in a run folder."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import keras
import tensorflow as tf

from zoo.data.epochs import Epochs
from zoo.errors import UserError
from zoo.models.options import check_type
from zoo.notes import told
from zoo.tasks.folder import (
    BEST,
    CONFIG,
    LAST,
    METRICS,
    TOKENIZER,
    WEIGHTS,
    read_config,
    write_json,
)
from zoo.tasks.provenance import digests
from zoo.text import load_tokenizer
from zoo.text.tokenizer import Tokenizer
from zoo.training.history import History
from zoo.training.layerwise import freeze, layer_rates
from zoo.training.optimizer import adam
from zoo.training.options import DEFAULTS, FitOptions, check_seed, complete, remembered
from zoo.training.schedule import learning_rates
from zoo.training.trainer import train
from zoo.training.weights import load_weights, save_weights


@dataclass(frozen=True)
class Start:
    """What a task begins with instead of a vocabulary of its own and random weights.

    Args:
        tokenizer: The tokenizer.
        load: Gives a model of the task its first weights.
    """

    tokenizer: Tokenizer
    load: Callable[[keras.Model], None]


class Task:
    """Ties raw data to a model; what people train, save and export.

    A subclass has a `name`, takes its settings as arguments, and makes its model in `_use`.

    Args:
        settings: What the constructor was given, as JSON types.
    """

    name: ClassVar[str]
    fit_defaults: ClassVar[FitOptions] = {}  # where they are not those of most tasks

    def __init__(self, settings: dict[str, Any]) -> None:
        check_seed(settings["seed"])
        for name, parameter in inspect.signature(type(self)).parameters.items():
            if name in settings and name != "seed":
                check_type(name, settings[name], parameter.annotation)
        self.settings = settings
        self.folder: Path | None = None
        self.metrics: dict[str, float] = {}
        self.training: dict[str, Any] = {}  # the options of the last `fit`
        self.data: dict[str, str] = {}  # the sha256 of the files that it has learned from
        self.examples: list[str] = []  # some sources that it was adapted to
        self.start: Start | None = None
        self.origin: list[str] = []  # what to log of where the first weights come from
        self._tokenizer: Tokenizer | None = None
        self._model: keras.Model | None = None
        self._traced: tuple[keras.Model, Any] | None = None

    @property
    def model(self) -> keras.Model:
        """The Keras model."""
        return adapted(self._model)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer."""
        return adapted(self._tokenizer)

    @property
    def _run(self) -> Any:
        """The model over batches of any shape, on TensorFlow traced once."""
        if keras.backend.backend() != "tensorflow":
            return self.model
        if self._traced is None or self._traced[0] is not self.model:
            traced = tf.function(self.model, autograph=False, reduce_retracing=True)
            self._traced = self.model, traced
        return self._traced[1]

    def _use(self, tokenizer: Tokenizer) -> None:
        """Takes the tokenizer, and creates the model for its vocabulary."""
        raise NotImplementedError

    def save(self, folder: str | Path) -> None:
        """Writes a folder that `zoo.load` reads: config, tokenizer, weights, metrics."""
        folder = Path(folder)
        self._save_config(folder)
        save_weights(self.model, folder / WEIGHTS)
        if self.metrics:
            write_json(folder / METRICS, self.metrics)

    def _train(
        self,
        data: Any,
        batches: Epochs,
        held_out: Epochs | None,
        options: FitOptions,
        own: dict[str, Any],
        notes: Sequence[object],
        **arguments: Any,
    ) -> History:
        """Trains the model, and leaves it with its best weights.

        Args:
            data: What `fit` was given to learn from.
            batches: The same as batches.
            held_out: What to choose the best epoch by.
            options: All of them; see `_options`.
            own: The options of `fit` that only this task has.
            notes: What to log of the data, beside what epochs leave out.
            **arguments: Further arguments of `zoo.training.trainer.train`.
        """
        folder = None if options["folder"] is None else Path(options["folder"])
        if folder is not None and options["resume"]:
            self._check_vocabulary(folder)
        steps = options["epochs"] * batches.steps_per_epoch
        highest, warmup = options["learning_rate"], options["warmup"]
        highest = self._learning_rate() if highest is None else highest
        warmup = self._warmup(steps) if warmup is None else warmup
        options |= {"learning_rate": highest, "warmup": warmup}
        self.training = {**own, **remembered(options)}
        self.data, self.metrics = digests(data), {}
        rates = learning_rates(options["schedule"], highest, warmup, steps)
        freeze(self.model, options["freeze"])
        slower = layer_rates(self.model, options["layer_decay"])
        left_out = [f"epoch 1: {text}" for text in told(batches.left_out(shuffle=True))]
        if held_out is not None:
            left_out += [f"validation: {text}" for text in told(held_out.left_out(shuffle=False))]
        return train(
            self.model,
            lambda start_epoch: batches.dataset(start_epoch, repeat=True),
            epochs=options["epochs"],
            steps_per_epoch=batches.steps_per_epoch,
            optimizer=adam(rates, options["clipnorm"], options["weight_decay"], slower),
            validation=None if held_out is None else held_out.dataset(shuffle=False),
            patience=options["patience"],
            average=options["average"],
            max_minutes=options["max_minutes"],
            folder=folder,
            saved=None if folder is None else lambda: self._began(folder),
            resume=options["resume"],
            seed=options["seed"],
            jit_compile=options["xla"],
            tensorboard=options["tensorboard"],
            verbose=options["verbose"],
            notes=[*self.origin, *map(str, notes), *left_out],
            **arguments,
        )

    def _options(self, given: FitOptions) -> FitOptions:
        """All of these options, some of which were given; a run that goes on keeps the others."""
        defaults: dict[str, Any] = dict(self.fit_defaults)
        folder = given.get("folder")
        if given.get("resume") and folder is not None and (Path(folder) / CONFIG).exists():
            before = read_config(Path(folder)).get("training", {})
            defaults |= {name: value for name, value in before.items() if name in DEFAULTS}
        return complete(given, cast(FitOptions, defaults))

    def _learning_rate(self) -> float:
        """The highest learning rate where none is given."""
        return 1e-3

    def _warmup(self, steps: int) -> int:
        """Updates until the highest learning rate is reached, of so many in all."""
        return max(1, steps // 10)

    def _check_vocabulary(self, folder: Path) -> None:
        """Refuses to go on with a run that has another vocabulary."""
        if (folder / TOKENIZER).exists() and (
            load_tokenizer(folder / TOKENIZER).facts() != self.tokenizer.facts()
        ):
            raise UserError(
                f"the run in {folder} has another vocabulary: resume with zoo.load and fit, "
                "or train into a new folder"
            )

    def _began(self, folder: Path) -> None:
        """Makes a folder that of its newest checkpoint; until there is one, it stays as it was."""
        self._save_config(folder)
        for name in (WEIGHTS, METRICS):  # of before this training
            (folder / name).unlink(missing_ok=True)

    def _save_config(self, folder: Path) -> None:
        self.tokenizer.save(folder / TOKENIZER)
        self.folder = folder
        facts = {
            "task": self.name,
            **self.settings,
            "vocabulary_size": self.tokenizer.vocabulary_size,
            "training": self.training,
            "data": self.data,
            "examples": self.examples,
        }
        write_json(folder / CONFIG, facts)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """The task of a folder, with the weights that `save` wrote or else the best checkpoint.

        Raises:
            UserError: If the folder is damaged, or no run at all.
        """
        folder = Path(folder)
        config = read_config(folder)
        data = config.pop("data", {})  # which older runs do not tell
        tokenizer = load_tokenizer(folder / TOKENIZER)
        try:
            examples, training = config.pop("examples"), config.pop("training")
            task = cls(**{key: value for key, value in config.items() if key != "task"})
            task._use(tokenizer)
        except (UserError, TypeError, KeyError, AttributeError, ValueError) as error:
            reason = (str(error).splitlines() or [repr(error)])[0]
            raise UserError(f"{folder / CONFIG} is damaged ({reason}): train anew.") from None
        task.examples, task.training, task.folder = examples, training, folder
        task.data = data
        # There is no best where what tells it was never a number.
        weights = [folder / name for name in (WEIGHTS, BEST, LAST) if (folder / name).exists()]
        if not weights:
            raise UserError(f"{folder} holds no {WEIGHTS}: restore it, or train anew.")
        load_weights(task.model, weights[0])
        return task

    @property
    def export_config(self) -> dict[str, Any]:
        """What an artifact's manifest says of the task."""
        return {"task": self.name, **self.settings, "data": self.data}


def adapted(part: Any) -> Any:
    """A part that `adapt` makes.

    Raises:
        UserError: If it is not there yet.
    """
    if part is None:
        raise UserError(
            "the task has no vocabulary yet: call adapt(data) first, or take one that "
            "zoo.from_pretrained gives"
        )
    return part
