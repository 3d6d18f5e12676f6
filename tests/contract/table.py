"""The results of the layer contract as a table of layers and checks.

`python -m tests.contract.table FILE` runs the contract and writes its page.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

PASSED, FAILED, NOT_APPLICABLE = "✓", "FAIL", "n/a"
INTRODUCTION = """\
# Layer contract

Every public layer, loss, metric and function of `keras_attn` has to pass the same checks. Layers
run with random weights on small random inputs whose axes all have different sizes; arguments are
set to values other than their defaults. In the table, ✓ means passed, n/a not applicable, for a
reason below the table, and an empty cell that there is no such check for this kind of object.

- sections, docstring: the docstring has all its sections, from the source to an example.
- example: the example in the docstring runs.
- config: `get_config` and `from_config` keep every argument.
- keras file: a model saved as `.keras` and loaded again gives identical outputs.
- oracle: the outputs match a float64 NumPy implementation of the formula to 1e-5.
- keras layer: with the weights of the equivalent Keras layer, the outputs match that layer.
- symbolic: symbolic calls know all shapes and dtypes; the model then runs at any size.
- shapes: `compute_output_shape` and `compute_output_spec` return the shapes of the outputs.
- summary: Keras's summary and plot of a model show the layer and the shapes of its outputs.
- wrong inputs: an input of a wrong rank or dtype is an error that names it and what is expected.
- dense only: a ragged or sparse tensor is an error that names the argument.
- masked: changing the inputs at masked positions does not change the outputs.
- all masked: a fully masked row gives finite outputs, also in half precision.
- NaN behind the mask: NaN and infinity at masked positions change no output and no gradient.
- length 0: an empty sequence has the outputs of a fully masked one, and finite gradients.
- batch 0: an empty batch has empty outputs, and finite gradients.
- implicit mask: Keras's implicit mask has the same effect as an explicit one, and is passed on.
- causal: no output depends on later positions.
- maps: returning the attention maps does not change the outputs.
- neighbours: a sequence gives the same outputs alone and in a padded batch.
- mixed: mixed precision with float16 and bfloat16 stays close to the formula.
- float32: under mixed precision, sensitive operations such as softmax still run in float32.
- eager, graph, XLA: gradients match finite differences, executed eagerly, as a graph and with XLA.
- JAX, PyTorch: the outputs on these backends match those on TensorFlow.
- SavedModel, LiteRT: the outputs of an exported file match; LiteRT uses built-in operators only.
- Keras export: the outputs of the SavedModel, LiteRT and ONNX files that `model.export` of Keras
  writes match. It cannot convert models with the exact GELU to ONNX.

This page is written by `python -m tests.contract.table docs/reference/contract.md`.
"""


def cells(reports: Iterable[Any]) -> dict[tuple[str, str], tuple[str, str]]:
    """Maps (layer, check) to (state, reason), from pytest's reports, including xdist workers."""
    actual: dict[tuple[str, str], tuple[str, str]] = {}
    for report in reports:
        said = [value for key, value in getattr(report, "user_properties", []) if key == "contract"]
        if said and (report.when == "call" or report.failed):
            name, check, reason = said[-1]
            state = NOT_APPLICABLE if reason else PASSED
            actual[name, check] = (state, reason) if report.passed else (FAILED, "")
    return actual


def ordered(names: Iterable[str], order: Iterable[str]) -> list[str]:
    present = set(names)
    return [name for name in order if name in present]


def markdown(actual: dict[tuple[str, str], tuple[str, str]]) -> str:
    """A table with one row per layer and one column per check, and the reasons for n/a."""
    from tests.contract.cases import CASES
    from tests.contract.checks import CHECKS
    from tests.contract.surface import exported

    rows = ordered((name for name, _ in actual), dict.fromkeys([*exported(), *CASES]))
    columns = ordered((check for _, check in actual), CHECKS)
    width = max(map(len, [*rows, "export"]))
    lines = [
        f"| {'export':{width}} | " + " | ".join(columns) + " |",
        f"|{'-' * (width + 2)}|" + "|".join("-" * (len(c) + 2) for c in columns) + "|",
    ]
    for row in rows:
        states = [actual.get((row, c), ("", ""))[0].center(len(c)) for c in columns]
        lines.append(f"| {row:{width}} | " + " | ".join(states) + " |")
    reasons: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        for check in columns:
            state, reason = actual.get((row, check), ("", ""))
            if state == NOT_APPLICABLE:
                reasons.setdefault(reason, {}).setdefault(row, []).append(check)
    if reasons:
        lines += ["", f"Reasons for {NOT_APPLICABLE}:", ""]
        lines += [f"- {reason}: {where(said)}" for reason, said in reasons.items()]
    return "\n".join(lines) + "\n"


def where(said: dict[str, list[str]]) -> str:
    """Groups the rows that have the same checks."""
    together: dict[str, list[str]] = {}
    for row, checks in said.items():
        together.setdefault(", ".join(checks), []).append(row)
    return "; ".join(f"{', '.join(rows)} ({checks})" for checks, rows in together.items())


def show(terminalreporter: Any) -> None:
    """Prints the table, and writes the page to the file that CONTRACT_TABLE names."""
    reports = [r for actual in terminalreporter.stats.values() for r in actual]
    actual = cells(r for r in reports if hasattr(r, "user_properties"))
    if not actual:
        return
    text = markdown(actual)
    terminalreporter.section("the layer contract")
    terminalreporter.write_line(text)
    if path := os.environ.get("CONTRACT_TABLE"):
        Path(path).write_text(f"{INTRODUCTION}\n{text}", encoding="utf-8")


if __name__ == "__main__":
    os.environ["CONTRACT_TABLE"] = str(Path(sys.argv[1]).resolve())
    sys.exit(pytest.main([str(Path(__file__).parent), "-q", "-n", "2"]))
