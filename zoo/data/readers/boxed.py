"""Tables drawn with lines, as in Markdown and on consoles of databases, and columns of spaces."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

RULE = re.compile(r"[|+]?(?:\s*:?[-=]{2,}:?\s*[|+])*\s*:?[-=]{2,}:?\s*[|+]?")
BAR = re.compile(r"(?<!\\)\|")
LOOKED_AT = 3  # lines of which one is below the header
FEWEST = 10  # lines of which columns of spaces are known
GAP = 2  # spaces between columns
ALIGNED = "has columns of a fixed width, with spaces between: write tabs between its cells"
TO_TABS = f"s/^ +| +$//g; s/ {{{GAP},}}/\\t/g"  # for `sed -E`
SPACES = re.compile(rf" {{{GAP},}}")


def is_rule(line: str) -> bool:
    """Whether a line is a rule of such a table.

    Example:
        >>> [is_rule(line) for line in ("|---|:--:|", "+----+----+", "-----", "| a | b |")]
        [True, True, True, False]
    """
    return not {*line} - {*"|+-=: \t\r\n"} and bool(RULE.fullmatch(line.strip()))


def is_boxed(lines: Sequence[str]) -> bool:
    """Whether lines are those of a table with bars between its cells and a rule below its header.

    Example:
        >>> is_boxed(["| text | label |", "|------|:-----:|", "| fine | good |"])
        True
        >>> is_boxed([" text | label", "------+------", " fine | good"]), is_boxed(["a|b", "c|d"])
        (True, False)
    """
    lines = [line for line in lines if line.strip()]
    rules = [n for n, line in enumerate(lines[:LOOKED_AT]) if is_rule(line)]
    rows = [line for line in lines if not is_rule(line)]
    return bool(rules and rows) and max(rules) > 0 and bool(BAR.search(rows[0]))


def boxed_cells(line: str) -> list[str]:
    r"""The cells of a line of such a table; none of a rule.

    Example:
        >>> boxed_cells(r"| a \| b | |"), boxed_cells(" a | b"), boxed_cells("|---|---|")
        (['a | b', ''], ['a', 'b'], [])
    """
    if is_rule(line):
        return []
    line = line.strip()
    if line.startswith("|"):
        line = line[1:].removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in BAR.split(line)]


def is_aligned(lines: Sequence[str]) -> bool:
    """Whether lines have columns of a fixed width, with spaces between them.

    Example:
        >>> rows = [f"{word:10}{number:5}" for number, word in enumerate(["fine", "a film"] * 5)]
        >>> is_aligned(rows), is_aligned(["a fine film"] * 10)
        (True, False)
    """
    lines = [line.rstrip() for line in lines if line.strip()]
    if len(lines) < FEWEST:
        return False
    width = min(len(line) - len(line.lstrip()) for line in lines), min(map(len, lines))
    shared = "".join(
        " " if all(line[place] == " " for line in lines) else "x" for place in range(*width)
    )
    counts = {len(SPACES.split(line.strip())) for line in lines}
    is_padded = any(" " * (GAP + 1) in line.strip() for line in lines)  # prose has two spaces
    spaced = counts == {max(counts)} and max(counts) > 1 and is_padded
    return spaced and bool(re.search(r"x +x", shared)) and "\t" not in lines[0]


def to_tabs(path: Path) -> str:
    """A command that writes a file with such columns as one with tabs, beside it.

    Example:
        >>> to_tabs(Path("a.csv")).endswith(" a.csv > a.tsv")
        True
        >>> to_tabs(Path("a.tsv")).endswith(" a.tsv > a-tabs.tsv")
        True
    """
    target = path.with_name(f"{path.name.split('.')[0]}.tsv")
    if target == path or target.exists():  # which must not be overwritten
        target = path.with_name(f"{target.stem}-tabs.tsv")
    return f"sed -E '{TO_TABS}' {shlex.quote(str(path))} > {shlex.quote(str(target))}"
