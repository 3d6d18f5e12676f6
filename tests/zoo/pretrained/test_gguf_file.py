"""GGUF files that are damaged, hostile or of another kind are refused in a sentence."""

import struct

import pytest

import zoo
from tests.zoo.pretrained.tiny_llama import write_gguf
from zoo.errors import UserError

gguf = pytest.importorskip("gguf")


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf").read_bytes()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"general.name": "x", "llama.rope.scaling.type": "yarn"}, "scaled rotary positions"),
        ({"llama.rope.dimension_count": 4}, "rotates 4 of the 6 features of each head"),
        ({"tokenizer.ggml.pre": "tekken"}, "the tokenizer 'gpt2' with 'tekken'; expected"),
        ({"tokenizer.ggml.model": "llama"}, "the tokenizer 'llama' with"),
        ({"llama.block_count": 3}, "num_hidden_layers = 3, but there are no tensors"),
        ({"llama.attention.head_count": 5}, "rows for 5 heads|num_key_value_heads must divide"),
        ({"llama.embedding_length": 10**9}, "hidden_size = 1000000000, but the tensor"),
        ({"llama.block_count": None}, "lacks 'num_hidden_layers'"),
    ],
)
def test_fields(fields, message, tmp_path):
    with pytest.raises(UserError, match=message):
        zoo.from_pretrained(write_gguf(tmp_path / "odd.gguf", **fields))


def test_another_architecture(content, tmp_path):
    path = tmp_path / "other.gguf"
    name = struct.pack("<Q", 5)
    path.write_bytes(content.replace(name + b"llama", name + b"mamba", 1))
    with pytest.raises(UserError, match="has the architecture 'mamba'; expected llama"):
        zoo.from_pretrained(path)


@pytest.mark.parametrize("size", [0, 3, 4, 8, 20, 100, 1000, -1000, -40])
def test_a_file_that_ends_too_early(content, tmp_path, size):
    path = tmp_path / "cut.gguf"
    path.write_bytes(content[:size])
    with pytest.raises(UserError, match=r"cut.gguf"):
        zoo.from_pretrained(path)


def after(content, name):
    """Where the type of a field stands."""
    return content.index(struct.pack("<Q", len(name)) + name.encode()) + 8 + len(name)


@pytest.mark.parametrize("huge", [2**62, 2**31, 2**64 - 1])
def test_sizes_that_are_not_there(content, tmp_path, huge):
    tokens = after(content, "tokenizer.ggml.tokens")
    types = after(content, "tokenizer.ggml.token_type")
    places = {
        "tensors": 8,
        "fields": 16,
        "strings of an array": tokens + 8,
        "bytes of a string": tokens + 16,
        "numbers of an array": types + 8,
        "bytes of a name": 24,
    }
    for what, place in places.items():
        path = tmp_path / "huge.gguf"
        changed = content[:place] + struct.pack("<Q", huge) + content[place + 8 :]
        path.write_bytes(changed)
        with pytest.raises(UserError, match="is not a GGUF file"):
            zoo.from_pretrained(path)
            pytest.fail(what)


def test_a_file_that_is_not_there_and_a_folder(tmp_path):
    with pytest.raises(UserError, match="none.gguf does not exist"):
        zoo.from_pretrained(tmp_path / "none.gguf")
    with pytest.raises(UserError, match="a.gguf has no config.json|is not a checkpoint"):
        (tmp_path / "a.gguf").mkdir()
        zoo.from_pretrained(tmp_path / "a.gguf")


def test_without_the_package(monkeypatch, content, tmp_path):
    import sys

    path = tmp_path / "tiny.gguf"
    path.write_bytes(content)
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(UserError, match=r"pip install 'keras-attn\[gguf\]'"):
        zoo.from_pretrained(path)


@pytest.mark.parametrize(
    ("name", "digits", "pattern"),
    [("gpt-2", False, "gpt2"), ("smollm", True, "gpt2"), ("llama-bpe", False, "llama3"),
     ("qwen2", False, "qwen2")],
)  # fmt: skip
def test_texts_are_split_as_the_file_says(name, digits, pattern, tmp_path):
    fields = {"tokenizer.ggml.pre": name}
    task = zoo.from_pretrained(write_gguf(tmp_path / "a.gguf", **fields))
    assert (task.tokenizer.split_digits, task.tokenizer.pattern) == (digits, pattern)
