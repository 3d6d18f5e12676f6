"""Llama checkpoints and GGUF files give what Hugging Face's library gives for them."""

import json
from pathlib import Path

import numpy as np
import pytest
from keras import ops

import export
import zoo
from tests.references.searches import NEW
from tests.zoo.pretrained.tiny_gpt2 import theirs
from tests.zoo.pretrained.tiny_llama import (
    CONFIG,
    MERGES,
    OTHERS,
    POSITIONS,
    QWEN,
    SCALINGS,
    VOCABULARY,
    tensors,
    write,
    write_gguf,
)
from zoo.errors import UserError

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "llama.npz")
IDS = REFERENCE["ids"].astype("int32")
TEXTS = ["of the 12 women", "", "the woman is 2 é🙂\n\n  in 1999", " ", "no way ½3"]


@pytest.fixture(scope="module", params=["tied", "untied", "gguf tied", "gguf untied"])
def case(request, tmp_path_factory):
    """The task, and the name of its reference."""
    kind, folder = request.param.split()[-1], tmp_path_factory.mktemp("llama")
    if request.param.startswith("gguf"):
        pytest.importorskip("gguf")
        path = write_gguf(folder / "tiny.gguf", kind == "tied")
    else:
        path = write(folder / "checkpoint", kind == "tied", shards=2)
    return zoo.from_pretrained(path, max_new_tokens=NEW), kind


def logits(task, ids):
    inputs = {"token_ids": ids, "padding_mask": ids >= 0}
    actual = task.model({name: ops.convert_to_tensor(value) for name, value in inputs.items()})
    return ops.convert_to_numpy(actual["logits"])


def test_logits_and_greedy_tokens_are_those_of_hugging_face(case):
    task, kind = case
    expected = REFERENCE[f"{kind}/logits"]
    ids = IDS[: len(expected)]
    keep = ids >= 0
    assert expected[keep].std() > 0.5 and not keep.all()
    np.testing.assert_allclose(logits(task, ids)[keep], expected[keep], atol=1e-4)
    greedy = REFERENCE[f"{kind}/greedy"]
    assert len({int(n) for n in (greedy >= 0).sum(axis=1)}) > 1  # some end, some do not
    np.testing.assert_array_equal(task.generate_ids(IDS, NEW), greedy)


@pytest.mark.parametrize("kind", SCALINGS)
def test_logits_with_scaled_positions_are_those_of_hugging_face(kind, tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", rope_scaling=SCALINGS[kind]))
    expected = REFERENCE[f"{kind}/logits"]
    ids = IDS[: len(expected)]
    keep = ids >= 0
    assert np.abs(expected - REFERENCE["tied/logits"])[keep].max() > 0.02
    np.testing.assert_allclose(logits(task, ids)[keep], expected[keep], atol=1e-4)
    written = zoo.to_pretrained(task, tmp_path / "written")
    again = zoo.from_pretrained(written)
    assert again.model.get_config()["rope_scaling"] == SCALINGS[kind]


def test_scaled_positions_of_gguf_are_those_of_llama_3(tmp_path, monkeypatch):
    """As in Llama 3.1: the last of three frequencies turns too slowly, the others do not."""
    pytest.importorskip("gguf")
    from tests.zoo.pretrained import tiny_llama

    monkeypatch.setitem(tiny_llama.CONFIG, "rope_theta", 500_000.0)
    monkeypatch.setattr(tiny_llama, "FACTORS", [1.0, 1.0, 32.0])
    task = zoo.from_pretrained(write_gguf(tmp_path / "scaled.gguf"))
    scaling = {**SCALINGS["llama3"], "factor": 32.0, "original_max_position_embeddings": 8192}
    assert task.model.get_config()["rope_scaling"] == scaling
    expected = zoo.from_pretrained(write(tmp_path / "checkpoint", rope_scaling=scaling))
    plain = zoo.from_pretrained(write(tmp_path / "plain"))
    keep = IDS >= 0
    actual = logits(task, IDS)[keep]
    np.testing.assert_allclose(actual, logits(expected, IDS)[keep], atol=1e-5)
    assert np.abs(actual - logits(plain, IDS)[keep]).max() > 1e-4
    for factors, message in (([1.0, 2.0, 32.0], "other factors than those of Llama 3"),
                             ([1.0, float("nan"), 32.0], "factors of at least 1")):  # fmt: skip
        monkeypatch.setattr(tiny_llama, "FACTORS", factors)
        with pytest.raises(UserError, match=message):
            zoo.from_pretrained(write_gguf(tmp_path / "odd.gguf"))


def test_of_several_end_tokens_that_of_the_tokenizer_ends_answers(tmp_path, caplog):
    folder = write(tmp_path / "checkpoint", eos_token_id=[7, 1])
    with pytest.raises(UserError, match=r"eos_token_id = \[7, 1\] is not supported"):
        zoo.from_pretrained(folder)
    settings = {"eos_token": {"content": VOCABULARY[1], "special": True}}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    assert zoo.from_pretrained(folder).special_tokens.end == 1
    assert f"an answer ends with {VOCABULARY[1]}; the other end tokens" in caplog.text
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "of"}), "utf-8")
    with pytest.raises(UserError, match="is not supported; expected a single id"):
        zoo.from_pretrained(folder)


