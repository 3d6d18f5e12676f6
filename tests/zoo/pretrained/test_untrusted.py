"""A checkpoint that means harm: files outside its folder, sizes without tensors, other types."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import zoo
from tests.zoo.pretrained import tiny_bart, tiny_bert, tiny_gpt2
from zoo.errors import UserError
from zoo.pretrained.checkpoint import INDEX, Checkpoint
from zoo.pretrained.sizes import check_sizes

TERA = 10**12
SIZES = [
    *((tiny_bert, key) for key in ("vocab_size", "hidden_size", "num_hidden_layers")),
    *((tiny_bert, key) for key in ("intermediate_size", "max_position_embeddings")),
    *((tiny_bert, key) for key in ("type_vocab_size", "num_attention_heads")),
    *((tiny_gpt2, key) for key in ("vocab_size", "n_embd", "n_layer", "n_positions", "n_inner")),
    *((tiny_bart, key) for key in ("vocab_size", "d_model", "encoder_layers", "decoder_layers")),
    *((tiny_bart, key) for key in ("encoder_ffn_dim", "max_position_embeddings")),
]
# Of the tensors that have them, the other axis is the width of the model.
NARROW = [
    (tiny_bert, "max_position_embeddings", "embeddings.position_embeddings.weight"),
    (tiny_bert, "type_vocab_size", "embeddings.token_type_embeddings.weight"),
    (tiny_bert, "intermediate_size", "encoder.layer.0.intermediate.dense.weight"),
    (tiny_gpt2, "n_positions", "transformer.wpe.weight"),
    (tiny_gpt2, "n_inner", "transformer.h.0.mlp.c_fc.weight"),
    (tiny_bart, "max_position_embeddings", "model.encoder.embed_positions.weight"),
]
sizes = pytest.mark.parametrize(("tiny", "key"), SIZES, ids=[key for _, key in SIZES])


def set_config(folder, **facts):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **facts}))
    return folder


@sizes
def test_sizes_are_those_of_the_tensors(tiny, key, tmp_path):
    facts = {key: TERA}
    if key == "encoder_ffn_dim":
        facts["decoder_ffn_dim"] = TERA

    with pytest.raises(UserError, match=rf"config.json: {key} = {TERA}, but .*(shape|no tensors)"):
        zoo.from_pretrained(set_config(tiny.write(tmp_path), **facts))


def replace_tensors(folder, change):
    """Writes the tensors of a checkpoint again, after a function changed their dictionary."""
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


@pytest.mark.parametrize(
    ("tiny", "architecture", "head"),
    [
        (tiny_gpt2, "GPT2LMHeadModel", "lm_head.weight"),
        (tiny_bart, "BartForConditionalGeneration", "lm_head.weight"),
        (tiny_bert, "BertForPreTraining", "cls.predictions.decoder.weight"),
    ],
)
def test_a_matrix_of_the_logits_that_differs_is_not_ignored(tiny, architecture, head, tmp_path):
    folder = tiny.write(tmp_path, architecture)
    embedding = next(
        name
        for name in load_file(folder / "model.safetensors")
        if name.endswith(("wte.weight", "shared.weight", "word_embeddings.weight"))
    )

    def add(tensors, change):
        tensors[head] = tensors[embedding] + change

    replace_tensors(folder, lambda tensors: add(tensors, 0))
    zoo.from_pretrained(folder)
    replace_tensors(folder, lambda tensors: add(tensors, np.float32(0.01)))
    with pytest.raises(UserError, match=f"{head} differs from {embedding}"):
        zoo.from_pretrained(folder)


@pytest.mark.parametrize("width", [0, 1])
@pytest.mark.parametrize(("tiny", "key", "name"), NARROW, ids=[key for _, key, _ in NARROW])
def test_a_tensor_that_is_long_and_narrow(tiny, key, name, width, tmp_path):
    folder = tiny.write(tmp_path)
    axis = int(key == "n_inner")
    shape = (width, 10**5) if axis else (10**5, width)
    replace_tensors(folder, lambda tensors: tensors.update({name: np.zeros(shape, "float16")}))
    with pytest.raises(
        UserError, match=r"config.json: (hidden_size|n_embd|d_model) = 12, but the tensor "
    ):
        zoo.from_pretrained(set_config(folder, **{key: 10**5}))


@pytest.mark.parametrize(
    ("tiny", "key", "beginning"),
    [(tiny_bert, "num_hidden_layers", "encoder.layer"), (tiny_gpt2, "n_layer", "transformer.h")],
)
def test_layers_without_tensors(tiny, key, beginning, tmp_path):
    folder = tiny.write(tmp_path)
    last = f"{beginning}.99999.x"
    replace_tensors(folder, lambda tensors: tensors.update({last: np.zeros(0, "float32")}))
    message = rf"{key} = 100000, but there are no tensors of {beginning}.2"
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(set_config(folder, **{key: 10**5}))


def test_layers_of_nothing(tmp_path):
    folder = tiny_gpt2.write(tmp_path)
    empty = {f"transformer.h.{n}.x": np.zeros(0, "float32") for n in range(2, 1001)}
    replace_tensors(folder, lambda tensors: tensors.update(empty))
    with pytest.raises(UserError, match="n_layer must be at most 1000, got 1001"):
        zoo.from_pretrained(set_config(folder, n_layer=1001))


@pytest.mark.parametrize("value", ["12", 12.0, True, -1, 0, [12]])
def test_a_size_is_a_positive_integer(value, tmp_path):
    checkpoint = Checkpoint(set_config(tiny_gpt2.write(tmp_path), n_embd=value))

    with pytest.raises(UserError, match="config.json: n_embd must be a positive integer, got"):
        check_sizes(checkpoint, "n_embd", {"n_embd": ("wte.weight", 1)}, {})


@pytest.mark.parametrize("shard", ["../other.safetensors", "/etc/hosts", "a/../../x", 3, None, ""])
def test_shards_are_files_of_the_folder(shard, tmp_path):
    folder = tiny_bert.write(tmp_path / "checkpoint", shards=2)
    (file, *_) = folder.glob("*.safetensors")
    (tmp_path / "other.safetensors").write_bytes(file.read_bytes())
    index = json.loads((folder / INDEX).read_text())
    (first, *_) = index["weight_map"]
    index["weight_map"][first] = shard
    (folder / INDEX).write_text(json.dumps(index))

    with pytest.raises(UserError, match="is not the name of a file in it"):
        zoo.from_pretrained(folder)


def test_so_are_the_modules_of_sentence_transformers(tmp_path):
    folder = tiny_bert.as_sentence_encoder(tiny_bert.write(tmp_path / "checkpoint"))
    (folder / "1_Pooling").rename(tmp_path / "outside")
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["path"] = "../outside"
    (folder / "modules.json").write_text(json.dumps(modules))

    with pytest.raises(UserError, match=r"'\.\./outside/config.json' is not the name of a file"):
        zoo.from_pretrained(folder)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"architectures": {"a": 1}}, "architectures must be a list of names"),
        ({"architectures": [[]]}, "architectures must be a list of names"),
        ({"activation_function": []}, r"activation \[\] is not supported"),
        ({"eos_token_id": "x"}, "eos_token_id must be an integer, got 'x'"),
        ({"eos_token_id": -1}, r"(start|end) = -1 is not an id of its \d+ tokens"),
        ({"vocab_size": None}, "lacks 'vocab_size'"),
        ({"n_head": "many"}, "n_head must be a positive integer, got 'many'"),
    ],
)
def test_values_of_other_types_are_named(facts, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(set_config(tiny_gpt2.write(tmp_path), **facts))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("config.json", "[" * 100_000, "config.json is not JSON: it is nested too deeply"),
        ("config.json", "[]", "config.json is not JSON: expected an object, got list"),
        ("vocab.json", '{"a": "x"}', "the ids of the vocabulary are not integers"),
        ("tokenizer_config.json", '{"added_tokens_decoder": 3}', "is not a valid checkpoint: 'int"),
        (INDEX, '{"weight_map": []}', "has no weight_map"),
    ],
)
def test_files_of_other_contents_are_named(name, text, message, tmp_path):
    folder = tiny_gpt2.write(tmp_path)
    (folder / name).write_text(text)

    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(folder)
