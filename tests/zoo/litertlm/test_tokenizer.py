"""The `tokenizer.json` of a bundle gives the ids that the task's tokenizer gives."""

import pytest
import tokenizers

import zoo
from tests.zoo.pretrained.tiny_gpt2 import MERGES, PIECES
from tests.zoo.pretrained.tiny_llama import VOCABULARY
from zoo.errors import UserError
from zoo.litertlm.tokenizer import runtime_tokenizer
from zoo.text import train_tokenizer
from zoo.text.byte_bpe import ByteBPETokenizer

TEXTS = ["of the 12 women", "", "the woman is 2 é🙂\n\n  in 1999", " ", "no way ½3", "[PAD] it's"]


def tokenizer(kind):
    if kind == "bytes":
        return train_tokenizer("bytes", [], 300)
    if kind == "digits":
        return ByteBPETokenizer(VOCABULARY, MERGES, {"start": 0, "end": 1}, split_digits=True)
    pieces = [*PIECES, "<|end|>"]
    return ByteBPETokenizer(pieces, MERGES, dict.fromkeys(("start", "end"), len(pieces) - 1))


@pytest.mark.parametrize("kind", ["bytes", "digits", "gpt2"])
def test_ids_and_texts_are_equal(kind):
    ours = tokenizer(kind)
    theirs = tokenizers.Tokenizer.from_str(runtime_tokenizer(ours, ours.vocabulary_size))
    texts = [text.replace("[PAD]", "pad") for text in TEXTS]
    ids = [theirs.encode(text).ids for text in texts]
    assert ours.tokenize(texts).to_list() == ids
    assert max(map(len, ids)) > 5
    assert [theirs.decode(each) for each in ids] == [
        text.decode() for text in ours.detokenize(ours.tokenize(texts)).numpy()
    ]


@pytest.mark.parametrize("kind", ["bytes", "digits", "gpt2"])
def test_special_tokens_in_a_prompt_are_one_token(kind):
    ours = tokenizer(kind)
    theirs = tokenizers.Tokenizer.from_str(runtime_tokenizer(ours, ours.vocabulary_size))
    end = ours.special_tokens.end
    assert theirs.encode(f"a{ours.vocabulary[end]}a").ids.count(end) == 1


def test_a_tokenizer_larger_than_the_embedding():
    with pytest.raises(UserError, match="^the tokenizer has 260 tokens, and the embedding of the "):
        runtime_tokenizer(tokenizer("bytes"), 259)


def test_a_tokenizer_that_the_runtime_does_not_have():
    with pytest.raises(UserError, match="^LiteRT-LM has no tokenizer like words: train with "):
        runtime_tokenizer(train_tokenizer("words", ["a b"], 9), 9)


def test_it_is_refused_before_the_work():
    task = zoo.CausalLM("llama", "tiny", tokenizer="characters", num_layers=1, max_length=8)
    task.adapt(["to be or not to be"])
    with pytest.raises(UserError, match="has no tokenizer like characters"):
        task.for_litertlm()
