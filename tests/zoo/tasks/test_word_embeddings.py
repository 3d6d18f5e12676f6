"""Tasks that start from the word vectors of a file."""

import numpy as np
import pytest

import zoo
from zoo.errors import UserError

FILMS = [("a fine film", "good"), ("a dull film", "bad")] * 4
PAIRS = [("a film", "ein film"), ("fine", "gut")] * 4
VECTORS = "film 1 2 3 4 5\nfine 5 4 3 2 1\n"
FIT = {"epochs": 2, "xla": False, "verbose": False, "learning_rate": 0.1}
CLASSIFIER = {"units": 3, "tokenizer": "words"}


@pytest.fixture
def path(tmp_path):
    (tmp_path / "vectors.txt").write_text(VECTORS, "utf-8")
    return tmp_path / "vectors.txt"


def table(task):
    return np.array(task.model.layer_groups[0][0].embeddings)


def rows(task, *words):
    return table(task)[[task.tokenizer.vocabulary.index(word) for word in words]]


@pytest.mark.thorough(1)
@pytest.mark.parametrize("model", ["rnn_classifier", "han"])
def test_words_start_from_their_vectors(model, path, tmp_path):
    task = zoo.TextClassifier(model, embeddings=path, **CLASSIFIER)
    task.adapt(FILMS)
    places = {word: i for i, word in enumerate(task.tokenizer.vocabulary)}
    vectors = np.array([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])
    np.testing.assert_array_equal(rows(task, "film", "fine"), vectors)
    others = np.delete(table(task), [places[word] for word in ("film", "fine")], axis=0)
    assert 0.4 * vectors.std() < others.std() < 2.5 * vectors.std()
    history = task.fit(FILMS, **FIT, folder=tmp_path / "run")
    assert "embeddings: " in (tmp_path / "run" / "log.txt").read_text("utf-8") and history
    assert np.abs(rows(task, "film", "fine") - vectors).max() > 1e-3
    path.unlink()  # a run folder does not need it
    again = zoo.load(tmp_path / "run")
    np.testing.assert_array_equal(table(again), table(task))


@pytest.mark.long
def test_frozen_vectors_stay(path):
    task = zoo.TextClassifier("han", embeddings=path, **CLASSIFIER)
    task.adapt(FILMS)
    before = table(task)
    task.fit(FILMS, **FIT, freeze=1)
    np.testing.assert_array_equal(table(task), before)


@pytest.mark.thorough(1)
@pytest.mark.parametrize(
    ("model", "sizes"),
    [
        ("attention_seq2seq", {"units": 7}),
        ("rnn_seq2seq", {"units": 7, "share_embeddings": False}),
        ("conv_s2s", {"layers": [[7, 3]]}),
    ],
)
def test_encoder_decoders_start_from_vectors_on_both_sides(model, sizes, path):
    task = zoo.TextToText(model, embeddings=path, tokenizer="wordpiece", **sizes)
    task.adapt(PAIRS)
    place = task.tokenizer.vocabulary.index("film")
    (layers,) = task.model.layer_groups
    assert len(layers) == (1 if task.model.source_embedding is task.model.target_embedding else 2)
    for layer in layers:
        np.testing.assert_array_equal(np.array(layer.embeddings)[place], [1, 2, 3, 4, 5])
    before = [np.array(layer.embeddings) for layer in layers]
    task.fit(PAIRS, **FIT, freeze=1)
    for layer, expected in zip(layers, before, strict=True):
        np.testing.assert_array_equal(np.array(layer.embeddings), expected)


@pytest.mark.parametrize("model", ["rnn_tagger", "conv_tagger"])
def test_taggers_start_from_vectors(model, path, tmp_path):
    data = tmp_path / "data.conll"
    data.write_text("a\tO\nfine\tB-GOOD\nfilm\tO\n\nfilm\tO\n", "utf-8")
    task = zoo.TokenTagger(model, embeddings=path, tokenizer="words", units=3)
    task.adapt(data)
    np.testing.assert_array_equal(rows(task, "film"), [[1, 2, 3, 4, 5]])


