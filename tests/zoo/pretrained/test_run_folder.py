"""A run folder begins another task: its vocabulary and the layers that both models have."""

import numpy as np
import pytest
from keras import ops

import zoo
from tests.zoo.pretrained.features import ids_of, inputs_of
from tests.zoo.tasks.small_task import make_pairs
from zoo.errors import UserError
from zoo.preprocessing.model_inputs import teacher_forcing

TEXTS = ["to be, or not to be. that is the question.", "to sleep. perchance to dream."] * 3
SIZES = {"num_layers": 1, "hidden_dim": 12, "num_heads": 2, "intermediate_dim": 13, "dropout": 0.0}
ROWS = [("to be or not", "be"), ("to sleep to dream", "sleep")] * 8
PAIRS = make_pairs()
SOURCES = [source for source, _ in PAIRS[:5]]


def saved(task, data, folder):
    """As of a training: all weights drawn anew."""
    task.adapt(data)
    for number, weight in enumerate(task.model.trainable_weights):
        drawn = 0.3 * np.random.default_rng(number).normal(size=weight.shape)
        weight.assign(drawn + (1.0 if "gamma" in weight.path else 0.0))
    task.save(folder)
    return task


@pytest.fixture(scope="module")
def denoising(tmp_path_factory):
    folder = tmp_path_factory.mktemp("denoising")
    words = [" ".join(pair) for pair in PAIRS]
    return saved(zoo.Denoising(max_length=9, vocabulary_size=60, **SIZES), words, folder), folder


@pytest.fixture(scope="module")
def masked_lm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("masked")
    task = zoo.MaskedLM(max_length=17, vocabulary_size=60, whole_words=True, **SIZES)
    return saved(task, TEXTS, folder), folder


def memory_of(task, texts):
    ids = ids_of(task, texts)
    return ops.convert_to_numpy(task.model.encode(inputs_of(task, ids))["sequence"])


def sequence_of(task, texts, output):
    """An output of the model, or of its backbone."""
    ids = ids_of(task, texts)
    model = task.model if output in task.model.output else task.model.backbone
    actual = model(inputs_of(task, ids))
    return ops.convert_to_numpy(actual[output])


def logits_of(task):
    source = ids_of(task, SOURCES)
    x = teacher_forcing(source, source[:, ::-1])
    actual = task.model({name: ops.convert_to_tensor(value) for name, value in x.items()})
    return ops.convert_to_numpy(actual["logits"])


@pytest.mark.long
def test_text_to_text_goes_on_from_denoising(denoising, monkeypatch):
    before, folder = denoising
    task = zoo.from_pretrained(folder, task="text-to-text", max_target_length=5)
    assert (task.settings.max_source_length, task.settings.max_target_length) == (9, 5)
    assert task.model.max_sequence_length == 9
    memory, logits = memory_of(before, SOURCES), logits_of(before)
    assert memory.std() > 0.1 and logits.std() > 0.1
    # Its vocabulary is kept, and nothing drawn anew, where it sees data.
    for data in (PAIRS, [("other words", "ANDERE WÖRTER")]):
        np.testing.assert_array_equal(memory_of(task, SOURCES), memory)
        np.testing.assert_array_equal(logits_of(task), logits)
        task.adapt(data)
        assert task.tokenizer.vocabulary == before.tokenizer.vocabulary
        assert task.examples == {"text": [source for source, _ in data[:8]]}

    monkeypatch.setattr("zoo.tasks.training_run.train", lambda model, data, *_: data.notes)
    origin, *of_data = task.fit(PAIRS)
    assert origin.startswith(f"layers with the weights of {folder} (denoising): embedding, ")
    assert (
        origin.endswith("encoder_0, decoder_0, logits_bias; layers with random weights: none")
        and len(of_data) == 3
    )


def test_fewer_positions_are_the_first_ones(denoising):
    before, folder = denoising
    limits = {"max_sequence_length": 7, "max_source_length": 6, "max_target_length": 7}
    task = zoo.from_pretrained(folder, "text-to-text", **limits)
    assert task.model.max_sequence_length == 7
    np.testing.assert_array_equal(memory_of(task, ["one"]), memory_of(before, ["one"]))
    with pytest.raises(UserError, match="targets of 9 tokens exceed the 7 positions"):
        zoo.from_pretrained(folder, "text-to-text", max_sequence_length=7)


@pytest.mark.thorough
def test_a_classifier_goes_on_from_masks(masked_lm):
    before, folder = masked_lm
    task = zoo.from_pretrained(folder, task="text-classifier")
    task.adapt(ROWS)
    texts = [text for text, _ in ROWS[:2]]
    pooled = sequence_of(before, texts, "pooled")
    kernel, bias = (ops.convert_to_numpy(weight) for weight in task.model.head.weights)
    actual = sequence_of(task, texts, "logits")
    np.testing.assert_allclose(actual, pooled @ kernel + bias, atol=1e-5)
    assert task.origin[0].endswith(
        "pooler; layers with random weights: logits"
    ) and task.labels == ["be", "sleep"]
    task.fit(ROWS, epochs=12, learning_rate=0.01, xla=False, verbose=False)
    assert task.evaluate(ROWS)["accuracy"] == 1


