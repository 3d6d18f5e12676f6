"""The options of generation, declared once."""

from dataclasses import dataclass
from typing import Any

from zoo.options import defaults_of, facts_of, names_of, option, values_of

BEAMS, SAMPLING, LENGTH = "Beam search", "Sampling", "Output"


@dataclass(kw_only=True)
class GenerationOptions:
    """Options of `predict`, `generate_ids`, `evaluate` and export of tasks that generate."""

    max_new_tokens: int | None = option(
        None, "Maximum number of tokens to generate. Default: that of the run.", minimum=1,
        group=LENGTH,
    )  # fmt: skip
    min_new_tokens: int = option(
        0, "Minimum number of tokens before the end token.", minimum=0, group=LENGTH
    )
    beams: int = option(1, "Number of beams; 1 means greedy decoding.", minimum=1, group=BEAMS)
    length_penalty: float = option(
        1.0,
        "Beam search divides the score of an output by its length to the power of this; values "
        "above 0 favor longer outputs.",
        group=BEAMS,
    )
    early_stopping: bool | str = option(
        False,
        "When beam search stops: true, as soon as there are as many complete outputs as beams; "
        "never, when no better output is possible; false, when a better one is unlikely.",
        choices=("never",),
        group=BEAMS,
    )
    temperature: float = option(
        0.0, "Sampling temperature; 0 means greedy decoding.", minimum=0, group=SAMPLING
    )
    top_k: int = option(
        0,
        "Sample only from the k most probable tokens; 0 means all tokens. Of a classifier: also "
        "give the k most probable labels, with their scores.",
        minimum=0,
        group=SAMPLING,
    )
    top_p: float = option(
        1.0,
        "Nucleus sampling: sample from the smallest set of tokens with this total probability.",
        above=0,
        group=SAMPLING,
    )
    seed: int | None = option(None, "Random seed of sampling.", below=2**63, group=SAMPLING)
    no_repeat_ngram: int = option(
        0, "Size n of the n-grams that must not repeat; 0 disables it.", minimum=0, group=LENGTH
    )
    bad_words: list[Any] = option(
        [], "Words that must not be generated: texts, or lists of token ids.", group=LENGTH
    )


@dataclass(kw_only=True)
class TranslationOptions(GenerationOptions):
    """Options of `predict` and `evaluate` of tasks that write a text from another."""

    replace_unknown: bool = option(
        False,
        "Replace each unknown word of the output by the source word with the largest attention "
        "weight; with --tokenizer cased-words.",
        group=LENGTH,
    )


REPLACE_UNKNOWN = "replace_unknown"
SAMPLING_OPTIONS = tuple(
    name
    for name in names_of(GenerationOptions)
    if facts_of(GenerationOptions, name)["group"] == SAMPLING
)


def changed(options: GenerationOptions) -> dict[str, Any]:
    """The options that differ from their defaults.

    Example:
        >>> changed(GenerationOptions(beams=4, top_k=0))
        {'beams': 4}
    """
    defaults = defaults_of(GenerationOptions)
    return {name: x for name, x in values_of(options).items() if x != defaults[name]}
