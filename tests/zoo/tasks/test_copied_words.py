"""Unknown words of a generated text are those of the source that have the most attention."""

import numpy as np
import pytest

import zoo
from tests.zoo.tasks.small_task import make_pairs, make_task
from zoo.errors import UserError
from zoo.tasks.answers.copied_words import CopiedWords
from zoo.text.cased_words import joined, words_of

NAMES = [f"{a}{b}" for a in ("Ka", "Lo", "Mi", "Ne") for b in ("ra", "sto", "tu", "vin", "xel")]
KNOWN = ["the", "dog", "sees", "a", "hat"]


def pairs(count=200, seed=3):
    """Sentences with names, most of which are rare, and the same."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        words = random.choice(KNOWN, random.integers(2, 5)).tolist()
        words.insert(random.integers(len(words) + 1), str(random.choice(NAMES)))
        rows.append((" ".join(words) + ".",) * 2)
    return rows


@pytest.fixture(scope="module")
def task():
    task = zoo.TextToText(
        "attention_seq2seq", "tiny", units=31, embedding_dim=23, tokenizer="cased-words",
        vocabulary_size=4 + len(KNOWN) + 1, max_source_length=11, max_target_length=11,
    )  # fmt: skip
    task.adapt(pairs())
    how = {"learning_rate": 0.01, "warmup": 10, "xla": False, "verbose": False}
    task.fit(pairs(), epochs=12, batch_tokens=150, **how)
    return task


SOURCES = ["the dog Kara sees.", "Karxel!", "Losto sees a hat Mitu.", "the hat.", ""]


def test_each_unknown_word_is_the_source_word_of_the_largest_weight(task):
    written = task.predict(SOURCES, replace_unknown=True)
    replaced = 0
    for source, text in zip(SOURCES, written, strict=True):
        words = words_of(source)
        (features,) = task.preprocessor(text=[source])["token_ids"].numpy()
        ids = task.generate_ids(features[None])[0]
        ids = ids[ids != task.special_tokens.pad]
        maps = task.attention(source)
        weights = np.mean([each.weights.mean(axis=0) for each in maps], axis=0)
        best = weights[:, : len(words)].argmax(axis=1) if words else []
        expected = []
        for place, number in enumerate(ids):
            if number == task.special_tokens.unknown and words:
                expected.append(words[best[place]])
                replaced += 1
            elif number not in task.special_tokens.invisible:
                expected.append(task.tokenizer.vocabulary[number])
        assert text == joined(expected)
    assert replaced >= 3


def test_names_are_copied(task):
    """What the model has learned: more outputs equal their source with names than without."""
    rows = pairs(60, seed=5)
    plain, copied = (
        task.evaluate(rows, replace_unknown=each)["exact_match"] for each in (False, True)
    )
    assert plain == 0 and copied > 0.15
    written = task.predict([source for source, _ in rows], replace_unknown=True)
    share = np.mean([text == target for text, (_, target) in zip(written, rows, strict=True)])
    assert abs(share - copied) < 1e-9


def test_beams_and_batches_change_no_replacement(task):
    sources = [source for source, _ in pairs(17, seed=7)]
    one_by_one = [task.predict([each], replace_unknown=True)[0] for each in sources]
    assert task.predict(sources, replace_unknown=True, batch_size=5) == one_by_one
    assert len(task.predict(sources, replace_unknown=True, beams=3)) == 17


def test_refused_where_nothing_can_be_replaced(task):
    with pytest.raises(UserError, match="candidates has no option 'replace_unknown'"):
        task.candidates(SOURCES, replace_unknown=True)
    with pytest.raises(UserError, match="generate_ids has no option 'replace_unknown'"):
        task.generate_ids(np.zeros((1, 3), "int32"), replace_unknown=True)
    other = make_task()
    other.adapt(make_pairs())
    with pytest.raises(UserError, match="needs tokenizer cased-words, .* has wordpiece"):
        other.predict(["one"], replace_unknown=True)
    blind = zoo.TextToText("rnn_seq2seq", "tiny", tokenizer="cased-words", vocabulary_size=20)
    blind.adapt(pairs())
    with pytest.raises(UserError, match="needs attention to the source, which rnn_seq2seq"):
        blind.predict(["one"], replace_unknown=True)
    assert isinstance(task.parts.answer.write, CopiedWords)