@pytest.mark.thorough
def test_several_tasks_go_on_from_masks(masked_lm):
    before, folder = masked_lm
    task = zoo.from_pretrained(folder, task="multi-task")
    task.adapt({"verbs": ROWS, "others": ROWS})
    shared, new = task.origin[0].split("; layers with random weights: ")
    assert shared.endswith("pooler") and set(new.split(", ")) == {"verbs_logits", "others_logits"}
    actual = sequence_of(task.single_task("verbs"), ["to be"], "logits")
    kernel, bias = (ops.convert_to_numpy(weight) for weight in task.model.heads["verbs"].weights)
    pooled = sequence_of(before, ["to be"], "pooled")
    np.testing.assert_allclose(actual, pooled @ kernel + bias, atol=1e-5)


@pytest.mark.thorough
def test_a_tagger_goes_on_from_masks(masked_lm):
    before, folder = masked_lm
    task = zoo.from_pretrained(folder, task="token-tagger")
    task.adapt([(["to", "be"], ["O", "B-VERB"])])
    assert task.origin[0].endswith(
        "block_0, pooler; layers with random weights: logits"
    ) and task.labels == [
        "B-VERB",
        "O",
    ]
    sequence = sequence_of(before, ["to be"], "sequence")
    kernel, bias = (ops.convert_to_numpy(weight) for weight in task.model.head.weights)
    actual = sequence_of(task, ["to be"], "logits")
    np.testing.assert_allclose(actual, sequence @ kernel + bias, atol=1e-5)


@pytest.mark.thorough
def test_an_embedder_goes_on_from_masks(masked_lm):
    before, folder = masked_lm
    task = zoo.from_pretrained(folder, "text-embedder", normalize=False, pooling="cls")
    texts = ["to be", "perchance to dream or not"]
    expected = sequence_of(before, texts, "sequence")[:, 0]
    np.testing.assert_allclose(task.embed(texts), expected, atol=1e-5)


@pytest.mark.thorough
def test_the_same_task_goes_on_on_other_data(tmp_path):
    sizes = {"max_length": 16, "max_new_tokens": 4, **SIZES}
    before = saved(zoo.CausalLM(**sizes), TEXTS, tmp_path)
    task = zoo.from_pretrained(tmp_path, dropout=0.5)
    task.adapt(["something else"])
    assert isinstance(task, zoo.CausalLM) and task.model_options["dropout"] == 0.5
    assert task.tokenizer.vocabulary == before.tokenizer.vocabulary
    assert task.predict(["to "]) == before.predict(["to "]) != [""]


@pytest.mark.long
def test_translation_and_plain_text_go_on_from_one_another(tmp_path):
    words = [" ".join(pair) for pair in PAIRS]
    sizes = {"max_length": 16, "max_new_tokens": 4, **SIZES}
    before = saved(zoo.CausalLM(tokenizer="wordpiece", **sizes), words, tmp_path / "words")
    task = zoo.from_pretrained(tmp_path / "words", task="text-to-text")
    assert task.settings.model == "prefix_gpt" and task.model.max_sequence_length == 16
    assert (task.settings.max_source_length, task.settings.max_target_length) == (8, 8)
    task.adapt(PAIRS)
    assert task.origin[0].endswith("positions, block_0, norm; layers with random weights: none")
    for old, new in zip(before.model.weights, task.model.weights, strict=True):
        np.testing.assert_array_equal(old, new)
    assert set(task.predict(SOURCES)) != {""}
    with pytest.raises(UserError, match="of 9 tokens and targets of 8 tokens exceed the 16 pos"):
        zoo.from_pretrained(tmp_path / "words", "text-to-text", max_source_length=9)
    task.save(tmp_path / "pairs")
    back = zoo.from_pretrained(tmp_path / "pairs", task="causal-lm", max_new_tokens=4)
    assert back.settings.model == "gpt" and back.predict(["one "]) == before.predict(["one "])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "chess"}, "unknown task 'chess'; choose from text-to-text"),
        ({"task": "text-classifier"}, "unknown model 'bart' for text-classifier"),
        ({"hidden_dim": 16}, r"embedding has weights of shape \(\d+, 12\), expected \(\d+, 16\)"),
        (
            {"max_sequence_length": 11},
            r"positions has weights of shape \(9, 12\), expected",
        ),
    ],
)
def test_what_does_not_fit_is_named(denoising, options, message):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(denoising[1], **options)


def test_masks_need_a_vocabulary_that_has_them(tmp_path):
    sizes = {"max_source_length": 9, "max_target_length": 5, "vocabulary_size": 60, **SIZES}
    saved(zoo.TextToText("bart", **sizes), PAIRS, tmp_path)
    with pytest.raises(UserError, match=r"has no \[MASK\], which denoising needs"):
        zoo.from_pretrained(tmp_path, "denoising")
