"""Tables of 20 Newsgroups: subjects as queries for messages, and as their headlines.

    python -m benchmarks.newsgroups --news 20news/ --out news/

Reads `train.jsonl.gz` and `test.jsonl.gz` of 20 Newsgroups by date: JSONL with `group` and `text`.
Only messages that begin a thread count, whose subject has no "Re:", one for each subject; what they
quote of others and their signature is left out.

`search-train.tsv` and `search-test.tsv` are for `keras-attn train text-pair-scorer`: a subject
(`query`), a message (`passage`), and the `score` 1 for the message with the subject, or 0 for other
messages of the same group: 4 for each of 1,500 subjects in training, 9 for each of 200 in the test.

`pairs-train.tsv` and `pairs-test.tsv` are for `keras-attn train text-embedder`: a subject
(`source`) and its message (`target`).

`headlines-train.tsv` and `headlines-test.tsv` are for `keras-attn train text-to-text`: a message
(`text`) and its subject (`summary`); `texts.txt` has the messages of the test, one a line.

`chats-train.jsonl` and `chats-test.jsonl` are for `keras-attn train causal-lm`: a user
asks for the subject of a message. `questions.txt` has what the user says in those of the test.

`preferences-train.jsonl` and `preferences-test.jsonl` are for `--loss dpo`: of each message of at
most 300 characters the `prompt`, its subject (`chosen`), and that of another message of the same
group (`rejected`).
"""

import argparse
import csv
import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SUBJECT = re.compile(r"^Subject: *(.*)$", re.MULTILINE)
REPLY = re.compile(r"^\W*(re|fwd?)\b", re.IGNORECASE)
QUOTED = re.compile(r"^\s*([>|:}#]|\w{1,4}>|in (article|message|<)|.*\b(writes|wrote):?\s*$)", re.I)
SIGNATURE = re.compile(r"^--\s*$", re.MULTILINE)
LONGEST, SHORT = 1000, 300  # characters of a message
FEWEST, SHORTEST = 20, 2  # words of a message and of a subject
ASKED = "Write a subject line for this message: "
NEGATIVES = {"train": 4, "test": 9}
POOL = 1500  # messages that passages are from
QUERIES = {"train": 1500, "test": 200}


class Message(NamedTuple):
    """A message that begins a thread."""

    group: str
    subject: str
    body: str


def body_of(text: str) -> str:
    """What a message says itself, in one line.

    Example:
        >>> body_of("Ann writes:\\n> Is it?\\nIt is.\\n--\\nBob, Rome")
        'It is.'
    """
    own = SIGNATURE.split(text, maxsplit=1)[0]
    lines = [line for line in own.splitlines() if not QUOTED.match(line)]
    return " ".join(" ".join(lines).split())[:LONGEST].strip()


def messages(path: Path) -> Iterator[Message]:
    """The messages of a file that begin a thread, one for each subject."""
    seen = set()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            head, _, rest = row["text"].partition("\n\n")
            found = SUBJECT.search(head)
            subject, body = " ".join(found[1].split()) if found else "", body_of(rest)
            if REPLY.match(subject) or subject.lower() in seen or len(body.split()) < FEWEST:
                continue
            if len(subject.split()) >= SHORTEST:
                seen.add(subject.lower())
                yield Message(row["group"], subject, body)


def searches(
    found: Sequence[Message], queries: int, negatives: int
) -> Iterator[tuple[str, str, int]]:
    """Queries with passages of the same group, and whether a passage is the one."""
    generator, groups = random.Random(0), {each.group: list[Message]() for each in found}
    for each in found:
        groups[each.group].append(each)
    for each in found[:queries]:
        yield each.subject, each.body, 1
        others = [other for other in groups[each.group] if other.body != each.body]
        for other in generator.sample(others, min(negatives, len(others))):
            yield each.subject, other.body, 0


def chat(message: Message) -> dict[str, list[dict[str, str]]]:
    """A chat in which a user asks for the subject of a message."""
    said = {"user": ASKED + message.body, "assistant": message.subject}
    return {"messages": [{"role": role, "content": text} for role, text in said.items()]}


def preferences(found: Sequence[Message]) -> Iterator[dict[str, str]]:
    """The subjects of short messages, beside those of others of the same group."""
    generator, groups = random.Random(0), {each.group: list[Message]() for each in found}
    for each in found:
        groups[each.group].append(each)
    for each in found:
        others = [other for other in groups[each.group] if other.subject != each.subject]
        if others and len(each.body) <= SHORT:
            rejected = generator.choice(others).subject
            yield {"prompt": ASKED + each.body, "chosen": each.subject, "rejected": rejected}


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[str | int]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([header, *rows])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--news", type=Path, required=True, help="Folder of the two files.")
    parser.add_argument("--out", type=Path, required=True, help="Folder to write.")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for part, negatives in NEGATIVES.items():
        found = list(messages(given.news / f"{part}.jsonl.gz"))
        random.Random(1).shuffle(found)
        rows = searches(found[:POOL], QUERIES[part], negatives)
        write(given.out / f"search-{part}.tsv", ("query", "passage", "score"), rows)
        pairs = ((each.subject, each.body) for each in found)
        write(given.out / f"pairs-{part}.tsv", ("source", "target"), pairs)
        headlines = ((each.body, each.subject) for each in found)
        write(given.out / f"headlines-{part}.tsv", ("text", "summary"), headlines)
        chats = "".join(f"{json.dumps(chat(each))}\n" for each in found)
        (given.out / f"chats-{part}.jsonl").write_text(chats, "utf-8")
        pairs_of = "".join(f"{json.dumps(each)}\n" for each in preferences(found))
        (given.out / f"preferences-{part}.jsonl").write_text(pairs_of, "utf-8")
        print(f"{part}: {len(found)} messages")
    for name, before in (("texts", ""), ("questions", ASKED)):
        lines = "".join(f"{before}{each.body}\n" for each in found)
        (given.out / f"{name}.txt").write_text(lines, "utf-8")


if __name__ == "__main__":
    main()