@pytest.fixture(scope="module", params=[*QWEN, *(f"gguf {kind}" for kind in QWEN)])
def qwen(request, tmp_path_factory):
    """The task of a Qwen checkpoint or GGUF file, and its kind."""
    folder, kind = tmp_path_factory.mktemp("qwen"), request.param.split()[-1]
    if request.param.startswith("gguf"):
        pytest.importorskip("gguf")
        path = write_gguf(folder / "tiny.gguf", kind=kind)
    else:
        path = write(folder / "checkpoint", kind=kind)
    return zoo.from_pretrained(path, max_new_tokens=NEW), kind


def test_logits_and_greedy_tokens_of_qwen_are_those_of_hugging_face(qwen):
    task, kind = qwen
    expected = REFERENCE[f"{kind}/logits"]
    ids = IDS[: len(expected)]
    keep = ids >= 0
    assert expected[keep].std() > 0.5
    np.testing.assert_allclose(logits(task, ids)[keep], expected[keep], atol=1e-4)
    np.testing.assert_array_equal(task.generate_ids(IDS, NEW), REFERENCE[f"{kind}/greedy"])


@pytest.mark.parametrize("kind", OTHERS)
def test_logits_and_tokens_of_mistral_and_smollm3_are_those_of_hugging_face(kind, tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", kind=kind), max_new_tokens=NEW)
    expected = REFERENCE[f"{kind}/logits"]
    ids = IDS[: len(expected)]
    keep = ids >= 0
    np.testing.assert_allclose(logits(task, ids)[keep], expected[keep], atol=1e-4)
    np.testing.assert_array_equal(task.generate_ids(IDS, NEW), REFERENCE[f"{kind}/greedy"])
    # A window, or a block without positions, is no small difference.
    assert np.abs(expected[keep] - REFERENCE["tied/logits"][keep]).max() > 0.1

    folder = zoo.to_pretrained(task, tmp_path / "written")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    for name, value in {**CONFIG, **OTHERS[kind]}.items():
        if name not in ("use_sliding_window", "pad_token_id"):  # that is END, so no padding here
            assert config[name] == value, name
    again = zoo.from_pretrained(folder)
    np.testing.assert_array_equal(logits(again, ids), logits(task, ids))


@pytest.mark.parametrize(
    ("kind", "config", "message"),
    [
        ("mistral", {"sliding_window": "x"}, "sliding_window must be a positive integer, got 'x'"),
        ("smollm3", {"no_rope_layers": [0, 1]}, r"no_rope_layers = \[0, 1\] is not supported"),
        ("smollm3", {"no_rope_layers": [1]}, "no_rope_layers must have 2 numbers"),
        ("smollm3", {"no_rope_layers": None, "no_rope_layer_interval": 0}, "positive integer"),
        ("smollm3", {"sliding_window": 3}, "sliding_window = 3 is not supported"),
    ],
)
def test_what_mistral_and_smollm3_cannot_have_is_refused(kind, config, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path / "checkpoint", kind=kind, **config))


def test_gguf_of_smollm3_is_the_checkpoint(tmp_path):
    """In a GGUF file every fourth block has no positions, which no field says."""
    pytest.importorskip("gguf")
    usual = {"no_rope_layers": None, "no_rope_layer_interval": 4}
    checkpoint = zoo.from_pretrained(write(tmp_path / "checkpoint", kind="smollm3", **usual))
    file = zoo.from_pretrained(write_gguf(tmp_path / "tiny.gguf", kind="smollm3"))
    assert file.model.get_config()["no_rope_layer_interval"] == 4
    np.testing.assert_array_equal(logits(file, IDS), logits(checkpoint, IDS))


