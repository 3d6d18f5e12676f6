"""The machine and the versions of what ran, by which numbers are read."""

import os
import platform
from importlib import metadata
from typing import Any

LIBRARIES = (
    "keras",
    "tensorflow",
    "keras-hub",
    "ai-edge-litert",
    "numpy",
    "torch",
    "transformers",
    "ctranslate2",
)


def machine() -> dict[str, Any]:
    """Facts to read the numbers by; `load` is what else ran when they were taken."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "libraries": {name: version for name in LIBRARIES if (version := _version(name))},
    }


def _processor() -> str:
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
        if names:
            return names[0]
    return platform.processor()


def _version(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None
