"""BLEU by the length of the source: what a translator forgets of long sentences.

    python -m benchmarks.source_lengths RUN [RUN ...] --data test.tsv --plot docs/source-lengths.png

Source: Bahdanau et al. 2015, figure 2; Cho et al. 2014, "On the Properties of Neural Machine
Translation", figure 4. The pairs are sorted by the number of words of their source, and cut into
bins of about equally many; BLEU of each bin is that of sacrebleu, with a 95 % interval by 1,000
bootstrap samples (Koehn 2004).
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import zoo
from zoo.data.readers.pairs import read_pairs
from zoo.metrics.corpus_scores import bleu_of

BINS, SAMPLES = 6, 1000


@dataclass(frozen=True)
class Bin:
    """BLEU of the pairs whose sources have similar lengths.

    Args:
        shortest: The least number of words of a source.
        longest: The greatest number.
        pairs: Number of pairs.
        bleu: BLEU in percent.
        interval: Its 95 % interval.
    """

    shortest: int
    longest: int
    pairs: int
    bleu: float
    interval: tuple[float, float]


def bins_of(lengths: Sequence[int], count: int) -> list[np.ndarray]:
    """The rows of each bin, by ascending length; equal lengths are in one bin.

    Args:
        lengths: The length of each row.
        count: Maximum number of bins, of about equally many rows.

    Example:
        >>> [rows.tolist() for rows in bins_of([5, 3, 3, 9, 4, 7], 3)]
        [[1, 2], [4, 0], [5, 3]]
        >>> [rows.tolist() for rows in bins_of([3, 3, 3, 9], 2)]
        [[0, 1, 2], [3]]
    """
    lengths = np.asarray(lengths)
    edges = np.quantile(lengths, np.arange(1, count) / count, method="inverted_cdf")
    number = np.searchsorted(np.unique(edges), lengths)
    order = np.argsort(lengths, kind="stable")
    return [rows for each in range(count) if len(rows := order[number[order] == each])]


def bleu_by_length(
    sources: Sequence[str], references: Sequence[str], predictions: Sequence[str], count: int = BINS
) -> list[Bin]:
    """BLEU of predictions in bins by the number of words of the source.

    Args:
        sources: The source of each row.
        references: The correct text of each row.
        predictions: The text that was predicted.
        count: Maximum number of bins.
    """
    lengths = np.array([len(source.split()) for source in sources])
    found = []
    for rows in bins_of(lengths.tolist(), count):
        measure = bleu_of([[references[row]] for row in rows], [predictions[row] for row in rows])
        draws = np.random.default_rng(0).multinomial(
            len(rows), np.full(len(rows), 1 / len(rows)), SAMPLES
        )
        low, high = np.quantile(measure(draws.astype(float)), [0.025, 0.975])
        bleu = float(measure(np.ones((1, len(rows))))[0])
        of_rows = lengths[rows]
        found.append(
            Bin(int(of_rows[0]), int(of_rows[-1]), len(rows), bleu, (float(low), float(high)))
        )
    return found


def table(found: dict[str, list[Bin]]) -> str:
    """A Markdown table: a row for each run, a column for each bin."""
    first = next(iter(found.values()))
    head = [f"{each.shortest} to {each.longest} words, {each.pairs} pairs" for each in first]
    lines = [f"| run | {' | '.join(head)} |", f"| --- |{' --- |' * len(head)}"]
    for name, bins in found.items():
        cells = (
            f"{each.bleu:.1f} ({each.interval[0]:.1f}-{each.interval[1]:.1f})" for each in bins
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def plot(found: dict[str, list[Bin]], path: str) -> None:
    """BLEU by the middle of each bin, with intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, bins in found.items():
        middles = [(each.shortest + each.longest) / 2 for each in bins]
        lines = axes.plot(middles, [each.bleu for each in bins], "o-", label=name)
        bands = zip(*(each.interval for each in bins), strict=True)
        axes.fill_between(middles, *bands, color=lines[0].get_color(), alpha=0.15, linewidth=0)
    axes.set(xlabel="words of the source", ylabel="BLEU", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN", help="folder of a text-to-text run")
    parser.add_argument("--data", required=True, metavar="FILE", help="pairs to translate")
    parser.add_argument("--bins", type=int, default=BINS, help="maximum number of bins")
    parser.add_argument("--beams", type=int, default=1, help="number of beams")
    parser.add_argument("--out", "--output", metavar="FILE", help="JSON file to write")
    parser.add_argument("--plot", metavar="FILE", help="picture to write (PNG, SVG or PDF)")
    options = parser.parse_args()
    pairs, found = read_pairs(options.data), {}
    for run in options.runs:
        written = zoo.load(run).predict(pairs.sources, beams=options.beams)
        name = Path(run).resolve().name
        found[name] = bleu_by_length(pairs.sources, pairs.targets, written, options.bins)
    print(table(found))
    if options.out:
        content = {name: [asdict(each) for each in bins] for name, bins in found.items()}
        Path(options.out).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    if options.plot:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
