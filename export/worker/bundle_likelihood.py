"""The likelihood that the model in a bundle gives a passage of ordinary text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .artifact import load
from .bundle import litert_of
from .messages import Check, check
from .probes import Probe, Tensors

DECODE = "decode"
PASSAGE, IDS = "passage", "ids"
# Of each token of a passage but the first: its log probability after all before it, and the most
# probable token there.
LOG_PROBABILITIES, PREDICTED = "log_probabilities", "predicted_ids"


def likelihood_checks(
    content: bytes, passages: Sequence[Probe], tolerance: Mapping[str, float]
) -> Iterator[Check]:
    """Checks the perplexity of passages, and the most probable next tokens in them.

    LiteRT runs the bundle's `decode` token by token, since the runtime itself gives no such
    numbers: version 0.18.1 reports other log probabilities than those that it generates by.

    Args:
        content: The bundle.
        passages: The passages, with what the model gives.
        tolerance: By what fraction the perplexity may be larger, under "error", and the least share
            of equal next tokens, under "agreement".
    """
    decoded = [_decoded(content, passage.inputs[IDS]) for passage in passages]
    expected = [passage.outputs for passage in passages]
    ours, theirs = (_perplexity(each) for each in (expected, decoded))
    more = theirs / ours - 1
    most = tolerance["error"]
    passed = bool(np.isfinite(theirs)) and more <= most
    detail = f"{theirs:.4g}, of the model {ours:.4g}: {more:+.2%}, allowed {most:+.2%}"
    yield {**check(f"{PASSAGE}: perplexity", passed, detail), "perplexity": theirs}
    same = np.concatenate(
        [one[PREDICTED] == other[PREDICTED] for one, other in zip(expected, decoded, strict=True)]
    )
    share, least = float(same.mean()), tolerance["agreement"]
    detail = f"{share:.1%} of {same.size} are the same, required {least:.0%}"
    yield {**check(f"{PASSAGE}: next tokens", share >= least, detail), "agreement": share}


def _perplexity(scored: Sequence[Tensors]) -> float:
    log_p = np.concatenate([each[LOG_PROBABILITIES] for each in scored]).astype("float64")
    return float(np.exp(-log_p.mean()))


def _decoded(content: bytes, ids: np.ndarray) -> Tensors:
    """What `decode` gives for a passage, one token after the other."""
    artifact = load(litert_of(content))
    inputs = artifact.signatures[DECODE]["inputs"]
    caches = {
        name: np.zeros(spec["shape"], spec["dtype"])
        for name, spec in inputs.items()
        if name.startswith("kv_cache")
    }
    log_p, best = [], []
    for position, (token, following) in enumerate(zip(ids[:-1], ids[1:], strict=True)):
        given = {"tokens": np.array([[token]], "int32"), "input_pos": np.array([position], "int32")}
        outputs = artifact.run(DECODE, {**given, **caches})
        caches = {name: outputs[name] for name in caches}
        logits = outputs["logits"].ravel().astype("float64")
        log_p.append(logits[following] - np.logaddexp.reduce(logits))
        best.append(int(logits.argmax()))
    return {LOG_PROBABILITIES: np.array(log_p), PREDICTED: np.array(best)}
