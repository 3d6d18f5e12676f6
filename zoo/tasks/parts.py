"""The four parts of a task: its format, its input, its answer and its recipe.

A task file declares them, and `zoo.tasks.task.Task` does everything else with them. The parts have
no state: what training data make of them is in `Learned` and `Fitted`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import keras

from zoo.attention_map import AttentionMap
from zoo.data.batching.batches import Batches
from zoo.data.examples import Examples
from zoo.data.shards.manifest import is_shards
from zoo.data.tokenization import Tokenization
from zoo.errors import UserError
from zoo.heads.head import Head, Reader
from zoo.preprocessing.base import Features, Preprocessor
from zoo.serving.inference import Inference, Tensors
from zoo.serving.signatures import Signature
from zoo.tasks.attending import PURPOSE
from zoo.tasks.calls import Calls, calls_of
from zoo.tasks.options.common import TaskSettings
from zoo.text.tokenizer import Tokenizer
from zoo.training.objective import Objective
from zoo.training.options import TrainingOptions

S = TypeVar("S", bound=TaskSettings)  # settings of the task
T = TypeVar("T", bound=TrainingOptions)
P = TypeVar("P", bound=Preprocessor)
M = TypeVar("M", bound=keras.Model)
E = TypeVar("E", bound=Examples)
H = TypeVar("H", bound=Head)

EPOCHS = 10  # by default, if these have enough steps


@dataclass(frozen=True)
class Pretrained:
    """A pretrained tokenizer and initial weights for a task.

    Args:
        tokenizer: The tokenizer.
        load: Function that loads the initial weights into the task's model.
    """

    tokenizer: Any
    load: Callable[[keras.Model], None]


@dataclass(frozen=True)
class Learned(Generic[S, P]):
    """What a task learns from its training data before it has a model.

    Args:
        settings: The settings, with those that depend on the data, such as the labels.
        preprocessor: The fitted preprocessor.
        model_options: Further options of the model.
        initialize: Sets weights of the new model, such as word vectors; None if there are none.
        notes: Lines for the log about where initial weights come from.
    """

    settings: S
    preprocessor: P
    model_options: Mapping[str, Any] = field(default_factory=dict)
    initialize: Callable[[keras.Model], None] | None = None
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Fitted(Generic[S, P, M]):
    """A task that is adapted to data: its settings, its preprocessor and its model."""

    settings: S
    preprocessor: P
    model: M


class Format(Generic[S, P, E]):
    """What users have, such as tables or folders of images: reads it to examples."""

    def read(self, data: Any, settings: S, learned: P | None) -> E:
        """Reads data.

        Args:
            data: The data, in the form that `fit` takes.
            settings: The settings of the task.
            learned: The preprocessor of a task that is adapted, whose data are read like those that
                it learned from; None to learn from these.
        """
        raise NotImplementedError

    def check_readable(self, data: Any, task: str) -> None:
        """Raises a `UserError` for prepared data, unless the format can be prepared."""
        if is_shards(data):
            raise UserError(f"{data} is prepared data; {task} reads its data into memory")

    def settings(self, examples: E, settings: S) -> S:
        """The settings with those that the form of training data determines.

        Examples:
            Whether texts are pairs, and what prepared data was prepared with.
        """
        return settings


class PreparableFormat(Format[S, P, E]):
    """A format that may be larger than memory: it is tokenized into shards, piece by piece."""

    row_columns: tuple[str, ...]  # of examples: lists with a text or label for each row
    column_kinds: dict[str, str]  # of tokenized examples: "scalars" or "sequences"
    sorted_by: tuple[str, ...]  # the columns that determine the length of a row
    depends_on: tuple[str, ...] = ()  # the settings that tokenized examples depend on

    def check_readable(self, data: Any, task: str) -> None:
        pass

    def check_preparable(self, settings: S) -> None:
        """Raises a `UserError` if data cannot be prepared for a model."""

    def pieces(self, data: Any, settings: S) -> Iterator[Any]:
        """Reads data a piece at a time: examples, as `read` returns them."""
        raise NotImplementedError

    def tokenization(self, settings: S, preprocessor: P, head: Any) -> Tokenization[Any]:
        """How the examples are tokenized."""
        raise NotImplementedError


class Input(Generic[S, P, M, E]):
    """What a model reads: from raw inputs to features, and from these to the inputs of a model."""

    attention_purpose: str = PURPOSE  # of the signature that shows attention

    def check(self, settings: S) -> None:
        """Raises a `UserError` if settings contradict each other."""

    def learn(
        self,
        examples: E,
        settings: S,
        model_options: Mapping[str, Any],
        pretrained: Pretrained | None,
    ) -> Learned[S, P]:
        """Fits the preprocessor to training data.

        Args:
            examples: The training data.
            settings: The settings of the task.
            model_options: The given options of the model.
            pretrained: The checkpoint that the task starts from, or None.
        """
        raise NotImplementedError

    def load(self, folder: Path, settings: S) -> P:
        """Loads the preprocessor that a run folder has in its `subfolder`."""
        raise NotImplementedError

    def check_examples(self, examples: E, settings: S, preprocessor: P) -> None:
        """Raises a `UserError` if the model cannot read examples, such as other columns."""

    def with_tokenizer(self, tokenizer: Tokenizer, settings: S) -> P:
        """The preprocessor with an existing tokenizer.

        Raises:
            UserError: If the task reads no texts.
        """
        raise UserError("the task has no tokenizer: it reads no texts")

    def sizes(self, settings: S, preprocessor: P) -> dict[str, Any]:
        """Arguments of the model that depend on what it reads, such as the vocabulary size."""
        raise NotImplementedError

    def raw(self, data: Any, settings: S, preprocessor: P) -> dict[str, Sequence[Any]]:
        """Converts the argument of `predict` to raw inputs by name."""
        raise NotImplementedError

    def reader(self, fitted: Fitted[S, P, M]) -> Reader:
        """How the model reads features."""
        preprocessor = fitted.preprocessor
        return Reader(preprocessor.feature_signature, preprocessor.features, dict)

    def attention(self, fitted: Fitted[S, P, M], head: Any) -> dict[str, Inference]:
        """The inference that shows the attention of the model, by its name; empty if it has none.

        Args:
            fitted: The task.
            head: Its head, if the inference also answers.
        """
        return {}

    def meanings(self, fitted: Fitted[S, P, M]) -> dict[str, str]:
        """What each output that shows attention is, in words, by name."""
        return {}

    def attention_maps(
        self, settings: S, preprocessor: P, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        """The outputs of `attention` for one input, with the tokens of their rows and columns."""
        return {}

    def signatures(
        self, signatures: dict[str, Signature], preprocessor: P, text: str | None, litert: bool
    ) -> dict[str, Signature]:
        """The signatures of an artifact, with those that only this kind of input has.

        Args:
            signatures: The signatures of the inferences.
            preprocessor: The preprocessor.
            text: How the artifact takes text; None if it takes features.
            litert: Whether it is a LiteRT file.
        """
        return signatures

    def calls(self, preprocessor: P, raw: list[dict[str, Any]]) -> Calls:
        """Raw inputs as calls of each signature."""
        return calls_of(preprocessor, raw)

    def assets(self, preprocessor: P) -> dict[str, str]:
        """Files that belong beside an artifact, such as a vocabulary: their content by name."""
        return {}

    def config(self, preprocessor: P) -> dict[str, Any]:
        """What the config of a run says of its inputs, besides the settings."""
        return {}

    def facts(self, preprocessor: P) -> dict[str, Any]:
        """What the manifest of an artifact says of its inputs, such as names of columns."""
        return {}


class Answer(Generic[S, P, E, H]):
    """The kind of answer of a model: learns what it depends on, and makes the head."""

    caveats: tuple[str, ...] = ()  # sentences of the model card

    def learn(self, examples: E, settings: S) -> S:
        """The settings with what the answers depend on, such as the labels."""
        raise NotImplementedError

    def sizes(self, settings: S) -> dict[str, Any]:
        """Arguments of the model that depend on its answers, such as the number of classes."""
        raise NotImplementedError

    def head(self, settings: S, preprocessor: P) -> H:
        """The head."""
        raise NotImplementedError

    def references(self, examples: E, head: H) -> Sequence[Any]:
        """The correct answers.

        Raises:
            UserError: If one is none that the head knows, such as another label.
        """
        raise NotImplementedError


class Recipe(Generic[S, T, P, M, E, H]):
    """How a model is trained: its batches, the defaults of training, and baselines."""

    min_steps: int = 0  # minimum number of training steps by default
    beta_2: float = 0.98  # of Adam

    def initialize(self, examples: E, fitted: Fitted[S, P, M], head: H) -> None:
        """Computes weights that are not trained by gradients, such as means of the data."""

    def batches(
        self, examples: E, fitted: Fitted[S, P, M], head: H, training: T, held_out: bool
    ) -> Batches:
        """Batches for training, or for validation if `held_out`."""
        raise NotImplementedError

    def objective(self, head: H, training: T) -> Objective:
        """Loss, metrics, and the monitored value."""
        raise NotImplementedError

    def default_epochs(self, steps_per_epoch: int) -> int:
        """Default number of epochs: few batches are read more often, for `min_steps` in all."""
        return max(EPOCHS, -(-self.min_steps // steps_per_epoch))

    def rate_factors(self, fitted: Fitted[S, P, M], training: T) -> dict[str, float]:
        """Factors of the learning rate by the path of a weight, besides those of layer groups."""
        return {}

    def fit_baselines(self, examples: E) -> Any:
        """Baselines that are fitted to the training data, or None if there are none."""
        return None

    def baseline_scores(self, baselines: Any, examples: E) -> dict[str, float]:
        """The metrics of baselines on examples, by name."""
        return {}

    def load_baselines(self, folder: Path) -> Any:
        """The baselines of a run folder, or None if it has none."""
        return None


@dataclass(frozen=True)
class Parts(Generic[S, T, P, M, E, H]):
    """The parts of a task.

    Args:
        format: What users have.
        input: What the model reads.
        answer: What it answers.
        recipe: How it is trained.
        purpose: What its main signature does, in one sentence.
        preview: What the rows of a report show, in one sentence.
    """

    format: Format[S, P, E]
    input: Input[S, P, M, E]
    answer: Answer[S, P, E, H]
    recipe: Recipe[S, T, P, M, E, H]
    purpose: str
    preview: str = "Inputs with the predictions of the model."


AnyParts = Parts[Any, Any, Any, Any, Any, Any]
