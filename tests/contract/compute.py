"""python -m tests.contract.compute FOLDER NAME…: the outputs of cases on another backend."""

import sys
from pathlib import Path

import numpy as np

from tests.contract import harness
from tests.contract.cases import CASES
from tests.contract.subprocesses import each


def outputs_of(name: str, folder: Path) -> None:
    case = CASES[name]
    x = harness.example(case)
    actual = {}
    for variant, made in harness.variants(case).items():
        outputs = harness.run(case, made.layer, x)
        actual |= {f"{variant}/{output}": value for output, value in outputs.items()}
    np.savez(folder / "outputs.npz", **actual)


if __name__ == "__main__":
    each(sys.argv[2:], Path(sys.argv[1]), outputs_of)
