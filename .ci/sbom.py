"""Writes dist/NAME.cdx.json, in CycloneDX: what comes with the wheel in dist/ and its extra `zoo`.

python .ci/sbom.py PYTHON    # the Python of an environment that has cyclonedx-bom; `make sbom`

The packages are those of the tested versions, in .ci/constraints.txt.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from distributions import ROOT
from environments import linked


def main() -> None:
    """Describes an environment that has the wheel, and what it asks for."""
    wheels = [*(ROOT / "dist").glob("*.whl")]
    if len(wheels) != 1:
        raise SystemExit(f"dist/ must have one wheel, it has {len(wheels)}: run make release-check")
    to = wheels[0].with_name("-".join(wheels[0].name.split("-")[:2]) + ".cdx.json")
    options = ["--pyproject", "pyproject.toml", "--mc-type", "library", "--spec-version", "1.6"]
    options += ["--output-reproducible", "--validate", "--output-file", str(to)]
    with tempfile.TemporaryDirectory() as name:
        python = linked(Path(name) / "zoo", wheels[0], "zoo")
        command = [sys.argv[1], "-m", "cyclonedx_py", "environment", *options, str(python)]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
    print(f"{to.relative_to(ROOT)}: {to.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
