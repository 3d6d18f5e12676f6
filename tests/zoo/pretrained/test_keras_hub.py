"""Imports models of KerasHub, whose logits, tokens and generated texts must be the same."""

import json
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest

import export
import zoo
from tests.zoo.pretrained import tiny_keras_hub
from zoo.errors import UserError

pytestmark = pytest.mark.thorough  # KerasHub alone takes seconds to import
TEXTS = ["the huts! a man", "  the   hut ", "a.the 你hut é", "x" * 70, "12345 \n\n he's ünï", "\t"]
IDS = np.random.default_rng(5).integers(4, 259, (3, 11))
NEXT = np.random.default_rng(7).integers(4, 259, (3, 7))


@pytest.fixture(scope="module", params=["bert", "gpt2", "bart"])
def theirs(request):
    pytest.importorskip("keras_hub")
    return getattr(tiny_keras_hub, request.param)()


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    pytest.importorskip("keras_hub")
    actual = tmp_path_factory.mktemp("presets")
    for name in ("bert", "gpt2", "bart"):
        getattr(tiny_keras_hub, name)().save_to_preset(actual / name)
    return actual


def logits(task, theirs):
    """The logits of their model and of ours, for inputs with padding, without that of outputs."""
    real = np.arange(11) < np.array([[11], [5], [7]])
    if type(theirs).__name__ == "BartSeq2SeqLM":
        inputs = {"encoder_token_ids": IDS, "encoder_padding_mask": real}
        inputs |= {"decoder_token_ids": NEXT, "decoder_padding_mask": real[:, :7]}
        ours = {"source_ids": IDS, "source_mask": real}
        ours |= {"target_ids": NEXT, "target_mask": real[:, :7]}
        actual = theirs(inputs), task.model(ours)["logits"]
        return [np.asarray(each)[:, :5] for each in actual]
    if type(theirs).__name__ == "GPT2CausalLM":
        inputs = {"token_ids": IDS, "padding_mask": real}
        return [np.asarray(each)[:, :5] for each in (theirs(inputs), task.model(inputs)["logits"])]
    inputs = {
        "token_ids": IDS % 16,
        "padding_mask": real,
        "segment_ids": (IDS > 99).astype("int32"),
    }
    return [np.asarray(each) for each in (theirs(inputs), task.model(inputs)["logits"])]


def test_logits_and_tokens(theirs):
    task = zoo.from_pretrained(theirs)
    expected, actual = logits(task, theirs)
    assert np.abs(expected).max() > 1
    np.testing.assert_allclose(actual, expected, atol=1e-4)
    for text in TEXTS:
        ids = np.array(theirs.preprocessor.tokenizer(text)).tolist()
        assert task.tokenizer.tokenize([text]).to_list()[0] == ids, text


def test_classes(theirs):
    if type(theirs).__name__ != "BertTextClassifier":
        pytest.skip("classifiers only")
    texts = [text for text in TEXTS if len(text) < 30]
    head = theirs.output_dense.bias
    head.assign(head - theirs.predict(texts, verbose=0).mean(axis=0))  # so that classes differ
    expected = np.argmax(theirs.predict(texts, verbose=0), axis=-1)
    assert len(set(expected.tolist())) > 1
    assert zoo.from_pretrained(theirs).predict(texts) == [f"LABEL_{each}" for each in expected]


def continued(theirs, prompt, count):
    """The greedy continuation of a prompt, without the start token of KerasHub's preprocessor."""
    preprocessor = theirs.preprocessor
    ids = np.array(preprocessor.tokenizer(prompt))[None]
    padded = np.pad(ids, ((0, 0), (0, count)))
    inputs = {"token_ids": padded, "padding_mask": np.arange(padded.shape[1])[None] < ids.shape[1]}
    theirs.preprocessor = None
    try:
        actual = np.asarray(theirs.generate(inputs, stop_token_ids=None)["token_ids"])
    finally:
        theirs.preprocessor = preprocessor
    return preprocessor.tokenizer.detokenize(actual[0, ids.shape[1] :])


PROMPTS = ["the hut", "a man", "he!"]


