"""A small unigram tokenizer as SentencePiece learns it, in the form of Hugging Face's files."""

import base64
import functools
import io
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAP_FIELD, NORMALIZER_FIELD = 2, 3  # of sentencepiece_model.proto
WORDS = (
    "the The red dogs dog's ran running 12 2026 hat, (hats) it's to-be [x] -- --- ---- ... !!! "
    "Zürich naïve cafe\u0301 Straße œuvre ﬁnal ½ ① ™ ㌀ ﷺ Ｆｕｌｌ ｶﾞ Å "
    "привет мир собака бежит ёлка γειά σου κόσμε שָׁלוֹם עולם مرحبا العالم كتاب ﻻ "
    "नमस्ते दुनिया क्षत्रिय สวัสดี ชาวโลก 你好 世界 我们 在学校 東京 です こんにちは カタカナ 한국어 안녕 "
    "u\u0308ber e\u0302\u0301 a\u0327\u0301 ấn İstanbul 😀 👩\u200d👧 🇩🇪 xin chào"
).split(" ")
ODD = (
    *(" ", "  ", "\t", "\n", "\r\n", "\u200b", "\u200d", "\ufeff", "\u3000", "\xa0", "\x85", "▁"),
    *("\u0301", "\u0323", "\u20dd", "\ufe0f", "\u0600", "\x01", "\x7f", "\u2028", "\ufffd", "\0"),
    *(
        "ﬁ\u0301",
        "A\u030a",
        "\u1100\u1161",
        "½\u0301",
        "™\u200d",
        "©\u0301",
        "aaaaaaaa",
        "---------",
    ),
)


def texts(count: int, seed: int = 0) -> Iterator[str]:
    """Texts of several scripts, with odd characters in some."""
    rng = random.Random(seed)
    for _ in range(count):
        kind, parts = rng.random(), []
        for _ in range(rng.randrange(1, 14)):
            parts.append(rng.choice(WORDS))
            if kind < 0.4 and rng.random() < 0.5:
                parts.append(rng.choice(ODD))
            if kind < 0.1:
                parts += (chr(rng.randrange(0x20, 0x3100)) for _ in range(rng.randrange(4)))
            if kind < 0.02:
                parts += (chr(rng.randrange(0xE000, 0x20000)) for _ in range(rng.randrange(4)))
            if kind > 0.2 or rng.random() < 0.5:
                parts.append(" ")
        yield "".join(parts)


@dataclass(frozen=True)
class Learned:
    """What SentencePiece learned.

    Args:
        pieces: The learned tokens, without special ones.
        scores: Their scores.
        charsmap: The map of its normalization.
    """

    pieces: list[str]
    scores: list[float]
    charsmap: bytes


@functools.cache
def learned(size: int = 400) -> Learned:
    """A vocabulary learned from `WORDS`, with the normalization nmt_nfkc."""
    import sentencepiece

    model, rng = io.BytesIO(), random.Random(1)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(" ".join(rng.choices(WORDS, k=9)) for _ in range(1000)),
        model_writer=model,
        model_type="unigram",
        vocab_size=size,
        hard_vocab_limit=False,
        character_coverage=0.9995,
        normalization_rule_name="nmt_nfkc",
        num_threads=1,
        minloglevel=2,
    )
    content = model.getvalue()
    read = sentencepiece.SentencePieceProcessor(model_proto=content)
    ids = [i for i in range(read.vocab_size()) if not (read.is_control(i) or read.is_unknown(i))]
    charsmap = _field(_field(content, NORMALIZER_FIELD), MAP_FIELD)
    pieces, scores = [read.id_to_piece(i) for i in ids], [read.get_score(i) for i in ids]
    return Learned(pieces, scores, charsmap)


def tokenizer_json(
    vocabulary: list[tuple[str, float]],
    unknown: int,
    template: tuple[list[str], list[str]],
    added: tuple[str, ...],
    strips: tuple[str, ...] = (),
    charsmap: bytes | None = None,
    only_spaces: bool = False,
) -> Any:
    """The tokenizer of Hugging Face's library `tokenizers`.

    Args:
        vocabulary: The tokens and their scores.
        unknown: Id of the unknown token.
        template: What stands before and after a text.
        added: The special tokens.
        strips: Those of which whitespace before them is part.
        charsmap: The map of the normalization.
        only_spaces: Whether words are found as converters of older versions do.
    """
    from tokenizers import (
        AddedToken,
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
    )

    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=unknown, byte_fallback=False))
    metaspace = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    steps = [] if charsmap is None else [normalizers.Precompiled(charsmap)]
    if only_spaces:
        steps.append(normalizers.Replace(Regex(" {2,}"), " "))
        tokenizer.pre_tokenizer = metaspace
    else:
        split = pre_tokenizers.WhitespaceSplit()
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, metaspace])
    if steps:
        tokenizer.normalizer = normalizers.Sequence(steps) if len(steps) > 1 else steps[0]
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    names = [name for name, _ in vocabulary]
    begin, end = template
    tokenizer.post_processor = processors.TemplateProcessing(
        single=[*begin, "$A", *end],
        pair=[*begin, "$A", *end, *(end if begin else []), "$B", *end],
        special_tokens=[(name, names.index(name)) for name in {*begin, *end}],
    )
    tokenizer.add_special_tokens(
        [AddedToken(each, lstrip=each in strips, normalized=False) for each in added]
    )
    return tokenizer


def xlm_roberta(only_spaces: bool = False, charsmap: bytes | None = b"") -> Any:
    """A tokenizer with the special tokens of XLM-R, in their places."""
    found = learned()
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    vocabulary += [*zip(found.pieces, found.scores, strict=True), ("<mask>", 0.0)]
    names = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    charsmap = found.charsmap if charsmap == b"" else charsmap
    template = (["<s>"], ["</s>"])
    return tokenizer_json(vocabulary, 3, template, names, ("<mask>",), charsmap, only_spaces)


def encoded(charsmap: bytes) -> str:
    """A map as `tokenizer.json` has it."""
    return base64.b64encode(charsmap).decode()


def _field(message: bytes, number: int) -> bytes:
    """The content of a field of a protocol buffer, the first of that number."""
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    sizes = {1: 8, 5: 4}
    while place < len(message):
        field, wire = divmod(varint(), 8)
        size = varint() if wire == 2 else sizes.get(wire, 0)
        if field == number and wire == 2:
            return message[place : place + size]
        place += size
        if wire == 0:
            varint()
    raise ValueError(f"there is no field {number}")
