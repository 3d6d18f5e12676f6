"""Beam search for models trained with CTC."""

from collections.abc import Callable
from typing import Any

from keras import ops

from keras_attn.dense_only import dense_only
from keras_attn.functional.ctc import IMPOSSIBLE
from keras_attn.functional.ctc_greedy import frame_log_probabilities


@dense_only
def ctc_beam_search(
    logits: Any,
    logit_lengths: Any,
    beams: int,
    blank: int = 0,
    label_scores: Callable[[Any, Any], Any] | None = None,
) -> tuple[Any, Any, Any]:
    """CTC prefix beam search: the most probable label sequences, best first.

    The beams are distinct prefixes: the probabilities of all alignments of the same prefix are
    added up. Prefixes that leave the beam are lost, so each log-probability is a lower bound; it is
    exact if every prefix had a beam. A language model may score the labels that are appended.

    Source: Hannun et al. 2014, "First-Pass Large Vocabulary Continuous Speech Recognition using
        Bi-Directional Recurrent DNNs", algorithm 1; Graves 2012.
    Formula: `p_t(l, blank) = y_t(blank) p_{t-1}(l)` and
        `p_t(l, label) = y_t(l_n) (p_{t-1}(l, label) + exp(s(l', l_n)) p_{t-1}(l', l_n))`, with l'
        the prefix l without its last label l_n, `p(l', l_n)` its whole probability, or only
        p(l', blank) if l' also ends in l_n, and s the scores of labels, 0 without them

    Args:
        logits: Unnormalized class scores (B, T, V).
        logit_lengths: Number of frames of each sequence, integers (B,), at most T.
        beams: Beam width N, also the number of label sequences returned.
        blank: Index of the blank class.
        label_scores: Function from prefixes (B, N, T), padded with the blank, and their lengths
            (B, N) to the scores (B, N, V) of the labels that may follow, such as weighted
            log-probabilities of a language model.

    Returns:
        Labels (B, N, T), padded with the blank; their lengths (B, N); log-probabilities (B, N),
        float32, with the scores of their labels; -inf if there are fewer label sequences than
        beams.

    Raises:
        ValueError: If `logits` does not have three axes, `blank` is not a class index, or `beams`
            is less than 1.

    Example:
        >>> from keras import ops
        >>> from keras_attn import ctc_beam_search
        >>> y = ops.array([[[0.6, 0.4], [0.6, 0.4]]])  # the best alignment has no label
        >>> labels, lengths, log_p = ctc_beam_search(ops.log(y), [2], beams=2)
        >>> ops.convert_to_numpy(lengths).tolist()
        [[1, 0]]
        >>> [f"{p:.2f}" for p in ops.convert_to_numpy(ops.exp(log_p))[0]]
        ['0.64', '0.36']
    """
    if beams < 1:
        raise ValueError(f"beams must be at least 1; received {beams}.")
    logits = ops.convert_to_tensor(logits)
    if len(logits.shape) == 3 and logits.shape[1] == 0:  # JAX cannot read from an empty sequence
        logits = ops.pad(logits, ((0, 0), (0, 1), (0, 0)))
        labels, *others = ctc_beam_search(logits, logit_lengths, beams, blank, label_scores)
        return labels[:, :, :0], *others
    log_y = ops.transpose(frame_log_probabilities(logits, logit_lengths, blank), (1, 0, 2))
    frames, rows = ops.shape(log_y)[:2]
    classes = log_y.shape[-1]

    def body(t, prefixes, lengths, ends, log_blank, log_label, is_prefix):
        y = ops.take(log_y, t, axis=0)
        bonus = 0.0 if label_scores is None else label_scores(prefixes, lengths)
        longer, log_blank, log_label = _one_frame(
            y, bonus, blank, lengths, ends, log_blank, log_label, is_prefix
        )
        # The column of the blank holds the scores of the unchanged prefixes.
        stays = ops.expand_dims(_add(log_blank, log_label), -1)
        is_blank = ops.equal(ops.arange(classes, dtype="int32"), blank)
        scores = ops.reshape(ops.where(is_blank, stays, longer), (-1, beams * classes))
        scores, chosen = ops.top_k(scores, beams)
        chosen = ops.cast(chosen, "int32")
        parents, labels = chosen // classes, chosen % classes
        kept = ops.equal(labels, blank)
        log_label = ops.where(kept, _take(log_label, parents), scores)
        log_blank = ops.where(kept, _take(log_blank, parents), IMPOSSIBLE)
        lengths, ends = _take(lengths, parents), ops.where(kept, _take(ends, parents), labels)
        prefixes = ops.take_along_axis(prefixes, ops.expand_dims(parents, -1), axis=1)
        # Appends the label to the prefix; writing a blank changes nothing, as it is the padding.
        here = ops.equal(ops.expand_dims(lengths, -1), ops.arange(frames, dtype="int32"))
        prefixes = ops.where(here, ops.expand_dims(labels, -1), prefixes)
        lengths = lengths + ops.cast(ops.logical_not(kept), "int32")
        is_prefix = _still_prefix(is_prefix, parents, prefixes, lengths, ends)
        return t + 1, prefixes, lengths, ends, log_blank, log_label, is_prefix

    # All beams start with the empty prefix, and only the first of them is valid.
    none = ops.zeros((rows, beams), dtype="int32")
    only_first = ops.where(ops.equal(ops.arange(beams), 0), 0.0, IMPOSSIBLE)
    state = (
        ops.convert_to_tensor(0, "int32"),
        ops.zeros((rows, beams, frames), dtype="int32") + blank,
        none,
        none + blank,
        ops.cast(none, "float32") + only_first,
        ops.cast(none, "float32") + IMPOSSIBLE,
        ops.equal(ops.zeros((rows, beams, beams), dtype="int32"), 0),
    )
    _, labels, lengths, _, log_blank, log_label, _ = ops.while_loop(
        lambda t, *_: t < frames, body, state
    )
    log_p = _add(log_blank, log_label)
    real = log_p > IMPOSSIBLE / 2
    labels = ops.where(ops.expand_dims(real, -1), labels, blank)
    return labels, ops.where(real, lengths, 0), ops.where(real, log_p, -float("inf"))