def test_another_width_is_refused(path):
    task = zoo.TextClassifier("han", embeddings=path, embedding_dim=7)
    with pytest.raises(UserError, match="has vectors of 5 numbers, and embedding_dim is 7"):
        task.adapt(FILMS)


SMALL = {"num_layers": 1, "hidden_dim": 12, "num_heads": 2, "intermediate_dim": 7}


@pytest.mark.parametrize("width", [12, 5])
def test_bert_starts_from_vectors_of_any_width(width, tmp_path):
    vectors = np.random.default_rng(3).normal(2, 3, (2, width)).astype("float32")
    lines = (f"{w} {' '.join(map(str, v))}" for w, v in zip(("film", "fine"), vectors, strict=True))
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n", "utf-8")
    task = zoo.TextClassifier(
        "bert", embeddings=tmp_path / "vectors.txt", tokenizer="words", **SMALL
    )
    task.adapt(FILMS)
    assert task.model.backbone.embedding_size == width
    actual = embeddings(task)[[task.tokenizer.vocabulary.index(w) for w in ("film", "fine")]]
    ratio = actual / vectors
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-5)
    assert 0.01 < actual.std() < 0.03  # like positions, which are added: 0.02
    task.fit(FILMS, **FIT)
    assert np.abs(embeddings(task)).max() < 10


def embeddings(task):
    (layer,) = task.model.word_embeddings
    return np.array(layer.embeddings)


def test_a_transformer_starts_from_vectors_of_words_with_and_without_space(path):
    pairs = [("film, fine-film", "ein film")] * 4
    task = zoo.TextToText("transformer", embeddings=path, tokenizer="cased-words", **SMALL)
    task.adapt(pairs)
    table, vocabulary = embeddings(task), task.tokenizer.vocabulary
    assert table.shape[1] == task.model.embedding_size == 5
    film, fine = np.array([1, 2, 3, 4, 5.0]), np.array([5, 4, 3, 2, 1.0])
    for word, vector in (("▁film", film), ("film", film), ("▁fine", fine)):
        row = table[vocabulary.index(word)]
        np.testing.assert_allclose(row / row[2], vector / 3, rtol=1e-6)
    task.fit(pairs, **FIT)
    assert len(task.predict(["film"])) == 1


@pytest.mark.parametrize("tie", [False, True])
def test_a_recurrent_language_model_starts_from_vectors(tie, path):
    sizes = {"units": 7, "num_layers": 1, "tie_embeddings": tie}
    task = zoo.CausalLM("rnn_lm", embeddings=path, tokenizer="wordpiece", **sizes)
    task.adapt(["a fine film"] * 50)
    row = embeddings(task)[task.tokenizer.vocabulary.index("film")]
    np.testing.assert_allclose(row / row[0], [1, 2, 3, 4, 5], rtol=1e-6)
    assert (row[0] == 1) == (not tie)  # logits with large embeddings would begin large


@pytest.mark.parametrize("model", ["ngram_classifier"])
def test_a_model_of_another_kind_is_refused(model, path):
    message = f"{model} does not take word vectors .*; choose from rnn_classifier, han, bert"
    with pytest.raises(UserError, match=message):
        zoo.TextClassifier(model, embeddings=path)


def test_pretrained_models_have_embeddings_already(path, tmp_path):
    before = zoo.TextClassifier("rnn_classifier", embeddings=path, **CLASSIFIER)
    before.adapt(FILMS)
    before.save(tmp_path / "run")
    after = zoo.from_pretrained(tmp_path / "run", "text-classifier")
    after.adapt(FILMS)
    np.testing.assert_array_equal(table(after), table(before))
    again = zoo.from_pretrained(tmp_path / "run", "text-classifier", embeddings=path)
    with pytest.raises(UserError, match="embeddings cannot be combined with a pretrained model"):
        again.adapt(FILMS)
