"""Tasks on texts in the form that MediaPipe's text classifier and text embedder run."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.errors import UserError
from zoo.lines import to_lines
from zoo.mediapipe.characters import Characters
from zoo.mediapipe.metadata import Metadata, labels_file
from zoo.mediapipe.signature import single_signature
from zoo.preprocessing.base import BATCH, TensorSpec
from zoo.preprocessing.text import TEXT
from zoo.serving.export_parts import Calls, ExportParts
from zoo.serving.inference import Tensors
from zoo.serving.signatures import SERVING_DEFAULT
from zoo.text.bert_wordpiece import BertWordPieceTokenizer
from zoo.text.programs.repeated import unrolled

if TYPE_CHECKING:
    from zoo.tasks.task import Task

SIZE = "text_size"  # the axis of the characters of a text


class MediaPipeTexts:
    """A task on texts as MediaPipe runs it: its file takes the three inputs of a BERT model.

    What goes in are the characters of a text (see `Characters`); the tokenizer is in the file,
    without a loop, so that every text has the ids that it has in training.

    Args:
        task: The task.
        name: Name of MediaPipe's task.
        length: Maximum number of tokens of a text. Defaults to that of the task.

    Raises:
        UserError: If MediaPipe changes texts in a way that matters to the task.
    """

    def __init__(self, task: "Task", name: str, length: int | None = None) -> None:
        _check(task)
        self._task, self._name = task, name
        self.length = length or task.preprocessor.max_length
        self._characters = Characters(task.tokenizer)
        self._texts = task.preprocessor.in_bytes(self.length)
        self.model, self.evaluate_artifact = task.model, task.evaluate_artifact

    def export_parts(
        self, text: str | None, litert: bool = False, samples: bool = False, **options: Any
    ) -> ExportParts:
        """Its only signature, and the rest of the task; see `Task.export_parts`."""
        parts, read = self._task.export_parts(None, litert, **options), self._task.preprocessor
        main = parts.signatures[SERVING_DEFAULT]

        def preprocess(ids: Any, segment_ids: Any, mask: Any) -> Tensors:
            with unrolled():
                text_bytes, lengths = self._characters(ids, mask)
                return self._texts(text_bytes=text_bytes, text_lengths=lengths)

        meanings = {
            "ids": "the characters of the text, in the vocab.txt in the file",
            "segment_ids": "not used",
            "mask": "1 where there is a character, else 0",
        }
        raw = {name: TensorSpec((BATCH, SIZE), "int32", 0, meanings[name]) for name in meanings}
        signatures = single_signature(main, raw, preprocess)
        return replace(
            parts,
            signatures=signatures,
            live=signatures,
            probes=self._calls(read.probes(self._task.examples)),
            samples=self._calls(read.samples(self._task.examples)) if samples else {},
        )

    def misread(self) -> list[str]:
        """Those texts of the probes that the file would read otherwise than the task."""
        read, whole = self._task.preprocessor, self._task.preprocessor.in_bytes()
        texts = [x for call in read.probes(self._task.examples) for x in call[TEXT]]

        def differs(text: str) -> bool:
            ids, mask = self._characters.read([text])
            text_bytes, lengths = self._characters(ids, mask)
            encoded = whole(text_bytes=text_bytes, text_lengths=lengths)
            expected = read(text=[text])
            return any(not np.array_equal(expected[name], encoded[name]) for name in expected)

        return [text for text in texts if differs(text)]

    def metadata(self) -> Metadata:
        """What the metadata of the file say."""
        vocabulary = to_lines(self._characters.vocabulary)
        purpose = self._task.purpose
        return Metadata(self._name, purpose, vocabulary, labels_file(self._task))

    def inputs(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """The inputs of the file that MediaPipe makes of texts."""
        ids, mask = self._characters.read(texts)
        return {"ids": ids, "segment_ids": np.zeros_like(ids), "mask": mask}

    def _calls(self, raw: list[dict[str, np.ndarray]]) -> Calls:
        return {SERVING_DEFAULT: [self.inputs(list(call[TEXT])) for call in raw]}


def _check(task: "Task") -> None:
    """Raises a `UserError` unless MediaPipe hands over all that the task reads of a text."""
    if task.preprocessor.nested:
        raise UserError(f"MediaPipe does not run {task.settings.model}, which reads sentences")
    if task.preprocessor.pairs:
        raise UserError("MediaPipe classifies single texts, and not pairs of texts")
    tokenizer = task.tokenizer
    is_bert = isinstance(tokenizer, BertWordPieceTokenizer)
    if not (is_bert and tokenizer.options["lowercase"]):
        kind = "a cased vocabulary" if is_bert else f"the tokenizer {tokenizer.kind}"
        raise UserError(
            f"MediaPipe converts texts to lower case, and cannot serve {kind}: train with the "
            "tokenizer words, or start from a checkpoint of an uncased BERT"
        )
    if not tokenizer.options["split_chinese"]:
        raise UserError(
            "MediaPipe splits texts around Chinese characters, and this tokenizer does not"
        )
