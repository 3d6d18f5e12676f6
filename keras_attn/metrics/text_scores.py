"""Scores of whole texts after each epoch of `fit`."""

from collections.abc import Callable, Sequence
from typing import Any

import keras

from keras_attn.metrics.corpus_score import CorpusScore


class TextScores(keras.callbacks.Callback):
    """Scores what the model writes after each epoch, beside the losses.

    BLEU, chrF and error rates need texts, which `compile(metrics=…)` cannot give them. Callbacks
    that come after this one, as `keras.callbacks.EarlyStopping`, may monitor what it adds.

    Source: Papineni et al. 2002, section 2.2: a score belongs to a corpus, not to a batch.
    Formula: `val_name = metric(references, predict(model))` in the logs of each epoch

    Args:
        metrics: `BLEU`, `ChrF`, `WordErrorRate`, `CharacterErrorRate`, at least one, no two of one
            name.
        predict: Function of the model, which gives a list of texts.
        references: For each of these texts the right one, or several.

    Outputs: `val_bleu` and the like in the history of `fit`.

    Raises:
        ValueError: If there is no metric, or two have one name.

    Example:
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
            raise ValueError(f"metrics must be one or more of different names; received {names}.")
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
