"""The page of a training that runs: curves, time left, and what the model answers so far."""

import math
import time
from collections.abc import Mapping, Sequence
from html import escape

from zoo import quantities
from zoo.report import figures, formats, html, run_files
from zoo.report.run_progress import RunProgress, Status
from zoo.report.samples import Samples

POINTS = 300  # of a curve; a long history is thinned, its last epoch stays
CURVES = 6  # metrics that are drawn, beside the learning rate
ROWS, LINES = 8, 12  # last epochs in the table, last lines of the log
RATE = "learning_rate"
WORDS = {
    Status.WAITING: "Waiting",
    Status.TRAINING: "Training",
    Status.ENDED: "Ended",
    Status.STOPPED: "Stopped",
    Status.KILLED: "Killed",
}


def body(name: str, progress: RunProgress, samples: Samples, now: float, note: str) -> str:
    """The content of the page.

    Args:
        name: The run folder.
        progress: What it says.
        samples: Answers of the model.
        now: The time, in seconds since 1970.
        note: When the page is written again, in a sentence.
    """
    header = f"<header>\n<h1>{escape(name)}</h1>\n{_status(progress, now)}\n</header>"
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
    parts = [
        header,
        _bar(progress),
        html.definitions("numbers", numbers(progress, now)),
        _curves(progress),
        _answers(samples),
        _epochs(progress.history),
        _log(progress.log),
        f"<footer>Written at {stamp}. {escape(note)}</footer>",
    ]
    return "\n".join(filter(None, parts))


def sentence(progress: RunProgress, now: float) -> str:
    """How far the training is, in words, without the status itself.

    Example:
        >>> sentence(RunProgress(Status.WAITING), 0.0)
        'there is no training here yet'
    """
    state, epochs, status = progress.state, progress.epochs, progress.status
    if status is Status.WAITING:
        return "there is no training here yet"
    done = 0 if state is None else state.epoch
    of = "" if epochs is None else f" of {epochs}"
    if status is Status.TRAINING and not done:
        return "no epoch has ended yet" if progress.log else "the data is read"
    counted = f"{done}{of} epochs"
    left, limit = progress.seconds_left(now), progress.seconds_to_limit(now)
    if limit is not None and (left is None or limit < left):
        return f"{counted}; its time limit ends it in {quantities.duration(limit)}"
    if left is not None:
        return f"{counted}, about {quantities.duration(left)} left if all are trained"
    why = f", {progress.reason}" if progress.reason else ""
    if status is Status.KILLED:
        why = ": the process ended without a word, and --resume continues after the last checkpoint"
    if status is Status.STOPPED and not progress.reason:
        why = ", with an error or before its first checkpoint: see the log"
    return counted + why


def numbers(progress: RunProgress, now: float) -> dict[str, str]:
    """What stands in large numbers, by name."""
    history, state = progress.history, progress.state
    if state is None or not history.get("epoch"):
        return {}
    found = {}
    monitor = state.monitor
    if monitor is not None and state.best_value is not None:
        value = formats.rounded(monitor, state.best_value)
        found[f"best {_spelled(monitor)}, epoch {state.best_epoch}"] = value
    shown = [*([monitor] if monitor else []), "loss", "val_loss", RATE]
    for name in dict.fromkeys(shown):
        last = [x for x in history.get(name, []) if math.isfinite(x)]
        if last:
            found[_spelled(name)] = formats.rounded(name, last[-1])
    left = [progress.seconds_left(now), progress.seconds_to_limit(now)]
    known = [seconds for seconds in left if seconds is not None]
    return {**found, "left": quantities.duration(min(known))} if known else found


def thinned(history: Mapping[str, list[float]], most: int = POINTS) -> dict[str, list[float]]:
    """Columns with so many rows at most, evenly, of which the last is that of the history.

    Example:
        >>> thinned({"epoch": [1.0, 2.0, 3.0, 4.0, 5.0]}, 3)
        {'epoch': [1.0, 3.0, 5.0]}
    """
    count = len(next(iter(history.values()), []))
    step = max(1, math.ceil((count - 1) / max(1, most - 1)))
    rows = sorted({count - 1 - step * i for i in range(most) if count - 1 - step * i >= 0})
    return {name: [values[row] for row in rows] for name, values in history.items()}


def _status(progress: RunProgress, now: float) -> str:
    words = f"<b>{WORDS[progress.status]}:</b> {html.text(sentence(progress, now))}"
    return f'<p class="status {progress.status.value}">{words}</p>'


