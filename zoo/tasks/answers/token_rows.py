"""The probabilities that a model gives to correct texts, token by token."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zoo.metrics.tokens import TokenRows
from zoo.tasks.inputs.sources import SourceInput
from zoo.tasks.likelihood import SCORE, Likelihood
from zoo.tasks.parts import Fitted, Predictor
from zoo.tasks.parts.kinds import H, P, S

BATCH_SIZE = 32


def token_rows(
    source: SourceInput[S, P],
    predictor: Predictor[Fitted[S, P], H],
    columns: Mapping[str, Sequence[Any]],
    references: Sequence[Sequence[str]],
) -> TokenRows:
    """The log-probabilities of the tokens of all correct texts of each row.

    Args:
        source: What the model reads.
        predictor: Runs the model.
        columns: Raw inputs by name.
        references: The correct texts of each row.
    """
    rows = np.repeat(np.arange(len(references)), [len(texts) for texts in references])
    every = [text for texts in references for text in texts]
    likelihood = Likelihood()
    for start in range(0, len(rows), BATCH_SIZE):
        batch = slice(start, start + BATCH_SIZE)
        raw = {name: [given[i] for i in rows[batch]] for name, given in columns.items()}
        _add(likelihood, source, predictor, raw, every[batch])
    each = likelihood.rows
    sums = (np.bincount(rows, x, len(references)) for x in (each.nats, each.tokens, each.correct))
    return TokenRows(*sums)


def _add(
    likelihood: Likelihood,
    source: SourceInput[S, P],
    predictor: Predictor[Fitted[S, P], Any],
    raw: Mapping[str, Sequence[Any]],
    texts: Sequence[str],
) -> None:
    fitted: Fitted[S, P] = predictor.fitted
    preprocessor = fitted.preprocessor
    targets = source.targets(fitted.settings, preprocessor)
    features = {preprocessor.feature_signature: [preprocessor.read(raw)]}
    labels = targets.read({"text": texts})["token_ids"]
    (call,) = source.score_calls(fitted, features)
    outputs = predictor.run(SCORE, {**call, "target_ids": labels})
    counted = labels != targets.tokenizer.special_tokens.pad
    likelihood.add(outputs["log_probabilities"], outputs["predicted_ids"], labels, counted)
