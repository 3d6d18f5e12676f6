"""Pages in headless Chromium over its DevTools protocol: sizes of windows, requests, errors."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Thread, Timer
from typing import Any

from tests.browser import CHROMIUM

SECONDS = 60
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]


@dataclass
class Tab:
    """A tab of a browser.

    Args:
        commands: Takes what is asked of the browser: JSON, each with a zero byte behind it.
        answers: Gives answers and events in the same form.
        requests: The addresses that pages asked for.
        errors: What consoles of pages said of errors.
    """

    commands: Any
    answers: Any
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    _numbers: Any = field(default_factory=lambda: count(1))
    _session: dict[str, str] = field(default_factory=dict)
    _loaded: bool = False

    def attach(self) -> None:
        """Opens the tab, and listens to what its pages do."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What the browser answers to a command."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters, **self._session}
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while (found := self._next()).get("id") != number:
            pass
        assert "error" not in found, found
        return found["result"]

    def open(self, address: str, width: int, height: int = 900) -> None:
        """Opens an address in a window of some pixels, and waits for its formulas."""
        self.resize(width, height)
        self._loaded = False
        self.ask("Page.navigate", url=address)
        while not self._loaded:
            self._next()
        self.value("window.MathJax ? MathJax.startup.promise.then(() => 1) : 1")

    def resize(self, width: int, height: int = 900) -> None:
        """Changes the size of the window."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", **size)

    def value(self, script: str) -> Any:
        """The value of an expression of JavaScript, or of its promise."""
        options = {"returnByValue": True, "awaitPromise": True}
        found = self.ask("Runtime.evaluate", expression=script, **options)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def _next(self) -> dict[str, Any]:
        message = b""
        while not message.endswith(b"\0"):
            byte = self.answers.read(1)
            assert byte, "Chromium ended"
            message += byte
        found = json.loads(message[:-1])
        event, said = found.get("method"), found.get("params", {})
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Network.requestWillBeSent":
            self.requests.append(said["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            self.errors.append(said["exceptionDetails"]["text"])
        elif event == "Runtime.consoleAPICalled" and said["type"] == "error":
            self.errors.append(str(said["args"]))
        elif event == "Log.entryAdded" and said["entry"]["level"] == "error":
            self.errors.append(f"{said['entry']['text']} {said['entry'].get('url', '')}")
        return found


@contextmanager
def tab() -> Iterator[Tab]:
    """A tab of a new browser with a new profile, which ends after some minutes at most."""
    reads, writes = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        pipes = f'exec "$@" 3<&{reads[0]} 4>&{writes[1]}'
        command = ["bash", "-c", pipes, "bash", str(CHROMIUM), *OPTIONS]
        command += ["--remote-debugging-pipe", f"--user-data-dir={profile}"]
        with subprocess.Popen(
            command, pass_fds=(reads[0], writes[1]), stderr=subprocess.DEVNULL
        ) as browser:
            os.close(reads[0])
            os.close(writes[1])
            stop = Timer(20 * SECONDS, browser.kill)
            stop.start()
            try:
                with os.fdopen(reads[1], "wb") as commands, os.fdopen(writes[0], "rb") as answers:
                    found = Tab(commands, answers)
                    found.attach()
                    yield found
            finally:
                stop.cancel()
                browser.kill()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, on a free port of this machine."""
    handler = partial(_Quiet, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
