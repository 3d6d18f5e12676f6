"""Files whose answers are made from real data: questions, pairs, values and several labels.

The folder of data has `20news/{train,test}.jsonl.gz`, `mnist/*.gz` (idx), `fsdd/index.csv` with
`recordings/`, and `vader/movieReviewSnippets_GroundTruth.txt`, which the source distribution of
vaderSentiment has in `additional_resources/`.
"""

import gzip
import random
from pathlib import Path

from benchmarks import digit_angles, digit_cards, header_questions, newsgroups, spoken_series
from benchmarks.default_files import Files

HELD_OUT = 0.1  # share of the training rows
TEST = 1000  # maximum number of messages to evaluate
OTHERS = {"train": 4, "test": 9}  # wrong passages for each query
QUERIES = 200  # of the test


def headers(data: Path, out: Path, rows: int) -> Files:
    """Questions on the headers of messages."""
    header_questions.write(data / "20news", out, rows)
    return Files(out / "train.jsonl", HELD_OUT, out / "test.jsonl")


def subjects(data: Path, out: Path, rows: int) -> Files:
    """Subjects as queries, each with its message and others of the same group."""
    out.mkdir(parents=True, exist_ok=True)
    for split, others in OTHERS.items():
        found = list(newsgroups.messages(data / f"20news/{split}.jsonl.gz"))
        random.Random(1).shuffle(found)
        queries = QUERIES if split == "test" else rows // (1 + others)
        pairs = newsgroups.searches(found, queries, others)
        newsgroups.write(out / f"{split}.tsv", ("query", "passage", "score"), pairs)
    return Files(out / "train.tsv", HELD_OUT, out / "test.tsv")


def ratings(data: Path, out: Path, rows: int) -> Files:
    """Sentences of film reviews with the mean of 20 ratings, every fifth to evaluate with."""
    text = (data / "vader/movieReviewSnippets_GroundTruth.txt").read_text("utf-8")
    every = [(line[2], line[1]) for line in (each.split("\t") for each in text.splitlines())]
    learned = [row for number, row in enumerate(every, start=1) if number % 5]
    learned = random.Random(0).sample(learned, min(rows, len(learned)))
    out.mkdir(parents=True, exist_ok=True)
    for split, chosen in (("train", learned), ("test", every[4::5])):
        newsgroups.write(out / f"{split}.tsv", ("text", "rating"), chosen)
    return Files(out / "train.tsv", HELD_OUT, out / "test.tsv")


def angles(data: Path, out: Path, rows: int) -> Files:
    """Images of digits with the angle by which each was rotated."""
    digit_angles.write(data / "mnist", out, rows)
    return Files(out / "train.npz", HELD_OUT, out / "test.npz")


def cards(data: Path, out: Path, rows: int) -> Files:
    """Images of three digits, each of which is a label."""
    digit_cards.write(data / "mnist", out, rows)
    return Files(out / "train.npz", HELD_OUT, out / "test.npz", options=("--multi-label",))


def pitch(data: Path, out: Path, rows: int) -> Files:
    """Samples of all recordings with their pitch."""
    spoken_series.write(data / "fsdd", out)
    return Files(out / "pitch-train.npz", HELD_OUT, out / "pitch-test.npz")


def speakers(data: Path, out: Path, rows: int) -> Files:
    """Energies of all recordings, with the digit and the speaker as labels."""
    spoken_series.write(data / "fsdd", out)
    paths = out / "words-train.npz", HELD_OUT, out / "words-test.npz"
    return Files(*paths, options=("--multi-label",))


def groups(data: Path, out: Path, rows: int) -> Files:
    """Messages with the parts of the name of their group as labels."""
    out.mkdir(parents=True, exist_ok=True)
    for split, most in (("train", rows), ("test", TEST)):
        raw = gzip.decompress((data / f"20news/{split}.jsonl.gz").read_bytes()).decode("utf-8")
        lines = raw.splitlines()
        chosen = random.Random(0).sample(lines, min(most, len(lines)))
        (out / f"{split}.jsonl").write_text("\n".join([*chosen, ""]), "utf-8")
    how = "--multi-label", "--label-column", "group", "--label-separator", "."
    return Files(out / "train.jsonl", HELD_OUT, out / "test.jsonl", options=how)
