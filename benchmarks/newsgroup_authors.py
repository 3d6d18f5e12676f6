"""A graph of the authors of 20 Newsgroups, each of whom writes in one group or in several.

    python -m benchmarks.newsgroup_authors --news 20news/ --out authors.npz

Reads `train.jsonl.gz` and `test.jsonl.gz` of 20 Newsgroups by date: JSONL with `group` and `text`.
A node is an address that wrote at least three messages; its labels are the groups of these; an edge
connects two who wrote under the same subject. The features say which of 1,433 words (as many as
Cora has) the author uses, words of headers and of quotes apart. No message lists the groups it was
posted to, so that the labels of an author are those of several messages.

Six of ten authors are to train on, two to validate, two to test, by a random permutation.
"""

import argparse
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.newsgroups import SUBJECT, body_of

ADDRESS = re.compile(r"^From:.*?([\w.%+-]+@[\w.-]+)", re.MULTILINE)
REPLIES = re.compile(r"^((re|fwd?)\s*:\s*)+", re.IGNORECASE)
FEWEST, WORDS = 3, 1433  # messages of an author; words that are features
SHARES = {"train": 0.6, "validation": 0.2, "test": 0.2}


class Post(NamedTuple):
    """A message of an author."""

    author: str
    group: str
    subject: str
    body: str


def post_of(group: str, text: str) -> Post | None:
    """A message, or None without an address or a subject.

    Example:
        >>> post_of("rec.autos", "From: Al <Al@x.edu>\\nSubject: Re: Brakes\\n\\nThey squeak.")
        Post(author='al@x.edu', group='rec.autos', subject='brakes', body='They squeak.')
    """
    head, _, rest = text.partition("\n\n")
    author, subject = ADDRESS.search(head), SUBJECT.search(head)
    if author is None or subject is None:
        return None
    thread = REPLIES.sub("", subject[1].strip().lower())
    return Post(author[1].lower(), group, thread, body_of(rest))


def posts(folder: Path) -> Iterator[Post]:
    """The messages of both files."""
    for part in ("train", "test"):
        with gzip.open(folder / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = map(json.loads, lines)
            yield from filter(None, (post_of(row["group"], row["text"]) for row in rows))


def graph_of(every: Iterator[Post], seed: int = 0) -> dict[str, np.ndarray]:
    """The arrays of the graph, by the names that `keras-attn` reads.

    Args:
        every: The messages.
        seed: Seed of the split.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    by_author: dict[str, list[Post]] = defaultdict(list)
    for post in every:
        by_author[post.author].append(post)
    authors = sorted(author for author, own in by_author.items() if len(own) >= FEWEST)
    number = {author: index for index, author in enumerate(authors)}
    groups = sorted({post.group for author in authors for post in by_author[author]})
    labels = np.zeros((len(authors), len(groups)), np.int8)
    threads = defaultdict(set)
    for author in authors:
        for post in by_author[author]:
            labels[number[author], groups.index(post.group)] = 1
            threads[post.subject].add(number[author])
    edges = {pair for each in threads.values() for pair in combinations(sorted(each), 2)}
    order = np.random.default_rng(seed).permutation(len(authors))
    ends = np.cumsum([round(share * len(authors)) for share in SHARES.values()])[:-1]
    masks = {
        name: np.isin(np.arange(len(authors)), own)
        for name, own in zip(SHARES, np.split(order, ends), strict=True)
    }
    texts = [" ".join(post.body for post in by_author[author]) for author in authors]
    words = CountVectorizer(
        binary=True, max_features=WORDS, stop_words="english", token_pattern=r"[a-z]{3,}"
    )
    words.fit(text for text, learned in zip(texts, masks["train"], strict=True) if learned)
    return {
        "nodes": words.transform(texts).toarray().astype(np.float32),
        "edges": np.array(sorted(edges)).T,
        "labels": labels,
        "classes": np.array(groups),
        **masks,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--news", required=True, type=Path, help="folder of 20 Newsgroups")
    parser.add_argument("--out", required=True, type=Path, help=".npz file to write")
    parser.add_argument("--seed", type=int, default=0, help="seed of the split")
    options = parser.parse_args()
    graph = graph_of(posts(options.news), options.seed)
    np.savez_compressed(options.out, **graph)
    count, several = len(graph["labels"]), int((graph["labels"].sum(axis=1) > 1).sum())
    print(f"{count:,} authors, {several:,} in several groups, {graph['edges'].shape[1]:,} edges")


if __name__ == "__main__":
    main()
