"""The page of a Keras model of one's own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import keras

from zoo.errors import UserError
from zoo.page import template
from zoo.page.lead import examples, sentence
from zoo.page.web_files import page_files
from zoo.preprocessing.base import TensorSpec
from zoo.serving.export_parts import ExportParts
from zoo.serving.signatures import SERVING_DEFAULT


class OwnModel(Protocol):
    """What a page needs of a model of one's own.

    Attributes:
        model: The model.
        labels: The names of its classes; none if it has no such.
        form: What goes in, by name, as a person gives it: texts as strings.
    """

    @property
    def model(self) -> keras.Model: ...
    @property
    def labels(self) -> Sequence[str]: ...
    @property
    def form(self) -> Mapping[str, TensorSpec]: ...

    def export_parts(
        self,
        text: str | None = None,
        litert: bool = False,
        samples: bool = False,
        *,
        length: int | None = None,
    ) -> ExportParts: ...

    def evaluate_artifact(self, artifact: Any, data: Any) -> dict[str, float]: ...


class OwnModelPage:
    """A model of one's own in the form that `export.web` takes.

    Args:
        own: The model with what is around it.
        length: The number of tokens of a text by default; None if it must be given.
    """

    def __init__(self, own: OwnModel, length: int | None = None) -> None:
        self._own, self._length = own, length
        self.model, self.evaluate_artifact = own.model, own.evaluate_artifact

    def length(self, **generation: Any) -> int | None:
        """The number of tokens of a text by default; None of images.

        Raises:
            UserError: If the model does not say how long its texts are, or it should generate.
        """
        if generation:
            raise UserError(f"a model of one's own does not generate: leave out {[*generation]}")
        if self._length is None and any(x.dtype == "string" for x in self._own.form.values()):
            raise UserError("give length, the greatest number of tokens of a text of the page")
        return self._length

    def export_parts(
        self,
        text: str | None,
        litert: bool = False,
        samples: bool = False,
        *,
        length: int | None = None,
    ) -> ExportParts:
        """The signature that the page calls, and the rest of the model."""
        parts = self._own.export_parts(text, litert, samples, length=length)
        called = {SERVING_DEFAULT: parts.signatures[SERVING_DEFAULT]}
        return replace(parts, signatures=called, live=called)

    def files(self, parts: ExportParts, title: str, length: int | None) -> dict[str, str]:
        """The files of the page, by name.

        Args:
            parts: The parts of its file.
            title: Title of the page.
            length: The number of tokens of a text.
        """
        main, labels, form = parts.signatures[SERVING_DEFAULT], [*self._own.labels], self._own.form
        facts = {
            "inputs": [
                template.tensor(name, spec.dtype, [*spec.shape], spec.meaning)
                for name, spec in form.items()
            ],
            "outputs": dict(main.meanings),
            "rows": True,
            "labels": labels,
            "examples": examples(parts.config, [*form]),
        }
        lead = sentence(main.purpose, labels, parts.config)
        return page_files(facts, title.replace("_", " "), lead)
