"""The file `tokenizer.json` of a tokenizer, which LiteRT-LM reads."""

import json
from typing import Any

from zoo.errors import UserError
from zoo.pretrained import byte_fallback_vocabulary
from zoo.pretrained.byte_vocabulary_files import tokenizer_json
from zoo.text.byte_bpe import ByteBPETokenizer, byte_characters
from zoo.text.byte_fallback_bpe import ByteFallbackBPETokenizer
from zoo.text.byte_level import FIRST, ByteTokenizer
from zoo.text.special_tokens import SPECIALS
from zoo.text.tokenizer import Tokenizer


def runtime_tokenizer(tokenizer: Tokenizer, rows: int) -> str:
    """The content of `tokenizer.json`.

    Args:
        tokenizer: The tokenizer.
        rows: Number of rows of the embedding.

    Raises:
        UserError: If the file cannot express the tokenizer, or it has more tokens than rows.
    """
    if tokenizer.vocabulary_size > rows:
        raise UserError(
            f"the tokenizer has {tokenizer.vocabulary_size:,} tokens, and the embedding of the "
            f"model {rows:,} rows"
        )
    return json.dumps(_content(tokenizer), ensure_ascii=False)


def _content(tokenizer: Tokenizer) -> dict[str, Any]:
    if isinstance(tokenizer, ByteBPETokenizer):
        special = [i for i in tokenizer.special_tokens.ids if i < tokenizer.vocabulary_size]
        pieces = [tokenizer.vocabulary[i] for i in special]
        facts = tokenizer.facts()
        how = tokenizer.split_digits, tokenizer.pattern, tokenizer.ignore_merges
        return tokenizer_json(facts["vocabulary"], facts["merges"], pieces, *how)
    if isinstance(tokenizer, ByteFallbackBPETokenizer):
        return byte_fallback_vocabulary.tokenizer_json(tokenizer)
    if isinstance(tokenizer, ByteTokenizer):
        characters = byte_characters()
        vocabulary = [*SPECIALS, *(characters[byte] for byte in range(256))]
        assert len(vocabulary) == FIRST + 256
        return tokenizer_json(vocabulary, [], SPECIALS)
    raise UserError(
        f"LiteRT-LM has no tokenizer like {tokenizer.kind}: train with --tokenizer bytes, or start "
        "from a checkpoint of Llama, Gemma or GPT-2"
    )
