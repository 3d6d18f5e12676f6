"""The input of a task: raw inputs to features, and features to what a model reads."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic

from zoo.attention_map import AttentionMap
from zoo.data.examples import ExampleRow
from zoo.data.readers.input_columns import InputColumns
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.json_file import parse_json
from zoo.preprocessing.base import Features
from zoo.serving.called import CalledModel
from zoo.serving.inference import Inference, Tensors
from zoo.serving.signatures import Signature
from zoo.tasks.attending import PURPOSE
from zoo.tasks.calls import Calls, calls_of
from zoo.tasks.parts.fitted import Fitted, Learned, Start
from zoo.tasks.parts.kinds import E, P, S
from zoo.text.tokenizer import FILE_NAME, Tokenizer
from zoo.text.tokenizers import tokenizer_of


class Input(Generic[S, P, E]):
    """What a model reads: from raw inputs to features, and from these to the inputs of a model."""

    attention_purpose: str = PURPOSE  # of the signature that shows attention
    is_continued: bool = False  # whether the output goes on from the input, as a text from a prompt

    def check(self, settings: S) -> None:
        """Raises a `UserError` if settings contradict each other."""

    def row(self, settings: S) -> str:
        """What one input is, in the words of `Parts.purpose`."""
        return "input"

    def learn(self, examples: E, settings: S, start: Start) -> Learned[S, P]:
        """Fits the preprocessor to training data.

        Args:
            examples: The training data.
            settings: The settings of the task.
            start: The given options of the model, and its checkpoint.
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

    def restored(self, settings: S, artifact: CalledModel) -> P:
        """The preprocessor of an artifact, from its description and the files beside it.

        Raises:
            UserError: If a file is missing.
        """
        content = artifact.beside.get(FILE_NAME)
        if content is None:
            raise UserError(f"{artifact.name} has no {FILE_NAME} beside it: restore the file")
        try:
            tokenizer = tokenizer_of(parse_json(content))
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"the {FILE_NAME} of {artifact.name} is damaged: {error}") from None
        return self.with_tokenizer(tokenizer, settings)

    def sample(self, examples: E, count: int) -> dict[str, list[Any]]:
        """The first raw inputs, which are kept with a model to verify its artifacts."""
        return examples.sample(count)

    def first_rows(self, examples: E, count: int) -> list[ExampleRow]:
        """The first examples, for a report."""
        return examples.first_rows(count)

    def preprocessor_with(self, fitted: Fitted[S, P], options: Mapping[str, Any]) -> P:
        """The preprocessor for given options of the answer, on which it may depend."""
        return fitted.preprocessor

    def sizes(self, settings: S, preprocessor: P) -> dict[str, Any]:
        """Arguments of the model that depend on what it reads, such as the vocabulary size."""
        raise NotImplementedError

    def check_model(self, fitted: Fitted[S, P]) -> None:
        """Raises a `UserError` if a new model cannot read what the settings say."""

    def raw(self, data: Any, settings: S, preprocessor: P) -> dict[str, Sequence[Any]]:
        """Converts the argument of `predict` to raw inputs by name."""
        raise NotImplementedError

    def table_columns(self, settings: S) -> InputColumns | None:
        """What each row of a table gives to predict from; None if rows are no inputs."""
        return None

    def reader(self, fitted: Fitted[S, P]) -> Reader:
        """How the model reads features."""
        preprocessor = fitted.preprocessor
        return Reader(preprocessor.feature_signature, preprocessor.features, dict)

    def rows(self, outputs: Mapping[str, Any], features: Features) -> list[dict[str, Any]]:
        """The outputs for each raw input of a batch.

        Args:
            outputs: Arrays by name.
            features: The features, with the number of each raw input in `row`.
        """
        count = len(features["row"])
        return [{name: array[i] for name, array in outputs.items()} for i in range(count)]

    def attention(self, fitted: Fitted[S, P], head: Any) -> dict[str, Inference]:
        """The inference that shows the attention of the model, by its name; empty if it has none.

        Args:
            fitted: The task.
            head: Its head, if the inference also answers.
        """
        return {}

    def meanings(self, fitted: Fitted[S, P]) -> dict[str, str]:
        """What each output that shows attention is, in words, by name."""
        return {}

    def attention_maps(
        self, settings: S, preprocessor: P, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        """The outputs of `attention` for one input, with the tokens of their rows and columns."""
        return {}

    def attention_maps_of(
        self, fitted: Fitted[S, P], features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        """`attention_maps` of a model that is at hand, which may say more."""
        return self.attention_maps(fitted.settings, fitted.preprocessor, features, outputs)

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

    def check_browser(self, task: str) -> None:
        """Raises a `UserError` if browsers cannot run a model of the task."""

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
