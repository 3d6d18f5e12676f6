"""Base class of the tasks: adapt, fit, evaluate, predict, save, load, export."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import keras

from zoo.attention_map import AttentionMap
from zoo.attention_maps import AttentionMaps
from zoo.data.batching.batches import Batches
from zoo.metrics.resampling import Difference
from zoo.models.options import check_options
from zoo.options import defaults_of, names_of, options_of, values_of
from zoo.preprocessing.base import Features, Preprocessor
from zoo.registry import ADAPTERS, MODELS
from zoo.registry_rows import resolve
from zoo.serving.export_parts import ExportParts
from zoo.serving.inference import Program, Run
from zoo.serving.programs import Programs
from zoo.tasks import evaluation, learning, storing, views
from zoo.tasks.answered import Answered
from zoo.tasks.cells import PREDICTION, Cells, Scored
from zoo.tasks.comparison import Comparison
from zoo.tasks.documentation import document
from zoo.tasks.evaluation import LoadedArtifact
from zoo.tasks.exporting import export_parts, inferences_of
from zoo.tasks.fit import fit
from zoo.tasks.last_read import LastRead
from zoo.tasks.measured_on import MeasuredOn
from zoo.tasks.measuring import Judged
from zoo.tasks.options.common import TaskSettings
from zoo.tasks.parts import AnyParts, AnyPredictor, Fitted, Predictor, Pretrained, PreviewRow
from zoo.tasks.preparing import prepare
from zoo.text.special_tokens import SpecialTokens
from zoo.training.callbacks import EpochCallback
from zoo.training.history import History
from zoo.training.options import TrainingOptions
from zoo.training.score_scaling import ScoreScaling


class Task:
    """A model with its data reader and preprocessing, which you train, save and export.

    A subclass declares a task: its name, the classes of its options, and its four parts, which do
    what depends on the kind of data and of answer.

    Args:
        model: Name of the model.
        preset: Name of a preset of the model.
        **options: Fields of the task's `Settings`. All others are options of the model, such as
            `dropout`, which override the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.
    """

    name: ClassVar[str]
    Settings: ClassVar[type[TaskSettings]]
    Training: ClassVar[type[TrainingOptions]] = TrainingOptions
    parts: ClassVar[AnyParts]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        document(cls)

    def __init__(self, model: str | None = None, preset: str | None = None, **options: Any) -> None:
        named = {"model": model, "preset": preset}
        options |= {name: value for name, value in named.items() if value is not None}
        own = {name: options.pop(name) for name in names_of(self.Settings) if name in options}
        model = own.get("model", defaults_of(self.Settings)["model"])
        of_model = MODELS[model].settings if model in MODELS else {}
        self.settings: Any = options_of(self.Settings, {**of_model, **own}, self.name)
        self.model_options = options
        check_options(self.settings.model, self.settings.preset, options, self.name)
        self.parts.input.check(self.settings)
        self.parts.answer.check(self.settings)
        self.folder: Path | None = None
        self.metrics: dict[str, float] = {}
        self.evaluated_on = MeasuredOn()  # the data of the metrics
        self.license: str | None = None  # of the model, for the model card, such as "apache-2.0"
        self.training: dict[str, Any] = {}  # options of the last `fit`
        self.files: dict[str, Any] = {}  # files that the last `fit` read, to resume it
        self.data: dict[str, str] = {}  # sha256 of the files that its weights come from
        self.examples: dict[str, list[Any]] = {}  # some raw inputs of the training data
        self.columns: dict[str, str] = {}  # names of those of the training data, by role
        self.pretrained: Pretrained | None = None
        self.origin: list[str] = []  # log lines about where the initial weights come from
        self.baselines: Any = None  # fitted to the training data
        self.scaling = ScoreScaling()
        self.programs = Programs()  # compiled inferences
        self.last_read: LastRead | None = None  # by `adapt`, for the next `fit`
        self.answering: Run | None = None  # computes answers in place of the model
        self._preprocessor: Preprocessor | None = None
        self._model: keras.Model | None = None

    # --- What it consists of ---

    @property
    def model(self) -> Any:
        """The Keras model."""
        return learning.adapted(self._model)

    @property
    def preprocessor(self) -> Any:
        """Raw inputs to features."""
        return learning.adapted(self._preprocessor)

    @property
    def purpose(self) -> str:
        """What it does, in one sentence."""
        return self.parts.purpose.format(row=self.parts.input.row(self.settings))

    @property
    def is_adapted(self) -> bool:
        """Whether it has a model."""
        return self._model is not None

    @property
    def has_keras_model(self) -> bool:
        """Whether a Keras model computes its answers, rather than an artifact or a server."""
        return self.is_adapted and self.answering is None

    @property
    def has_preprocessor(self) -> bool:
        """Whether it has learned how to read."""
        return self._preprocessor is not None

    @property
    def fitted(self) -> Fitted[Any, Any]:
        """The settings, the preprocessor and the model, as the parts take them."""
        return Fitted(self.settings, self.preprocessor, self.model)

    @property
    def head(self) -> Any:
        """The kind of answer, with the values that it depends on, such as the labels."""
        answer = self.parts.answer
        return answer.scaled(answer.head(self.settings, self.preprocessor), self.scaling)

    @property
    def tokenizer(self) -> Any:
        """The tokenizer. Raises a `UserError` if the task reads no texts."""
        return learning.tokenizer_of(self.preprocessor, self.name)

    @property
    def special_tokens(self) -> SpecialTokens:
        """The special tokens of the vocabulary."""
        return cast(SpecialTokens, self.tokenizer.special_tokens)

    def _repr_html_(self) -> str:
        return views.as_html(self)

    @property
    def config(self) -> dict[str, Any]:
        """The arguments that recreate the task, as JSON types, and facts of its inputs."""
        own = {"settings": values_of(self.settings), "model_options": self.model_options}
        return {"task": self.name, **own, **self.parts.input.config(self.preprocessor)}

    # --- What it learns ---

    def adapt(self, data: Any) -> None:
        """Fits the preprocessor, such as the tokenizer and the labels, and builds the model.

        A task created from a checkpoint keeps the vocabulary and the weights of the checkpoint. A
        `fit` to the same files, as long as they do not change, does not read them again.

        Args:
            data: The training data, in the form that `fit` takes.
        """
        examples = learning.read(self, data)
        learning.adapt(self, examples)
        self.last_read = LastRead.of(data, examples, values_of(self.settings))

    def set_fitted(self, preprocessor: Preprocessor, model: keras.Model | None = None) -> None:
        """Sets the preprocessor, and the model, if there is a new one."""
        self._preprocessor, self._model = preprocessor, self._model if model is None else model
        self.programs = Programs()

    def prepare(
        self, data: Any, folder: str | Path, processes: int | None = None, verbose: bool = True
    ) -> int:
        """Tokenizes data into a folder, from which `adapt` and `fit` read it with constant memory.

        For the arguments, errors and an example, see `zoo.tasks.preparing.prepare`.

        Returns:
            The number of rows.
        """
        return prepare(self, data, folder, processes, verbose)

    def fit(
        self,
        data: Any = None,
        validation_data: Any = None,
        *,
        adapt: bool | None = None,
        callbacks: Sequence[EpochCallback] = (),
        **options: Any,
    ) -> History:
        """Trains the model, and leaves it with the weights of the best epoch.

        Args:
            data: The training data: a file, a list of `pathlib.Path`, or a list of examples. When
                resuming, it defaults to the files of the run.
            validation_data: Data in the same form to select the best epoch, or the fraction of the
                training data to hold out as such, for example 0.1. When resuming, it defaults to
                that of the run.
            adapt: Whether to `adapt` the task to the data first, which are read once. By default a
                task that has learned from no data yet, unless a run is resumed.
            callbacks: Told the metrics of each epoch, and may end the training; see
                `zoo.training.callbacks.EpochCallback`.
            **options: Training options of the task, and `zoo.training.options.SessionOptions`.

        Returns:
            The `History` of the run.
        """
        if adapt is None:
            adapt = not self.is_adapted and data is not None and not options.get("resume")
        return fit(self, data, validation_data, options, adapt, callbacks)

    # --- What it predicts ---

    def predict(self, data: Any, batch_size: int | None = None, **options: Any) -> list[Any]:
        """Predicts an output for each of a list of raw inputs.

        Args:
            data: The raw inputs.
            batch_size: Batch size. Rows of similar length are batched together. Default: 64, or 32
                if texts are generated.
            **options: Generation options, for tasks that generate text.
        """
        predictor = self.predictor(**options)
        answer = self.parts.answer
        size = answer.batch_size if batch_size is None else batch_size
        return answer.predict(predictor, data, size, options)

    def predict_cells(
        self, data: Any, batch_size: int | None = None, **options: Any
    ) -> list[Cells]:
        """`predict`, with each answer as cells of a table: "prediction", and others by name."""
        answer = self.parts.answer
        size = answer.batch_size if batch_size is None else batch_size
        fills = answer.fills_batches and batch_size is None
        return answer.cells(replace(self.predictor(**options), fills=fills), data, size, options)

    def predict_scored(
        self, data: Any, batch_size: int | None = None, **options: Any
    ) -> list[Scored]:
        """`predict_named`, with what is known about each answer: "prediction", and "scores"."""
        answer = self.parts.answer
        if self.parts.input.table_columns(self.settings) is None:  # an input has many answers
            return [{PREDICTION: x} for x in self.predict_named(data, batch_size, **options)]
        size = answer.batch_size if batch_size is None else batch_size
        return answer.with_scores(self.predictor(**options), data, size, options)

    def predict_named(self, data: Any, batch_size: int | None = None, **options: Any) -> list[Any]:
        """`predict`, with the names of the parts of an answer, such as nodes or times, if any."""
        return self.predict(data, batch_size, **options)

    def predictor(self, run: Run | None = None, **options: Any) -> AnyPredictor:
        """What computes answers with options, by the inferences of the model or those of `run`."""
        source, fitted = self.parts.input, self.fitted
        preprocessor = source.preprocessor_with(fitted, options)
        run = self.runner(**options) if run is None else run
        fitted = replace(fitted, preprocessor=preprocessor)
        return Predictor(fitted, source, self.head, run, options)

    def runner(self, **options: Any) -> Run:
        """A function that runs the inferences of the model by name; raises for other options."""
        answer = self.parts.answer
        if self.answering is not None:
            options_of(answer.options, options, self.name)
            return self.answering
        if not (options or names_of(answer.options)):
            return lambda name, features: self.program(name)(features)
        options_of(answer.options, options, self.name)  # validates them
        fitted = self.fitted
        reader = self.parts.input.reader(fitted)
        return answer.runner(fitted, self.head, reader, self.programs, options)

    def program(self, name: str) -> Program:
        """The compiled inference of a signature."""
        return self.programs.kept(
            name, lambda: Program(inferences_of(self.parts, self.fitted, self.head)[name])
        )

    def read(self, data: Any) -> Any:
        """Reads data. Returns examples, with a `path`, raw `inputs` by name, and `statistics`."""
        return self.parts.format.read(data, self.settings, self._preprocessor)

    def read_inputs(self, data: Any, **options: Any) -> Features:
        """The features of the argument of `predict`, which may depend on its options."""
        preprocessor = self.parts.input.preprocessor_with(self.fitted, options)
        return preprocessor.read(self.parts.input.raw(data, self.settings, preprocessor))

    def batches(self, examples: Any, training: TrainingOptions, held_out: bool = False) -> Batches:
        """Batches of examples from `read`, for training, or for validation if `held_out`."""
        return self.parts.recipe.batches(examples, self.fitted, self.head, training, held_out)

    def evaluate(
        self, data: Any, *, metrics: Sequence[str] | None = None, **options: Any
    ) -> dict[str, float]:
        """Computes the metrics on data that the model was not trained on.

        Args:
            data: A file or a list, in the form that `fit` takes.
            metrics: Names of metrics; see docs/how-to/training. Default: those of the task.
            **options: Generation options, for tasks that generate text.
        """
        return self.compare(data, metrics=metrics, **options).metrics

    def compare(
        self, data: Any, *, metrics: Sequence[str] | None = None, **options: Any
    ) -> Comparison:
        """What `evaluate` computes, with the metrics of the model and of the baselines apart.

        Args:
            data: A file or a list, in the form that `fit` takes.
            metrics: Names of metrics, each of which gets a 95 % interval. Default: those of the
                task, of which the main one gets an interval.
            **options: Generation options, for tasks that generate text.
        """
        return self.answered(data, **options).comparison(metrics)

    def answered(self, data: Any, run: Run | None = None, **options: Any) -> Answered:
        """Data with the answers to it, for several views: both are computed once, when needed.

        Args:
            data: A file or a list, in the form that `fit` takes.
            run: Function that runs an inference by name. Default: the one to evaluate with.
            **options: Generation options, for tasks that generate text.
        """
        if run is None:
            run = self.parts.answer.run_to_evaluate(self.fitted, self.runner(**options))
        return Answered(self, data, run, options)

    def compare_with(
        self, other: "Task", data: Any, *, metrics: Sequence[str] | None = None, **options: Any
    ) -> dict[str, Difference]:
        """The metrics of two tasks on the same data, and whether they differ by chance.

        Args:
            other: A task of the same kind.
            data: A file or a list, in the form that `fit` takes.
            metrics: Names of metrics. Default: those of the task.
            **options: Generation options, for tasks that generate text.

        Returns:
            By name of the metric: `value`, that of `other`, the `difference` with its 95 %
            `interval`, and `p`, the probability of such a difference by chance.

        Raises:
            UserError: If the tasks differ in kind, or in what is correct.
        """
        return evaluation.compare_tasks(self, other, data, options, metrics)

    def attention(self, data: Any, *, part: str | None = None, **options: Any) -> AttentionMaps:
        """The attention maps of one input, one for each layer; empty if the model shows none.

        It is a list that a notebook shows; `show()` prints it elsewhere.

        A model of documents has one for each sentence over its words, and one over the sentences.

        Args:
            data: A raw input, as in the list that `predict` takes; of a multi-task, a pair of the
                name of a task and an input of it.
            part: "encoder" and "decoder" show their self-attention, "cross" shows the attention of
                the decoder to the encoder; of a model of documents, "words" or "sentences".
                Defaults to "cross" or "sentences", if the model has it.
            **options: `max_new_tokens`, for encoder-decoders. They generate greedily.

        Raises:
            UserError: If there is another option, or the model does not have the part; the message
                lists its parts.
        """
        return views.attention(self, data, part, options)

    def attention_parts(self, data: Any, **options: Any) -> dict[str, list[AttentionMap]]:
        """The attention maps of one input in every part of the model; see `attention`."""
        return views.attention_parts(self, data, options)

    def judged(self, data: Any) -> Judged:
        """Answers beside the correct ones, which are computed when they are asked for.

        Args:
            data: A file or a list, in the form that `fit` takes.
        """
        return self.answered(data).judged

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
        """The first rows with their predictions and references, as text, for a report.

        Args:
            data: A file or a list, in the form that `fit` takes.
            count: Maximum number of rows.
        """
        return views.preview(self, self.read(data), count)

    # --- Where it goes ---

    def save(self, folder: str | Path) -> None:
        """Writes a folder that `zoo.load` loads: config, preprocessor, weights, metrics.

        A run in the folder is replaced in one step.

        Raises:
            UserError: If the folder contains checkpoints of another run, another process is writing
                to it, or the disk is full.
        """
        storing.save(self, Path(folder))

    @classmethod
    def load(cls, folder: str | Path, check_digests: bool = True) -> Self:
        """Loads the task of a run folder; see `zoo.load`."""
        return storing.load(cls, Path(folder), check_digests)

    def export_parts(
        self, text: str | None = None, litert: bool = False, samples: bool = False, **options: Any
    ) -> ExportParts:
        """All that `export` needs of the task; see `zoo.tasks.exporting.export_parts`."""
        return export_parts(self, text, litert, samples, options)

    def evaluate_artifact(self, artifact: LoadedArtifact, data: Any) -> dict[str, float]:
        """The metrics of a loaded artifact on data, in the form that `fit` takes."""
        return evaluation.evaluate_artifact(self, artifact, data)

    def scores_in_parts(
        self, artifact: LoadedArtifact, data: Any, count: int
    ) -> list[tuple[int, dict[str, float]]]:
        """The size and the metrics of each of `count` random parts of data; or nothing."""
        return evaluation.scores_in_parts(self, artifact, data, count)

    def web_page(self) -> Any:
        """The task as `export.web` takes it, with the files of a page that runs it in a browser."""
        self.parts.input.check_browser(self.name)
        return resolve(ADAPTERS["web"])(self)

    def for_litertlm(self, max_length: int | None = None, chat_template: str | None = None) -> Any:
        """The task as `export.litertlm` takes it, with caches of `max_length` tokens."""
        return resolve(ADAPTERS["litertlm"])(self, max_length, chat_template)

    def for_mediapipe(self, length: int | None = None) -> Any:
        """The task as `export.mediapipe` takes it, for texts of at most `length` tokens."""
        return resolve(ADAPTERS["mediapipe"])(self, length)
