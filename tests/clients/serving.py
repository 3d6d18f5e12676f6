"""A folder, opened in headless Chromium, and what a page of it sends back."""

import json
import queue
import subprocess
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.browser import CHROMIUM, MEDIA

SECONDS = 120
PACKAGES = Path(__file__).parents[2] / ".clients" / "node_modules"
READY = PACKAGES.parent / ".ready"  # not if the installation was interrupted
needs_packages = pytest.mark.skipif(not READY.exists(), reason="`make clients` has not been run")


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder, and keeps what is sent to it."""

    def __init__(self, *arguments, actual, **options):
        self.found = actual
        super().__init__(*arguments, **options)

    def do_POST(self):
        self.found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def sent_by(folder, page):
    """What a page of a folder sends, as JSON; `node_modules` is there for it.

    Args:
        folder: The folder.
        page: The page, as HTML, which sends it with POST.
    """
    actual = queue.Queue()
    (folder / "driver.html").write_text(page)
    if not (folder / "node_modules").exists():
        (folder / "node_modules").symlink_to(PACKAGES)
    handler = partial(Handler, directory=folder, actual=actual)
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        options += MEDIA
        address = f"http://127.0.0.1:{server.server_port}/driver.html"
        with subprocess.Popen([CHROMIUM, *options, address], stderr=subprocess.DEVNULL) as browser:
            try:
                return actual.get(timeout=SECONDS)
            finally:
                browser.kill()
                server.shutdown()
