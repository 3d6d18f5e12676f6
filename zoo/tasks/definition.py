"""The methods that define a task, which a new task overrides."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import keras

from zoo.attention_map import AttentionMap
from zoo.data.batching.batches import Batches
from zoo.errors import UserError
from zoo.model_card import FILE, model_card
from zoo.options import Options
from zoo.preprocessing.base import Features, Preprocessor
from zoo.preprocessing.text import Detokenizer
from zoo.serving.inference import Inference, Run, Tensors
from zoo.serving.programs import Programs
from zoo.tasks.attending import ATTENTION
from zoo.tasks.documentation import document
from zoo.tasks.options.common import TaskSettings
from zoo.tasks.parts import AnyParts, Fitted, Pictures, Pretrained
from zoo.tasks.score_scaling import ScoreScaling
from zoo.text.form import TextForm
from zoo.text.special_tokens import SpecialTokens
from zoo.text.tokenizer import Tokenizer
from zoo.training.calibration import Calibration
from zoo.training.data import Evaluate
from zoo.training.objective import Objective
from zoo.training.options import TrainingOptions

PROBES = 8  # number of training examples used for verification


class TaskDefinition:
    """Defines a task: its reader, preprocessor, model, objective and metrics.

    A subclass of `Task` sets the options classes `Settings` and `Training`, and overrides these
    methods. `Task` implements everything else with them.
    """

    name: ClassVar[str]
    Settings: ClassVar[type[TaskSettings]]
    Training: ClassVar[type[TrainingOptions]] = TrainingOptions
    preview_explanation: ClassVar[str] = "Inputs with the predictions of the model."
    one_answer: ClassVar[bool] = True  # whether a prediction equals the reference or is wrong
    independent: ClassVar[bool] = True  # whether data can be cut into parts at random
    export_options: ClassVar[tuple[str, ...]] = ()  # what `signatures` takes, besides its own
    caveats: ClassVar[tuple[str, ...]] = ()  # sentences of the model card
    beta_2: ClassVar[float] = 0.98  # of Adam
    predict_options: ClassVar[type[Options]] = Options  # of `predict` and `evaluate`
    pictures: ClassVar[Pictures | None] = None  # what a report draws
    parts: ClassVar[AnyParts]
    settings: Any
    pretrained: Pretrained | None
    model_options: dict[str, Any]
    origin: list[str]
    examples: dict[str, list[Any]]
    baselines: Any = None
    scaling: ScoreScaling = ScoreScaling()
    _preprocessor: Any = None
    _model: Any = None
    _initialize: Callable[[keras.Model], None] | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        document(cls)
        if "parts" in vars(cls):
            cls.preview_explanation = cls.parts.preview
            cls.caveats = cls.parts.answer.caveats
            cls.beta_2 = cls.parts.recipe.beta_2
            cls.one_answer = cls.parts.answer.one_answer
            cls.independent = cls.parts.answer.independent
            cls.export_options = cls.parts.answer.export_options
            cls.predict_options = cls.parts.answer.options
            cls.pictures = cls.parts.pictures

    @property
    def fitted(self) -> Fitted[Any, Any, Any]:
        """The settings, the preprocessor and the model, as the parts take them."""
        return Fitted(self.settings, self.preprocessor, self.model)

    @property
    def model(self) -> Any:
        """The Keras model."""
        return adapted(self._model)

    @property
    def preprocessor(self) -> Any:
        """Raw inputs to features."""
        return adapted(self._preprocessor)

    @property
    def tokenizer(self) -> Any:
        """The tokenizer.

        Raises:
            UserError: If the task reads no texts.
        """
        preprocessor = self.preprocessor
        if not isinstance(preprocessor, Detokenizer):
            raise UserError(f"{self.name} reads no texts: it has no tokenizer")
        return preprocessor.tokenizer

    @property
    def known_tokenizer(self) -> Tokenizer | None:
        """The tokenizer, also of a pretrained model that is not adapted yet; None without one."""
        given = self._preprocessor or self.pretrained
        return None if given is None else given.tokenizer

    @property
    def special_tokens(self) -> SpecialTokens:
        """The special tokens of the vocabulary."""
        special: SpecialTokens = self.tokenizer.special_tokens
        return special

    def set_tokenizer(self, tokenizer: Tokenizer) -> None:
        """Sets the preprocessor for an existing tokenizer, without a model."""
        self._preprocessor = self.parts.input.with_tokenizer(tokenizer, self.settings)

    def learn_to_read(self, examples: Any) -> None:
        """Fits the preprocessor to examples, without a model, unless the task has one."""
        self.examples = self.sample_inputs(examples, PROBES)
        if self._preprocessor is None:
            self._preprocessor = self.learn(examples)

    def check_settings(self) -> None:
        """Raises a `UserError` if settings contradict each other."""
        self.parts.input.check(self.settings)
        self.parts.answer.check(self.settings)

    def read(self, data: Any) -> Any:
        """Reads data. Returns examples, with a `path`, raw `inputs` by name, and `statistics`."""
        return self.parts.format.read(data, self.settings, self._preprocessor)

    def read_to_learn(self, data: Any) -> Any:
        """Reads data to learn from, as if nothing had been learned before."""
        return self.parts.format.read(data, self.settings, None)

    def check_readable(self, data: Any) -> None:
        """Raises a `UserError` for prepared data, unless the task can be trained on it."""
        self.parts.format.check_readable(data, self.name)

    def read_to_evaluate(self, data: Any, **options: Any) -> Any:
        """Reads data for `evaluate`. Returns the examples that `score` takes.

        Args:
            data: The data.
            **options: Options of `evaluate`.
        """
        read = self.parts.format.read_to_evaluate
        examples = read(data, self.settings, self._preprocessor)
        return self.parts.answer.to_score(examples, self.settings, options)

    def files_of(self, data: Any, examples: Any) -> list[Path]:
        """The files that were read of folders, and those that data name, such as recordings.

        Args:
            data: The data.
            examples: What was read of them.
        """
        files: list[Path] = examples.files
        return files

    def note_on(self, examples: Any, same: int, files: int) -> str | None:
        """A sentence about data that `evaluate` is given, or None.

        Args:
            examples: Examples from `read_to_evaluate`.
            same: How many of its files are files that the model was trained on.
            files: The number of its files.
        """
        return self.parts.format.note_on(examples, same, files)

    def folds(self, examples: Any, count: int) -> list[Any]:
        """Examples cut into so many parts at random; none if there are too few rows."""
        if not self.independent:
            return []
        found, rest = [], examples
        try:
            for left in range(count, 1, -1):
                rest, part = rest.split(1 / left, seed=left)
                found.append(part)
        except UserError:
            return []
        return [*found, rest]

    def size(self, examples: Any) -> int:
        """The number of rows; of plain text, that of characters."""
        return self.parts.format.size(examples)

    def own_validation(self, examples: Any) -> Any:
        """Validation data that training data contain, such as other nodes of a graph; or None."""
        return self.parts.format.own_validation(examples)

    def learn(self, examples: Any) -> Preprocessor:
        """Fits the preprocessor to examples, and sets settings that depend on them, like labels."""
        settings = self.parts.format.settings(examples, self.settings)
        settings = self.parts.answer.learn(examples, settings)
        learned = self.parts.input.learn(examples, settings, self.model_options, self.pretrained)
        self.settings, self._initialize = learned.settings, learned.initialize
        self.model_options = {**self.model_options, **learned.model_options}
        self.origin = [*self.origin, *learned.notes]
        return learned.preprocessor

    def load_preprocessor(self, folder: Path) -> Preprocessor:
        """Loads the preprocessor that `save_preprocessor` wrote."""
        return self.parts.input.load(folder, self.settings)

    def save_preprocessor(self, folder: Path) -> None:
        """Writes the preprocessor to a run folder."""
        self.preprocessor.save(folder / self.preprocessor.subfolder)

    def save_parts(self, folder: Path) -> None:
        """Writes what belongs to the task besides its model, such as the preprocessor."""
        self.save_preprocessor(folder)
        self.scaling.save(folder)
        if self.baselines is not None:
            self.baselines.save(folder)

    def load_parts(self, folder: Path) -> None:
        """Loads what `save_parts` wrote besides the preprocessor."""
        labels = self.parts.answer.sizes(self.settings).get("num_classes", 0)
        self.scaling = ScoreScaling.load(folder, labels if isinstance(labels, int) else 0)
        self.baselines = self.parts.recipe.load_baselines(folder)

    def same_preprocessor(self, folder: Path) -> bool:
        """Whether a run folder has the same preprocessor, so that its run can be resumed."""
        if not (folder / self.preprocessor.subfolder).exists():
            return True
        return self.load_preprocessor(folder).facts() == self.preprocessor.facts()

    def model_sizes(self) -> dict[str, Any]:
        """Arguments of the model that depend on the data, such as the vocabulary size."""
        sizes = self.parts.input.sizes(self.settings, self.preprocessor)
        return {**sizes, **self.parts.answer.sizes(self.settings)}

    def batches(self, examples: Any, training: Any, held_out: bool = False) -> Batches:
        """Batches for training, or for validation if `held_out`."""
        recipe = self.parts.recipe
        return recipe.batches(examples, self.fitted, self.head, training, held_out)

    def objective(self, training: Any) -> Objective:
        """Loss, metrics, and the monitored value."""
        return self.parts.recipe.objective(self.head, training)

    def set_augmentation(self, training: Any) -> None:
        """Sets how the layers of the model change its inputs in training."""
        self.parts.recipe.set_augmentation(self.fitted, training)

    def inferences(self, **options: Any) -> dict[str, Inference]:
        """The inferences of the model, by name of the signature.

        Args:
            **options: Generation options, for tasks that generate text.
        """
        head, source, answer = self.head, self.parts.input, self.parts.answer
        reader = source.reader(self.fitted)
        main: dict[str, Inference] = answer.inferences(self.fitted, head, reader, options)
        return {**main, **source.attention(self.fitted, head)}

    def check_exportable(self) -> None:
        """Raises a `UserError` if an artifact cannot give the answers of the task."""
        self.parts.answer.check_exportable(self.settings)

    @property
    def signature_purposes(self) -> dict[str, str]:
        """What each signature is for, in one sentence, by the name of its inference."""
        main = self.preprocessor.feature_signature
        attention = self.parts.input.attention_purpose
        return {main: self.parts.purpose, ATTENTION: attention, **self.parts.answer.purposes}

    @property
    def head(self) -> Any:
        """The kind of answer, with the values that it depends on, such as the labels."""
        answer = self.parts.answer
        return answer.scaled(answer.head(self.settings, self.preprocessor), self.scaling)

    def postprocess(
        self, outputs: Tensors, features: Features, form: TextForm = TextForm.STRINGS
    ) -> Tensors:
        """Converts the outputs of the model to predictions; see `Head.postprocess`."""
        return self.head.postprocess(outputs, features, form)

    def result(self, row: Mapping[str, Any]) -> Any:
        """The prediction for one row, from the outputs of `postprocess` for that row."""
        return self.head.result(row)

    @property
    def meanings(self) -> dict[str, str]:
        """What each output of an artifact is, in words, by name."""
        more = self.parts.answer.meanings(self.fitted)
        return {**self.head.meanings, **self.attention_meanings, **more}

    @property
    def attention_meanings(self) -> dict[str, str]:
        """What each output that shows attention is, in words, by name."""
        return self.parts.input.meanings(self.fitted)

    def assets(self) -> dict[str, str]:
        """Files that belong beside an artifact, such as a vocabulary: their content by name."""
        own = self.parts.input.assets(self.preprocessor)
        return {FILE: model_card(self), **self.head.files, **own}

    def score(self, examples: Any, run: Run) -> dict[str, float]:
        """Computes the metrics of the model, or of an artifact, on examples.

        Args:
            examples: Examples from `read_to_evaluate`.
            run: Function that runs an inference by name.
        """
        raise NotImplementedError

    def sample_inputs(self, examples: Any, count: int) -> dict[str, list[Any]]:
        """The raw inputs of the first rows, for verification and reports."""
        return self.parts.input.sample(examples, count)

    def references(self, examples: Any) -> list[str] | None:
        """The correct prediction for each row, as text, or None if it is unknown."""
        return None

    def raw_inputs(self, data: Any) -> dict[str, Sequence[Any]]:
        """Converts the argument of `predict` to raw inputs by name."""
        return self.parts.input.raw(data, self.settings, self.preprocessor)

    def validation(self, batches: Batches) -> Evaluate | None:
        """A function to validate with after each epoch, or None to use `model.evaluate`."""
        return self.parts.recipe.validation(batches, self.fitted)

    def adapt_model(self, examples: Any) -> None:
        """Computes weights that are not trained by gradients from examples, such as IDF weights."""
        if self._initialize is not None:
            self._initialize(self.model)
        self.parts.recipe.initialize(examples, self.fitted, self.head)

    def calibrate(self, held_out: Batches | None) -> Calibration | None:
        """Fits probabilities to validation data after training; without any, resets them."""
        fitted = None if held_out is None else self.parts.answer.calibration(self.model, held_out)
        temperature = 1.0 if fitted is None else fitted.temperature
        self.scaling = replace(self.scaling, temperature=temperature)
        self._programs = Programs()  # they contain the temperature
        return fitted

    def fit_baselines(self, examples: Any) -> None:
        """Fits baselines, with which the model is compared, to the training data."""
        recipe, fitted = self.parts.recipe, self.fitted
        prior = self.parts.answer.prior(examples, self.settings)
        self.scaling = replace(self.scaling, prior=prior)
        self.baselines = recipe.fit_baselines(examples, fitted)
        recipe.start_from(self.baselines, fitted)

    def baseline_scores(self, examples: Any) -> dict[str, float]:
        """The metrics of the baselines on examples, by name; empty if there are no baselines."""
        recipe = self.parts.recipe
        fresh = recipe.evaluation_baselines(examples)
        if self.baselines is None:
            return fresh
        return {**fresh, **recipe.baseline_scores(self.baselines, examples, self.fitted)}

    def rate_factors(self, training: Any) -> dict[str, float]:
        """Factors of the learning rate by the path of a weight, besides those of layer groups."""
        return self.parts.recipe.rate_factors(self.fitted, training)

    def default_xla(self) -> bool | Literal["auto"]:
        """Whether training steps are compiled with XLA, or "auto", if `fit` is not told."""
        return self.parts.recipe.default_xla()

    def default_epochs(self, steps_per_epoch: int) -> int:
        """Default number of epochs: few batches are read more often, for `min_steps` in all."""
        return self.parts.recipe.default_epochs(steps_per_epoch)

    def default_patience(self) -> int | None:
        """Default patience of early stopping, if there is validation data."""
        return self.parts.recipe.default_patience()

    def default_learning_rate(self) -> float:
        """Default peak learning rate."""
        pretrained = self.pretrained is not None
        return self.parts.recipe.default_learning_rate(self.fitted, pretrained)

    def default_freeze(self) -> int:
        """Default number of layer groups to freeze, for tasks whose `freeze` may be None."""
        return self.parts.recipe.default_freeze(self.settings)

    def default_warmup(self, steps: int) -> int:
        """Default number of warm-up steps, given the total number of steps."""
        return self.parts.recipe.default_warmup(steps)

    def preprocessor_with(self, **options: Any) -> Any:
        """The preprocessor for given generation options, on which it may depend."""
        return self.parts.input.preprocessor_with(self.fitted, options)

    def label_attention(
        self, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        """The outputs of the signature `attention` for one input, with its tokens."""
        source = self.parts.input
        if self._model is None:  # as of an artifact, which has the model
            return source.attention_maps(self.settings, self.preprocessor, features, outputs)
        return source.attention_maps_of(self.fitted, features, outputs)


def adapted(part: Any) -> Any:
    """Returns a part of a task that `adapt` creates.

    Raises:
        UserError: If `adapt` has not been called yet.
    """
    if part is None:
        raise UserError(
            "the task has learned from no data yet: call adapt(data) first, or start from "
            "zoo.from_pretrained"
        )
    return part
