"""Token taggers: a tag for every word, however words are split into tokens and parts."""

import numpy as np
import pytest

import zoo
from tests.scores import score_tags
from tests.zoo.tasks.stand_in import StandIn, scramble
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data.readers.spans import spans_of
from zoo.errors import UserError

CONLL = """-DOCSTART- -X- -X- O

Ann NNP B-NP B-PER
Lee NNP I-NP I-PER
sings VBZ B-VP O

rain\tNN\tO
in\tIN\tO
Rome\tNNP\tB-LOC
"""
SIZES = {
    "hidden_dim": 16,
    "num_heads": 2,
    "intermediate_dim": 16,
    "num_layers": 1,
    "max_length": 11,
    "vocabulary_size": 40,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    file = tmp_path_factory.mktemp("data") / "train.conll"
    file.write_text(CONLL)
    return file


@pytest.fixture(scope="module")
def task(rows):
    """One whose tags look random."""
    task = zoo.TokenTagger("bert", "tiny", **SIZES)
    task.adapt(rows)
    scramble(task.model)
    return task


@pytest.mark.long
def test_tags_are_learned(rows):
    task = zoo.TokenTagger("bert", "tiny", **SIZES)
    task.adapt(rows)
    history = task.fit(rows, rows, epochs=25, learning_rate=0.02, xla=False, verbose=False)
    assert history.monitor == "val_accuracy" and history.best_value == 1.0
    assert task.labels == ["B-LOC", "B-PER", "I-PER", "O"]
    perfect = {"accuracy": 1.0, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert perfect.items() <= task.evaluate(rows).items()
    assert task.predict(["Ann Lee  sings"]) == [
        [("Ann", "B-PER"), ("Lee", "I-PER"), ("sings", "O")]
    ]


def test_a_long_text_is_read_in_parts_and_every_word_has_its_tag(task):
    """Each part is read alone, as a text of its own."""
    words = ["rain", "in", "Rome", "Ann", "sings"] * 7
    (actual,) = task.predict([" ".join(words)], batch_size=3)
    assert [word for word, _ in actual] == words
    parts, _ = task.preprocessor.parts([words])
    assert len(parts) > 3
    assert actual == [pair for part in parts for pair in task.predict([part.words])[0]]
    assert len({tag for _, tag in actual}) > 1


def test_a_part_of_a_word_has_no_label(task):
    words = [["sings", "Rome"] * 4, ["Ann"]]
    tags = [["O", "B-LOC"] * 4, ["B-PER"]]
    examples = task.read(list(zip(words, tags, strict=True)))
    batches = task.batches(examples, task.Training(batch_tokens=23))
    seen = []
    for columns in batches.columns():
        ids, labels = columns["token_ids"], columns["labels"]
        assert (labels[ids < 4] == NO_LABEL).all()  # start, end, padding
        for row, chosen in zip(ids, labels != NO_LABEL, strict=True):
            if row.any():
                firsts = [task.tokenizer.vocabulary[i] for i in row[chosen]]
                assert not any(piece.startswith("##") for piece in firsts)
        seen += labels[labels != NO_LABEL].tolist()
    assert sorted(seen) == sorted(task.labels.index(tag) for row in tags for tag in row)
    assert any(len(task.tokenizer.tokenize([word])[0]) > 1 for word in words[0])


def test_a_batch_has_about_fifty_sentences_if_its_size_is_not_given(task):
    examples = task.read([(["Ann", "sings"], ["B-PER", "O"])] * 120)
    batches = task.batches(examples, task.Training(batch_tokens=None))
    assert [len(each["token_ids"]) for each in batches.columns()] == [50, 50, 50]
    assert sum((each["token_ids"] > 0).any(axis=1).sum() for each in batches.columns()) == 120


def test_scores_are_those_of_the_predictions(task):
    words = [["Ann", "in", "Rome"] * 6, ["rain"], ["Lee", "sings"]]
    tags = [["B-PER", "O", "B-LOC"] * 6, ["O"], ["B-PER", "I-PER"]]
    rows = list(zip(words, tags, strict=True))
    expected = score_tags(tags, [[tag for _, tag in row] for row in task.predict(words)])
    assert task.evaluate_artifact(StandIn(task), rows) == expected
    assert expected.items() <= task.evaluate(rows).items()


def test_spans_and_their_scores():
    # Two of the three spans given are right, of four.
    right = [["B-A", "I-A", "O", "B-B"], ["I-A", "B-A", "O"]]
    given = [["B-A", "I-A", "O", "B-A"], ["B-A", "O", "O"]]
    scores = score_tags(right, given)
    np.testing.assert_allclose(
        [scores[key] for key in ("accuracy", "precision", "recall", "f1")],
        [4 / 7, 2 / 3, 2 / 4, 4 / 7],
    )
    assert spans_of(["I-A", "I-B", "I-B", "O", "B-B", "I-A"]) == [
        ("A", 0, 1), ("B", 1, 3), ("B", 4, 5), ("A", 5, 6)
    ]  # fmt: skip
    assert score_tags([["NN", "VB"]], [["NN", "NN"]]) == {"accuracy": 0.5}


def test_mistakes_are_named(task, rows):
    with pytest.raises(UserError, match="has the tag 'X'; expected one of B-LOC, B-PER, I-PER, O"):
        task.fit([(["a"], ["X"])])
    with pytest.raises(UserError, match=r"labels must name at least two tags, got \[\]"):
        zoo.TokenTagger(labels=[]).adapt(rows)
    with pytest.raises(UserError, match="LiteRT cannot split text into words"):
        task.export_parts(text="strings", litert=True)


@pytest.mark.parametrize("tag", ["B PER", "B\tPER", "\x0bB"])
def test_a_tag_with_a_space_is_refused(tag):
    """Artifacts write spaces between the tags of a text."""
    with pytest.raises(zoo.UserError, match="the tag .* has a space"):
        zoo.TokenTagger("bert", "tiny", **SIZES).adapt([(["Ann", "sings"], [tag, "O"])])
