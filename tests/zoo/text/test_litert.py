"""The tokenizers inside LiteRT give what they give in TensorFlow."""

import json
import pathlib
import subprocess
import sys

import pytest

from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.text import train_tokenizer
from zoo.text.kinds import KINDS

CUSTOM = {
    "TFText>WhitespaceTokenizeWithOffsetsV2",
    "FastWordpieceTokenizeWithOffsets",
    "TFText>FastSentencepieceTokenize",
    "TFText>NgramsStringJoin",
    "RaggedTensorToTensor",
}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "bytes"])
def test_same_ids_and_texts(kind, tmp_path):
    tokenizer = train_tokenizer(kind, CORPUS, 113)
    tokenizer.save(tmp_path)
    batches = [CORPUS, ["a red hat"], HOSTILE, [""], ["", "  "], CORPUS * 7, ["the dog"]]
    command = [sys.executable, "-W", "ignore", "-m", "tests.zoo.text.litert_probe", str(tmp_path)]
    result = subprocess.run(
        [*command, json.dumps(batches)],
        capture_output=True,
        text=True,
        cwd=pathlib.Path(__file__).parents[3],
    )
    assert result.returncode == 0, result.stderr
    probe = json.loads(result.stdout.splitlines()[-1])
    for batch, found in zip(batches, probe["results"], strict=True):
        ids = tokenizer.tokenize(batch)
        assert found["ids"] == ids.to_list()
        assert found["texts"] == [text.decode() for text in tokenizer.detokenize(ids).numpy()]
    custom = {name for name in probe["operators"] if not name.isupper()}
    assert custom <= CUSTOM
    assert not any("Flex" in name for name in probe["operators"])
