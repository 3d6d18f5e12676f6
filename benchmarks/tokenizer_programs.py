"""Tokenizers as tensor programs beside their custom operators and Hugging Face's `tokenizers`.

    python -m benchmarks.tokenizer_programs bert_base_uncased/vocab.txt val.en-de.tsv

The first argument is the vocabulary of BERT, a folder with GPT-2's `encoder.json` and `vocab.bpe`,
or a kind of tokenizer, such as `sentencepiece`, which is trained on the texts and has no peer. The
second is a file with the texts, one in each line. Ids are compared on many texts: lines, and
hostile ones made of them. Then one text of 512 bytes is tokenized, by each on one thread.
"""

import argparse
import json
import random
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers

import export
from zoo.bench.machine import machine
from zoo.bench.timing import take_turns
from zoo.own_models.tokenizer import ExportableTokenizer
from zoo.text import train_tokenizer
from zoo.text.bert_wordpiece import BertWordPieceTokenizer
from zoo.text.byte_bpe import ByteBPETokenizer
from zoo.text.tokenizer import Tokenizer
from zoo.text.tokenizers import TRAINABLE

BYTES = 512
VOCABULARY = 6000  # tokens of a trained tokenizer
BATCH = 100
RUNS = 200
CODE_POINTS = 0x110000


def main() -> None:
    """Prints how many texts differ, and the seconds of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--count", type=int, default=20_000, help="texts that are compared")
    given = parser.parse_args()
    print(json.dumps(machine()), flush=True)
    lines = [line for line in given.texts.read_text("utf-8").splitlines() if line]
    theirs: tokenizers.Tokenizer | None = None
    if str(given.vocabulary) in TRAINABLE:
        ours: Tokenizer = train_tokenizer(str(given.vocabulary), lines, VOCABULARY)
    else:
        read = gpt2 if given.vocabulary.is_dir() else bert
        ours, theirs = read(given.vocabulary)
    file = converted(ours)
    run = runner(file)
    texts = hostile(lines, given.count)
    print(json.dumps({"texts": len(texts), **differing(texts, run, ours, theirs)}), flush=True)
    text = " ".join(lines).encode()[:BYTES].decode("utf-8", "ignore")
    text_bytes, lengths = as_bytes([text])
    custom = tf.function(lambda texts: ours.tokenize(texts).to_tensor(-1), autograph=False)
    strings = tf.constant([text])
    contenders: dict[str, Callable[[], Any]] = {
        "LiteRT, built-in operators": lambda: run(text_bytes=text_bytes, text_lengths=lengths),
        "TensorFlow, as before": lambda: custom(strings),
    }
    if theirs:
        contenders["tokenizers"] = partial(theirs.encode, text, add_special_tokens=False)
    seconds = take_turns(contenders, RUNS)
    shown = {name: round(statistics.median(each) * 1e3, 3) for name, each in seconds.items()}
    print(json.dumps({"bytes": lengths.tolist(), "milliseconds": shown, "MB": len(file) / 1e6}))


def bert(path: Path) -> tuple[Tokenizer, tokenizers.Tokenizer]:
    """Uncased BERT's tokenizers, from its vocabulary."""
    vocabulary = path.read_text("utf-8").splitlines()
    ids = {piece: i for i, piece in enumerate(vocabulary)}
    theirs = tokenizers.Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    theirs.normalizer = normalizers.BertNormalizer()
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return BertWordPieceTokenizer(vocabulary), theirs


def gpt2(folder: Path) -> tuple[Tokenizer, tokenizers.Tokenizer]:
    """GPT-2's tokenizers, from its vocabulary and merges."""
    ids = json.loads((folder / "encoder.json").read_text("utf-8"))
    merges = [line for line in (folder / "vocab.bpe").read_text("utf-8").splitlines()[1:] if line]
    theirs = tokenizers.Tokenizer(models.BPE(ids, [tuple(each.split()) for each in merges]))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    end = ids["<|endoftext|>"]
    return ByteBPETokenizer(sorted(ids, key=ids.get), merges, {"start": end, "end": end}), theirs


def hostile(lines: list[str], count: int) -> list[str]:
    """Lines, and as many random texts: parts of lines, and characters of all of Unicode."""
    rng = random.Random(0)

    def characters() -> str:
        codes = (rng.randrange(CODE_POINTS) for _ in range(rng.randrange(9)))
        return "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)

    def mixed() -> str:
        line = rng.choice(lines)
        at = rng.randrange(len(line))
        return line[at : at + rng.randrange(40)] + characters() + line[: rng.randrange(20)]

    return [*rng.choices(lines, k=count // 2), *(mixed() for _ in range(count - count // 2))]


def converted(tokenizer: Tokenizer) -> bytes:
    """A LiteRT file of the tokenizer, with built-in operators only."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.tflite"
        export.litert(ExportableTokenizer(tokenizer), path)
        return path.read_bytes()


def runner(file: bytes) -> Callable[..., dict[str, np.ndarray]]:
    from ai_edge_litert.interpreter import Interpreter

    return Interpreter(model_content=file, num_threads=1).get_signature_runner("serving_default")


def as_bytes(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Padded bytes, int32 (B, N), and their lengths (B,)."""
    rows = [text.encode() for text in texts]
    lengths = np.array([*map(len, rows)], np.int32)
    found = np.zeros((len(rows), lengths.max()), np.int32)
    for row, text in zip(found, rows, strict=True):
        row[: len(text)] = list(text)
    return found, lengths


def differing(
    texts: list[str], run: Callable, ours: Tokenizer, theirs: tokenizers.Tokenizer | None
) -> dict[str, Any]:
    """How many texts have other ids than those of the project's tokenizer, and of the other."""
    peers: dict[str, Callable[[list[str]], list[list[int]]]] = {
        "differ from TensorFlow": lambda batch: ours.tokenize(batch).to_list()
    }
    if theirs:
        peers["differ from tokenizers"] = lambda batch: [
            each.ids for each in theirs.encode_batch(batch, add_special_tokens=False)
        ]
    different = dict.fromkeys(peers, 0)
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        found = run(**dict(zip(("text_bytes", "text_lengths"), as_bytes(batch), strict=True)))
        ids = zip(found["token_ids"], found["counts"], strict=True)
        rows = [row[:count].tolist() for row, count in ids]
        for name, peer in peers.items():
            different[name] += sum(a != b for a, b in zip(rows, peer(batch), strict=True))
    return different


if __name__ == "__main__":
    main()
