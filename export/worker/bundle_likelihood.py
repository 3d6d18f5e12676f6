"""The likelihood that the model in a bundle gives a passage of ordinary text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .bundle_model import BundleModel
from .messages import Finding, finding
from .probes import Probe, Tensors

PASSAGE, IDS = "passage", "ids"
# Of each token of a passage but the first: its log probability after all before it, and the most
# probable token there.
LOG_PROBABILITIES, PREDICTED = "log_probabilities", "predicted_ids"
# Share of places in prose where two tokens are nearly as probable, beyond other decisions: SmolLM2
# with int8 weights has 91 % of the model's tokens with a perplexity that is 0.4 % lower.
NEAR_TIES = 0.1


def likelihood_checks(
    model: BundleModel, passages: Sequence[Probe], tolerance: Mapping[str, float]
) -> Iterator[Finding]:
    """Checks the perplexity of passages, and the most probable next tokens in them.

    The signatures are called one token after the other, since the runtime gives no such numbers:
    version 0.18.1 reports other log probabilities than those that it generates by.

    Args:
        model: The model in the bundle.
        passages: The passages, with what the model gives.
        tolerance: By what fraction the perplexity may be larger, under "error", and the least share
            of equal next tokens, under "agreement".
    """
    decoded = [_decoded(model, passage.inputs[IDS]) for passage in passages]
    expected = [passage.outputs for passage in passages]
    ours, theirs = (_perplexity(each) for each in (expected, decoded))
    more = theirs / ours - 1
    most = tolerance["error"]
    passed = bool(np.isfinite(theirs)) and more <= most
    detail = f"{theirs:.4g}, of the model {ours:.4g}: {more:+.2%}, allowed {most:+.2%}"
    yield {**finding(f"{PASSAGE}: perplexity", passed, detail), "perplexity": theirs}
    same = np.concatenate(
        [one[PREDICTED] == other[PREDICTED] for one, other in zip(expected, decoded, strict=True)]
    )
    share, least = float(same.mean()), tolerance["agreement"]
    if least < 1:
        least -= NEAR_TIES
    detail = f"{share:.1%} of {same.size} are the same, required {least:.0%}"
    yield {**finding(f"{PASSAGE}: next tokens", share >= least, detail), "agreement": share}


def _perplexity(scored: Sequence[Tensors]) -> float:
    log_p = np.concatenate([each[LOG_PROBABILITIES] for each in scored]).astype("float64")
    return float(np.exp(-log_p.mean()))


def _decoded(model: BundleModel, ids: np.ndarray) -> Tensors:
    """What the model in the bundle gives for a passage, one token after the other."""
    model.start()
    log_p, predicted = [], []
    for token, following in zip(ids[:-1], ids[1:], strict=True):
        logits = model.step(token)
        log_p.append(logits[following] - np.logaddexp.reduce(logits))
        predicted.append(int(logits.argmax()))
    return {LOG_PROBABILITIES: np.array(log_p), PREDICTED: np.array(predicted)}
