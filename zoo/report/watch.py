"""`watch`: a page of a training that runs, written again while it does."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from string import Template

from zoo.atomic import replacing
from zoo.errors import UserError
from zoo.report import html, watch_page
from zoo.report.policy import policy
from zoo.report.run_progress import RunProgress, Status
from zoo.report.samples import Samples

EVERY = 2.0  # seconds between two looks at the run
RELOAD = 5  # seconds after which a browser loads the page again
QUIET = 15.0  # seconds after which a page is written again though nothing has happened
SAMPLES = 6  # rows of the validation data


def watch(
    run: str | os.PathLike,
    path: str | os.PathLike | None = None,
    samples: int = SAMPLES,
    every: float = EVERY,
    say: Callable[[str], None] | None = print,
) -> Path:
    """Writes a page of a training again and again, until it ends.

    The training may be of another process, may begin later, and is not disturbed: only its files
    are read. The page is a single, self-contained HTML file that a browser loads again every few
    seconds. Ctrl-C ends the watching, not the training.

    Args:
        run: The run folder, which may be missing.
        path: File to write. Defaults to the name of the folder with `.watch.html`, beside it.
        samples: Number of rows of the validation data that are answered with the weights of the
            best epoch, at most once per epoch, and in a tenth of the time at most.
        every: Seconds between two looks at the run.
        say: Called with a line when the status changes; None for no lines.

    Returns:
        The path of the page.

    Raises:
        UserError: If a file of the run is damaged, or Matplotlib is missing.
    """
    if find_spec("matplotlib") is None:
        raise UserError("reports require Matplotlib: pip install 'keras-attn[report]'")
    folder = Path(run)
    page = folder.resolve().with_name(f"{folder.resolve().name}.watch.html")
    page = page if path is None else Path(path)
    page.parent.mkdir(parents=True, exist_ok=True)
    answered, progress = Samples(folder, samples), RunProgress(Status.WAITING)
    told: Status | None = None
    before, wrote = RunProgress(Status.WAITING), -QUIET
    try:
        while True:
            progress = RunProgress.read(folder)
            best = 0 if progress.state is None else progress.state.best_epoch
            is_new = answered.refresh(best, now=progress.is_over)
            due = time.monotonic() - wrote >= QUIET
            if is_new or due or progress != before or progress.is_over:
                _write(page, folder, progress, answered)
                before, wrote = progress, time.monotonic()
            if say is not None and progress.status is not told:
                if told is None:
                    say(str(page))
                say(f"{progress.status.value}: {watch_page.sentence(progress, _now())}")
                told = progress.status
            if progress.is_over:
                return page
            time.sleep(every)
    except KeyboardInterrupt:
        _write(page, folder, progress, answered, "Nobody watches the run any more.")
        return page


def _write(
    page: Path, folder: Path, progress: RunProgress, samples: Samples, note: str = ""
) -> None:
    """Writes the page, which a browser loads again unless there is nothing more to come."""
    again = not (progress.is_over or note)
    note = note or (f"It is loaded again every {RELOAD} seconds." if again else "")
    title = folder.resolve().name
    content = watch_page.body(title, progress, samples, _now(), note)
    files = resources.files("zoo.report")
    style = files.joinpath("page.css").read_text("utf-8")
    style += files.joinpath("watch.css").read_text("utf-8")
    template = Template(files.joinpath("template.html").read_text("utf-8"))
    reload = f'<meta http-equiv="refresh" content="{RELOAD}">\n' if again else ""
    text = template.substitute(
        policy=policy(style, ""),
        title=escape(f"{watch_page.WORDS[progress.status]}: {title}"),
        style=style,
        body=content,
    )
    text = text.replace("<title>", f"{reload}<title>", 1)
    with replacing(page) as partial:
        partial.write_text(html.legible(text), encoding="utf-8")


def _now() -> float:
    """The time of the clock, with which times of files are compared."""
    return datetime.now(UTC).timestamp()
