"""Connectionist temporal classification in NumPy float64: every alignment, one by one."""

import functools
import itertools
from collections import defaultdict

import numpy as np


def log_softmax(logits):
    logits = np.asarray(logits, np.float64)
    shifted = logits - logits.max(-1, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def collapse(alignment, blank):
    """Merges repeats, then drops blanks."""
    return tuple(int(symbol) for symbol, _ in itertools.groupby(alignment) if symbol != blank)


@functools.cache
def alignments(string, symbols, frames, blank):
    """All alignments of a string, (N, frames)."""
    every = itertools.product(symbols, repeat=frames)
    actual = [each for each in every if collapse(each, blank) == string]
    return np.array(actual, int).reshape(len(actual), frames)


def log_likelihood(string, logits, blank=0):
    """log p(string | logits (T, V)); -inf where there is no alignment."""
    string = tuple(int(label) for label in string)
    paths = alignments(string, tuple(sorted({*string, blank})), len(logits), blank)
    log_p = log_softmax(logits)[np.arange(len(logits)), paths].sum(-1)
    return np.logaddexp.reduce(log_p) if len(log_p) else -np.inf


def ctc_loss(labels, logits, label_lengths, frame_mask, blank=0):
    """(B,); 0 for a string without an alignment."""
    rows = zip(labels, logits, label_lengths, np.asarray(frame_mask, bool), strict=True)
    actual = np.array([-log_likelihood(y[:n], x[keep], blank) for y, x, n, keep in rows])
    return np.where(np.isinf(actual), 0.0, actual)


def all_strings(logits, blank=0):
    """The probability of every label string."""
    y = np.exp(log_softmax(logits))
    actual = defaultdict(float)
    for path in itertools.product(range(y.shape[-1]), repeat=len(y)):
        actual[collapse(path, blank)] += np.prod([y[t, k] for t, k in enumerate(path)])
    return dict(actual)


def prefix_beam_search(logits, beams, blank=0, factor=lambda prefix, label: 1.0):
    """[(string, probability)] of Hannun's search, best first; prefixes are keys of a dictionary.

    `factor` weighs a label that is appended to a prefix.
    """
    y = np.exp(log_softmax(logits))
    kept = {(): (1.0, 0.0)}
    for now in y:
        actual = defaultdict(lambda: [0.0, 0.0])
        for prefix, (in_blank, in_label) in kept.items():
            actual[prefix][0] += now[blank] * (in_blank + in_label)
            if prefix:
                actual[prefix][1] += now[prefix[-1]] * in_label
            for label in set(range(len(now))) - {blank}:
                same = bool(prefix) and prefix[-1] == label
                before = in_blank if same else in_blank + in_label
                actual[(*prefix, label)][1] += now[label] * factor(prefix, label) * before
        best = sorted(actual.items(), key=lambda item: -sum(item[1]))[:beams]
        kept = {prefix: tuple(parts) for prefix, parts in best}
    return [(prefix, sum(parts)) for prefix, parts in kept.items()]
