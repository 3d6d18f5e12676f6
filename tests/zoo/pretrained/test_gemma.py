"""Gemma 2 and 3 checkpoints give what Hugging Face's library gives for them."""

import json
from pathlib import Path

import numpy as np
import pytest
from keras import ops

import zoo
from tests.references.searches import NEW
from tests.zoo.pretrained.tiny_gemma import (
    CONFIG,
    END,
    KINDS,
    LOCAL,
    NEWER,
    OLDER,
    PAD,
    POSITIONS,
    START,
    VOCABULARY,
    tensors,
    texts,
    theirs,
    write,
    write_gguf,
)
from zoo.errors import UserError

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "gemma.npz")
IDS = REFERENCE["ids"].astype("int32")


@pytest.fixture(scope="module", params=KINDS)
def case(request, tmp_path_factory):
    """The task, and the kind of its checkpoint."""
    folder = tmp_path_factory.mktemp("gemma") / "checkpoint"
    return zoo.from_pretrained(write(folder, request.param), max_new_tokens=NEW), request.param


def logits(task, ids):
    inputs = {"token_ids": np.where(ids < 0, 0, ids), "padding_mask": ids >= 0}
    return ops.convert_to_numpy(task.model(inputs)["logits"])


def test_logits_and_greedy_tokens_are_those_of_hugging_face(case):
    task, kind = case
    expected = REFERENCE[f"{kind}/logits"]
    ids = IDS[: len(expected)]
    keep = ids >= 0
    assert expected[keep].std() > 0.5
    np.testing.assert_allclose(logits(task, ids)[keep], expected[keep], atol=1e-4)
    greedy = REFERENCE[f"{kind}/greedy"]
    assert len({int(n) for n in (greedy >= 0).sum(axis=1)}) > 1  # some end, some do not
    actual = task.generate_ids(np.where(IDS < 0, PAD, IDS), NEW)
    np.testing.assert_array_equal(actual, np.where(greedy < 0, PAD, greedy))


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        ("gemma2", {"attn_logit_softcapping": 50.0}),
        ("gemma2", {"final_logit_softcapping": 30.0}),
        ("gemma2", {"layer_types": [LOCAL] * 4}),
        ("gemma2", {"sliding_window": 4}),
        ("gemma3", {"query_pre_attn_scalar": 6}),
        ("gemma3", {"rope_theta": 7.0, "rope_local_base_freq": 500.0}),
        ("gemma3", {"sliding_window_pattern": 2}),
        ("gemma3_scaled", {"rope_scaling": {"rope_type": "linear", "factor": 1.5}}),
    ],
)
def test_each_option_matters(kind, config, tmp_path):
    expected = REFERENCE[f"{kind}/logits"]
    ids = IDS[: len(expected)]
    other = logits(zoo.from_pretrained(write(tmp_path / "checkpoint", kind, **config)), ids)
    assert np.abs(other - expected)[ids >= 0].max() > 0.005


def test_newer_files_say_the_same(tmp_path):
    newer = {**dict.fromkeys(OLDER), **NEWER}
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", "gemma3_scaled", **newer))
    expected = zoo.from_pretrained(write(tmp_path / "older", "gemma3_scaled"))
    assert task.model.get_config() == expected.model.get_config()


def test_missing_keys_are_those_of_the_published_files(tmp_path):
    """Gemma 3 has a window in five of six blocks, and other positions in these."""
    missing = dict.fromkeys((*OLDER, "sliding_window", "query_pre_attn_scalar"))
    config = zoo.from_pretrained(write(tmp_path / "a", "gemma3", **missing)).model.get_config()
    expected = {"sliding_window": 4096, "local_rope_theta": 10_000, "rope_theta": 1_000_000}
    expected |= {"global_layer_interval": None, "query_pre_attn_scalar": 256}
    assert {name: config[name] for name in expected} == expected  # the sixth is the first of all
    missing = dict.fromkeys(
        ("layer_types", "rope_theta", "attn_logit_softcapping", "final_logit_softcapping")
    )
    config = zoo.from_pretrained(write(tmp_path / "b", "gemma2", **missing)).model.get_config()
    expected = {"global_layer_interval": 2, "rope_theta": 10_000, "local_rope_theta": None}
    expected |= {"attention_soft_cap": 50, "logit_soft_cap": 30}
    assert {name: config[name] for name in expected} == expected


