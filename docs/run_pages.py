"""The cells of lectures and tutorials: a run of them, and the outputs that their pages show.

python -m docs.run_pages                                 # rewrites the outputs of all pages
python -m docs.run_pages docs/lectures/07-recurrence.md docs/tutorials

A cell is Python, or commands of keras-attn. The output of commands is shown only where the page has
a block of text below them. Pictures that cells save, and that the page shows, are stored beside it.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parent
FOLDERS = (DOCS / "lectures", DOCS / "tutorials")
# A cell, and the output below it if it prints something.
CELL = re.compile(
    r"^```(?P<language>python|bash)\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?",
    re.M | re.S,
)
PICTURE = re.compile(r"\]\(pictures/([\w-]+\.png)\)")


@dataclass(frozen=True)
class Cell:
    """Code, the line of the page on which it begins, and the output that the page shows.

    The output is None where the page has none.
    """

    code: str
    line: int
    printed: str | None
    language: str = "python"

    @property
    def hidden(self) -> bool:
        """Whether the page leaves out what the cell prints."""
        return self.language == "bash" and self.printed is None


def cells(page: str) -> list[Cell]:
    """The cells of a page, in order.

    Example:
        >>> cells("One:\\n```python\\nprint(1)\\n```\\n\\n```text\\n1\\n```\\n")
        [Cell(code='print(1)\\n', line=3, printed='1\\n', language='python')]
    """
    return [
        Cell(
            found["code"],
            page.count("\n", 0, found.start()) + 2,
            found["printed"],
            found["language"],
        )
        for found in CELL.finditer(page)
    ]


def commands(code: str) -> list[list[str]]:
    r"""The arguments of each command of keras-attn in a cell.

    Example:
        >>> commands("keras-attn inspect a.csv\nkeras-attn runs \\\n    runs  # all\n")
        [['inspect', 'a.csv'], ['runs', 'runs']]
    """
    lines = re.sub(r" *\\\n *", " ", code).splitlines()
    found = [shlex.split(line, comments=True) for line in lines if line.strip()]
    if any(words[0] != "keras-attn" for words in found if words):
        raise ValueError("a cell of bash has commands of keras-attn only; others go in ```sh")
    return [words[1:] for words in found if words]


def outputs(path: Path) -> Iterator[str]:
    """What each cell of a page prints; the cells share their names, and the working directory.

    They run one after the other, as the outputs are asked for. That of a cell whose output the page
    leaves out is empty.
    """
    names = {"__name__": "__main__"}
    for cell in cells(path.read_text(encoding="utf-8")):
        if cell.language == "bash":
            said = "".join(_answer(words, cell.hidden) for words in commands(cell.code))
            yield "" if cell.hidden else said
            continue
        code = compile("\n" * (cell.line - 1) + cell.code, str(path), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        yield printed.getvalue()


def _answer(words: list[str], must_succeed: bool) -> str:
    """What a command prints; if it fails, with the message of its error."""
    from typer.testing import CliRunner

    from zoo.cli.app import app

    done = CliRunner().invoke(app, words)
    if done.exit_code and must_succeed:
        raise RuntimeError(f"keras-attn {shlex.join(words)}: {done.stderr}{done.exception!r}")
    return done.stdout + (done.stderr if done.exit_code else "")


def pictures(page: str) -> list[str]:
    """The names of the pictures that a page shows.

    Example:
        >>> pictures("![A curve](pictures/curve.png)")
        ['curve.png']
    """
    return list(dict.fromkeys(PICTURE.findall(page)))


def with_outputs(page: str, printed: list[str]) -> str:
    """The page with these outputs in place of those that it shows."""
    rest = iter(printed)

    def replaced(found: re.Match[str]) -> str:
        text = next(rest)
        code = f"```{found['language']}\n{found['code']}```\n"
        return code + (f"\n```text\n{text}```\n" if text else "")

    return CELL.sub(replaced, page)


def main(paths: list[Path]) -> None:
    """Runs the cells of pages, writes what they print below them, and stores what they draw."""
    for path in paths:
        start = time.monotonic()
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            printed = list(outputs(path))
            for name in pictures(page):
                if Path(name).exists():  # those of the lectures have programs of their own
                    shutil.copyfile(name, path.parent / "pictures" / name)
        path.write_text(with_outputs(page, printed), encoding="utf-8")
        print(f"{path.name}: {time.monotonic() - start:.1f} s", flush=True)


def pages(names: list[str]) -> list[Path]:
    """The pages with these paths, those of folders included."""
    given = [Path(name).resolve() for name in names] or FOLDERS
    return [
        page for path in given for page in (sorted(path.glob("*.md")) if path.is_dir() else [path])
    ]


if __name__ == "__main__":
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    main(pages(sys.argv[1:]))
