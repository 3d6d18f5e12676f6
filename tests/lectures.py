"""The text of lectures and tutorials: cells, formulas, links, and tables of measured numbers."""

import re
from pathlib import Path

from docs import run_pages

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHARE = re.compile(r"(-?\d+\.\d+)|(\d+)%")
LINK = re.compile(r"\]\(([^)\s]*)\)")


def formulas(text: str) -> list[str]:
    """The formulas of a page, in lines of their own and in sentences.

    Example:
        >>> formulas("$$\\na + b\\n$$\\n\\nof $a$ and `$b`")
        ['a + b', 'a']
    """
    text = re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))
    return [
        one.strip()
        for pair in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", text, re.S)
        for one in pair
        if one
    ]


def sections(text: str) -> dict[str, str]:
    """The sections of a page with what is below their headings, by the anchors of these.

    Example:
        >>> sections("# A b, c!\\n1\\n## Next\\n2\\n")
        {'a-b-c': '\\n1\\n', 'next': '\\n2\\n'}
    """
    parts = re.split(r"^#+ (.*)$", BLOCK.sub("", text), flags=re.MULTILINE)
    return {_anchor(title): body for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def links(text: str) -> list[str]:
    """The targets of links and pictures that are files of the repository."""
    return [target for target in LINK.findall(BLOCK.sub("", text)) if "://" not in target]


def measured(text: str) -> list[tuple[str, str]]:
    """Of the rows of tables that end with a link: the second column, and the link.

    Example:
        >>> measured("| a | 1.5 | 2 | [row](x.md#y) |")
        [('1.5', 'x.md#y')]
    """
    rows = re.findall(r"^\| (.*) \|$", text, re.MULTILINE)
    found = []
    for cells_of_row in (row.split(" | ") for row in rows):
        if target := re.fullmatch(r"\[[^]]*\]\(([^)]*\.md#[^)]*)\)", cells_of_row[-1]):
            found.append((cells_of_row[1], target[1]))
    return found


def numbers(text: str) -> list[str]:
    """The numbers in a text, as they are written.

    Example:
        >>> numbers("33.6 BLEU after 12 epochs, 1.6e-23")
        ['33.6', '12', '1.6e-23']
    """
    return re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", text)


def page(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def check_cells(path: Path, tolerance: float = 0.0) -> None:
    """The cells of a page print what is below them; they run in the current folder.

    Args:
        path: The page.
        tolerance: How far decimals and percentages, as shares, may be from those of the page:
            other processors train to other numbers.
    """
    for cell, printed in zip(run_pages.cells(page(path)), run_pages.outputs(path), strict=True):
        assert is_like(printed, cell.printed or "", tolerance), (
            f"{path.name}, line {cell.line}: {printed}"
        )


def is_like(printed: str, shown: str, tolerance: float) -> bool:
    """Whether two texts are the same, but for numbers that are near to each other.

    Example:
        >>> is_like("f1 0.93, 5 of 7", "f1 0.91, 5 of 7", 0.05), is_like("41%", "35%", 0.05)
        (True, False)
        >>> is_like("5 of 7", "4 of 7", 0.05), is_like("0.93", "0.91", 0.0)
        (False, False)
    """
    if not tolerance:
        return printed == shown
    one, other = (
        [float(x or y) / (100 if y else 1) for x, y in SHARE.findall(text)]
        for text in (printed, shown)
    )
    if SHARE.sub("", printed) != SHARE.sub("", shown):
        return False
    return all(abs(x - y) <= tolerance for x, y in zip(one, other, strict=True))


def check_links(path: Path) -> None:
    """The links of a page lead to files and headings that are there."""
    for target in links(page(path)):
        name, _, anchor = target.partition("#")
        linked = path.parent / name if name else path
        assert linked.exists(), f"{path.name}: {target}"
        if anchor:
            assert anchor in sections(page(linked)), f"{path.name}: {target}"
