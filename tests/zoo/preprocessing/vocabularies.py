"""Tokenizers whose special tokens stand in all sorts of places."""

from zoo.text import train_tokenizer
from zoo.text.byte_bpe import ByteBPETokenizer, byte_characters
from zoo.text.special_tokens import SpecialTokens

TEXTS = ["one two three", "two", "", "three three one two one", "  ", "two é one"]
BYTES = list(byte_characters().values())
MERGES = ["o n", "on e", "Ġ t", "t w", "tw o", "Ġt w", "Ġtw o"]
PIECES = [*BYTES, *(merge.replace(" ", "") for merge in MERGES)]

# BART's ids, and GPT-2's, which has no padding.
OF_BART = SpecialTokens(pad=1, unknown=3, start=0, end=2, decoder_start=2)
OF_GPT2 = SpecialTokens(pad=-1, unknown=-1, start=len(PIECES), end=len(PIECES))

TOKENIZERS = {
    "words": train_tokenizer("wordpiece", ["one two three"], 40),
    "characters": train_tokenizer("characters", ["one two three"], 20),
    "pad 1": ByteBPETokenizer(
        ["<s>", "<pad>", "</s>", "<unk>", *PIECES],
        MERGES,
        {"pad": 1, "unknown": 3, "start": 0, "end": 2, "decoder_start": 2},
    ),
    "pad -1": ByteBPETokenizer(
        [*PIECES, "<|endoftext|>"], MERGES, {"start": len(PIECES), "end": len(PIECES)}
    ),
}
