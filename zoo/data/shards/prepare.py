"""The preparation of data larger than memory: read once for a vocabulary, once to tokenize it.

A shard is a piece of the data, so that the shards do not depend on how many processes there are. A
shard is written beside its place and renamed; `plan.json` says what the shards belong to. The
manifest, which is written last, makes the folder one that can be trained on.
"""

import json
import os
import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from zoo.atomic import replacing
from zoo.data.readers.files import is_path, paths_of
from zoo.data.shards import worker
from zoo.data.shards.manifest import MANIFEST, TASK
from zoo.data.shards.preparable import Preparable
from zoo.data.shards.sample import Sample
from zoo.data.shards.shard import FACTS, commit_shard, finished, shard_name
from zoo.data_statistics import Statistics, counted
from zoo.errors import UserError
from zoo.json_file import read_json
from zoo.locking import locked

PLAN = "plan.json"


def usable_cores() -> int:
    """The number of cores that this process may use; macOS does not tell, and has all of them."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def prepare(
    task: Preparable,
    data: Any,
    folder: Path,
    load: Callable[[Path], Preparable],
    processes: int | None = None,
    verbose: bool = True,
) -> int:
    """Tokenizes data into a folder of shards.

    Args:
        task: The task.
        data: The data.
        folder: The folder.
        load: Function that loads the task in another process, from a folder that it saved.
        processes: Number of processes. Default: the number of cores.
        verbose: Show progress.

    Returns:
        The number of rows.
    """
    processes = processes or usable_cores()
    with locked(folder):
        if (folder / MANIFEST).exists():
            raise UserError(f"{folder} already contains prepared data: choose another folder")
        for path in folder.glob(".new-shard-*"):
            shutil.rmtree(path)  # of a process that was killed
        plan = _plan(task, data, folder)
        statistics, shards = Statistics(), []
        with _progress(plan["rows"], verbose) as advance:
            for facts, count in _shards(task, data, folder, plan, load, processes):
                advance(count)
                shards.append({name: facts[name] for name in ("rows", "values", "files")})
                statistics.update(facts["statistics"])
        _remove_later(folder, len(shards))
        manifest = {**plan["manifest"], "statistics": statistics, "shards": shards}
        _write(folder / MANIFEST, manifest)
        (folder / PLAN).unlink()
    return int(plan["rows"])


def _plan(task: Preparable, data: Any, folder: Path) -> dict[str, Any]:
    """What an interrupted preparation began with, or a new plan."""
    asked = json.loads(json.dumps({**task.fingerprint(), "files": _files(data)}))
    if (folder / PLAN).exists():
        try:
            plan = read_json(folder / PLAN, dict)
        except (OSError, ValueError) as error:
            raise UserError(f"{folder / PLAN} is damaged ({error}): delete {folder}") from None
        if plan.get("asked") != asked or asked["files"] is None:
            raise UserError(
                f"{folder} was begun with other data or settings: choose another folder, or delete "
                "it"
            )
        task.use_prepared(folder / TASK)
        return plan
    _remove_later(folder, 0)
    sample, labels = Sample(seed=task.seed), set[str]()
    for piece in task.pieces(data):
        sample.add(piece)
        labels.update(piece.columns.get("labels", ()))
    if not sample.rows:
        raise UserError("the data contain no rows")
    examples = sample.examples()
    task.learn_to_prepare(examples, sorted(labels))
    columns = task.tokenized(examples).columns
    plan = {
        "asked": asked,
        "rows": sample.rows,
        "manifest": {
            "task": task.name,
            "settings": task.prepared_settings(),
            "source": task.source_of(data),
            "columns": task.column_kinds,
            "scale": {
                name: round(max(1.0, float(columns[name].sizes[0].mean())), 3)
                for name in task.sorted_by
            },
            "examples": task.examples,
        },
    }
    task.save_prepared(folder / TASK)
    _write(folder / PLAN, plan)
    return plan


def _shards(
    task: Preparable,
    data: Any,
    folder: Path,
    plan: dict[str, Any],
    load: Callable[[Path], Preparable],
    processes: int,
) -> Iterator[tuple[dict[str, Any], int]]:
    """The facts of each shard in order, and its number of rows; writes those that are missing."""
    scale = plan["manifest"]["scale"]
    waiting: deque[tuple[int, int, Any]] = deque()  # number, rows, and what is to come
    with _pool(folder, load, processes) as submit:
        for number, piece in enumerate(task.pieces(data)):
            facts = finished(folder, number)
            count = len(piece)
            job = facts or submit(task, folder, number, piece, scale)
            waiting.append((number, count, job))
            while len(waiting) > processes:
                yield _done(waiting.popleft())
        while waiting:
            yield _done(waiting.popleft())


def _done(job: tuple[int, int, Any]) -> tuple[dict[str, Any], int]:
    number, count, result = job
    if isinstance(result, Future):
        result = result.result()
    return (commit_shard(result, number) if isinstance(result, Path) else result), count


@contextmanager
def _pool(folder: Path, load: Callable[[Path], Preparable], processes: int) -> Iterator[Any]:
    """Yields a function that tokenizes a piece, in another process if there are several."""
    if processes == 1:
        yield worker.write
        return
    context = get_context("spawn")  # TensorFlow does not survive a fork
    pool = ProcessPoolExecutor(processes, context, worker.start, (load, str(folder / TASK)))
    try:
        yield lambda task, *job: pool.submit(worker.write_in_worker, *job)
    finally:
        pool.shutdown(cancel_futures=True)


def _files(data: Any) -> Any:
    """The files with their sizes and times, by which another attempt knows them; None in memory."""
    if not is_path(data):
        return None
    files = []
    for path in paths_of(data):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if not file.exists():
                raise UserError(f"{file} does not exist")
            facts = file.stat()
            files.append([str(file.absolute()), facts.st_size, facts.st_mtime_ns])
    return files


def _remove_later(folder: Path, number: int) -> None:
    """Deletes shards of an earlier preparation, from a number on."""
    for path in folder.glob("shard-*"):
        if path.name >= shard_name(number):
            (path / FACTS).unlink(missing_ok=True)  # first: then it is no shard
            shutil.rmtree(path)


def _write(path: Path, content: dict[str, Any]) -> None:
    with replacing(path) as partial:
        text = json.dumps(content, indent=1, ensure_ascii=False)
        partial.write_text(text + "\n", "utf-8")


@contextmanager
def _progress(rows: int, verbose: bool) -> Iterator[Any]:
    console = Console(stderr=True)
    if not (verbose and console.is_terminal):
        yield lambda count: None
        return
    columns = (TextColumn("rows"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        number = bar.add_task("", total=rows)
        yield lambda count: bar.advance(number, count)
    console.print(counted(rows, "rows are prepared"), highlight=False)
