"""The options of generation, declared once."""

from dataclasses import dataclass
from typing import Any

from zoo.options import Options, option

BEAMS, SAMPLING, LENGTH = "Beam search", "Sampling", "Output"


@dataclass(kw_only=True)
class GenerationOptions(Options):
    """Options of `predict`, `generate_ids`, `evaluate` and export of tasks that generate."""

    max_new_tokens: int | None = option(
        None, "Maximum number of tokens to generate; default that of the task.", minimum=1,
        group=LENGTH,
    )  # fmt: skip
    min_new_tokens: int = option(
        0, "Minimum number of tokens before the end token.", minimum=0, group=LENGTH
    )
    beams: int = option(1, "Number of beams; 1 is greedy decoding.", minimum=1, group=BEAMS)
    length_penalty: float = option(
        1.0,
        "Exponent of the length that beam search divides scores by; above 0 favours longer "
        "outputs.",
        group=BEAMS,
    )
    early_stopping: bool | str = option(
        False,
        'When beam search stops: true, with the first complete outputs; "never", when no better '
        "output can follow; false, by a heuristic between the two.",
        choices=("never",),
        group=BEAMS,
    )
    temperature: float = option(
        0.0, "Sampling temperature; 0 is greedy.", minimum=0, group=SAMPLING
    )
    top_k: int = option(
        0, "Sample from this many most probable tokens; 0: from all.", minimum=0, group=SAMPLING
    )
    top_p: float = option(
        1.0,
        "Nucleus sampling: the smallest set of tokens with this total probability.",
        above=0,
        group=SAMPLING,
    )
    seed: int | None = option(None, "Random seed of sampling.", group=SAMPLING)
    no_repeat_ngram: int = option(
        0, "Size of n-grams that may not be repeated; 0: any may.", minimum=0, group=LENGTH
    )
    bad_words: list[Any] = option(
        [], "Words that are never generated: texts, or lists of ids.", group=LENGTH
    )


def changed(options: GenerationOptions) -> dict[str, Any]:
    """The options that differ from their defaults.

    Example:
        >>> changed(GenerationOptions(beams=4, top_k=0))
        {'beams': 4}
    """
    defaults = GenerationOptions.defaults()
    return {name: x for name, x in options.values().items() if x != defaults[name]}
