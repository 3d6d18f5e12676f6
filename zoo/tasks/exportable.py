"""A task as `export` takes it: signatures, and inputs to verify an artifact with."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from zoo.errors import UserError
from zoo.preprocessing.base import Features, Preprocessor
from zoo.registry import ADAPTERS
from zoo.registry_rows import resolve
from zoo.serving.inference import Tensors
from zoo.serving.signatures import Signature, build_signatures
from zoo.tasks.attending import MEANINGS, map_names
from zoo.tasks.base import BaseTask
from zoo.tasks.calls import Calls
from zoo.text.form import TEXT, TEXT_BYTES, TEXT_LENGTHS, TextForm, text_form


class ExportableTask(BaseTask):
    """A task that can be exported."""

    def signatures(
        self,
        text: str | None,
        litert: bool = False,
        *,
        length: int | None = None,
        **options: Any,
    ) -> dict[str, Signature]:
        """The signatures of an artifact, by name.

        Args:
            text: How the artifact takes and returns text: as "strings", or as "bytes" in UTF-8,
                with built-in operators of LiteRT only. None if it takes features.
            litert: Whether the artifact is a LiteRT file.
            length: Maximum number of tokens of a text in bytes. Defaults to that of the task.
            **options: Generation options, for tasks that generate text.

        Raises:
            UserError: If LiteRT lacks operators of the preprocessor, or it does not take bytes, or
                the task has no such option.
        """
        self.check_exportable()
        for name in options:
            if name not in self.export_options:
                raise UserError(f"an export of {self.name} has no option {name!r}")
        self.check_export(options)
        form = text_form(text, litert)
        preprocessor = self.preprocessor_with(**options)
        if form is TextForm.BYTES:
            preprocessor = preprocessor.in_bytes(length)
        elif form is TextForm.LITERT_STRINGS:
            preprocessor.check_litert()

        def finish(outputs: Tensors, features: Features) -> Tensors:
            reported = {name: features[name] for name in preprocessor.reported}
            return self.postprocess(outputs, features, form) | reported

        meanings = {name: MEANINGS[part] for name, part in map_names(self.model).items()}
        meanings |= {**self.meanings, **preprocessor.reported}
        if form is TextForm.BYTES and TEXT in meanings:
            meanings |= {
                TEXT_BYTES: f"{meanings[TEXT]}, UTF-8",
                TEXT_LENGTHS: "its number of bytes",
            }
        inferences = self.inferences(**{n: x for n, x in options.items() if n != "stream"})
        found = build_signatures(
            preprocessor, inferences, finish, text is not None, self.signature_purposes, meanings
        )
        return self.own_signatures(found, text, litert, length, options)

    def check_export(self, options: Mapping[str, Any]) -> None:
        """Raises a `UserError` if an artifact cannot have these options."""
        self.parts.answer.check_export(self.fitted, options)

    def own_signatures(
        self,
        signatures: dict[str, Signature],
        text: str | None,
        litert: bool,
        length: int | None,
        options: Mapping[str, Any],
    ) -> dict[str, Signature]:
        """The signatures of an artifact, with those of its kind of input and of answer."""
        source, fitted = self.parts.input, self.fitted
        found = source.signatures(signatures, self.preprocessor, text, litert)
        form = None if text is None else text_form(text, litert)
        reader, answer = source.reader(fitted), self.parts.answer
        return answer.signatures(found, fitted, self.head, reader, form, length, options)

    def probes(self, **options: Any) -> dict[str, list[dict[str, np.ndarray]]]:
        """Inputs to verify an artifact with, by name of the signature.

        Args:
            **options: Generation options; see `signatures`.
        """
        preprocessor = self.preprocessor_with(**options)
        calls = self.calls(preprocessor, preprocessor.probes(self.examples))
        return self.own_calls(calls, options)

    def samples(self, **options: Any) -> dict[str, list[dict[str, np.ndarray]]]:
        """Many ordinary inputs, by name of the signature: what a quantized file is judged by.

        Args:
            **options: Options of generation, as for `signatures`.
        """
        preprocessor = self.preprocessor_with(**options)
        calls = self.calls(preprocessor, preprocessor.samples(self.examples))
        return self.own_calls(calls, options)

    def own_calls(self, calls: Calls, options: Mapping[str, Any]) -> Calls:
        """The calls, with those of the signatures that only this kind of answer has."""
        return self.parts.answer.calls(self.fitted, calls, options)

    def calls(self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]) -> Calls:
        """Raw inputs as calls of each signature."""
        return self.parts.input.calls(preprocessor, raw)

    def web_page(self) -> Any:
        """The task as `export.web` takes it, with the files of a page that runs it in a browser."""
        self.check_browser()
        return resolve(ADAPTERS["web"])(self)

    def check_browser(self) -> None:
        """Raises a `UserError` if browsers cannot run the model."""
        self.parts.input.check_browser(self.name)

    def for_mediapipe(self, length: int | None = None) -> Any:
        """The task as `export.mediapipe` takes it.

        Args:
            length: Maximum number of tokens of a text. Defaults to that of the task.

        Raises:
            UserError: If MediaPipe has no such task, or reads its inputs differently.
        """
        return resolve(ADAPTERS["mediapipe"])(self, length)

    @property
    def export_config(self) -> dict[str, Any]:
        """The description of the task in the manifest of an artifact."""
        facts = self.parts.input.facts(self.preprocessor)
        more = self.parts.answer.facts(self.fitted)
        return {**self.config, "data": self.data, **facts, **more}