def test_ids_of_qwen_are_theirs(qwen):
    """In Unicode's form NFC, which their tokenizer makes of other texts."""
    task, _ = qwen
    texts = [*TEXTS, "It'S\n\n  12!!\r\nway", "é\t(women)", "no  way   "]
    whole = theirs(VOCABULARY, MERGES, pattern="qwen2")
    expected = [whole.encode(text).ids for text in texts]
    assert task.tokenizer.tokenize(texts).to_list() == expected
    assert task.tokenizer.pattern == "qwen2"


def test_a_run_of_qwen_splits_texts_as_before(qwen, tmp_path):
    task, _ = qwen
    task.save(tmp_path / "run")
    again = zoo.load(tmp_path / "run")
    texts = ["It'S\n\n  12!!\r\nway", "no  way   "]
    assert again.tokenizer.pattern == "qwen2"
    assert again.tokenizer.tokenize(texts).to_list() == task.tokenizer.tokenize(texts).to_list()


def test_qwen_is_written_as_it_was_read(qwen, tmp_path):
    task, kind = qwen
    folder = zoo.to_pretrained(task, tmp_path / "written")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    of_kind = {**CONFIG, **QWEN[kind]}
    for name in ("model_type", "architectures", "head_dim", "hidden_size", "num_key_value_heads"):
        assert config[name] == of_kind[name]
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    written, original = load_file(folder / "model.safetensors"), tensors(kind=kind)
    assert set(written) == set(original)
    for name, tensor in original.items():
        np.testing.assert_array_equal(written[name], tensor, err_msg=name)
    again = zoo.from_pretrained(folder)
    assert again.tokenizer.facts() == task.tokenizer.facts()
    ids = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert [ids.encode(text).ids for text in TEXTS] == task.tokenizer.tokenize(TEXTS).to_list()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"use_sliding_window": True}, "use_sliding_window = True is not supported"),
        ({"attention_bias": True}, "attention_bias = True is not supported"),
    ],
)
def test_what_qwen_cannot_have_is_refused(config, message, tmp_path):
    folder = write(tmp_path / "checkpoint", kind="qwen3", **config)
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(folder)


def test_a_tensor_that_qwen_lacks_is_named(tmp_path):
    folder = write(tmp_path / "checkpoint", kind="llama", model_type="qwen3",
                   architectures=["Qwen3ForCausalLM"])  # fmt: skip
    with pytest.raises(UserError, match="self_attn.q_norm.weight"):
        zoo.from_pretrained(folder)


def test_default_length_is_not_the_whole_context(tmp_path):
    folder = write(tmp_path / "checkpoint", max_position_embeddings=8192)
    assert zoo.from_pretrained(folder).settings.max_length == 1024
    assert zoo.from_pretrained(folder, max_length=4096).settings.max_length == 4096
    with pytest.raises(UserError, match="max_length must be at most 8192"):
        zoo.from_pretrained(folder, max_length=8193)


def test_chat_template_is_that_of_the_checkpoint(tmp_path):
    folder = write(tmp_path / "checkpoint")
    assert zoo.from_pretrained(folder).settings.chat_template is None
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ 1 }}"}))
    task = zoo.from_pretrained(folder)
    assert task.settings.chat_template == "{{ 1 }}"
    assert task.tokenizer.marked == (0, 1)
    (folder / "chat_template.jinja").write_text("{{ 2 }}")
    assert zoo.from_pretrained(folder).settings.chat_template == "{{ 2 }}"
    assert zoo.from_pretrained(folder, chat_template="{{ 3 }}").settings.chat_template == "{{ 3 }}"


def test_special_tokens_in_a_plain_prompt_are_a_warning(tmp_path, caplog):
    task = zoo.from_pretrained(write(tmp_path / "checkpoint"))
    task.predict(["no women"], max_new_tokens=1)
    assert "read as plain text" not in caplog.text
    task.predict(["no women", "no<|im_end|>"], max_new_tokens=1)
    assert "a prompt contains <|im_end|>, which is read as plain text: chats" in caplog.text
    assert "<|im_start|>" not in caplog.text


def test_ids_are_theirs(case):
    task, _ = case
    whole = theirs(VOCABULARY, MERGES, split_digits=True)
    expected = [whole.encode(text).ids for text in TEXTS]
    assert task.tokenizer.tokenize(TEXTS).to_list() == expected
    assert (task.name, task.settings.model) == ("causal-lm", "llama")
    assert task.settings.max_length == POSITIONS


