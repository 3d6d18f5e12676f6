"""The command `search-page`."""

import os
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

from typer import Option

from zoo.atomic import replacing
from zoo.cli.console import CheckDigests, RunFolder, arguments, given, load
from zoo.cli.stopping import ending_on_sigterm
from zoo.cli.sweeping import Quantize
from zoo.cli.tasks import FILE, files, takes_pairs
from zoo.cli.verifying import show_report
from zoo.errors import UserError

if TYPE_CHECKING:
    from zoo.tasks.task import Task

EMBEDS = "text-embedder"


def search_page(
    embedder: RunFolder,
    reranker: Annotated[
        Path, Option(metavar="RUN_FOLDER", help="The run of a text-pair-scorer, which sorts.")
    ],
    data: Annotated[
        list[str],
        Option(metavar=FILE, help="The documents: a table with a column of texts. Repeatable."),
    ],
    out: Annotated[Path, Option(metavar="FOLDER", help="Folder to write.")],
    text_column: Annotated[
        str | None, Option(metavar="NAME", help="Column of the documents. Default: detected.")
    ] = None,
    top: Annotated[int, Option(min=1, help="How many documents the reranker reads.")] = 20,
    title: Annotated[str, Option(metavar="TEXT", help="Title of the page.")] = "Search",
    quantize: Quantize = None,
    check_digests: CheckDigests = True,
) -> None:
    """Write a page that searches documents in the browser: an embedder finds, a reranker sorts.

    The folder is for any web server. It has the documents, their vectors, and the two models as
    verified LiteRT files, each in a folder with a page of its own.

    [bold]Examples[/bold]

    \b
      keras-attn search-page runs/vectors --reranker runs/reranker --data news.tsv --out site
      keras-attn search-page runs/vectors --reranker runs/reranker --data news.tsv --out site \\
          --quantize int8 --top 10
    """
    os.environ["KERAS_BACKEND"] = "tensorflow"  # which exports; a run may be of any other
    zoo, exporter = load("zoo"), load("export")
    with arguments():
        from zoo.data.readers.column_names import ColumnNames, ReadOptions
        from zoo.data.readers.read_columns import read_columns
        from zoo.data.readers.roles import DOCUMENT
        from zoo.page.search import EMBEDDER, RERANKER, search_files
        from zoo.tasks.similarity import unit

        tasks = {EMBEDDER: zoo.load(embedder, check_digests)}
        tasks[RERANKER] = zoo.load(reranker, check_digests)
        if tasks[EMBEDDER].name != EMBEDS:
            raise UserError(f"{embedder} is no {EMBEDS}; its task is {tasks[EMBEDDER].name}")
        if not takes_pairs(tasks[RERANKER]) or "values" not in tasks[RERANKER].head.meanings:
            raise UserError(f"{reranker} gives pairs of texts no score: train a text-pair-scorer")
        if not (out / EMBEDDER).is_dir() and holds_other_files(out):
            raise UserError(f"{out} holds other files: choose another folder")
        read = ReadOptions(ColumnNames(text=text_column))
        table = read_columns(files("causal-lm", data), DOCUMENT, "documents", read)
        documents = list(dict.fromkeys(table.cells.get("text", [])))
        if not documents:
            raise UserError(f"{table.path} contains no documents")
        vectors = unit(tasks[EMBEDDER].embed(documents))
        out.mkdir(parents=True, exist_ok=True)
        for name, task in tasks.items():
            _export(exporter, task, out / name, quantize and str(quantize))
        for name, content in search_files(documents, vectors, title, top).items():
            with replacing(out / name) as partial:
                partial.write_bytes(content)
    print(f"\nRun `npm install` in {out} once, and serve it: python -m http.server -d {out}")


def holds_other_files(folder: Path) -> bool:
    """Whether a folder has files besides the reports of models that were refused before.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "embedder.report.json").write_text("{}")
        >>> holds_other_files(folder), holds_other_files(folder / "new")
        (False, False)
        >>> _ = (folder / "thesis.tex").write_text("")
        >>> holds_other_files(folder)
        True
    """
    from export.report import SUFFIX

    return folder.exists() and any(not x.name.endswith(SUFFIX) for x in folder.iterdir())


def _export(exporter: ModuleType, task: "Task", path: Path, quantize: str | None) -> None:
    """Writes the folder of a model, and shows its report: a failed check ends the program."""
    try:
        with ending_on_sigterm():
            report = exporter.web(task, path, **given(quantize=quantize))
    except exporter.VerificationError as error:
        report = error.report
    show_report(report, json=False)
