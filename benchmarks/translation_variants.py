"""Translators and their variants, trained equally: models, attention, positions, tokenizers.

    python -m benchmarks.translation_variants --data train.tsv --validation val.tsv \\
        --test test.tsv --out runs/variants [NAME ...]

Each variant is a run in a folder of its own, which is resumed if it was interrupted, and is left as
it is if it is complete. All have the preset `tiny`, the same seed, rows and number of epochs. BLEU
is that of sacrebleu, greedy, with a 95 % interval by 1,000 bootstrap samples (Koehn 2004).

The overlap of two heads is what their attention weights have in common, `sum_s min(a_s, b_s)`: 1 if
they are the same, 0 if they look at different tokens. It is the mean over all pairs of heads of a
layer, all target tokens and all layers, of the first sentences of the test data.
"""

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from zoo.attention_map import AttentionMap
from zoo.data.readers.pairs import read_pairs
from zoo.metrics.corpus_scores import bleu_of
from zoo.tasks.config import is_run, to_resume

SAMPLES, SENTENCES, SEED = 1000, 100, 0
RESULT = "variant.json"  # of a complete run


@dataclass(frozen=True)
class Variant:
    """What a variant changes.

    Args:
        options: Options of the task and of its model.
        training: Training options.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)


BASE = "transformer"
# Small batches, since with few steps attention does not find the words of the source.
TRAINING = {"learning_rate": 0.003, "warmup": 1000, "batch_tokens": 1024}
VARIANTS = {
    BASE: Variant(),  # sinusoidal positions
    "concat": Variant({"aggregate": "concat"}),
    "mean": Variant({"aggregate": "mean"}),
    "tied-key-value": Variant({"tie_key_value": True}),
    "head-diversity-0.01": Variant({"head_diversity": 0.01}),
    "head-diversity-0.1": Variant({"head_diversity": 0.1}),
    "2-key-value-heads": Variant({"num_key_value_heads": 2}),
    "1-key-value-head": Variant({"num_key_value_heads": 1}),
    "learned-positions": Variant({"position": "learned"}),
    "rotary-positions": Variant({"position": "rotary"}),
    "alibi-positions": Variant({"position": "alibi"}),
    "shaw-positions": Variant({"position": "shaw", "max_distance": 16}),
    "no-positions": Variant({"position": "none"}),
    "words": Variant({"tokenizer": "cased-words"}),
    "byte-bpe": Variant({"tokenizer": "byte-bpe"}),
    "byte-bpe-dropout": Variant({"tokenizer": "byte-bpe"}, {"bpe_dropout": 0.1}),
    "unigram": Variant({"tokenizer": "sentencepiece"}),
    "characters": Variant(
        {"tokenizer": "characters", "max_source_length": 256, "max_target_length": 256}
    ),
    "conv-learned": Variant({"model": "conv_s2s"}),
    "conv-sinusoidal": Variant({"model": "conv_s2s", "position": "sinusoidal"}),
    "rnn": Variant({"model": "rnn_seq2seq"}),
    "attention-rnn": Variant({"model": "attention_seq2seq"}),
    "bart": Variant({"model": "bart"}),
    "prefix-gpt": Variant({"model": "prefix_gpt"}),
}


@dataclass(frozen=True)
class Outcome:
    """What was measured of a variant.

    Args:
        name: The name of the variant.
        parameters: Number of parameters.
        loss: The lowest validation loss, for each token; not comparable across tokenizers.
        bleu: BLEU in percent.
        interval: Its 95 % interval.
        overlap: The mean overlap of heads by part, such as "encoder"; empty without heads.
        pieces_per_word: Number of tokens for each word of the targets.
        epochs: Number of epochs.
    """

    name: str
    parameters: int
    loss: float
    bleu: float
    interval: tuple[float, float]
    overlap: Mapping[str, float]
    pieces_per_word: float
    epochs: int


def overlap(weights: np.ndarray) -> float:
    """The mean overlap of the pairs of heads of attention weights (H, T, S).

    Example:
        >>> one, other = [[1.0, 0.0, 0.0]], [[0.5, 0.0, 0.5]]
        >>> overlap(np.array([one, other])), overlap(np.array([one, one]))
        (0.5, 1.0)
    """
    pairs = combinations(weights, 2)
    return float(np.mean([np.minimum(a, b).sum(axis=-1).mean() for a, b in pairs]))


def overlaps(maps: Iterable[Mapping[str, list[AttentionMap]]]) -> dict[str, float]:
    """The mean overlap of heads in each part of a model.

    Args:
        maps: Of each sentence, the attention maps by part.
    """
    by_part: dict[str, list[float]] = {}
    for parts in maps:
        for part, layers in parts.items():
            own = [overlap(each.weights) for each in layers if each.heads > 1]
            by_part.setdefault(part, []).extend(own)
    return {part: float(np.mean(values)) for part, values in by_part.items() if values}


def measure(name: str, run: Path, test: Path, loss: float, epochs: int) -> Outcome:
    """Translates the test data with a trained run, and looks at its heads."""
    task, pairs = zoo.load(run), read_pairs(str(test))
    written = task.predict(pairs.sources)
    bleu = bleu_of([[target] for target in pairs.targets], written)
    count = len(written)
    draws = np.random.default_rng(SEED).multinomial(count, np.full(count, 1 / count), SAMPLES)
    low, high = np.quantile(bleu(draws.astype(float)), [0.025, 0.975])
    words = sum(len(target.split()) for target in pairs.targets)
    pieces = task.tokenizer.tokenize(pairs.targets).flat_values.shape[0]
    return Outcome(
        name,
        task.model.count_params(),
        loss,
        float(bleu(np.ones((1, count)))[0]),
        (float(low), float(high)),
        overlaps(task.attention_parts(source) for source in pairs.sources[:SENTENCES]),
        pieces / words,
        epochs,
    )


def train(name: str, options: argparse.Namespace) -> Outcome:
    """Trains a variant, or continues, and measures it; a complete one is only read."""
    run = options.out / name
    result = run / RESULT
    if result.exists():
        return Outcome(**json.loads(result.read_text(encoding="utf-8")))
    variant = VARIANTS[name]
    own = {"model": BASE, "preset": "tiny", "vocabulary_size": 6000, "seed": SEED, "dropout": 0.1}
    own |= variant.options
    settings = {**TRAINING, **variant.training}
    begun = is_run(run)
    task = zoo.load(to_resume(run)) if begun else zoo.TextToText(**own)
    history = task.fit(
        options.data,
        options.validation,
        adapt=not begun,
        folder=run,
        resume=True,
        epochs=options.epochs,
        **settings,
    )
    task.save(run)
    loss = min(history.history["val_loss"])
    outcome = measure(name, run, options.test, loss, len(history.epoch))
    result.write_text(json.dumps(asdict(outcome), indent=2) + "\n", encoding="utf-8")
    return outcome


def table(outcomes: Iterable[Outcome]) -> str:
    """A Markdown table with a row for each variant."""
    lines = [
        "| variant | parameters | validation loss | BLEU | tokens a word | overlap of heads |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for each in outcomes:
        low, high = each.interval
        parts = ", ".join(f"{part} {value:.2f}" for part, value in each.overlap.items())
        lines.append(
            f"| {each.name} | {each.parameters:,} | {each.loss:.3f} | {each.bleu:.1f} ({low:.1f}-"
            f"{high:.1f}) | {each.pieces_per_word:.2f} | {parts} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(VARIANTS))
    parser.add_argument("--data", required=True, type=Path, help="pairs to train on")
    parser.add_argument("--validation", required=True, type=Path, help="pairs to validate on")
    parser.add_argument("--test", required=True, type=Path, help="pairs to translate")
    parser.add_argument("--out", required=True, type=Path, help="folder of the runs")
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()
    if unknown := sorted({*options.names} - {*VARIANTS}):
        parser.error(f"unknown {', '.join(unknown)}; choose from {', '.join(VARIANTS)}")
    outcomes = []
    for name in options.names or VARIANTS:
        outcomes.append(train(name, options))
        print(table(outcomes), flush=True)


if __name__ == "__main__":
    main()
