"""The table layer x check, from the reports of a run.

`python -m tests.contract.table FILE` runs the contract and writes the table as Markdown.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

PASSED, FAILED, NOT_APPLICABLE = "✓", "FAIL", "n/a"


def cells(reports: Iterable[Any]) -> dict[tuple[str, str], tuple[str, str]]:
    """(layer, check) -> (state, reason), from pytest's reports, also those of xdist's workers."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for report in reports:
        said = [value for key, value in getattr(report, "user_properties", []) if key == "contract"]
        if said and (report.when == "call" or report.failed):
            name, check, reason = said[-1]
            state = NOT_APPLICABLE if reason else PASSED
            found[name, check] = (state, reason) if report.passed else (FAILED, "")
    return found


def ordered(names: Iterable[str], order: Iterable[str]) -> list[str]:
    present = set(names)
    return [name for name in order if name in present]


def markdown(found: dict[tuple[str, str], tuple[str, str]]) -> str:
    """One row a layer, one column a check, and why a check does not apply."""
    from tests.contract.checks import CHECKS
    from tests.contract.surface import exported

    rows = ordered((name for name, _ in found), exported())
    columns = ordered((check for _, check in found), CHECKS)
    width = max(map(len, [*rows, "export"]))
    lines = [
        f"| {'export':{width}} | " + " | ".join(columns) + " |",
        f"|{'-' * (width + 2)}|" + "|".join("-" * (len(c) + 2) for c in columns) + "|",
    ]
    for row in rows:
        states = [found.get((row, c), ("", ""))[0].center(len(c)) for c in columns]
        lines.append(f"| {row:{width}} | " + " | ".join(states) + " |")
    reasons: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        for check in columns:
            state, reason = found.get((row, check), ("", ""))
            if state == NOT_APPLICABLE:
                reasons.setdefault(reason, {}).setdefault(row, []).append(check)
    if reasons:
        lines += ["", f"{NOT_APPLICABLE}, because:", ""]
        lines += [f"- {reason}: {where(said)}" for reason, said in reasons.items()]
    return "\n".join(lines) + "\n"


def where(said: dict[str, list[str]]) -> str:
    """Rows with the same checks are said together."""
    together: dict[str, list[str]] = {}
    for row, checks in said.items():
        together.setdefault(", ".join(checks), []).append(row)
    return "; ".join(f"{', '.join(rows)} ({checks})" for checks, rows in together.items())


def show(terminalreporter: Any) -> None:
    """Prints the table, and writes it to the file that CONTRACT_TABLE names."""
    reports = [r for found in terminalreporter.stats.values() for r in found]
    found = cells(r for r in reports if hasattr(r, "user_properties"))
    if not found:
        return
    text = markdown(found)
    terminalreporter.section("the layer contract")
    terminalreporter.write_line(text)
    if path := os.environ.get("CONTRACT_TABLE"):
        Path(path).write_text(text)


if __name__ == "__main__":
    os.environ["CONTRACT_TABLE"] = str(Path(sys.argv[1]).resolve())
    sys.exit(pytest.main([str(Path(__file__).parent), "-q", "-n", "2"]))
