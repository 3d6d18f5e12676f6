"""A page splits texts into the words that the library, artifacts and readers see."""

import json
import shutil
import subprocess

import pytest
import tensorflow as tf

from tests.zoo.text.programs.batches import as_bytes
from zoo.data.readers.tags import read_tagged
from zoo.page import template
from zoo.preprocessing.words import WordPreprocessor
from zoo.text import train_tokenizer
from zoo.text.masked import spaced
from zoo.text.programs.ragged import BOUNDARY
from zoo.text.programs.words import bounded_words
from zoo.text.separators import words_of
from zoo.text.special_tokens import MASK

SPACES = [0x20, *range(1, 0x20), 0x7F, 0x85, 0xA0, 0xAD, 0x1680, *range(0x2000, 0x2010), 0x2028]
SPACES += [0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0x2581, 0xFEFF, 0x0]
TEXTS = ["", " ", *(f"{x}Ann{x}sings {x} well{x}" for x in map(chr, SPACES)), "a\r\n\tb\v\fc"]
SCRIPT = """
const given = JSON.parse(require("fs").readFileSync(0, "utf-8"));
console.log(JSON.stringify(given.map((text) => [wordsOf(text), withMasksApart(text)])));
"""


def test_the_words_of_the_library_of_artifacts_and_of_files(tmp_path):
    preprocessor = WordPreprocessor(train_tokenizer("characters", ["Ann"], 20), 99)
    expected = preprocessor.words(TEXTS)
    assert [words_of(text) for text in TEXTS] == expected
    assert expected[2] == ["Ann", "sings", "well"]
    assert words_of("\u00a0Ann\u3000sings well\x1c") == ["\u00a0Ann\u3000sings", "well\x1c"]

    numbers, counts = bounded_words(*(tf.constant(each) for each in as_bytes(TEXTS)))
    assert (numbers.numpy() == BOUNDARY).sum(axis=1).tolist() == [*map(len, expected)]

    rows = [(words, ["O", *["B-A"] * (len(words) - 1)]) for words in expected if len(words) > 1]
    lines = ["".join(f"{word} {tag}\n" for word, tag in zip(*row, strict=True)) for row in rows]
    path = tmp_path / "a.conll"
    path.write_text("\n".join(lines), "utf-8", newline="\n")
    assert [[*words] for words in read_tagged(path).words] == [words for words, _ in rows]


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_words_and_masks_of_a_page():
    texts = [*TEXTS, *(f"a{chr(x)}{MASK}{MASK}b" for x in SPACES)]
    done = subprocess.run(
        ["node", "-e", template.script() + SCRIPT],
        input=json.dumps(texts), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == [[words_of(text), spaced(text)] for text in texts]


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u0085", "\u200b", " "])
def test_a_mask_behind_any_space_is_the_mask(space):
    tokenizer = train_tokenizer("wordpiece", ["a b"], 20)
    masked = type(tokenizer)([*tokenizer.vocabulary[:4], MASK, *tokenizer.vocabulary[4:]])
    (ids,) = masked.tokenize([spaced(f"a{space}{MASK}")]).to_list()
    assert ids[-1] == masked.special_tokens.mask == 4
