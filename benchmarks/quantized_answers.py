"""What a language model of a sweep still answers as in float32, file by file.

    keras-attn export runs/smollm2 --sweep --data news.txt --max-new-tokens 32 --out sweeps/smollm2
    python -m benchmarks.quantized_answers runs/smollm2 sweeps/smollm2 --texts documents.txt

The run has a checkpoint with contexts of 256 tokens, such as by
`zoo.from_pretrained("SmolLM2-135M-Instruct.Q4_1.gguf", max_length=256).save("runs/smollm2")`.

Of each file: the share of prompts after which the next token is that of the float32 file; the
number of generated tokens before the first one that differs, its median over prompts; the share of
questions with four endings of a passage of which the true one is the most probable; and, of
questions that are to be answered by yes or no, how many are so answered, and how many rightly.
Brackets have 95 % intervals (Clopper and Pearson 1934).
"""

import argparse
import json
import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import export
import zoo
from export.intervals import of_share

FLOAT32, WRITES = "float32", "serving_default"
QUESTIONS, SEED = 100, 0
CHARACTERS = (160, 500)  # of a passage, and of a whole text
ANIMALS = (
    "dog cat horse cow sheep goat lion tiger bear wolf fox rabbit mouse elephant monkey "
    "snake frog eagle shark whale"
).split()
THINGS = (
    "table chair hammer car train bottle spoon window door book pencil shoe clock "
    "phone lamp bridge brick knife bicycle guitar"
).split()
SHOTS = "".join(
    f"Question: Is a {name} an animal? Answer yes or no.\nAnswer: {answer}\n\n"
    for name, answer in (("pig", "yes"), ("stone", "no"), ("cup", "no"), ("duck", "yes"))
)


@dataclass(frozen=True)
class Asked:
    """The texts that each file gets.

    Args:
        endings: Of each question, four texts with the same beginning, of which the first is true.
        prompts: The beginnings of texts that are continued.
        named: The question by yes or no, and whether the answer is yes.
    """

    endings: Sequence[Sequence[str]]
    prompts: Sequence[str]
    named: Sequence[tuple[str, bool]]


@dataclass(frozen=True)
class Answers:
    """What a file answers.

    Args:
        chosen: The number of the most probable ending of each question.
        written: The tokens of each continuation.
        replies: The first word of each answer by yes or no.
    """

    chosen: Sequence[int]
    written: Sequence[Sequence[int]]
    replies: Sequence[str]


def asked(texts: Sequence[str]) -> Asked:
    """Questions and prompts of texts, the same in every process."""
    draw = random.Random(SEED)
    short, long = CHARACTERS
    pieces = [" ".join(text.split()) for text in texts]
    pieces = draw.sample([each for each in pieces if len(each) > long], QUESTIONS)
    cut = [_cut(each, short) for each in pieces]
    begun = [each[:at] for each, at in zip(pieces, cut, strict=True)]
    ends = [each[at : _cut(each, at + short)] for each, at in zip(pieces, cut, strict=True)]
    endings = [
        [begin + ends[index], *(begin + end for end in draw.sample(_others(ends, index), 3))]
        for index, begin in enumerate(begun)
    ]
    names = [(name, True) for name in ANIMALS] + [(name, False) for name in THINGS]
    questions = [
        (f"{SHOTS}Question: Is a {name} an animal? Answer yes or no.\nAnswer:", yes)
        for name, yes in names
    ]
    return Asked(endings, begun, questions)


def _cut(text: str, at: int) -> int:
    """The place of the first space from a place on, or the end."""
    found = text.find(" ", at)
    return len(text) if found < 0 else found


def _others(ends: Sequence[str], index: int) -> list[str]:
    return [each for number, each in enumerate(ends) if number != index]


class Caller:
    """Calls the signatures of a file with the tokens of texts.

    Args:
        file: The file.
        tokenizer: The tokenizer of the model.
    """

    def __init__(self, file: Path, tokenizer: Any) -> None:
        self._file, self._tokenizer = file, tokenizer
        self._open: tuple[str, export.Predictor] | None = None

    def log_probabilities(self, text: str) -> np.ndarray:
        """The log-probability of each token of a text."""
        row: np.ndarray = self._of("score")(token_ids=self._ids(text))["log_probabilities"][0]
        return row

    def written(self, text: str) -> list[int]:
        """The most probable tokens after a text."""
        outputs = self._of(WRITES)(token_ids=self._ids(text))
        return [int(each) for each in outputs["token_ids"][0][: outputs["lengths"][0]]]

    def _of(self, signature: str) -> export.Predictor:
        """One signature at a time: weights that LiteRT unpacks may take gigabytes for each."""
        if self._open is None or self._open[0] != signature:
            self._open = None
            self._open = signature, export.Predictor(self._file, signature, batch_size=1)
        return self._open[1]

    def reply(self, text: str) -> str:
        """The first word of what is written after a text."""
        (reply,) = self._tokenizer.detokenize([self.written(text)]).numpy()
        return first_word(reply)

    def _ids(self, text: str) -> np.ndarray:
        return np.array(self._tokenizer.tokenize([text]).to_list(), "int32")