def generated(theirs):
    """What their model writes for the prompts, and the options with which ours does."""
    if type(theirs).__name__ == "BertTextClassifier":
        pytest.skip("classifiers do not generate")
    theirs.compile(sampler="greedy")
    if type(theirs).__name__ == "GPT2CausalLM":
        texts, options = [continued(theirs, each, 9) for each in PROMPTS], {"max_new_tokens": 9}
    else:  # two start tokens, of which ours counts the second, which is forced
        texts = theirs.generate(PROMPTS, max_length=2 + 9)
        options = {"beams": 1, "max_new_tokens": 1 + 9}
    assert all(text.strip() for text in texts)
    return texts, options


def test_generated_texts(theirs):
    expected, options = generated(theirs)
    assert zoo.from_pretrained(theirs).predict(PROMPTS, **options) == expected


@pytest.mark.thorough(4)  # GPT-2
@pytest.mark.parametrize("name", ["served", "phone.tflite"])
def test_artifacts_generate_the_same_texts(theirs, tmp_path, name):
    expected, options = generated(theirs)
    path = tmp_path / name
    if path.suffix:
        export.litert(zoo.from_pretrained(theirs), path, text="bytes", **options)
    else:
        export.saved_model(zoo.from_pretrained(theirs), path, **options)
    assert list(export.Predictor(path)(PROMPTS)["text"]) == expected


def test_a_verified_artifact(folders, tmp_path):
    task = zoo.from_pretrained(folders / "bert")
    assert export.litert(task, tmp_path / "bert.tflite", text="bytes").passed
    assert export.verify(tmp_path / "bert.tflite").passed


@pytest.mark.long
def test_keras_hub_is_not_needed(folders):
    code = (
        "import sys, zoo\n"
        "sys.modules['keras_hub'] = None\n"
        f"print(zoo.from_pretrained({str(folders / 'gpt2')!r}).predict(['the'], max_new_tokens=3))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


def edited(folder, name, change):
    path = folder / name
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def external(folder):
    with h5py.File(folder / "model.weights.h5", "a") as file:
        del file["layers/reversible_embedding/vars/0"]
        file["layers/reversible_embedding/vars/0"] = h5py.ExternalLink("/etc/passwd", "x")


def linked(folder):
    path = folder / "assets/tokenizer/vocabulary.txt"
    path.unlink()
    path.symlink_to("/etc/passwd")


def config(**values):
    return lambda folder: edited(folder, "config.json", lambda x: x["config"].update(values))


def named(file, name):
    return lambda folder: edited(folder, file, lambda x: x.update(class_name=name))


def tokenizer(**values):
    return lambda folder: edited(folder, "tokenizer.json", lambda x: x["config"].update(values))


HOSTILE = {
    "layers": (config(num_layers=10**9), "num_layers = 1000000000, but model.weights.h5 has 2"),
    "heads": (config(num_heads=7), "num_heads = 7, but model.weights.h5 has weights of the shape"),
    "wide": (config(hidden_dim=10**9), "hidden_size = 1000000000, but the tensor"),
    "text": (config(vocabulary_size="x"), "vocab_size must be a positive integer, got 'x'"),
    "model": (named("config.json", "os.system"), "KerasHub's model 'os.system' is not supported"),
    "task": (named("task.json", "BertCausalLM"), "task 'BertCausalLM' is not supported"),
    "other head": (named("task.json", "BertMaskedLM"), "lacks layers/masked_lm_head/"),
    "tokenizer": (named("tokenizer.json", "Evil"), "tokenizer 'Evil' is not supported"),
    "option": (tokenizer(split=False), "the tokenizer's split = False is not supported"),
    "external": (external, "is a link"),
    "linked": (linked, "is a link out of the folder"),
    "no weights": (lambda x: (x / "model.weights.h5").unlink(), "has no model.weights.h5"),
    "no words": (lambda x: (x / "assets/tokenizer/vocabulary.txt").unlink(), "vocabulary.txt"),
    "no head": (lambda x: (x / "task.weights.h5").unlink(), "lacks the tensor classifier.weight"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_presets_are_refused(folders, tmp_path, case):
    change, message = HOSTILE[case]
    shutil.copytree(folders / "bert", tmp_path / "preset")
    change(tmp_path / "preset")
    with pytest.raises(UserError) as actual:
        zoo.from_pretrained(tmp_path / "preset")
    assert message in str(actual.value)


def test_what_is_no_model():
    with pytest.raises(UserError, match="expected a path, .* got int"):
        zoo.from_pretrained(3)
