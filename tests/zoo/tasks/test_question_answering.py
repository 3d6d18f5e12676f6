"""Question answering finds parts of passages, however long these are and whatever they hold."""

import random
import re

import numpy as np
import pytest

import zoo
from zoo.data.batching.spans import answered_columns
from zoo.errors import UserError
from zoo.preprocessing.passages import WORD_BEGINS, WORD_ENDS, PassagePreprocessor
from zoo.text import train_tokenizer
from zoo.text.bert_wordpiece import BertWordPieceTokenizer
from zoo.text.programs.windows import WindowSizes

HOW = {"xla": False, "verbose": False}
SMALL = {"hidden_dim": 16, "num_heads": 2, "intermediate_dim": 16, "vocabulary_size": 99}
TOWNS = ("Köln", "Zürich", "Rome", "Łódź")
PEOPLE = ("Ann", "Bob", "Eve")


def rows(seed=0, count=60, none=False):
    """Questions whose answer is the only town of a passage, with other words around it."""
    chance, made = random.Random(seed), []
    for number in range(count):
        town, filling = chance.choice(TOWNS), [chance.choice(PEOPLE) for _ in range(4)]
        place = chance.randrange(5)
        there = not none or number % 3
        words = [*filling[:place], *([town + ","] if there else []), *filling[place:]]
        made.append(("Which town?", " ".join(words), town if there else ""))
    return made


@pytest.fixture(scope="module")
def task():
    made = zoo.QuestionAnswering(**SMALL, max_length=15, max_question_length=4, stride=4)
    made.fit(rows(), epochs=25, learning_rate=0.01, **HOW)
    return made


def test_it_learns_and_beats_its_baselines(task):
    scores = task.evaluate(rows(seed=1))
    assert scores["exact_match"] > 0.95 > scores["frequent_exact_match"]
    assert scores["f1"] > 0.95 > scores["nearest_f1"]
    assert not task.settings.no_answer


def test_places_are_those_of_characters(task):
    passages = [
        "🙂 Ann\r\n\tEve «Łódź» Bob",
        "Rome Rome",
        "Ann Eve " * 9 + "Zu\u0308rich. " + "Bob " * 30,
    ]
    found = task.predict([("Which town?", passage) for passage in passages])
    assert found[0]["text"] == "Łódź" and found[0]["start"] == passages[0].index("Łódź")
    assert found[1]["text"] == "Rome"
    for passage, each in zip(passages, found, strict=True):
        assert passage[each["start"] : each["end"]] == each["text"]
        assert 0 < each["score"] <= 1


def test_long_passages_are_read_in_windows(task):
    head, tail = "Ann Bob Eve " * 40, " Eve" * 50
    (found,) = task.predict([("Which town?", head + "Köln" + tail)])
    assert found["text"] == "Köln" and found["start"] == len(head)
    assert task.predict([("Which town?", " ")]) == [
        {"text": "", "score": 0.0, "start": 0, "end": 0}
    ]


@pytest.mark.thorough
def test_a_passage_may_have_no_answer(tmp_path):
    made = zoo.QuestionAnswering(**SMALL, max_length=15, max_question_length=4, stride=4)
    made.fit(rows(none=True), epochs=25, learning_rate=0.01, **HOW)
    assert made.settings.no_answer
    scores = made.evaluate(rows(seed=1, none=True))
    assert scores["unanswered_accuracy"] > 0.9 and scores["answered_f1"] > 0.9
    none, some = made.predict(
        [("Which town?", "Ann Bob Ann Eve"), ("Which town?", "Ann Köln Bob Eve")]
    )
    assert none["text"] == "" and none["score"] > 0.5 and some["text"] == "Köln"
    made.save(tmp_path / "run")
    again = zoo.load(tmp_path / "run").predict([("Which town?", "Ann Köln Bob Eve")])
    assert again == [some]


def oracle_windows(question, passage, sizes):
    """The windows of token ids of lists, in Python."""
    question = question[: sizes.question]
    room, begin, made = sizes.length - 3 - len(question), 0, []
    while True:
        made.append([2, *question, 3, *passage[begin : begin + room], 3])
        if begin + room >= len(passage):
            return made
        begin += sizes.stride


THOROUGH = [pytest.param(each, marks=pytest.mark.thorough) for each in ("words", "characters")]


