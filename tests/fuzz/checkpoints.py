"""Targets of checkpoints, of Hugging Face and of KerasHub."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import zoo
from tests.fuzz.places import whole
from tests.fuzz.target import Target
from tests.zoo.pretrained import tiny_bart, tiny_bert, tiny_gpt2, tiny_keras_hub


def sentence_encoder(folder: Path) -> None:
    tiny_bert.as_json(tiny_bert.write(folder))
    tiny_bert.as_sentence_encoder(folder, max_seq_length=17)


def convert(path: Path) -> None:
    zoo.from_pretrained(whole(path))


def preset(model: str) -> Callable[[Path], None]:
    """Saves a model of KerasHub."""
    return lambda folder: getattr(tiny_keras_hub, model)().save_to_preset(folder)


PRESETS = {
    f"KerasHub's {model}": Target(preset(model), convert, slow=True)
    for model in ("bert", "gpt2", "bart")
}
TARGETS = {
    "checkpoint of BERT": Target(tiny_bert.write, convert, slow=True),
    "checkpoint of BERT in two files": Target(
        lambda folder: tiny_bert.write(folder, "BertForSequenceClassification", shards=2),
        convert,
        slow=True,
    ),
    "checkpoint of GPT-2": Target(tiny_gpt2.write, convert, slow=True),
    "checkpoint of BART": Target(tiny_bart.write, convert, slow=True),
    "sentence encoder": Target(sentence_encoder, convert, slow=True),
    **(PRESETS if find_spec("keras_hub") else {}),
}
