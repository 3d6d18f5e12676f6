"""The pages of small models in the site, whose parts are in docs/live; they share LiteRT.js."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from zoo.page.web_files import IMPORTS, LITERT_JS, page_files
from zoo.report.policy import digest

HERE = Path(__file__).parent
LIVE = HERE / "live"
FACTS = "page.json"  # title, lead and facts of a page
PACKAGES = HERE.parent / ".clients" / "node_modules"  # where `make clients` has LiteRT.js
# Browsers take one of the two, by the instructions that they know.
RUNTIME = (
    "core/dist/index.js",
    "core/package.json",
    "wasm-utils/dist/index.js",
    "core/wasm/litert_wasm_internal.js",
    "core/wasm/litert_wasm_internal.wasm",
    "core/wasm/litert_wasm_compat_internal.js",
    "core/wasm/litert_wasm_compat_internal.wasm",
)
OWN, SHARED = "./node_modules/", "../node_modules/"


def has_runtime() -> bool:
    """Whether LiteRT.js is installed, in the version that pages take."""
    known = PACKAGES / "@litertjs" / "core" / "package.json"
    if not all((PACKAGES / "@litertjs" / each).exists() for each in RUNTIME):
        return False
    return bool(json.loads(known.read_text("utf-8"))["version"] == LITERT_JS)


def write(folder: Path) -> None:
    """Writes the pages, and LiteRT.js once for all of them.

    Args:
        folder: The folder with a folder for each page.
    """
    for source in sorted(path.parent for path in LIVE.glob(f"*/{FACTS}")):
        page = folder / source.name
        page.mkdir(parents=True, exist_ok=True)
        known = json.loads((source / FACTS).read_text("utf-8"))
        files = page_files(known["facts"], known["title"], known["lead"])
        files.pop("package.json")
        for name, text in files.items():
            (page / name).write_text(_sharing(text), "utf-8")
        _copy(source, page, (each.name for each in source.iterdir() if each.name != FACTS))
    _copy(PACKAGES / "@litertjs", folder / "node_modules" / "@litertjs", RUNTIME)


def _sharing(text: str) -> str:
    """A file of a page that takes LiteRT.js from the folder above."""
    shared = IMPORTS.replace(OWN, SHARED)
    text = text.replace(IMPORTS, shared).replace(digest(IMPORTS), digest(shared))
    return text.replace('at("node_modules/', 'at("../node_modules/')


def _copy(source: Path, target: Path, names: Iterable[str]) -> None:
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
