"""Tasks created from the checkpoints of encoders."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from zoo.pretrained import sentences
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.converter import T, with_weights
from zoo.pretrained.encoders import tensors as tensors_of
from zoo.pretrained.encoders.family import Family
from zoo.pretrained.encoders.labels import (
    MULTI_LABEL,
    REGRESSION,
    labels_of,
    output_names,
    problem_of,
    tags_of,
)
from zoo.pretrained.tensor_map import read
from zoo.tasks.masked_lm import MaskedLM
from zoo.tasks.multi_task import MultiTask
from zoo.tasks.parts import Pretrained
from zoo.tasks.question_answering import QuestionAnswering
from zoo.tasks.task import Task
from zoo.tasks.text_classifier import TextClassifier
from zoo.tasks.text_embedder import TextEmbedder
from zoo.tasks.text_pair_scorer import TextPairScorer
from zoo.tasks.text_regressor import TextRegressor
from zoo.tasks.token_tagger import TokenTagger
from zoo.text.tokenizer import Tokenizer

Make = Callable[[Checkpoint, dict[str, Any]], Task]


@dataclass(frozen=True)
class Reading:
    """Creates tasks from the checkpoints of a family.

    Args:
        family: The family.
    """

    family: Family

    @property
    def make(self) -> dict[str, Make]:
        """The function that creates each task, by its name."""
        return {
            TextEmbedder.name: self.text_embedder,
            MaskedLM.name: self.masked_lm,
            TextClassifier.name: self.text_classifier,
            TextRegressor.name: self.with_values(TextRegressor, pairs=False),
            TextPairScorer.name: self.with_values(TextPairScorer, pairs=True),
            TokenTagger.name: self.token_tagger,
            QuestionAnswering.name: self.question_answering,
            MultiTask.name: self.multi_task,
        }

    def default_task(self, checkpoint: Checkpoint) -> str:
        """The task of a checkpoint; that of a head depends on what it predicts."""
        family, architecture = self.family, checkpoint.architecture
        headless = architecture in (family.encoder, family.masked, f"{family.stem}ForMaskedLM")
        if headless and sentences.is_sentence_encoder(checkpoint):
            return TextEmbedder.name  # also where the base of its training is named
        if architecture == family.headed and problem_of(checkpoint) == REGRESSION:
            return TextRegressor.name
        return family.architectures[architecture]

    def text_embedder(self, checkpoint: Checkpoint, settings: dict[str, Any]) -> TextEmbedder:
        tokenizer = self._tokenizer(checkpoint, sentences.lowercase(checkpoint))
        task = TextEmbedder(**{"tokenizer": tokenizer.kind, **settings})
        return self._noted(with_weights(task, tokenizer, self._encoder_of(checkpoint)), checkpoint)

    def masked_lm(self, checkpoint: Checkpoint, settings: dict[str, Any]) -> MaskedLM:
        activation = self.family.heads.masked_activation
        if activation not in (None, settings["activation"]):
            settings = {"head_activation": activation, **settings}
        tokenizer, task = self._tokenizer(checkpoint), MaskedLM(**settings)
        load = tensors_of.read_masked_lm
        with_weights(task, tokenizer, lambda model: load(self.family, model, checkpoint))
        return self._noted(task, checkpoint)

    def text_classifier(self, checkpoint: Checkpoint, settings: dict[str, Any]) -> TextClassifier:
        settings = {"tokenizer": self._kind(checkpoint), **settings}
        tokenizer = self._tokenizer(checkpoint)
        headed = checkpoint.architecture == self.family.headed
        keeps_head = headed and settings.get("labels") is None
        if keeps_head:
            settings["labels"] = labels_of(checkpoint)
            settings.setdefault("multi_label", problem_of(checkpoint) == MULTI_LABEL)
            settings.setdefault("pairs", False)
        task, load = TextClassifier(**settings), self._encoder_of(checkpoint)
        task.pretrained = Pretrained(tokenizer, load)
        if keeps_head:
            with_weights(task, tokenizer, load)
            read(checkpoint, tensors_of.classifier_head(self.family, task.model))
        return self._noted(task, checkpoint)

    def with_values(self, kind: type[TextRegressor | TextPairScorer], pairs: bool) -> Make:
        """A function that creates a task that gives values; `pairs` is that of a head."""

        def make(checkpoint: Checkpoint, settings: dict[str, Any]) -> Task:
            settings = {"tokenizer": self._kind(checkpoint), **settings}
            tokenizer, load = self._tokenizer(checkpoint), self._encoder_of(checkpoint)
            given = {"value_names", "value_means", "value_scales"} & settings.keys()
            keeps_head = not given and checkpoint.architecture == self.family.headed
            if keeps_head and problem_of(checkpoint) == REGRESSION:
                names = output_names(checkpoint)
                units = {"value_means": [0.0] * len(names), "value_scales": [1.0] * len(names)}
                task = kind(**{"pairs": pairs, "value_names": names, **units, **settings})
                with_weights(task, tokenizer, load)
                read(checkpoint, tensors_of.classifier_head(self.family, task.model))
                return self._noted(task, checkpoint)
            task = kind(**settings)
            task.pretrained = Pretrained(tokenizer, load)
            return self._noted(task, checkpoint)

        return make

    def token_tagger(self, checkpoint: Checkpoint, settings: dict[str, Any]) -> TokenTagger:
        settings = {"tokenizer": self._kind(checkpoint), **settings}
        tagging = checkpoint.architecture == self.family.tagging
        keeps_head = tagging and settings.get("labels") is None
        if keeps_head:
            settings["labels"] = tags_of(checkpoint)
        task, tokenizer = TokenTagger(**settings), self._tokenizer(checkpoint)
        load = self._encoder_of(checkpoint)
        task.pretrained = Pretrained(tokenizer, load)
        if keeps_head:
            with_weights(task, tokenizer, load)
            read(checkpoint, tensors_of.token_head(self.family.heads.tags, task.model))
        return self._noted(task, checkpoint)

    def question_answering(
        self, checkpoint: Checkpoint, settings: dict[str, Any]
    ) -> QuestionAnswering:
        task = QuestionAnswering(**{"tokenizer": self._kind(checkpoint), **settings})
        tokenizer, load = self._tokenizer(checkpoint), self._encoder_of(checkpoint)
        task.pretrained = Pretrained(tokenizer, load)
        if checkpoint.architecture == self.family.answering:
            with_weights(task, tokenizer, load)
            read(checkpoint, tensors_of.token_head(self.family.heads.answers, task.model))
        return self._noted(task, checkpoint)

    def multi_task(self, checkpoint: Checkpoint, settings: dict[str, Any]) -> MultiTask:
        task = MultiTask(**{"tokenizer": self._kind(checkpoint), **settings})
        load = self._encoder_of(checkpoint)
        task.pretrained = Pretrained(self._tokenizer(checkpoint), load)
        return self._noted(task, checkpoint)

    def _tokenizer(self, checkpoint: Checkpoint, lowercase: bool = False) -> Tokenizer:
        return self.family.tokenizer.in_checkpoint(checkpoint).read(checkpoint, lowercase)

    def _kind(self, checkpoint: Checkpoint) -> str:
        return self.family.tokenizer.in_checkpoint(checkpoint).kind.kind

    def _encoder_of(self, checkpoint: Checkpoint) -> Callable[[Any], None]:
        return lambda model: tensors_of.read_encoder(self.family, model.backbone, checkpoint)

    def _noted(self, task: T, checkpoint: Checkpoint) -> T:
        """Records the layers for which the checkpoint has no weights, and returns the task."""
        if checkpoint.architecture in self.family.headless:
            task.origin = [f"only the encoder of {checkpoint.architecture} was read"]
        new = [] if tensors_of.pooler_in(self.family, checkpoint) else ["pooler"]
        masked = isinstance(task, MaskedLM)
        if masked and not tensors_of.has_next_sentence_head(self.family, checkpoint):
            new.append("next_sentence")
        if new:
            layers = " and ".join(new)
            note = (
                f"{checkpoint.folder} has no weights for {layers}: initialized with random weights"
            )
            task.origin = [*task.origin, note]
            # If no output uses the pooler, a line in the training log is enough.
            if not isinstance(task, TextEmbedder | TokenTagger | QuestionAnswering):
                warnings.warn(note, stacklevel=5)  # where `from_pretrained` is called
        return task
