"""The tokenizers inside LiteRT give what they give in TensorFlow."""

import json
import pathlib
import subprocess
import sys

import pytest

from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.text import train_tokenizer
from zoo.text.tokenizers import TRAINABLE

pytestmark = pytest.mark.thorough

CUSTOM = {
    "FastBertNormalize",
    "TFText>WhitespaceTokenizeWithOffsetsV2",
    "FastWordpieceTokenizeWithOffsets",
    "TFText>FastSentencepieceTokenize",
    "TFText>NgramsStringJoin",
    "RaggedTensorToTensor",
}


BATCHES = [CORPUS, ["a red hat"], HOSTILE, [""], ["", "  "], CORPUS * 7, ["the dog"]]
# Byte-level tokenizers refuse strings in LiteRT; see `Tokenizer.check_litert`.
BUILT = [kind for kind in TRAINABLE if kind not in ("bytes", "byte-bpe")]


@pytest.fixture(scope="module")
def probes(tmp_path_factory):
    """A tokenizer of each kind, and what one process found of it in LiteRT."""
    folder = tmp_path_factory.mktemp("tokenizers")
    tokenizers = {kind: train_tokenizer(kind, CORPUS, 113) for kind in BUILT}
    for kind, tokenizer in tokenizers.items():
        tokenizer.save(folder / kind)
    command = [sys.executable, "-W", "ignore", "-m", "tests.zoo.text.litert_probe"]
    result = subprocess.run(
        [*command, json.dumps(BATCHES), *(str(folder / kind) for kind in BUILT)],
        capture_output=True,
        text=True,
        cwd=pathlib.Path(__file__).parents[3],
    )
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    actual = {pathlib.Path(line["folder"]).name: line for line in lines}
    return tokenizers, actual, result.stderr


@pytest.mark.long
@pytest.mark.parametrize("kind", BUILT)
def test_same_ids_and_texts(kind, probes):
    tokenizers, actual, said = probes
    assert kind in actual, said[-4000:]
    tokenizer, probe = tokenizers[kind], actual[kind]
    for batch, result in zip(BATCHES, probe["results"], strict=True):
        ids = tokenizer.tokenize(batch)
        assert result["ids"] == ids.to_list()
        assert result["texts"] == [text.decode() for text in tokenizer.detokenize(ids).numpy()]
    custom = {name for name in probe["operators"] if not name.isupper()}
    assert custom <= CUSTOM
    assert not any("Flex" in name for name in probe["operators"])
