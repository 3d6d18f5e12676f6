"""Words get their tags, however they are cut into pieces and parts; the file says the same."""

import ai_edge_litert  # noqa: F401  fails here, not in a process that verifies
import numpy as np
import pytest
import tensorflow as tf

import export
import zoo
from zoo.data.chunks import chunks_of
from zoo.data.tagged import read_tagged
from zoo.errors import DataError, UserError
from zoo.tasks.tag_scores import score_tags, spans_of
from zoo.tasks.tag_serving import words_as_ids
from zoo.text import train_tokenizer

CONLL = """-DOCSTART- -X- -X- O

Ann NNP B-NP B-PER
Lee NNP I-NP I-PER
sings VBZ B-VP O

rain\tNN\tO
in\tIN\tO
Rome\tNNP\tB-LOC
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    file = tmp_path_factory.mktemp("data") / "train.conll"
    file.write_text(CONLL)
    return file


@pytest.fixture(scope="module")
def task(rows):
    task = zoo.TokenTagger(
        "bert", "tiny", hidden_dim=16, num_heads=2, intermediate_dim=16, num_layers=1,
        max_length=11,
        vocabulary_size=40, dropout=0.0, attention_dropout=0.0,
    )  # fmt: skip
    task.adapt(rows)
    task.fit(rows, rows, epochs=25, learning_rate=0.02, xla=False, verbose=False)
    return task


def test_tags_are_learned(task, rows):
    assert task.labels == ["B-LOC", "B-PER", "I-PER", "O"]
    perfect = {"accuracy": 1.0, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert task.evaluate(rows) == perfect
    assert task.predict(["Ann Lee  sings"]) == [
        [("Ann", "B-PER"), ("Lee", "I-PER"), ("sings", "O")]
    ]
    assert task.predict([["rain", "in", "Rome"], []])[1] == []


def test_a_long_text_is_read_in_parts_and_every_word_has_a_tag(task):
    words = ["rain", "in", "Rome"] * 9
    (found,) = task.predict([" ".join(words)])
    assert [word for word, _ in found] == words
    assert {tag for _, tag in found} <= set(task.labels)


def test_it_is_saved_and_loaded(task, tmp_path):
    task.save(tmp_path)
    again = zoo.load(tmp_path)
    assert again.labels == task.labels
    assert again.predict(["Ann in Rome"]) == task.predict(["Ann in Rome"])


@pytest.mark.thorough
def test_the_file_gives_the_same_tags(task, rows, tmp_path):
    export.saved_model(task, tmp_path / "served")
    serve = tf.saved_model.load(tmp_path / "served/1").signatures["serving_default"]
    texts = ["Ann Lee sings", "rain in  Rome", "", "Rome"]
    found = serve(text=tf.constant(texts))["text"].numpy()
    expected = [" ".join(tag for _, tag in words) for words in task.predict(texts)]
    assert [text.decode() for text in found] == expected

    def predict(texts):
        return [text.decode() for text in serve(text=tf.constant(texts))["text"].numpy()]

    assert task.score_predictions(predict, rows)["f1"] == 1.0
    export.litert(task, tmp_path / "tags.tflite")
    with pytest.raises(UserError, match="LiteRT cannot tell where words begin"):
        task.signatures(strings=True, litert=True)


@pytest.mark.parametrize("kind", ["wordpiece", "characters"])
def test_the_graph_finds_words_as_python_does(kind):
    texts = ["a red hut", "hut", "", "red \x07 red", "a red hut a red hut"]
    tokenizer = train_tokenizer(kind, texts, 20)
    ids, firsts = words_as_ids(tf.constant(texts), tokenizer, limit=9)
    chunks = [
        chunk
        for chunk in chunks_of([text.split() for text in texts], tokenizer, limit=9)
        if chunk.begin == 0
    ]
    assert ids[2].numpy()[:2].tolist() == [2, 3] and firsts[2].shape == (0,)
    for chunk in chunks:
        row, places = ids[chunk.sentence].numpy(), firsts[chunk.sentence].numpy()
        whole = len(chunk.ids) - 1  # without the end token, where the graph may have more of a word
        np.testing.assert_array_equal(row[:whole], chunk.ids[:whole])
        np.testing.assert_array_equal(places[: len(chunk.firsts)], chunk.firsts)
        assert (places < 8).all()


def test_chunks_hold_every_word_once():
    tokenizer = train_tokenizer("characters", ["abc"], 20)
    sentences = [["ab", "c"] * 7, ["abcabcabcabc", "a"], ["b"]]
    chunks = chunks_of(sentences, tokenizer, limit=8)
    for number, words in enumerate(sentences):
        parts = [chunk for chunk in chunks if chunk.sentence == number]
        begins = np.cumsum([0] + [len(part.firsts) for part in parts])
        assert [part.begin for part in parts] == begins[:-1].tolist()
        assert begins[-1] == len(words)
    assert all(len(chunk.ids) <= 8 for chunk in chunks)


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


def test_files_are_read_and_mistakes_named(task, rows, tmp_path):
    assert str(read_tagged(rows)).endswith("2 sentences, 6 words with 4 tags")
    (tmp_path / "bad.conll").write_text("Ann B-PER\nLee\n")
    with pytest.raises(DataError, match=r"bad.conll:2: expected a word and its tag"):
        read_tagged(tmp_path / "bad.conll")
    (tmp_path / "empty.conll").write_text("\n\n#nothing\n")
    with pytest.raises(UserError, match="empty.conll holds no words with tags"):
        read_tagged(tmp_path / "empty.conll")
    with pytest.raises(DataError, match="2 words have 1 tags"):
        read_tagged([(["a", "b"], ["O"])])
    for sentence, reason in (
        ((["a"], [None]), "a tag is empty or no text"),
        ((["a", " "], ["O", "O"]), "a word is empty or no text"),
        ((["a"],), "expected words and tags, found 1 lists"),
    ):
        with pytest.raises(DataError, match=f"^sentences in memory:2: {reason}$"):
            read_tagged([(["a"], ["O"]), sentence])
    with pytest.raises(UserError, match="has the tag 'X'; this task knows B-LOC, B-PER, I-PER, O"):
        task.fit([(["a"], ["X"])])
    with pytest.raises(UserError, match="has one tag only, 'O'"):
        zoo.TokenTagger().adapt([(["a"], ["O"])])
    with pytest.raises(UserError, match=r"labels must name two at least, got \[\]"):
        zoo.TokenTagger(labels=[]).adapt(rows)


def test_sentences_without_words_are_counted():
    found = read_tagged([([], []), (["Ann", "sings"], ["B-PER", "O"]), ((), ())])
    assert found.words == [["Ann", "sings"]]
    assert str(found).endswith("2 words with 2 tags; 2 sentences without words skipped")
