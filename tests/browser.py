"""Headless Chromium: what a page becomes, and what its console says."""

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

CHROMIUM = next(filter(shutil.which, ("chromium", "chromium-browser", "google-chrome")), None)
browsing = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000"]
# A microphone and a camera, which a page gets without a question.
MEDIA = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
OPTIONS += MEDIA


@dataclass(frozen=True)
class Visit:
    """A page after its scripts ran.

    Args:
        dom: Its elements as HTML.
        console: The lines of the console: errors, and what its Content-Security-Policy refused.
    """

    dom: str
    console: list[str]


def visit(page: Path | str) -> Visit:
    """Opens a page, a file or an address, in a new profile."""
    address = page if isinstance(page, str) else page.as_uri()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        own = [f"--user-data-dir={profile}", "--enable-logging=stderr"]
        done = subprocess.run(
            [str(CHROMIUM), *OPTIONS, *own, "--dump-dom", address],
            capture_output=True,
            timeout=120,
            check=True,
        )
    said = re.findall(r":CONSOLE[^\]]*\] (.*)", done.stderr.decode(errors="replace"))
    return Visit(done.stdout.decode(errors="replace"), said)
