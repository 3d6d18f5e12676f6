"""The protocol of tasks that can be exported for MediaPipe."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from export.protocol import ExportableTask


@runtime_checkable
class Metadata(Protocol):
    """What MediaPipe has to know of a model.

    Attributes:
        name: The name of MediaPipe's task.
        description: What the model does, in a sentence.
        vocabulary: The vocabulary of MediaPipe's BERT tokenizer, a token a line, of a model that
            takes its `ids`, `segment_ids` and `mask`; None if it takes images from 0 to 255.
        labels: A label a line, in the order of the scores; None if there are none.
    """

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def vocabulary(self) -> str | None: ...
    @property
    def labels(self) -> str | None: ...


@runtime_checkable
class MediaPipeTask(ExportableTask, Protocol):
    """A task in the form that MediaPipe runs: a single signature with one output.

    Attributes:
        length: The length of inputs, such as the number of tokens of a text; None if there is none.
    """

    @property
    def length(self) -> int | None: ...

    def metadata(self) -> Metadata:
        """What the metadata of the file say."""

    def misread(self) -> list[str]:
        """Inputs of the probes that the file would read otherwise than the task."""


@runtime_checkable
class TaskForMediaPipe(Protocol):
    """A task that MediaPipe can run.

    Attributes:
        for_mediapipe: Makes the form of it that MediaPipe runs, with inputs of a length.
    """

    def for_mediapipe(self, length: int | None = None) -> MediaPipeTask: ...
