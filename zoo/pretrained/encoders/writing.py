"""Checkpoints of encoders written from tasks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.errors import UserError
from zoo.models.bert import Bert
from zoo.pretrained import sentences
from zoo.pretrained.converter import CheckpointFiles
from zoo.pretrained.encoders import tensors as tensors_of
from zoo.pretrained.encoders.config import written_config
from zoo.pretrained.encoders.family import Family
from zoo.pretrained.encoders.labels import MULTI_LABEL, REGRESSION
from zoo.pretrained.tensor_map import TensorRow, tensors
from zoo.tasks.masked_lm import MaskedLM
from zoo.tasks.question_answering import QuestionAnswering
from zoo.tasks.task import Task
from zoo.tasks.text_classifier import TextClassifier
from zoo.tasks.text_embedder import TextEmbedder
from zoo.tasks.text_pair_scorer import TextPairScorer
from zoo.tasks.text_regressor import TextRegressor
from zoo.tasks.token_tagger import TokenTagger


@dataclass(frozen=True)
class Writing:
    """Converts tasks to the files of checkpoints of a family.

    Args:
        family: The family.
    """

    family: Family

    @property
    def write(self) -> dict[str, Callable[[Any], CheckpointFiles]]:
        """The function that converts each task, by its name."""
        return {
            TextEmbedder.name: self.text_embedder,
            MaskedLM.name: self.masked_lm,
            TextClassifier.name: self.text_classifier,
            TextRegressor.name: self.values,
            TextPairScorer.name: self.values,
            TokenTagger.name: self.token_tagger,
            QuestionAnswering.name: self.question_answering,
        }

    def text_embedder(self, task: TextEmbedder) -> CheckpointFiles:
        pooler = self._linear(self.family.heads.pooler, task.model.backbone)
        written = self._files(task, self.family.encoder, pooler, prefix="")
        written.files.update(sentences.files(task))
        return written

    def masked_lm(self, task: MaskedLM) -> CheckpointFiles:
        self._check_masked_lm_head(task)
        heads = tensors(tensors_of.masked_lm_head(self.family, task.model))
        heads |= tensors(tensors_of.next_sentence_head(self.family, task.model))
        if self.family.heads.next_sentence is not None:  # which reads the pooler
            heads |= self._encoders_pooler(task.model.backbone)
        return self._files(task, self.family.masked, heads)

    def _check_masked_lm_head(self, task: MaskedLM) -> None:
        """Refuses a masked LM head that Hugging Face's models do not have."""
        encoder, head = task.model.backbone.get_config(), task.model.get_config()
        own, name = self.family.heads.masked_activation, f"Hugging Face's {self.family.name}"
        for option in ("activation", "epsilon"):
            of_encoder, given = encoder[option], head[f"head_{option}"]
            actual = of_encoder if given is None else given
            if own is not None and option == "activation":
                if actual != own:
                    raise UserError(
                        f"{name} has the activation {own} in its masked LM head, but this task has "
                        f"{actual}"
                    )
            elif actual != of_encoder:
                raise UserError(
                    f"{name} has one {option} for encoder and head, but this task has {of_encoder} "
                    f"and {actual}"
                )

    def text_classifier(self, task: TextClassifier) -> CheckpointFiles:
        several = {"problem_type": MULTI_LABEL} if task.settings.multi_label else {}
        return self._files(
            task, self.family.headed, self._head(task), **_named(task.labels), **several
        )

    def values(self, task: TextRegressor | TextPairScorer) -> CheckpointFiles:
        """The files of a task whose head gives values in the units of the data."""
        scales, means = (np.array(each, "float32") for each in (task.head.scales, task.head.means))
        head, name = self._head(task), self.family.heads.classifier
        kernel, bias = f"{name}.weight", f"{name}.bias"
        head |= {kernel: head[kernel] * scales[:, None], bias: head[bias] * scales + means}
        named = _named(task.value_names)
        return self._files(task, self.family.headed, head, problem_type=REGRESSION, **named)

    def token_tagger(self, task: TokenTagger) -> CheckpointFiles:
        head = self._of_tokens(self.family.heads.tags, task)
        return self._files(task, self.family.tagging, head, **_named(task.labels))

    def question_answering(self, task: QuestionAnswering) -> CheckpointFiles:
        head = self._of_tokens(self.family.heads.answers, task)
        return self._files(task, self.family.answering, head)

    def _of_tokens(self, name: str, task: TokenTagger | QuestionAnswering) -> dict[str, np.ndarray]:
        """The head of a task for tokens, with what it reads them through."""
        head = tensors(tensors_of.token_head(name, task.model))
        if not self.family.heads.hidden_of_tokens:
            return head
        return head | self._linear(self.family.heads.hidden, task.model.backbone)

    def _head(self, task: TextClassifier | TextRegressor | TextPairScorer) -> dict[str, np.ndarray]:
        """The head of a task for texts, with what it reads of the first token."""
        head = tensors(tensors_of.classifier_head(self.family, task.model))
        hidden = self._linear(self.family.heads.hidden, task.model.backbone)
        return head | (hidden or self._encoders_pooler(task.model.backbone))

    def _encoders_pooler(self, backbone: Bert) -> dict[str, np.ndarray]:
        return self._linear(self.family.heads.pooler, backbone, self.family.prefix)

    def _linear(self, name: str | None, backbone: Bert, prefix: str = "") -> dict[str, np.ndarray]:
        """The tensors of the pooler by the name of its layer; none without a name."""
        rows: Iterator[TensorRow] = iter(())
        if name is not None:
            rows = tensors_of.pooler(self.family, name, backbone)
        return tensors(rows, prefix)

    def _files(
        self,
        task: Task,
        architecture: str,
        heads: dict[str, np.ndarray],
        prefix: str | None = None,
        **more: Any,
    ) -> CheckpointFiles:
        family, backbone = self.family, task.model.backbone
        tokenizer = family.check_tokenizer(task)
        pad = tokenizer.special_tokens.pad
        config = {
            "architectures": [architecture],
            **written_config(family, backbone, pad),
            **more,
        }
        prefix = family.prefix if prefix is None else prefix
        arrays = tensors(tensors_of.encoder(family, backbone, pad), prefix)
        files = family.files_of(task).write(tokenizer, backbone.get_config()["max_sequence_length"])
        return CheckpointFiles(config, arrays | heads, files)


def _named(outputs: list[str]) -> dict[str, Any]:
    """The names of the outputs of a head, as `config.json` has them."""
    return {
        "id2label": {str(number): name for number, name in enumerate(outputs)},
        "label2id": {name: number for number, name in enumerate(outputs)},
    }