def test_a_checkpoint_is_written_as_it_was_read(case, tmp_path):
    task, kind = case
    folder = zoo.to_pretrained(task, tmp_path / "written")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    expected = {**CONFIG, "tie_word_embeddings": kind == "tied"}
    of_floats = {name: value for name, value in expected.items() if type(value) is float}
    assert {name: config[name] for name in of_floats} == pytest.approx(of_floats)
    assert {**config, **of_floats}.items() >= {
        name: value for name, value in expected.items() if name != "architectures"
    }.items()
    assert config["architectures"] == expected["architectures"]
    from safetensors.numpy import load_file

    written = load_file(folder / "model.safetensors")
    original = tensors(kind == "tied")
    assert set(written) == set(original)
    for name, tensor in original.items():
        np.testing.assert_array_equal(written[name], tensor, err_msg=name)
    again = zoo.from_pretrained(folder)
    assert again.tokenizer.facts() == task.tokenizer.facts()
    from tokenizers import Tokenizer

    ids = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert [ids.encode(text).ids for text in TEXTS] == task.tokenizer.tokenize(TEXTS).to_list()


@pytest.mark.thorough
def test_a_file_of_it_is_verified(tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "checkpoint"), max_new_tokens=5)
    options = {"text": "bytes", "quantize": "int8"}  # other formats: tests/tasks, causal_lm_llama
    assert export.litert(task, tmp_path / "model.tflite", **options).passed


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"hidden_act": "gelu"}, "hidden_act = gelu is not supported; expected silu"),
        ({"attention_bias": True}, "attention_bias = True is not supported"),
        ({"rope_scaling": {"type": "dynamic"}}, "rope_type = 'dynamic' is not supported"),
        ({"rope_parameters": {"rope_type": "longrope"}}, "rope_type = 'longrope' is not supported"),
        ({"rope_scaling": {"rope_type": "yarn"}}, "rope_scaling: yarn positions require factor"),
        ({"rope_scaling": {"rope_type": "linear", "factor": "x"}}, "factor must be a positive"),
        ({"rope_scaling": {"rope_type": "linear", "odd": 3}}, "linear positions have no odd"),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor = 0.5"),
        ({"rope_parameters": [3]}, "rope_parameters must be an object"),
        ({"sliding_window": 7}, "sliding_window = 7 is not supported"),
        ({"max_position_embeddings": 10**12}, "max_position_embeddings must be an integer from 1"),
        ({"rope_theta": "much"}, "rope_theta must be a positive number, got 'much'"),
        ({"vocab_size": 10**12}, "vocab_size = 1000000000000, but the tensor"),
        ({"head_dim": 10**12}, "head_dim = 1000000000000, but the tensor"),
        ({"num_hidden_layers": 3}, "num_hidden_layers = 3, but there are no tensors"),
        ({"num_key_value_heads": 3}, "num_key_value_heads must divide num_heads"),
    ],
)
def test_what_is_not_supported_is_named(config, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path / "checkpoint", **config))


def test_rotary_bases_of_newer_files(tmp_path):
    parameters = {"rope_type": "default", "rope_theta": 77.0}
    config = {"rope_parameters": parameters, "rope_theta": None}
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", **config))
    assert task.model.get_config()["rope_theta"] == 77.0


def test_a_head_that_differs_is_not_ignored(tmp_path):
    folder = write(tmp_path / "checkpoint", tied=False, tie_word_embeddings=True)
    with pytest.raises(UserError, match="lm_head.weight differs from model.embed_tokens.weight"):
        zoo.from_pretrained(folder)


@pytest.mark.parametrize(("kind", "error"), [("Q8_0", 0.01), ("Q4_1", 0.12), ("BF16", 0.01)])
def test_quantized_tensors_are_near_what_was_stored(kind, error, tmp_path, monkeypatch):
    gguf = pytest.importorskip("gguf")
    from tests.zoo.pretrained import tiny_llama
    from zoo.pretrained.gguf_file import GGUFFile

    # The blocks of these types have 32 numbers.
    for name, size in {"WIDTH": 64, "HEADS": 4, "GROUPS": 2, "HEAD_DIM": 16, "HIDDEN": 96}.items():
        monkeypatch.setattr(tiny_llama, name, size)
    file = GGUFFile(write_gguf(tmp_path / "tiny.gguf", quantization=kind))
    for name, expected in tiny_llama.tensors().items():
        actual = file.tensor(name)
        assert actual.dtype == "float32" and actual.shape == file.shape(name) == expected.shape
        assert np.abs(actual - expected).max() < error * np.abs(expected).max(), name
    exact = gguf.dequantize(
        gguf.quantize(tensors()["model.embed_tokens.weight"], gguf.GGMLQuantizationType[kind]),
        gguf.GGMLQuantizationType[kind],
    )
    np.testing.assert_array_equal(file.tensor("model.embed_tokens.weight"), exact)
