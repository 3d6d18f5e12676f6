"""Scores of generated texts after each epoch of `fit`."""

from collections.abc import Callable, Sequence
from typing import Any

import keras

from keras_attn.metrics.corpus_score import CorpusScore


class TextScores(keras.callbacks.Callback):
    """Callback that scores the texts a model generates after each epoch.

    BLEU, chrF and error rates need texts, which metrics in `compile(metrics=…)` do not get.
    Callbacks that come after this one, such as `keras.callbacks.EarlyStopping`, can monitor its
    scores.

    Source: Papineni et al. 2002, section 2.2: a score belongs to a corpus, not to a batch.
    Formula: `val_name = metric(references, predict(model))` in the logs of each epoch

    Args:
        metrics: `BLEU`, `ChrF`, `WordErrorRate` or `CharacterErrorRate` objects with distinct
            names.
        predict: Function that takes the model and returns a list of generated texts.
        references: The reference, or a list of references, for each generated text.

    Outputs: Entries such as `val_bleu` in the history of `fit`.

    Raises:
        ValueError: If `metrics` is empty, or two of them have the same name.

    Example:
        >>> from keras_attn import TextScores
        >>> from keras_attn import WordErrorRate
        >>> scores = TextScores([WordErrorRate()], lambda model: ["a red cat"], ["a red hat"])
        >>> logs = {}
        >>> scores.on_epoch_end(0, logs)
        >>> round(logs["val_wer"], 4)
        0.3333
    """

    def __init__(
        self,
        metrics: Sequence[CorpusScore],
        predict: Callable[[keras.Model], list[str]],
        references: Sequence[str | Sequence[str]],
    ) -> None:
        super().__init__()
        names = [metric.name for metric in metrics]
        if not names or len({*names}) < len(names):
            raise ValueError(f"metrics must have one or more distinct names; received {names}.")
        self.metrics = list(metrics)
        self.predict = predict
        self.references = list(references)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        predictions = self.predict(self.model)
        for metric in self.metrics:
            metric.reset_state()
            metric.update_state(self.references, predictions)
            if logs is not None:
                logs[f"val_{metric.name}"] = metric.result()