def _one_frame(y, bonus, blank, lengths, ends, log_blank, log_label, is_prefix):
    """Scores of each prefix extended by each label, and of the unchanged prefix.

    Returns:
        Log-probabilities of the extended prefixes (B, N, V), and of the unchanged prefixes that end
        in a blank (B, N) and in a label (B, N).
    """
    y = ops.expand_dims(y, 1)
    total = _add(log_blank, log_label)
    is_end = ops.equal(ops.expand_dims(ends, -1), ops.arange(y.shape[-1], dtype="int32"))
    # Repeating a label requires a blank in between.
    longer = ops.where(is_end, ops.expand_dims(log_blank, -1), ops.expand_dims(total, -1))
    longer = longer + y + bonus
    y_end = ops.take_along_axis(y, ops.expand_dims(ends, -1), axis=-1)
    log_label = log_label + ops.squeeze(y_end, -1)

    # If prefix i extended by one label equals prefix j, its probability is added to that of j.
    # Invalid beams are never such a j.
    child = ops.equal(ops.expand_dims(lengths, 1), ops.expand_dims(lengths, 2) + 1)
    child = ops.logical_and(child, is_prefix)
    child = ops.logical_and(child, ops.expand_dims(total > IMPOSSIBLE / 2, 1))
    into_child = ops.take_along_axis(longer, ops.expand_dims(ends, 1), axis=-1)
    into_child = ops.max(ops.where(child, into_child, IMPOSSIBLE), axis=1)  # from its one parent
    taken = ops.matmul(ops.cast(child, "float32"), ops.cast(is_end, "float32")) > 0
    longer = ops.where(taken, IMPOSSIBLE, longer)
    return longer, total + y[:, :, blank], _add(log_label, into_child)


def _still_prefix(is_prefix, parents, prefixes, lengths, ends):
    """Whether prefix i is a prefix of prefix j (B, N, N), from whether their parents were.

    It is, if i's parent was a prefix of j's parent and j continues with the last label of i.
    """
    both = ops.take_along_axis(is_prefix, ops.expand_dims(parents, 2), axis=1)
    both = ops.take_along_axis(both, ops.expand_dims(parents, 1), axis=2)
    last = ops.expand_dims(ops.maximum(lengths - 1, 0), 1)
    of_j = ops.transpose(ops.take_along_axis(prefixes, last, axis=2), (0, 2, 1))
    agree = ops.equal(of_j, ops.expand_dims(ends, 2))
    empty = ops.expand_dims(ops.equal(lengths, 0), 2)
    return ops.logical_and(both, ops.logical_or(agree, empty))


def _take(x, parents):
    return ops.take_along_axis(x, parents, axis=1)


def _add(a, b):
    """Log of the sum of two numbers given by their logarithms (log-sum-exp)."""
    top = ops.maximum(a, b)
    return top + ops.log(ops.exp(a - top) + ops.exp(b - top))