def test_a_checkpoint_is_written_as_it_was_read(case, tmp_path):
    task, kind = case
    folder = zoo.to_pretrained(task, tmp_path / "written")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    for name, value in {**CONFIG, **KINDS[kind]}.items():
        if name not in ("sliding_window_pattern", "rope_scaling"):
            assert config[name] == (pytest.approx(value) if type(value) is float else value), name
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    written, original = load_file(folder / "model.safetensors"), tensors(kind)
    assert set(written) == set(original)
    for name, tensor in original.items():
        np.testing.assert_allclose(written[name], tensor, atol=1e-7, err_msg=name)
    again = zoo.from_pretrained(folder)
    assert again.model.get_config() == task.model.get_config()
    np.testing.assert_allclose(logits(again, IDS), logits(task, IDS), atol=1e-5)
    assert again.tokenizer.facts() == task.tokenizer.facts()
    whole = Tokenizer.from_file(str(folder / "tokenizer.json"))
    some = texts(50)
    assert [whole.encode(x).ids for x in some] == [theirs().encode(x).ids for x in some]


def test_a_head_of_its_own_is_read_and_written(tmp_path):
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", "gemma2", tied=False))
    tied = zoo.from_pretrained(write(tmp_path / "tied", "gemma2"))
    assert np.abs(logits(task, IDS) - logits(tied, IDS)).max() > 0.1
    again = zoo.from_pretrained(zoo.to_pretrained(task, tmp_path / "written"))
    np.testing.assert_allclose(logits(again, IDS), logits(task, IDS), atol=1e-5)


def test_a_run_answers_as_before(case, tmp_path):
    task, _ = case
    task.save(tmp_path / "run")
    again = zoo.load(tmp_path / "run")
    np.testing.assert_array_equal(logits(again, IDS), logits(task, IDS))
    some = texts(20)
    assert again.tokenizer.tokenize(some).to_list() == task.tokenizer.tokenize(some).to_list()
    assert list(again.predict(some[:3])) == list(task.predict(some[:3]))


def test_ids_and_texts_are_theirs(case):
    task, _ = case
    some, whole = texts(2000), theirs(starts=False)
    ids = task.tokenizer.tokenize(some)
    expected = [whole.encode(text).ids for text in some]
    different = [x for x in zip(some, ids.to_list(), expected, strict=True) if x[1] != x[2]]
    assert not different
    spelled = [text.decode() for text in task.tokenizer.detokenize(ids).numpy()]
    assert spelled == [whole.decode(each) for each in expected]
    assert task.tokenizer.adds_start and task.tokenizer.before_document == (START,)
    assert (task.special_tokens.start, task.special_tokens.end) == (START, END)
    assert task.settings.max_length == POSITIONS


def test_the_end_of_a_turn_ends_answers(tmp_path, caplog):
    of_turn = VOCABULARY.index("<end_of_turn>")
    task = zoo.from_pretrained(write(tmp_path / "checkpoint", eos_token_id=[END, of_turn]))
    assert task.special_tokens.end == of_turn
    assert "an answer ends with <end_of_turn>" in caplog.text


@pytest.mark.parametrize(
    ("kind", "config", "message"),
    [
        ("gemma2", {"hidden_activation": "gelu"}, "hidden_activation = gelu is not supported"),
        ("gemma2", {"attention_bias": True}, "attention_bias = True is not supported"),
        ("gemma3", {"use_bidirectional_attention": True}, "use_bidirectional_attention = True"),
        ("gemma3", {"attn_logit_softcapping": 5.0}, "not supported with Gemma 3; expected null"),
        ("gemma2", {"attn_logit_softcapping": -1}, "attn_logit_softcapping must be a positive"),
        ("gemma2", {"final_logit_softcapping": "x"}, "must be a positive number, got 'x'"),
        ("gemma2", {"query_pre_attn_scalar": 0}, "query_pre_attn_scalar must be a positive"),
        ("gemma2", {"layer_types": ["full"] * 4}, "layer_types with 'full' is not supported"),
        ("gemma2", {"layer_types": [LOCAL]}, "layer_types must have 4 names"),
        (
            "gemma2",
            {"layer_types": ["full_attention", LOCAL, LOCAL, LOCAL]},
            "expected full_attention for every n-th",
        ),
        ("gemma2", {"sliding_window": 0}, "sliding_window must be a positive integer, got 0"),
        ("gemma3", {"sliding_window_pattern": "x"}, "sliding_window_pattern must be a positive"),
        ("gemma3", {"rope_local_base_freq": "x"}, "rope_theta must be a positive number"),
        ("gemma3", {"rope_parameters": [3]}, "rope_parameters must be an object"),
        (
            "gemma3",
            {"rope_parameters": {LOCAL: {"rope_type": "linear", "factor": 2.0}}},
            "rope_type = 'linear' of sliding_attention is not supported",
        ),
        ("gemma3", {"rope_scaling": {"rope_type": "dynamic"}}, "rope_type = 'dynamic' is not"),
        ("gemma3", {"max_position_embeddings": 10**12}, "must be an integer from 1 to"),
        ("gemma3", {"num_hidden_layers": 5}, "num_hidden_layers = 5, but there are no tensors"),
    ],
)
def test_what_is_not_supported_is_named(kind, config, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write(tmp_path / "checkpoint", kind, **config))


