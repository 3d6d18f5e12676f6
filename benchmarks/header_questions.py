"""Questions on the headers of 20 Newsgroups: who wrote a post, from where, on what.

    python -m benchmarks.header_questions --news 20news/ --out questions/ --count 4000

Writes `train.jsonl` and `test.jsonl` for `keras-attn train question-answering`. The passages are
real: the first 400 characters of posts, with their headers. The questions are made by rules, one
for each post, in one of three phrasings. Some posts have no answer. The test questions are on posts
of a later date, with phrasings that the training data have, too.
"""

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

CHARACTERS = 400  # of a passage
TESTED = 1000
PHRASINGS = {
    "author": ("Who wrote this?", "What is the name of the author?", "Whose post is it?"),
    "address": ("Where can I mail the author?", "What is the author's e-mail?", "Which address?"),
    "subject": (
        "What is this about?",
        "Which topic is discussed?",
        "What does the post deal with?",
    ),
    "organization": (
        "Where does the author work or study?",
        "Which institution is it from?",
        "What does the writer belong to?",
    ),
    "reply": (
        "Where do replies go?",
        "To whom should I reply?",
        "Is there another address to respond to?",
    ),
}
HEADERS = {
    "author": r"^From: +(?:[\w.+%-]+@[\w.-]+ +\((?P<a>[^()\n]+)\)|(?P<b>[^<>@\n]+?) +<[^<>\n]+>)",
    "address": r"^From: .*?(?P<a>[\w.+%-]+@[\w.-]*\w)",
    "subject": r"^Subject: +(?:Re: *)*(?P<a>\S.*?)\s*$",
    "organization": r"^Organization: +(?P<a>\S.*?)\s*$",
    "reply": r"^Reply-To: .*?(?P<a>[\w.+%-]+@[\w.-]*\w)",
}


def answer_of(kind: str, passage: str) -> tuple[str, int]:
    """The answer to a kind of question, and where it is; "" if the headers have none.

    Example:
        >>> answer_of("author", "From: ann@x.org (Ann Lee)\\nSubject: Re: hats")
        ('Ann Lee', 19)
    """
    headers = passage.partition("\n\n")[0]
    found = re.search(HEADERS[kind], headers, re.MULTILINE | re.IGNORECASE)
    if found is None:
        return "", 0
    name = "a" if found["a"] is not None else "b"
    inside = found[name].strip("\"' ")
    return inside, found.start(name) + found[name].index(inside)


def questions(path: Path, count: int, seed: int) -> Iterator[dict[str, object]]:
    """Questions on random posts of a file."""
    chance = random.Random(seed)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        posts = [json.loads(line)["text"] for line in lines]
    for post in chance.sample(posts, count):
        passage = post[:CHARACTERS]
        kind = chance.choice([*PHRASINGS])
        answer, start = answer_of(kind, passage)
        question = chance.choice(PHRASINGS[kind])
        yield {"question": question, "passage": passage, "answer": answer, "answer_start": start}


def write(news: Path, out: Path, count: int) -> None:
    """Writes both files to a folder, from the posts of `news` and `count` training questions."""
    out.mkdir(parents=True, exist_ok=True)
    for split, number in (("train", count), ("test", TESTED)):
        rows = list(questions(news / f"{split}.jsonl.gz", number, seed=len(split)))
        path = out / f"{split}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        none = sum(not row["answer"] for row in rows)
        print(f"{path}: {len(rows)} questions, {none} without an answer")


def main() -> None:
    """Writes both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--news", type=Path, required=True, help="folder with the posts by date")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--count", type=int, default=4000, help="number of training questions")
    given = parser.parse_args()
    write(given.news, given.out, given.count)


if __name__ == "__main__":
    main()