@pytest.mark.parametrize("kind", ["wordpiece", "sentencepiece", "bytes", *THOROUGH])
def test_windows_and_words_of_every_tokenizer(kind):
    """Strings and bytes give the same; words have no spaces, and no punctuation beside letters."""
    texts = [
        "Where is Köln?",
        "a" * 40,
        "¿Dónde está? 你好 «été» it's 5,000 €.\r\nΑ\u0301 \u200b🙂🙂",
        "",
        " \t",
    ]
    tokenizer = train_tokenizer(kind, texts, 300)
    sizes = WindowSizes(17, 5, 3)
    read = PassagePreprocessor(tokenizer, sizes)
    pairs = [(a, b) for a in texts for b in texts]
    columns = {"question": [a for a, _ in pairs], "passage": [b for _, b in pairs]}
    features, _ = read.measure(columns)
    in_graph = read(**{name: np.array(x, object) for name, x in columns.items()})
    for name in ("token_ids", WORD_BEGINS, WORD_ENDS):
        np.testing.assert_array_equal(in_graph[name], features[name])
    for row, (_, passage) in enumerate(pairs):
        for window in range(features["token_ids"].shape[1]):
            ids = features["token_ids"][row, window]
            begins, ends = (features[name][row, window] for name in (WORD_BEGINS, WORD_ENDS))
            assert ((begins >= 0) == (ends > begins)).all()
            assert (begins[ids == tokenizer.special_tokens.pad] == -1).all()
            for begin, end in {*zip(begins[begins >= 0], ends[begins >= 0], strict=True)}:
                part = passage.encode()[begin:end].decode()
                assert not re.search(r"\s", part) and part
                assert len(part) == 1 or not re.search(r"[«»?,.€']", part), part


def test_ids_are_those_of_hugging_face():
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "what",
        "##s",
        "koln",
        "is",
        "a",
        "##b",
        "in",
        "5",
    ]
    vocabulary += [*".,?'«»", "你", "好"]
    reference = tokenizers.BertWordPieceTokenizer(dict(zip(vocabulary, range(99), strict=False)))
    sizes = WindowSizes(12, 4, 3)
    read = PassagePreprocessor(BertWordPieceTokenizer(vocabulary), sizes)
    passage = "Köln's «a ab» IS in 你好, 5\u2009KO\u0308LN?\r\n" * 3
    question = "What's is in?"
    asked, given = (reference.encode(x, add_special_tokens=False) for x in (question, passage))
    features, _ = read.measure({"question": [question], "passage": [passage]})
    expected = oracle_windows(asked.ids, given.ids, sizes)
    actual = [[i for i in ids if i] for ids in features["token_ids"][0].tolist()]
    assert actual == expected
    # Tokens are inside their words, as those of Hugging Face are.
    start = 0
    for window, ids in enumerate(actual):
        for place in range(len(ids) - 7):
            token, at = window * 3 + place, place + 6
            if at >= len(ids) - 1:
                break
            begin, end = given.offsets[token]
            first, last = (len(passage[:n].encode()) for n in (begin, end))
            assert features[WORD_BEGINS][0, window, at] <= first
            assert last <= features[WORD_ENDS][0, window, at]
            start += 1
    assert start > 40


def test_what_is_learned_of_windows():
    tokenizer = train_tokenizer("words", ["who is in rome bonn now ?"], 99)
    read = PassagePreprocessor(tokenizer, WindowSizes(9, 2, 2))
    task = zoo.QuestionAnswering()
    examples = task.read([("who ?", "a a a in rome now a a", "in rome")])
    columns = answered_columns(read, examples).columns
    flags = [columns["labels"][row].tolist() for row in range(3)]
    assert flags == [
        [3, -1, -1, -1, 0, 0, 0, 0, -1],  # a a a in: the answer goes on in the next window
        [0, -1, -1, -1, 0, 1, 2, 0, -1],  # a in rome now
        [3, -1, -1, -1, 0, 0, 0, 0, -1],  # rome now a a
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_length": 20}, "max_length must be at least 195, for 64 tokens of a question, 3"),
        ({"tokenizer": "letters"}, "unknown tokenizer 'letters'"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(UserError, match=message):
        zoo.QuestionAnswering(**options).adapt(rows())


def test_inputs_are_checked(task):
    with pytest.raises(UserError, match="expected pairs of a question and a passage, got 'a'"):
        task.predict(["a"])
    with pytest.raises(UserError, match="has no answers: name their column with"):
        zoo.QuestionAnswering().adapt([("Who?", "Ann", "")])
