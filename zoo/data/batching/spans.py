"""Answered questions as columns of the token ids of windows, and where the answers are."""

import numpy as np

from zoo.data.batching.padded_columns import NO_LABEL, Column, Sequences
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.answers import AnsweredQuestions, Answers
from zoo.data_statistics import Statistics
from zoo.preprocessing.passages import WORD_BEGINS, WORD_ENDS, PassagePreprocessor

# Flags of a token that an answer may begin or end with; -1 of others.
ALLOWED, FIRST, LAST = 0, 1, 2
ROWS = 64  # number of questions that are tokenized at a time


def answered_columns(preprocessor: PassagePreprocessor, examples: AnsweredQuestions) -> Tokenized:
    """The columns `token_ids` and `labels`, a row for each window, and counts of unknown data.

    The labels are the flags of `zoo.training.spans.SpanLoss`. Of several answers, the first is
    learned; in a window without all of it, the first token.

    Source: Devlin et al. 2019, the authors' `run_squad.py`.

    Args:
        preprocessor: Converts questions and passages to windows.
        examples: The questions.
    """
    pad = preprocessor.tokenizer.special_tokens.pad
    ids: list[np.ndarray] = []
    flags: list[np.ndarray] = []
    statistics = Statistics()
    # Passages of similar length are tokenized together, and then put in their order.
    order = np.argsort([*map(len, examples.passages)], kind="stable")
    windows: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in order]
    for start in range(0, len(order), ROWS):
        rows = order[start : start + ROWS]
        inputs = {name: [texts[i] for i in rows] for name, texts in examples.inputs.items()}
        features, counts = preprocessor.measure(inputs)
        statistics.update(counts)
        of_rows = zip(
            rows, features["token_ids"], features[WORD_BEGINS], features[WORD_ENDS], strict=True
        )
        for row, token_ids, begins, ends in of_rows:
            passage, answers = examples.passages[row], examples.answers[row]
            labels = span_flags(begins, ends, passage, answers)
            sizes = (token_ids != pad).sum(axis=1)
            every = zip(token_ids, labels, sizes, strict=True)
            windows[row] = [(each[:size], label[:size]) for each, label, size in every if size]
    for of_row in windows:
        ids += [each for each, _ in of_row]
        flags += [each for _, each in of_row]
    columns: dict[str, Column] = {
        "token_ids": Sequences.of(ids, pad),
        "labels": Sequences.of(flags, NO_LABEL),
    }
    return Tokenized(columns, statistics)


def span_flags(begins: np.ndarray, ends: np.ndarray, passage: str, answers: Answers) -> np.ndarray:
    """The flags of the tokens of the windows of one passage, int32 (W, T).

    Args:
        begins: Number of bytes before the word of each token, (W, T); -1 of other tokens.
        ends: Number of bytes up to its end.
        passage: The passage.
        answers: The answers, of which the first counts.

    Example:
        >>> from zoo.data.readers.answers import Span
        >>> begins, ends = np.array([[-1, 0, 4, -1]]), np.array([[-1, 3, 9, -1]])
        >>> span_flags(begins, ends, "Ann sings", (Span("Ann", 0),)).tolist()
        [[0, 3, 0, -1]]
        >>> span_flags(begins, ends, "Ann sings", ()).tolist()
        [[3, 0, 0, -1]]
    """
    flags = np.where(begins >= 0, ALLOWED, NO_LABEL).astype(np.int32)
    flags[:, 0] = ALLOWED  # the start token
    within = np.zeros_like(flags, bool)
    if answers:
        start, end = (len(passage[:n].encode()) for n in (answers[0].start, answers[0].end))
        within = (begins >= 0) & (begins < end) & (ends > start)
    if within.any():
        first, last = begins[within].min(), ends[within].max()
    for window, inside in enumerate(within):
        where = np.flatnonzero(inside)
        whole = len(where) and begins[window, where[0]] == first and ends[window, where[-1]] == last
        one, other = (where[0], where[-1]) if whole else (0, 0)
        flags[window, one] += FIRST
        flags[window, other] += LAST
    return flags
