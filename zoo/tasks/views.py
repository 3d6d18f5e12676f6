"""What a task shows of its model: attention maps, and rows of a report."""

from typing import Any

from zoo.attention_map import AttentionMap
from zoo.data_statistics import collecting
from zoo.models.attending import attention_layers
from zoo.preprocessing.base import Features
from zoo.serving.inference import Tensors
from zoo.tasks.attending import ATTENTION, choose_part
from zoo.tasks.parts import PreviewRow
from zoo.tasks.predicting import PredictingTask

__all__ = ["PreviewRow", "Views"]


class Views(PredictingTask):
    """A task that shows its attention maps, and rows with its predictions."""

    def attention(
        self, data: Any, *, part: str | None = None, **options: Any
    ) -> list[AttentionMap]:
        """The attention maps of one input, one for each layer; empty if the model shows none.

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
        if not attention_layers(self.model):
            return []
        part = choose_part(self.model, part)
        return self.attention_parts(data, **options)[part]

    def attention_parts(self, data: Any, **options: Any) -> dict[str, list[AttentionMap]]:
        """The attention maps of one input in every part of the model; see `attention`."""
        if not attention_layers(self.model):
            return {}
        with collecting(ATTENTION):
            features = self.preprocessor_with(**options).read(self.raw_inputs([data]))
        return self.label_attention(features, self.run_attention(features, **options))

    def run_attention(self, features: Features, **options: Any) -> Tensors:
        """Computes the attention maps of features."""
        answer = self.parts.answer
        given = answer.attention_options(self.fitted, features, options)
        return self.program(ATTENTION)(features, **given)

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
        """The first rows with their predictions and references, as text, for a report.

        Args:
            data: A file or a list, in the form that `fit` takes.
            count: Maximum number of rows.
        """
        return self.preview_examples(self.read(data), count)

    def preview_examples(self, examples: Any, count: int) -> list[PreviewRow]:
        """`preview` of examples that were read before."""
        self.parts.input.check_examples(examples, self.settings, self.preprocessor)
        return self.parts.answer.preview(self.predictor(self.runner()), examples, count)