def first_word(reply: bytes) -> str:
    """The first word of a text in UTF-8, in small letters, without punctuation.

    Example:
        >>> first_word(b" No.\\n\\nQuestion: 1"), first_word(b"")
        ('no', '')
    """
    words = reply.decode("utf-8", "replace").split()
    return words[0].strip(".,!").lower() if words else ""


def answers(call: Caller, questions: Asked) -> Answers:
    """What a file answers, a row at a time."""
    chosen = []
    for texts in questions.endings:
        rows = [call.log_probabilities(text) for text in texts]
        shared = min(_shared(rows[0], row) for row in rows[1:])
        ends = [row[shared:] for row in rows]
        chosen.append(int(np.argmax([row.sum() / max(1, (row != 0).sum()) for row in ends])))
    written = [call.written(text) for text in questions.prompts]
    return Answers(chosen, written, [call.reply(text) for text, _ in questions.named])


def _shared(one: np.ndarray, other: np.ndarray) -> int:
    """How many log-probabilities at the beginning are equal, of the tokens that two texts share."""
    size = min(len(one), len(other))
    differs = np.abs(one[:size] - other[:size]) > 1e-4
    return int(differs.argmax()) if differs.any() else size


def until_different(one: Sequence[int], other: Sequence[int]) -> int:
    """The number of tokens before the first one that differs.

    Example:
        >>> until_different([5, 7, 9], [5, 7, 8]), until_different([5], [5])
        (2, 1)
    """
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def line(name: str, own: Answers, exact: Answers, questions: Asked) -> str:
    """A row of the table."""
    same = [a[:1] == b[:1] for a, b in zip(own.written, exact.written, strict=True)]
    kept = [until_different(a, b) for a, b in zip(own.written, exact.written, strict=True)]
    right = [each == 0 for each in own.chosen]
    formed = [each in ("yes", "no") for each in own.replies]
    true = [
        (each == "yes") == yes for each, (_, yes) in zip(own.replies, questions.named, strict=True)
    ]
    true = [a and b for a, b in zip(true, formed, strict=True)]
    whole = sum(a == b for a, b in zip(own.written, exact.written, strict=True))
    cells = [
        name,
        _share(same),
        f"{statistics.median(kept):g} ({whole} of {len(kept)} the same)",
        *map(_share, (right, formed, true)),
    ]
    return f"| {' | '.join(cells)} |"


def _share(hits: Sequence[bool]) -> str:
    low, high = of_share(sum(hits) / len(hits), len(hits))
    return f"{sum(hits) / len(hits):.0%} ({low:.0%} to {high:.0%})"


def table(
    folder: Path, tokenizer: Any, questions: Asked, files: Sequence[str] = ()
) -> Iterator[str]:
    """The rows of a table, each as soon as its file has answered.

    Args:
        folder: The folder of the sweep.
        tokenizer: The tokenizer of the model.
        questions: What is asked.
        files: Names of the files beside float32. Default: all that passed their checks.
    """
    rows = json.loads((folder / "sweep.json").read_text(encoding="utf-8"))["rows"]
    names = [row["name"] for row in rows if "refused" not in row]

    def of(name: str) -> Answers:
        return answers(Caller(folder / f"{name}.tflite", tokenizer), questions)

    exact = of(FLOAT32)
    yield "| file | next token | tokens until different | endings | yes or no | right |"
    yield "| --- | --- | --- | --- | --- | --- |"
    yield line(FLOAT32, exact, exact, questions)
    for name in names:
        if name != FLOAT32 and (name in files or not files):
            yield line(name, of(name), exact, questions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="the run that was swept, a causal-lm")
    parser.add_argument("sweep", type=Path, help="folder of the sweep")
    parser.add_argument("--texts", required=True, type=Path, help="a document in each line")
    parser.add_argument("--file", action="append", default=[], help="a file beside float32")
    options = parser.parse_args()
    questions = asked(options.texts.read_text("utf-8").split("\n"))
    tokenizer = zoo.load(options.run).tokenizer
    for row in table(options.sweep, tokenizer, questions, options.file):
        print(row, flush=True)


if __name__ == "__main__":
    main()
