"""Writes word vectors learned from the training texts alone, for `--embeddings`.

    python -m benchmarks.word_vectors train.jsonl.gz vectors.txt

Source: Levy & Goldberg 2014: word vectors as factors of the matrix of pointwise mutual information.
Formula: `U sqrt(S)` of the truncated SVD `U S V` of `max(0, log P(a, b) / (P(a) P(b)^0.75))`, with
counts of words within a window, each weighted by one over the distance
"""

import argparse
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

from zoo.data.readers.read_columns import read_columns
from zoo.data.readers.roles import LABELED
from zoo.text.tokenizer import Tokenizer
from zoo.text.tokenizers import train_tokenizer


def cooccurrences(tokenizer: Tokenizer, texts: list[str], window: int) -> sparse.csr_matrix:
    """The weighted counts of words near each other, (V, V)."""
    size = tokenizer.vocabulary_size
    counts = sparse.csr_matrix((size, size), dtype=np.float32)
    for start in range(0, len(texts), 512):
        tokens = tokenizer.tokenize(texts[start : start + 512])
        ids, rows = tokens.flat_values.numpy(), tokens.value_rowids().numpy()
        for distance in range(1, window + 1):
            same = rows[distance:] == rows[:-distance]
            ends = ids[:-distance][same], ids[distance:][same]
            weights = np.full(len(ends[0]), 1 / distance, np.float32)
            counts = counts + sparse.csr_matrix((weights, ends), (size, size))
    return counts + counts.T


def mutual_information(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """The positive pointwise mutual information, with contexts smoothed by the power 0.75."""
    found = counts.tocoo()
    words = np.asarray(counts.sum(axis=1)).ravel()
    contexts = words**0.75
    expected = words[found.row] * contexts[found.col] / contexts.sum()
    values = np.maximum(0, np.log(found.data / expected))
    return sparse.csr_matrix((values, (found.row, found.col)), counts.shape)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="labeled texts; labels are not used")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--dim", type=int, default=200, help="width of the vectors")
    parser.add_argument("--window", type=int, default=8, help="words on each side")
    parser.add_argument("--vocabulary-size", type=int, default=30_000)
    options = parser.parse_args()
    texts = read_columns(options.data, LABELED, "labeled texts").cells["text"]
    tokenizer = train_tokenizer("words", texts, options.vocabulary_size)
    counts = cooccurrences(tokenizer, texts, options.window)
    svd = TruncatedSVD(options.dim, random_state=0)
    vectors = svd.fit_transform(mutual_information(counts)) / np.sqrt(svd.singular_values_)
    vectors /= vectors.std()
    special = {*tokenizer.vocabulary[:5]}
    with options.out.open("w", encoding="utf-8") as file:
        for word, vector in zip(tokenizer.vocabulary, vectors, strict=True):
            if word not in special:
                file.write(f"{word} {' '.join(f'{x:.4f}' for x in vector)}\n")


if __name__ == "__main__":
    main()
