"""The cells of the lectures: a run of them, and the outputs that their pages show.

python -m docs.lectures.run                        # rewrites the outputs of all pages
python -m docs.lectures.run docs/lectures/07-recurrence.md
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PAGES = Path(__file__).parent
# A cell, and the output below it if it prints something.
CELL = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?", re.M | re.S
)


@dataclass(frozen=True)
class Cell:
    """Code, the line of the page on which it begins, and the output that the page shows."""

    code: str
    line: int
    printed: str


def cells(page: str) -> list[Cell]:
    """The cells of a page, in order.

    Example:
        >>> cells("One:\\n```python\\nprint(1)\\n```\\n\\n```text\\n1\\n```\\n")
        [Cell(code='print(1)\\n', line=3, printed='1\\n')]
    """
    return [
        Cell(found["code"], page.count("\n", 0, found.start()) + 2, found["printed"] or "")
        for found in CELL.finditer(page)
    ]


def outputs(path: Path) -> Iterator[str]:
    """What each cell of a page prints; the cells share their names.

    They run one after the other, as the outputs are asked for, in the working directory.
    """
    names = {"__name__": "__main__"}
    for cell in cells(path.read_text(encoding="utf-8")):
        code = compile("\n" * (cell.line - 1) + cell.code, str(path), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        yield printed.getvalue()


def with_outputs(page: str, printed: list[str]) -> str:
    """The page with these outputs in place of those that it shows."""
    rest = iter(printed)

    def replaced(found: re.Match[str]) -> str:
        text = next(rest)
        return f"```python\n{found['code']}```\n" + (f"\n```text\n{text}```\n" if text else "")

    return CELL.sub(replaced, page)


def main(paths: list[Path]) -> None:
    """Runs the cells of pages and writes what they print below them."""
    for path in paths:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            printed = list(outputs(path))
        path.write_text(with_outputs(path.read_text("utf-8"), printed), encoding="utf-8")
        print(f"{path.name}: {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    main([Path(name).resolve() for name in sys.argv[1:]] or sorted(PAGES.glob("*.md")))
