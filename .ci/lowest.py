"""Writes .ci/constraints-lowest.txt: each direct dependency in the lowest version that is claimed.

`make lowest` installs these and runs tests with them. What has an environment of its own, PyTorch
and the clients, is left out, since .venv-lowest has the extra `all` only.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILE = Path(__file__).with_name("constraints-lowest.txt")
WANTED = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,-]+\])?[>=]=(?P<version>[\w.]+)(?:,<[\w.]+)?")
OWN = "keras-attn["


def lowest(settings: dict[str, Any]) -> list[str]:
    """The line `name==version` of each dependency in the extra `all`.

    Args:
        settings: What pyproject.toml has.

    Raises:
        ValueError: A dependency has no lowest version.
    """
    project = settings["project"]
    extras = project["optional-dependencies"]
    wanted, names = [*project["dependencies"]], ["all"]
    for name in names:
        for each in extras[name]:
            if each.startswith(OWN):
                names += {*each.removeprefix(OWN).removesuffix("]").split(",")}.difference(names)
            else:
                wanted.append(each)
    found = set()
    for each in wanted:
        if (parts := WANTED.fullmatch(each)) is None:
            raise ValueError(f"{each} needs a lowest version, as in name>=1.2")
        found.add(f"{parts['name']}=={parts['version']}")
    return sorted(found)


if __name__ == "__main__":
    lines = lowest(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8")))
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
