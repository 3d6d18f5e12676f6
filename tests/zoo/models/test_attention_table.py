"""The page that says which attention fits into which model."""

import re
from pathlib import Path

import pytest

import keras_attn
from zoo.models.create import create_model
from zoo.models.memory_attentions import MEMORY_ATTENTIONS
from zoo.models.options import has_option
from zoo.models.transformer_options import ATTENTIONS, OF_HEADS
from zoo.registry import MODELS

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "models.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## Which attention")[2]
ROWS = [line.split(" | ") for line in SECTION.splitlines() if line.startswith("| ")][2:]

FULL_ONLY = {"t5", "llama", "prefix_gpt"}  # they refuse any other attention
REFUSED = {"window": FULL_ONLY, "max_distance": {"t5"}}  # which has positions of its own


def models_with(option, value=None):
    """The models of the rows that name an option, and its value if one is given."""
    text = option if value is None else f'{option}="{value}"'
    cells = [models for _, models, how in ROWS if f"`{text}`" in how]
    return set(re.findall(r"`(\w+)`", " ".join(cells)))


def test_every_attention_is_in_the_table():
    of_package = {
        name for name in keras_attn.__all__ if name.endswith(("Attention", "AttentionPooling"))
    } - {"SelfAttention", "MemoryAttention"}
    assert of_package <= set(re.findall(r"\[`(\w+)`\]", SECTION))


@pytest.mark.parametrize("option", [*OF_HEADS, "window", "max_distance"])
def test_the_models_of_a_row_are_those_with_the_option(option):
    having = {name for name in MODELS if has_option(name, option)}
    assert models_with(option) == having - REFUSED.get(option, set())


@pytest.mark.parametrize("attention", sorted({*ATTENTIONS, *MEMORY_ATTENTIONS}))
def test_the_models_of_an_attention_take_it(attention):
    names = models_with("attention", attention) - FULL_ONLY
    names -= {"series_model", "series_classifier", "ctc_recognizer"}
    assert names
    for name in names:
        choices = MEMORY_ATTENTIONS if name == "attention_seq2seq" else ATTENTIONS
        assert attention in choices
        assert has_option(name, "attention")
    having = {name for name in MODELS if has_option(name, "attention")} - FULL_ONLY
    for name in having - names:
        sizes = {"vocabulary_size": 23}
        if has_option(name, "source_vocabulary_size"):
            sizes = {"source_vocabulary_size": 23, "target_vocabulary_size": 23}
        with pytest.raises(ValueError, match="attention must be one of"):
            create_model(name, "tiny", **sizes, attention=attention)