@pytest.mark.parametrize("adds", [True, False])
def test_the_start_token_may_be_that_of_the_other_file(adds, tmp_path):
    folder = write(tmp_path / "checkpoint")
    whole = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    (folder / "tokenizer.json").write_text(json.dumps({**whole, "post_processor": None}), "utf-8")
    settings = {"add_bos_token": adds}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    assert zoo.from_pretrained(folder).tokenizer.adds_start is adds
    settings["add_eos_token"] = True
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    with pytest.raises(UserError, match="add_eos_token of tokenizer_config.json is not supported"):
        zoo.from_pretrained(folder)


def changed(whole, path, value):
    *parents, last = path
    for each in parents:
        whole = whole[each]
    whole[last] = value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("model", "byte_fallback"), False, "byte_fallback is not supported"),
        (("model", "dropout"), 0.1, "dropout is not supported"),
        (("normalizer",), None, "normalizer is not supported"),
        (("pre_tokenizer",), {"type": "Whitespace"}, "pre_tokenizer is not supported"),
        (("added_tokens", -1, "lstrip"), True, "lstrip of the added token '</table>' is not"),
        (("post_processor", "single"), [{"Sequence": {"id": "A"}},
         {"SpecialToken": {"id": "<eos>"}}], "special tokens are added with Template"),
        (("model", "merges"), ["the"], "a merge must be two tokens separated by a space"),
        (("model", "vocab"), 3, "is not a valid tokenizer file"),
    ],
)  # fmt: skip
def test_other_tokenizers_are_refused(path, value, message, tmp_path):
    folder = write(tmp_path / "checkpoint")
    whole = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    changed(whole, path, value)
    (folder / "tokenizer.json").write_text(json.dumps(whole), "utf-8")
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(folder)


def test_an_added_token_without_a_row_is_left_out(tmp_path):
    """As that of images in Gemma 3's text models."""
    folder = write(tmp_path / "checkpoint")
    whole = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    token = {**whole["added_tokens"][0], "id": len(VOCABULARY), "content": "<image_soft_token>"}
    whole["added_tokens"].append(token)
    (folder / "tokenizer.json").write_text(json.dumps(whole), "utf-8")
    assert zoo.from_pretrained(folder).tokenizer.vocabulary == VOCABULARY


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"activation": "geglu"}, "a Llama checkpoint requires activation='swiglu', got 'geglu'"),
        ({"logit_soft_cap": 3.0}, "a Llama checkpoint requires logit_soft_cap=None, got 3.0"),
    ],
)
def test_a_model_that_is_none_of_a_family_is_not_written(options, message, tmp_path):
    sizes = {"num_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 16}
    task = zoo.CausalLM("llama", "tiny", tokenizer="byte-bpe", vocabulary_size=300,
                        **sizes, **options)  # fmt: skip
    task.adapt([{"text": "the women"}])
    with pytest.raises(UserError, match=message):
        zoo.to_pretrained(task, tmp_path / "written")


@pytest.mark.parametrize("kind", KINDS)
def test_a_gguf_file_is_the_checkpoint(kind, tmp_path):
    pytest.importorskip("gguf")
    config = {"query_pre_attn_scalar": 6}  # the size of a head, which a file has for it
    checkpoint = zoo.from_pretrained(write(tmp_path / "checkpoint", kind, **config))
    file = zoo.from_pretrained(write_gguf(tmp_path / "tiny.gguf", kind))
    np.testing.assert_allclose(logits(file, IDS), logits(checkpoint, IDS), atol=2e-5)
    assert file.tokenizer.facts() == checkpoint.tokenizer.facts()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"tokenizer.ggml.model": "gpt2"}, "has the tokenizer 'gpt2'; expected 'llama'"),
        ({"tokenizer.ggml.add_space_prefix": None}, "puts a space before texts"),
        ({"tokenizer.ggml.bos_token_id": 9999}, "puts a start token before texts, but names none"),
        ({"gemma3.rope.scaling.type": "yarn"}, "has scaled rotary positions"),
    ],
)
def test_gguf_files_that_differ_are_refused(fields, message, tmp_path):
    pytest.importorskip("gguf")
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write_gguf(tmp_path / "tiny.gguf", **fields))
