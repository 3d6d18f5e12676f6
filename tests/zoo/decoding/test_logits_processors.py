"""No output breaks the rules it is asked to keep, and what keeps them is still the best."""

import numpy as np
import pytest
from keras import ops

from tests.zoo.decoding.toy import END, PAD, START, VOCABULARY, Toy, inputs_of
from zoo.decoding.generate import generate
from zoo.decoding.logits_processors import LogitsProcessors

SOURCES = np.array([[4, 5, 1, END], [6, END, PAD, PAD], [1, 6, END, PAD]], "int32")
LONGEST = 9


def breaks(prefix, token, no_repeat_ngram=0, min_new_tokens=0, bad_words=()):
    """The rules, word by word as they are meant; the prefix has the start token."""
    whole = [*prefix, token]
    n = no_repeat_ngram
    runs = [tuple(whole[i : i + n]) for i in range(len(whole) - n + 1)] if n else []
    return (
        len(runs) != len(set(runs))
        or (token == END and len(prefix) - 1 < min_new_tokens)
        or any(whole[-len(word) :] == list(word) for word in bad_words)
    )


RULES = [
    {"no_repeat_ngram": 1},
    {"no_repeat_ngram": 2},
    {"no_repeat_ngram": 3},
    {"min_new_tokens": 5},
    {"bad_words": ((5,), (4, 6), (1, 4, 1))},
    {"no_repeat_ngram": 2, "min_new_tokens": 6, "bad_words": ((6,),)},
]


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_each_step_bans_what_would_break_a_rule_and_nothing_else(rules):
    rng = np.random.default_rng(3)
    ids = rng.integers(0, VOCABULARY, (13, LONGEST))
    banned = 0
    for index in range(LONGEST):
        actual = LogitsProcessors(**rules)(
            ops.zeros((13, VOCABULARY)), ops.convert_to_tensor(ids, "int32"), index, np.ones(13)
        )
        for row, line in zip(ids, ops.convert_to_numpy(actual), strict=True):
            expected = [breaks_now(row[: index + 1], t, **rules) for t in range(VOCABULARY)]
            assert (line < -1).tolist() == expected
            banned += sum(expected)
    assert banned


def breaks_now(prefix, token, no_repeat_ngram=0, **rules):
    """Random prefixes may hold repetitions already: what counts is the last run."""
    last = [*prefix, token][-no_repeat_ngram:]
    runs = [list(prefix[i : i + no_repeat_ngram]) for i in range(len(prefix) - no_repeat_ngram + 1)]
    repeats = bool(no_repeat_ngram) and len(last) == no_repeat_ngram and last in runs
    return repeats or breaks(prefix, token, **rules)


@pytest.mark.parametrize("rules", RULES[1:], ids=str)
def test_greedy_takes_the_best_that_keeps_the_rules(rules):
    toy = Toy(end=4.0 if "min_new_tokens" in rules else 0.0)
    actual = generate(toy, inputs_of(SOURCES), LONGEST, **rules)
    plain = generate(toy, inputs_of(SOURCES), LONGEST)
    changed = 0
    for row, source in enumerate(SOURCES):
        prefix = [START]
        while len(prefix) <= LONGEST and prefix[-1] != END:
            log_p = toy.log_p(source, prefix[1:])
            kept = [t for t in range(VOCABULARY) if not breaks(prefix, t, **rules)]
            prefix.append(max(kept, key=lambda token: log_p[token]))
        tokens = ops.convert_to_numpy(actual.token_ids)[row, 0]
        assert tokens[tokens != PAD].tolist() == prefix[1:]
        changed += (tokens != ops.convert_to_numpy(plain.token_ids)[row, 0]).any()
    assert changed


@pytest.mark.parametrize("options", [{"beams": 4}, {"temperature": 1.5, "seed": 7}], ids=str)
def test_every_way_of_generating_keeps_the_rules(options):
    rules = RULES[-1]
    actual = generate(Toy(), inputs_of(SOURCES), LONGEST, **options, **rules)
    ids, lengths = (ops.convert_to_numpy(x) for x in (actual.token_ids, actual.lengths))
    assert lengths[:, 0].min() > rules["min_new_tokens"]
    for output, length in zip(ids[:, 0], lengths[:, 0], strict=True):
        prefix = [START]
        for token in output[:length]:
            assert not breaks(prefix, token, **rules)
            prefix.append(token)


def test_mistakes_are_named():
    for rules, message in [
        ({"no_repeat_ngram": -1}, "no_repeat_ngram must be at least 0; received -1"),
        ({"bad_words": ((),)}, "words in bad_words must not be empty"),
        ({"min_new_tokens": 9}, "min_new_tokens must be below max_new_tokens, 9; received 9"),
    ]:
        with pytest.raises(ValueError, match=message):
            generate(Toy(), inputs_of(SOURCES), LONGEST, **rules)
