"""Generated texts whose unknown words are copied from the source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from keras import ops

from zoo.decoding.options import REPLACE_UNKNOWN
from zoo.errors import UserError
from zoo.heads.generated_text import GeneratedTextHead
from zoo.models.attending import CROSS
from zoo.option_names import option_name
from zoo.preprocessing.base import Features
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Tensors
from zoo.tasks.inputs.text_sources import TextSourceInput
from zoo.tasks.parts import Fitted, Predictor
from zoo.text.cased_words import CasedWordTokenizer, joined, words_of
from zoo.text.form import TEXT


@dataclass(frozen=True)
class CopiedWords:
    """Texts, with the source word of the largest attention weight for each unknown word.

    Source: Luong et al. 2015, "Addressing the Rare Word Problem in Neural Machine Translation", for
        the replacement; Jean et al. 2015, section 3.3, for the place, that of the largest attention
        weight. Weights are means over layers and heads.

    Without the option `replace_unknown`, texts are as the model generates them.

    Args:
        input: What the model reads.
    """

    input: TextSourceInput[Any, Any]

    def __call__(
        self,
        predictor: Predictor[Fitted[Any, TextPreprocessor], GeneratedTextHead],
        columns: Mapping[str, Sequence[Any]],
        batch_size: int,
    ) -> list[str]:
        """The texts; see `Predictor.results`.

        Raises:
            UserError: If unknown words are to be replaced, and the model does not attend to the
                source, or the tokenizer has no unknown words.
        """
        if not predictor.options.get(REPLACE_UNKNOWN):
            return predictor.results(columns, batch_size)
        fitted = predictor.fitted
        tokenizer, name = fitted.preprocessor.tokenizer, option_name(REPLACE_UNKNOWN)
        if not isinstance(tokenizer, CasedWordTokenizer):
            kind = tokenizer.kind
            raise UserError(f"{name} needs tokenizer cased-words, and the task has {kind}")
        if CROSS not in fitted.model.attention_layers:
            model = fitted.settings.model
            raise UserError(f"{name} needs attention to the source, which {model} does not have")

        def with_places(outputs: Tensors, features: Features) -> Tensors:
            ids = np.asarray(outputs["token_ids"])
            return {"token_ids": ids, "places": self._places(fitted, features, ids)}

        rows = predictor.rows(columns, batch_size, with_places)
        return [
            _text(tokenizer, row["token_ids"], row["places"], source)
            for row, source in zip(rows, columns[TEXT], strict=True)
        ]

    def _places(
        self, fitted: Fitted[Any, TextPreprocessor], features: Features, token_ids: np.ndarray
    ) -> np.ndarray:
        """The word of the source that each generated id (B, T) attends to most; -1 if it has none.

        Only rows with unknown words are computed.
        """
        special = fitted.preprocessor.tokenizer.special_tokens
        places = np.full(token_ids.shape, -1)
        unknown = np.flatnonzero((token_ids == special.unknown).any(axis=1))
        sources = np.asarray(features["token_ids"])[unknown]
        inside = (sources != special.pad) & (sources != special.end)
        if not inside.any():
            return places
        columns = {"source_ids": sources, "target_ids": token_ids[unknown]}
        inputs = self.input.teacher_forced(fitted, columns)
        maps = fitted.model.attention_maps({k: ops.convert_to_tensor(x) for k, x in inputs.items()})
        layers = [ops.convert_to_numpy(each).mean(axis=1) for each in maps[CROSS]]
        weights = np.where(inside[:, None], np.mean(layers, axis=0), -1.0)
        best = weights.argmax(axis=2)
        places[unknown] = np.where(weights.max(axis=2) < 0, -1, best)
        return places


def _text(
    tokenizer: CasedWordTokenizer, token_ids: np.ndarray, places: np.ndarray, source: str
) -> str:
    """The text of generated ids, with the words of the source at some places for unknown ones."""
    special, words = tokenizer.special_tokens, words_of(source)
    written = []
    for number, place in zip(token_ids.tolist(), places.tolist(), strict=True):
        if number == special.unknown and place >= 0:
            written.append(words[place])
        elif number not in special.invisible:
            written.append(tokenizer.vocabulary[number])
    return joined(written)