def _bar(progress: RunProgress) -> str:
    """How much is done, as a bar."""
    state, epochs = progress.state, progress.epochs
    if state is None or not epochs or progress.status is not Status.TRAINING:
        return ""
    share = min(1.0, state.steps / (state.steps_per_epoch * epochs))
    return (
        '<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" '
        f'aria-label="{100 * share:.0f} % of the epochs"><rect width="100" height="1"/>'
        f'<rect width="{100 * share:.2f}" height="1"/></svg>'
    )


def _curves(progress: RunProgress) -> str:
    state = progress.state
    history = thinned(progress.history)
    epochs = history.get("epoch", [])
    if state is None or not epochs:
        return ""
    measured = run_files.measures(history)
    first = "loss" if state.monitor is None else state.monitor.removeprefix("val_")
    order = sorted(measured, key=lambda name: (name != first, name != "loss"))[:CURVES]
    if RATE in history:
        measured[RATE], order = (history[RATE], [math.nan] * len(epochs)), [*order, RATE]
    pictures = []
    for number, name in enumerate(order):
        training, validation = measured[name]
        best = None if name == RATE else float(state.best_epoch)
        drawn = figures.svg(figures.curve(epochs, training, validation, best), f"curve-{number}")
        keys = [
            f'<span class="key {label}">{label}</span>'
            for label, values in (("training", training), ("validation", validation))
            if any(map(math.isfinite, values)) and name != RATE
        ]
        caption = html.text(formats.spell(name)) + "".join(keys)
        pictures.append(f'<figure class="curve"><figcaption>{caption}</figcaption>{drawn}</figure>')
    explanation = "By epoch."
    if state.best_epoch in epochs:
        explanation += f" The dot is the best epoch so far, {state.best_epoch}."
    inside = "\n".join(pictures)
    return html.section("Curves", explanation, f'<div class="pictures">\n{inside}\n</div>')


def _answers(samples: Samples) -> str:
    """The answers of several epochs side by side, the newest first."""
    epochs = [*samples.by_epoch][::-1]
    if not epochs:
        what = f"<p>{html.text(samples.missing)}</p>" if samples.missing else ""
        return html.section("Sample answers", "There are none:", what)
    rows = [*zip(*(samples.by_epoch[epoch] for epoch in epochs), strict=True)]
    known = any(row[0].reference is not None for row in rows)
    header = ["input", *(["reference"] if known else []), *(f"epoch {each}" for each in epochs)]
    cells = []
    for row in rows:
        reference = [html.text(row[0].reference or "")] if known else []
        judged = samples.are_judged and row[0].reference is not None
        answers = [_answer(each.prediction, row[0].reference if judged else None) for each in row]
        cells.append([html.shortened(row[0].source), *reference, *answers])
    data = "training" if samples.of_training else "validation"
    explanation = (
        f"Some rows of the {data} data, answered with the weights of the best epoch so far, and of "
        "earlier ones."
    )
    table = html.table(header, cells)
    return html.section("Sample answers", explanation, f'<div class="samples">{table}</div>')


def _answer(prediction: str, reference: str | None) -> str:
    shown = html.shortened(prediction)
    if reference is None:
        return shown
    right = prediction == reference
    kind, mark = ("right", "✓") if right else ("wrong", "✗")
    return f'<td class="{kind}">{shown} {mark}</td>'


def _epochs(history: Mapping[str, list[float]]) -> str:
    """The last rows of history.csv."""
    rows = [*zip(*history.values(), strict=True)][-ROWS:]
    names = [*history]
    cells = [
        [
            f"{value:.0f}" if name == "epoch" else _number(value)
            for name, value in zip(names, row, strict=True)
        ]
        for row in reversed(rows)
    ]
    table = html.table([_spelled(name) for name in names], cells, numbers=len(names))
    return html.section("Last epochs", "The newest first; history.csv has all.", table)


def _log(lines: Sequence[str]) -> str:
    """The last lines of the log."""
    shown = escape("\n".join(lines[-LINES:]))
    return html.section("Log", "Its last lines.", f"<pre>{shown}</pre>" if shown else "")


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else ""


def _spelled(name: str) -> str:
    """The name of a column.

    Example:
        >>> _spelled("val_macro_f1"), _spelled("learning_rate")
        ('validation macro F1', 'learning rate')
    """
    own = name.removeprefix("val_")
    return formats.spell(own) if own == name else f"validation {formats.spell(own)}"
